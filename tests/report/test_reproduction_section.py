"""The section that holds a study against the one that it repeats: words, tables, figures, and names that mean harm."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.report import made_report
from dialgauge.report import ReportData, render_report, reproduction_panel
from dialgauge.reproduce import (
    ComparisonReport,
    StudyResults,
    check_claims,
    compare,
    comparison_html,
    comparison_json,
    comparison_section as section,
)
from dialgauge.reproduce._conclusions import claims_from
from dialgauge.reproduce._studies import printed_results as results_of
from tests.page_checks import violations

EVIL = '</script><img src=x onerror="alert(1)">'
Values = Mapping[str, str]


def printed(name: str, values: Values, dimension: str = "fluency", role: str = "overall") -> StudyResults:
    rows = [{"system": s, "dimension": dimension, "value": v, "scale": "1-5", "role": role} for s, v in values.items()]
    return results_of(rows, name)


def compared(
    first: StudyResults, second: StudyResults, claims: list[dict[str, Any]] | None = None
) -> Mapping[str, Any]:
    comparison = compare([first, second])
    found = check_claims(claims_from(claims), [first, second]) if claims else None
    facts: Mapping[str, Any] = json.loads(json.dumps(comparison_json(ComparisonReport(comparison, found))))
    return facts


FIRST = printed("first", {"a": "4.0", "b": "3.0", "c": "2.0", "d": "1.5"})
SECOND = printed("second", {"a": "3.0", "b": "4.5", "c": "2.5", "d": "1.5"})


def test_measures_of_agreement_are_called_what_people_call_them() -> None:
    found = section(compared(FIRST.with_agreement(0.48, "cohen-kappa"), SECOND))
    assert found.agreement[0] == ("first", "Cohen's κ 0.48 (moderate)")
    assert found.agreement[1] == ("second", "not reported")


def test_what_a_row_says() -> None:
    found = section(compared(FIRST, SECOND))
    (block,) = found.blocks
    assert [row.system for row in block.rows] == ["a", "b", "c", "d"]
    first = block.rows[0]
    assert first.cells == ("4.00", "3.00", "−1.00")
    assert (first.ranks, first.change, first.moved) == (("1", "2"), "−1", "down")
    assert (block.rows[1].change, block.rows[1].moved) == ("+1", "up")
    assert (block.rows[3].cells[2], block.rows[3].change, block.rows[3].moved) == ("0.00", "0", "")
    assert str(block.rows[3].cv_star) == "0.00 [0.00, 19.94]", "what is printed with one decimal leaves a range"
    assert block.cells[:4] == ("4", "0.62", "0.80", "5 / 1 / 0")
    assert block.figure.rows[0][:4] == ("a", 4.0, 3.0, -1.0)


def test_words() -> None:
    found = section(compared(FIRST, SECOND))
    assert found.lead == "The order of the systems is much the same as in first."
    said = " ".join(found.sentences)
    assert "5 of 6 pairs of systems (83%) keep their order. " in said, "of one dimension there is nothing to add"
    assert "Another system comes out best for fluency, b instead of a." in said
    assert "Compared with first, mean results change by +0.25 (fluency)." in said
    assert "fluency: the scale 1-5 begins at 1, which is subtracted before CV*." in found.remarks


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"a": "5", "b": "4", "c": "3", "d": "2"}, "the same"),
        ({"a": "4", "b": "5", "c": "3", "d": "2"}, "much the same"),
        ({"a": "4", "b": "5", "c": "2", "d": "3"}, "only partly the same"),
        ({"a": "2", "b": "3", "c": "4", "d": "5"}, "not the same"),
    ],
)
def test_the_order_in_a_word(values: Values, word: str) -> None:
    found = section(compared(printed("x", {"a": "5", "b": "4", "c": "3", "d": "2"}), printed("y", values)))
    assert found.lead == f"The order of the systems is {word} as in x."


@pytest.mark.parametrize(
    ("claims", "lead"),
    [
        (["a > b", "a > c"], "Partly confirmed: 1 of 2 claims of first hold here."),
        (["a > b"], "Not confirmed: the claim of first does not hold here."),
        (["b > c", "c > d"], "Confirmed: all 2 claims of first hold here."),
        (["b > c"], "Confirmed: the claim of first holds here."),
    ],
)
def test_claims_decide_the_verdict(claims: list[str], lead: str) -> None:
    data = compared(FIRST, SECOND, [{"id": str(i), "claim": c, "dimension": "fluency"} for i, c in enumerate(claims)])
    found = section(data)
    assert found.lead == lead
    assert [row.text for row in found.claims] == claims


def test_a_claim_that_rounding_leaves_open_has_a_question_mark() -> None:
    near = printed("near", {"a": "3", "b": "3", "c": "2", "d": "1"})
    data = compared(FIRST, near, [{"claim": ["a > b", "a > c"], "dimension": "fluency"}])
    verdict, kind, parts = section(data).claims[0].studies[1]
    assert (verdict, kind, parts) == ("partly ?", "faint", "parts: 1 of 2")
    assert section(data).claims[0].differences == ("+1.50", "+0.50")


def test_rounding_that_leaves_the_order_open_is_shown() -> None:
    near = printed("near", {"a": "3", "b": "3", "c": "2", "d": "1"})
    found = section(compared(FIRST, near))
    assert found.rounded
    assert found.blocks[0].rounding == "0.80 … 1.00"
    assert not section(compared(FIRST, SECOND)).rounded


def test_roles_are_blocks_of_their_own() -> None:
    both = [
        results_of(
            [
                {"system": s, "dimension": "fluency", "value": v, "role": role}
                for role in ("user", "agent")
                for s, v in zip("abc", values, strict=True)
            ],
            name,
        )
        for name, values in (("one", ("1", "2", "3")), ("two", ("1", "3", "2")))
    ]
    found = section(compared(*both))
    assert [block.title for block in found.blocks] == ["fluency, user", "fluency, agent"]
    assert len({figure.name for figure in found.figures}) == 2
    assert any("No scale is named for fluency" in remark for remark in found.remarks)


def test_a_role_is_named_everywhere_or_nowhere() -> None:
    rows = [{"system": s, "dimension": "fluency", "value": v, "scale": "1-5"} for s, v in (("a", "4"), ("b", "3"))]
    first = results_of([*rows, *({**row, "role": "agent"} for row in rows)], "first")
    found = section(compared(first, printed("second", {"a": "3", "b": "4"})))
    assert [block.title for block in found.blocks] == ["fluency"]
    assert "Another system comes out best for fluency, b instead of a." in found.sentences
    assert "Left out: role agent: not in second." in found.remarks
    both = section(compared(first, replace(first, name="second")))
    assert [block.title for block in both.blocks] == ["fluency, overall", "fluency, agent"]
    assert "2 of 2 pairs of systems (100%) keep their order, over 2 roles." in both.sentences
    assert (
        "Compared with first, mean results change by 0.00 (fluency, overall) to 0.00 (fluency, agent)."
        in both.sentences
    )


@pytest.mark.parametrize(("adds", "share"), [(True, "2 of 2"), (False, "2 of 3")])
def test_a_mean_of_dimensions_counts_only_where_people_rated_it(adds: bool, share: str) -> None:
    def study(name: str, overall: tuple[str, str]) -> StudyResults:
        values = {"fluency": ("4", "3"), "relevance": ("4", "3"), "overall": overall}
        rows = [
            {"system": system, "dimension": dimension, "value": value, "scale": "1-5"}
            for dimension, pair in values.items()
            for system, value in zip("ab", pair, strict=True)
        ]
        return results_of(rows, name)

    data = compared(study("first", ("4", "3")), replace(study("second", ("3", "4")), adds_overall=adds))
    over = 2 if adds else 3
    assert section(data).sentences[0].startswith(f"{share} pairs of systems (")
    assert section(data).sentences[0].endswith(f"keep their order, over {over} dimensions.")
    assert len(section(data).blocks) == 3, "it is shown all the same"


def test_little_to_compare() -> None:
    one = section(compared(printed("x", {"a": "3"}), printed("y", {"a": "4"})))
    assert one.lead.startswith("No two systems differ")
    assert one.blocks[0].cells[1:3] == ("–", "–")
    lowest = section(compared(printed("x", {"a": "1", "b": "1"}), printed("y", {"a": "1", "b": "1"})))
    assert str(lowest.blocks[0].rows[0].cv_star) == "–"
    assert "would divide by 0" in lowest.blocks[0].rows[0].note


def test_several_reproductions_stand_beside_the_original_one_by_one() -> None:
    third = printed("third", {"a": "4.5", "b": "2.5", "c": "2.0", "d": "1.0"})
    studies = [FIRST, SECOND, third]
    claims = check_claims(claims_from([{"claim": "a > b", "dimension": "fluency"}]), studies)
    report = ComparisonReport(compare(studies), claims)
    found = section(comparison_json(report))
    assert [block.title for block in found.blocks] == ["second, fluency", "third, fluency"]
    assert [block.names for block in found.blocks] == [("first", "second"), ("first", "third")]
    assert found.blocks[1].rows[0].cells == ("4.00", "4.50", "+0.50")
    assert found.claims[0].overall == ("partly", "faint")
    assert [verdict for verdict, _, _ in found.claims[0].studies] == ["confirmed", "not confirmed", "confirmed"]
    assert found.sentences[0] == "11 of 12 pairs of systems (92%) keep their order, over 2 reproductions."
    assert (
        "Compared with first, mean results change by −0.12 (third, fluency) to +0.25 (second, fluency)."
        in found.sentences
    )
    page = comparison_html(report)
    assert "CV* of all" in page, "what all three say together"
    assert "Systems that change rank" in page


@given(
    st.lists(
        st.tuples(st.integers(10, 50), st.integers(10, 50)), min_size=1, max_size=8
    ),
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip),
             min_size=8, max_size=8, unique_by=str.strip),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_two_studies_can_be_shown(values: list[tuple[int, int]], names: list[str]) -> None:
    studies = [
        printed(study, {name.strip(): f"{pair[i] / 10}" for name, pair in zip(names, values, strict=False)})
        for i, study in enumerate(("x", "y"))
    ]
    found = section(compared(*studies))
    (block,) = found.blocks
    assert len(block.rows) == len(values)
    assert sum(float(row.change.replace("−", "-")) for row in block.rows) == 0, "who rises makes another fall"
    for row in block.rows:
        assert (row.cells[2].startswith("−")) == (float(row.cells[1]) < float(row.cells[0]))
    assert block.figure.svg.count('class="second"') == len(values) + 1, "one for each system, and the legend"


@pytest.fixture(scope="module")
def hostile() -> ReportData:
    """A report in which the studies, a dimension, the systems and a claim are called something harmful."""
    names = [f"{EVIL}{i}" for i in range(6)]
    first = printed(f"one{EVIL}", {name: f"{1.5 + i / 2}" for i, name in enumerate(names)}, f"d{EVIL}")
    second = printed(f"two{EVIL}", {name: f"{4.5 - i / 2}" for i, name in enumerate(names)}, f"d{EVIL}")
    claims = [{"text": EVIL, "claim": f"{names[0]} > {names[1]}", "dimension": f"d{EVIL}"}]
    return replace(
        made_report(dialogues=6, systems=5, metrics=4), panels=[reproduction_panel(compared(first, second, claims))]
    )


def test_names_stay_text(hostile: ReportData) -> None:
    page = render_report(hostile)
    assert "<img" not in page
    assert page.count("<script") == 2
    assert "&lt;/script&gt;&lt;img src=x" in page
    assert page.count('id="reproduction"') == 1
    shown = re.findall(r'data-figure="([^"]+)"', page)
    assert len(shown) == len(set(shown))
    assert any(name.startswith("reproduction-") for name in shown)
    assert page == render_report(hostile)


@pytest.fixture(scope="module")
def address(hostile: ReportData, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(hostile), "utf-8")
    return path.as_uri()


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 390)])
def test_clean_and_accessible(browser: Any, address: str, scheme: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 768}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert violations(page) == []
    assert complaints == []
    page.close()


@pytest.mark.browser
def test_it_sorts_filters_and_saves(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    here = page.locator("section[aria-labelledby=reproduction]")
    table = here.locator("details table").first
    change = table.locator("tbody td:last-child")
    table.get_by_role("button", name="rank change").click()
    shown = [float(text.replace("−", "-")) for text in change.all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] > 0 > shown[-1], "a fall is below a rise"
    here.locator("details input[type=search]").first.fill(f"{EVIL}3".split()[-1])
    assert table.locator("tbody tr:visible").count() == 1
    with page.expect_download() as download:
        here.locator("figure").first.get_by_role("button", name="as CSV").click()
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + 6
    drawn = [float(line.split(",")[-2]) for line in lines[1:]]
    assert lines[0].endswith(",difference,CV*,rank change")
    here.locator("details input[type=search]").first.fill("")
    with page.expect_download() as download:
        here.locator("details .tools").first.get_by_role("button", name="as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig"))))
    assert len(rows) == 6
    assert sorted(float(row["CV*"]) for row in rows) == pytest.approx(sorted(drawn), rel=1e-3), "as exact as the figure"
    assert all(float(row["CV* low"]) <= float(row["CV*"]) <= float(row["CV* high"]) for row in rows)
    page.close()


@pytest.mark.browser
def test_all_of_it_on_paper(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    here = page.locator("section[aria-labelledby=reproduction]")
    assert here.locator("svg.plot").first.is_visible()
    assert here.locator("details table").first.is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('thead')).breakInside") == "avoid"
    context.close()
