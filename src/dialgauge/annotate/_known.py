"""Right answers that are known: those of training items, of hidden gold items and of attention checks.

A study file names a candidate of a comparison by its system, or by its number in the list of the item. Stored are the
ids of summaries, because every annotator sees the candidates in an order of their own.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from dialgauge.annotate._pair_answers import TIE, better_of, is_tie
from dialgauge.annotate._table import Table

Candidate = Annotated[int, Field(ge=1, le=9)] | str


class KnownExtremes(Table):
    """The best and the worst of several candidates, or one of the two."""

    best: Candidate | None = None
    worst: Candidate | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.best is None and self.worst is None:
            raise ValueError("name best or worst or both")
        return self


#: A point of a scale; for pairs the better candidate or a tie; for best-worst the ends.
KnownAnswer = float | str | KnownExtremes
_Several = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=2, max_length=9)]


class GoldItem(Table):
    """Summaries of the corpus whose right answers are known: one (``system``), or several that are compared."""

    dialogue: str
    system: str | None = None
    systems: _Several | None = None
    expected: Annotated[dict[str, KnownAnswer], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.system is None) == (self.systems is None):
            raise ValueError("give system, or systems that are compared")
        return self

    @property
    def texts(self) -> list[str]:
        """What is judged, as the item names it."""
        return self.systems or [str(self.system)]


class TrainingItem(Table):
    """Summaries whose right answers are known: of the corpus (``dialogue`` and ``system``) or given here.

    Where summaries are compared, ``systems`` or ``summaries`` lists them.
    """

    dialogue: str | None = None
    system: str | None = None
    systems: _Several | None = None
    transcript: str | None = None
    summary: str | None = None
    summaries: _Several | None = None
    expected: Annotated[dict[str, KnownAnswer], Field(min_length=1)]
    feedback: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        named, written = (self.dialogue, self.system or self.systems), (self.transcript, self.summary or self.summaries)
        if (None in named or any(written)) and (None in written or any(named)):
            raise ValueError("give dialogue and system, or transcript and summary (systems or summaries to compare)")
        if (self.system and self.systems) or (self.summary and self.summaries):
            raise ValueError("give one summary to rate or several to compare, not both")
        return self

    @property
    def texts(self) -> list[str]:
        """What is judged: names of systems, or the texts themselves."""
        return self.systems or self.summaries or [str(self.system or self.summary)]


def comparison_problem(
    item: TrainingItem | GoldItem, value: KnownAnswer, *, ends: bool, answers: Sequence[str]
) -> str | None:
    """Why this cannot be the right answer of a comparison (``ends``: of best and worst), or None.

    ``answers`` are those that the study offers. ``tie`` is right for each kind of tie.
    """
    if ends != isinstance(value, KnownExtremes):
        return "must be a table with best and worst" if ends else "must name the better one"
    if isinstance(value, KnownExtremes):
        places = [_place(item, one) for one in (value.best, value.worst) if one is not None]
        problem = "best and worst must differ" if len(places) == 2 and places[0] == places[1] else None
    else:
        ties = [*filter(is_tie, answers)]
        places, problem = [] if value in ties or (value == TIE and ties) else [_place(item, value)], None
    if None in places:
        numbers = f"a number from 1 to {len(item.texts)}"
        return f"must be one of its systems or {numbers}" if _names(item) else f"must be {numbers}"
    return problem


def _names(item: TrainingItem | GoldItem) -> list[str]:
    return item.systems or []


def _place(item: TrainingItem | GoldItem, candidate: float | str) -> int | None:
    """The place of a candidate among those of the item, from 0."""
    if isinstance(candidate, str):
        return _names(item).index(candidate) if candidate in _names(item) else None
    return int(candidate) - 1 if candidate in range(1, len(item.texts) + 1) else None


def stored_answer(item: TrainingItem | GoldItem, summaries: Sequence[int]) -> dict[str, Any]:
    """The right answers as an item keeps them; ``summaries`` are the ids of its texts, in its order."""
    return {name: _stored(item, value, summaries) for name, value in item.expected.items()}


def _stored(item: TrainingItem | GoldItem, value: KnownAnswer, summaries: Sequence[int]) -> Any:
    def id_of(candidate: float | str | None) -> int | None:
        place = None if candidate is None else _place(item, candidate)
        return None if place is None else summaries[place]

    if isinstance(value, KnownExtremes):
        return {"best": id_of(value.best), "worst": id_of(value.worst)}
    if len(summaries) == 1 or is_tie(value):
        return value
    return {"best": id_of(value), "worst": next(one for one in summaries if one != id_of(value))}


def failures(
    expected: Mapping[str, Any], values: Mapping[str, Any], tolerance: float, shown: Sequence[int] = ()
) -> list[str]:
    """The dimensions on which an answer is wrong: not the right choice, or further than ``tolerance`` from the point.

    ``shown`` are the ids of the summaries in the order in which this annotator saw them.
    """
    return [
        name
        for name, right in expected.items()
        if (given := values.get(name)) is not None and not _is_right(right, given, tolerance, shown)
    ]


def _is_right(right: Any, given: Any, tolerance: float, shown: Sequence[int]) -> bool:
    if is_tie(right):
        return is_tie(given) if right == TIE else bool(given == right)
    if isinstance(right, Mapping):
        chosen = chosen_ends(given, shown)
        return all(right[end] is None or chosen[end] == right[end] for end in ("best", "worst"))
    every = given if isinstance(given, list) else [given]
    return all(abs(one - right) <= tolerance + 1e-9 for one in every if one is not None)


def chosen_ends(given: Any, shown: Sequence[int]) -> dict[str, int | None]:
    """The ids of the summaries that an answer to a comparison calls best and worst; None for a tie or no answer."""
    if isinstance(given, Mapping):
        return {end: None if given.get(end) is None else shown[given[end] - 1] for end in ("best", "worst")}
    better = better_of(given)
    if better is None:
        return {"best": None, "worst": None}
    return {"best": shown[better - 1], "worst": shown[2 - better]}


def right_answers(expected: Mapping[str, Any], kind: str, shown: Sequence[int]) -> dict[str, Any]:
    """The right answers as this annotator would have given them: by the numbers of what was shown."""
    if kind not in ("compare", "best-worst"):
        return dict(expected)
    return {name: _as_shown(right, kind, shown) for name, right in expected.items()}


def _as_shown(right: Any, kind: str, shown: Sequence[int]) -> Any:
    if is_tie(right):
        return right
    ends = {end: None if right[end] is None else shown.index(right[end]) + 1 for end in ("best", "worst")}
    return ends if kind == "best-worst" else str(ends["best"])
