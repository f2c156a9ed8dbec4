"""Tables as LaTeX (booktabs), and text that LaTeX prints as it is."""

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from dialgauge.tables._blocks import blocks, names_once
from dialgauge.tables._model import Cell, Table

#: Greek letters by their names in Unicode; those that look like Latin ones have no command.
_GREEK_SMALL = {
    **{name: f"\\{name}" for name in (
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu", "xi", "pi",
        "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    )},
    "lamda": r"\lambda", "final sigma": r"\varsigma", "omicron": "o",
}  # fmt: skip
_GREEK_CAPITAL = {
    **{name: f"\\{name.title()}" for name in (
        "gamma", "delta", "theta", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega",
    )},
    "lamda": r"\Lambda", "alpha": "A", "beta": "B", "epsilon": "E", "zeta": "Z", "eta": "H", "iota": "I", "kappa": "K",
    "mu": "M", "nu": "N", "omicron": "O", "rho": "P", "tau": "T", "chi": "X",
}  # fmt: skip
#: Symbols that LaTeX has in mathematics.
_MATHEMATICS = {
    "<": "<", ">": ">", "−": "-", "×": r"\times", "÷": r"\div", "±": r"\pm", "·": r"\cdot", "≤": r"\leq", "≥": r"\geq",
    "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "∞": r"\infty", "√": r"\surd", "∑": r"\sum",
    "∏": r"\prod", "∂": r"\partial", "∆": r"\Delta", "∈": r"\in", "∉": r"\notin", "∅": r"\emptyset", "∩": r"\cap",
    "∪": r"\cup", "∧": r"\wedge", "∨": r"\vee", "¬": r"\neg", "∀": r"\forall", "∃": r"\exists", "←": r"\leftarrow",
    "→": r"\rightarrow", "↑": r"\uparrow", "↓": r"\downarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "✓": r"\surd", "✔": r"\surd", "✗": r"\times", "✘": r"\times", "○": r"\circ",
    "●": r"\bullet", "•": r"\bullet", "◐": r"\odot", "★": r"\star", "°": r"^{\circ}",
    "†": r"\dagger", "‡": r"\ddagger", "§": r"\S", "¶": r"\P", "©": r"\copyright", "µ": r"\mu",
    "«": r"\ll", "»": r"\gg", "‹": "<", "›": ">", "⟨": r"\langle", "⟩": r"\rangle", "〈": r"\langle", "〉": r"\rangle",
    "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "‖": r"\Vert", "‰": "^{0}/_{00}",
    "‣": r"\triangleright",
}  # fmt: skip
#: What LaTeX would read as a command, or print as something else.
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
    # After the end of a row LaTeX takes these two for an argument of the line break.
    "[": "{[}", "*": "{*}",
    "–": "--", "‒": "--", "—": "---", "―": "---",
    "‐": "-", "‑": "{-}", "…": r"\dots{}", "“": "``", "”": "''", "„": ",,", "‘": "`", "’": "'",
    "‚": ",", "′": "'", "″": "''", "⁄": "/", "¦": r"\textbar{}", "€": r"\texteuro{}", "£": r"\pounds{}",
    "¥": r"\textyen{}", "®": r"\textregistered{}",
    **{symbol: f"${command}$" for symbol, command in _MATHEMATICS.items()},
}  # fmt: skip
#: Neighbours that LaTeX joins into another character.
_LIGATURES = {"--", "``", "''", ",,", "?`", "!`"}


def escape_latex(text: str) -> str:
    """Text that LaTeX prints as it is, with any of its engines.

    Letters and punctuation beyond Latin and Greek (such as Chinese) stay: they need a font that has them. Symbols
    without a command are written by their code. What cannot be printed at all, such as a control character, is left
    out: LaTeX stops at it.
    """
    letters = [letter for letter in " ".join(text.split()) if letter.isprintable()]
    pieces, before = [], " "
    for mark, run in groupby(letters, key=lambda letter: _raised(letter)[0]):
        if mark:
            inner = "".join(_raised(letter)[1] for letter in run)
            pieces.append(f"${mark}{{{inner.rstrip()}}}$")
            before = " "
            continue
        for letter in run:
            # Two hyphens in a name are not a dash.
            pieces.append(("{}" if before + letter in _LIGATURES else "") + _escape(letter))
            before = letter
    return "".join(pieces)


def _raised(letter: str) -> tuple[str, str]:
    """``^`` or ``_`` and what stands above or below the line, for a character that is nothing else; "" for others."""
    kind, _, code = unicodedata.decomposition(letter).partition(" ")
    mark = {"<super>": "^", "<sub>": "_"}.get(kind, "")
    if not mark or " " in code:
        return "", ""
    inner = _escape(chr(int(code, 16))).strip("$")
    # A space ends a command.
    return (mark, inner + " " * inner.startswith("\\")) if inner.isascii() else ("", "")


def _escape(letter: str) -> str:
    if letter in _LATEX or letter.isascii():
        return _LATEX.get(letter, letter)
    kind, _, name = unicodedata.name(letter, "").lower().partition(" letter ")
    greek = {"greek small": _GREEK_SMALL, "greek capital": _GREEK_CAPITAL}.get(kind, {})
    if name in greek:
        return f"${greek[name]}$"
    category = unicodedata.category(letter)
    # Brackets and dashes of mathematics and typesetting are in few fonts.
    if category[0] in "LM" or category == "Nd" or (category[0] == "P" and not "\u2000" <= letter < "\u2c00"):
        return letter
    plain = unicodedata.normalize("NFKD", letter)
    made = "" if plain == letter else "".join(map(_escape, plain))
    return made if made and made.isascii() else f"U+{ord(letter):04X}"


def latex_table(table: Table) -> str:
    """A floating table for a document that loads booktabs; each block of columns is a tabular of its own."""
    caption = escape_latex(". ".join(filter(None, (table.title, table.legend))))
    lines = [
        r"% in the preamble: \usepackage{booktabs}",
        r"\begin{table}[t]",
        r"  \centering",
        rf"  \caption{{{caption}}}",
        *([rf"  \label{{tab:{table.kind}}}"] if table.kind else []),
    ]
    for i, block in enumerate(blocks(table)):
        lines += ([r"  \par\medskip"] if i else []) + [f"  {line}" for line in _tabular(block)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabular(table: Table) -> Iterator[str]:
    before = table.row_heads()
    sides = "l" * len(before) + "".join("r" if column.numeric else "l" for column in table.columns)
    yield from (rf"\begin{{tabular}}{{{sides}}}", r"  \toprule", *_group_heads(table, len(before)))
    yield f"  {_line([escape_latex(name) for name in (*before, *(column.name for column in table.columns))])}"
    yield r"  \midrule"
    last = table.rows[0].group if table.rows else ""
    for row, names in names_once(table):
        if row.group != last:
            yield r"  \midrule"
        last = row.group
        yield f"  {_line([*map(escape_latex, names), *map(_cell, row.cells)])}"
    yield from (r"  \bottomrule", r"\end{tabular}")


def _group_heads(table: Table, stub: int) -> list[str]:
    """The common heads of columns, with a rule below each."""
    if not any(column.group for column in table.columns):
        return []
    heads, rules, place = [""] * stub, [], stub + 1
    for group, columns in groupby(table.columns, key=lambda column: column.group):
        width = len(list(columns))
        if group:
            heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}")
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        else:
            heads += [""] * width
        place += width
    return [f"  {_line(heads)}", f"  {' '.join(rules)}"]


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _cell(cell: Cell) -> str:
    return escape_latex(cell.separator).join(
        (rf"\textbf{{{escape_latex(part.text)}}}" if part.bold else escape_latex(part.text))
        + (f"$^{{{part.stars}}}$" if part.stars else "")
        for part in cell.parts
    )
