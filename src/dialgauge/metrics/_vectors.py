"""Metrics of word vectors: Embedding Average, Vector Extrema and Greedy Matching.

The words of every distinct text are looked up once; a target is compared with all its summaries at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics._grouping import best_target, runs
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import model_parameter
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._treebank import treebank_words
from dialgauge.models import WordVectors, load_vectors

#: Similarities of a pair of texts; longer texts than that are no summaries.
MAX_CELLS = 1 << 22
#: Multiplications in one product of matrices.
_PRODUCT = 1 << 17
CASE = Parameter("lower", ("lower", "keep"), "lower: look words up in lower case, as GloVe has them; keep: as written")


@dataclass(frozen=True, eq=False, slots=True)
class _Words:
    """Row ``r`` of the texts has the words ``flat[starts[r]:starts[r] + lengths[r]]``: rows of ``vectors``."""

    vectors: FloatArray
    flat: IdArray
    starts: IdArray
    lengths: IdArray
    hypothesis_rows: IdArray
    target_rows: IdArray

    @classmethod
    def of(cls, job: Job, parameters: Mapping[str, str]) -> "_Words":
        key = ("word vectors", parameters["model"], parameters["case"], parameters["unknown"])
        return job.memo(key, lambda: cls._build(job, parameters))

    @classmethod
    def _build(cls, job: Job, parameters: Mapping[str, str]) -> "_Words":
        table = load_vectors(parameters["model"])
        unknown = -1 if parameters["unknown"] == "skip" else len(table.rows)
        lower = parameters["case"] == "lower"
        used = np.unique(np.concatenate([job.hypothesis_ids, job.target_ids]))
        rows = job.texts.feature(
            ("vector rows", str(table.ref), table.fingerprint, lower, unknown),
            used,
            lambda text: _look_up(text, table, lower, unknown),
        )
        arrays = [rows[text_id] for text_id in used.tolist()]
        lengths = np.array([len(array) for array in arrays], dtype=np.int64)
        flat = np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)
        distinct, places = np.unique(flat, return_inverse=True)
        return cls(
            vectors=_rows_of(table, distinct, unknown),
            flat=places,
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            hypothesis_rows=np.searchsorted(used, job.hypothesis_ids),
            target_rows=np.searchsorted(used, job.target_ids),
        )

    def over_words(self, combine: Callable[[NDArray[Any], IdArray], FloatArray], vectors: FloatArray) -> FloatArray:
        """``combine`` (a ufunc's ``reduceat``) over the words of each text; zeros for a text without words."""
        some = np.flatnonzero(self.lengths)
        result = np.zeros((len(self.lengths), vectors.shape[1]))
        if len(some):
            result[some] = combine(vectors[self.flat], self.starts[some])
        return result

    def of_row(self, row: int) -> IdArray:
        return self.flat[self.starts[row] : self.starts[row] + self.lengths[row]]


def _look_up(text: str, table: WordVectors, lower: bool, unknown: int) -> IdArray:
    found = table.rows
    rows = [found.get(word, unknown) for word in treebank_words(text.lower() if lower else text)]
    return np.array([row for row in rows if row >= 0], dtype=np.int64)


def _rows_of(table: WordVectors, rows: IdArray, unknown: int) -> FloatArray:
    """The vectors of these rows in double precision; the row after the last is the mean of the table."""
    known = rows[rows != unknown]
    vectors = np.asarray(table.matrix[known], dtype=np.float64).reshape(len(known), table.dimensions)
    if len(known) == len(rows):
        return vectors
    return np.concatenate([vectors, np.asarray(table.matrix, dtype=np.float64).mean(0, keepdims=True)])


def _unit(vectors: FloatArray) -> FloatArray:
    """Vectors of length 1; a zero vector stays, and is similar to nothing."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def _average(job: Job, parameters: Mapping[str, str]) -> Values:
    words = _Words.of(job, parameters)
    return _cosines(job, words, words.over_words(np.add.reduceat, words.vectors))


def _extrema(job: Job, parameters: Mapping[str, str]) -> Values:
    words = _Words.of(job, parameters)
    largest = words.over_words(np.maximum.reduceat, words.vectors)
    smallest = words.over_words(np.minimum.reduceat, words.vectors)
    takes_smallest = np.abs(smallest) >= largest
    if parameters["rule"] == "published":
        takes_smallest |= smallest == 0
    return _cosines(job, words, np.where(takes_smallest, smallest, largest))


def _cosines(job: Job, words: _Words, of_texts: FloatArray) -> Values:
    unit = _unit(of_texts)
    pairs = np.einsum("ij,ij->i", unit[words.hypothesis_rows[job.pair_items]], unit[words.target_rows])
    return _values(job, words, pairs)


def _greedy(job: Job, parameters: Mapping[str, str]) -> Values:
    words = _Words.of(job, parameters)
    unit = _unit(words.vectors)
    hypotheses, targets = words.hypothesis_rows[job.pair_items], words.target_rows
    cells = words.lengths[hypotheses] * words.lengths[targets]
    pairs = np.full(len(targets), np.nan)
    scorable = np.flatnonzero((cells > 0) & (cells <= MAX_CELLS))
    order = scorable[np.argsort(targets[scorable], kind="stable")]
    # A target with many summaries at a time; larger products would be shared among threads, which takes longer.
    portion = np.cumsum(cells[order]) // max(1, _PRODUCT // unit.shape[1])
    for begin, end in runs(targets[order] * (int(portion.max(initial=0)) + 1) + portion):
        group = order[begin:end]
        pairs[group] = _nearest(words, unit, hypotheses[group], int(targets[group[0]]))
    values = _values(job, words, pairs)
    large = f"the texts have too many words to compare all of them (limit: {MAX_CELLS:,} pairs of words)"
    too_large = {int(item): large for item in job.pair_items[cells > MAX_CELLS] if np.isnan(values.numbers[item])}
    return replace(values, reasons={**values.reasons, **too_large})


def _nearest(words: _Words, unit: FloatArray, hypotheses: IdArray, target: int) -> FloatArray:
    """The mean over both directions for each of these texts and one target, by one product of matrices."""
    lengths = words.lengths[hypotheses]
    starts = np.cumsum(lengths) - lengths
    flat = np.concatenate([words.of_row(row) for row in hypotheses.tolist()])
    similar = unit[flat] @ unit[words.of_row(target)].T
    forth = np.add.reduceat(similar.max(1), starts) / lengths
    back: FloatArray = np.maximum.reduceat(similar, starts, axis=0).mean(1)
    return (forth + back) / 2


def _values(job: Job, words: _Words, pairs: FloatArray) -> Values:
    """The best target of each item; an item whose summary or targets have no words has no value."""
    summaries = words.lengths[words.hypothesis_rows] > 0
    targets = words.lengths[words.target_rows] > 0
    pairs = np.where(summaries[job.pair_items] & targets, np.clip(pairs, -1.0, 1.0), np.nan)
    numbers = best_target(job, pairs)
    reasons = {
        item: f"the {job.target if summaries[item] else 'summary'} has no word with a vector"
        for item in np.flatnonzero(np.isnan(numbers)).tolist()
    }
    return Values(numbers, reasons)


PARAMETERS = {
    "model": model_parameter(
        "embedded:glove-50d", "the word vectors (a file of GloVe's text form or a JSON table will do)"
    ),
    "case": CASE,
    "unknown": Parameter(
        "skip",
        ("skip", "mean"),
        "words without a vector: skip them, or give them the mean of the table, as nlg-eval does",
    ),
}
_RULE = Parameter(
    "magnitude",
    ("magnitude", "published"),
    "magnitude: the value furthest from zero; published: 0 wherever the smallest is 0, as in nlg-eval",
)

register(
    *(
        Metric(
            name=name,
            family="vectors",
            description=description,
            direction="higher",
            targets=("reference", "source"),
            range=(-1.0, 1.0),
            citation=citation,
            compute=compute,
            parameters=parameters,
            models={"model": "vectors"},
        )
        for name, description, citation, compute, parameters in (
            (
                "embedding-average",
                "Cosine of the mean word vectors of summary and reference.",
                "Foltz et al. 1998, The Measurement of Textual Coherence with LSA; nlg-eval (Sharma et al. 2017)",
                _average,
                PARAMETERS,
            ),
            (
                "vector-extrema",
                "Cosine of the most extreme value of each dimension over the word vectors of summary and reference.",
                "Forgues et al. 2014, Bootstrapping Dialog Systems with Word Embeddings; nlg-eval (Sharma et al. 2017)",
                _extrema,
                {**PARAMETERS, "rule": _RULE},
            ),
            (
                "greedy-matching",
                "Mean cosine of each word to its nearest word in the other text, both directions averaged.",
                "Rus and Lintean 2012, A Comparison of Greedy and Optimal Assessment of Natural Language Student Input",
                _greedy,
                PARAMETERS,
            ),
        )
    )
)
