from dialgauge.explore._app import (
    create_app as create_app,
)
from dialgauge.explore._data import (
    RunData as RunData,
)
from dialgauge.explore._dialogue import (
    DialogueView as DialogueView,
)
from dialgauge.explore._dialogue import (
    dialogue_view as dialogue_view,
)
from dialgauge.explore._profiles import (
    MetricView as MetricView,
)
from dialgauge.explore._profiles import (
    SystemView as SystemView,
)
from dialgauge.explore._profiles import (
    metric_view as metric_view,
)
from dialgauge.explore._profiles import (
    system_view as system_view,
)
from dialgauge.explore._queries import (
    QUESTIONS as QUESTIONS,
)
from dialgauge.explore._queries import (
    Answer as Answer,
)
from dialgauge.explore._queries import (
    Filter as Filter,
)
from dialgauge.explore._queries import (
    Question as Question,
)
from dialgauge.explore._queries import (
    ask as ask,
)
from dialgauge.explore._queries import (
    disagreements as disagreements,
)
from dialgauge.explore._queries import (
    divided as divided,
)
from dialgauge.explore._queries import (
    extremes as extremes,
)
from dialgauge.explore._queries import (
    feelings_lost as feelings_lost,
)
from dialgauge.explore._queries import (
    matching as matching,
)
from dialgauge.explore._queries import (
    unnoticed as unnoticed,
)
from dialgauge.explore._server import (
    serve as serve,
)
