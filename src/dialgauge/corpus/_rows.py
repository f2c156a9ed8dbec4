"""The rows of a table under our own column names, and the list of invalid ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import polars as pl

from dialgauge.corpus._checks import ROW, BadRow, bad_rows
from dialgauge.corpus._markup import cell_without_markup, cleaned, has_entities, has_markup
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._schema import KEY
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import ORIGINAL, OVERALL, Dimension

_COLUMNS = (
    *("dialogue_id", "dialogue", "domain", "language", "meta", "system", "summary", "variant", "role", "kind"),
    *(
        "provenance",
        "annotator",
        "dimension",
        "value",
        "sentence",
        "scale",
        "comment",
        "time",
        "ratings_origin",
        "seed",
    ),
)
_DEFAULTS = {"variant": ORIGINAL, "role": OVERALL}


@dataclass(slots=True)
class Rows:
    """The rows that are valid so far (``frame``), with the problems and notes found on the way.

    The frame has a text column for every use; several references, dimensions and meta values have columns of their
    own (``reference:0``, ``dimension:coherence``, ``comment:coherence``, ``meta:topic``). ``shifts`` has the new place
    of every character of texts whose markup went.
    """

    frame: pl.DataFrame
    plan: Plan
    commas: bool = True
    bad: list[BadRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    declared: list[Dimension] = field(default_factory=list)
    merged: list[pl.DataFrame] = field(default_factory=list)
    rows_merged: int = 0
    conflicts: int = 0
    shifts: dict[str, list[int]] = field(default_factory=dict)
    place: Callable[[int], tuple[str, int | None]] = field(default=lambda row: ("", row))

    @classmethod
    def of(cls, table: Table, plan: Plan, *, html: str = "remove") -> "Rows":
        """The rows of a table; empty ones are skipped."""
        frame = table.frame
        columns = [
            as_text(plan.uses[use][0], frame).alias(use) if use in plan.uses else _constant(use, plan)
            for use in _COLUMNS
        ]
        columns += [
            as_text(column, frame).alias(f"reference:{number}")
            for number, column in enumerate(plan.uses.get("reference", ()))
        ]
        columns += [
            as_text(names[0], frame).alias(use)
            for use, names in plan.uses.items()
            if use.startswith(("dimension:", "meta:", "comment:"))
        ]
        filled = pl.any_horizontal(pl.all().is_not_null()) if frame.width else pl.lit(False)
        rows = frame.select(*columns, filled.alias("_filled")).with_row_index(ROW).filter("_filled").drop("_filled")
        defaults = [pl.col(column).fill_null(value) for column, value in _DEFAULTS.items()]
        rows = rows.with_columns(pl.col(ROW).cast(pl.Int64), *defaults)
        made = cls(rows, plan, table.separator != ",", notes=[*table.notes, *plan.notes], place=table.place)
        if html == "remove":
            made._remove_markup()
        return made

    def columns(self, prefix: str) -> list[str]:
        """The columns with this prefix (``reference``, ``dimension`` or ``meta``)."""
        return [column for column in self.frame.columns if column.startswith(f"{prefix}:")]

    def drop(self, broken: pl.Expr, reason: str, key: Iterable[str] = KEY) -> None:
        """Skip the rows for which ``broken`` holds."""
        marked = self.frame.with_columns(broken.fill_null(False).alias("_broken"))
        if marked["_broken"].any():
            self.bad += bad_rows("rows", marked.filter("_broken"), tuple(key), reason)
            self.frame = marked.filter(~pl.col("_broken")).drop("_broken")

    def merge(self, again: pl.Expr) -> None:
        """Skip the rows for which ``again`` holds: they say what an earlier row says."""
        marked = self.frame.with_columns(again.fill_null(False).alias("_again"))
        self.rows_merged += int(marked["_again"].sum())
        self.frame = marked.filter(~pl.col("_again")).drop("_again")

    def rated(self) -> pl.Expr:
        """Whether a row carries a rating."""
        return pl.any_horizontal(pl.col("annotator", "dimension", "value", *self.columns("dimension")).is_not_null())

    def fill_down(self) -> None:
        """Repeat names that stand only in the first of several rows, as merged cells of spreadsheets are saved."""
        filled = 0
        for name, text, within in (("dialogue_id", "dialogue", []), ("system", "summary", ["dialogue_id"])):
            if name not in self.plan.uses:
                continue
            given = self.frame.filter(pl.col(name).is_not_null())
            below = pl.col(name).is_null() & pl.col(text).is_null() & self.rated()
            if name == "dialogue_id":
                below = (
                    pl.col(name).is_null() & pl.col(text).is_null() & (self.rated() | pl.col("summary").is_not_null())
                )
            number = int(self.frame.select(below.sum()).item())
            # Where a name occurs in several rows of its own, an empty cell is an omission and not a repetition.
            if not number or given.is_empty() or given.select([*within, name]).is_duplicated().any():
                continue
            files = pl.Series("_file", [self.place(row)[0] for row in self.frame[ROW]], pl.String)
            above = pl.col(name).forward_fill().over([*within, files])  # the last name of another file says nothing
            empty = self.frame[name].null_count()
            self.frame = self.frame.with_columns(pl.when(below).then(above).otherwise(pl.col(name)).alias(name))
            filled += empty - self.frame[name].null_count()
        if filled:
            self.notes.append(f"{filled} empty cells below a name were read as that name, as in merged cells")

    def _remove_markup(self) -> None:
        """Take tags and character codes out of texts, and say so."""
        changed = 0
        for column in ("dialogue", "summary", "seed", *self.columns("reference")):
            suspects = [pl.col(column).str.contains(character, literal=True) for character in "<&"]
            texts = self.frame.filter(pl.any_horizontal(suspects))[column].unique(maintain_order=True).to_list()
            tags = has_markup(texts)
            new = {}
            for text in texts:
                if tags or has_entities(text):
                    plain = cell_without_markup(text, tags=tags)
                    if plain != text:
                        new[text] = plain
                        if column == "summary":
                            self.shifts[plain] = cleaned(text, tags=tags)[1]
            if new:
                changed += len(new)
                self.frame = self.frame.with_columns(pl.col(column).replace(new))
        if changed:
            self.notes.append(
                f"HTML was taken out of {changed} texts (tags, and characters like &amp;); html = 'keep' keeps it"
            )


def to_problems(bad: Iterable[BadRow], table: Table) -> list[Problem]:
    """Bad rows with their places, in the order of the file."""
    problems = []
    for row in sorted(bad, key=lambda bad: -1 if bad.row is None else bad.row):
        file, line = table.place(row.row) if row.row is not None else (row.table, None)
        problems.append(Problem(file, line, row.key, row.reason, row.given))
    return problems


def _constant(use: str, plan: Plan) -> pl.Expr:
    return pl.lit(plan.constants.get(use), pl.String).alias(use)


def as_text(column: str, frame: pl.DataFrame) -> pl.Expr:
    """A column as text. Whole numbers that a spreadsheet or pandas turned into floats lose their ``.0`` again."""
    values = pl.col(column)
    if frame.schema[column].is_float():
        whole = (values == values.floor()) & (values.abs() < 2**53)
        text = values.cast(pl.Int64, strict=False).cast(pl.String)
        return pl.when(whole).then(text).otherwise(values.cast(pl.String))
    return values.cast(pl.String)
