"""chrF and chrF++, for a summary and for a whole system, with the values of sacrebleu."""

from collections.abc import Mapping

import numpy as np

from dialgauge.metrics._case_parameter import CASE, in_case
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Sums, Values
from dialgauge.metrics._overlap import Scorable, computed_from, first_best, scorable
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._tokenize import CHARACTERS, tokens
from dialgauge.metrics.kernels import TargetSets, ngram_match

_WORD_ORDERS = 2
#: sacrebleu's F of an order without n-grams, with smooth=eps.
_EPSILON = 1e-16
#: What is counted for a pair and an order: n-grams of the hypothesis, of the target, and common ones.
_COLUMNS = 3
_UNIT, _READS = "characters", "chrF reads everything but white space"
_TOK = Parameter(
    "chrf",
    ("chrf", "word"),
    "chrf: words between white space, with one punctuation mark split off; word: words by jieba (extra zh)",
)
_ORDER, _ORDERS = r"[1-9]\d?", "a whole number from 1 to 99"
_COMMON = {
    "beta": Parameter(
        "2", (), "how much more recall counts than precision", pattern=r"\d+(\.\d+)?", form="a number, 0 or more"
    ),
    "chars": Parameter("6", (), "longest n-grams of characters", pattern=_ORDER, form=_ORDERS),
    "smooth": Parameter(
        "no",
        ("no", "eps"),
        "no: F of mean precision and recall over the orders that both texts are long enough for; eps: mean of the F of "
        "all orders, as Moses and NLTK compute it",
    ),
    "space": Parameter("drop", ("drop", "keep"), "keep: white space counts as a character"),
    "case": CASE,
}
#: Characters need no tokeniser; the words of chrF++ do.
_PARAMETERS: Mapping[int, Mapping[str, Parameter]] = {
    0: _COMMON,
    _WORD_ORDERS: {
        **_COMMON,
        "words": Parameter("2", (), "longest n-grams of words", pattern=_ORDER, form=_ORDERS),
        "tok": _TOK,
    },
}
_CITATIONS = {
    0: "Popović 2015, chrF: character n-gram F-score for automatic MT evaluation, WMT",
    _WORD_ORDERS: "Popović 2017, chrF++: words helping character n-grams, WMT",
}


def _overlap(job: Job, tokeniser: str, orders: int) -> IdArray:
    """For each pair and order how many n-grams hypothesis, target and both have: an array pairs × orders × 3."""

    def count() -> IdArray:
        units = tokens(job.texts, tokeniser, job.hypothesis_ids, job.target_ids)
        hypotheses = job.pair_hypothesis_ids
        shorter = np.arange(orders)
        result = np.empty((len(hypotheses), orders, _COLUMNS), dtype=np.int64)
        result[..., 0] = np.maximum(units.lengths[hypotheses][:, None] - shorter, 0)
        result[..., 1] = np.maximum(units.lengths[job.target_ids][:, None] - shorter, 0)
        # An order that the target is too short for does not count against the hypothesis.
        result[..., 0][result[..., 1] == 0] = 0
        targets = TargetSets.single(job.target_ids, len(job.texts))
        result[..., 2] = ngram_match(units, hypotheses, targets, orders)
        return result

    return job.memo(("chrf", tokeniser, orders), count)


def _characters(parameters: Mapping[str, str]) -> str:
    """The tokeniser of characters."""
    return in_case(CHARACTERS if parameters["space"] == "drop" else "every-character", parameters)


def _pair_overlaps(job: Job, parameters: Mapping[str, str]) -> IdArray:
    characters = _overlap(job, _characters(parameters), int(parameters["chars"]))
    if "words" not in parameters:
        return characters
    words = in_case("segments:zh" if parameters["tok"] == "word" else "chrf-words", parameters)
    return np.concatenate([characters, _overlap(job, words, int(parameters["words"]))], axis=1)


def _f_scores(overlaps: IdArray, parameters: Mapping[str, str]) -> FloatArray:
    factor = float(parameters["beta"]) ** 2
    return _smoothed_f(overlaps, factor) if parameters["smooth"] == "eps" else _f_of_means(overlaps, factor)


def _smoothed_f(overlaps: IdArray, factor: float) -> FloatArray:
    """The mean over all orders of their F; one without n-grams on a side is next to 0."""
    rows, orders = overlaps.shape[:2]
    total = np.zeros(rows)
    for order in range(orders):
        of_hypothesis, of_target, common = (overlaps[:, order, column] for column in range(_COLUMNS))
        precision = np.divide(common, of_hypothesis, out=np.full(rows, _EPSILON), where=of_hypothesis > 0)
        recall = np.divide(common, of_target, out=np.full(rows, _EPSILON), where=of_target > 0)
        below = factor * precision + recall
        total += np.divide((1 + factor) * precision * recall, below, out=np.full(rows, _EPSILON), where=below > 0)
    return np.asarray(100 * total / orders)


def _f_of_means(overlaps: IdArray, factor: float) -> FloatArray:
    """F of the mean precision and the mean recall over the orders that both sides are long enough for."""
    rows = len(overlaps)
    precision, recall, effective = np.zeros(rows), np.zeros(rows), np.zeros(rows)
    for order in range(overlaps.shape[1]):
        of_hypothesis, of_target, common = (overlaps[:, order, column] for column in range(_COLUMNS))
        both = (of_hypothesis > 0) & (of_target > 0)
        precision += np.divide(common, of_hypothesis, out=np.zeros(rows), where=both)
        recall += np.divide(common, of_target, out=np.zeros(rows), where=both)
        effective += both
    precision /= np.maximum(effective, 1)
    recall /= np.maximum(effective, 1)
    scores = np.divide(
        (1 + factor) * precision * recall,
        factor * precision + recall,
        out=np.zeros(rows),
        where=precision + recall > 0,
    )
    return 100 * scores


def _scorable(job: Job) -> Scorable:
    def look() -> Scorable:
        characters = tokens(job.texts, CHARACTERS, job.hypothesis_ids, job.target_ids)
        return scorable(job, characters, _UNIT, _READS)

    return job.memo("chrf scorable", look)


def _best_pairs(job: Job, scores: FloatArray) -> IdArray:
    return first_best(job, np.where(_scorable(job).pairs, scores, -1))


def _compute_summary(job: Job, parameters: Mapping[str, str]) -> Values:
    scores, usable = _f_scores(_pair_overlaps(job, parameters), parameters), _scorable(job)
    return Values(usable.blank(scores[_best_pairs(job, scores)]), usable.reasons)


def _counts(job: Job, parameters: Mapping[str, str]) -> FloatArray:
    overlaps = _pair_overlaps(job, parameters)
    best = overlaps[_best_pairs(job, _f_scores(overlaps, parameters))]
    flat = best.reshape(len(best), best.shape[1] * _COLUMNS)
    return np.column_stack([_scorable(job).items, flat]).astype(np.float64)


def _of_sums(sums: FloatArray, parameters: Mapping[str, str]) -> FloatArray:
    return _f_scores(sums.astype(np.int64).reshape(len(sums), sums.shape[1] // _COLUMNS, _COLUMNS), parameters)


_SUMS = Sums(_counts, _of_sums)


for _name, _words in (("chrf", 0), ("chrf++", _WORD_ORDERS)):
    _what = "n-grams of 1 to 6 characters" + (" and of 1 to 2 words" if _words else "")
    register(
        Metric(
            name=_name,
            family="chrf",
            description=f"F2 of common {_what}, 0–100",
            direction="higher",
            targets=("reference", "source"),
            range=(0, 100),
            citation=_CITATIONS[_words],
            compute=_compute_summary,
            parameters=_PARAMETERS[_words],
        ),
        Metric(
            name=f"corpus-{_name}",
            family="chrf",
            description=f"F2 of common {_what}, counted over all summaries of a system, 0–100",
            direction="higher",
            targets=("reference", "source"),
            range=(0, 100),
            citation=_CITATIONS[_words],
            compute=computed_from(_SUMS, _UNIT, _READS),
            sums=_SUMS,
            parameters=_PARAMETERS[_words],
            level="system",
        ),
    )
