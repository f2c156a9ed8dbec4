"""The answers so far, kept in memory for the lead's pages.

Reading them again for each look at the dashboard would take seconds in a large study. Here only the answers that were
saved since the last look are read. Whether that was all is checked by the sum of all revisions; where it was not
(another process wrote, the clock was set back, somebody's answers were erased) everything is read again.
Saving costs nothing more.
"""

import math
import sys
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._library import ItemText, Library
from dialgauge.ratings import UNIT, UnitRatings

#: Answers of so many seconds before the last look are read again: a transaction may have taken that long.
_OVERLAP = 5.0
_STATE = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(t.assignment.c.rev), 0)).where(t.assignment.c.rev > 0)
_PAGES = sa.select(t.page.c.stage, t.page.c.round, sa.func.count()).group_by(t.page.c.stage, t.page.c.round)
_ANSWERS = (
    sa.select(
        t.assignment.c.id,
        t.assignment.c.annotator,
        t.assignment.c.item,
        t.assignment.c.rev,
        t.assignment.c.answer,
        t.assignment.c.complete,
        t.assignment.c.active_ms,
        t.assignment.c.saved,
        t.page.c.stage,
        t.page.c.round,
    )
    .join(t.page, t.page.c.id == t.assignment.c.page)
    .where(t.assignment.c.rev > 0)
)


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer, as far as the lead's pages need it."""

    id: str
    annotator: int
    item: int
    rev: int
    kind: str
    purpose: str
    values: Mapping[str, Any]
    given: str  # the values as a text, which is the same for the same values
    comment: str
    complete: bool
    active_ms: int
    saved: float
    part: tuple[str, int]  # stage and round


@dataclass(slots=True)
class PersonTally:
    """What one annotator has done: complete items that are no checks, active time, and all answers."""

    complete: int = 0
    active_ms: int = 0
    answers: dict[str, Answered] = field(default_factory=dict)


@dataclass(slots=True)
class _Column:
    """The ratings on one dimension: a slot per unit and annotator, NaN where the value was taken back.

    A unit is an item, or a sentence of one (None: the whole).
    """

    units: dict[tuple[int, int | None], int] = field(default_factory=dict)
    slots: dict[tuple[int, int], int] = field(default_factory=dict)
    unit: list[int] = field(default_factory=list)
    annotator: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    part: list[tuple[str, int]] = field(default_factory=list)

    def put(self, answered: "Answered", sentence: int | None, value: float) -> None:
        unit = self.units.setdefault((answered.item, sentence), len(self.units))
        slot = self.slots.setdefault((unit, answered.annotator), len(self.value))
        if slot == len(self.value):
            self.unit.append(unit)
            self.annotator.append(answered.annotator)
            self.value.append(value)
            self.part.append(answered.part)
        else:
            self.value[slot], self.part[slot] = value, answered.part


class Tally:
    """The answers of a project. Use it within ``lock``."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        #: Changes whenever an answer does.
        self.version: tuple[Any, ...] = ()
        self.people: dict[int, PersonTally] = defaultdict(PersonTally)
        self._columns: dict[str, _Column] = defaultdict(_Column)
        self._answers: dict[str, Answered] = {}
        self._revisions = 0
        self._latest = -math.inf
        self._pages: list[Any] = []
        self._arrays: dict[Any, UnitRatings] = {}

    def refresh(self, connection: Connection, library: Library) -> None:
        """Read what was saved since the last time."""
        pages = sorted(tuple(row) for row in connection.execute(_PAGES))
        wanted = tuple(connection.execute(_STATE).one())
        if pages == self._pages and wanted == self._state:
            return
        if pages == self._pages:
            self._read(connection, library, _ANSWERS.where(t.assignment.c.saved >= self._latest - _OVERLAP))
        if pages != self._pages or wanted != self._state:
            self._clear()
            self._read(connection, library, _ANSWERS)
        self._pages, self.version = pages, (*wanted, *map(tuple, pages))
        self._arrays.clear()

    @property
    def _state(self) -> tuple[int, int]:
        return len(self._answers), self._revisions

    def _clear(self) -> None:
        self.people.clear()
        self._columns.clear()
        self._answers.clear()
        self._revisions, self._latest = 0, -math.inf

    def _read(self, connection: Connection, library: Library, query: Any) -> None:
        rows = connection.execute(query).all()
        numbers = list({row.item for row in rows})
        items = dict(zip(numbers, library.items(connection, numbers), strict=True))
        for row in rows:
            known = self._answers.get(row.id)
            if known is None or known.rev != row.rev:
                self._take(_answered(row, items[row.item]))

    def _take(self, new: Answered) -> None:
        old = self._answers.get(new.id)
        self._answers[new.id] = new
        person = self.people[new.annotator]
        person.answers[new.id] = new
        person.active_ms += new.active_ms - (old.active_ms if old else 0)
        person.complete += _counts(new) - (_counts(old) if old else 0)
        self._revisions += new.rev - (old.rev if old else 0)
        self._latest = max(self._latest, new.saved)
        now = dict(ratings_of(new))
        for dimension, sentence in {key for key, _ in ratings_of(old)} - now.keys() if old else ():
            self._columns[dimension].put(new, sentence, math.nan)
        for (dimension, sentence), value in now.items():
            self._columns[dimension].put(new, sentence, value)

    @property
    def dimensions(self) -> list[str]:
        """The dimensions that somebody has rated."""
        return sorted(self._columns)

    def answers(self) -> Collection[Answered]:
        """All answers."""
        return self._answers.values()

    def units(
        self,
        dimension: str,
        names: Mapping[int, str],
        keys: Mapping[int, tuple[str, str, str, str]],
        part: tuple[str, int] | None = None,
    ) -> UnitRatings:
        """The ratings on a dimension as arrays, of the annotators that ``names`` has; of one stage and round or all.

        ``keys`` has the key of the summary of each item. The order is that of the ratings room.
        """
        wanted = (dimension, part, tuple(names), next(iter(keys.values()), None))
        if wanted not in self._arrays:
            self._arrays[wanted] = _arrays(self._columns[dimension], dimension, names, keys, part)
        return self._arrays[wanted]


def _answered(row: Any, item: ItemText) -> Answered:
    values = row.answer["values"]
    given = sys.intern(repr(sorted(values.items())))
    said = (item.kind, item.purpose, values, given, row.answer["comment"])
    done = (row.complete, row.active_ms, row.saved, (row.stage, row.round))
    return Answered(row.id, row.annotator, row.item, row.rev, *said, *done)


def _counts(answered: Answered) -> int:
    return int(answered.complete and answered.purpose in ("main", "adjudication"))


def ratings_of(answered: Answered) -> Iterator[tuple[tuple[str, int | None], float]]:
    """The single ratings of an answer to a real item; sentences count from 1."""
    if answered.purpose != "main" or answered.kind != "rate":
        return
    for name, value in answered.values.items():
        if isinstance(value, list):
            yield from (((name, place), float(one)) for place, one in enumerate(value, 1) if one is not None)
        else:
            yield (name, None), float(value)


def _arrays(
    column: _Column,
    dimension: str,
    names: Mapping[int, str],
    keys: Mapping[int, tuple[str, str, str, str]],
    part: tuple[str, int] | None,
) -> UnitRatings:
    value, who, unit = np.array(column.value), np.array(column.annotator, dtype=np.int64), np.array(column.unit)
    kept = ~np.isnan(value) & np.isin(who, list(names))
    if part is not None:
        kept &= np.array([one == part for one in column.part], dtype=bool)
    value, who, unit = value[kept], who[kept], unit[kept].astype(np.int64)
    rated = np.zeros(len(column.units), dtype=bool)
    rated[unit] = True
    places = sorted(
        (*keys[item], -1 if sentence is None else sentence, number)
        for (item, sentence), number in column.units.items()
        if rated[number]
    )
    rank = np.zeros(len(column.units), dtype=np.int64)
    rank[[place[5] for place in places]] = np.arange(len(places))
    people = sorted(set(who.tolist()), key=lambda number: names[number])
    place_of = np.zeros(max(people, default=0) + 1, dtype=np.int64)
    place_of[people] = np.arange(len(people))
    order = np.argsort(rank[unit] * max(1, len(people)) + place_of[who])
    rows = [(*place[:4], None if place[4] < 0 else place[4], dimension) for place in places]
    schema = dict.fromkeys(UNIT, pl.String) | {"sentence": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    annotators = tuple(names[number] for number in people)
    return UnitRatings(rank[unit][order], place_of[who][order], value[order], frame, annotators)
