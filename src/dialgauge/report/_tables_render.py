"""Tables for papers as LaTeX (booktabs), Markdown and CSV."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby

from dialgauge.report._tables_model import NOTHING, Cell, PaperTable, Row

#: What LaTeX would read as a command, or print as something else.
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    # After the end of a row LaTeX takes these two for an argument of the line break.
    "[": "{[}",
    "*": "{*}",
    "−": "$-$",
    "–": "--",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "…": r"\dots{}",
}


def render_table(table: PaperTable, format: str, *, stars: bool | None = None, split: int | None = None) -> str:
    """A table as ``latex``, ``markdown`` or ``csv``.

    Stars and bold numbers are for readers: a CSV has stars only where ``stars`` is true, and is never split.
    """
    if stars is False or (stars is None and format == "csv"):
        table = _without_stars(table)
    return FORMATS[format](table, split or table.split)


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is. Letters beyond ASCII stay: they need a font that has them.

    What cannot be printed at all, such as a control character, is left out: LaTeX stops at it.
    """
    words = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    pieces = []
    for before, letter in zip(f" {words}", words, strict=False):
        # Two hyphens in a name are no dash.
        pieces.append("{}-" if before == letter == "-" else _LATEX.get(letter, letter))
    return "".join(pieces)


def _without_stars(table: PaperTable) -> PaperTable:
    rows = tuple(
        replace(row, cells=tuple(Cell(tuple(replace(part, stars="") for part in cell.parts)) for cell in row.cells))
        for row in table.rows
    )
    return replace(table, rows=rows, notes=tuple(text for text in table.notes if not text.startswith("Stars:")))


def _blocks(table: PaperTable, split: int | None) -> Iterator[PaperTable]:
    size = split or max(len(table.columns), 1)
    for start in range(0, max(len(table.columns), 1), size):
        rows = tuple(replace(row, cells=row.cells[start : start + size]) for row in table.rows)
        yield replace(table, columns=table.columns[start : start + size], rows=rows)


def _grouped(table: PaperTable) -> bool:
    return any(row.group for row in table.rows)


def _latex(table: PaperTable, split: int | None) -> str:
    caption = escape_latex(" ".join((table.caption.strip(), *table.notes)).strip())
    lines = [
        r"% in the preamble: \usepackage{booktabs}",
        r"\begin{table}[t]",
        r"  \centering",
        rf"  \caption{{{caption}}}",
        rf"  \label{{tab:{table.kind}}}",
    ]
    for i, block in enumerate(_blocks(table, split)):
        lines += ([r"  \par\medskip"] if i else []) + [f"  {line}" for line in _tabular(block)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabular(table: PaperTable) -> list[str]:
    stub = 2 if _grouped(table) else 1
    lines = [rf"\begin{{tabular}}{{{'l' * stub}{'r' * len(table.columns)}}}", r"  \toprule"]
    if any(column.group for column in table.columns):
        heads, rules, place = [""] * stub, [], stub + 1
        for group, columns in groupby(table.columns, key=lambda column: column.group):
            width = len(list(columns))
            heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}" if group else "")
            if not group:
                heads += [""] * (width - 1)
            else:
                rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
            place += width
        lines += [f"  {_line(heads)}", f"  {' '.join(rules)}"]
    names = [escape_latex(column.name) for column in table.columns]
    lines += [f"  {_line(['', escape_latex(table.corner)][-stub:] + names)}", r"  \midrule"]
    for i, (group, rows) in enumerate(groupby(table.rows, key=lambda row: row.group)):
        lines += [r"  \midrule"] if i else []
        for k, row in enumerate(rows):
            before = [escape_latex(group) if k == 0 else ""] if stub == 2 else []
            lines.append(f"  {_line([*before, escape_latex(row.name), *map(_latex_cell, row.cells)])}")
    return [*lines, r"  \bottomrule", r"\end{tabular}"]


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(cell: Cell) -> str:
    return "/".join(
        (rf"\textbf{{{escape_latex(part.text)}}}" if part.bold else escape_latex(part.text))
        + (f"$^{{{part.stars}}}$" if part.stars else "")
        for part in cell.parts
    )


def _markdown(table: PaperTable, split: int | None) -> str:
    lines = []
    for block in _blocks(table, split):
        heads = [_escape_markdown(head) for head in _heads(block)]
        stub = len(heads) - len(block.columns)
        lines += [_bar(heads), _bar(["---"] * stub + ["---:"] * len(block.columns))]
        for row, before in _stubs(block, repeat=False):
            lines.append(_bar([*map(_escape_markdown, before), *map(_markdown_cell, row.cells)]))
        lines.append("")
    text = " ".join((table.caption.strip(), *table.notes)).strip()
    return "\n".join([*lines, _escape_markdown(text)]) + "\n"


def _bar(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell) -> str:
    return "/".join(
        (f"**{_escape_markdown(part.text)}**" if part.bold else _escape_markdown(part.text))
        + _escape_markdown(part.stars)
        for part in cell.parts
    )


def _escape_markdown(text: str) -> str:
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)


def _csv(table: PaperTable, split: int | None) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_heads(table))
    for row, before in _stubs(table, repeat=True):
        writer.writerow([*before, *map(_csv_cell, row.cells)])
    return written.getvalue()


def _csv_cell(cell: Cell) -> str:
    """Numbers as programs read them; empty where there is none."""
    texts = ["" if part.text == NOTHING else part.text.replace("−", "-") + part.stars for part in cell.parts]
    return "/".join(texts) if any(texts) else ""


def _heads(table: PaperTable) -> list[str]:
    before = ["group", table.corner or "row"] if _grouped(table) else [table.corner or "row"]
    return before + [f"{column.group} {column.name}".strip() for column in table.columns]


def _stubs(table: PaperTable, *, repeat: bool) -> Iterator[tuple[Row, list[str]]]:
    """Each row with its names: the group (once, or each time), and its own."""
    last: str | None = None
    for row in table.rows:
        group = [row.group if repeat or row.group != last else ""] if _grouped(table) else []
        last = row.group
        yield row, [*group, row.name]


FORMATS: dict[str, Callable[[PaperTable, int | None], str]] = {"latex": _latex, "markdown": _markdown, "csv": _csv}
