"""XLSX, with the extra ``xlsx``: read with fastexcel, written with xlsxwriter."""

import zipfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._flat import flat_frame
from dialgauge.corpus._table import Table
from dialgauge.errors import InputError, MissingExtraError

#: A workbook that unpacks to more than this is refused before it is opened: it would fill the memory.
LARGEST_WORKBOOK = 2**30
_CELL = 32_767
_ROWS = 1_048_576


def load_xlsx(path: Path, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The rows of the first sheet that has any; a row's place is its number in the sheet."""
    del mapping
    _need("fastexcel", f"reading {path.name}")
    _refuse_bombs(path)
    import fastexcel

    try:
        book = fastexcel.read_excel(path)
        sheets = [book.load_sheet(name, dtypes="string") for name in book.sheet_names]
    except fastexcel.FastExcelError as error:
        raise InputError(f"{path}: cannot be read as XLSX: {error}") from error
    filled = [sheet for sheet in sheets if sheet.height] or sheets[:1]
    if not filled:
        return Table(pl.DataFrame(), lambda row: (str(path), None))
    notes = [f"only the sheet {filled[0].name!r} is read; left out: {', '.join(s.name for s in filled[1:])}"]
    texts = filled[0].to_polars()
    typed = book.load_sheet(filled[0].name, schema_sample_rows=None).to_polars()
    # Texts of numbers are rounded to nine digits, and numbers next to 'n/a' lose that cell: each where it is right.
    whole = [name for name in texts.columns if typed[name].null_count() == texts[name].null_count()]
    frame = texts.with_columns(typed.select(whole))
    return Table(frame, lambda row: (str(path), row + 2), notes=tuple(notes if len(filled) > 1 else ()))


def _need(module: str, feature: str) -> None:
    if find_spec(module) is None:
        raise MissingExtraError(feature, "xlsx")


def _refuse_bombs(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise InputError(f"{path}: cannot be read as XLSX: {error}") from error
    if unpacked > LARGEST_WORKBOOK:
        raise InputError(
            f"{path}: unpacks to {unpacked / 2**20:,.0f} MiB; more than {LARGEST_WORKBOOK / 2**20:,.0f} MiB are not "
            "opened. Save it as CSV or Parquet"
        )


def xlsx_cannot_hold(corpus: Corpus) -> str | None:
    """Why a workbook would not give this corpus back, or None."""
    frame = flat_frame(corpus)
    if frame.height >= _ROWS:
        return f"a sheet holds {_ROWS:,} rows, this corpus needs {frame.height + 1:,}"
    texts = frame.select(pl.selectors.string())
    for column in texts:
        if (column.str.len_chars() > _CELL).any() or (column.str.len_bytes() > _CELL).any():
            return f"a cell holds {_CELL:,} characters, and a text in {column.name!r} is longer"
        if (column == "").any():
            return f"a cell cannot tell an empty text from none, and {column.name!r} has an empty text"
        if column.str.contains(r"[\x{FFFE}\x{FFFF}]").any():
            return f"{column.name!r} has the characters U+FFFE or U+FFFF, which XML cannot hold"
    return None


def write_xlsx(corpus: Corpus, path: Path) -> None:
    """The corpus as one sheet. Texts are written as texts, never as formulas or links."""
    _need("xlsxwriter", f"writing {path.name}")
    import xlsxwriter

    frame = flat_frame(corpus)
    if "value" in frame.columns and any(float(f"{value:.16G}") != value for value in frame["value"].drop_nulls()):
        # A workbook keeps 16 digits. Where that is not enough, the whole column is text, which keeps them all.
        frame = frame.with_columns(pl.Series("value", [v if v is None else repr(v) for v in frame["value"]]))
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
