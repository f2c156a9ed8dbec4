from dialgauge.corpus import (
    Corpus as Corpus,
    Dialogue as Dialogue,
    Summary as Summary,
    Turn as Turn,
    embedded_corpus as embedded_corpus,
    read_corpus as read_corpus,
)
from dialgauge.metrics import (
    Scores as Scores,
    score as score,
    score_pairs as score_pairs,
)
from dialgauge.study import (
    Study as Study,
    run_study as run_study,
)

__version__: str
