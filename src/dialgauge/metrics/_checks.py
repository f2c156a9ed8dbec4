"""Checks as metrics: the probability that a summary is right, by all checks or by one group of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from dialgauge.checks import (
    VECTORS,
    CheckedSummary,
    Group,
    Weights,
    check_many,
    default_weights,
    evidence_note,
    read_weights,
    refusal,
)
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._questions import PARSER
from dialgauge.metrics._readings import EMPTY, EMPTY_SOURCE, Pair, Pairs, Reading, blank, in_parts, values
from dialgauge.metrics._registry import register

_PAIRS_AT_ONCE = 256
#: How a note begins that is evidence in JSON, not a remark for people.
EVIDENCE_BEGINS = '[{"sentence": '
_FAMILY = "checks"
_WHAT: Mapping[Group, str] = {
    "numbers": "amounts, times, dates, phone numbers and ids that the dialogue does not have",
    "names": "names that the dialogue does not mention",
    "negation": "negations that the dialogue does not have, and agreement to what was declined",
    "speakers": "deeds and words of one speaker that are another's",
}
_PARAMETERS = {
    "parser": PARSER,
    "vectors": Parameter(
        VECTORS, (), "the word vectors that find words of like meaning: embedded:NAME or folder:/path"
    ),
    "weights": Parameter(
        "", (), "a file with weights of your own; empty: those of the package", path=lambda value: value or None
    ),
}


@lru_cache(maxsize=4)
def _weights(path: str) -> Weights:
    return read_weights(Path(path)) if path else default_weights()


def _signed(path: str) -> str:
    return _weights(path).version


def _checked(job: Job, parameters: Mapping[str, str]) -> Sequence[CheckedSummary | Reading]:
    """The pairs of a job, checked once for all metrics of the family."""

    def refused(pair: Pair) -> Reading | None:
        summary, source = pair
        if blank(summary) or blank(source):
            return EMPTY if blank(summary) else EMPTY_SOURCE
        why = refusal(source, summary)
        return None if why is None else Reading(reason=why)

    def read(pairs: Sequence[Pair]) -> list[CheckedSummary | Reading]:
        refusals = [refused(pair) for pair in pairs]
        checked = check_many(
            [(source, summary) for (summary, source), why in zip(pairs, refusals, strict=True) if why is None],
            weights=_weights(parameters["weights"]),
            parser=parameters["parser"],
            vectors=parameters["vectors"],
        )
        return [next(checked) if why is None else why for why in refusals]

    pairs = Pairs.of(job).texts
    return job.memo(("checks", *parameters.values()), lambda: in_parts(pairs, _PAIRS_AT_ONCE, read))


def _compute(group: Group | None, job: Job, parameters: Mapping[str, str]) -> Values:
    readings = []
    for one in _checked(job, parameters):
        if isinstance(one, Reading):
            readings.append(one)
        elif group is None:
            readings.append(Reading(one.p_right, note=evidence_note(one)))
        else:
            readings.append(Reading(one.parts[f"{_FAMILY}-{group}"] or 0.0))
    return values(job, readings)


def _declared(name: str, description: str, compute: Callable[[Job, Mapping[str, str]], Values]) -> Metric:
    return Metric(
        name=name,
        family=_FAMILY,
        description=description,
        direction="higher",
        targets=("source",),
        range=(0, 1),
        citation="dialgauge's own; docs/consistency.md",
        compute=compute,
        parameters=_PARAMETERS,
        cost="medium",
        extra="parser",
        models={"parser": "parser", "vectors": "vectors"},
        signatures={"weights": _signed},
        version="3",
    )


register(
    _declared(
        "checks",
        "the probability that a summary is right, by its values, names, negations and speakers; notes hold evidence",
        partial(_compute, None),
    ),
    *(
        _declared(f"{_FAMILY}-{group}", f"checks that look only for {what}", partial(_compute, group))
        for group, what in _WHAT.items()
    ),
)
