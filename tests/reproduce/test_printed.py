"""Printed numbers: reading, rounding, comparing, rendering."""

import csv
import io
import re
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.reproduce import (
    Defect,
    PaperCheck,
    PrintedTable,
    check_bold,
    check_stars,
    check_table,
    load_printed,
    paper_csv,
    paper_html,
    paper_json,
    parse_printed,
    recompute_paper,
    repeated_names,
    round_half_up,
    round_twice,
    table_json,
)
from dialgauge.reproduce._print_checks import stars_of
from dialgauge.reproduce._printed import study_folder


@pytest.mark.parametrize(
    ("text", "value", "decimals", "stars"),
    [
        ("0.67", "0.67", 2, 0),
        ("0.4", "0.4", 1, 0),
        (".37", "0.37", 2, 0),
        ("-.5", "-0.5", 1, 0),
        ("−0.66**", "-0.66", 2, 2),
        ("0.30*", "0.30", 2, 1),
        ("0", "0", 0, 0),
        ("-0.00", "0", 2, 0),
        ("4,200", "4200", 0, 0),
        ("−1,234,567.5*", "-1234567.5", 1, 1),
        ("12.5%", "12.5", 1, 0),
        ("1.000", "1", 3, 0),
    ],
)
def test_parse(text: str, value: str, decimals: int, stars: int) -> None:
    printed = parse_printed(text)
    assert (printed.value, printed.decimals, printed.stars) == (Decimal(value), decimals, stars)
    assert not (printed.value.is_zero() and printed.value.is_signed())


@pytest.mark.parametrize("text", ["", "*", "-", ".", "n/a", "1.2.3", "0.6 to 0.7", "nan", "1,2,3", "1,23,456", ","])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(InputError, match="printed number"):
        parse_printed(text)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("0,69", "0.69"),
        ("0,690", "0.690"),  # nobody writes 690 with a leading zero
        (",69", ".69"),
        ("−3,5**", "-3.5"),
        ("12,5 %", "12.5 %"),
        ("1.234,56", "1234.56"),
        ("4200,125", "4200.125"),
    ],
)
def test_a_decimal_comma_is_refused_and_named(text: str, point: str) -> None:
    with pytest.raises(
        InputError, match=rf"^table 2: printed number '{re.escape(text)}': has a decimal comma"
    ) as error:
        parse_printed(text, "table 2")
    assert f"as in {point} (" in str(error.value)


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.285, 2, "0.29"),  # 0.28499999999999998 in binary; people see 0.285
        (2.675, 2, "2.68"),
        (-0.285, 2, "-0.29"),
        (-0.004, 2, "0.00"),
        (0.67 - 0.59, 2, "0.08"),
        (0.5, 0, "1"),
        (4200.0, 2, "4200.00"),
    ],
)
def test_round_half_up(value: float, decimals: int, expected: str) -> None:
    assert str(round_half_up(value, decimals)) == expected


def test_rounding_twice_is_not_rounding_once() -> None:
    assert str(round_half_up(0.36498, 2)) == "0.36"
    assert str(round_twice(0.36498, 4, 2)) == "0.37"
    assert str(round_twice(-0.36498, 4, 2)) == "-0.37"


@given(st.floats(-1e4, 1e4), st.integers(0, 6))
def test_rounding_stays_within_half_a_step(value: float, decimals: int) -> None:
    rounded = round_half_up(value, decimals)
    assert abs(rounded - Decimal(value)) <= Decimal(5).scaleb(-decimals - 1) + Decimal("1e-12")
    assert round_half_up(rounded, decimals) == rounded
    assert round_half_up(-value, decimals) == -rounded


@given(st.decimals(-(10**9), 10**9, places=2))
def test_commas_between_thousands_change_nothing(value: Decimal) -> None:
    assert parse_printed(f"{value:,}").value == value


@given(st.decimals(-100, 100, places=3))
def test_what_is_printed_is_read_back(value: Decimal) -> None:
    assert parse_printed(str(value)).value == value
    assert parse_printed(str(value).replace("-", "−") + "**").stars == 2


def made_table() -> PrintedTable:
    cells = {
        ("a", "x/one"): "0.4",
        ("a", "x/two"): "0.37*",
        ("b", "x/one"): "-0.00",
        ("b", "x/two"): ".66**",
        ("c", "x/one"): "0.10",
    }
    entries = {key: parse_printed(text) for key, text in cells.items()}
    return PrintedTable("1", "made", {"a": "A", "b": "twin", "c": "twin"}, ("x/one", "x/two"), entries, 2, via=4)


def made_check() -> PaperCheck:
    values = {("a", "x/one"): 0.4, ("a", "x/two"): 0.36498, ("b", "x/one"): -0.001, ("b", "x/two"): float("nan")}
    interval = {("a", "x/one"): (0.25, 0.55)}
    tables = (
        check_table(made_table(), values, intervals=interval),
        check_table(made_table(), values, name="1-corrected", corrected=True, text="rows were <mixed> up"),
    )
    return PaperCheck(
        "made", "A made <b>study</b>", tables, (Defect("check", "error", "a & b", "is <bad>", ("k1", "k2")),)
    )


def test_cells() -> None:
    table = made_check().table("1")
    assert (table.matched, table.total) == (3, 5)
    assert [(c.row, c.column, c.printed, c.shown, c.matches) for c in table.cells] == [
        ("A", "x/one", "0.4", "0.40", True),
        ("A", "x/two", "0.37*", "0.37", True),
        ("twin (b)", "x/one", "-0.00", "0.00", True),
        ("twin (b)", "x/two", ".66**", "–", False),
        ("twin (c)", "x/one", "0.10", "–", False),
    ]
    assert table.cells[3].recomputed is None
    assert table.cells[3].note == "no value in the data"
    assert table.verdict == "all but 2 cells"
    assert check_table(made_table(), {}).verdict == "not reproduced"
    with pytest.raises(UnknownNameError, match="did you mean '1-corrected'"):
        made_check().table("1-correct")


def test_select_columns() -> None:
    part = made_table().select(columns=["x/two"])
    assert part.columns == ("x/two",)
    assert set(part.entries) == {("a", "x/two"), ("b", "x/two")}
    assert made_table().select(rows=["b"]).labels == {"b": "twin"}


def test_stars() -> None:
    assert [stars_of(p) for p in (0.051, 0.05, 0.011, 0.01, 0.0)] == [0, 1, 1, 2, 2]
    p_values = {("a", "x/one"): 0.2, ("a", "x/two"): 0.2, ("b", "x/two"): 0.005, ("b", "x/one"): 0.03}
    wrong = check_stars(made_table(), p_values)
    assert [(w.row, w.column, w.expected) for w in wrong] == [("A", "x/two", 0), ("twin (b)", "x/one", 1)]
    assert str(wrong[0]) == "A x/two: printed 0.37*, p = 0.2000, so none"
    with pytest.raises(ParameterError, match="thresholds"):
        check_stars(made_table(), p_values, thresholds=(0.01, 0.05))


def test_bold() -> None:
    cells = {"a": "0.9", "b": "0.5", "c": "0.5", "d": ".2**"}
    entries = {(row, "x"): parse_printed(text) for row, text in cells.items()}
    names = dict(zip(cells, cells, strict=True))

    def wrong(best: int, *bold: str) -> list[str]:
        table = PrintedTable("1", "made", names, ("x",), entries, 1, bold={"x": frozenset(bold)})
        return [str(cell) for cell in check_bold(table, best)]

    assert wrong(1, "a") == wrong(2, "a", "b", "c") == wrong(3, "a", "b", "c") == []
    assert wrong(2, "a", "b") == ["c x: 0.5 is not bold and ranks 2 in its column"]
    assert wrong(1, "a", "d") == ["d x: .2** is bold and ranks 4 in its column"]
    with pytest.raises(ParameterError, match="best"):
        wrong(0)


def test_repeated_names() -> None:
    assert repeated_names(made_table()) == ["twin"]


def test_json_shape() -> None:
    data = paper_json(made_check())
    assert data["tables"]["1"]["matched"] == 3
    assert data["tables"]["1"]["total"] == 5
    assert [cell["row"] for cell in data["tables"]["1"]["mismatches"]] == ["twin (b)", "twin (c)"]
    assert data["tables"]["1-corrected"]["values"]["A"] == {"x/one": 0.4, "x/two": 0.36498}
    assert data["tables"]["1-corrected"]["values"]["twin (c)"] == {"x/one": None}
    assert data["defects"] == [
        {"check": "check", "severity": "error", "where": "a & b", "message": "is <bad>", "keys": ["k1", "k2"]}
    ]
    cells = table_json(made_check().table("1"), cells=True)["cells"]
    assert cells[0]["interval"] == [0.25, 0.55]
    assert len(cells) == 5


def test_csv_has_a_row_per_cell() -> None:
    rows = list(csv.DictReader(io.StringIO(paper_csv(made_check()))))
    assert len(rows) == 10
    assert rows[1]["recomputed"] == "0.36498"
    assert (rows[0]["low"], rows[0]["high"]) == ("0.25", "0.55")
    assert rows[3]["recomputed"] == ""
    assert [row["matches"] for row in rows[:5]] == ["true"] * 3 + ["false"] * 2


def test_a_name_in_the_csv_is_no_formula_unless_cells_are_wanted_as_they_are() -> None:
    check = made_check()
    hostile = replace(check, tables=(replace(check.tables[0], name="=cmd()"), *check.tables[1:]))
    [safe, raw] = (paper_csv(hostile, escape_formulas=escaped).splitlines()[1] for escaped in (True, False))
    assert safe == f"'{raw}"
    assert raw.startswith("=cmd(),")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_is_escaped_and_self_contained() -> None:
    page = _Text()
    page.feed(paper_html(made_check()))
    text = "".join(page.texts)
    assert "A made <b>study</b>" in text
    assert "rows were <mixed> up" in text
    assert "is <bad>" in text
    assert "mixed" not in page.tags
    assert all(link.startswith(("#", "data:,")) for link in page.links)
    assert page.tags.count("del") == 4
    assert "0.25 … 0.55" in text


def test_published_tables_are_whole() -> None:
    tables = load_printed("re_dialsummeval.toml")
    assert {name: len(table.entries) for name, table in tables.items()} == {
        "1": 256, "2": 98, "3": 32, "4": 8, "5": 256, "6": 98,
    }  # fmt: skip
    assert repeated_names(tables["1"]) == ["BARTScore-h-r"]
    assert str(tables["1"].entries["rouge-1", "fluency/system"]) == "0.66**"


def test_study_folder(tmp_path: Path) -> None:
    inner = tmp_path / "study"
    inner.mkdir()
    (inner / "a.csv").touch()
    assert study_folder(inner, "study", ["a.csv"]) == inner
    assert study_folder(tmp_path, "study", ["a.csv"]) == inner
    with pytest.raises(InputError, match=r"no b\.csv in .*study; needed are a\.csv, b\.csv"):
        study_folder(tmp_path, "study", ["a.csv", "b.csv"])
    with pytest.raises(InputError, match="no such folder"):
        study_folder(tmp_path / "nowhere", "study", ["a.csv"])
    with pytest.raises(InputError, match="not a folder"):
        study_folder(inner / "a.csv", "study", ["a.csv"])


def test_unknown_paper(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 're-dialsummeval'"):
        recompute_paper("re-dialsumeval", tmp_path)
