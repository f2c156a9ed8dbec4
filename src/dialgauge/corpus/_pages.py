"""Tables in web pages: each is read like a sheet of a workbook."""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import polars as pl

from dialgauge.corpus._files import read_text
from dialgauge.corpus._headings import LOOKED_AT, distinct_names, find_headings
from dialgauge.corpus._markdown_pages import sections_as_sheets
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._table import Sheet, Table, place_in, refuse_width
from dialgauge.errors import InputError

_LINES = frozenset(["br", "p", "div", "li", "tr"])
_SKIPPED = frozenset(["script", "style", "template", "title"])
_TITLES, _BLOCKS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"]), frozenset(["p", "div", "ul", "ol", "section"])
#: No cell of a page spans more rows or columns; larger numbers are mistakes.
_WIDEST = 1_000


def load_page(path: Path) -> Table:
    """The rows of all tables of a page that hold data of a corpus; a row's place is its number in its table."""
    found = read_text(path)
    parser = _Tables()
    parser.feed(found.text)
    parser.close()
    tables = parser.tables
    if not tables:
        raise InputError(f"{path}: no table in this page, so no rows")
    shapes = [tuple(rows[0]) for rows in tables if rows]
    if len(shapes) > len(set(shapes)):
        try:  # a table in each of several sections, whose headings say what it is about
            sheets, notes = sections_as_sheets(parser.text, str(path), others=True)
        except InputError:
            pass
        else:
            return one_table(sheets, [*found.notes, *notes], "table")
    sheets, notes = [], list(found.notes)
    for number, rows in enumerate(tables, start=1):
        name = f"table {number}"
        made = sheet_of_rows(name, rows, str(path) if len(tables) == 1 else f"{path} [{name}]")
        if made is not None:
            sheets.append(made[0])
            notes += made[1]
    if not sheets:
        raise InputError(f"{path}: the tables in this page have no rows")
    return one_table(sheets, notes, "table")


def sheet_of_rows(name: str, rows: list[list[str]], file: str) -> tuple[Sheet, list[str]] | None:
    """A sheet of rows of texts, the headings among them; None where nothing is below the headings."""
    width = max(map(len, rows), default=0)
    refuse_width(width, file)
    whole = [row + [""] * (width - len(row)) for row in rows]
    headings = find_headings(whole[:LOOKED_AT])
    names = distinct_names(list(headings.names or whole[headings.row]))
    below = whole[headings.data :]
    if not below:
        return None
    columns = [
        pl.Series(column, [row[place] or None for row in below], pl.String) for place, column in enumerate(names)
    ]
    lines = range(headings.data + 1, headings.data + 1 + len(below))
    said = headings.note()
    return Sheet(name, pl.DataFrame(columns), place_in(file, lines)), [f"{name}: {said}"] if said else []


class _Tables(HTMLParser):
    """Collects the cells of the tables of a page.

    A cell that spans several rows stands in all of them, one that spans several columns in the first of them.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._found: list[list[list[_Cell]]] = []
        self._open: list[list[list[_Cell]]] = []
        self._cell: list[str] | None = None
        self._skipped = 0
        self._lines: list[str | int] = [""]  # the text of the page; numbers stand for its tables

    @property
    def text(self) -> str:
        """The page as one in Markdown."""
        made = []
        for line in self._lines:
            if isinstance(line, int):
                names, *rows = _laid_out(self._found[line]) or [[]]
                bars = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in (names, *rows)]
                border = f"|{'---|' * max(map(len, bars))}"
                made += ["", *(f"| {' | '.join(row)} |" for row in bars[:1]), border]
                made += [*(f"| {' | '.join(row)} |" for row in bars[1:]), ""]
            else:
                made.append(" ".join(line.split()) if line.strip() else "")
        return "\n".join(made)

    def _text(self, tag: str) -> None:
        """Begin a line of the page, as this tag does."""
        if not self._open and (tag in _LINES or tag in _TITLES):
            self._lines.append(f"{'#' * int(tag[1])} " if tag in _TITLES else "")

    @property
    def tables(self) -> list[list[list[str]]]:
        """The texts of all tables, row by row."""
        return [_laid_out(rows) for rows in self._found]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in _SKIPPED
        self._text(tag)
        if tag == "table":
            self._lines += [len(self._found), ""]
            self._close_cell()
            self._open.append([])
            self._found.append(self._open[-1])
        elif tag == "tr" and self._open:
            self._close_cell()
            self._open[-1].append([])
        elif tag in ("td", "th") and self._open:
            self._close_cell()
            rows = self._open[-1]
            if not rows:
                rows.append([])
            given = dict(attrs)
            rows[-1].append(_Cell("", _span(given.get("colspan")), _span(given.get("rowspan"))))
            self._cell = []
        elif tag in _LINES and self._cell:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in _SKIPPED and self._skipped > 0
        if tag in _TITLES or tag in _BLOCKS:
            self._lines += ["", ""]
        if tag in ("td", "th", "tr", "table"):
            self._close_cell()
        if tag == "table" and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._skipped:
            self._cell.append(data)
        elif not self._open and not self._skipped:
            self._lines[-1] = f"{self._lines[-1]}{' '.join(data.split(chr(10)))}"

    def _close_cell(self) -> None:
        if self._cell is not None and self._open and self._open[-1]:
            lines = "".join(self._cell).split("\n")
            self._open[-1][-1][-1].text = "\n".join(line.strip() for line in lines if line.strip())
        self._cell = None


@dataclass(slots=True)
class _Cell:
    """The text of a cell, and how many columns and rows it spans."""

    text: str
    columns: int
    rows: int


def _span(given: str | None) -> int:
    return max(1, min(int(given), _WIDEST)) if given and given.isdecimal() else 1


def _laid_out(rows: list[list[_Cell]]) -> list[list[str]]:
    """The texts of a table in its columns: what spans rows above pushes the cells below to the right."""
    made: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}  # by column: the text that reaches down, and into how many rows
    for row in rows:
        cells = iter(row)
        texts: list[str] = []
        below: dict[int, tuple[str, int]] = {}
        cell = next(cells, None)
        while cell is not None or any(place >= len(texts) for place in above):
            if len(texts) in above:
                text, left = above[len(texts)]
                if left > 1:
                    below[len(texts)] = (text, left - 1)
                texts.append(text)
                continue
            spread = [cell.text, *[""] * (cell.columns - 1)] if cell is not None else [""]
            if cell is not None and cell.rows > 1:
                below |= {len(texts) + at: (text, cell.rows - 1) for at, text in enumerate(spread)}
            texts += spread
            cell = next(cells, None) if cell is not None else None
        above = below
        made.append(texts)
    return made
