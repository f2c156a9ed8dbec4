"""Translation edit rate of a summary and of a system, with the values of sacrebleu."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Sums, Values
from dialgauge.metrics._overlap import BoolArray, Scorable, computed_from, scorable
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics._tokenize import tokens
from dialgauge.metrics.kernels import ter_edits

#: Longer texts get no value: a pair could take seconds (sacrebleu itself cannot do a tenth of it).
LONGEST = 50_000
_TOO_LONG = f"the summary or a reference is longer than {LONGEST:,} words"
_UNIT, _READS = "words", "TER splits at white space"

_PARAMETERS = {
    "case": Parameter("lower", ("lower", "keep"), "lower: ignore case; keep: compare words as written"),
    "norm": Parameter(
        "no",
        ("no", "yes"),
        "yes: tercom's normalisation, which joins lines and splits off punctuation; no: split at white space",
    ),
    "punct": Parameter("yes", ("yes", "no"), 'no: remove . , ? : ; ! " ( ) before comparing'),
    "asian": Parameter(
        "no",
        ("no", "yes"),
        "yes: with norm=yes every Chinese character is a word, with punct=no Chinese punctuation is removed as well",
    ),
}
#: Of a single summary only: over a system an empty summary always counts.
_EMPTY = Parameter("none", ("none", "counts"), "an empty summary: no value, or all words of the target missing (100)")
_CITATION = "Snover et al. 2006, A Study of Translation Edit Rate with Targeted Human Annotation, AMTA"

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_SYMBOL = re.compile(r"[ -&(-+/:-@\[-`{-~]")
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])-")
_ASIAN_MARKS = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\u30fb\uff61-\uff65\uff01\uff02\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
)
_ASIAN_MARK = re.compile(f"[{_ASIAN_MARKS}]")
_ASIAN_CHARACTER = re.compile(
    f"[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_MARKS}]"
)
_MARK = re.compile(r"[.,?:;!\"()]")


@dataclass(frozen=True, slots=True)
class _Statistics:
    """The counts that the rate is computed from, for each item."""

    edits: IdArray  # for the reference that needs fewest
    lengths: FloatArray  # words of a reference, the mean over several
    usable: Scorable
    too_long: BoolArray


def _normalise(text: str, asian: bool) -> str:
    """What tercom does to a text before it splits it."""
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ").replace("'s ", " 's ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    text = _HYPHEN_AFTER_DIGIT.sub(r"\1 - ", text)
    return _ASIAN_CHARACTER.sub(r" \g<0> ", text) if asian else text


def _prepare(text: str, parameters: Mapping[str, str]) -> str:
    asian = parameters["asian"] == "yes"
    text = text.rstrip()
    if parameters["case"] == "lower":
        text = text.lower()
    if parameters["norm"] == "yes":
        text = _normalise(text, asian)
    if parameters["punct"] == "no":
        text = _MARK.sub("", text)
        text = _ASIAN_MARK.sub("", text) if asian else text
    return text


def _prepare_target(text: str, parameters: Mapping[str, str]) -> str:
    """Twice, as sacrebleu does with references: the second time splits ``Ann's,``, once its comma stands apart."""
    return _prepare(" ".join(_prepare(text, parameters).split()), parameters)


def _prepared(job: Job, parameters: Mapping[str, str]) -> Job:
    """The job with texts that only want splitting at white space, or at that after lower-casing."""
    if parameters["norm"] == "no" and parameters["punct"] == "yes":
        return job
    settings = tuple(parameters.items())
    new = []
    for side, ids, prepare in (
        ("summary", job.hypothesis_ids, _prepare),
        ("target", job.target_ids, _prepare_target),
    ):
        made = job.texts.feature(("ter text", side, settings), ids, partial(prepare, parameters=parameters))
        new.append(job.texts.intern(made[text_id] for text_id in ids.tolist()))
    return Job(job.texts, job.target, new[0], new[1], job.offsets, job.groups)


def _statistics(job: Job, parameters: Mapping[str, str]) -> _Statistics:
    how = {name: parameters[name] for name in _PARAMETERS}
    return job.memo(("ter", tuple(how.items())), lambda: _count(_prepared(job, how), how["case"]))


def _count(job: Job, case: str) -> _Statistics:
    tokeniser = "whitespace-lower" if case == "lower" else "whitespace"
    words = tokens(job.texts, tokeniser, job.hypothesis_ids, job.target_ids)
    usable = scorable(job, words, _UNIT, _READS)
    if len(job) == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return _Statistics(nothing, np.zeros(0), usable, nothing.astype(bool))
    starts, items, hypotheses = job.offsets[:-1], job.pair_items, job.pair_hypothesis_ids
    with_words = words.lengths[job.target_ids] > 0
    counted = with_words | ~np.logical_or.reduceat(with_words, starts)[items]
    feasible = (words.lengths[hypotheses] <= LONGEST) & (words.lengths[job.target_ids] <= LONGEST)
    edits = np.full(len(items), np.iinfo(np.int64).max)
    chosen = np.flatnonzero(counted & feasible)
    edits[chosen] = ter_edits(words, hypotheses[chosen], job.target_ids[chosen])
    lengths = np.add.reduceat(np.where(counted, words.lengths[job.target_ids], 0), starts)
    return _Statistics(
        edits=np.minimum.reduceat(edits, starts),
        lengths=lengths / np.add.reduceat(counted.astype(np.int64), starts),
        usable=usable,
        too_long=np.logical_or.reduceat(counted & ~feasible, starts),
    )


def _compute_summary(job: Job, parameters: Mapping[str, str]) -> Values:
    statistics = _statistics(job, parameters)
    usable = statistics.usable.items
    if parameters["empty"] == "counts":
        usable = usable | (statistics.lengths > 0)
    scored = usable & ~statistics.too_long
    rates = np.full(len(job), np.nan)
    rates[scored] = 100 * (statistics.edits[scored] / statistics.lengths[scored])
    reasons = {item: reason for item, reason in statistics.usable.reasons.items() if not usable[item]}
    too_long = dict.fromkeys(np.flatnonzero(usable & statistics.too_long).tolist(), _TOO_LONG)
    return Values(rates, reasons | too_long)


def _counts(job: Job, parameters: Mapping[str, str]) -> FloatArray:
    """Lengths are means over several references, and not whole numbers then."""
    found = _statistics(job, parameters)
    edits = np.where(found.too_long, 0, found.edits)
    return np.column_stack([found.usable.items, found.too_long, edits, found.lengths]).astype(np.float64)


def _of_sums(sums: FloatArray, parameters: Mapping[str, str]) -> FloatArray:
    too_long, edits, lengths = sums.T
    scored = (too_long == 0) & (lengths > 0)
    rates = np.full(len(sums), np.nan)
    rates[scored] = 100 * (edits[scored] / lengths[scored])
    return rates


_SUMS = Sums(_counts, _of_sums)


register(
    Metric(
        name="ter",
        family="ter",
        description="edits and block moves that turn the summary into the target, per 100 words of the target",
        direction="lower",
        targets=("reference", "source"),
        range=(0, None),
        citation=_CITATION,
        compute=_compute_summary,
        parameters={**_PARAMETERS, "empty": _EMPTY},
        version="2",
    ),
    Metric(
        name="corpus-ter",
        family="ter",
        description="edits and block moves over all summaries of a system, per 100 words of the targets",
        direction="lower",
        targets=("reference", "source"),
        range=(0, None),
        citation=_CITATION,
        compute=computed_from(_SUMS, _UNIT, _READS, _TOO_LONG),
        sums=_SUMS,
        parameters=_PARAMETERS,
        version="2",
        level="system",
    ),
)
