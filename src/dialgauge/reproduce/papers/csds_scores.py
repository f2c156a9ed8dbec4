"""ROUGE and BLEU of Chinese summaries exactly as the CSDS corpus published them.

Every character is a token, punctuation too; a sentence ends after ``。``. ROUGE is that of the Perl program
ROUGE-1.5.5, down to what it reports as the average: not the mean of the summaries, but the mean of the means of 1,000
bootstrap samples drawn with Perl's random numbers. That moves a value by up to 0.03 points, and most printed digits
depend on it.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels import TargetSets, Tokens, lcs_union, ngram_match

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: The study's scripts wrote this character as their sentence separator, so it never reached ROUGE as a token.
_SEPARATOR = "%"
_BOOTSTRAP = 1000


def published_rouge(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """R1, R2 and RL in per cent: F1 of each summary to five places, averaged as ROUGE-1.5.5 does."""
    tokens = _characters([*hypotheses, *references], sentences=True)
    first, second = _sides(len(hypotheses))
    matches = ngram_match(tokens, first, TargetSets.single(second, len(tokens.lengths)), 2)
    matches = np.column_stack([matches, lcs_union(tokens, first, second)])
    weights = _bootstrap_weights(len(hypotheses))
    lengths = tokens.lengths
    return {
        name: 100 * float(weights @ _f1(matches[:, column], lengths[first] - less, lengths[second] - less))
        for name, column, less in (("R1", 0, 0), ("R2", 1, 1), ("RL", 2, 0))
    }


def published_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of the corpus in per cent, characters as tokens, n-grams up to 4, unsmoothed (0 if one has no match)."""
    tokens = _characters([*hypotheses, *references], sentences=False)
    first, second = _sides(len(hypotheses))
    matches = ngram_match(tokens, first, TargetSets.single(second, len(tokens.lengths)), 4).sum(axis=0)
    # A summary too short for an n-gram counts as having one: that is how NLTK, which the study used, counts.
    totals = [int(np.maximum(tokens.lengths[first] - less, 1).sum()) for less in range(4)]
    if not matches.all():
        return 0.0
    precision = math.fsum(math.log(m / total) for m, total in zip(matches.tolist(), totals, strict=True)) / 4
    brevity = min(0.0, 1 - int(tokens.lengths[second].sum()) / int(tokens.lengths[first].sum()))
    return 100 * math.exp(precision + brevity)


def _sides(n: int) -> tuple[IntArray, IntArray]:
    return np.arange(n, dtype=np.int64), np.arange(n, 2 * n, dtype=np.int64)


def _characters(texts: Sequence[str], *, sentences: bool) -> Tokens:
    """Characters as tokens; with ``sentences`` each sentence begins a line and the separator is no token."""
    lines = [_sentences(text) if sentences else [text] for text in texts]
    flat = [line for text in lines for line in text]
    ids = np.frombuffer("".join(flat).encode("utf-32-le"), dtype=np.int32)
    ends = np.cumsum([len(line) for line in flat], dtype=np.int64)
    breaks = np.zeros(len(ids) + 1, dtype=np.uint8)
    breaks[ends], breaks[0] = 1, 1
    lengths = np.array([sum(map(len, text)) for text in lines], dtype=np.int64)
    return Tokens(ids, breaks[:-1], np.cumsum(lengths) - lengths, lengths, 0x110000)


def _sentences(text: str) -> list[str]:
    marked = "".join(text.split()).replace("。", "。" + _SEPARATOR)
    return [part for part in marked.split(_SEPARATOR) if part]


def _f1(matches: IntArray, of_hypothesis: IntArray, of_reference: IntArray) -> FloatArray:
    total = np.maximum(of_hypothesis, 0) + np.maximum(of_reference, 0)
    f1: FloatArray = np.where(total > 0, 2.0 * matches / np.maximum(total, 1), 0.0)
    return np.round(f1, 5)


def perl_random(seeds: IntArray) -> Iterator[FloatArray]:
    """What Perl's ``rand`` gives after ``srand`` with each of these seeds, number after number: drand48."""
    state = (seeds.astype(np.uint64) << np.uint64(16)) + np.uint64(0x330E)
    while True:
        state = (state * np.uint64(0x5DEECE66D) + np.uint64(0xB)) & np.uint64(2**48 - 1)
        yield state / 2.0**48


@cache
def _bootstrap_weights(n: int) -> FloatArray:
    """The weight of each item in ROUGE-1.5.5's average: how often its bootstrap draws the item.

    The samples do not depend on the values, so their mean is one weighted mean. Sample i is drawn after ``srand(i)``.
    Perl sorts the items as text twice: by the names of their files (0, 1, 10, 100, …), which numbers them from 1, and
    then by these numbers.
    """
    drawn = np.zeros(n, dtype=np.int64)
    for numbers in itertools.islice(perl_random(np.arange(_BOOTSTRAP)), n):
        drawn += np.bincount((numbers * n).astype(np.int64), minlength=n)
    number = {item: str(position) for position, item in enumerate(sorted(range(n), key=lambda i: f"{i}.txt"), start=1)}
    weights: FloatArray = np.zeros(n)
    weights[sorted(range(n), key=number.__getitem__)] = drawn / drawn.sum()
    return weights
