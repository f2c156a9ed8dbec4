"""How well metrics correlate with ratings once summaries are perturbed: Table 4 of "Tweak to Trust"."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.errors import InputError, ParameterError, UnknownNameError, counted
from dialgauge.metaeval._cells import null
from dialgauge.metaeval._matrix import choose_role, with_defaults
from dialgauge.metaeval._names import FloatArray, IntArray, check_name
from dialgauge.metaeval._robustness_matrix import label_of
from dialgauge.progress import Progress, with_bar
from dialgauge.resampling import CONFIDENCE

Rounding = Literal["half-up", "half-even", "none"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)

#: One row of :attr:`PerturbedCorrelations.frame`.
PERTURBED_CORRELATIONS = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "set": pl.String,
        "value": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "pearson": pl.Float64,
        "spearman": pl.Float64,
        "kendall": pl.Float64,
        "summaries": pl.Int64,
        "ratings": pl.String,
        "reason": pl.String,
    }
)
_MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class PerturbedCorrelations:
    """Correlation of metrics with ratings on the originals and on each family of variants.

    ``frame`` has a row per metric, dimension and set (``original``, or a family): ``value`` is the mean of Pearson,
    Spearman and Kendall over all summaries of the set; ``difference`` is to the originals, with its interval
    ``low``–``high``. ``ratings`` says where those of the set come from: ``given`` or ``priors``.
    """

    frame: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)


def spread_priors(
    variants: pl.DataFrame, priors: Mapping[str, Mapping[str, float]], rounding: Rounding = "half-up"
) -> pl.DataFrame:
    """Give every variant the mean rating of its kind of perturbation, as the paper did.

    ``variants`` has the key columns; ``priors`` is label → dimension → mean rating. The paper rounds to the nearest
    whole number and does not say where .5 goes (three of its means end in .50): ``half-up`` is our choice. Variants
    without a prior are left out.
    """
    check_name("rounding", rounding, ROUNDINGS)
    dimensions = list(dict.fromkeys(name for label in priors.values() for name in label))
    table = pl.DataFrame(
        [(label, *(_rounded(known.get(name), rounding) for name in dimensions)) for label, known in priors.items()],
        schema={"perturbation": pl.String} | dict.fromkeys(dimensions, pl.Float64),
        orient="row",
    )
    labelled = variants.filter(pl.col("variant") != ORIGINAL).with_columns(
        pl.col("variant").map_elements(label_of, return_dtype=pl.String).alias("perturbation")
    )
    return labelled.select(*KEY, "perturbation").join(table, on="perturbation").drop("perturbation")


def _rounded(value: float | None, rounding: Rounding) -> float | None:
    if value is None or rounding == "none":
        return value
    return float(math.floor(value + 0.5) if rounding == "half-up" else round(value))


@with_bar
def perturbed_correlations(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    families: Mapping[str, str],
    *,
    priors: Mapping[str, Mapping[str, float]] | None = None,
    rounding: Rounding = "half-up",
    dimensions: Sequence[str] = ("consistency", "relevance"),
    metrics: Sequence[str] | None = None,
    references: Collection[str] = (),
    directions: Mapping[str, str] | None = None,
    oriented: bool = False,
    confidence: float = CONFIDENCE,
    role: str | None = None,
    progress: Progress | None = None,
) -> PerturbedCorrelations:
    """Correlate metrics with ratings on the originals, and on the variants of each family.

    ``ratings`` has the key columns and one per dimension (``aggregate(...).wide()``), with rows for variants where
    those were rated. ``priors`` stands in for a family of which none was: evidence from another corpus, spread over all
    variants of a label by :func:`spread_priors`, so every difference within a label is lost. ``families`` is label →
    family. All summaries of a set go into one coefficient, as in the paper. Intervals of a difference leave groups of
    dialogues out in turn (jackknife, at most 20 groups). Signs stay as they are unless ``oriented``.
    """
    if oriented and directions is None:
        raise ParameterError("perturbed_correlations", "oriented", "used together with directions", True)
    names = [c for c in scores.columns if c not in KEY] if metrics is None else list(metrics)
    for name in names:
        if name not in scores.columns:
            raise UnknownNameError("metric", name, [c for c in scores.columns if c not in KEY])
    scores, ratings = with_defaults(scores), with_defaults(ratings)
    role = choose_role(role, scores, ratings, None)
    joined = _joined(scores, ratings, families, priors, rounding, dimensions, references, role)
    sets = {key[0]: part for key, part in joined.group_by("set", maintain_order=True)}
    if ORIGINAL not in sets or len(sets) < 2:
        raise InputError(
            "no variant has a rating: rate variants, or accept priors (means from another corpus) for them"
        )
    rows: list[dict[str, Any]] = []
    for done, name in enumerate(names):
        if progress:
            progress(name, done, len(names))
        sign = -1.0 if oriented and (directions or {}).get(name) == "lower" else 1.0
        for dimension in dimensions:
            rows += _rows(sets, name, dimension, sign, confidence)
    settings = {
        "dimensions": list(dimensions),
        "priors": priors is not None,
        "rounding": rounding if priors else None,
        "oriented": oriented,
        "confidence": confidence,
        "role": role,
    }
    return PerturbedCorrelations(pl.DataFrame(rows, schema=PERTURBED_CORRELATIONS), settings)


def _joined(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    families: Mapping[str, str],
    priors: Mapping[str, Mapping[str, float]] | None,
    rounding: Rounding,
    dimensions: Sequence[str],
    references: Collection[str],
    role: str,
) -> pl.DataFrame:
    """Scores beside ratings, with the set that each row belongs to and where its ratings come from."""
    for dimension in dimensions:
        if dimension not in ratings.columns:
            raise UnknownNameError("dimension", dimension, [c for c in ratings.columns if c not in KEY])
    label = pl.col("variant").map_elements(label_of, return_dtype=pl.String)
    family = label.replace_strict({**families, ORIGINAL: ORIGINAL}, default=None, return_dtype=pl.String)
    rated = ratings.select(*KEY, *dimensions).with_columns(pl.lit("given").alias("ratings"))
    if priors is not None:
        kinds = {label: {d: known[d] for d in dimensions if d in known} for label, known in priors.items()}
        # A family is rated by people or by priors, never by both: they need not have used one scale.
        missing = scores.filter(~family.is_in(rated.select(family).to_series().drop_nulls().unique().to_list()))
        extra = spread_priors(missing, kinds, rounding).with_columns(pl.lit("priors").alias("ratings"))
        rated = pl.concat([rated, extra], how="diagonal_relaxed")
    joined = scores.filter(pl.col("role") == role, ~pl.col("system").is_in(list(references))).join(
        rated.rename({dimension: f"rating:{dimension}" for dimension in dimensions}), on=list(KEY)
    )
    dialogues = joined.select(pl.col("dialogue_id").unique().sort()).with_row_index("group")
    return (
        joined.with_columns(family.alias("set"))
        .drop_nulls("set")
        .join(dialogues.with_columns(pl.col("group") % _MOST_GROUPS), on="dialogue_id")
        .sort(pl.col("set") != ORIGINAL, "set", *KEY)
    )


def _rows(
    sets: Mapping[Any, pl.DataFrame], name: str, dimension: str, sign: float, confidence: float
) -> list[dict[str, Any]]:
    pairs = {key: _Pairs.of(part, name, dimension, sign) for key, part in sets.items()}
    base = pairs[ORIGINAL]
    rows = []
    for key, one in pairs.items():
        three = one.coefficients()
        row = dict(zip(("pearson", "spearman", "kendall"), (null(value) for value in three), strict=True))
        value = float(np.mean(three))
        difference = value - float(np.mean(base.coefficients()))
        low, high = (math.nan, math.nan) if key == ORIGINAL else _jackknife(base, one, difference, confidence)
        rows.append(
            row
            | {
                "metric": name,
                "dimension": dimension,
                "set": key,
                "value": null(value),
                "difference": None if key == ORIGINAL else null(difference),
                "low": null(low),
                "high": null(high),
                "summaries": len(one.x),
                "ratings": " and ".join(sorted(set(sets[key]["ratings"]))),
                "reason": one.reason() or None,
            }
        )
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Scores and ratings of the summaries of one set that have both, and the group that each dialogue belongs to."""

    x: FloatArray
    z: FloatArray
    group: IntArray

    @classmethod
    def of(cls, part: pl.DataFrame, name: str, dimension: str, sign: float) -> "_Pairs":
        known = part.select("group", x=pl.col(name).cast(pl.Float64), z=f"rating:{dimension}")
        known = known.drop_nulls().drop_nans()
        return cls(known["x"].to_numpy() * sign, known["z"].to_numpy(), known["group"].cast(pl.Int64).to_numpy())

    def without(self, group: int) -> "_Pairs":
        keep = self.group != group
        return _Pairs(self.x[keep], self.z[keep], self.group[keep])

    def reason(self) -> str:
        if len(self.x) < 3:
            return f"only {counted(len(self.x), 'summary', 'summaries')} with a score and a rating"
        for what, values in (("the metric is", self.x), ("the ratings are", self.z)):
            if np.ptp(values) == 0:
                return f"{what} constant"
        return ""

    def coefficients(self) -> tuple[float, float, float]:
        if self.reason():
            return math.nan, math.nan, math.nan
        from scipy.stats import kendalltau, rankdata

        ranks = [rankdata(values) for values in (self.x, self.z)]
        return (
            float(np.corrcoef(self.x, self.z)[0, 1]),
            float(np.corrcoef(*ranks)[0, 1]),
            float(kendalltau(self.x, self.z).statistic),
        )


def _jackknife(base: _Pairs, other: _Pairs, difference: float, confidence: float) -> tuple[float, float]:
    """Student's t interval of a difference from leaving groups of dialogues out in turn."""
    groups = np.union1d(base.group, other.group)
    if len(groups) < 2 or math.isnan(difference):
        return math.nan, math.nan
    left_out = np.array(
        [np.mean(other.without(g).coefficients()) - np.mean(base.without(g).coefficients()) for g in groups]
    )
    n = len(groups)
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * error
    return difference - half, difference + half
