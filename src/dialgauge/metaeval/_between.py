"""Correlations among metrics or dimensions; and the effect of counting references as systems."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.errors import ParameterError
from dialgauge.metaeval._correlate import correlate
from dialgauge.metaeval._draws import no_resampling
from dialgauge.metaeval._matrix import align
from dialgauge.metaeval._names import BASE, LEVELS, Coefficient, FloatArray, Level, check_name
from dialgauge.metaeval._settings import CorrelationSettings
from dialgauge.metaeval._weighted import resampled_correlations
from dialgauge.settings import takes


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationMatrix:
    """Every column with every other. ``names`` are in the order of the clustering, so that similar ones are adjacent.

    ``values`` is symmetric, NaN where undefined. ``clusters`` numbers the groups of a cut at ``threshold``.
    """

    names: tuple[str, ...]
    values: FloatArray
    clusters: tuple[int, ...]
    threshold: float

    @property
    def frame(self) -> pl.DataFrame:
        """As a frame: ``name``, ``cluster``, then a column per name; null where undefined."""
        columns = {name: pl.Series(self.values[:, i], nan_to_null=True) for i, name in enumerate(self.names)}
        return pl.DataFrame({"name": self.names, "cluster": self.clusters, **columns})


def correlation_matrix(
    frame: pl.DataFrame,
    *,
    columns: Sequence[str] | None = None,
    level: Level = "summary",
    coefficient: Coefficient = "pearson",
    without_systems: Collection[str] = (),
    threshold: float = 0.3,
    role: str | None = None,
    variant: str = ORIGINAL,
) -> CorrelationMatrix:
    """Correlate the columns of a keyed frame with each other: metric by metric, or dimension by dimension.

    The order and the clusters come from average linkage over the distance 1 − ``|r|`` (the sign of a metric is a
    convention); an undefined correlation counts as distance 1. Columns closer than ``threshold`` share a cluster.
    """
    check_name("level", level, LEVELS)
    check_name("coefficient", coefficient, (*BASE, "mean"))
    if not 0 <= threshold <= 1:
        raise ParameterError("correlation_matrix", "threshold", "between 0 and 1", threshold)
    matrix = align(
        frame, frame, metrics=columns, dimensions=columns, without_systems=without_systems, role=role, variant=variant
    )
    plain = no_resampling(len(matrix.systems), len(matrix.dialogues))
    values = resampled_correlations(matrix.scores, matrix.ratings, level, coefficient, plain).values[0]
    values = (values + values.T) / 2
    order, clusters = _cluster(1 - np.abs(np.where(np.isnan(values), 0.0, values)), threshold)
    names = tuple(matrix.metrics[i] for i in order)
    return CorrelationMatrix(names, values[np.ix_(order, order)], tuple(clusters[i] for i in order), threshold)


def _cluster(distances: FloatArray, threshold: float) -> tuple[list[int], list[int]]:
    """The order of the leaves, and for each column its cluster, numbered along that order."""
    count = len(distances)
    if count < 3:
        together = count == 2 and distances[0, 1] <= threshold
        return list(range(count)), [1] * count if together else list(range(1, count + 1))
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

    condensed = distances[np.triu_indices(count, 1)]
    tree = linkage(condensed, "average", optimal_ordering=True)
    order = [int(i) for i in leaves_list(tree)]
    labels = fcluster(tree, threshold, "distance")
    numbers: dict[int, int] = {}
    for i in order:
        numbers.setdefault(int(labels[i]), len(numbers) + 1)
    return order, [numbers[int(label)] for label in labels]


@takes(CorrelationSettings)
def reference_effect(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: CorrelationSettings | None = None,
    *,
    references: Collection[str],
    **options: Any,
) -> pl.DataFrame:
    """How much each correlation changes when the references count as systems: ``with``, ``without``, ``difference``.

    ``options`` are those of :func:`correlate`. A reference scores the maximum on reference-based metrics whatever
    people think of it, so their system-level correlations are the ones to watch. Largest change first.
    """
    if not references:
        raise ParameterError(
            "reference_effect", "references", "the names of the systems that are references", references
        )
    key = ["metric", "dimension", "level", "coefficient"]
    options = {**options, "resamples": 0, "references": references}
    values: Mapping[bool, pl.DataFrame] = {
        included: correlate(scores, ratings, settings, **{**options, "with_references": included}).frame.select(
            *key, "value"
        )
        for included in (True, False)
    }
    joined = values[True].rename({"value": "with"}).join(values[False].rename({"value": "without"}), on=key)
    return joined.with_columns((pl.col("with") - pl.col("without")).alias("difference")).sort(
        pl.col("difference").abs(), descending=True, nulls_last=True, maintain_order=True
    )
