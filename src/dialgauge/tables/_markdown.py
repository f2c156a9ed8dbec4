"""Tables as Markdown."""

import re

from dialgauge.tables._blocks import blocks, names_once
from dialgauge.tables._model import Cell, Table


def markdown_table(table: Table) -> str:
    """The title, the table in its blocks, the caption with the notes."""
    lines = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    for block in blocks(table):
        before = block.row_heads()
        heads = [*before, *(f"{column.group} {column.name}".strip() for column in block.columns)]
        if block.grouped and not block.grouping:
            heads[0] = "group"
        rule = "---|" * len(before) + "".join("---:|" if column.numeric else "---|" for column in block.columns)
        lines += [_line(map(escape_markdown, heads)), f"|{rule}"]
        for row, names in names_once(block):
            lines.append(_line([*map(escape_markdown, names), *map(_cell, row.cells)]))
        lines.append("")
    return "\n".join([*lines, escape_markdown(table.legend)]).rstrip("\n") + "\n"


def _line(cells: "list[str] | map[str]") -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return escape_markdown(cell.separator).join(
        (f"**{escape_markdown(part.text)}**" if part.bold else escape_markdown(part.text)) + escape_markdown(part.stars)
        for part in cell.parts
    )


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no new cell."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)
