"""Small tables beside or below the data of a sheet, apart from it by an empty column or row: sums, keys, remarks."""

from dataclasses import replace

import polars as pl

from dialgauge.corpus._parts_unread import held_by
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import as_number
from dialgauge.errors import counted

#: An aside fills less than this share of the rows, or of the columns, that the data have.
_SMALL = 1 / 3
_FEWEST = 8


def without_asides(table: Table) -> Table:
    """The table without what is apart from its data and much smaller; said, and named if it looks like judgements."""
    frame = table.frame
    if frame.height < _FEWEST or frame.width < 3:
        return table
    unread = dict(table.unread)
    notes = list(table.notes)
    right = _right_of_gap(frame)
    if right:
        _report(frame.select(right), f"beside the data ({', '.join(right)})", notes, unread)
        frame = frame.drop(right)
    start = _below_gap(frame)
    if start is not None:
        what = counted(frame.height - start, "row")
        _report(frame[start:], f"below the data ({what} after an empty one)", notes, unread)
        frame = frame[:start]
    if frame is table.frame:
        return table
    return replace(table, frame=frame, notes=tuple(notes), unread=unread)


def _report(aside: pl.DataFrame, where: str, notes: list[str], unread: dict[str, str]) -> None:
    notes.append(f"a small table {where} left out")
    filled = aside.filter(pl.any_horizontal(pl.all().is_not_null()))
    held = held_by(filled, ())
    if held is not None and held[0] == "judgements" and filled.height >= _FEWEST:
        name = aside.columns[0]
        unread[name] = f"the table {where} looks like judgements and was not read: put it into a sheet of its own"


def _right_of_gap(frame: pl.DataFrame) -> list[str]:
    """The columns behind the first empty one without a heading, where few rows fill them."""
    for place, column in enumerate(frame.columns[1:-1], start=1):
        if column.startswith("unnamed_") and frame[column].null_count() == frame.height:
            right = frame.columns[place:]
            data, aside = (
                int(frame.select(pl.any_horizontal(pl.col(side).is_not_null()).sum()).item())
                for side in (frame.columns[:place], right)
            )
            return right if 0 < aside < _SMALL * data else []
    return []


def _below_gap(frame: pl.DataFrame) -> int | None:
    """The first row behind an empty one, where all rows behind it are few and fill few columns; None without such."""
    if not frame.select(pl.all_horizontal(pl.all().is_null()).any()).item():
        return None
    filled = [sum(cell is not None and str(cell).strip() != "" for cell in row) for row in frame.iter_rows()]
    given = sorted(number for number in filled if number)
    usual = given[len(given) // 2] if given else 0
    for gap in [row for row, number in enumerate(filled) if not number]:
        behind = [number for number in filled[gap:] if number]
        few = 1 < len(behind) < _SMALL * gap and all(number * 2 <= usual for number in behind)
        if few and usual >= _USUAL and _is_another(frame, gap):
            return gap
    return None


def _is_another(frame: pl.DataFrame, gap: int) -> bool:
    """Whether what is below a gap has headings of its own above numbers, and names nothing that the data name."""
    rows = [row for row in frame[gap:].iter_rows() if any(cell is not None for cell in row)]
    above = [{str(cell).strip() for cell in frame[column][:gap].drop_nulls()} for column in frame.columns]
    first = next((place for place, cell in enumerate(rows[0]) if cell is not None), 0)
    known = any(str(row[first]).strip() in above[first] for row in rows if row[first] is not None)
    headed = any(
        cell is not None
        and as_number(str(cell).strip()) is None
        and all(as_number(str(row[place]).strip()) is not None for row in rows[1:] if row[place] is not None)
        and any(row[place] is not None for row in rows[1:])
        for place, cell in enumerate(rows[0])
    )
    return headed and not known


#: In a table whose rows have fewer cells than this, few filled ones say nothing.
_USUAL = 4
