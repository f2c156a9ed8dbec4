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
from dialgauge.explore._profiles import (
    MetricView as MetricView,
    SystemView as SystemView,
    metric_view as metric_view,
    system_view as system_view,
)
from dialgauge.explore._queries import (
    QUESTIONS as QUESTIONS,
    Answer as Answer,
    Filter as Filter,
    Question as Question,
    ask as ask,
    disagreements as disagreements,
    divided as divided,
    extremes as extremes,
    feelings_lost as feelings_lost,
    matching as matching,
    unnoticed as unnoticed,
)
from dialgauge.explore._server import (
    serve as serve,
)
