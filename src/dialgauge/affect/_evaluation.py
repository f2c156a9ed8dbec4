"""Evaluation of a tagger on words with known labels: accuracy, and macro-averaged precision, recall and F1."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialgauge.affect._tagger import LABELS, Tagger, labels_of
from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class WordScores:
    """Shares between 0 and 1; the macro averages weigh each of the three labels alike.

    ``confusion[i][j]`` counts words with the label ``i`` that were called ``j``. A label that is never called has
    precision 0, one that never occurs has recall 0, as in scikit-learn.
    """

    words: int
    accuracy: float
    precision: float
    recall: float
    f1: float
    confusion: tuple[tuple[int, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def evaluate_words(labels: ArrayLike, called: ArrayLike) -> WordScores:
    """Compare predicted labels with the true ones (0 negative, 1 neutral, 2 positive)."""
    true, given = (np.asarray(values, dtype=np.int64).ravel() for values in (labels, called))
    if len(true) != len(given):
        raise InputError(f"{len(true)} true labels but {len(given)} predicted labels")
    if not len(true):
        raise InputError("there are no words to evaluate")
    if min(true.min(), given.min()) < 0 or max(true.max(), given.max()) >= len(LABELS):
        raise InputError(f"labels must be 0 to {len(LABELS) - 1} ({', '.join(LABELS)})")
    size = len(LABELS)
    confusion = np.bincount(true * size + given, minlength=size * size).reshape(size, size)
    hits = np.diag(confusion).astype(np.float64)
    precision, recall = _share(hits, confusion.sum(axis=0)), _share(hits, confusion.sum(axis=1))
    f1 = _share(2 * precision * recall, precision + recall)
    return WordScores(
        words=len(true),
        accuracy=float(hits.sum() / len(true)),
        precision=float(precision.mean()),
        recall=float(recall.mean()),
        f1=float(f1.mean()),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def evaluate_tagger(tagger: Tagger, texts: Sequence[Sequence[str]], labels: Iterable[Sequence[int]]) -> WordScores:
    """Tag sentences of known labels and compare."""
    called = [labels_of(probabilities) for probabilities in tagger.tag(texts)]
    return evaluate_words(np.concatenate([np.asarray(row) for row in labels]), np.concatenate(called))


def _share(part: NDArray[np.float64], whole: NDArray[Any]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return result
