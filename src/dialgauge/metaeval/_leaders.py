"""Which metrics are not significantly different from the best one, by the test that generalises to new systems."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.metaeval._compare import compare
from dialgauge.metaeval._settings import ComparisonSettings
from dialgauge.progress import Progress
from dialgauge.settings import takes

LEADERS = pl.Schema(dict.fromkeys(("level", "coefficient", "dimension", "metric"), pl.String))


@takes(ComparisonSettings)
def leaders(
    correlations: pl.DataFrame,
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: ComparisonSettings | None = None,
    *,
    directions: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    references: Collection[str] = (),
    progress: Progress | None = None,
    **changes: Any,
) -> pl.DataFrame:
    """For each level, coefficient and dimension of oriented ``correlations``: the leading metrics.

    These are the best and those that are not significantly different from it: by :func:`compare` (corrected after
    Benjamini and Hochberg over the metrics of the column) at this confidence. Overlapping intervals are not such a
    test. ``metrics`` limits the metrics; ``settings`` are those of :func:`compare`. Soft pairwise accuracy has no such
    test and is left out; without resamples there is no test, and the frame is empty.
    """
    asked = ComparisonSettings.chosen(settings, changes, "leaders")
    known = correlations.filter(
        pl.col("value").is_not_null(),
        pl.col("coefficient") != "soft_pairwise_accuracy",
    )
    if metrics is not None:
        known = known.filter(pl.col("metric").is_in(list(metrics)))
    rows: list[tuple[str, str, str, str]] = []
    groups = list(known.group_by("level", "coefficient", "dimension", maintain_order=True)) if asked.resamples else []
    for done, (key, part) in enumerate(groups):
        if progress:
            progress("comparing with the best", done, len(groups))
        level, coefficient, dimension = (str(each) for each in key)
        first, *others = part.sort("value", "metric", descending=[True, False])["metric"]
        rows.append((level, coefficient, dimension, first))
        if others:
            compared = compare(
                scores,
                ratings,
                asked,
                level=level,
                coefficient=coefficient,
                pairs=[(first, other) for other in others],
                dimensions=[dimension],
                references=references,
                directions=directions,
            )
            alike = compared.frame.filter(pl.col("p_benjamini_hochberg") > 1 - asked.confidence)["other"]
            rows += [(level, coefficient, dimension, other) for other in alike]
    return pl.DataFrame(rows, schema=LEADERS, orient="row")
