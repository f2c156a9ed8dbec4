"""The stage of a study that holds metrics against each other: which say the same, and which differ for certain."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from dialgauge.metaeval import COMPARISONS, align, compare, correlation_matrix
from dialgauge.ratings import agreement, majority_noise_removal, validate
from dialgauge.report import headline
from dialgauge.study._context import Context

METRICS, COMPARED, CLEANING = "metric-correlations.parquet", "comparisons.parquet", "cleaning.parquet"
#: So many of the leading metrics of each dimension are tested against each other.
_TESTED = 12


@dataclass(frozen=True, slots=True)
class RelationStage:
    """The stage, of a run under way. It comes after the correlations, whose tables it reads."""

    context: Context

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        settings = self.context.settings
        made = {
            "seed": settings.study.seed,
            "tested": _TESTED,
            "families": "with the best, and the rest",
            "ratings": settings.ratings.model_dump(),
            "correlation": settings.correlation.model_dump(),
        }
        outputs = [METRICS, COMPARED] + ([CLEANING] if settings.ratings.clean != "none" else [])
        self.context.ledger.run("relations", made, ["corpus", "scores", "correlations"], outputs, self._make)
        return ["relations"]

    def _make(self) -> None:
        correlations = pl.read_parquet(self.context.folder / "correlations.parquet")
        self.context.write(METRICS, self._between(*headline(correlations)))
        self.context.write(COMPARED, self._compared(correlations, *headline(correlations)))
        if self.context.settings.ratings.clean != "none":
            self.context.write(CLEANING, self._cleaning())

    def _between(self, level: Any, coefficient: Any) -> pl.DataFrame:
        self.context.progress("metrics with metrics", 0, 1)
        frame = self.context.scores.frame
        if not self.context.scores.metrics:  # only some that exist for a whole system
            return pl.DataFrame(schema={"name": pl.String, "cluster": pl.Int64})
        role = align(
            frame, pl.read_parquet(self.context.folder / "ratings.parquet"), role=self.context.settings.correlation.role
        ).pairing.role
        without = self._without()
        return correlation_matrix(frame, level=level, coefficient=coefficient, without_systems=without, role=role).frame

    def _compared(self, correlations: pl.DataFrame, level: Any, coefficient: Any) -> pl.DataFrame:
        """The leading metrics of each dimension, every pair tested; empty where there is no test."""
        settings, scores = self.context.settings.correlation, self.context.scores
        if level == "global" or not settings.resamples:
            return pl.DataFrame(schema=COMPARISONS)
        here = (pl.col("level") == level) & (pl.col("coefficient") == coefficient)
        known = correlations.filter(here, pl.col("value").is_not_null(), pl.col("direction") != "none")
        parts = [pl.DataFrame(schema=COMPARISONS)]
        dimensions = known["dimension"].unique().sort().to_list()
        for done, dimension in enumerate(dimensions):
            self.context.progress(f"comparing metrics of {dimension}", done, len(dimensions))
            ranked = known.filter(pl.col("dimension") == dimension).sort("value", "metric", descending=[True, False])
            names = [name for name in ranked["metric"] if name in scores.metrics]
            if len(names) > 1:
                parts += self._pairs(dimension, names, level, coefficient)
        return pl.concat(parts)

    def _pairs(self, dimension: str, names: list[str], level: Any, coefficient: Any) -> list[pl.DataFrame]:
        """Two families, each corrected by itself: all metrics against the best, and all other pairs of leading ones.

        The first are the very tests by which the ranking tells metrics from the best, so that both say the same.
        """
        settings, scores = self.context.settings.correlation, self.context.scores
        first, *others = names
        leading = names[:_TESTED]
        families = [[(first, other) for other in others], list(combinations(leading[1:], 2))]
        tested = [
            compare(
                scores.frame,
                pl.read_parquet(self.context.folder / "ratings.parquet"),
                level=level,
                coefficient=coefficient,
                pairs=pairs,
                dimensions=[dimension],
                directions=scores.directions,
                references=self._without(),
                resamples=settings.resamples,
                resample=settings.resample,
                confidence=settings.confidence,
                seed=self.context.settings.study.seed,
                role=settings.role,
            ).frame
            for pairs in families
            if pairs
        ]
        return [frame.filter(pl.col("other").is_in(leading)) for frame in tested]

    def _cleaning(self) -> pl.DataFrame:
        """Agreement once what contradicts a majority is gone, and how many ratings that takes."""
        wanted = self.context.settings.ratings
        checked = validate(self.context.corpus.ratings, on_invalid=wanted.on_invalid)
        cleaned = majority_noise_removal(checked.ratings)
        options: dict[str, Any] = {"dimensions": wanted.dimensions, "on_invalid": wanted.on_invalid}
        agreed = agreement(cleaned.ratings, ["krippendorff-alpha"], seed=self.context.settings.study.seed, **options)
        after = agreed.frame.select("dimension", "value", "low", "high")
        return cleaned.counts.join(after, on="dimension", how="inner", maintain_order="left")

    def _without(self) -> list[str]:
        if self.context.settings.metrics.include_references:
            return []
        return self.context.corpus.references["system"].unique().to_list()
