"""XLSX, with the extra ``xlsx``: read with fastexcel, written with xlsxwriter."""

import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus._call_blocks import may_have_blocks, read_blocks
from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._flat import flat_frame
from dialgauge.corpus._forms import is_form, sheet_of_forms
from dialgauge.corpus._headings import LOOKED_AT, distinct_names, find_headings
from dialgauge.corpus._merged_cells import Merged, filled_down, merged_down
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._table import Sheet, Table, refuse_width
from dialgauge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import fastexcel

#: A workbook that unpacks to more bytes than this, or whose sheets span more cells, is refused before it is opened: it
#: would fill the memory. A single cell in the last corner makes a sheet of seventeen billion cells.
LARGEST_WORKBOOK = 2**28
MOST_CELLS = 5_000_000
_CELL = 32_767
_ROWS = 1_048_576
_READ_AT_ONCE = 2**20
#: Rows and cells with their positions. Attributes do not contain "<", so a tag ends before the next one.
_ROW = re.compile(rb"<(?:[\w.-]+:)?row(?=[\s/>])")
_ROW_AT = re.compile(rb"""[^<]*?\sr\s*=\s*["'](\d{1,9})["']""")
_IN_ROW = re.compile(rb"<(?:[\w.-]+:)?c(?=[\s/>])")
_AT = re.compile(rb"""<(?:[\w.-]+:)?c\s(?:[^<]*?\s)?r\s*=\s*["']([A-Za-z]{1,3})(\d{1,9})["']""")


def load_xlsx(path: Path) -> Table:
    """The rows of the sheets that hold data of a corpus; a row's place is its number in its sheet."""
    _need("fastexcel", f"reading {path.name}")
    _refuse_bombs(path)
    import fastexcel

    try:
        book = fastexcel.read_excel(path)
    except (fastexcel.FastExcelError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as XLSX: {error}") from error
    notes: list[str] = []
    merged = merged_down(path) if path.suffix.lower() != ".ods" else {}
    forms = _forms(book, path)
    sheets = [name for name in book.sheet_names if forms is None or name not in forms[1]]
    found = [made for name in sheets if (made := _sheet(book, name, path, notes, merged.get(name, ()))) is not None]
    if forms is not None:
        notes.append(f"a form each, read as rows of answers: {', '.join(forms[1])}")
        found.insert(0, forms[0])
    if not found:
        return Table(pl.DataFrame(), lambda row: (str(path), None))
    shown = [sheet for sheet in found if sheet.name not in book.sheet_names or _is_shown(book, sheet.name)]
    return one_table(shown or found, notes, hidden=[sheet for sheet in found if sheet not in shown] if shown else ())


def _forms(book: "fastexcel.ExcelReader", path: Path) -> tuple[Sheet, list[str]] | None:
    """The sheets that are the same form, as one; None where there are none such."""
    import fastexcel

    where: dict[str, Any] = {"header_row": None, "skip_rows": 0, "dtypes": "string"}
    try:
        begun = [name for name in book.sheet_names if is_form(_grid(book, name, n_rows=LOOKED_AT, **where))]
        named = [name for name in begun if _is_shown(book, name)]
        grids = {name: _grid(book, name, **where) for name in named}
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, ValueError):  # said where the sheet is read
        return None
    return sheet_of_forms(grids, str(path))


def _grid(book: "fastexcel.ExcelReader", name: str, **where: Any) -> list[tuple[str | None, ...]]:
    return list(book.load_sheet(name, **where).to_polars().iter_rows())


def _is_shown(book: "fastexcel.ExcelReader", name: str) -> bool:
    """Whether a sheet can be seen: who hides one does not mean it to be read."""
    return bool(book.load_sheet(name, n_rows=0).visible == "visible")


def _sheet(
    book: "fastexcel.ExcelReader", name: str, path: Path, notes: list[str], merged: Sequence[Merged]
) -> Sheet | None:
    """The rows of a sheet below its headings; None where it has none."""
    import fastexcel

    try:
        raw = book.load_sheet(name, header_row=None, skip_rows=0, n_rows=LOOKED_AT, dtypes="string").to_polars()
        if raw.is_empty():
            return None
        refuse_width(raw.width, str(path))
        if may_have_blocks(list(raw.iter_rows())) and (made := _blocks(book, name, path, notes)) is not None:
            return made
        headings = find_headings(list(raw.iter_rows()))
        names = distinct_names(headings.names or raw.row(headings.row))
        where: dict[str, Any] = {"header_row": None, "skip_rows": headings.data, "column_names": names}
        texts = book.load_sheet(name, dtypes="string", **where).to_polars()
        typed = book.load_sheet(name, schema_sample_rows=None, **where).to_polars()
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as XLSX: {error}") from error
    if texts.is_empty():
        return None
    if (said := headings.note()) is not None:
        notes.append(f"{name}: {said}")
    # Numbers read as text are rounded to nine digits, and numbers next to 'n/a' lose that cell: use each where it fits.
    whole = [name for name in texts.columns if typed[name].null_count() == texts[name].null_count()]
    file = str(path) if len(book.sheet_names) == 1 else f"{path} [{name}]"
    frame = filled_down(texts.with_columns(typed.select(whole)), merged, headings.data)
    return Sheet(name, frame, lambda row: (file, row + headings.data + 1))


def _blocks(book: "fastexcel.ExcelReader", name: str, path: Path, notes: list[str]) -> Sheet | None:
    """A sheet with a block for each call, as one table; None where it has none such."""
    found = read_blocks(_grid(book, name, header_row=None, skip_rows=0, dtypes="string"))
    if found is None:
        return None
    notes.append(f"{name}: a transcript and a table for each call, one below the other, read as one table")
    file = str(path) if len(book.sheet_names) == 1 else f"{path} [{name}]"
    frame = pl.DataFrame(found.rows, schema=dict.fromkeys(found.names, pl.String), orient="row")
    return Sheet(name, frame, lambda row: (file, found.places[row] + 1 if row < len(found.places) else None))


def _need(module: str, feature: str) -> None:
    if find_spec(module) is None:
        raise MissingExtraError(feature, "xlsx")


def _refuse_bombs(path: Path) -> None:
    """Scan the archive without opening it as a workbook, and without trusting the sizes in its directory."""
    cells = 0
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            unpacked = sum(entry.file_size for entry in entries)
            if unpacked > LARGEST_WORKBOOK:
                raise InputError(
                    f"{path}: unpacks to {unpacked / 2**20:,.0f} MiB; the limit is {LARGEST_WORKBOOK / 2**20:,.0f}. "
                    "Save it as CSV or Parquet"
                )
            for entry in entries:
                span = _Span()
                with archive.open(entry) as stream:
                    # A stream ends, with an error, where the directory says that it ends.
                    while data := stream.read(_READ_AT_ONCE):
                        span.look(data)
                        if cells + span.cells > MOST_CELLS:
                            raise InputError(
                                f"{path}: its sheets span more than {MOST_CELLS:,} cells (empty ones before the last "
                                "count), which is the limit. Save what you need of it as CSV or Parquet"
                            )
                cells += span.cells
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise InputError(f"{path}: cannot be read as XLSX: {error}") from error


@dataclass(slots=True)
class _Span:
    """How many cells a part of a workbook spans at most, from its first row and column to the last that it names.

    Rows and cells without a position follow the one before; they are counted in addition.
    """

    rows: int = 0
    columns: int = 0
    unnamed_rows: int = 0
    unnamed_columns: int = 0
    unnamed_here: int = 0
    rest: bytes = b""

    @property
    def cells(self) -> int:
        return (self.rows + self.unnamed_rows) * (self.columns + self.unnamed_columns)

    def look(self, data: bytes) -> None:
        """Process the next bytes; an incomplete tag waits for those after them."""
        data = self.rest + data
        end = max(data.rfind(b"<"), 0)
        self.rest = data[end:]
        for number, piece in enumerate(_ROW.split(data[:end])):
            if number:
                self.unnamed_here = 0
                named = _ROW_AT.match(piece)
                self.rows = max(self.rows, int(named[1]) if named else 0)
                self.unnamed_rows += named is None
            places = _AT.findall(piece)
            if places:
                self.rows = max(self.rows, *map(int, {digits for _, digits in places}))
                self.columns = max(self.columns, *map(_column, {letters for letters, _ in places}))
            self.unnamed_here += len(_IN_ROW.findall(piece)) - len(places)
            self.unnamed_columns = max(self.unnamed_columns, self.unnamed_here)


def _column(letters: bytes) -> int:
    """The number of a column: A is 1, XFD 16,384."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def xlsx_cannot_hold(corpus: Corpus) -> str | None:
    """Why a workbook cannot store this corpus without loss, or None."""
    reason = _sheet_cannot_hold(flat_frame(corpus))
    return reason and f"{reason}. Use Parquet or JSONL"


def _sheet_cannot_hold(frame: pl.DataFrame) -> str | None:
    if frame.height >= _ROWS:
        return f"a sheet holds {_ROWS:,} rows, this corpus needs {frame.height + 1:,}"
    texts = frame.select(pl.selectors.string())
    for column in texts:
        if (column.str.len_chars() > _CELL).any() or (column.str.len_bytes() > _CELL).any():
            return f"a cell holds {_CELL:,} characters, and a text in {column.name!r} is longer"
        if (column == "").any():
            return f"a cell cannot distinguish an empty text from a missing one, and {column.name!r} has an empty text"
        if column.str.contains(r"[\x{FFFE}\x{FFFF}]").any():
            return f"{column.name!r} has the characters U+FFFE or U+FFFF, which XML cannot hold"
    return None


def write_xlsx(corpus: Corpus, path: Path) -> None:
    """The corpus as one sheet. Texts are written as texts, never as formulas or links."""
    _need("xlsxwriter", f"writing {path.name}")
    import xlsxwriter

    frame = flat_frame(corpus)
    for column in ("value", "strength"):
        if column in frame.columns and any(float(f"{value:.16G}") != value for value in frame[column].drop_nulls()):
            # A workbook keeps 16 digits. Where that is not enough, the whole column is text, which keeps them all.
            frame = frame.with_columns(pl.Series(column, [v if v is None else repr(v) for v in frame[column]]))
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    sheet = book.add_worksheet("corpus")
    bold = book.add_format({"bold": True})
    for number, name in enumerate(frame.columns):
        sheet.write_string(0, number, name, bold)
    sheet.freeze_panes(1, 0)
    for row, values in enumerate(frame.iter_rows(), start=1):
        for number, value in enumerate(values):
            if isinstance(value, str):
                sheet.write_string(row, number, value)
            elif value is not None:
                sheet.write_number(row, number, value)
    try:
        book.close()
    except xlsxwriter.exceptions.XlsxWriterException as error:
        raise OSError(str(error)) from error
