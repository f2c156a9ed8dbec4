"""The raters behind a verdict: how far they agree, and what one of them reaches."""

from collections.abc import Collection
from dataclasses import dataclass
from math import isnan

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.metaeval._ceiling import HumanCeiling, human_ceiling
from dialgauge.metaeval._matrix import ScoreMatrix
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._settings import CorrelationSettings, TrustSettings
from dialgauge.ratings import Agreement, RatingPolicy, TreatedRatings, agreement as measure_agreement, outliers

#: More raters than these have no ceiling of their own computed: each would be compared with all others.
_MOST_RATERS = 60
#: For the interval of what a perfect metric reaches.
_RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class Raters:
    """How raters agree on a dimension: α with its interval over dialogues, how many there are per summary, outliers."""

    alpha: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    per_summary: float = 1.0
    outliers: tuple[str, ...] = ()

    @property
    def reliability(self) -> float:
        """Of the mean of the raters of a summary (Spearman and Brown)."""
        k = self.per_summary
        return k * self.alpha / (1 + (k - 1) * self.alpha) if self.alpha > 0 else self.alpha

    @property
    def by_chance(self) -> bool:
        """Whether agreement is not shown to be above that of chance."""
        return self.low <= 0 or (isnan(self.low) and self.alpha <= 0)


def measure_raters(
    treated: TreatedRatings,
    given: Agreement | None,
    matrix: ScoreMatrix,
    asked: TrustSettings,
    nominal: Collection[str] = (),
) -> list[Raters]:
    """The agreement on each dimension, before cleaning, which would remove disagreement.

    The values of ``nominal`` dimensions are names: to be one apart is not to agree nearly.
    """
    checked = treated.checked.filter(
        pl.col("dimension").is_in(matrix.dimensions),
        pl.col("system").is_in(matrix.systems),
        pl.col("value").is_not_null(),
    )
    measure = "krippendorff-alpha"
    found = given or measure_agreement(
        checked,
        (measure,),
        by=("dimension",),
        resamples=min(asked.resamples, 500),
        confidence=asked.confidence,
        seed=asked.seed,
        resample="dialogue",
        scales=treated.scales,
        nominal=nominal,
    )
    mine = found.frame.filter(pl.col("scope") == "dimension", pl.col("measure") == measure)
    rows = {row["dimension"]: row for row in mine.iter_rows(named=True)}
    counts = dict(
        checked.group_by("dimension", *KEY)
        .agg(pl.col("annotator").n_unique().alias("raters"))
        .group_by("dimension")
        .agg(pl.col("raters").mean())
        .iter_rows()
    )
    few = min(asked.resamples, 200)
    flagged = outliers(checked, resamples=few, seed=asked.seed, scales=treated.scales, nominal=nominal).flagged
    apart = {str(name): tuple(sorted(part["annotator"])) for (name,), part in flagged.group_by("dimension")}
    nan = float("nan")
    result = []
    for name in matrix.dimensions:
        row = rows.get(name, {})
        alpha, low, high = (nan if row.get(part) is None else float(row[part]) for part in ("value", "low", "high"))
        result.append(Raters(alpha, low, high, float(counts.get(name, 1.0)), apart.get(name, ())))
    return result


@dataclass(frozen=True, slots=True)
class Ceilings:
    """For each dimension: what one rater reaches against the others; what a perfect metric, with its interval, and one
    more rater reach against the aggregate. NaN where that is not known.
    """

    one: FloatArray
    perfect: FloatArray
    perfect_low: FloatArray
    perfect_high: FloatArray
    new_rater: FloatArray

    @classmethod
    def unknown(cls, dimensions: int) -> "Ceilings":
        """Nothing is known."""
        return cls(*(np.full(dimensions, np.nan) for _ in range(5)))


def rater_ceiling(
    treated: TreatedRatings,
    given: HumanCeiling | None,
    policy: RatingPolicy,
    asked: TrustSettings,
    matrix: ScoreMatrix,
    references: list[str],
) -> Ceilings:
    """What raters and a perfect metric reach on each dimension, measured like a metric."""
    nothing = Ceilings.unknown(len(matrix.dimensions))
    if asked.coefficient == "pairwise_accuracy":
        return nothing
    if given is None:
        if not 2 <= treated.checked["annotator"].n_unique() <= _MOST_RATERS:
            return nothing
        how = asked.subset(
            CorrelationSettings,
            levels=(asked.level,),
            coefficients=(asked.coefficient,),
            resamples=min(asked.resamples, _RESAMPLES),
            role=matrix.pairing.role,
            metrics=None,
        )
        given = human_ceiling(treated.checked, how, policy, references=references)
    here = given.frame.filter(pl.col("level") == asked.level, pl.col("coefficient") == asked.coefficient)
    rows = {row["dimension"]: row for row in here.iter_rows(named=True)}
    columns = ("value", "perfect", "perfect_low", "perfect_high", "new_rater")
    values = [[rows.get(name, {}).get(column) for name in matrix.dimensions] for column in columns]
    return Ceilings(*(np.array([np.nan if one is None else one for one in column]) for column in values))
