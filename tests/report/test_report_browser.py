"""The report in a real browser: what its script adds, that it stays clean and accessible, and that it is not needed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.report import made_report
from dialgauge.report import ReportData, render_report
from tests.page_checks import violations

pytestmark = pytest.mark.browser
EVIL = "</script><img src=x onerror=alert(1)>"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small report with a hostile text behind every point."""
    data: ReportData = made_report(dialogues=6, systems=5, metrics=8)
    hostile = data.corpus.summaries.with_columns(text=pl.lit(EVIL) + pl.col("text"))
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(replace(data, corpus=replace(data.corpus, summaries=hostile))), "utf-8")
    return path.as_uri()


def opened(browser: Any, address: str, **options: Any) -> tuple[Any, list[str]]:
    """The page, and everything that it complains about."""
    page = browser.new_page(viewport={"width": 1366, "height": 768}, **options)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(address)
    return page, complaints


@pytest.mark.parametrize("width", [1366, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_clean_at_both_widths(browser: Any, address: str, width: int, scheme: str) -> None:
    page, complaints = opened(browser, address, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 768})
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.title() == "A made-up study"
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert page.locator("img").count() == 0
    assert complaints == []
    page.close()


def test_the_first_screen_answers(browser: Any, address: str) -> None:
    page, _ = opened(browser, address)
    for shown in ("table.answers", ".quarters svg.forest >> nth=3"):
        box = page.locator(shown).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 768, f"{shown} is below the first screen"
    page.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1366), ("dark", 1366), ("light", 390)])
def test_axe(browser: Any, address: str, scheme: str, width: int) -> None:
    page, _ = opened(browser, address, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 768})
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert violations(page) == []
    page.close()


def test_tables_sort_and_filter(browser: Any, address: str) -> None:
    page, complaints = opened(browser, address)
    table = page.locator("section[aria-labelledby=tables] table").first
    head = table.locator("thead th").nth(1)

    def numbers() -> list[float]:
        texts = table.locator("tbody td:nth-child(2)").all_inner_texts()
        return [float(text.split()[0].replace("−", "-")) for text in texts]

    head.get_by_role("button").click()
    assert numbers() == sorted(numbers(), reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    assert numbers() == sorted(numbers())
    page.locator("section[aria-labelledby=tables] input[type=search]").first.fill("rouge-1-p")
    assert table.locator("tbody tr:visible th").all_inner_texts() == ["rouge-1-p"]
    assert complaints == []
    page.close()


def test_a_point_shows_its_text_as_text(browser: Any, address: str) -> None:
    page, complaints = opened(browser, address)
    figure = page.locator("svg.scatter").first
    figure.scroll_into_view_if_needed()
    at = figure.evaluate(
        """svg => {
            const found = svg.querySelector('.points').getAttribute('d').match(/M([\\d.]+) ([\\d.]+)/);
            const place = new DOMPoint(Number(found[1]), Number(found[2])).matrixTransform(svg.getScreenCTM());
            return [place.x, place.y];
        }"""
    )
    page.mouse.move(*at)
    hint = page.locator(".hint")
    hint.wait_for()
    assert hint.locator("p").inner_text().startswith(EVIL)
    assert page.locator("img").count() == 0
    assert complaints == []
    page.close()


def test_figures_and_tables_are_saved(browser: Any, address: str) -> None:
    page, complaints = opened(browser, address)
    figure = page.locator("figure[data-figure^=scatter]").first

    def saved(name: str) -> tuple[str, bytes]:
        with page.expect_download() as download:
            figure.get_by_role("button", name=f"as {name}").click()
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    name, content = saved("CSV")
    lines = content.decode("utf-8-sig").split("\r\n")
    assert name.endswith(".csv")
    assert lines[0].startswith("dialogue_id,system,text,rating of ")
    assert EVIL in lines[1]
    assert len(lines) == 1 + 30 + 1
    name, content = saved("SVG")
    assert name.endswith(".svg")
    assert b"var(--" not in content
    assert b'xmlns="http://www.w3.org/2000/svg"' in content
    name, content = saved("PNG")
    assert name.endswith(".png")
    assert content.startswith(PNG)
    assert complaints == []
    page.close()


def test_a_formula_is_no_formula_in_a_saved_table(browser: Any, tmp_path: Path) -> None:
    data = made_report(dialogues=4, systems=4, metrics=2)
    evil = "=HYPERLINK(1)"
    names = {name: evil if name == "system-00" else name for name in data.corpus.systems}
    corpus = replace(
        data.corpus,
        summaries=data.corpus.summaries.with_columns(pl.col("system").replace(names)),
        ratings=data.corpus.ratings.with_columns(pl.col("system").replace(names)),
    )
    path = tmp_path / "report.html"
    path.write_text(render_report(replace(data, corpus=corpus)), "utf-8")
    page, _ = opened(browser, path.as_uri())
    with page.expect_download() as download:
        page.locator("figure[data-figure=corpus-lengths]").get_by_role("button", name="as CSV").click()
    text = Path(download.value.path()).read_text("utf-8")
    assert "'=HYPERLINK(1)" in text
    page.close()


def test_readable_without_scripts(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("svg.forest").count() == 8
    assert page.locator("svg.scatter .points").first.is_visible()
    assert page.locator("section[aria-labelledby=tables] table").first.is_visible()
    assert page.get_by_role("button").count() == 0, "nothing that would do nothing"
    context.close()


def test_on_paper_everything_is_open(browser: Any, address: str) -> None:
    page, _ = opened(browser, address, color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("details:not([open])").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator(".tools").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    page.close()
