from dialgauge.explore._app import (
    create_app as create_app,
)
from dialgauge.explore._data import (
    RunData as RunData,
)
from dialgauge.explore._dialogue import (
    DialogueView as DialogueView,
    dialogue_view as dialogue_view,
)
from dialgauge.explore._queries import (
    Answer as Answer,
    Filter as Filter,
    Question as Question,
    ask as ask,
)
from dialgauge.explore._server import (
    serve as serve,
)
from dialgauge.explore._settings import (
    ExploreSettings as ExploreSettings,
)
