"""Printed numbers: the cells of a table in a paper, and whether a recomputed value rounds to them.

A paper prints ``0.4`` for 0.40, ``.37`` for 0.37, ``-0.00`` for 0 and ``0.66**`` for a significant 0.66. What is typed
in is kept as printed; everything that is compared is compared as decimals, never as binary fractions.
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.tables import NOTHING

if TYPE_CHECKING:
    from dialgauge.web import Figure

#: A comma is allowed only between thousands: a number that begins with 0 has none, so 0,690 is not 690.
_NUMBER = re.compile(r"([+-]?)([1-9]\d{0,2}(?:,\d{3})+|\d*)(?:\.(\d+))?\s*%?")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+\s*%?")
#: Decimals below this are noise of floating-point sums, not digits to round by.
_NOISE = 12
#: Decimals of a recomputed value beside a printed one that it does not match.
_MORE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed: ``text`` without its stars, its value, its decimals, and how many stars."""

    text: str
    value: Decimal
    decimals: int
    stars: int = 0

    def __str__(self) -> str:
        return self.text + "*" * self.stars


def parse_printed(text: str, where: str = "") -> Printed:
    """Read one printed number: signs (also −), a missing leading zero, thousands commas, a percent sign, stars.

    A decimal comma is refused, never guessed. ``where`` begins the message: the file, line or cell of the number.
    """
    named = f"{where}: printed number {text!r}" if where else f"printed number {text!r}"
    bare = text.strip()
    stars = len(bare) - len(bare.rstrip("*"))
    bare = bare.rstrip("*").strip()
    plain = bare.replace("−", "-").replace("–", "-")
    match = _NUMBER.fullmatch(plain)
    if match is None and _DECIMAL_COMMA.fullmatch(plain):
        point = plain.replace(".", "").replace(",", ".")
        raise InputError(
            f"{named}: has a decimal comma; write a decimal point, as in {point} "
            "(a comma is read between thousands only, as in 4,200)"
        )
    if match is None or not (match[2] or match[3]):
        raise InputError(f"{named}: not a number; write it as in 0.67, .67, -0.1 or 0.67**")
    decimals = len(match[3] or "")
    value = Decimal(f"{match[1]}{match[2].replace(',', '') or '0'}.{match[3] or '0'}")
    return Printed(bare, value + 0, decimals, stars)


def round_half_up(value: float | Decimal, decimals: int) -> Decimal:
    """Round by hand: on the decimal digits, halves away from zero, and never to −0."""
    exact = value if isinstance(value, Decimal) else Decimal(f"{value:.{_NOISE}f}")
    return exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP) + 0


def round_twice(value: float, via: int, decimals: int) -> Decimal:
    """Round to ``via`` decimals (what the code printed), then those to ``decimals`` (what the table shows).

    0.36498 is 0.36 when rounded once and 0.37 when it passed through 0.3650.
    """
    return round_half_up(round_half_up(value, via), decimals)


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """One table as printed. Rows have a key (distinct) and the name on the page; columns have a key each.

    ``decimals`` are those of the table (a cell may drop trailing zeros), ``via`` those that the study's code printed
    before the table was typed. ``bold`` has the rows in bold face, for the columns where that means something.
    """

    name: str
    title: str
    row_names: Mapping[str, str]
    columns: tuple[str, ...]
    entries: Mapping[tuple[str, str], Printed]
    decimals: int
    via: int | None = None
    bold: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[str, ...]:
        """The keys of the rows in printed order."""
        return tuple(self.row_names)

    @property
    def labels(self) -> dict[str, str]:
        """The printed name of each row key; where the page prints one name twice, the key is added."""
        printed = list(self.row_names.values())
        return {key: name if printed.count(name) == 1 else f"{name} ({key})" for key, name in self.row_names.items()}

    def select(self, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None) -> "PrintedTable":
        """The table with these rows and columns only."""
        kept = {key: name for key, name in self.row_names.items() if rows is None or key in rows}
        wanted = tuple(column for column in self.columns if columns is None or column in columns)
        entries = {key: cell for key, cell in self.entries.items() if key[0] in kept and key[1] in wanted}
        return replace(self, row_names=kept, columns=wanted, entries=entries)

    def rounded(self, value: float) -> Decimal:
        """A value as this table would show it."""
        if self.via is None:
            return round_half_up(value, self.decimals)
        return round_twice(value, self.via, self.decimals)


def read_published(file: str) -> dict[str, Any]:
    """The contents of a file of ``papers``: the printed tables of a paper, and other numbers that it reports."""
    return tomllib.loads((files("dialgauge.reproduce") / "papers" / file).read_text(encoding="utf-8"))


def load_printed(file: str) -> dict[str, PrintedTable]:
    """The tables of one paper, typed into a file of ``papers`` (:attr:`Paper.printed`), by their number.

    Each ``[tables.N]`` has ``title``, ``columns``, ``rows`` (``key = ["printed name", "cell", "cell" …]``, an empty
    text for a cell that the page leaves blank) and, where the digits do not say it, ``decimals`` and ``via`` (the
    decimals that the study's code printed before the table was typed from them). ``bold`` lists the rows in bold face.
    """
    return {name: _printed_table(name, table) for name, table in read_published(file)["tables"].items()}


def _printed_table(name: str, table: Mapping[str, Any]) -> PrintedTable:
    columns: list[str] = table["columns"]
    names: dict[str, str] = {}
    entries: dict[tuple[str, str], Printed] = {}
    for key, (printed_name, *cells) in table["rows"].items():
        if len(cells) != len(columns):
            raise InputError(f"published table {name}: row {key!r} has {len(cells)} cells for {len(columns)} columns")
        names[key] = printed_name
        for column, text in zip(columns, cells, strict=True):
            if text:
                entries[key, column] = parse_printed(text, f"published table {name}, row {key!r}, column {column!r}")
    decimals: int = table.get("decimals", max((printed.decimals for printed in entries.values()), default=0))
    via: int | None = table.get("via")
    bold = {column: frozenset(keys) for column, keys in table.get("bold", {}).items()}
    return PrintedTable(name, str(table["title"]), names, tuple(columns), entries, decimals, via, bold)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the printed value, the recomputed value, and whether they match after rounding.

    ``recomputed`` is None where the data give no value; ``note`` then says why. ``shown`` is the recomputed value with
    the digits of the table, ``interval`` its confidence interval where one was computed. ``original`` is the value of
    the study that the paper repeats, with the digits of the table; papers colour what is higher or lower.
    """

    row: str
    column: str
    printed: str
    value: float
    recomputed: float | None
    matches: bool
    shown: str = ""
    note: str = ""
    interval: tuple[float, float] | None = None
    original: float | None = None

    @property
    def exact(self) -> str:
        """The recomputed value with more digits than are printed; a count stays a whole number."""
        if self.recomputed is None:
            return NOTHING
        counted = "." not in self.printed and self.recomputed == int(self.recomputed)
        return f"{self.recomputed:.{0 if counted else _MORE_DIGITS}f}"

    @property
    def way(self) -> str:
        """Whether the printed value is ``higher`` or ``lower`` than that of the original study; empty for neither."""
        if self.original is None or self.value == self.original:
            return ""
        return "higher" if self.value > self.original else "lower"


@dataclass(frozen=True, slots=True)
class TableCheck:
    """All cells of one table. ``corrected`` marks values that should differ from the print, ``text`` says why."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    corrected: bool = False
    text: str = ""

    @property
    def matched(self) -> int:
        """How many cells match the printed value."""
        return sum(cell.matches for cell in self.cells)

    @property
    def total(self) -> int:
        """How many cells there are."""
        return len(self.cells)

    @property
    def mismatches(self) -> tuple[Cell, ...]:
        """The cells that do not match the printed value."""
        return tuple(cell for cell in self.cells if not cell.matches)

    @property
    def verdict(self) -> str:
        """In words."""
        missed = self.total - self.matched
        if self.corrected:
            return f"{missed} {'cell changes' if missed == 1 else 'cells change'}"
        if not missed:
            return "reproduced"
        return f"all but {missed} {'cell' if missed == 1 else 'cells'}" if self.matched else "not reproduced"


def check_table(
    table: PrintedTable,
    values: Mapping[tuple[str, str], float | None],
    *,
    name: str | None = None,
    title: str | None = None,
    corrected: bool = False,
    text: str = "",
    notes: Mapping[tuple[str, str], str] | None = None,
    intervals: Mapping[tuple[str, str], tuple[float, float]] | None = None,
    near: Callable[[float, float], bool] | None = None,
    originals: Mapping[tuple[str, str], float | None] | None = None,
) -> TableCheck:
    """Compare every printed cell with the recomputed value of the same row and column.

    A value that is absent, None or NaN is a cell that does not match. Rows appear under ``table.labels``. A value
    matches where it rounds to what is printed or, for numbers that were rounded in a manner unknown to us, where
    ``near(value, printed)`` says so. ``originals`` are the values of the study that the paper repeats.
    """
    notes, intervals, originals = notes or {}, intervals or {}, originals or {}
    cells = []
    for (row, column), printed in table.entries.items():
        value = values.get((row, column))
        if value is not None and not math.isfinite(value):
            value = None
        shown = None if value is None else table.rounded(value)
        before = originals.get((row, column))
        note = notes.get((row, column), "no value in the data" if value is None else "")
        cells.append(
            Cell(
                row=table.labels[row],
                column=column,
                printed=str(printed),
                value=float(printed.value),
                recomputed=value,
                matches=value is not None and (near(value, float(printed.value)) if near else shown == printed.value),
                shown=NOTHING if shown is None else str(shown),
                note=note,
                interval=intervals.get((row, column)),
                original=None if before is None else float(table.rounded(before)),
            )
        )
    return TableCheck(name or table.name, title or table.title, tuple(cells), corrected, text)


@dataclass(frozen=True, slots=True)
class Defect:
    """Something wrong in a study, found in its data or its print. ``check`` names the general check that found it.

    An "error" makes numbers wrong, a "warning" makes them doubtful, a "note" is for information. ``keys`` are the
    places, where there are several.
    """

    check: str
    severity: Literal["error", "warning", "note"]
    where: str
    message: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """A row of a :class:`Layout`: numbers of the paper (``printed``) or of ours, None where there is none.

    ``texts`` are the numbers as they are shown, an empty text where there is none.
    """

    name: str
    printed: bool
    values: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A table in the layout of the paper: its rows as printed, and ours below, which are not expected to be equal.

    For what was made with other models than those of the paper, because those are not public. ``signed`` are the
    columns of differences: the page colours what is above and below 0.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[LayoutRow, ...]
    text: str = ""
    signed: frozenset[str] = frozenset()

    @property
    def ours(self) -> bool:
        """Whether there are rows that dialgauge computed."""
        return any(not row.printed for row in self.rows)


def printed_rows(table: PrintedTable) -> tuple[LayoutRow, ...]:
    """The rows of a printed table for a layout."""
    rows = []
    for key, label in table.labels.items():
        cells = [table.entries.get((key, column)) for column in table.columns]
        values = tuple(None if cell is None else float(cell.value) for cell in cells)
        rows.append(LayoutRow(label, True, values, tuple("" if cell is None else str(cell) for cell in cells)))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class PaperCheck:
    """A recomputed paper: its tables, cell by cell, and the defects that were found.

    ``facts`` are further results of this paper alone; they are beside the tables in the JSON. ``layouts`` are tables
    that cannot be recomputed exactly, shown with the closest that can. ``figures`` are for the page.
    """

    paper: str
    title: str
    tables: tuple[TableCheck, ...]
    defects: tuple[Defect, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    layouts: tuple[Layout, ...] = ()
    figures: "tuple[Figure, ...]" = ()

    def table(self, name: str) -> TableCheck:
        """One table by its name."""
        for table in self.tables:
            if table.name == name:
                return table
        names = [*(table.name for table in self.tables), *(layout.name for layout in self.layouts)]
        raise UnknownNameError("table", name, names)


def study_folder(data: Path, name: str, needed: Sequence[str]) -> Path:
    """The folder with these files: ``data`` itself or the folder ``name`` in it. What is missing is named."""
    if not data.is_dir():
        raise InputError(f"study data {data}: {'not a folder' if data.exists() else 'no such folder'}")
    candidates = [data, data / name]
    missing = {folder: [file for file in needed if not (folder / file).is_file()] for folder in candidates}
    for folder in candidates:
        if not missing[folder]:
            return folder
    folder = min(candidates, key=lambda candidate: len(missing[candidate]))
    raise InputError(
        f"study data {data}: no {', '.join(missing[folder])} in {folder}; needed are {', '.join(needed)}, "
        f"in the folder itself or in {name}/ below it"
    )
