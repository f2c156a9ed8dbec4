"""What the lead's pages read: the answers with names, keys and agreement, each computed once per change."""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._judgements import chosen_as_ratings
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._results import results, system_codes
from dialgauge.annotate._tally import Tally, ratings_of
from dialgauge.corpus import KEY, RATINGS
from dialgauge.ratings import (
    AgreementSettings,
    OutlierSettings,
    Scale,
    UnitRatings,
    live_agreement,
    live_outliers,
    unit_ratings,
)

Made = TypeVar("Made")
#: Key of a summary: dialogue, system (its code while the lead is blinded), variant, role.
SummaryKey = tuple[str, str, str, str]

#: How often slow things are computed at most, in seconds.
SELDOM = 60.0
#: Enough resamples for an interval on a page; a finer one can be computed from exports.
RESAMPLES = 200
_MEASURES = ("krippendorff-alpha", "cohen-kappa", "fleiss-kappa")


class Desk:
    """The state of a study for its leads. Views are made within ``tally.lock`` after ``refresh``."""

    def __init__(self, project: Project, library: Library) -> None:
        self.project, self.library, self.tally = project, library, Tally()
        self.names: dict[int, str] = {}
        self.codes: dict[str, str] = {}
        self.keys: dict[int, SummaryKey] = {}
        self._known_items = -1
        #: For how many seconds slow things are good although something has changed.
        self.patience = SELDOM
        self._made: dict[str, tuple[Any, Any]] = {}
        self._made_at: dict[str, float] = {}

    def refresh(self, connection: Connection) -> None:
        """Read what has changed."""
        self.tally.refresh(connection, self.library)
        rows = connection.execute(sa.select(t.annotator).order_by(t.annotator.c.id)).all()
        self.names = {row.id: row.name for row in rows if row.counts}
        codes = system_codes(connection, self.project)
        items = connection.execute(sa.select(sa.func.count()).select_from(t.item)).scalar_one()
        if codes != self.codes or items != self._known_items:
            self.codes, self._known_items = codes, items
            self.keys = _summary_keys(connection, self.library, codes)

    @property
    def version(self) -> tuple[Any, ...]:
        """Changes whenever something does that agreement depends on."""
        return (*self.tally.version, tuple(self.names.items()), tuple(self.codes.items()))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What ``make`` makes, made again only when something has changed."""
        return self.once_for(name, self.version, make)

    def seldom(self, name: str, make: Callable[[], Made]) -> Made:
        """What ``make`` makes, for what is slow: made again when something has changed and ``patience`` is over."""
        if name in self._made and time.monotonic() - self._made_at[name] < self.patience:
            made: Made = self._made[name][1]
            return made
        made = self.once(name, make)
        self._made_at[name] = time.monotonic()
        return made

    def once_for(self, name: str, state: Any, make: Callable[[], Made]) -> Made:
        """What ``make`` makes, made again only when ``state`` is another."""
        if name not in self._made or self._made[name][0] != state:
            self._made[name] = (state, make())
        made: Made = self._made[name][1]
        return made

    def units(self, connection: Connection, part: tuple[str, int] | None = None) -> dict[str, UnitRatings]:
        """The answers on each dimension, of one stage and round or of all.

        A unit is a summary or a sentence of one; a pair, whose answer is one of two or a tie; or a candidate among
        others, which is best, worst or neither.
        """
        if self.project.section.task == "rate":
            return {name: self.tally.units(name, self.names, self.keys, part) for name in self.tally.dimensions}
        # By true names, which order the two of a pair, so that a blinded lead sees the value that the export will have.
        named = {name: name for name in self.codes}
        frame = self.once("frame", lambda: results(connection, self.project, self.library, named).comparisons)
        if part is not None:
            frame = frame.filter((pl.col("stage") == part[0]) & (pl.col("round") == part[1]))
        chosen = chosen_as_ratings(frame)
        names = sorted(chosen["dimension"].unique())
        pairs = self.project.section.task == "compare"
        return {name: unit_ratings(chosen.filter(pl.col("dimension") == name), two_sided=pairs) for name in names}

    def timed_ratings(self) -> pl.DataFrame:
        """The ratings of summaries with their times. Comparisons have no time of their own and are not among them."""
        scales = {one.name: one.points().name for one in self.project.section.dimensions}
        rows = [
            (*self.keys[one.item], self.names[one.annotator], dimension, sentence, value, scales[dimension], one.saved)
            for one in self.tally.answers()
            if one.annotator in self.names
            for (dimension, sentence), value in ratings_of(one)
        ]
        columns = zip(*rows, strict=True) if rows else [()] * len(_TIMED)
        frame = pl.DataFrame(dict(zip(_TIMED, map(list, columns), strict=True)), schema=_TIMED)
        moments = (pl.col("time") * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us"))
        comment = pl.lit(None, pl.String).alias("comment")
        return frame.with_columns(moments.alias("time"), comment).select(RATINGS.names())

    def agreement(self, connection: Connection) -> list[dict[str, Any]]:
        """Agreement per dimension."""

        def make() -> list[dict[str, Any]]:
            settings = AgreementSettings(measures=_MEASURES, resamples=RESAMPLES, seed=self.project.seed)
            rows = []
            for name, given in self.units(connection).items():
                if len(given.annotators) > 1:
                    found = live_agreement(given, scale_kind(self.project, name), settings)
                    rows += [{"dimension": name, **row} for row in found]
            return [{column: row[column] for column in _AGREEMENT_COLUMNS} for row in rows]

        return self.once("agreement", make)

    def outliers(self, connection: Connection) -> list[dict[str, Any]]:
        """Agreement without each annotator, per dimension."""

        def make() -> list[dict[str, Any]]:
            rows = []
            for name, given in self.units(connection).items():
                level: Any = "nominal" if scale_kind(self.project, name) == "categorical" else "interval"
                settings = OutlierSettings(resamples=RESAMPLES, seed=self.project.seed, level=level)
                if len(given.annotators) > 2:
                    rows += [{"dimension": name, **row} for row in live_outliers(given, settings)]
            return [{column: row[column] for column in _OUTLIER_COLUMNS} for row in rows]

        return self.once("outliers", make)

    def disagreements(self, connection: Connection, most: int) -> list[dict[str, Any]]:
        """The units with the largest spread of ratings, with their texts."""
        if self.project.section.task != "rate":
            return []

        def make() -> list[dict[str, Any]]:
            scales = {one.name: one.points() for one in self.project.section.dimensions}
            units = self.units(connection).items()
            found = [one for name, given in units for one in _widest(name, given, scales[name], most)]
            item_of = {key: item for item, key in self.keys.items()}
            rows = [{"item": item_of[row.pop("key")], **row} for row in sorted(found, key=_by_spread)[:most]]
            return [{**row, **self._texts(connection, row["item"])} for row in rows]

        return self.once("disagreements", make)

    def _texts(self, connection: Connection, item: int) -> dict[str, Any]:
        (found,) = self.library.items(connection, [item])
        (number,) = connection.execute(sa.select(t.item.c.summaries).where(t.item.c.id == item)).scalar_one()
        dialogue = self.library.dialogue(connection, found.dialogue)
        transcript = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in dialogue.turns)
        (summary,) = self.library.summaries(connection, [number])
        return {"dialogue_id": dialogue.dialogue_id, "dialogue": transcript, "text": summary.text}


_TIMED = {
    **{name: RATINGS[name] for name in (*KEY, "annotator", "dimension", "sentence", "value", "scale")},
    "time": pl.Float64(),
}
_AGREEMENT_COLUMNS = ("dimension", "measure", "setting", "value", "low", "high", "verdict", "units", "note")
_OUTLIER_COLUMNS = ("annotator", "dimension", "alpha", "alpha_without", "rise", "outlier", "note")


def scale_kind(project: Project, dimension: str) -> Any:
    """What the numbers of a dimension mean; those of comparisons are names."""
    section = project.section
    return section.dimension(dimension).points().kind if section.task == "rate" else "categorical"


def _summary_keys(connection: Connection, library: Library, codes: Mapping[str, str]) -> dict[int, SummaryKey]:
    query = (
        sa.select(t.item.c.id, t.item.c.summaries, t.dialogue.c.dialogue_id)
        .join(t.dialogue, t.dialogue.c.id == t.item.c.dialogue)
        .where(t.item.c.purpose == "main", t.item.c.kind == "rate")
    )
    rows = connection.execute(query).all()
    texts = library.summaries(connection, [row.summaries[0] for row in rows])
    return {
        row.id: (row.dialogue_id, codes[text.system], text.variant, text.role)
        for row, text in zip(rows, texts, strict=True)
    }


def _widest(dimension: str, given: UnitRatings, scale: Scale, most: int) -> list[dict[str, Any]]:
    """The units of one dimension with the largest spread; classes have names, and no two are further apart."""
    if not len(given.unit):
        return []
    starts = np.flatnonzero(np.r_[True, np.diff(given.unit) > 0])
    spread = np.maximum.reduceat(given.value, starts) - np.minimum.reduceat(given.value, starts)
    named = scale.kind == "categorical"
    spread = np.minimum(spread, 1.0) if named else spread
    order = np.argsort(-spread, kind="stable")[:most]
    ends = np.append(starts[1:], len(given.unit))
    rows = []
    for place in order[spread[order] > 0]:
        inside = slice(starts[place], ends[place])
        *key, sentence, _ = given.units.row(int(given.unit[starts[place]]))
        ratings = [
            {
                "annotator": given.annotators[who],
                "value": float(value),
                "label": scale.label(float(value)) if named else None,
            }
            for who, value in zip(given.annotator[inside], given.value[inside], strict=True)
        ]
        shown = {"system": key[1], "dimension": dimension, "sentence": sentence, "spread": float(spread[place])}
        rows.append({"key": tuple(key), **shown, "ratings": ratings})
    return rows


def _by_spread(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (-row["spread"], row["key"], row["dimension"], row["sentence"] or 0)
