"""Statistics of a summary: its length and how much it repeats itself."""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.language import find_language, split_sentences
from dialgauge.metrics._metric import FloatArray, Metric, Values
from dialgauge.metrics._registry import register
from dialgauge.metrics._words import LANGUAGE, WORD_PARAMETERS, JobWords, count_words, split_words

if TYPE_CHECKING:
    from dialgauge.metrics._job import Job

FAMILY = "statistics"
#: ``redundancy-l`` compares all pairs of sentences; a text with more sentences is not a summary.
MAX_SENTENCES = 1000


def _length(job: "Job", parameters: Mapping[str, str]) -> Values:
    words = count_words(job, parameters)
    return Values(words.lengths[words.hypothesis_rows].astype(np.float64))


def _sentences(job: "Job", parameters: Mapping[str, str]) -> Values:
    lang = parameters["lang"]
    split = find_language(lang).sentences if lang else split_sentences
    counts = job.texts.feature(("statistics sentences", lang), job.hypothesis_ids, lambda text: len(split(text)))
    return Values(np.array([counts[text_id] for text_id in job.hypothesis_ids.tolist()], dtype=np.float64))


def _distinct_and_repeated(words: JobWords, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each row: how many n-grams there are, how many distinct ones, and how many of those occur more than once."""
    grams, rows, count = words.grams(n), words.rows_of_words(), len(words.lengths)
    inside = grams >= 0
    width = int(grams.max(initial=0)) + 1
    keys, occurrences = np.unique(rows[inside] * width + grams[inside], return_counts=True)
    row_of_key = keys // width
    distinct = np.bincount(row_of_key, minlength=count)
    repeated = np.bincount(row_of_key[occurrences > 1], minlength=count)
    total = np.maximum(words.lengths - n + 1, 0)
    return total.astype(np.float64), distinct.astype(np.float64), repeated.astype(np.float64)


def _per_summary(n: int, value: Callable[..., FloatArray]) -> "Callable[[Job, Mapping[str, str]], Values]":
    """A compute function: ``value(total, distinct, repeated)``, NaN for summaries of fewer than ``n`` words."""

    def compute(job: "Job", parameters: Mapping[str, str]) -> Values:
        words = count_words(job, parameters)
        total, distinct, repeated = _distinct_and_repeated(words, n)
        with np.errstate(invalid="ignore", divide="ignore"):
            numbers = np.where(total > 0, value(total, distinct, repeated), np.nan)[words.hypothesis_rows]
        return Values(numbers, dict.fromkeys(np.flatnonzero(np.isnan(numbers)).tolist(), too_short(n)))

    return compute


def too_short(n: int) -> str:
    """Why there is no share of n-grams."""
    return "the summary has no words" if n == 1 else f"the summary has fewer than {n} words"


def _redundancy_l(job: "Job", parameters: Mapping[str, str]) -> Values:
    tok, case, lang = parameters["tok"], parameters["case"], parameters["lang"]
    split = find_language(lang).sentences if lang else split_sentences

    def highest(text: str) -> float | str:
        sentences = [words for part in split(text) if (words := split_words(part, tok, case, lang))]
        if not sentences:
            return too_short(1)
        if len(sentences) > MAX_SENTENCES:
            return f"the summary has {len(sentences)} sentences; at most {MAX_SENTENCES} are compared"
        return _highest_rouge_l(sentences)

    found = job.texts.feature(("redundancy-l", tok, case, lang), job.hypothesis_ids, highest)
    results = [found[text_id] for text_id in job.hypothesis_ids.tolist()]
    numbers = np.array([np.nan if isinstance(result, str) else result for result in results], dtype=np.float64)
    return Values(numbers, {i: result for i, result in enumerate(results) if isinstance(result, str)})


def _highest_rouge_l(sentences: list[list[str]]) -> float:
    """The highest F1 of the longest common subsequence over all pairs of sentences; 0 where there is one sentence."""
    from rapidfuzz.distance import LCSseq

    distinct = sorted({tuple(sentence) for sentence in sentences}, key=len)
    if len(distinct) < len(sentences):
        return 1.0
    highest = 0.0
    for shorter, longer in combinations(distinct, 2):
        both = len(shorter) + len(longer)
        # A pair whose lengths alone keep it below the best so far needs no comparison.
        if 2 * len(shorter) > highest * both:
            highest = max(highest, 2 * LCSseq.similarity(shorter, longer) / both)
    return highest


register(
    Metric(
        name="length",
        family=FAMILY,
        description="Number of words in the summary.",
        direction="none",
        targets=("none",),
        range=(0.0, None),
        citation="Fabbri et al. 2021, SummEval, TACL 9 (statistics of the toolkit)",
        compute=_length,
        parameters=WORD_PARAMETERS,
    ),
    Metric(
        name="sentences",
        family=FAMILY,
        description="Number of sentences of the summary with at least one word; a line break ends a sentence.",
        direction="none",
        targets=("none",),
        range=(0.0, None),
        citation="a count; the rule is in dialgauge's documentation",
        compute=_sentences,
        parameters={"lang": LANGUAGE},
    ),
    *(
        Metric(
            name=f"redundancy-{n}",
            family=FAMILY,
            description=f"Share of the distinct {n}-grams of the summary that occur more than once.",
            direction="lower",
            targets=("none",),
            range=(0.0, 1.0),
            citation="Fabbri et al. 2021, SummEval, TACL 9 (repeated n-grams)",
            compute=_per_summary(n, lambda total, distinct, repeated: repeated / distinct),
            parameters=WORD_PARAMETERS,
        )
        for n in (1, 2, 3)
    ),
    Metric(
        name="redundancy-l",
        family=FAMILY,
        description="Highest ROUGE-L F1 between two sentences of the summary; 0 if it has one sentence.",
        direction="lower",
        targets=("none",),
        range=(0.0, 1.0),
        citation="Carbonell and Goldstein 1998, MMR, SIGIR (highest similarity to another sentence); Lin 2004, ROUGE",
        compute=_redundancy_l,
        parameters=WORD_PARAMETERS,
    ),
    *(
        Metric(
            name=f"repetition-{n}",
            family=FAMILY,
            description=f"1 − distinct-{n}: share of the {n}-grams of the summary that repeat an earlier one.",
            direction="lower",
            targets=("none",),
            range=(0.0, 1.0),
            citation="Li et al. 2016, A Diversity-Promoting Objective Function, NAACL (distinct-n)",
            compute=_per_summary(n, lambda total, distinct, repeated: 1 - distinct / total),
            parameters=WORD_PARAMETERS,
        )
        for n in (1, 2, 3)
    ),
)
