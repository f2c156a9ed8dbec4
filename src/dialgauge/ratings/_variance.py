"""Variance components: how much of the spread of ratings is due to systems, dialogues, raters and what they share.

A rating is a mean plus random effects of its system (s), dialogue (d) and rater (r), of each pair of them (sd, sr, dr)
and what is left (e). Henderson's first method solves for the variances from sums of squares of group totals; on a
complete design that is the analysis of variance, and gaps are allowed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.tables import FrameResult

#: The sources of variance, as they are called in tables.
SOURCES = {
    "s": "systems",
    "d": "dialogues",
    "r": "raters",
    "sd": "systems × dialogues",
    "sr": "systems × raters",
    "dr": "dialogues × raters",
    "e": "rest",
}
COMPONENTS = pl.Schema(
    {
        "source": pl.String,
        "name": pl.String,
        "variance": pl.Float64,
        "share": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)
#: Fewer raters than these say hardly anything about how raters differ from each other.
_FEW_RATERS = 5


@dataclass(frozen=True, slots=True)
class VarianceComponents(FrameResult):
    """``frame``: a row per source of variance, with its share of the whole and its 90 % interval over dialogues.

    ``systems`` has the mean and the number of ratings of each system, ``dialogues`` and ``raters`` count, ``drawn``
    holds the components of resampled dialogues (resamples × sources). ``notes`` say what was cut at zero or is hardly
    known.
    """

    frame: pl.DataFrame
    systems: pl.DataFrame
    dialogues: int
    raters: int
    drawn: FloatArray
    notes: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """The variance of each source by its short name: s, d, r, sd, sr, dr, e."""
        return dict(self.frame.select("source", "variance").iter_rows())

    def generalisability(self, dialogues: int, raters: int) -> dict[str, float]:
        """The reliability of systems' means over these numbers of dialogues and raters.

        ``relative`` is for the order of systems (the generalisability coefficient), ``absolute`` for their level as
        well (the index of dependability; Brennan, 2001), each for other dialogues and raters like these.
        """
        v, n, k = self.values, dialogues, raters
        relative = v["sd"] / n + v["sr"] / k + v["e"] / (n * k)
        absolute = relative + v["d"] / n + v["r"] / k + v["dr"] / (n * k)
        whole = [v["s"] + error for error in (relative, absolute)]
        return {
            name: v["s"] / total if total else float("nan")
            for name, total in zip(("relative", "absolute"), whole, strict=True)
        }


def variance_components(
    ratings: pl.DataFrame,
    dimension: str,
    *,
    resamples: int = 100,
    seed: int = 0,
    scales: Iterable[Scale] = (),
) -> VarianceComponents:
    """The variance components of the ratings on a dimension; ratings off their scale and variants are left out.

    Ratings of sentences count as their summary's mean. Two systems, dialogues and raters at least are needed, and
    summaries that two raters rated.
    """
    scales = tuple(scales)
    known = ratings["dimension"].unique().to_list()
    if dimension not in known:
        raise UnknownNameError("rated dimension", dimension, known)
    here = validate(ratings, scales=scales).ratings.filter(pl.col("dimension") == dimension).drop_nulls("value")
    scale_of(here, scales)
    cell = (*KEY, "annotator")
    flat = here.sort(cell).group_by(cell, maintain_order=True).agg(pl.col("value").mean())
    codes = [_codes(flat[name]) for name in ("system", "dialogue_id", "annotator")]
    sizes = [int(code.max(initial=-1)) + 1 for code in codes]
    if sizes[2] < 2 or not (flat.group_by(KEY).len()["len"] > 1).any():
        raise InputError(f"{dimension}: variance components need summaries that were rated by two raters or more")
    if sizes[0] < 2 or sizes[1] < 2:
        raise InputError(f"{dimension}: variance components need ratings of two systems and two dialogues at least")
    values = flat["value"].to_numpy() - float(flat["value"].mean())  # type: ignore[arg-type]
    found = _solve(codes, values)
    drawn = _resampled(codes, values, resamples, seed)
    systems = (
        flat.group_by("system").agg(pl.col("value").mean().alias("mean"), pl.len().alias("ratings")).sort("system")
    )
    kept = np.maximum(found, 0)
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0) if resamples else np.full((2, len(SOURCES)), np.nan)
    frame = pl.DataFrame(
        {
            "source": list(SOURCES),
            "name": list(SOURCES.values()),
            "variance": kept,
            "share": kept / max(kept.sum(), 1e-300),
            "low": low,
            "high": high,
        },
        schema=COMPONENTS,
    ).with_columns(pl.col("low", "high").fill_nan(None))
    return VarianceComponents(frame, systems, sizes[1], sizes[2], drawn, tuple(_notes(found, sizes[2])))


def _codes(values: pl.Series) -> IntArray:
    return np.unique(values.to_numpy(), return_inverse=True)[1].astype(np.int64)


def _notes(found: FloatArray, raters: int) -> Iterable[str]:
    below = [name for name, value in zip(SOURCES.values(), found, strict=True) if value < 0]
    if below:
        yield f"estimated below zero and set to zero: {', '.join(below)}"
    if raters < _FEW_RATERS:
        yield f"{raters} raters hardly tell how raters differ: systems × raters is a rough guess"


def _groupings(codes: list[IntArray]) -> list[IntArray]:
    """The number of the group of each rating, for all of them together and for each source of variance."""
    s, d, r = codes
    n_d, n_r = int(d.max()) + 1, int(r.max()) + 1
    pairs = [s * n_d + d, s * n_r + r, d * n_r + r]
    single = [np.zeros_like(s), s, d, r, *(np.unique(pair, return_inverse=True)[1] for pair in pairs)]
    return [*single, np.arange(len(s))]


def _solve(codes: list[IntArray], values: FloatArray) -> FloatArray:
    """The variances from: sum over groups of total²/size = its expectation, for each grouping."""
    groups = _groupings(codes)
    sizes = [np.bincount(group) for group in groups]
    left = np.array([(np.bincount(group, values) ** 2 / size).sum() for group, size in zip(groups, sizes, strict=True)])
    right = np.array([[_shared(inner, sizes[i], group) for inner in groups] for i, group in enumerate(groups)])
    # The first unknown is the squared mean; a design in which two sources cannot be separated shares them out.
    return np.asarray(np.linalg.lstsq(right, left, rcond=None)[0][1:])


def _shared(inner: IntArray, sizes: IntArray, outer: IntArray) -> float:
    """The expectation, per unit of the inner grouping's variance, of the outer grouping's sum of squares."""
    width = int(inner.max()) + 1
    cells, counts = np.unique(outer * width + inner, return_counts=True)
    return float((counts.astype(np.float64) ** 2 / sizes[cells // width]).sum())


def _resampled(codes: list[IntArray], values: FloatArray, resamples: int, seed: int) -> FloatArray:
    """The variances (none below zero) when dialogues are resampled."""
    s, d, r = codes
    order = np.argsort(d, kind="stable")
    starts = np.searchsorted(d[order], np.arange(int(d.max()) + 2))
    generator = np.random.default_rng(seed)
    result = np.empty((resamples, len(SOURCES)))
    for number in range(resamples):
        drawn = generator.integers(len(starts) - 1, size=len(starts) - 1)
        rows = np.concatenate([order[starts[one] : starts[one + 1]] for one in drawn])
        new = np.repeat(np.arange(len(drawn)), (starts[1:] - starts[:-1])[drawn])
        again = [np.unique(s[rows], return_inverse=True)[1], new, np.unique(r[rows], return_inverse=True)[1]]
        result[number] = np.maximum(_solve(again, values[rows] - values[rows].mean()), 0)
    return result
