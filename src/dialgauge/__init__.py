"""dialgauge measures the measures: which metric of dialogue summaries can be trusted, for what, and how much.

The package is a house of rooms (``corpus``, ``metrics``, ``ratings``, ``metaeval`` …), each with its own small face.
The names below are the ones a first script needs; they load on first use, so ``import dialgauge`` stays quick.
"""

from importlib import import_module
from importlib.metadata import version as _distribution_version
from typing import TYPE_CHECKING

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


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'dialgauge' has no attribute {name!r}")
    return getattr(import_module(f"dialgauge.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
