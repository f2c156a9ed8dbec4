"""Metrics of word vectors: Embedding Average, Vector Extrema and Greedy Matching.

The words of every distinct text are looked up once; a target is compared with the words of all its summaries at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np

from dialgauge.metrics._grouping import best_target, runs
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import model_parameter
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._treebank import treebank_words
from dialgauge.models import WordVectors, load_vectors

#: Maximum number of similarities of a pair of texts; longer texts are not summaries.
MAX_CELLS = 1 << 22
#: Similarities of a target with several texts that are looked at together.
_GROUP = 1 << 17
#: Multiplications in one product of matrices: larger ones would be shared among threads, which takes longer.
_PRODUCT = 1 << 18
CASE = Parameter("lower", ("lower", "keep"), "lower: look words up in lower case, as in GloVe; keep: as written")


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
        unknown = -1 if parameters["unknown"] == "skip" else len(table.matrix)
        lower = parameters["case"] == "lower"

        # Few words make up most of a text: a small table of those met so far is quicker than the whole one.
        @cache
        def row_of(word: str) -> int:
            return table.rows.get(word, unknown)

        used = np.unique(np.concatenate([job.hypothesis_ids, job.target_ids]))
        rows = job.texts.feature(
            ("vector rows", str(table.ref), table.fingerprint, lower, unknown),
            used,
            lambda text: [row for row in map(row_of, treebank_words(text.lower() if lower else text)) if row >= 0],
        )
        of_texts = [rows[text_id] for text_id in used.tolist()]
        lengths = np.array([len(several) for several in of_texts], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(of_texts), dtype=np.int64, count=int(lengths.sum()))
        distinct, places = _distinct(flat, len(table.matrix) + 1)
        return cls(
            vectors=_rows_of(table, distinct, unknown),
            flat=places,
            starts=np.cumsum(lengths) - lengths,
            lengths=lengths,
            hypothesis_rows=np.searchsorted(used, job.hypothesis_ids),
            target_rows=np.searchsorted(used, job.target_ids),
        )

    def over_words(self, *combine: Callable[[FloatArray, IdArray], FloatArray]) -> tuple[FloatArray, ...]:
        """Each ``combine`` (a ufunc's ``reduceat``) over the words of every text; zeros for a text without words."""
        some = np.flatnonzero(self.lengths)
        starts = self.starts[some]
        results = tuple(np.zeros((self.vectors.shape[1], len(self.lengths))) for _ in combine)
        # One dimension at a time: its numbers stand side by side, and those of all words fit into a processor's cache.
        for dimension, values in enumerate(self.vectors.T) if len(some) else ():
            of_words = values.take(self.flat)
            for result, function in zip(results, combine, strict=True):
                result[dimension, some] = function(of_words, starts)
        return tuple(result.T for result in results)

    def of_row(self, row: int) -> IdArray:
        return self.flat[self.starts[row] : self.starts[row] + self.lengths[row]]


def _distinct(values: IdArray, limit: int) -> tuple[IdArray, IdArray]:
    """The distinct values (all below ``limit``) in their order, and the place of each value among them; no sorting."""
    present = np.zeros(limit, dtype=np.bool_)
    present[values] = True
    distinct = np.flatnonzero(present)
    places = np.empty(limit, dtype=np.int64)
    places[distinct] = np.arange(len(distinct))
    return distinct, places[values]


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
    (total,) = words.over_words(np.add.reduceat)
    return _cosines(job, words, total)


def _extrema(job: Job, parameters: Mapping[str, str]) -> Values:
    words = _Words.of(job, parameters)
    largest, smallest = words.over_words(np.maximum.reduceat, np.minimum.reduceat)
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
    portion = np.cumsum(cells[order]) // _GROUP
    for begin, end in runs(targets[order] * (int(portion.max(initial=0)) + 1) + portion):
        group = order[begin:end]
        pairs[group] = _nearest(words, unit, hypotheses[group], int(targets[group[0]]))
    values = _values(job, words, pairs)
    large = f"the texts have too many words to compare all of them (limit: {MAX_CELLS:,} pairs of words)"
    too_large = {int(item): large for item in job.pair_items[cells > MAX_CELLS] if np.isnan(values.numbers[item])}
    return replace(values, reasons={**values.reasons, **too_large})


def _nearest(words: _Words, unit: FloatArray, hypotheses: IdArray, target: int) -> FloatArray:
    """The mean over both directions for each of these texts and one target; a word that they share is compared once."""
    lengths = words.lengths[hypotheses]
    starts = np.cumsum(lengths) - lengths
    flat = words.flat[np.repeat(words.starts[hypotheses] - starts, lengths) + np.arange(lengths.sum())]
    distinct, places = _distinct(flat, len(unit))
    similar = _products(unit[words.of_row(target)], unit[distinct])
    forth = np.add.reduceat(similar.max(0)[places], starts) / lengths
    back: FloatArray = np.maximum.reduceat(similar.take(places, axis=1), starts, axis=1).mean(0)
    return (forth + back) / 2


def _products(left: FloatArray, right: FloatArray) -> FloatArray:
    """All products of a row of ``left`` with one of ``right``."""
    step = max(1, _PRODUCT // right.size)
    if step >= len(left):
        return left @ right.T
    similar = np.empty((len(left), len(right)))
    for begin in range(0, len(left), step):
        np.matmul(left[begin : begin + step], right.T, out=similar[begin : begin + step])
    return similar


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
    "model": model_parameter("embedded:glove-50d", "the word vectors (also a GloVe text file or a JSON table)"),
    "case": CASE,
    "unknown": Parameter(
        "skip",
        ("skip", "mean"),
        "words without a vector: skip them, or use the mean of the table, as nlg-eval does",
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
            version="2",
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
