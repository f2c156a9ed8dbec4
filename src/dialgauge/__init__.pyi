from dialgauge.corpus import (
    Corpus as Corpus,
)
from dialgauge.corpus import (
    Dialogue as Dialogue,
)
from dialgauge.corpus import (
    Summary as Summary,
)
from dialgauge.corpus import (
    Turn as Turn,
)
from dialgauge.corpus import (
    embedded_corpus as embedded_corpus,
)
from dialgauge.corpus import (
    read_corpus as read_corpus,
)
from dialgauge.metrics import (
    Scores as Scores,
)
from dialgauge.metrics import (
    score as score,
)
from dialgauge.metrics import (
    score_pairs as score_pairs,
)
from dialgauge.study import (
    Study as Study,
)
from dialgauge.study import (
    run_study as run_study,
)

__version__: str
