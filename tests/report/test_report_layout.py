"""What the report looks like and gives away: tables as data, names that can be read, nothing cut and nothing on top of
something else."""

import csv
import io
import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from benchmarks.report import made_report
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.metaeval import robustness
from dialgauge.metrics import score
from dialgauge.report import ReportData, RobustnessData, render_report, robustness_panel
from tests.page_checks import DESKTOP, PHONE, violations

pytestmark = pytest.mark.browser
METRICS = ["rouge-1", "rouge-2", "rouge-3", "rouge-l", "bleu-1", "bleu-2", "chrf", "ter"]
EFFECTS = {"drop_3": {"consistency": "degrades"}, "a_very_long_name_of_a_rewrite": {"consistency": "preserves"}}
LONG = {"system-00": "A System With Many Wide Letters WWW", "system-01": "一致性一致性一致性一致性一致性一致性"}
#: Instead of a download for each of many tables, which takes long: names and contents stay in the page.
KEEP_WHAT_IS_SAVED = """() => {
    const made = URL.createObjectURL.bind(URL), blobs = new Map();
    window.saved = [];
    URL.createObjectURL = (blob) => { const address = made(blob); blobs.set(address, blob); return address; };
    HTMLAnchorElement.prototype.click = function () { window.saved.push([this.download, blobs.get(this.href)]); };
}"""


def perturbed() -> RobustnessData:
    """Eight metrics under two perturbations, so that some trust cards are folded up."""
    dialogues, summaries = [], []
    for d in range(4):
        dialogues.append(Dialogue(f"d{d}", (Turn("A", f"We owe you {d} pounds."), Turn("B", "Thank you."))))
        reference = f"The agent owes the customer {d} pounds and says so, and that is all there is to it."
        summaries.append(Summary(f"d{d}", "reference", reference, kind="reference"))
        for s in range(3):
            text = " ".join(reference.split()[: 6 + 3 * s])
            kept = " ".join(text.split()[:3])
            variants = {"original": text, "drop_3": kept, "a_very_long_name_of_a_rewrite": f"{text} "}
            summaries += [Summary(f"d{d}", f"s{s}", words, label) for label, words in variants.items()]
    corpus = Corpus.build(dialogues, summaries)
    scores = score(corpus, METRICS)
    found = robustness(scores.frame, EFFECTS, scores.directions, resamples=20, references=["reference"])
    return RobustnessData(corpus, found.tables(), found.settings)


@pytest.fixture(scope="module")
def data() -> ReportData:
    made = made_report(dialogues=12, systems=5, metrics=20)
    named = pl.col("system").replace(LONG)
    corpus = replace(
        made.corpus,
        summaries=made.corpus.summaries.with_columns(named),
        ratings=made.corpus.ratings.with_columns(named),
    )
    assert made.correlations is not None
    lower = pl.when(dimension="fluency").then((pl.col("low") - 0.9).clip(-1)).otherwise("low").alias("low")
    found = made.correlations.with_columns(lower)
    return replace(made, corpus=corpus, correlations=found, panels=[robustness_panel(perturbed())])


@pytest.fixture(scope="module")
def address(data: ReportData, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_report(data), "utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Any:
    opened = browser.new_page(viewport=DESKTOP)
    opened.goto(address)
    opened.evaluate(KEEP_WHAT_IS_SAVED)
    yield opened
    opened.close()


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


def saved(page: Any, label: str) -> tuple[str, list[dict[str, str]]]:
    """The name of the file that a table is saved as, and its rows."""
    page.get_by_role("button", name=f"Save {label} as CSV", exact=True).click()
    name, text = page.evaluate("async () => { const [name, blob] = saved.pop(); return [name, await blob.text()]; }")
    return name, list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_correlations_are_saved_as_numbers(page: Any, data: ReportData) -> None:
    name, rows = saved(page, "correlations, summary level, pearson")
    assert name == "correlations-summary-level-pearson.csv"
    assert data.correlations is not None
    here = data.correlations.filter(level="summary", coefficient="pearson")
    assert len(rows) == here["metric"].n_unique()
    for row in rows:
        for dimension in here["dimension"].unique():
            known = here.row(
                by_predicate=(pl.col("metric") == row["metric"]) & (pl.col("dimension") == dimension), named=True
            )
            for column, part in (("", "value"), (" low", "low"), (" high", "high")):
                assert float(row[dimension + column]) == pytest.approx(known[part], rel=1e-4, abs=1e-12)


def test_a_table_is_saved_as_it_is_shown(page: Any) -> None:
    """Sorted, and without what the filter hides."""
    section = page.locator("section[aria-labelledby=tables]")
    table = section.locator("table").first
    table.locator("thead button").nth(2).click()
    section.locator("input[type=search]").first.fill("rouge")
    shown = table.locator("tbody tr:visible th").all_inner_texts()
    _, rows = saved(page, "correlations, summary level, pearson")
    assert [row["metric"] for row in rows] == shown
    values = [float(row["consistency"]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert 1 < len(rows) < 20


def test_words_have_a_column_of_their_own(page: Any) -> None:
    _, rows = saved(page, "pairs of metrics, coherence")
    first, second = rows[0]["metric"], rows[1]["metric"]
    assert rows[0][first] == ""
    assert float(rows[0][second]) == -float(rows[1][first])
    assert {row[f"{second} verdict"] for row in rows} <= {"", "better", "worse", "not significantly different"}
    name, rows = saved(page, "perturbations and metrics")
    assert name == "perturbations-and-metrics.csv"
    assert {row["metric"] for row in rows} == set(METRICS), "they are more than the perturbations, so they run down"
    assert [{row[f"{label} group"] for row in rows} for label in EFFECTS] == [
        {"should score worse"},
        {"should not change"},
    ]
    assert all(float(row["drop_3 low"]) <= float(row["drop_3"]) <= float(row["drop_3 high"]) for row in rows)
    assert {row["drop_3 verdict"] for row in rows} <= {
        "noticed",
        "faint",
        "blind",
        "wrong",
        "stable",
        "lowered",
        "raised",
        "unclear",
    }


def test_no_table_saves_signs_for_the_eye(page: Any) -> None:
    """In every table: numbers with an ASCII minus, no brackets, no marks, and a name that no other has."""
    unfold(page)
    labels = [
        label.removeprefix("Save ").removesuffix(" as CSV")
        for label in page.locator(".tools:has(+ .scroll) button").evaluate_all("all => all.map(one => one.ariaLabel)")
    ]
    assert len(labels) > 12
    names = set()
    for label in labels:
        name, rows = saved(page, label)
        assert not re.match(r"table|-", name)
        names.add(name)
        for value in (value for row in rows for value in row.values()):
            assert not re.match(r"^[▲▽·−–\s]|^[-\d.,]+ \[", value), f"{value!r} in {name}"
    assert len(names) == len(labels)


def test_every_drawing_can_be_saved(page: Any) -> None:
    unfold(page)
    without = page.locator("main svg").evaluate_all(
        """all => all.filter(one => one.closest("[data-figure]")?.querySelectorAll(".tools button").length !== 3)
                     .map(one => one.ariaLabel)"""
    )
    assert without == []
    name, rows = saved(page, "trust-ter")
    assert name == "trust-ter.csv"
    assert [row["measure"] for row in rows] == ["robustness", "sensitivity", "stability"]
    assert float(rows[1]["low"]) <= float(rows[1]["value"]) <= float(rows[1]["high"])


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_answers_are_on_the_first_screen(page: Any, size: Any) -> None:
    page.set_viewport_size(size)
    answers = page.locator("table.answers")
    assert answers.locator("tbody tr").count() >= 3
    box = answers.bounding_box()
    assert box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_label_lies_on_another_or_is_cut(page: Any, size: Any) -> None:
    page.set_viewport_size(size)
    unfold(page)
    wrong = page.evaluate(
        """() => {
            const found = [];
            for (const svg of document.querySelectorAll("main svg")) {
                const edge = (svg.closest(".panel") || svg).getBoundingClientRect();
                const texts = [...svg.querySelectorAll("text:not([transform])")];
                const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
                for (const [said, box] of boxes)
                    if (!svg.closest(".scroll") && (box.left < edge.left - 0.5 || box.right > edge.right + 0.5))
                        found.push(`cut: ${said} in ${svg.ariaLabel}`);
                boxes.forEach(([said, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
                    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                    if (wide > 0.5 && high > 4) found.push(`${said} on ${other} in ${svg.ariaLabel}`);
                }));
            }
            return found;
        }"""
    )
    assert wrong == []


def test_text_of_figures_can_be_read_on_a_phone(page: Any) -> None:
    page.set_viewport_size(PHONE)
    unfold(page)
    small = page.locator("main svg:not(.between)").evaluate_all(
        """all => all.map(svg => [parseFloat(getComputedStyle(svg).fontSize) * svg.getScreenCTM().a, svg.ariaLabel])
                     .filter(([size]) => size < 9.9)"""
    )
    assert small == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_names_of_columns_break_after_hyphens_only(page: Any, size: Any) -> None:
    page.set_viewport_size(size)
    unfold(page)
    broken = page.locator("table.pairs thead th, table.observed thead th:not(.group)").evaluate_all(
        """all => all.filter(th => {
            const text = document.createTreeWalker(th, NodeFilter.SHOW_TEXT).nextNode();
            return [...text.data.matchAll(/[^-]+-?/g)].some(found => {
                const range = document.createRange();
                range.setStart(text, found.index);
                range.setEnd(text, found.index + found[0].length);
                return range.getClientRects().length > 1;
            });
        }).map(th => th.textContent)"""
    )
    assert broken == []


def test_names_of_rows_stay_when_a_wide_table_moves(page: Any) -> None:
    page.set_viewport_size(PHONE)
    region = page.locator(".scroll:has(table.pairs)").first
    left = "one => one.querySelector('tbody th').getBoundingClientRect().left - one.getBoundingClientRect().left"
    before = region.evaluate(left)
    region.evaluate("one => { one.scrollLeft = 200; }")
    assert region.evaluate("one => one.scrollLeft") == 200
    assert region.evaluate(left) == before
    assert "linear-gradient" in region.evaluate("one => getComputedStyle(one).backgroundImage")


def test_captions_of_wide_tables_are_not_cut_on_a_phone(page: Any) -> None:
    page.set_viewport_size(PHONE)
    unfold(page)
    wide = """all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.querySelector('caption'))
        .filter(Boolean).map(one => one.getBoundingClientRect().right)"""
    ends = page.locator(".scroll").evaluate_all(wide)
    assert ends, "no table with a caption is wide, so this test would see nothing"
    assert max(ends) <= PHONE["width"]


def test_metrics_are_sorted_by_one_perturbation(page: Any) -> None:
    """Under the heads of the groups, which do not sort."""
    table = page.locator("table.observed")
    assert table.locator("thead tr").first.locator("button").count() == 0
    table.get_by_role("button", name="drop_3", exact=True).click()
    cells = table.locator("tbody td:nth-child(2)").evaluate_all(
        "all => all.map(one => Number(one.dataset.value.split(' ')[0]))"
    )
    assert len(set(cells)) > 1
    assert cells == sorted(cells, reverse=True)


def test_folds(page: Any) -> None:
    """Six trust cards are open, and of the correlations the table that the verdict is about."""
    assert page.locator(".card").count() == len(METRICS)
    assert page.locator(".card:visible").count() == 6
    folds = page.locator("section[aria-labelledby=tables] details")
    assert folds.locator("> summary").first.inner_text().lower() == "summary level, pearson"
    assert [one.get_attribute("open") is not None for one in folds.all()] == [True] + [False] * (folds.count() - 1)


def test_means_have_as_many_decimals_in_a_row(page: Any) -> None:
    for row in page.locator("table.means[data-name='means of each system'] tbody tr").all():
        texts = [text for text in row.locator("td").all_inner_texts() if text != "–"]
        assert len({len(text.partition(".")[2]) for text in texts}) == 1, texts


def test_axe(browser: Any, address: str) -> None:
    opened = browser.new_page(viewport=PHONE, color_scheme="dark")
    opened.goto(address)
    unfold(opened)
    assert violations(opened) == []
    opened.close()
