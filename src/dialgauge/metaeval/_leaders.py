"""Which metrics of a column are not significantly worse than the best: by the same test as in the verdict."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from dialgauge.metaeval._best import best_floor, corrected_pairs, undominated
from dialgauge.metaeval._coefficient_parts import Unit, coefficient_parts
from dialgauge.metaeval._correlate import orient
from dialgauge.metaeval._matrix import align
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._settings import PairedSettings
from dialgauge.progress import Progress
from dialgauge.settings import takes

LEADERS = pl.Schema(dict.fromkeys(("level", "coefficient", "dimension", "metric"), pl.String))
#: One row of :func:`metric_pairs`.
PAIRS = pl.Schema(
    dict.fromkeys(("metric", "other", "dimension", "level", "coefficient"), pl.String)
    | dict.fromkeys(("value", "other_value", "difference", "p_corrected", "floor"), pl.Float64)
    | {"reason": pl.String}
)


@takes(PairedSettings)
def leaders(
    correlations: pl.DataFrame,
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: PairedSettings | None = None,
    *,
    directions: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    references: Collection[str] = (),
    unit: Unit = "systems",
    progress: Progress | None = None,
    **changes: Any,
) -> pl.DataFrame:
    """For each level, coefficient and dimension of oriented ``correlations``: the leading metrics.

    These are the metrics that no other is shown to be better than. All pairs of the column are tested at one error
    (1 − ``confidence``), by flipping the sign of what whole systems (or dialogues: ``unit``) add to their difference,
    so that the truly best metric is among them in as many studies as ``confidence`` says, whichever came out on top.
    Overlapping intervals are not such a test. ``metrics`` limits the metrics. Soft pairwise accuracy has no parts that
    could be tested and is left out; without resamples there is no test, and the frame is empty.
    """
    asked = PairedSettings.chosen(settings, changes, "leaders")
    rows: list[tuple[str, str, str, str]] = []
    for column in _columns(correlations, scores, ratings, asked, directions, metrics, references, unit, progress):
        kept = undominated(column.views, 1 - asked.confidence, asked.resamples, asked.seed)
        leading = [name for name, among in zip(column.metrics, kept, strict=True) if among]
        rows += [(column.level, column.coefficient, column.dimension, name) for name in leading]
    return pl.DataFrame(rows, schema=LEADERS, orient="row")


@takes(PairedSettings)
def metric_pairs(
    correlations: pl.DataFrame,
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: PairedSettings | None = None,
    *,
    directions: Mapping[str, str],
    most: int,
    metrics: Sequence[str] | None = None,
    references: Collection[str] = (),
    unit: Unit = "systems",
    progress: Progress | None = None,
    **changes: Any,
) -> pl.DataFrame:
    """For each column, the pairs of its ``most`` leading metrics: which is better, by the test of :func:`leaders`.

    ``p_corrected`` is corrected for all pairs of the column, of which these are a choice.
    """
    asked = PairedSettings.chosen(settings, changes, "metric_pairs")
    rows: list[dict[str, Any]] = []
    for column in _columns(correlations, scores, ratings, asked, directions, metrics, references, unit, progress):
        p_values = corrected_pairs(column.views, asked.resamples, asked.seed)
        floor = best_floor(column.views[0].shape[1])
        never = (
            f"no difference can be significant with {column.views[0].shape[1]} {unit}: no p-value is below {floor:.3g}"
        )
        for one, other in combinations(range(min(most, len(column.metrics))), 2):
            rows.append(
                {
                    "metric": column.metrics[one],
                    "other": column.metrics[other],
                    "dimension": column.dimension,
                    "level": column.level,
                    "coefficient": column.coefficient,
                    "value": column.values[one],
                    "other_value": column.values[other],
                    "difference": column.values[one] - column.values[other],
                    "p_corrected": max(float(p_values[one, other]), floor),
                    "floor": floor,
                    "reason": never if floor > 1 - asked.confidence else None,
                }
            )
    return pl.DataFrame(rows, schema=PAIRS)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """The metrics of a level, coefficient and dimension, best first, with what units add to each."""

    level: str
    coefficient: str
    dimension: str
    metrics: list[str]
    values: list[float]
    views: list[FloatArray]


def _columns(
    correlations: pl.DataFrame,
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    asked: PairedSettings,
    directions: Mapping[str, str],
    metrics: Sequence[str] | None,
    references: Collection[str],
    unit: Unit,
    progress: Progress | None,
) -> Iterator[_Column]:
    known = correlations.filter(pl.col("value").is_not_null(), pl.col("coefficient") != "soft_pairwise_accuracy")
    if metrics is not None:
        known = known.filter(pl.col("metric").is_in(list(metrics)))
    if not asked.resamples or known.is_empty():
        return
    matrix = align(
        scores,
        ratings,
        metrics=known["metric"].unique(maintain_order=True).to_list(),
        dimensions=known["dimension"].unique(maintain_order=True).to_list(),
        without_systems=() if asked.with_references else tuple(references),
        role=asked.role,
        variant=asked.variant,
    )
    matrix = orient(matrix, directions)
    groups = list(known.group_by("level", "coefficient", maintain_order=True))
    for done, ((level, coefficient), group) in enumerate(groups):
        if progress:
            progress("comparing with the best", done, len(groups))
        views = coefficient_parts(matrix.scores, matrix.ratings, level, coefficient, unit)
        for (dimension,), part in group.group_by("dimension", maintain_order=True):
            ranked = part.sort("value", "metric", descending=[True, False])
            names, d = ranked["metric"].to_list(), matrix.dimensions.index(str(dimension))
            chosen = [matrix.metrics.index(name) for name in names]
            yield _Column(
                str(level),
                str(coefficient),
                str(dimension),
                names,
                ranked["value"].to_list(),
                [view[chosen, d] for view in views],
            )
