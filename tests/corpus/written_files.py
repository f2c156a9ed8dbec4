"""Tables written to files, as spreadsheets and other people's programs write them."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xlsxwriter

Rows = list[list[Any]]


def table(path: Path, rows: Rows, encoding: str = "utf-8", separator: str = ",", line_end: str = "\n") -> Path:
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator=line_end).writerows(rows)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(made.getvalue().encode(encoding))
    return path


def workbook(path: Path, sheets: Mapping[str, Rows]) -> Path:
    book = xlsxwriter.Workbook(str(path))
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    book.close()
    return path
