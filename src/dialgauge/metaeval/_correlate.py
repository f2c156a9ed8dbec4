"""``correlate``: every metric with every dimension, at every level, with every coefficient, each with its interval."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval._arrays import check_interval
from dialgauge.metaeval._cells import Plan
from dialgauge.metaeval._matrix import Pairing, ScoreMatrix, align
from dialgauge.metaeval._names import (
    COEFFICIENTS,
    LEVELS,
    RESAMPLES,
    Coefficient,
    Interval,
    Level,
    Resample,
    check_name,
    check_names,
    check_resampling,
)
from dialgauge.metaeval._system_metrics import split_metrics, system_matrix
from dialgauge.progress import Progress

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
class Correlations:
    """How far each metric agrees with people.

    ``frame`` has a row per metric, dimension, level and coefficient: ``value`` with its interval ``low``–``high``;
    ``p_value`` of "no correlation" (two-sided, system level only, where the systems are the independent cases);
    ``direction`` of the metric and whether the sign was turned for it (``oriented``); how many ``systems`` and
    ``dialogues`` took part and how many of their cells were ``missing``; dialogues ``skipped`` because a vector was
    constant or had fewer than three systems; resamples that were ``undefined``; and the ``reason`` where a number is
    null, or is not what was asked for (the interval of a metric that has one value per system).
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


def correlate(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    systems: pl.DataFrame | None = None,
    levels: str | Sequence[str] = ("system", "summary"),
    coefficients: str | Sequence[str] = ("pearson", "spearman", "kendall"),
    metrics: Sequence[str] | None = None,
    dimensions: Sequence[str] | None = None,
    references: Collection[str] = (),
    with_references: bool = False,
    directions: Mapping[str, str] | None = None,
    oriented: bool = False,
    resamples: int = 1000,
    resample: Resample = "both",
    interval: Interval = "percentile",
    confidence: float = 0.95,
    epsilon: float | str = "calibrated",
    seed: int = 0,
    role: str | None = None,
    variant: str = ORIGINAL,
    progress: Progress | None = None,
) -> Correlations:
    """Correlate metric scores with aggregated ratings, joined by key.

    ``scores`` has the key columns and a column per metric, ``ratings`` the key columns and a column per dimension
    (``aggregate(...).wide()``). ``references`` names the systems that are references; they are left out unless
    ``with_references`` (a reference has the best possible score of every reference-based metric, which moves
    system-level numbers a lot: see :func:`reference_effect`). Values keep the sign of the metric as it is; with
    ``oriented`` the metrics whose ``directions`` entry is ``"lower"`` are negated first, so that larger means better.

    ``resample`` says what a new study would draw anew: ``"systems"``, ``"inputs"``, or ``"both"``; 0 ``resamples``
    means no interval. Every metric sees the same draws, so adding one changes no other number.

    ``systems`` holds metrics with one value per system (``Scores.systems``: ``system``, ``variant``, ``role`` and a
    column per metric). They take part at system level, with an interval over systems only. One ``role`` is analysed per
    call; left out, it is the only one that was scored and rated, or ``"overall"`` where there are several.
    """
    chosen_levels = check_names("level", levels, LEVELS)
    chosen = check_names("coefficient", coefficients, COEFFICIENTS)
    check_name("resample", resample, RESAMPLES)
    check_resampling("correlate", resamples, confidence, seed)
    if oriented and directions is None:
        raise ParameterError(
            "correlate", "oriented", "used together with directions (which metrics are better lower)", True
        )
    left_out = () if with_references else tuple(references)
    own, of_systems = split_metrics(scores, systems, metrics)
    matrix = align(
        scores,
        ratings,
        metrics=own,
        dimensions=dimensions,
        without_systems=left_out,
        role=role,
        variant=variant,
        no_metrics=bool(of_systems),
    )
    check_interval(interval, resample)
    signs = (directions or {}) if oriented else {}
    drawn = (resamples, resample, interval, confidence, seed, epsilon)
    plans = [Plan(orient(matrix, signs), *drawn)] if matrix.metrics else []
    if systems is not None and of_systems:
        beside = orient(system_matrix(matrix, systems, of_systems), signs)
        plans.append(Plan(beside, *drawn, one_per_system=True))
    rows: list[dict[str, Any]] = []
    steps = [(level, coefficient) for level in chosen_levels for coefficient in chosen]
    for done, (level, coefficient) in enumerate(steps):
        if progress:
            progress(f"{level} {coefficient}", done, len(steps))
        for plan in plans:
            rows += plan.rows(level, coefficient)
    if progress:
        progress("done", len(steps), len(steps))
    settings = {
        "resample": resample,
        "resamples": resamples,
        "interval": interval,
        "confidence": confidence,
        "seed": seed,
        "references": sorted(references),
        "with_references": with_references,
        "oriented": oriented,
        "epsilon": epsilon,
        "role": matrix.pairing.role,
        "variant": variant,
    }
    order = {name: i for i, name in enumerate((*matrix.metrics, *of_systems))}
    direction = pl.col("metric").replace_strict(directions or {}, default="none", return_dtype=pl.String)
    frame = (
        pl.DataFrame(rows, schema_overrides=CORRELATIONS)
        .with_columns(direction.alias("direction"), pl.lit(oriented).alias("oriented"))
        .select(CORRELATIONS.names())
        .sort(pl.col("metric").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    )
    return Correlations(frame, matrix.pairing, matrix.systems, matrix.dialogues, settings)


def orient(matrix: ScoreMatrix, directions: Mapping[str, str]) -> ScoreMatrix:
    """The matrix with every metric turned so that larger means better."""
    signs = np.array([-1.0 if directions.get(name) == "lower" else 1.0 for name in matrix.metrics])
    return replace(matrix, scores=matrix.scores * signs[:, None, None])
