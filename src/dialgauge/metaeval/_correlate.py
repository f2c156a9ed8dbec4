"""``correlate``: every metric with every dimension, at every level, with every coefficient, each with its interval."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval._arrays import check_interval
from dialgauge.metaeval._cells import Plan
from dialgauge.metaeval._matrix import Pairing, ScoreMatrix, align
from dialgauge.metaeval._settings import Coefficient, CorrelationSettings, Level
from dialgauge.metaeval._system_metrics import split_metrics, system_matrix
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes
from dialgauge.tables import FrameResult

#: One row of :attr:`Correlations.frame`.
CORRELATIONS = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "direction": pl.String,
        "oriented": pl.Boolean,
        "systems": pl.Int64,
        "dialogues": pl.Int64,
        "missing": pl.Int64,
        "skipped": pl.Int64,
        "undefined": pl.Int64,
        "reason": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Correlations(FrameResult):
    """How well each metric correlates with human ratings.

    ``frame`` has a row per metric, dimension, level and coefficient: ``value`` with its interval ``low``–``high``;
    ``p_value`` of "no correlation" (two-sided, system level only, where the systems are the independent cases);
    ``direction`` of the metric and whether its sign was flipped (``oriented``); how many ``systems`` and
    ``dialogues`` took part and how many of their cells were ``missing``; dialogues ``skipped`` because a vector was
    constant or had fewer than three systems; resamples that were ``undefined``; and the ``reason`` where a number is
    null, or is not what was requested (the interval of a metric that has one value per system).
    ``pairing`` counts the summaries that scores and ratings share. ``settings`` is everything else that was chosen.
    """

    frame: pl.DataFrame
    pairing: Pairing
    systems: tuple[str, ...]
    dialogues: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def table(self, level: Level, coefficient: Coefficient, column: str = "value") -> pl.DataFrame:
        """One level and coefficient as metrics × dimensions."""
        for kind, name in (("level", level), ("coefficient", coefficient)):
            known = self.frame[kind].unique().to_list()
            if name not in known:
                raise UnknownNameError(f"{kind} in these correlations", name, known)
        rows = self.frame.filter(pl.col("level") == level, pl.col("coefficient") == coefficient)
        return rows.pivot("dimension", index="metric", values=column, maintain_order=True)


@with_bar
@takes(CorrelationSettings)
def correlate(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: CorrelationSettings | None = None,
    *,
    systems: pl.DataFrame | None = None,
    dimensions: Sequence[str] | None = None,
    references: Collection[str] = (),
    directions: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Correlations:
    """Correlate metric scores with aggregated ratings, joined by key.

    ``scores`` has the key columns and a column per metric, ``ratings`` the key columns and a column per dimension
    (``aggregate(...).wide()``). ``references`` names the systems that are references; they are left out unless
    ``with_references`` (a reference has the best possible score of every reference-based metric, which moves
    system-level numbers a lot: see :func:`reference_effect`). Metrics whose ``directions`` entry is ``"lower"`` are
    negated first, so that larger means better, unless ``oriented`` is false.

    ``resample`` says what is resampled: ``"systems"``, ``"inputs"``, or ``"both"``; 0 ``resamples`` means no interval.
    Every metric uses the same draws, so adding one changes no other number.

    ``systems`` holds metrics with one value per system (``Scores.systems``: ``system``, ``variant``, ``role`` and a
    column per metric). They take part at system level, with an interval over systems only. One ``role`` is analysed per
    call; left out, it is the only one that was scored and rated, or ``"overall"`` where there are several.

    :func:`evaluate_metrics` answers the whole question for a corpus and its scores.
    """
    asked = CorrelationSettings.chosen(settings, changes, "correlate")
    check_interval(asked.interval, asked.resample)
    if "oriented" in asked.model_fields_set and asked.oriented and directions is None:
        raise ParameterError(
            "correlate", "oriented", "used together with directions (which metrics are better lower)", True
        )
    oriented = asked.oriented and directions is not None
    own, of_systems = split_metrics(scores, systems, asked.metrics)
    matrix = align(
        scores,
        ratings,
        metrics=own,
        dimensions=dimensions,
        without_systems=() if asked.with_references else tuple(references),
        role=asked.role,
        variant=asked.variant,
        no_metrics=bool(of_systems),
    )
    signs = (directions or {}) if oriented else {}
    plans = [Plan(orient(matrix, signs), asked)] if matrix.metrics else []
    if systems is not None and of_systems:
        beside = orient(system_matrix(matrix, systems, of_systems), signs)
        plans.append(Plan(beside, asked, one_per_system=True))
    order = {name: i for i, name in enumerate((*matrix.metrics, *of_systems))}
    direction = pl.col("metric").replace_strict(directions or {}, default="none", return_dtype=pl.String)
    frame = (
        pl.DataFrame(_rows(plans, asked, progress), schema_overrides=CORRELATIONS)
        .with_columns(direction.alias("direction"), pl.lit(oriented).alias("oriented"))
        .select(CORRELATIONS.names())
        .sort(pl.col("metric").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    )
    done_with = asked.model_dump(mode="json", exclude={"metrics", "levels", "coefficients"})
    done_with |= {"references": sorted(references), "oriented": oriented, "role": matrix.pairing.role}
    return Correlations(frame, matrix.pairing, matrix.systems, matrix.dialogues, done_with)


def _rows(plans: Sequence[Plan], asked: CorrelationSettings, progress: Progress | None) -> list[dict[str, Any]]:
    """The numbers of every plan, level by level and coefficient by coefficient."""
    rows: list[dict[str, Any]] = []
    steps = [(level, coefficient) for level in asked.levels for coefficient in asked.coefficients]
    for done, (level, coefficient) in enumerate(steps):
        if progress:
            progress(f"{level} {coefficient}", done, len(steps))
        for plan in plans:
            rows += plan.rows(level, coefficient)
    if progress:
        progress("done", len(steps), len(steps))
    return rows


def orient(matrix: ScoreMatrix, directions: Mapping[str, str]) -> ScoreMatrix:
    """The matrix with the signs of metrics flipped so that larger means better."""
    signs = np.array([-1.0 if directions.get(name) == "lower" else 1.0 for name in matrix.metrics])
    return replace(matrix, scores=matrix.scores * signs[:, None, None])
