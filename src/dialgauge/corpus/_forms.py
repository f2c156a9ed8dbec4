"""Workbooks with a form for each dialogue: labels with their values, and below them a table of answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._table import Sheet

Grid = Sequence[Sequence[str | None]]
#: So many labels make a form, so many filled cells the headings of a table.
_FEWEST_LABELS, _FEWEST_HEADINGS = 3, 3
_FEWEST_FORMS = 2


@dataclass(frozen=True, slots=True)
class _Form:
    """The values by their labels, the headings of the table, and its rows with their numbers in the sheet."""

    values: Mapping[str, str]
    headings: tuple[str, ...]
    rows: Sequence[tuple[int, tuple[str | None, ...]]]


def sheet_of_forms(grids: Mapping[str, Grid], file: str) -> tuple[Sheet, list[str]] | None:
    """All sheets of a workbook that are the same form as one sheet, with a row for each answer; and their names."""
    forms = {name: form for name, grid in grids.items() if (form := _form(grid)) is not None}
    shapes = {(frozenset(form.values), form.headings) for form in forms.values()}
    if len(forms) < _FEWEST_FORMS or len(shapes) != 1:
        return None
    first = next(iter(forms.values()))
    labels = list(first.values)
    columns = [*labels, *first.headings]
    rows, places = list[list[str | None]](), list[tuple[str, int]]()
    for name, form in forms.items():
        rows += [[*(form.values[label] for label in labels), *row] for _, row in form.rows]
        places += [(f"{file} [{name}]", number) for number, _ in form.rows]
    if len(set(columns)) < len(columns):
        return None
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return Sheet("forms", frame, lambda row: places[row] if row < len(places) else places[-1]), list(forms)


def is_form(grid: Grid) -> bool:
    """Whether a sheet begins as a form does."""
    return _form(grid) is not None


def _form(grid: Grid) -> _Form | None:
    """What a sheet says as a form; None where it is none: it must name a dialogue's text, or a summary's."""
    values: dict[str, str] = {}
    for number, row in enumerate(grid):
        filled = [place for place, cell in enumerate(row) if cell is not None and cell.strip()]
        if filled == [0, 1]:
            label = str(row[0]).strip().rstrip(":")
            if label in values:
                return None
            values[label] = str(row[1])
        elif len(filled) >= _FEWEST_HEADINGS:
            return _with_table(values, filled, grid, number)
        elif len(filled) > 1:
            return None
    return None


def _with_table(values: Mapping[str, str], filled: Sequence[int], grid: Grid, number: int) -> _Form | None:
    if len(values) < _FEWEST_LABELS or not any(map(_is_text, values)):
        return None
    rows = [
        (place + 1, tuple(row[column] for column in filled))
        for place, row in enumerate(grid)
        if place > number and sum(cell is not None and bool(cell.strip()) for cell in row) > 1
    ]
    headings = tuple(str(grid[number][column]).strip() for column in filled)
    return _Form(values, headings, rows) if len(rows) > 1 else None


def _is_text(label: str) -> bool:
    name = normalised(label)
    known = any(name in USES[use] for use in ("dialogue", "summary"))
    return known or bool(set(name.split("_")) & (TELLING["dialogue"] | TELLING["summary"]))
