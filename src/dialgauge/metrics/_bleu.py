"""BLEU-1 to BLEU-4 of a summary and BLEU of a system with the values of sacrebleu, and BLEU as nlg-eval computes it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metrics._case_parameter import CASE, in_case
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Sums, Values
from dialgauge.metrics._overlap import (
    BoolArray,
    Scorable,
    computed_from,
    elementwise,
    exponential,
    scorable,
)
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._tokenize import tokens
from dialgauge.metrics.kernels import TargetSets, Tokens, ngram_match

_ORDERS = 4
_UNIT, _READS = "words", "BLEU splits at white space and punctuation"
#: Tokenizers of ``tok``.
_SPLITS: Mapping[str, str] = {
    "13a": "13a",
    "char": "words:zh",
    "word": "segments:zh",
    "intl": "international",
    "zh": "mteval-zh",
    "none": "whitespace",
}
_TOK = Parameter(
    "13a",
    tuple(_SPLITS),
    "13a: the words of mteval-v13a; intl: as mteval-v14 splits text of any language; none: words between white space; "
    "for Chinese, zh: every Chinese character and the words of others, char: every character, word: words by jieba "
    "(extra zh)",
)
_VALUE = Parameter(
    "auto",
    (),
    "value of smooth=floor and smooth=add-k; auto: 0.1 and 1",
    pattern=r"auto|\d+(\.\d+)?",
    form="'auto' or a number",
)
_FLOOR, _ADDED = 0.1, 1
#: sacrebleu's logarithm of a precision of 0.
_LOG_OF_ZERO = -9999999999.0
#: nlg-eval's constants against division by zero.
_TINY, _SMALL = 1e-15, 1e-9
_SMOOTH = Parameter(
    "exp",
    ("exp", "floor", "add-k", "none", "nlg-eval"),
    "smoothing of orders without a match: exp halves the value each time, floor uses 0.1 matches, add-k adds 1 to the "
    "counts of orders above 1, none gives 0; nlg-eval: that package's BLEU, words between white space, scale 0–1",
)
_CITATION = "Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation, ACL"


@dataclass(frozen=True, slots=True)
class _Statistics:
    """The counts that BLEU is computed from, a row per item or group."""

    lengths: IdArray
    target_lengths: IdArray
    correct: IdArray  # rows × orders
    total: IdArray


@dataclass(frozen=True, slots=True)
class _Precisions:
    """Logarithms of the smoothed precisions summed over the orders 1 … n, and how many orders a row has n-grams for."""

    log_sums: FloatArray  # rows × orders
    reached: IdArray


def _tokeniser(parameters: Mapping[str, str]) -> str:
    return in_case(_SPLITS[parameters["tok"]], parameters)


def _smoothing(parameters: Mapping[str, str]) -> tuple[str, float]:
    """The method, and its value where it has one."""
    method, value = parameters["smooth"], parameters["value"]
    if value != "auto" and method not in ("floor", "add-k"):
        raise ParameterError("metric 'bleu'", "value", f"omitted: smooth={method} has none", value)
    return method, float(value) if value != "auto" else _ADDED if method == "add-k" else _FLOOR


def _check(parameters: Mapping[str, str]) -> None:
    _smoothing(parameters)


def _tokens(job: Job, tokeniser: str) -> Tokens:
    return tokens(job.texts, tokeniser, job.hypothesis_ids, job.target_ids)


def _scorable(job: Job, tokeniser: str) -> Scorable:
    return job.memo(("bleu scorable", tokeniser), lambda: scorable(job, _tokens(job, tokeniser), _UNIT, _READS))


def _item_statistics(job: Job, tokeniser: str, orders: int = _ORDERS) -> _Statistics:
    def count() -> _Statistics:
        words = _tokens(job, tokeniser)
        targets, offsets = _targets_with_words(job, words)
        if len(targets) == len(job):
            sets = TargetSets.single(targets, len(job.texts))
        else:
            sets = TargetSets.several(targets, offsets)
        lengths = words.lengths[job.hypothesis_ids]
        return _Statistics(
            lengths=lengths,
            target_lengths=_closest(lengths, words.lengths[targets], offsets),
            correct=ngram_match(words, job.hypothesis_ids, sets, orders),
            total=np.maximum(lengths[:, None] - np.arange(orders), 0),
        )

    return job.memo(("bleu statistics", tokeniser, orders), count)


def _targets_with_words(job: Job, words: Tokens) -> tuple[IdArray, IdArray]:
    """The targets of each item less those without words, unless none has any."""
    kept = words.lengths[job.target_ids] > 0
    if len(job) == 0 or kept.all():
        return job.target_ids, job.offsets
    kept |= ~np.logical_or.reduceat(kept, job.offsets[:-1])[job.pair_items]
    return job.target_ids[kept], np.concatenate([[0], np.cumsum(kept)])[job.offsets]


def _closest(lengths: IdArray, target_lengths: IdArray, offsets: IdArray) -> IdArray:
    """The target length closest to each hypothesis' length; the shorter of two that are equally close."""
    if len(target_lengths) == len(lengths):
        return target_lengths
    base = target_lengths.max() + 1
    difference = np.abs(np.repeat(lengths, np.diff(offsets)) - target_lengths)
    closest: IdArray = np.minimum.reduceat(difference * base + target_lengths, offsets[:-1]) % base
    return closest


def _brevity_penalty(statistics: _Statistics) -> FloatArray:
    lengths, target_lengths = statistics.lengths, statistics.target_lengths
    penalty = np.where(lengths < target_lengths, 0.0, 1.0)
    short = (lengths < target_lengths) & (lengths > 0)
    penalty[short] = exponential(1 - target_lengths[short] / lengths[short])
    return penalty


def _precisions(statistics: _Statistics, smooth: str, value: float) -> _Precisions:
    rows, orders = statistics.total.shape
    logs = np.full((rows, orders), _LOG_OF_ZERO)
    halving, reached = np.ones(rows), np.zeros(rows, dtype=np.int64)
    alive = np.ones(rows, dtype=bool)
    for n in range(orders):
        added = value if smooth == "add-k" and n else 0
        correct, total = statistics.correct[:, n] + added, statistics.total[:, n] + added
        alive = alive & (total > 0)
        reached[alive] = n + 1
        precision = np.divide(100.0 * correct, total, out=np.zeros(rows), where=alive)
        missed = alive & (correct == 0)
        if smooth == "exp":
            halving[missed] *= 2
            precision[missed] = 100.0 / (halving[missed] * total[missed])
        elif smooth == "floor":
            precision[missed] = 100.0 * value / total[missed]
        positive = precision > 0
        logs[positive, n] = elementwise(math.log, precision[positive])
    # accumulate adds from left to right, as the sum over the orders does.
    return _Precisions(np.add.accumulate(logs, axis=1), reached)


def _scores(statistics: _Statistics, precisions: _Precisions, penalty: FloatArray, orders: IdArray) -> FloatArray:
    """BLEU over the first ``orders`` orders of each row, 0 for a row without a common word."""
    matched: BoolArray = statistics.correct[:, 0] > 0
    scores = np.zeros(len(matched))
    chosen = orders[matched]
    sums = precisions.log_sums[matched, chosen - 1]
    scores[matched] = penalty[matched] * exponential(sums / chosen)
    return scores


def _nlg_eval(job: Job, n: int, tokeniser: str) -> FloatArray:
    statistics = _item_statistics(job, tokeniser)
    product = np.ones(len(job))
    for k in range(n):
        product *= (statistics.correct[:, k] + _TINY) / (statistics.total[:, k] + _SMALL)
    scores = elementwise(lambda value: value ** (1.0 / n), product)
    ratio = (statistics.lengths + _TINY) / (statistics.target_lengths + _SMALL)
    short = ratio < 1
    scores[short] *= exponential(1 - 1 / ratio[short])
    return scores


def _compute_summary(n: int) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        (smooth, value), tokeniser = _smoothing(parameters), _tokeniser(parameters)
        if smooth == "nlg-eval":
            # nlg-eval has no tokenizer: it splits at white space.
            tokeniser = tokeniser.replace("13a", "whitespace")
            usable = _scorable(job, tokeniser)
            return Values(usable.blank(_nlg_eval(job, n, tokeniser)), usable.reasons)
        usable, statistics = _scorable(job, tokeniser), _item_statistics(job, tokeniser)
        key = ("bleu precisions", smooth, value, tokeniser)
        precisions = job.memo(key, lambda: _precisions(statistics, smooth, value))
        penalty = job.memo(("bleu penalty", tokeniser), lambda: _brevity_penalty(statistics))
        scores = _scores(statistics, precisions, penalty, np.minimum(precisions.reached, n))
        return Values(usable.blank(scores), usable.reasons)

    return compute


def _counts(job: Job, parameters: Mapping[str, str]) -> FloatArray:
    tokeniser = _tokeniser(parameters)
    items = _item_statistics(job, tokeniser, int(parameters["order"]))
    usable = _scorable(job, tokeniser).items
    numbers = np.column_stack([usable, items.lengths, items.target_lengths, items.correct, items.total])
    return numbers.astype(np.float64)


def _of_sums(sums: FloatArray, parameters: Mapping[str, str]) -> FloatArray:
    orders, whole = int(parameters["order"]), sums.astype(np.int64)
    statistics = _Statistics(whole[:, 0], whole[:, 1], whole[:, 2 : 2 + orders], whole[:, 2 + orders :])
    precisions = _precisions(statistics, *_smoothing(parameters))
    return _scores(statistics, precisions, _brevity_penalty(statistics), np.full(len(whole), orders))


_SUMS = Sums(_counts, _of_sums)


for _n in range(1, _ORDERS + 1):
    register(
        Metric(
            name=f"bleu-{_n}",
            family="bleu",
            description=(
                f"precision of common n-grams of 1 to {_n} words, with a brevity penalty, 0–100"
                if _n > 1
                else "precision of common words, with a brevity penalty, 0–100"
            ),
            direction="higher",
            targets=("reference", "source"),
            range=(0, 100),
            citation=_CITATION,
            compute=_compute_summary(_n),
            parameters={"smooth": _SMOOTH, "tok": _TOK, "case": CASE, "value": _VALUE},
            check=_check,
        )
    )
register(
    Metric(
        name="corpus-bleu",
        family="bleu",
        description="BLEU counted over all summaries of a system, 0–100",
        direction="higher",
        targets=("reference", "source"),
        range=(0, 100),
        citation=_CITATION,
        compute=computed_from(_SUMS, _UNIT, _READS),
        sums=_SUMS,
        parameters={
            "smooth": Parameter("exp", _SMOOTH.choices[:4], _SMOOTH.help.partition(";")[0]),
            "tok": _TOK,
            "case": CASE,
            "value": _VALUE,
            "order": Parameter("4", tuple("123456789"), "longest n-grams that are counted"),
        },
        check=_check,
        level="system",
    )
)
