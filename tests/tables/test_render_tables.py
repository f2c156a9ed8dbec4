"""One table in every format: nothing that a text holds is read as markup, as a command or as a formula."""

import csv
import io
import json
import re
import sys
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from dialgauge.errors import UnknownNameError
from dialgauge.tables import (
    FORMATS,
    Cell,
    Column,
    Part,
    Row,
    Table,
    best_of,
    csv_text,
    escape_latex,
    escape_markdown,
    estimate_cell,
    interval,
    listing,
    number,
    number_cell,
    number_rows,
    print_table,
    render_table,
    room_beside,
    stars_of,
    text_cell,
)

HOSTILE = '<b>&|*_[x](y)`"$\\end{tabular}%=1+1\t−'


def paper() -> Table:
    columns = (
        Column("sys", "fluency", direction="higher"),
        Column("sum", "fluency", direction="lower"),
        Column("why", numeric=False),
    )
    rows = (
        Row("rouge-1", (number_cell(0.934, bold=True, stars="**"), number_cell(-0.5), text_cell("good")), "overlap"),
        Row("chrf", (number_cell(None), number_cell(-0.001), text_cell(HOSTILE)), "overlap"),
        Row(HOSTILE, (Cell((Part("1"), Part("2", bold=True))), number_cell(3), text_cell("")), "other"),
    )
    return Table("demo", "metric", columns, rows, "A caption.", ("Stars: none.", "A note."), title="A title")


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "form", "short", "text"),
        [
            (None, 2, False, "–"),
            (0.125, 2, False, "0.12"),
            (-0.5, 1, False, "−0.5"),
            (-0.001, 2, False, "0.00"),
            (0.5, "+.2f", False, "+0.50"),
            (-0.0, "+.1f", False, "0.0"),
            (0.0, "+.2f", False, "0.00"),
            (0.001, "+.2f", False, "0.00"),
            (0.00012345, ".3g", False, "0.000123"),
            (-1e-9, ".2g", False, "−1e−09"),
            (1234.5, ",.1f", False, "1,234.5"),
            (0.93, 2, True, ".93"),
            (-0.07, 2, True, "−.07"),
            (1.0, 2, True, "1.00"),
            (10.5, 1, True, "10.5"),
            (0.123, ".1%", False, "12.3%"),
            (float("-inf"), 2, False, "−inf"),
        ],
    )
    def test_a_number_for_readers(self, value: float | None, form: int | str, short: bool, text: str) -> None:
        assert number(value, form, short=short) == text

    def test_intervals(self) -> None:
        assert interval(-0.5, 1.25) == "−0.50 … 1.25"
        assert interval(None, 1.0) == "–"
        assert interval(0.1, 0.2, 1, between=" to ") == "0.1 to 0.2"

    @given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6))
    def test_a_number_reads_back(self, value: float, digits: int) -> None:
        text = number(value, digits)
        assert float(text.replace("−", "-")) == float(f"{value:.{digits}f}")
        assert not re.fullmatch("−[0.]*", text)

    def test_the_best_follow_what_is_printed_and_the_direction(self) -> None:
        values = {"a": 0.301, "b": 0.304, "c": 0.1, "d": None}
        assert best_of(values, 1, 2) == {"a", "b"}
        assert best_of(values, 1, 2, lower=True) == {"c"}
        assert best_of(values, 0, 2) == best_of({"d": None}, 1, 2) == set()
        assert [stars_of(p) for p in (None, 0.06, 0.05, 0.01)] == ["", "", "*", "**"]

    def test_rows_of_numbers(self) -> None:
        values = {"a": 1.0, "b": 2.0, "c": 3.0}
        columns = [Column("up", direction="higher"), Column("down", direction="lower", digits=0), Column("as it is")]
        rows = number_rows(
            list(values), columns, lambda name, column: values[name], best=1, can_lead=lambda name, column: name != "c"
        )
        assert [[cell.parts[0].bold for cell in row.cells] for row in rows] == [
            [False, True, False],
            [True, False, False],
            [False, False, False],
        ]
        assert [cell.text for cell in rows[2].cells] == ["3.00", "3", "3.00"]


class TestLatex:
    @given(st.text(max_size=30))
    def test_any_name_is_text(self, name: str) -> None:
        escaped = escape_latex(name)
        bare = re.sub(r"\\[{}$&#%_]", "", escaped)
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        bare = re.sub(r"\$[^$]*\$", "", bare)
        assert not re.search(r"[&#%~^|<>_]", bare)
        assert not escaped.startswith(("[", "*"))
        assert escaped.isprintable()
        commands = r"\\(?!text(backslash|asciitilde|asciicircum|bar|euro|yen|registered)\b|dots\b|pounds\b)[A-Za-z]"
        assert not re.search(commands, bare)

    def test_no_symbol_of_any_script_is_left_raw(self) -> None:
        for code in range(sys.maxunicode + 1):
            letter = chr(code)
            if unicodedata.category(letter)[0] == "S" or unicodedata.name(letter, "") == "GREEK SMALL LETTER ALPHA":
                assert escape_latex(letter).isascii(), letter
                assert escape_latex(letter) != letter or letter in "+=`"

    @pytest.mark.parametrize(
        ("text", "latex"),
        [
            ("remove_punct 50% & more", r"remove\_punct 50\% \& more"),
            ("−0.5", "$-$0.5"),
            ("a--b", "a-{}-b"),
            ("\\input{x}", r"\textbackslash{}input\{x\}"),
            ("[x]*", "{[}x]{*}"),
            ("p ≤ 0.05, ρ α τ κ", r"p $\leq$ 0.05, $\rho$ $\alpha$ $\tau$ $\kappa$"),
            ("a < b > c", "a $<$ b $>$ c"),
            ("Ω Λ λ Α ς", r"$\Omega$ $\Lambda$ $\lambda$ $A$ $\varsigma$"),
            ("✓ ✗ ½ ²", r"$\surd$ $\times$ 1/2 $^{2}$"),
            ("10⁴ 10⁻³ 10⁻¹²", "10$^{4}$ 10$^{-3}$ 10$^{-12}$"),
            ("H₂O x₁₀² m⁺ aⁿ xᵝᵃ", r"H$_{2}$O x$_{10}$$^{2}$ m$^{+}$ a$^{n}$ x$^{\beta a}$"),
            ("⟨a⟩ ⌈b⌉ ‖c‖ 5‰", r"$\langle$a$\rangle$ $\lceil$b$\rceil$ $\Vert$c$\Vert$ 5$^{0}/_{00}$"),
            ("⟦a⟧ ™ ¼", "U+27E6aU+27E7 TM 1/4"),
            ("“so” – it…", r"``so'' -- it\dots{}"),
            ("Größe 摘要：é", "Größe 摘要：é"),
            ("😀", "U+1F600"),
            ("a\x00b\u200bc", "abc"),
        ],
    )
    def test_special_characters(self, text: str, latex: str) -> None:
        assert escape_latex(text) == latex

    def test_a_table(self) -> None:
        text = render_table(paper(), "latex")
        assert r"\begin{tabular}{llrrl}" in text
        assert r"\multicolumn{2}{c}{fluency}" in text
        assert r"\cmidrule(lr){3-4}" in text
        assert r"overlap & rouge-1 & \textbf{0.93}$^{**}$ & $-$0.50 & good \\" in text
        assert r" & chrf & -- & 0.00 & $<$b$>$\&\textbar{}" in text
        assert text.count(r"\midrule") == 2
        assert text.count(r"\end{tabular}") == 1
        assert r"\caption{A title. A caption. Stars: none. A note.}" in text
        assert r"\label{tab:demo}" in text


class TestMarkdown:
    @given(st.text(max_size=30), st.text(max_size=30))
    def test_a_cell_stays_a_cell(self, name: str, text: str) -> None:
        table = listing("", ("name", "text"), [(name, text)])
        lines = render_table(table, "markdown").split("\n")
        assert lines[1] == "|---|---|"
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", lines[2])) == 3
        assert "<" not in lines[2]

    def test_a_table(self) -> None:
        lines = render_table(paper(), "markdown").splitlines()
        assert lines[0] == "**A title**"
        assert lines[2] == "| group | metric | fluency sys | fluency sum | why |"
        assert lines[3] == "|---|---|---:|---:|---|"
        assert lines[4] == r"| overlap | rouge-1 | **0.93**\*\* | −0.50 | good |"
        assert lines[5].startswith("|  | chrf | – | 0.00 | &lt;b&gt;&amp;\\|\\*\\_\\[x\\](y)\\`")
        assert lines[-1] == "A caption. Stars: none. A note."
        assert escape_markdown("a|b\nc") == r"a\|b c"

    def test_blocks(self) -> None:
        assert render_table(paper(), "markdown", split=2).count("| group | metric |") == 2
        assert render_table(paper(), "latex", split=1).count(r"\begin{tabular}") == 3


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


class TestCsv:
    @given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4), st.booleans())
    def test_every_text_reads_back_and_none_is_a_formula(self, rows: list[list[str]], safe: bool) -> None:
        written = csv_text(rows, escape_formulas=safe)
        found = list(csv.reader(io.StringIO(written, newline="")))
        for row, read in zip(rows, found, strict=True):
            for text, cell in zip(row, read, strict=True):
                assert cell in ((text, f"'{text}") if safe else (text,))
                if safe and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
                    assert float(cell.rstrip("%")) is not None

    @pytest.mark.parametrize("text", ["=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "-="])
    def test_formulas_get_an_apostrophe(self, text: str) -> None:
        [[cell]] = csv.reader(io.StringIO(csv_text([[text]]), newline=""))
        assert cell == f"'{text}"

    @pytest.mark.parametrize("text", ["-0.5", "+3", "-1e-05", "-.5", "−0.5", "plain", "'=1", "-12.5%", ""])
    def test_numbers_and_texts_stay(self, text: str) -> None:
        [[cell, _]] = csv.reader(io.StringIO(csv_text([[text, "x"]]), newline=""))
        assert cell == text

    def test_a_table(self) -> None:
        rows = list(csv.reader(io.StringIO(render_table(paper(), "csv"))))
        assert rows[0] == ["group", "metric", "fluency sys", "fluency sum", "why"]
        assert rows[1] == ["overlap", "rouge-1", "0.93", "-0.50", "good"]
        assert rows[2] == ["overlap", "chrf", "", "0.00", HOSTILE]
        assert rows[3] == ["other", HOSTILE, "1/2", "3.00", ""]
        assert "0.93**" in render_table(paper(), "csv", stars=True)
        formula = listing("", ("name", "n"), [("=1+1", -2)], numeric=["n"])
        assert render_table(formula, "csv") == "name,n\n'=1+1,-2\n"
        assert render_table(formula, "csv", escape_formulas=False) == "name,n\n=1+1,-2\n"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


class TestHtml:
    def test_heads_say_what_they_are_heads_of(self) -> None:
        page = _Tags()
        page.feed(render_table(paper(), "html"))
        heads = [attributes for tag, attributes in page.tags if tag == "th"]
        assert [head["scope"] for head in heads] == (
            ["colgroup", "col", "col", "col", "col", "rowgroup", "row", "row", "rowgroup", "row"]
        )
        assert heads[0]["colspan"] == heads[5]["rowspan"] == "2"
        cells = [attributes for tag, attributes in page.tags if tag == "td" and "data-value" in attributes]
        assert [cell["data-value"] for cell in cells] == ["0.934", "-0.5", "-0.001", "3"]
        assert all(cell["class"] == "number" for cell in cells)
        assert page.texts.count(HOSTILE) == 2

    def test_intervals_and_reasons(self) -> None:
        cells = (estimate_cell(0.5, -0.25, 1.0, between=", "), estimate_cell(None, None, None, reason="<too few>"))
        text = render_table(Table("", "x", (Column("a"), Column("b")), (Row("r", cells),)), "html")
        assert '<td class="number" data-value="0.5 -0.25 1">0.50 [−0.25, 1.00]</td>' in text
        assert '<td class="number" title="&lt;too few&gt;">–</td>' in text

    @given(st.text(max_size=30))
    def test_any_text_is_text(self, text: str) -> None:
        page = _Tags()
        made = Table(
            text, text, (Column(text, text),), (Row(text, (text_cell(text),), text),), text, (text,), title=text
        )
        page.feed(render_table(made, "html"))
        assert {tag for tag, _ in page.tags} <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert made.html() + "\n" == render_table(made, "html")


def on_screen(table: Table, width: int) -> list[str]:
    stream = io.StringIO()
    print_table(table, Console(file=stream, width=width))
    return stream.getvalue().splitlines()


class TestConsole:
    def test_wide_tables_of_numbers_are_turned_or_split(self) -> None:
        names = [f"metric-{i}" for i in range(12)]
        rows = tuple(Row(system, tuple(number_cell(i / 10) for i in range(12))) for system in ("a", "b"))
        table = Table("", "system", tuple(Column(name) for name in names), rows, title="means", across="metric")
        wide, narrow, tiny = (on_screen(table, width) for width in (200, 60, 15))
        assert wide[0] == narrow[0] == "means"
        assert wide[2].split() == ["system", *names]
        assert narrow[2].split() == ["metric", "a", "b"]
        assert tiny[0].startswith("means (1 of ")
        assert max(map(len, narrow)) <= 60

    def test_markup_and_control_characters_are_shown(self) -> None:
        lines = on_screen(listing("[red]t[/]", ("[b]", "what"), [("[bold]x[/]", "\x1b[31m")]), 80)
        assert lines[0] == "[red]t[/]"
        assert "[b]" in lines[2]
        assert lines[4].split() == ["[bold]x[/]", "\\x1b[31m"]

    def test_groups_and_text_format(self) -> None:
        lines = render_table(paper(), "text").splitlines()
        assert lines[0] == "A title"
        assert lines[2].split() == ["fluency", "fluency"]
        assert lines[3].split() == ["metric", "sys", "sum", "why"]
        assert lines[5].split() == ["overlap", "rouge-1", "0.93**", "−0.50", "good"]
        assert lines[6].split()[0] == "chrf"
        assert lines[-3:] == ["A caption.", "Stars: none.", "A note."]

    def test_rows_without_names(self) -> None:
        table = listing("", ("count", "what"), [(3, "a"), (None, "b")], numeric=["count"])
        assert table.corner is None
        assert render_table(table, "csv") == "count,what\n3,a\n,b\n"
        assert 'scope="row"' not in render_table(table, "html")
        assert [line.split() for line in on_screen(table, 80)[3:5]] == [["3", "a"], ["b"]]


def test_json_has_values_and_texts() -> None:
    data = json.loads(render_table(paper(), "json"))
    assert data["kind"] == "demo"
    assert data["rows"][0]["cells"][0]["parts"] == [
        {"text": "0.93", "bold": True, "stars": "**", "value": 0.934, "interval": None}
    ]
    assert json.loads(render_table(Table("", "", (Column("x"),), (Row("a", (number_cell(float("nan")),)),)), "json"))


def test_formats() -> None:
    assert set(FORMATS) == {"latex", "markdown", "csv", "html", "json", "text"}
    with pytest.raises(UnknownNameError, match="did you mean 'latex'"):
        render_table(paper(), "latx")
    assert "Stars" not in render_table(paper(), "markdown", stars=False)


def test_room_beside_is_what_a_column_may_take() -> None:
    """A text of just that width stands on one line, one that is longer does not."""
    columns = [["here", "yes"], ["size", "92 MB"]]
    room = room_beside(columns, 60)
    for width, lines in ((room, 1), (room + 1, 2)):
        rows = [["x " * (width // 2 - 1) + "x" * (2 + width % 2), "yes", "92 MB"]]
        stream = io.StringIO()
        print_table(listing("t", ["name", "here", "size"], rows), Console(file=stream, width=60))
        assert sum("x" in line for line in stream.getvalue().splitlines()) == lines
