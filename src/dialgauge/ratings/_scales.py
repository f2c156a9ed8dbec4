"""Scales: the values that a rating may take, their labels, and what a value off the scale means."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import polars as pl

from dialgauge.corpus import KEY, RATING_KEY, Problem as BadRow, raise_if_any
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings._frame import require_ratings, show_key
from dialgauge.ratings._settings import OnInvalid

ScaleKind = Literal["ordinal", "interval", "categorical"]

#: Why what needs an order has no value on classes.
NAMES = "classes have no order"
#: Ratings that their scale does not allow. ``problem`` is "unset", "off the scale" or "between two points".
INVALID = pl.Schema(
    {
        **dict.fromkeys((*KEY, "annotator", "dimension"), pl.String),
        "sentence": pl.Int32,
        "value": pl.Float64,
        "scale": pl.String,
        "problem": pl.String,
        "reason": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that a rating may take.

    ``step`` is the distance of two neighbouring points, None for a slider that can stop anywhere. ``labels`` name the
    points from lowest to highest. ``kind`` says what the numbers mean: their names only (categorical), their order, or
    their distances too (interval); agreement is measured accordingly unless you say otherwise.
    """

    name: str
    minimum: float
    maximum: float
    step: float | None = 1.0
    labels: tuple[str, ...] = ()
    kind: ScaleKind = "ordinal"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.minimum) and math.isfinite(self.maximum) and self.minimum < self.maximum):
            raise ParameterError(f"scale {self.name!r}", "maximum", f"more than {self.minimum:g}", self.maximum)
        if self.kind not in get_args(ScaleKind):
            raise ParameterError(f"scale {self.name!r}", "kind", " or ".join(get_args(ScaleKind)), self.kind)
        if self.step is not None:
            steps = (self.maximum - self.minimum) / self.step if self.step > 0 else math.nan
            if not math.isclose(steps, round(steps) if math.isfinite(steps) else 0, abs_tol=1e-9):
                allowed = f"a positive part of the range {self.minimum:g} to {self.maximum:g}"
                raise ParameterError(f"scale {self.name!r}", "step", allowed, self.step)
        if self.labels and len(self.labels) != len(self.points):
            raise ParameterError(f"scale {self.name!r}", "labels", f"{len(self.points)} names", self.labels)

    @property
    def points(self) -> tuple[float, ...]:
        """All values of the scale from lowest to highest; empty for a slider."""
        if self.step is None:
            return ()
        return tuple(self.minimum + i * self.step for i in range(round((self.maximum - self.minimum) / self.step) + 1))

    @property
    def unset(self) -> float | None:
        """The value that a tool writes where nobody rated: 0, on a scale that starts above it."""
        return 0.0 if self.minimum > 0 else None

    def label(self, value: float) -> str | None:
        """The name of a point, if it has one."""
        return self.labels[self.points.index(value)] if self.labels and value in self.points else None

    def fraction(self) -> pl.Expr:
        """The column ``value`` from 0 (lowest point) to 1 (highest point)."""
        return (pl.col("value") - self.minimum) / (self.maximum - self.minimum)

    def problem(self) -> pl.Expr:
        """What is wrong with the column ``value``: "unset", "off the scale", "between two points", or null."""
        value = pl.col("value")
        unset = pl.lit(False) if self.unset is None else value == self.unset
        outside = (value < self.minimum) | (value > self.maximum)
        steps = (value - self.minimum) / (self.step or 1.0)
        between = pl.lit(False) if self.step is None else (steps - steps.round()).abs() > 1e-9
        return (
            pl.when(value.is_null())
            .then(None)
            .when(unset)
            .then(pl.lit("unset"))
            .when(outside)
            .then(pl.lit("off the scale"))
            .when(between)
            .then(pl.lit("between two points"))
        )


#: The labels of the seven-point scale, from "Tweak to Trust".
_SEVEN = ("Extremely bad", "Very bad", "Bad", "Acceptable", "Good", "Very good", "Extremely good")
#: Scales with a name. Any other "A-B" of whole numbers is a scale of the points A, A+1 … B.
SCALES = {
    scale.name: scale
    for scale in (
        Scale("1-5", 1, 5),
        Scale("1-7", 1, 7, labels=_SEVEN),
        Scale("0-2", 0, 2),
        Scale("yes/no", 0, 1, labels=("no", "yes"), kind="categorical"),
        Scale("0-100", 0, 100, step=None, kind="interval"),
        Scale("0-1", 0, 1, step=None, kind="interval"),
        Scale("best-worst", -1, 1, step=None, kind="interval"),
    )
}
_RANGE = re.compile(r"(-?\d+)\s*[-–—]\s*(-?\d+)")


def find_scale(name: str, scales: Iterable[Scale] = ()) -> Scale:
    """The scale of this name: one of ``scales``, a built-in one, or "A-B" read as the whole numbers from A to B."""
    known = {**SCALES, **{scale.name: scale for scale in scales}}
    if name in known:
        return known[name]
    match = _RANGE.fullmatch(name.strip())
    if match is None:
        raise UnknownNameError("scale", name, known, hint="'A-B' with whole numbers is understood, as in '1-10'")
    low, high = int(match[1]), int(match[2])
    if f"{low}-{high}" in known:
        return known[f"{low}-{high}"]
    if low >= high:
        raise InputError(f"scale {name!r}: the lowest point must come first, as in '1-5'")
    return Scale(name, low, high)


def scale_of(ratings: pl.DataFrame, scales: Iterable[Scale] = ()) -> Scale | None:
    """The one scale of these ratings; None where no rating names one. More than one is an error."""
    found = {find_scale(name, scales) for name in ratings["scale"].drop_nulls().unique()}
    if len(found) > 1:
        names = ", ".join(sorted(scale.name for scale in found))
        raise InputError(f"ratings on different scales ({names}) cannot be combined; normalise them first")
    return found.pop() if found else None


@dataclass(frozen=True, slots=True)
class Validated:
    """Ratings validated against their scales. ``invalid`` lists what the scale does not allow, with key and reason.

    ``ratings`` are all of them (``on_invalid="keep"``) or those that are allowed ("drop"). ``unchecked`` counts the
    ratings that name no scale: they are kept, since they cannot be checked.
    """

    ratings: pl.DataFrame
    invalid: pl.DataFrame
    unchecked: int
    on_invalid: OnInvalid


def validate(ratings: pl.DataFrame, *, on_invalid: OnInvalid = "drop", scales: Iterable[Scale] = ()) -> Validated:
    """Validate every rating against the scale it names.

    A 0 on a scale that starts above 0 is called *unset*: the tool saved its initial state, nobody rated. With "keep"
    such values stay (for replicating a study that averaged them), with "drop" they are removed, with "error" they are
    refused. Null values are ratings that were not given; they are never invalid.
    """
    if on_invalid not in get_args(OnInvalid):
        raise ParameterError("validate", "on_invalid", "'keep', 'drop' or 'error'", on_invalid)
    require_ratings(ratings)
    scales = tuple(scales)
    problem = pl.lit(None, dtype=pl.String)
    for name in sorted(ratings["scale"].drop_nulls().unique()):
        problem = pl.when(pl.col("scale") == name).then(find_scale(name, scales).problem()).otherwise(problem)
    marked = ratings.with_columns(problem.alias("problem"))
    invalid = _with_reason(marked.filter(pl.col("problem").is_not_null()), scales)
    if on_invalid == "error":
        rows = invalid.iter_rows(named=True)
        raise_if_any([BadRow("ratings", None, show_key(row), row["reason"]) for row in rows], "ratings off their scale")
    kept = ratings if on_invalid == "keep" else marked.filter(pl.col("problem").is_null()).drop("problem")
    unchecked = ratings.filter(pl.col("scale").is_null() & pl.col("value").is_not_null()).height
    return Validated(kept, invalid, unchecked, on_invalid)


def _with_reason(invalid: pl.DataFrame, scales: tuple[Scale, ...]) -> pl.DataFrame:
    reasons = []
    for value, name, problem in invalid.select("value", "scale", "problem").iter_rows():
        scale = find_scale(name, scales)
        span = f"{scale.minimum:g} to {scale.maximum:g}"
        reasons.append(
            {
                "unset": f"unset: {value:g} on a scale from {span} means that it was not rated",
                "off the scale": f"{value:g} is off the scale from {span}",
                "between two points": f"{value:g} is between two points of the scale from {span}",
            }[problem]
        )
    columns = (*RATING_KEY, "value", "scale", "problem")
    return invalid.select(columns).with_columns(pl.Series("reason", reasons, dtype=pl.String)).select(INVALID.names())


def normalise(ratings: pl.DataFrame, *, scales: Iterable[Scale] = ()) -> pl.DataFrame:
    """The ratings with every value between 0 (lowest point of its scale) and 1 (highest), on the scale "0-1".

    Every rating must name its scale: a guess from the values that occur would shrink a scale that was not fully used.
    """
    require_ratings(ratings)
    nameless = ratings.filter(pl.col("scale").is_null() & pl.col("value").is_not_null())
    if nameless.height:
        key = show_key(nameless.row(0, named=True))
        raise InputError(f"ratings: [{key}] has no scale, so it cannot be normalised ({nameless.height} such ratings)")
    scales = tuple(scales)
    value = pl.lit(None, dtype=pl.Float64)
    for name in sorted(ratings["scale"].drop_nulls().unique()):
        value = pl.when(pl.col("scale") == name).then(find_scale(name, scales).fraction()).otherwise(value)
    return ratings.with_columns(value.alias("value"), pl.lit("0-1").alias("scale"))
