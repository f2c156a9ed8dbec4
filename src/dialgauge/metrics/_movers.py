"""Sentence Mover's Similarity: e to the minus work of moving the sentences (and words) of one text onto the other's.

A sentence is the mean of its word vectors and weighs as much as it has words; stop words and everything that is not
made of letters are left out.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialgauge.language import find_language, nltk_sentences
from dialgauge.metrics._grouping import best_target
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import model_parameter
from dialgauge.metrics._registry import register
from dialgauge.metrics._treebank import treebank_words
from dialgauge.metrics.kernels import Transport, transport_costs
from dialgauge.models import WordVectors, load_vectors

Units = Literal["sms", "wms", "s+wms"]
#: Beyond this many pairs of units a transport problem takes seconds; such texts are not summaries.
MAX_CELLS = 1 << 20
_JOINED = re.compile(r"(?<=[^\W\d_])[-/](?=[^\W\d_])")


@dataclass(frozen=True, eq=False, slots=True)
class _Units:
    """The sentences or words (or both) of a text with a vector: a row and a weight each."""

    vectors: FloatArray
    weights: FloatArray


def _content_words(sentence: str) -> list[str]:
    """Lower-cased words of letters only, without stop words; what a hyphen or a slash joins is two."""
    words = (part for word in treebank_words(sentence) for part in _JOINED.split(word))
    stop_words = find_language("en").stop_words
    return [word for word in (word.lower() for word in words if word.isalpha()) if word not in stop_words]


def _units(text: str, table: WordVectors, units: Units, keep_unknown: bool) -> _Units:
    sentences = [_content_words(sentence) for sentence in nltk_sentences(" ".join(text.split()))]
    if not keep_unknown:
        sentences = [[word for word in words if word in table] for words in sentences]
    sentences = [words for words in sentences if words]
    counts = Counter(word for words in sentences for word in words)
    vectors: list[FloatArray] = []
    weights: list[float] = []
    vector = {word: table.of([word])[0] if word in table else np.zeros(table.dimensions) for word in counts}
    if units != "wms":
        vectors += [np.mean([vector[word] for word in words], axis=0) for words in sentences]
        weights += [float(len(words)) for words in sentences]
    if units != "sms":
        vectors += [vector[word] for word in counts]
        weights += [float(count) for count in counts.values()]
    return _Units(np.array(vectors).reshape(len(vectors), table.dimensions), np.array(weights) / (sum(weights) or 1.0))


def _compute(units: Units) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        table = load_vectors(parameters["model"])
        keep = parameters["unknown"] == "zero"
        used = np.concatenate([job.hypothesis_ids, job.target_ids])
        found = job.texts.feature(
            ("movers", units, str(table.ref), table.fingerprint, keep),
            used,
            lambda text: _units(text, table, units, keep),
        )
        problems: list[Transport] = []
        places: list[int] = []
        too_large: dict[int, str] = {}
        pairs = np.full(len(job.target_ids), np.nan)
        for pair, (hypothesis, target) in enumerate(
            zip(job.pair_hypothesis_ids.tolist(), job.target_ids.tolist(), strict=True)
        ):
            own, other = found[hypothesis], found[target]
            sizes = len(own.weights), len(other.weights)
            if math.prod(sizes) > MAX_CELLS:
                too_large[pair] = f"{sizes[0]} × {sizes[1]} units exceed the limit of {MAX_CELLS:,} for exact matching"
            elif all(sizes):
                places.append(pair)
                problems.append(Transport(own.weights, other.weights, _distances(own.vectors, other.vectors)))
        pairs[places] = np.exp(-transport_costs(problems))
        return _values(job, pairs, found, too_large)

    return compute


def _distances(own: FloatArray, other: FloatArray) -> FloatArray:
    squared = (own**2).sum(1)[:, None] + (other**2).sum(1)[None] - 2 * own @ other.T
    # Rounding leaves a rest where two vectors are equal.
    squared[squared < 1e-12 * (1 + (own**2).sum(1)[:, None])] = 0.0
    distances: FloatArray = np.sqrt(squared)
    return distances


def _values(job: Job, pairs: FloatArray, found: Mapping[int, _Units], too_large: Mapping[int, str]) -> Values:
    numbers = best_target(job, pairs)
    reasons = {}
    for item in np.flatnonzero(np.isnan(numbers)).tolist():
        several = range(int(job.offsets[item]), int(job.offsets[item + 1]))
        large = [too_large[pair] for pair in several if pair in too_large]
        side = job.target if len(found[int(job.hypothesis_ids[item])].weights) else "summary"
        reasons[item] = large[0] if large else f"the {side} has no word with a vector"
    return Values(numbers, reasons)


_UNITS: Mapping[Units, str] = {"sms": "sentences", "wms": "words", "s+wms": "sentences and words"}

register(
    *(
        Metric(
            name=name,
            family="sms",
            description=f"Mover's similarity of {what}: e to the minus cost of moving one text onto the other.",
            direction="higher",
            targets=("reference", "source"),
            range=(0.0, 1.0),
            citation="Clark et al. 2019, Sentence Mover's Similarity, ACL",
            compute=_compute(name),
            parameters={
                "model": model_parameter(
                    "embedded:glove-50d", "the word vectors (also a GloVe text file or a JSON table)"
                ),
                "unknown": Parameter(
                    "skip",
                    ("skip", "zero"),
                    "words without a vector: skip them, or use the zero vector, as the published program does",
                ),
            },
            models={"model": "vectors"},
        )
        for name, what in _UNITS.items()
    )
)
