"""Which metrics of a column are not significantly worse than the best: by the same test as in the verdict."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.metaeval._best import undominated
from dialgauge.metaeval._coefficient_parts import Unit, coefficient_parts
from dialgauge.metaeval._correlate import orient
from dialgauge.metaeval._matrix import align
from dialgauge.metaeval._settings import PairedSettings
from dialgauge.progress import Progress
from dialgauge.settings import takes

LEADERS = pl.Schema(dict.fromkeys(("level", "coefficient", "dimension", "metric"), pl.String))


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
    known = correlations.filter(pl.col("value").is_not_null(), pl.col("coefficient") != "soft_pairwise_accuracy")
    if metrics is not None:
        known = known.filter(pl.col("metric").is_in(list(metrics)))
    if not asked.resamples or known.is_empty():
        return pl.DataFrame(schema=LEADERS)
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
    rows: list[tuple[str, str, str, str]] = []
    columns = list(known.group_by("level", "coefficient", maintain_order=True))
    for done, ((level, coefficient), part) in enumerate(columns):
        if progress:
            progress("comparing with the best", done, len(columns))
        views = coefficient_parts(matrix.scores, matrix.ratings, level, coefficient, unit)
        for (dimension,), column in part.group_by("dimension", maintain_order=True):
            names = column.sort("value", "metric", descending=[True, False])["metric"].to_list()
            rows_of, d = [matrix.metrics.index(name) for name in names], matrix.dimensions.index(str(dimension))
            kept = undominated([view[rows_of, d] for view in views], 1 - asked.confidence, asked.resamples, asked.seed)
            leading = [name for name, among in zip(names, kept, strict=True) if among]
            rows += [(str(level), str(coefficient), str(dimension), name) for name in leading]
    return pl.DataFrame(rows, schema=LEADERS, orient="row")
