"""dialgauge measures the measures: which metric of dialogue summaries can be trusted, for what, and how much.

The package is a house of rooms (``corpus``, ``metrics``, ``ratings``, ``metaeval`` …), each with its own small face.
The names below are the ones a first script needs; they load on first use, so ``import dialgauge`` stays quick.
"""

from importlib.metadata import version as _distribution_version
from typing import TYPE_CHECKING

from dialgauge.lazy import lazy_names

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus, read_corpus
    from dialgauge.metrics import Scores, score, score_pairs
    from dialgauge.study import Study, run_study

__version__ = _distribution_version("dialgauge")

__all__ = [
    "Corpus",
    "Dialogue",
    "Scores",
    "Study",
    "Summary",
    "Turn",
    "__version__",
    "embedded_corpus",
    "read_corpus",
    "run_study",
    "score",
    "score_pairs",
]

_HOME = {
    "Corpus": "corpus",
    "Dialogue": "corpus",
    "Summary": "corpus",
    "Turn": "corpus",
    "embedded_corpus": "corpus",
    "read_corpus": "corpus",
    "Scores": "metrics",
    "score": "metrics",
    "score_pairs": "metrics",
    "Study": "study",
    "run_study": "study",
}
__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
