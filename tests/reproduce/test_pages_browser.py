"""The pages of `compare` and `paper` in a real browser: clean, accessible, and their tables can be sorted and saved."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from dialgauge.reproduce import ComparisonReport, check_claims, compare, comparison_html, paper_html
from dialgauge.reproduce._conclusions import claims_from
from dialgauge.reproduce._studies import printed_results
from tests.page_checks import violations
from tests.reproduce.test_printed import made_check

pytestmark = pytest.mark.browser


def comparison_page(studies: int) -> str:
    """A page of so many printed studies, with a claim that one of them does not confirm."""
    results = [
        printed_results(
            [
                {"system": system, "dimension": dimension, "value": f"{1.2 + (i * step) % 3.7:.1f}", "scale": "1-5"}
                for i, system in enumerate(("alpha", "beta", "gamma", "delta"), start=1)
                for dimension, step in (("fluency", 1.3 + study), ("relevance", 0.7 + study))
            ],
            f"study-{study}",
        )
        for study in range(studies)
    ]
    claims = check_claims(claims_from([{"claim": "beta > alpha", "dimension": "fluency"}]), results)
    return comparison_html(ComparisonReport(compare(results), claims))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pages")
    pages = {"two": comparison_page(2), "four": comparison_page(4), "paper": paper_html(made_check())}
    for name, page in pages.items():
        (home / f"{name}.html").write_text(page, "utf-8")
    return home


@pytest.mark.parametrize("name", ["two", "four", "paper"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 1366), ("light", 390)])
def test_clean_and_accessible(browser: Any, folder: Path, name: str, scheme: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 768}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((folder / f"{name}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert violations(page) == []
    assert complaints == []
    page.close()


def test_what_is_struck_out_is_not_saved_as_the_value(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "paper.html").as_uri())
    section = page.locator("section").first
    assert section.locator("tr", has_text="twin (c)").locator("del").inner_text() == "0.10"
    with page.expect_download() as download:
        section.get_by_role("button", name="CSV").click()
    rows = {row["row"]: row for row in csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8-sig")))}
    assert (rows["A"]["one"], rows["A"]["one low"], rows["A"]["one high"]) == ("0.4", "0.25", "0.55")
    assert (rows["twin (c)"]["one"], rows["twin (c)"]["one note"][:12]) == ("", "printed 0.10")
    page.close()
