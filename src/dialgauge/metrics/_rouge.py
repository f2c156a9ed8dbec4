"""ROUGE-1 to ROUGE-4, ROUGE-L, ROUGE-Lsum and ROUGE-N of longer sequences, with the values of rouge-score."""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.language import find_language
from dialgauge.metrics._job import Job
from dialgauge.metrics._language_parameter import language_parameter
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._overlap import BoolArray, Scorable, first_best, scorable
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._tokenize import check_tokeniser, tokens
from dialgauge.metrics.kernels import Tokens, lcs_length, lcs_union, overlaps

_Part = Literal["f", "p", "r"]
_ORDERS = 4
ENGLISH = "en"
_KINDS: Mapping[str, str] = {
    "1": "common words",
    "2": "common word pairs",
    "3": "common word triples",
    "4": "common sequences of four words",
    "l": "the longest common subsequence of words",
    "lsum": "the longest common subsequences of words, line by line",
    "n": "common sequences of n words",
}
_CITATION = "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, Text Summarization Branches Out"
_PARTS: Mapping[_Part, str] = {"f": "F1", "p": "precision", "r": "recall"}
_PARAMETERS = {
    "stem": Parameter(
        "no",
        ("no", "yes"),
        "yes: compare words of more than three letters by their stem (Porter; with another lang, Snowball)",
    ),
    "refs": Parameter(
        "best",
        ("best", "mean"),
        "several references: best uses the one with the highest F1, mean averages over all",
    ),
    "tok": Parameter(
        "rouge",
        ("rouge", "char", "word"),
        "rouge: runs of a–z and 0–9 in lower case, with another lang its words; for Chinese, char: every character, "
        "word: words by jieba (extra zh); with these two, a sentence of ROUGE-Lsum also ends after 。！？",
    ),
    "lang": language_parameter(ENGLISH, "the language whose words, and stems with stem=yes, are compared"),
}

#: What only some of them have.
_OWN = {
    "lsum": {
        "lines": Parameter(
            "given", ("given", "sentences"), "given: the lines of the text; sentences: every sentence is a line"
        )
    },
    "n": {"n": Parameter("5", tuple("123456789"), "how many words a sequence has")},
}


def _tokeniser(parameters: Mapping[str, str]) -> str:
    if parameters.get("lines") == "sentences":
        return f"sentences-{parameters['lang']}:{_word_tokeniser(parameters)}"
    return _word_tokeniser(parameters)


def _word_tokeniser(parameters: Mapping[str, str]) -> str:
    tok, lang, stem = parameters["tok"], parameters["lang"], parameters["stem"] == "yes"
    if tok == "rouge":
        if lang == ENGLISH:
            return "rouge-stem" if stem else "rouge"
        return f"stems:{lang}" if stem else f"words:{lang}"
    if stem:
        raise ParameterError("metric 'rouge'", "stem", f"'no' where tok is {tok!r}", "yes")
    # Before the parameter lang existed, tok=word meant Chinese.
    return "words:zh" if tok == "char" else f"segments:{'zh' if lang == ENGLISH else lang}"


def _check(parameters: Mapping[str, str]) -> None:
    check_tokeniser(_tokeniser(parameters))


def _reads(tokeniser: str) -> str:
    """The explanation for a text without tokens."""
    if tokeniser.startswith("sentences-"):
        tokeniser = tokeniser.partition(":")[2]
    if tokeniser.startswith("rouge"):
        return "ROUGE reads a–z and 0–9 only"
    spaced = find_language(tokeniser.partition(":")[2]).spaced
    return "punctuation and white space do not count" if spaced else "white space does not count"


def _tokens(job: Job, tokeniser: str) -> Tokens:
    return job.memo(("tokens", tokeniser), lambda: tokens(job.texts, tokeniser, job.hypothesis_ids, job.target_ids))


def _lcs_lengths(job: Job, tokeniser: str) -> IdArray:
    return job.memo(
        ("rouge-l", tokeniser), lambda: lcs_length(_tokens(job, tokeniser), job.pair_hypothesis_ids, job.target_ids)
    )


def _lcs_hits(job: Job, tokeniser: str) -> IdArray:
    def count() -> IdArray:
        words, hypotheses = _tokens(job, tokeniser), job.pair_hypothesis_ids
        if np.count_nonzero(words.breaks) == np.count_nonzero(words.lengths > 0):  # no text has two lines
            return _lcs_lengths(job, tokeniser)
        lines = words.line_counts()
        # One line on both sides: the union is the LCS itself, and no word of it can be counted twice.
        long = np.flatnonzero((lines[hypotheses] > 1) | (lines[job.target_ids] > 1))
        if len(long) == 0:
            return _lcs_lengths(job, tokeniser)
        if len(long) == len(hypotheses):
            return lcs_union(words, hypotheses, job.target_ids)
        hits = _lcs_lengths(job, tokeniser).copy()
        hits[long] = lcs_union(words, hypotheses[long], job.target_ids[long])
        return hits

    return job.memo(("rouge-lsum", tokeniser), count)


def _measures(job: Job, kind: str, tokeniser: str) -> tuple[Mapping[_Part, FloatArray], int]:
    """Precision, recall and F1 of each pair, in rows for several kinds, and the row of this one."""
    if kind in ("l", "lsum"):
        matches = (_lcs_lengths if kind == "l" else _lcs_hits)(job, tokeniser)
        # The job keeps these counts, so that no others have their id: those of texts of one line are the same for both.
        return job.memo(("rouge measures", id(matches)), lambda: (_measured(job, tokeniser, matches[None], 0), 0))
    orders = max(_ORDERS, int(kind))
    every = job.memo(("rouge measures", orders, tokeniser), lambda: _all_measures(job, tokeniser, orders))
    return every, int(kind) - 1


def _all_measures(job: Job, tokeniser: str, orders: int) -> Mapping[_Part, FloatArray]:
    """Those of n-grams, a row each, and in the last row those of the longest common subsequence, made on the way."""
    counts = overlaps(_tokens(job, tokeniser), job.pair_hypothesis_ids, job.target_ids, orders).T
    lost = np.array([*range(orders), 0])[:, None]  # a text of n words has n - 1 pairs, n - 2 triples …
    measures = _measured(job, tokeniser, counts, lost)
    lengths = job.memo(("rouge-l", tokeniser), lambda: counts[orders])
    job.memo(("rouge measures", id(lengths)), lambda: (measures, orders))
    return measures


def _measured(job: Job, tokeniser: str, matches: IdArray, lost: IdArray | int) -> Mapping[_Part, FloatArray]:
    lengths = _tokens(job, tokeniser).lengths
    precision = matches / np.maximum(lengths[job.pair_hypothesis_ids] - lost, 1)
    recall = matches / np.maximum(lengths[job.target_ids] - lost, 1)
    total = precision + recall
    total += total == 0  # where nothing matches, F1 is 0
    return {"p": precision, "r": recall, "f": 2 * precision * recall / total}


def _scorable(job: Job, tokeniser: str) -> Scorable:
    return job.memo(
        ("rouge scorable", tokeniser),
        lambda: scorable(job, _tokens(job, tokeniser), "words", _reads(tokeniser)),
    )


def _mean(job: Job, per_pair: FloatArray, pairs: BoolArray) -> FloatArray:
    """The mean over the targets that have words."""
    if len(job) == 0:
        return np.zeros(0)
    total = np.add.reduceat(np.where(pairs, per_pair, 0), job.offsets[:-1])
    return total / np.maximum(np.add.reduceat(pairs.astype(np.int64), job.offsets[:-1]), 1)


def _compute(kind: str, part: _Part) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        tokeniser = _tokeniser(parameters)
        measures, row = _measures(job, parameters.get("n", kind), tokeniser)
        numbers, usable = measures[part][row], _scorable(job, tokeniser)
        if parameters["refs"] == "mean":
            numbers = _mean(job, numbers, usable.pairs)
        elif len(job.target_ids) != len(job):
            numbers = numbers[first_best(job, measures["f"][row])]
        return Values(usable.blank(numbers), usable.reasons)

    return compute


for _kind, _what in _KINDS.items():
    for _part, _name in _PARTS.items():
        register(
            Metric(
                name=f"rouge-{_kind}" if _part == "f" else f"rouge-{_kind}-{_part}",
                family="rouge" if _kind != "n" else "rouge-n",
                description=f"{_name} of {_what}",
                direction="higher",
                targets=("reference", "source"),
                range=(0, 1),
                citation=_CITATION,
                compute=_compute(_kind, _part),
                parameters=_PARAMETERS | _OWN.get(_kind, {}),
                check=_check,
            )
        )
