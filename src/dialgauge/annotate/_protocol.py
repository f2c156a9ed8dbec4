"""The protocol of a human evaluation: the ``[annotate]`` table of a study file, checked, and the ready protocols."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from dialgauge.annotate._crowd_tables import ConsentTable, CrowdTable, GoldTable, QuizTable
from dialgauge.annotate._known import GoldItem, KnownAnswer, TrainingItem, comparison_problem
from dialgauge.annotate._pair_answers import TieKind, pair_answers
from dialgauge.annotate._table import Table
from dialgauge.errors import DialgaugeError, UnknownNameError
from dialgauge.ratings import Scale, find_scale

Task = Literal["rate", "compare", "best-worst", "write"]
Target = Literal["summary", "summary-sentences", "reference-sentences"]
Language = Literal["en", "zh", "fr", "de", "es", "pt", "ja", "ar"]
#: The dimension that a reviewer of a written summary answers.
ACCEPT = "accept"
#: The ready protocols, by the names that ``protocol`` takes.
READY = ("contact-centre", "csds", "dialsummeval")

#: The most classes of a nominal dimension: each is a button.
_MOST_CLASSES = 11
#: Both sides with so many strengths, and every kind of tie, still have a key each.
_MOST_STRENGTHS = 3
_EQUAL: tuple[TieKind, ...] = ("equal",)

Threshold = Annotated[float, Field(ge=-1, le=1)]
Strength = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^\S(.*\S)?$")]


class Default(Table):
    """A value that a rule sets: shown and logged as a default, and free to be changed."""

    when: Literal["single-sentence"] = "single-sentence"
    value: float
    note: str = ""


class Dimension(Table):
    """One dimension that is rated: its question, its scale with labels, and what it is asked about.

    ``kind = "nominal"`` asks for one of the ``labels``, which have no order; else these name the points of the scale
    from the lowest. ``direction`` says which way is better where the name of the dimension does not.
    """

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w .-]+$")]
    title: str | None = None
    question: str = ""
    scale: str = "1-5"
    labels: list[str] | None = None
    kind: Literal["nominal"] | None = None
    direction: Literal["higher", "lower"] | None = None
    on: Target = "summary"
    default: Default | None = None

    @model_validator(mode="before")
    @classmethod
    def _points_of_labels(cls, given: Any) -> Any:
        """Labels without a scale are the points of one."""
        if isinstance(given, dict) and isinstance(given.get("labels"), list) and "scale" not in given:
            return {**given, "scale": f"1-{len(given['labels'])}"}
        return given

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.name == ACCEPT:
            raise ValueError(f"the name {ACCEPT!r} is reserved for reviews")
        if self.kind == "nominal" and (problem := self._class_problem()):
            raise ValueError(problem)
        try:
            scale = self.points()
        except DialgaugeError as error:
            raise ValueError(str(error)) from error
        if self.default is not None and not allowed(scale, self.default.value):
            raise ValueError(f"default value {self.default.value:g} is not on the scale {scale.name!r}")
        if self.default is not None and self.on != "summary":
            raise ValueError("a default is only allowed for ratings of whole summaries (on = 'summary')")
        return self

    def _class_problem(self) -> str | None:
        """What is wrong with the classes of a nominal dimension."""
        labels = _distinct(self.labels or [], "label")
        if not 2 <= len(labels) <= _MOST_CLASSES:
            return f"kind = 'nominal' needs 2 to {_MOST_CLASSES} labels, the names of the classes; got {len(labels)}"
        if self.scale != f"1-{len(labels)}":
            return "kind = 'nominal' has labels and no scale; leave out scale"
        if self.direction or self.default:
            return (
                f"kind = 'nominal': classes have no order, so leave out {'direction' if self.direction else 'default'}"
            )
        return None

    def points(self) -> Scale:
        """The scale, with the labels of this dimension where it has its own."""
        if self.kind == "nominal" and self.labels:
            return Scale(self.scale, 1, len(self.labels), labels=tuple(self.labels), kind="categorical")
        scale = find_scale(self.scale)
        return scale if self.labels is None else replace(scale, labels=tuple(self.labels))


class AssignmentTable(Table):
    """Who rates what: everyone everything, or ``annotators_per_item`` of all, evenly, whole dialogues at a time."""

    annotators_per_item: Annotated[int, Field(ge=1)] | Literal["all"] = "all"


class PilotTable(Table):
    """A first part that everyone rates; its agreement decides how the study continues.

    ``threshold`` holds for each dimension (or for those of ``dimensions``), or is a table with one per dimension; with
    ``require = "lower-bound"`` the lower end of the interval must reach it. ``below`` and ``reached`` say what happens
    when all have finished it: go on, stop, or ask the lead.
    """

    dialogues: Annotated[int, Field(ge=1)] = 10
    measure: Literal["cohen-kappa", "fleiss-kappa", "krippendorff-alpha"] = "cohen-kappa"
    weights: Literal["none", "linear", "quadratic"] = "none"
    threshold: Threshold | Annotated[dict[str, Threshold], Field(min_length=1)] = 0.41
    dimensions: Annotated[list[str], Field(min_length=1)] | None = None
    require: Literal["value", "lower-bound"] = "value"
    below: Literal["ask", "continue", "stop"] = "ask"
    reached: Literal["ask", "continue"] = "continue"

    def threshold_of(self, dimension: str) -> float | None:
        """What this dimension must reach; None where the gate does not ask for it."""
        if isinstance(self.threshold, dict):
            return self.threshold.get(dimension)
        return self.threshold if self.dimensions is None or dimension in self.dimensions else None

    def gated(self, dimensions: list[Dimension]) -> list[str]:
        """The dimensions that the gate asks for."""
        return [one.name for one in dimensions if self.threshold_of(one.name) is not None]


class TrainingTable(Table):
    """Items with feedback before the real ones.

    Who passes less than ``pass_share`` of them tries again, ``tries`` times in all, and then waits for the lead.
    """

    items: Annotated[list[TrainingItem], Field(min_length=1)]
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    pass_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    tries: Annotated[int, Field(ge=1, le=10)] = 1


class ChecksTable(Table):
    """Attention checks: every N items, a summary that says which point to choose."""

    every: Annotated[int, Field(ge=2)] = 20


class SpanType(Table):
    """A kind of error that is marked in the text."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[\w .-]+$")]
    title: str | None = None
    description: str = ""


def _error_types() -> list[SpanType]:
    return [
        SpanType(name="extrinsic hallucination", description="Says what the dialogue does not say."),
        SpanType(name="wrong reference", description="Gives an action or a place to the wrong person."),
        SpanType(name="incorrect reasoning", description="Draws a conclusion that the dialogue does not support."),
        SpanType(name="omission", description="Leaves out what matters; mark it in the dialogue."),
        SpanType(name="grammar", description="Is not well-formed."),
    ]


def _both_texts() -> list[Literal["summary", "dialogue"]]:
    return ["summary", "dialogue"]


class SpansTable(Table):
    """Errors marked in the summary and in the dialogue they come from. ``severities``: how serious each can be."""

    types: Annotated[list[SpanType], Field(default_factory=_error_types, min_length=1)]
    where: Annotated[list[Literal["summary", "dialogue"]], Field(default_factory=_both_texts, min_length=1)]
    severities: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=40)]], Field(default_factory=list, max_length=9)
    ]

    @field_validator("severities")
    @classmethod
    def _distinct_severities(cls, names: list[str]) -> list[str]:
        return _distinct(names, "severity")


def _dialogue_alone() -> list[Literal["dialogue", "reference"]]:
    return ["dialogue"]


class AnnotateSection(Table):
    """``[annotate]``: the protocol of the human evaluation. ``protocol`` names a ready one to start from.

    Of a pair people can say with ``ties`` that neither is better (a list says which kinds of tie there are), and with
    ``strengths``, named from the least, how much better one is.
    """

    protocol: str | None = None
    title: str | None = None
    annotators: Annotated[list[Name], Field(default_factory=list, max_length=500)]
    language: Language = "en"
    task: Task = "rate"
    show: list[Literal["dialogue", "reference"]] = Field(default_factory=_dialogue_alone)
    arrange: Literal["one", "side-by-side"] = "one"
    passes: Literal["together", "one-dimension"] = "together"
    include_references: bool = False
    systems: Annotated[list[str], Field(min_length=1)] | None = None
    roles: Annotated[list[str], Field(min_length=1)] | None = None
    dialogues: Annotated[int, Field(ge=1)] | None = None
    dialogue_order: Literal["same", "shuffled"] = "same"
    pairs_per_dialogue: Annotated[int, Field(ge=1)] | None = None
    candidates: Annotated[int, Field(ge=3, le=9)] = 4
    ties: bool | list[TieKind] = True
    strengths: Annotated[list[Strength], Field(default_factory=list)]
    comments: bool = True
    review: bool = True
    instructions: str | None = None
    guidelines: str = ""
    dimensions: list[Dimension] = Field(default_factory=list)
    assignment: AssignmentTable = AssignmentTable()
    pilot: PilotTable | None = None
    training: TrainingTable | None = None
    checks: ChecksTable | None = None
    spans: SpansTable | None = None
    consent: ConsentTable | None = None
    quiz: QuizTable | None = None
    gold: GoldTable | None = None
    crowd: CrowdTable | None = None
    link_days: Annotated[int, Field(ge=1, le=3650)] = 30

    @model_validator(mode="before")
    @classmethod
    def _on_ready(cls, given: Any) -> Any:
        """The settings of the ready protocol, overridden by those given here: tables key by key, lists whole."""
        if not isinstance(given, dict) or not isinstance(given.get("protocol"), str):
            return given
        try:
            ready = ready_protocol(given["protocol"])
        except UnknownNameError as error:
            raise ValueError(str(error)) from error
        tables = {
            name: {**ready[name], **table}
            for name, table in given.items()
            if isinstance(table, dict) and isinstance(ready.get(name), dict)
        }
        return {**ready, **given, **tables}

    @field_validator("annotators")
    @classmethod
    def _distinct_people(cls, names: list[str]) -> list[str]:
        if any(map(is_name_of_lead, names)):
            raise ValueError("'lead' is the name of the lead, whose link is not for an annotator; choose another")
        return _distinct(names, "annotator")

    @field_validator("dimensions")
    @classmethod
    def _distinct_dimensions(cls, dimensions: list[Dimension]) -> list[Dimension]:
        _distinct([dimension.name for dimension in dimensions], "dimension")
        return dimensions

    @field_validator("ties")
    @classmethod
    def _distinct_ties(cls, given: bool | list[TieKind]) -> bool | list[TieKind]:
        _distinct([*given] if isinstance(given, list) else [], "tie")
        return given

    @field_validator("strengths")
    @classmethod
    def _some_strengths(cls, names: list[str]) -> list[str]:
        if names and not 2 <= len(names) <= _MOST_STRENGTHS:
            raise ValueError(f"name 2 or {_MOST_STRENGTHS} strengths, the least first; got {len(names)}")
        return _distinct(names, "strength")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        problem = _problem(self)
        if problem:
            raise ValueError(problem)
        return self

    @property
    def pair_answers(self) -> tuple[str, ...]:
        """What can be answered to a pair, in the order of the buttons."""
        kinds = self.ties if isinstance(self.ties, list) else _EQUAL[: int(self.ties)]
        return pair_answers(kinds, self.strengths)

    def dimension(self, name: str) -> Dimension:
        """The dimension of this name."""
        return next(dimension for dimension in self.dimensions if dimension.name == name)


def is_name_of_lead(name: str) -> bool:
    """Whether a person of this name would be taken for the lead where links are given out."""
    return name.strip().casefold() == "lead"


def _distinct(names: list[str], what: str) -> list[str]:
    twice = [name for number, name in enumerate(names) if name in names[:number]]
    if twice:
        raise ValueError(f"the {what} {twice[0]!r} is named twice")
    return names


def _problem(section: AnnotateSection) -> str | None:
    """What is inconsistent, or None."""
    sentences = [dimension.name for dimension in section.dimensions if dimension.on != "summary"]
    per_item = section.assignment.annotators_per_item
    if section.task != "write" and not (section.dimensions or section.spans):
        return "nothing to answer: name at least one of dimensions or spans"
    if sentences and section.task != "rate":
        return f"sentence dimensions need task = 'rate'; the task is {section.task!r}"
    if section.task == "write" and (problem := _writing_problem(section)):
        return problem
    if section.task != "compare" and (section.strengths or isinstance(section.ties, list)):
        return f"strengths and kinds of ties belong to pairs: set task = 'compare'; the task is {section.task!r}"
    if any(dimension.on == "reference-sentences" for dimension in section.dimensions) and (
        "reference" not in section.show
    ):
        return "a dimension on reference-sentences needs show = ['reference'] or ['dialogue', 'reference']"
    if section.checks and section.task == "rate" and all(one.kind == "nominal" for one in section.dimensions):
        return "checks ask for an end of a scale: they need a dimension that is not nominal"
    if section.include_references and "reference" in section.show:
        return "include_references rates the reference like a system, so it cannot be shown beside the summaries"
    if not section.annotators and section.crowd is None:
        return "name at least one of annotators, or a crowd that enrols itself"
    if section.crowd is not None or section.gold is not None:
        return _crowd_problem(section)
    if isinstance(per_item, int) and per_item > len(section.annotators):
        return f"assignment.annotators_per_item is {per_item}, but there are {len(section.annotators)} annotators"
    if section.pilot and len(section.annotators) < 2:
        return "a pilot measures agreement: it needs at least two annotators"
    if section.pilot and (problem := _pilot_problem(section, section.pilot)):
        return problem
    return _expected_problem(section, "training", section.training.items if section.training else ())


def _writing_problem(section: AnnotateSection) -> str | None:
    """What does not go with texts that are written: nobody knows the right one, and there is no summary to mark in."""
    if section.dimensions or section.pilot:
        return "task = 'write' asks for a text: it has neither dimensions nor a pilot"
    if section.training or section.checks:
        return f"{'training' if section.training else 'checks'} need answers that can be right; the task is 'write'"
    if section.spans and "summary" in section.spans.where:
        return "spans: with task = 'write' they are marked in the dialogue; set where = ['dialogue']"
    return None


def _expected_problem(section: AnnotateSection, table: str, items: Sequence[TrainingItem | GoldItem]) -> str | None:
    known = {dimension.name for dimension in section.dimensions if dimension.on == "summary"}
    fewest, most = {"rate": (1, 1), "compare": (2, 2)}.get(section.task, (2, 9))
    for item in items:
        if not fewest <= len(set(item.texts)) == len(item.texts) <= most:
            wanted = {"rate": "one summary (system or summary)", "compare": "two different summaries"}
            return f"{table}: an item of task = {section.task!r} has {wanted.get(section.task, 'different summaries')}"
        for name, value in item.expected.items():
            if name not in known:
                return f"{table}: {UnknownNameError('dimension', name, known)}"
            problem = _answer_problem(section, item, name, value)
            if problem:
                return f"{table}: expected {name} {problem}"
    return None


def _answer_problem(
    section: AnnotateSection, item: TrainingItem | GoldItem, name: str, value: KnownAnswer
) -> str | None:
    if section.task != "rate":
        return comparison_problem(item, value, ends=section.task == "best-worst", answers=section.pair_answers)
    if not isinstance(value, float | int):
        return "must be a point of its scale"
    return None if allowed(section.dimension(name).points(), value) else f"= {value:g} is not on its scale"


def _crowd_problem(section: AnnotateSection) -> str | None:
    crowd, per_item = section.crowd, section.assignment.annotators_per_item
    if crowd is None:
        return "gold needs a crowd: pages with gold items are drawn for those who enrol"
    if section.task == "write" or section.pilot is not None:
        return (
            f"a crowd cannot have {'a pilot' if section.pilot else 'task = write'}; use training, quiz and gold instead"
        )
    if section.annotators:
        return "a crowd enrols itself: leave out annotators; the lead can add adjudicators"
    if per_item == "all" or per_item > crowd.people:
        return f"a crowd needs assignment.annotators_per_item, a number up to crowd.people ({crowd.people})"
    questions = {one.name: one.options for one in (section.consent.questions if section.consent else [])}
    for name, quota in crowd.quotas.items():
        if name not in questions:
            return f"crowd.quotas: {UnknownNameError('question', name, questions)}"
        for answer in quota:
            if answer not in questions[name]:
                return f"crowd.quotas.{name}: {UnknownNameError('answer', answer, questions[name])}"
    return _expected_problem(section, "gold", section.gold.items if section.gold else ()) or _expected_problem(
        section, "training", section.training.items if section.training else ()
    )


def _pilot_problem(section: AnnotateSection, pilot: PilotTable) -> str | None:
    named = pilot.dimensions or []
    if isinstance(pilot.threshold, dict):
        if pilot.dimensions is not None:
            return "pilot: threshold is a table that names dimensions; leave out dimensions"
        named = list(pilot.threshold)
    known = [dimension.name for dimension in section.dimensions]
    unknown = next((name for name in named if name not in known), None)
    return None if unknown is None else f"pilot: {UnknownNameError('dimension', unknown, known)}"


def allowed(scale: Scale, value: float) -> bool:
    """Whether a value is on the scale."""
    if not scale.minimum <= value <= scale.maximum:
        return False
    return scale.step is None or any(abs(value - point) < 1e-9 for point in scale.points)


def ready_protocol(name: str) -> dict[str, Any]:
    """The ``[annotate]`` table of a ready protocol, without its annotators."""
    if name not in READY:
        raise UnknownNameError("protocol", name, READY)
    text = files("dialgauge.annotate").joinpath("examples", f"{name}.toml").read_text("utf-8")
    table: dict[str, Any] = tomllib.loads(text)["annotate"]
    return {key: value for key, value in table.items() if key != "annotators"}
