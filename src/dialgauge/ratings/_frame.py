"""The requirements for a ratings frame, and the frame as arrays of units, annotators and values."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.corpus import KEY, RATING_KEY, RATINGS
from dialgauge.errors import InputError, UnknownNameError

#: What annotators rate: a summary, or one sentence of it, on one dimension.
UNIT = (*KEY, "sentence", "dimension")


def show_key(row: dict[str, object], columns: tuple[str, ...] = RATING_KEY) -> str:
    """The key of a row for people; parts with their default value are left out."""
    defaults = {"variant": "original", "role": "overall", "sentence": None}
    parts = ((column, row[column]) for column in columns if column in row)
    return " / ".join(
        f"sentence {value}" if column == "sentence" else str(value)
        for column, value in parts
        if column not in defaults or value != defaults[column]
    )


def require_ratings(ratings: pl.DataFrame) -> pl.DataFrame:
    """The frame itself, if it is valid.

    Its columns must be those of ``dialgauge.corpus.RATINGS`` (``corpus.ratings`` has them), its values finite numbers
    or null, its keys distinct. Otherwise the error names the first offending key and counts the others.
    """
    absent = [column for column in RATINGS if column not in ratings.columns]
    if absent:
        raise InputError(
            f"ratings: missing column {absent[0]!r}; use corpus.ratings or build the frame with ratings_frame"
        )
    _require_types(ratings)
    not_finite = ratings.filter(~pl.col("value").is_finite())
    _refuse(not_finite, "the value is NaN or infinite; a missing rating must be null")
    _refuse(ratings.filter(~pl.struct(RATING_KEY).is_first_distinct()), "duplicate rating")
    return ratings


def _require_types(ratings: pl.DataFrame) -> None:
    if ratings["value"].dtype == pl.String:
        texts = ratings.filter(pl.col("value").is_not_null() & pl.col("value").cast(pl.Float64, strict=False).is_null())
        _refuse(texts, "the value is a text, not a number")
    for column, dtype in RATINGS.items():
        if ratings[column].dtype != dtype:
            raise InputError(f"ratings: column {column!r} must be {dtype}; got {ratings[column].dtype}")


def _refuse(rows: pl.DataFrame, reason: str) -> None:
    if rows.height:
        first = rows.row(0, named=True)
        more = f" (and {rows.height - 1} more)" if rows.height > 1 else ""
        raise InputError(f"ratings: [{show_key(first)}] {first['value']!r}: {reason}{more}")


def select_dimensions(ratings: pl.DataFrame, dimensions: list[str] | None) -> pl.DataFrame:
    """The ratings on these dimensions; a dimension that nobody rated is refused by name."""
    if dimensions is None:
        return ratings
    known = ratings["dimension"].unique().to_list()
    for dimension in dimensions:
        if dimension not in known:
            raise UnknownNameError("dimension", dimension, known)
    return ratings.filter(pl.col("dimension").is_in(dimensions))


@dataclass(frozen=True, slots=True)
class UnitRatings:
    """The ratings that were given, as arrays: the number of the unit, the number of the annotator, the value.

    They are sorted by unit, then annotator. ``units`` holds the key of each unit (sorted; units without any rating have
    one too), ``annotators`` the names. There is no matrix of units by annotators, because a crowd fills
    hardly any of it. ``two_sided``: the values 0 and 1 are the sides of a pair, of which none is the first by nature.
    """

    unit: IntArray
    annotator: IntArray
    value: FloatArray
    units: pl.DataFrame
    annotators: tuple[str, ...]
    two_sided: bool = False

    @property
    def sizes(self) -> IntArray:
        """The number of ratings of each unit."""
        return np.bincount(self.unit, minlength=self.units.height).astype(np.int64)

    def clusters(self, by: tuple[str, ...] = KEY) -> IntArray:
        """For each unit the number of its cluster: what belongs to one summary (or dialogue) is drawn together."""
        ranks = self.units.select(pl.struct(by).rank("dense")).to_series()
        return ranks.to_numpy().astype(np.int64) - 1


def unit_ratings(ratings: pl.DataFrame, *, two_sided: bool = False) -> UnitRatings:
    """The arrays of a checked ratings frame. Nulls are no ratings; their units and annotators are kept."""
    annotators = tuple(sorted(ratings["annotator"].unique()))
    grouped = ratings.group_by(UNIT).agg(pl.col("annotator", "value")).sort(UNIT).with_row_index("unit")
    flat = grouped.select("unit", "annotator", "value").explode("annotator", "value").drop_nulls("value")
    unit = flat["unit"].to_numpy().astype(np.int64)
    who = flat["annotator"].cast(pl.Enum(annotators)).to_physical().to_numpy().astype(np.int64)
    order = np.argsort(unit * max(1, len(annotators)) + who)
    value = flat["value"].to_numpy()[order]
    return UnitRatings(unit[order], who[order], value, grouped.select(UNIT), annotators, two_sided)


def ratings_of_matrix(matrix: FloatArray) -> UnitRatings:
    """The arrays of a matrix of units × annotators, in which NaN marks a missing rating."""
    unit, who = np.nonzero(~np.isnan(matrix))
    keys = pl.DataFrame({"unit": np.arange(len(matrix))})
    names = tuple(map(str, range(matrix.shape[1])))
    return UnitRatings(unit.astype(np.int64), who.astype(np.int64), matrix[unit, who], keys, names)
