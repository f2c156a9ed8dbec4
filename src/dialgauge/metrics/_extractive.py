"""How much a summary copies from its source: compression, extractive fragments (coverage, density), novel n-grams."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._registry import register
from dialgauge.metrics._text_statistics import FAMILY, too_short
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._words import WORD_PARAMETERS, JobWords, count_words

if TYPE_CHECKING:
    from dialgauge.metrics._job import Job

_GRUSKY = "Grusky et al. 2018, Newsroom, NAACL"
_COUNT = Parameter(
    "tokens",
    ("tokens", "types"),
    "tokens: every n-gram of the summary counts as often as it occurs; types: each distinct one once",
)


class _Substrings:
    """All word sequences of one text as a suffix automaton: built in linear time, then queried for longest matches."""

    def __init__(self, words: list[int]) -> None:
        transitions: list[dict[int, int]] = [{}]
        links = [-1]
        lengths = [0]
        last = 0
        for word in words:
            current = len(transitions)
            transitions.append({})
            lengths.append(lengths[last] + 1)
            links.append(0)
            state = last
            while state >= 0 and word not in transitions[state]:
                transitions[state][word] = current
                state = links[state]
            if state >= 0:
                after = transitions[state][word]
                if lengths[after] == lengths[state] + 1:
                    links[current] = after
                else:
                    clone = len(transitions)
                    transitions.append(dict(transitions[after]))
                    lengths.append(lengths[state] + 1)
                    links.append(links[after])
                    links[after] = links[current] = clone
                    while state >= 0 and transitions[state].get(word) == after:
                        transitions[state][word] = clone
                        state = links[state]
            last = current
        self._transitions = transitions

    def fragments(self, words: list[int]) -> list[int]:
        """The lengths of the extractive fragments: from left to right, the longest run that the text holds."""
        transitions = self._transitions
        found: list[int] = []
        position, end = 0, len(words)
        while position < end:
            start, state = position, 0
            while position < end and (following := transitions[state].get(words[position])) is not None:
                state = following
                position += 1
            if position > start:
                found.append(position - start)
            else:
                position += 1
        return found


def _fragment_sums(job: "Job", words: JobWords) -> tuple[FloatArray, FloatArray]:
    """For each pair the sum of its fragments' lengths, and of their squares."""
    rows = words.hypothesis_rows[job.pair_items]
    plain, squared = np.zeros(len(rows)), np.zeros(len(rows))
    by_target = np.argsort(words.target_rows, kind="stable")
    targets = words.target_rows[by_target]
    # One automaton at a time: those of a whole corpus would fill the memory.
    for block in np.split(by_target, np.flatnonzero(np.diff(targets)) + 1) if len(targets) else []:
        substrings = _Substrings(words.row(int(words.target_rows[block[0]])))
        for pair in block.tolist():
            lengths = substrings.fragments(words.row(int(rows[pair])))
            plain[pair] = sum(lengths)
            squared[pair] = sum(length * length for length in lengths)
    return plain, squared


def _share(job: "Job", words: JobWords, n: int, parts: FloatArray, wholes: FloatArray) -> Values:
    """The mean of ``parts / wholes`` over those targets of an item that have words.

    NaN with a reason where the summary has fewer than ``n`` words or no target has any.
    """
    has_words = words.lengths[words.target_rows] > 0
    shares = np.divide(parts, wholes, out=np.zeros(len(parts)), where=has_words & (wholes > 0))
    usable = np.bincount(job.pair_items, weights=has_words, minlength=len(job))
    sums = np.bincount(job.pair_items, weights=shares, minlength=len(job))
    reasons = dict.fromkeys(np.flatnonzero(usable == 0).tolist(), f"the {job.target} has no words")
    reasons |= dict.fromkeys(np.flatnonzero(words.lengths[words.hypothesis_rows] < n).tolist(), too_short(n))
    numbers = sums / np.maximum(usable, 1)
    numbers[list(reasons)] = np.nan
    return Values(numbers, reasons)


def _per_word(job: "Job", words: JobWords, per_pair: FloatArray) -> Values:
    return _share(job, words, 1, per_pair, words.lengths[words.hypothesis_rows[job.pair_items]].astype(np.float64))


def _coverage(job: "Job", parameters: Mapping[str, str]) -> Values:
    words, (plain, _) = _words_and_fragments(job, parameters)
    return _per_word(job, words, plain)


def _density(job: "Job", parameters: Mapping[str, str]) -> Values:
    words, (_, squared) = _words_and_fragments(job, parameters)
    return _per_word(job, words, squared)


def _words_and_fragments(job: "Job", parameters: Mapping[str, str]) -> tuple[JobWords, tuple[FloatArray, FloatArray]]:
    words = count_words(job, parameters)
    return words, job.memo(("fragments", *parameters.values()), lambda: _fragment_sums(job, words))


def _compression(job: "Job", parameters: Mapping[str, str]) -> Values:
    words = count_words(job, parameters)
    return _per_word(job, words, words.lengths[words.target_rows].astype(np.float64))


def _novel(n: int) -> "Callable[[Job, Mapping[str, str]], Values]":
    def compute(job: "Job", parameters: Mapping[str, str]) -> Values:
        words = count_words(job, parameters)
        pairs, novel = _novel_grams(job, words, n, types=parameters["count"] == "types")
        size = len(job.target_ids)
        grams = np.bincount(pairs, minlength=size).astype(np.float64)
        return _share(job, words, n, np.bincount(pairs[novel], minlength=size).astype(np.float64), grams)

    return compute


def _novel_grams(job: "Job", words: JobWords, n: int, *, types: bool) -> tuple[IdArray, NDArray[np.bool_]]:
    """Every n-gram of every pair's summary: the pair it belongs to, and whether the pair's target lacks it."""
    grams = words.grams(n)
    width = int(grams.max(initial=0)) + 1
    rows = words.hypothesis_rows[job.pair_items]
    counts = np.maximum(words.lengths[rows] - n + 1, 0)
    pairs = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
    summary_grams = grams[words.starts[rows][pairs] + within]
    if types:
        keys = np.unique(pairs * width + summary_grams)
        pairs, summary_grams = keys // width, keys % width
    is_target = np.zeros(len(words.lengths), dtype=bool)
    is_target[words.target_rows] = True
    rows_of_words = words.rows_of_words()
    kept = is_target[rows_of_words] & (grams >= 0)
    held = np.unique(rows_of_words[kept] * width + grams[kept])
    wanted = words.target_rows[pairs] * width + summary_grams
    place = np.minimum(np.searchsorted(held, wanted), max(len(held) - 1, 0))
    novel = held[place] != wanted if len(held) else np.ones(len(wanted), dtype=bool)
    return pairs, novel


register(
    Metric(
        name="compression",
        family=FAMILY,
        description="Words of the source per word of the summary.",
        direction="none",
        targets=("source", "reference"),
        range=(0.0, None),
        citation=_GRUSKY,
        compute=_compression,
        parameters=WORD_PARAMETERS,
    ),
    Metric(
        name="coverage",
        family=FAMILY,
        description="Share of the summary's words that lie in extractive fragments of the source.",
        direction="none",
        targets=("source", "reference"),
        range=(0.0, 1.0),
        citation=_GRUSKY,
        compute=_coverage,
        parameters=WORD_PARAMETERS,
    ),
    Metric(
        name="density",
        family=FAMILY,
        description="Mean length of the extractive fragment that a word of the summary lies in.",
        direction="none",
        targets=("source", "reference"),
        range=(0.0, None),
        citation=_GRUSKY,
        compute=_density,
        parameters=WORD_PARAMETERS,
    ),
    *(
        Metric(
            name=f"novel-{n}",
            family=FAMILY,
            description=f"Share of the summary's {n}-grams that do not occur in the source.",
            direction="none",
            targets=("source", "reference"),
            range=(0.0, 1.0),
            citation="See et al. 2017, Get To The Point, ACL; Narayan et al. 2018, XSum, EMNLP",
            compute=_novel(n),
            parameters={**WORD_PARAMETERS, "count": _COUNT},
        )
        for n in (1, 2, 3, 4)
    ),
)
