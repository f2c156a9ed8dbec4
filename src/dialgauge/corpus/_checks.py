"""The rules for every corpus, in one place: what the constructor refuses is what the readers skip."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.corpus._schema import KEY, RATING_KEY

#: The column in which readers keep the row a record came from; absent in frames that were built by hand.
ROW = "_row"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that breaks a rule: its table, where it came from (if known), its key, the reason, and the wrong value."""

    table: str
    row: int | None
    key: str
    reason: str
    given: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedRows:
    """The valid rows, and those that break a rule."""

    dialogues: pl.DataFrame
    summaries: pl.DataFrame
    ratings: pl.DataFrame
    bad: tuple[BadRow, ...]


def check_rows(dialogues: pl.DataFrame, summaries: pl.DataFrame, ratings: pl.DataFrame) -> CheckedRows:
    """Separate the valid rows from the others. A row is checked against the valid rows of the tables before it."""
    row_filter = RowFilter()
    dialogues = row_filter.keys("dialogues", dialogues, ("dialogue_id",))
    summaries = row_filter.keys("summaries", summaries, KEY)
    summaries = row_filter.drop("summaries", summaries, KEY, pl.col("text").is_null(), "the summary has no text")
    wrong_kind = pl.col("kind").is_null() | ~pl.col("kind").is_in(["system", "reference"])
    summaries = row_filter.drop("summaries", summaries, KEY, wrong_kind, "kind must be 'system' or 'reference'")
    orphan = ~pl.col("dialogue_id").is_in(dialogues["dialogue_id"].implode())
    summaries = row_filter.drop("summaries", summaries, KEY, orphan, "summary of a dialogue that is not in the corpus")
    ratings = row_filter.keys("ratings", ratings, RATING_KEY)
    unreal = pl.col("value").is_nan() | pl.col("value").is_infinite()
    ratings = row_filter.drop("ratings", ratings, RATING_KEY, unreal.fill_null(False), "the value is NaN or infinite")
    stray = ratings.join(summaries, on=list(KEY), how="anti", maintain_order="left")
    row_filter.bad += bad_rows("ratings", stray, RATING_KEY, "rating of a summary that is not in the corpus")
    if not stray.is_empty():
        ratings = ratings.join(summaries, on=list(KEY), how="semi", maintain_order="left")
    return CheckedRows(dialogues, summaries, ratings, tuple(row_filter.bad))


class RowFilter:
    """Takes invalid rows out of frames and remembers them."""

    def __init__(self) -> None:
        self.bad: list[BadRow] = []

    def keys(self, table: str, frame: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
        """The rows with a whole key that no earlier row has."""
        for column in key:
            if column != "sentence":
                absent = pl.col(column).is_null()
                frame = self.drop(table, frame, key, absent, f"a part of the key is missing: {column}")
        return self.drop(table, frame, key, ~pl.struct(key).is_first_distinct(), "duplicate key")

    def drop(
        self,
        table: str,
        frame: pl.DataFrame,
        key: Sequence[str],
        broken: pl.Expr,
        reason: str,
        given: str | None = None,
    ) -> pl.DataFrame:
        """The rows for which ``broken`` does not hold; the column ``given`` has the wrong values of the others."""
        if not frame.height:
            return frame
        marked = frame.with_columns(broken.alias("_broken"))
        if not marked["_broken"].any():
            return frame
        self.bad += bad_rows(table, marked.filter("_broken"), key, reason, given)
        return marked.filter(~pl.col("_broken")).drop("_broken")


def bad_rows(
    table: str, rows: pl.DataFrame, key: Sequence[str], reason: str, column: str | None = None
) -> list[BadRow]:
    """One :class:`BadRow` for each of these rows; ``column`` is the text column with the wrong value."""
    origin: list[int | None] = rows[ROW].to_list() if ROW in rows.columns else [None] * rows.height
    keys = rows.select(name for name in key if name in rows.columns).iter_rows()
    given: list[str | None] = [None] * rows.height if column is None else rows[column].to_list()
    return [
        BadRow(table, row, key_text(parts), reason, value)
        for row, parts, value in zip(origin, keys, given, strict=True)
    ]


def key_text(parts: Sequence[object]) -> str:
    """A key for people: its parts joined by slashes, a dash for a missing one, the trailing missing ones left out."""
    shown = ["–" if part is None else str(part) for part in parts]
    while len(shown) > 1 and shown[-1] == "–":
        shown.pop()
    return " / ".join(shown)
