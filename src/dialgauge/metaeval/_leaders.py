"""Which metrics cannot be told from the best one, by the test that asks about new systems."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.metaeval._compare import compare

LEADERS = pl.Schema(dict.fromkeys(("level", "coefficient", "dimension", "metric"), pl.String))


def leaders(
    correlations: pl.DataFrame,
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    directions: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    confidence: float = 0.95,
    progress: Callable[[str, int, int], None] | None = None,
    **settings: Any,
) -> pl.DataFrame:
    """For each level, coefficient and dimension of oriented ``correlations``: the best metric, and those like it.

    A metric is like the best where :func:`compare` (permutation over systems, corrected after Benjamini and Hochberg
    over the metrics of the column) does not tell them apart at this confidence. Intervals that overlap are no such
    test. ``metrics`` limits who takes part; ``settings`` go to :func:`compare`. Pairwise accuracies and the global
    level have no such test and are left out; without resamples there is none at all, and the frame is empty.
    """
    known = correlations.filter(
        pl.col("value").is_not_null(),
        pl.col("level") != "global",
        ~pl.col("coefficient").str.ends_with("accuracy"),
    )
    if metrics is not None:
        known = known.filter(pl.col("metric").is_in(list(metrics)))
    rows: list[tuple[str, str, str, str]] = []
    testable = settings.get("resamples", 1000) > 0
    groups = list(known.group_by("level", "coefficient", "dimension", maintain_order=True)) if testable else []
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
                level=level,  # type: ignore[arg-type]  # a level of the correlations themselves
                coefficient=coefficient,  # type: ignore[arg-type]
                pairs=[(first, other) for other in others],
                directions=directions,
                confidence=confidence,
                **{**settings, "dimensions": [dimension]},
            )
            alike = compared.frame.filter(pl.col("p_benjamini_hochberg") > 1 - confidence)["other"]
            rows += [(level, coefficient, dimension, other) for other in alike]
    return pl.DataFrame(rows, schema=LEADERS, orient="row")
