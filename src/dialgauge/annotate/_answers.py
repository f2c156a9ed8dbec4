"""Answers: what a save may hold, and what is still missing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from dialgauge.annotate._protocol import ACCEPT, AnnotateSection, Dimension, allowed
from dialgauge.annotate._texts import sentences
from dialgauge.ratings import SCALES, Scale

#: An hour per save is more than anybody spends without saving; more means a wrong clock.
LONGEST_ACTIVE_MS = 3_600_000
#: The most characters of a comment and of a written text. The form knows them too.
LONGEST_COMMENT = 5_000
LONGEST_TEXT = 50_000

#: Parts of a span that only some studies ask for.
OPTIONAL = ("severity", "summary")

Offset = Annotated[int, Field(ge=0, le=10_000_000)]


class Span(BaseModel):
    """A stretch of text that is marked as an error. Offsets count characters (code points) from 0."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    type: Annotated[str, Field(max_length=60)]
    where: Annotated[str, Field(alias="in", pattern="^(summary|dialogue)$")] = "summary"
    turn: Offset | None = None
    start: Offset
    end: Offset
    note: Annotated[str, Field(max_length=2000)] = ""
    severity: Annotated[str, Field(max_length=40)] | None = None
    summary: Annotated[int, Field(ge=1, le=9)] | None = None

    def stored(self) -> dict[str, Any]:
        """The span as the database has it: without what is not asked for here.

        ``severity`` is how serious the error is, ``summary`` the number of the candidate that has it, as it was shown.
        """
        unasked = {name for name in OPTIONAL if getattr(self, name) is None}
        return self.model_dump(by_alias=True, exclude=unasked)


class Extremes(BaseModel):
    """The best and the worst of the summaries shown, counted from 1."""

    model_config = ConfigDict(extra="forbid")

    best: Annotated[int, Field(ge=1, le=9)] | None = None
    worst: Annotated[int, Field(ge=1, le=9)] | None = None


Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Value = Number | str | Extremes | Annotated[list[Number | None], Field(max_length=500)] | None


class Save(BaseModel):
    """One change of one answer. ``key`` is new for each change and the same when it is sent again."""

    model_config = ConfigDict(extra="forbid")

    key: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F-]{32,36}$")]
    rev: Annotated[int, Field(ge=0, le=2_000_000_000)]
    values: Annotated[dict[Annotated[str, Field(max_length=60)], Value], Field(max_length=60)] = {}
    spans: Annotated[list[Span], Field(max_length=500)] = []
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""
    active_ms: Annotated[int, Field(ge=0, le=LONGEST_ACTIVE_MS)] = 0


@dataclass(frozen=True, slots=True)
class Subject:
    """What an answer is about: the kind of item, the texts before the annotator, the dimensions asked there."""

    kind: str
    dimensions: tuple[Dimension, ...]
    summaries: tuple[str, ...]
    reference: str | None
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer as it is stored, or the problems that keep it from being stored."""

    answer: dict[str, Any]
    missing: tuple[str, ...]
    problems: tuple[dict[str, str], ...] = ()


def check_answer(section: AnnotateSection, subject: Subject, save: Save) -> Checked:
    """Validate an answer against the protocol and the texts."""
    problems: list[dict[str, str]] = []
    values: dict[str, Any] = {}
    by_default: list[str] = []
    asked = {dimension.name: dimension for dimension in subject.dimensions}
    names = {ACCEPT} if subject.kind == "review" else set(asked)
    for name in save.values:
        if name not in names:
            problems.append(_problem(f"values.{name}", "is not asked here"))
    for name in names:
        given = save.values.get(name)
        plain = given.model_dump() if isinstance(given, Extremes) else given
        if name in asked and plain is None and (preset := default_of(asked[name], subject)) is not None:
            values[name] = preset
            by_default.append(name)
            continue
        wrong = _wrong(section, subject, asked.get(name), plain)
        if wrong:
            problems.append(_problem(f"values.{name}", wrong))
        elif plain is not None:
            values[name] = plain
    problems += _span_problems(section, subject, save.spans)
    if save.text is not None and subject.kind not in ("write", "review"):
        problems.append(_problem("text", "no text is asked for here"))
    if save.comment and not section.comments:
        problems.append(_problem("comment", "this study does not allow comments"))
    spans = [span.stored() for span in save.spans]
    answer = {"values": values, "spans": spans, "text": save.text, "comment": save.comment, "by_default": by_default}
    return Checked(answer, _missing(subject, names, values, save.text), tuple(problems))


def default_of(dimension: Dimension, subject: Subject) -> float | None:
    """The default value if the rule of the dimension applies to this summary."""
    if dimension.default is None or subject.kind != "rate":
        return None
    return dimension.default.value if len(sentences(subject.summaries[0])) <= 1 else None


def _problem(where: str, message: str) -> dict[str, str]:
    return {"where": where, "message": message}


def _wrong(section: AnnotateSection, subject: Subject, dimension: Dimension | None, value: Any) -> str | None:
    """Why a value is not allowed, or None."""
    if value is None:
        return None
    if subject.kind == "compare":
        choices = section.pair_answers
        return None if value in choices else f"must be one of {', '.join(choices)}"
    if subject.kind == "best-worst":
        return _wrong_extremes(value, len(subject.summaries))
    scale = SCALES["yes/no"] if dimension is None else dimension.points()
    wanted = sentence_count(dimension, subject)
    if wanted is None:
        return _wrong_number(scale, value)
    if not isinstance(value, list) or len(value) != wanted:
        return f"must be a list of {wanted}, one per sentence"
    return next((wrong for one in value if one is not None and (wrong := _wrong_number(scale, one))), None)


def _wrong_number(scale: Scale, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "must be a number"
    return None if allowed(scale, value) else f"{value:g} is not on the scale {scale.name}"


def _wrong_extremes(value: Any, candidates: int) -> str | None:
    if not isinstance(value, dict):
        return "must name best and worst"
    given: list[int] = [value[end] for end in ("best", "worst") if value.get(end) is not None]
    if any(not 1 <= one <= candidates for one in given):
        return f"must be from 1 to {candidates}"
    return "best and worst must differ" if len(given) == 2 and given[0] == given[1] else None


def sentence_count(dimension: Dimension | None, subject: Subject) -> int | None:
    """How many values a dimension needs: None for one for the whole summary."""
    if dimension is None or dimension.on == "summary":
        return None
    text = subject.reference if dimension.on == "reference-sentences" else subject.summaries[0]
    return len(sentences(text or ""))


def _missing(subject: Subject, names: set[str], values: Mapping[str, Any], text: str | None) -> tuple[str, ...]:
    if subject.kind == "write":
        return () if (text or "").strip() else ("text",)
    order = [dimension.name for dimension in subject.dimensions if dimension.name in names] or sorted(names)
    return tuple(name for name in order if not _is_whole(values.get(name)))


def _is_whole(value: Any) -> bool:
    if isinstance(value, list):
        return None not in value
    if isinstance(value, dict):
        return None not in value.values()
    return value is not None


def _span_problems(section: AnnotateSection, subject: Subject, spans: Sequence[Span]) -> list[dict[str, str]]:
    problems = []
    known = {kind.name for kind in section.spans.types} if section.spans else set()
    for number, span in enumerate(spans):
        where = f"spans.{number}"
        if section.spans is None or span.where not in section.spans.where:
            problems.append(_problem(where, f"spans cannot be marked in the {span.where} here"))
            continue
        if span.type not in known:
            problems.append(_problem(where, f"unknown type; known: {', '.join(sorted(known))}"))
        severities: list[str | None] = [*section.spans.severities] or [None]
        if span.severity not in severities:
            asked = ", ".join(section.spans.severities)
            problems.append(_problem(where, f"needs a severity: {asked}" if asked else "no severity is asked for here"))
        if span.where == "dialogue" and (span.turn is None or span.turn >= len(subject.turns)):
            problems.append(_problem(where, "must name a turn of the dialogue"))
            continue
        candidates = len(subject.summaries)
        if (span.summary is None) != (candidates < 2) or (span.summary or 0) > candidates:
            wanted = f"a number from 1 to {candidates}" if candidates > 1 else "without a number"
            problems.append(_problem(where, f"the summary must be {wanted}"))
            continue
        text = subject.turns[span.turn or 0] if span.where == "dialogue" else subject.summaries[(span.summary or 1) - 1]
        if not span.start < span.end <= len(text):
            problems.append(_problem(where, f"start and end must lie within the text of {len(text)} characters"))
    return problems
