"""The verdict as data: for each metric and dimension, whether the metric can be used, and why."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

import polars as pl

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.tables import FrameResult, notebook_table

#: From best to worst. ``care``: it follows the ratings, and there is a reason not to rely on that alone.
Trust = Literal["use", "care", "do-not-use"]
TRUST: tuple[Trust, ...] = get_args(Trust)
#: What a metric was shown to do: ``order`` (the headline coefficient), ``cells`` (what is left without the means of
#: systems and dialogues).
Shown = Literal["order", "cells"]
Scope = Literal["new systems", "these systems"]

SCHEMA = 1

_NUMBERS = (
    "r",
    "low",
    "high",
    "c",
    "c_low",
    "c_high",
    "r_system",
    "r_global",
    "global_low",
    "global_high",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "p_accuracy",
    "bar",
    "c_bar",
    "p_order",
    "p_cells",
    "r_true",
    "r_true_low",
    "r_true_high",
)
#: One row of :attr:`Verdicts.frame`; ``reasons`` are codes, the one that weighs most first.
VERDICTS = pl.Schema(
    {
        "metric": pl.String(),
        "dimension": pl.String(),
        "verdict": pl.String(),
        **dict.fromkeys(_NUMBERS, pl.Float64()),
        "shown_by": pl.List(pl.String()),
        "scope": pl.String(),
        "among_best": pl.Boolean(),
        "systems": pl.Int64(),
        "dialogues": pl.Int64(),
        "rated": pl.Int64(),
        "reasons": pl.List(pl.String()),
    }
)
#: One row of :attr:`Verdicts.reasons`: a number (``value``) or a name (``text``) behind a reason.
REASONS = pl.Schema(
    {
        "metric": pl.String(),
        "dimension": pl.String(),
        "position": pl.Int64(),
        "code": pl.String(),
        "caps": pl.String(),
        "sentence": pl.String(),
        "name": pl.String(),
        "value": pl.Float64(),
        "text": pl.String(),
    }
)
#: One row of :attr:`Verdicts.dimensions`.
DIMENSIONS = pl.Schema(
    {
        "dimension": pl.String(),
        "verdict": pl.String(),
        "metric": pl.String(),
        "named": pl.Int64(),
        "among_best": pl.Int64(),
        "better": pl.String(),
        "better_said_by": pl.String(),
        "systems": pl.Int64(),
        "dialogues": pl.Int64(),
        "rated": pl.Int64(),
        "summaries": pl.Int64(),
        "raters": pl.Float64(),
        "alpha": pl.Float64(),
        "alpha_low": pl.Float64(),
        "alpha_high": pl.Float64(),
        "reliability": pl.Float64(),
        "ceiling": pl.Float64(),
        "perfect": pl.Float64(),
        "new_rater": pl.Float64(),
        "bar": pl.Float64(),
        "floor": pl.Float64(),
        "best_floor": pl.Float64(),
        "action": pl.String(),
        "action_sentence": pl.String(),
    }
)
#: One row of :attr:`Verdicts.controls`.
CONTROLS = pl.Schema(
    {
        "control": pl.String(),
        "dimension": pl.String(),
        "r": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "c": pl.Float64(),
        "r_system": pl.Float64(),
        "r_global": pl.Float64(),
        "p_order": pl.Float64(),
        "p_cells": pl.Float64(),
        "reason": pl.String(),
    }
)
#: One row of :attr:`Verdicts.needed`: how much of ``what`` there is, and how much would settle it.
NEEDED = pl.Schema(
    {
        "dimension": pl.String(),
        "metric": pl.String(),
        "what": pl.String(),
        "have": pl.Float64(),
        "need": pl.Float64(),
        "for_r": pl.Float64(),
        "sentence": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is not better, or what to know about it.

    ``caps`` is the best verdict that it permits (``use`` for a mere note), ``numbers`` what it rests on.
    """

    code: str
    caps: Trust
    sentence: str
    numbers: Mapping[str, float | str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        kept = {name: value for name, value in self.numbers.items() if isinstance(value, str) or math.isfinite(value)}
        object.__setattr__(self, "numbers", MappingProxyType(kept))


@dataclass(frozen=True, slots=True)
class Verdict:
    """One metric on one dimension.

    ``r`` is the headline coefficient with its bootstrap interval ``low``–``high`` and ``bar`` what it had to reach;
    ``c`` the part that is left without the means of systems and dialogues, with an interval over dialogues and
    ``c_bar``; where there are two systems, there is no ``r``;
    ``r_system`` and ``r_global`` the same coefficient of the systems' means and of all summaries at once;
    ``accuracy`` the share of pairs of systems that metric and people order alike, ties included, over the dialogues,
    with ``p_accuracy`` of its sign test. ``p_order`` and ``p_cells`` are corrected for all metrics and dimensions;
    ``shown_by`` lists those that are small enough, ``scope`` for whom that holds. ``among_best``: not significantly
    worse than the best (None where the metric was not shown to follow the ratings). ``r_true`` is what ``r`` would be
    against ratings without noise, with an interval that counts the uncertainty of both. ``rated`` counts the summaries
    that have both a score and a rating. ``reasons`` begin with those that weigh most.
    """

    metric: str
    dimension: str
    verdict: Trust
    r: float | None = None
    low: float | None = None
    high: float | None = None
    c: float | None = None
    c_low: float | None = None
    c_high: float | None = None
    r_system: float | None = None
    r_global: float | None = None
    global_low: float | None = None
    global_high: float | None = None
    accuracy: float | None = None
    accuracy_low: float | None = None
    accuracy_high: float | None = None
    p_accuracy: float | None = None
    bar: float | None = None
    c_bar: float | None = None
    p_order: float | None = None
    p_cells: float | None = None
    r_true: float | None = None
    r_true_low: float | None = None
    r_true_high: float | None = None
    shown_by: tuple[Shown, ...] = ()
    scope: Scope = "new systems"
    among_best: bool | None = None
    systems: int = 0
    dialogues: int = 0
    rated: int = 0
    reasons: tuple[Reason, ...] = ()

    @property
    def named(self) -> bool:
        """Whether the metric was shown to follow the ratings."""
        return bool(self.shown_by)


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts(FrameResult):
    """Which metrics can be trusted for which dimension.

    ``rows`` has a verdict per metric and dimension, best first within a dimension. ``dimensions`` sums up each
    dimension: the best verdict with its metric, how many were shown to follow the ratings (``named``), which way is
    ``better`` and how that is known, the agreement of the raters, and the one next ``action``. ``controls`` are values
    that know nothing of quality, measured like metrics. ``needed`` says how many more dialogues, systems or raters
    would settle what is open. ``null_runs`` times the ratings were shuffled and everything decided again: in
    ``null_named`` of them some metric came out as ``use`` or ``care``. ``settings`` is everything that was chosen,
    ``notes`` what was assumed.
    """

    rows: tuple[Verdict, ...]
    dimensions: pl.DataFrame
    controls: pl.DataFrame
    needed: pl.DataFrame
    null_runs: int = 0
    null_named: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def null_rate(self) -> float | None:
        """The share of studies with shuffled ratings in which a metric would have been named; None without runs."""
        return self.null_named / self.null_runs if self.null_runs else None

    @property
    def frame(self) -> pl.DataFrame:
        """A row per metric and dimension; reasons as codes."""
        rows = [
            {**_plain(row), "shown_by": list(row.shown_by), "reasons": [reason.code for reason in row.reasons]}
            for row in self.rows
        ]
        return pl.DataFrame(rows, schema=VERDICTS)

    @property
    def reasons(self) -> pl.DataFrame:
        """A row per number behind each reason; a reason without numbers has one row."""
        rows = []
        for row in self.rows:
            for position, reason in enumerate(row.reasons):
                head = (row.metric, row.dimension, position, reason.code, reason.caps, reason.sentence)
                for name, value in reason.numbers.items():
                    rows.append((*head, name, *((None, value) if isinstance(value, str) else (value, None))))
                if not reason.numbers:
                    rows.append((*head, None, None, None))
        return pl.DataFrame(rows, schema=REASONS, orient="row")

    def _repr_html_(self) -> str:
        shown = self.dimensions.select("dimension", "verdict", "metric", pl.col("action_sentence").alias("what to do"))
        return notebook_table("Which metric can be trusted", shown)._repr_html_()

    def of(self, dimension: str) -> list[Verdict]:
        """The verdicts of a dimension, best first."""
        known = self.dimensions["dimension"].to_list()
        if dimension not in known:
            raise UnknownNameError("dimension of these verdicts", dimension, known)
        return [row for row in self.rows if row.dimension == dimension]

    def row(self, metric: str, dimension: str) -> Verdict:
        """One verdict."""
        found = {row.metric: row for row in self.of(dimension)}
        if metric not in found:
            raise UnknownNameError("metric of these verdicts", metric, found)
        return found[metric]

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by the names that they have in a run."""
        return {
            "verdict": self.frame,
            "verdict-reasons": self.reasons,
            "verdict-dimensions": self.dimensions,
            "verdict-controls": self.controls,
            "verdict-needed": self.needed,
        }

    def to_json(self) -> str:
        """Everything, as the text of ``verdict.json``."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``verdict.json`` has it."""
        return {
            "schema": SCHEMA,
            "verdicts": [
                {
                    **_plain(row),
                    "shown_by": list(row.shown_by),
                    "reasons": [{**_plain(reason), "numbers": dict(reason.numbers)} for reason in row.reasons],
                }
                for row in self.rows
            ],
            "dimensions": self.dimensions.to_dicts(),
            "controls": self.controls.to_dicts(),
            "needed": self.needed.to_dicts(),
            "null": {"runs": self.null_runs, "named": self.null_named, "rate": self.null_rate},
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, text: str) -> "Verdicts":
        """Read what :meth:`to_json` wrote."""
        try:
            given = json.loads(text)
        except ValueError as error:
            raise InputError(f"verdict.json: not JSON: {error}") from None
        if not isinstance(given, dict) or given.get("schema") != SCHEMA:
            found = given.get("schema") if isinstance(given, dict) else type(given).__name__
            raise InputError(f"verdict.json: expected schema {SCHEMA}; found {found!r}: rerun the study to renew it")
        try:
            rows = tuple(_verdict(row) for row in given["verdicts"])
            null = given["null"]
            return cls(
                rows,
                pl.DataFrame(given["dimensions"], schema=DIMENSIONS),
                pl.DataFrame(given["controls"], schema=CONTROLS),
                pl.DataFrame(given["needed"], schema=NEEDED),
                null["runs"],
                null["named"],
                given["settings"],
                tuple(given["notes"]),
            )
        except (KeyError, TypeError, pl.exceptions.PolarsError) as error:
            raise InputError(f"verdict.json: damaged ({error}): rerun the study to renew it") from None

    @classmethod
    def from_tables(cls, tables: Mapping[str, pl.DataFrame], **others: Any) -> "Verdicts":
        """From the frames of :meth:`tables`; ``others`` are ``null_runs``, ``null_named``, ``settings``, ``notes``."""
        reasons: dict[tuple[str, str], list[Reason]] = {}
        key = ("metric", "dimension", "position", "code", "caps", "sentence")
        for head, part in tables["verdict-reasons"].group_by(key, maintain_order=True):
            metric, dimension, _, code, caps, sentence = head
            named = part.drop_nulls("name").select("name", "value", "text").iter_rows()
            numbers = {name: value if text is None else text for name, value, text in named}
            reason = Reason(str(code), caps, str(sentence), numbers)
            reasons.setdefault((str(metric), str(dimension)), []).append(reason)
        rows = []
        for row in tables["verdict"].iter_rows(named=True):
            found = tuple(reasons.get((row["metric"], row["dimension"]), ()))
            rows.append(Verdict(**{**row, "shown_by": tuple(row["shown_by"]), "reasons": found}))
        dimensions, controls, needed = (tables[f"verdict-{name}"] for name in ("dimensions", "controls", "needed"))
        return cls(tuple(rows), dimensions, controls, needed, **others)


def worst(caps: Iterable[Trust]) -> Trust:
    """The lowest of some levels; ``use`` where there is none."""
    return max(caps, key=TRUST.index, default="use")


def _plain(row: Verdict | Reason) -> dict[str, Any]:
    return {each.name: getattr(row, each.name) for each in fields(row)}


def _verdict(row: Mapping[str, Any]) -> Verdict:
    reasons = tuple(Reason(**reason) for reason in row["reasons"])
    return Verdict(**{**row, "shown_by": tuple(row["shown_by"]), "reasons": reasons})
