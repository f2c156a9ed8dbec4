"""The tables as rows for people, as Markdown and as LaTeX, in the layout of the paper."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.corpus import ORIGINAL
from dialgauge.learn._tables import TABLE_OF, AugmentationTables

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "×": r"$\times$",
}


@dataclass(frozen=True, slots=True)
class ShownTable:
    """One table: a title, the heads of its columns, and the texts of its rows. The first two columns hold names."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def shown_tables(result: AugmentationTables, *, intervals: bool = True) -> list[ShownTable]:
    """A table per condition: accuracy in per cent on each set, and the differences to the originals in points."""
    sets = list(dict.fromkeys(result.frame["set"]))
    families = [name for name in sets if name != ORIGINAL]
    heads = ("dimension", "classifier", *sets, *(f"{name} − {ORIGINAL}" for name in families))
    tables = []
    for condition in dict.fromkeys(result.frame["condition"]):
        part = result.frame.filter(condition=condition)
        rows = tuple(_rows(part.to_dicts(), sets, families, intervals))
        number = TABLE_OF.get(condition, "Beside Tables 5 and 6")
        tables.append(ShownTable(f"{number}: accuracy in %, trained on {condition}", heads, rows))
    return tables


def _rows(
    cells: Sequence[Mapping[str, Any]], sets: Sequence[str], families: Sequence[str], intervals: bool
) -> Iterator[tuple[str, ...]]:
    found = {(cell["dimension"], cell["classifier"], cell["set"]): cell for cell in cells}
    before = None
    for dimension, classifier in dict.fromkeys((cell["dimension"], cell["classifier"]) for cell in cells):
        line = [found[dimension, classifier, name] for name in sets]
        changes = [found[dimension, classifier, name] for name in families]
        yield (
            "" if dimension == before else dimension,
            classifier,
            *(_number(cell["accuracy"]) for cell in line),
            *(_change(cell, intervals) for cell in changes),
        )
        before = dimension


def _number(share: float | None, signed: bool = False) -> str:
    if share is None:
        return "–"
    text = f"{100 * share:+.1f}" if signed else f"{100 * share:.1f}"
    return text.replace("-", "−")


def _change(cell: Mapping[str, Any], intervals: bool) -> str:
    text = _number(cell["difference"], signed=True)
    if not intervals or cell["difference_low"] is None:
        return text
    return f"{text} [{_number(cell['difference_low'], True)} {_number(cell['difference_high'], True)}]"


def tables_markdown(result: AugmentationTables) -> str:
    """Both tables and what is to be known about them."""
    parts = []
    for table in shown_tables(result):
        lines = [f"**{table.title}**", "", "| " + " | ".join(table.heads) + " |"]
        lines.append("|---|---|" + "---:|" * (len(table.heads) - 2))
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table.rows]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, "\n".join(f"- {text}" for text in result.notes)]) + "\n"


def tables_latex(result: AugmentationTables) -> str:
    """Both tables for a paper that loads the package booktabs; what is to be known stands in the captions."""
    caption = " ".join(result.notes)
    return "\n".join(_latex_table(table, caption) for table in shown_tables(result))


def _latex_table(table: ShownTable, caption: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{ll{'r' * (len(table.heads) - 2)}}}",
        r"\toprule",
        " & ".join(map(_escaped, table.heads)) + r" \\",
    ]
    for row in table.rows:
        if row[0]:
            lines.append(r"\midrule")
        lines.append(" & ".join(map(_escaped, row)) + r" \\")
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_escaped(table.title)}. {_escaped(caption)}}}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
