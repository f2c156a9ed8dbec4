"""The robustness section: complete, escaped, the same bytes, and clean in a real browser."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.metaeval import robustness
from dialgauge.metrics import score
from dialgauge.report import ReportData, RobustnessData, render_report, render_robustness, robustness_panel
from dialgauge.report._robustness import _failure, breakable, card_sentences, marked, metrics_shown
from dialgauge.report._robustness_passed import Passed, passed_kinds, passed_sentence
from tests.page_checks import DESKTOP, PHONE, violations

EFFECTS = {
    "broken": {"consistency": "degrades"},
    "rewritten_1": {"consistency": "preserves", "relevance": "preserves"},
    "rewritten_2": {"consistency": "preserves", "relevance": "preserves"},
}
NASTY = "<script>alert('x')</script> & \"quotes\" <b>"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    dialogues, summaries = [], []
    for d in range(4):
        dialogues.append(Dialogue(f"d{d}", (Turn("A", f"We owe you {d} pounds."), Turn("B", "Thank you."))))
        reference = f"The agent owes the customer {d} pounds and says so."
        summaries.append(Summary(f"d{d}", "reference", reference, kind="reference"))
        for s in range(3):
            text = " ".join(reference.split()[: 4 + 2 * s]) + f" {NASTY}"
            variants = {"original": text, "broken": text + " not at all", "rewritten_1": text.replace("The", "An")}
            variants["rewritten_2"] = f"Well: {text}"
            summaries += [Summary(f"d{d}", f"s{s}", words, label) for label, words in variants.items()]
    return Corpus.build(dialogues, summaries)


@pytest.fixture(scope="module")
def data(corpus: Corpus) -> RobustnessData:
    scores = score(corpus, ["rouge-1", "ter", "length"])
    found = robustness(scores.frame, EFFECTS, scores.directions, resamples=50, references=["reference"])
    declined = pl.DataFrame(
        {"dialogue_id": ["d0"], "variant": ["broken"], "perturbation": [NASTY], "reason": ["too <short>"]}
    )
    return RobustnessData(corpus, found.tables(), found.settings, declined=declined)


def test_texts_are_escaped(data: RobustnessData) -> None:
    page = render_robustness(data, NASTY)
    assert page.count("<script") == 2, "the data, and the one script"
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "too &lt;short&gt;" in page


def test_nothing_is_loaded_from_elsewhere(data: RobustnessData) -> None:
    page = render_robustness(data, "Robust?")
    markup = page[: page.index('<script type="application/json"')]
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*["']""", markup)
    assert "default-src 'none'" in page


def test_says_what_it_must(data: RobustnessData) -> None:
    page = render_robustness(data, "Robust?")
    assert page.count('<article class="panel card"') == 2, "length describes only and has no card"
    assert page.count('<svg class="gauge"') == 2
    assert "Makes the summary wrong: it should score worse" in page
    assert "Preserves the meaning: the score should not change" in page
    assert "dose response: rewritten, levels 1, 2" in page
    assert "36 variants of 3 kinds passed the checks of their kind; 1 did not and is not used." in page
    assert "Every perturbation counts the same, however many of its variants passed." in page
    assert "12 summaries of 4 dialogues" in page
    assert page == render_robustness(data, "Robust?")


def test_failures_stand_side_by_side(data: RobustnessData) -> None:
    page = render_robustness(data, "Robust?")
    assert data.tables["failures"].height > 0
    assert "<b>original</b> <del>The</del> agent" in page
    assert "<b>perturbed</b> <mark>An</mark> agent" in page


def test_a_report_without_variants_has_no_such_section(corpus: Corpus) -> None:
    plain = Corpus(corpus.dialogues, corpus.summaries.filter(pl.col("variant") == "original"))
    scores = score(plain, ["rouge-1"])
    assert "Trust cards" not in render_report(ReportData("t", plain, scores))


def test_in_the_report(corpus: Corpus, data: RobustnessData) -> None:
    plain = Corpus(corpus.dialogues, corpus.summaries.filter(pl.col("variant") == "original"))
    page = render_report(ReportData("t", plain, score(plain, ["rouge-1"]), panels=[robustness_panel(data)]))
    assert "Trust cards" in page
    assert 'id="systems"' in page


def test_marked_parts_give_the_texts_back() -> None:
    before, after = marked("The agent paid  twice.", "The caller paid  once more.")
    assert "".join(text for text, _ in before) == "The agent paid  twice."
    assert "".join(text for text, _ in after) == "The caller paid  once more."
    assert [text for text, changed in before if changed] == ["agent", "twice."]


def test_breakable_escapes() -> None:
    assert breakable("a_b<@source") == "a_<wbr>b&lt;<wbr>@source"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1366, 390])
def test_in_a_browser(data: RobustnessData, browser: Any, tmp_path: Path, width: int) -> None:
    path = tmp_path / "robustness.html"
    path.write_text(render_robustness(data, "Robust?"), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 768})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.locator("svg.gauge").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert complaints == []
    page.close()


#: As many as a study of n-gram metrics has, and more perturbations than fit beside each other with names that lie.
MANY = (
    "rouge-1", "rouge-2", "rouge-3", "rouge-4", "rouge-l", "rouge-lsum", "rouge-1-p", "rouge-1-r", "rouge-2-p",
    "rouge-2-r", "rouge-l-p", "rouge-l-r", "bleu-1", "bleu-2", "bleu-3", "bleu-4", "chrf", "chrf++", "ter", "meteor",
)  # fmt: skip


def with_many(metrics: int, perturbations: int) -> RobustnessData:
    """So many metrics under so many perturbations; only one of them is mild, so its column has a short head."""
    expected = ["degrades-mildly", *("degrades", "preserves") * perturbations][:perturbations]
    labels = {f"replace_nouns_and_{n}": {"consistency": kind} for n, kind in enumerate(expected)}
    dialogues, summaries = [], []
    for d in range(3):
        dialogues.append(Dialogue(f"d{d}", (Turn("A", f"We owe you {d} pounds."), Turn("B", "Thank you."))))
        words = f"The agent owes the customer {d} pounds and says so, and that is all there is to it.".split()
        summaries.append(Summary(f"d{d}", "reference", " ".join(words), kind="reference"))
        for s in range(3):
            summaries.append(Summary(f"d{d}", f"s{s}", " ".join(words[: 8 + 3 * s])))
            summaries += [
                Summary(f"d{d}", f"s{s}", " ".join(words[: 2 + (n + s) % 6]), label) for n, label in enumerate(labels)
            ]
    corpus = Corpus.build(dialogues, summaries)
    scores = score(corpus, list(MANY[:metrics]))
    found = robustness(scores.frame, labels, scores.directions, resamples=20, references=["reference"])
    return RobustnessData(corpus, found.tables(), found.settings)


@pytest.mark.parametrize(("metrics", "perturbations"), [(20, 16), (3, 16)], ids=["more metrics", "more perturbations"])
def test_the_longer_list_runs_down_the_page(metrics: int, perturbations: int) -> None:
    data = with_many(metrics, perturbations)
    page = render_robustness(data, "Robust?")
    table = page[page.index('<table class="observed') : page.index("</table>")]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
    assert len(rows) == max(metrics, perturbations)
    assert {cells.count("<td") for _, cells in rows} == {min(metrics, perturbations)}
    assert ('class="observed upright"' in table) == (metrics == 20)
    names = [re.sub("<.*?>", "", name) for name, _ in rows]
    if metrics > perturbations:
        assert names == metrics_shown(data)
        spans = re.findall(r'scope="colgroup" colspan="(\d+)"[^>]*>([^<]*)<', table)
        assert spans == [("8", "should score worse"), ("1", "slightly worse"), ("7", "should not change")]
        changes = {(row["metric"], row["perturbation"]): row for row in data.tables["changes"].iter_rows(named=True)}
        heads = [re.sub("<.*?>", "", head) for head in re.findall(r'<th scope="col"><span>(.*?)</span>', table)]
        judged_rows = 0
        for name, cells in zip(names, (cells for _, cells in rows), strict=True):
            if changes[name, heads[0]]["change"] is None:
                continue  # a metric that gives all systems the same has no unit
            judged_rows += 1
            assert re.findall(r'title="(.*?):', cells) == [f"{name}, {head}" for head in heads]
            shown = [float(value.split()[0]) for value in re.findall(r'data-value="(.*?)"', cells)]
            assert shown == pytest.approx([changes[name, head]["change"] for head in heads], rel=1e-4)
        assert judged_rows > 10


@pytest.mark.browser
@pytest.mark.parametrize("shape", [(20, 16), (16, 20)], ids=["more metrics", "more perturbations"])
def test_many_metrics_and_perturbations_fit_on_a_screen(shape: tuple[int, int], browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(render_robustness(with_many(*shape), "Robust?"), "utf-8")
    page = browser.new_page(viewport=DESKTOP)
    page.goto(path.as_uri())
    around = page.locator(".scroll:has(table.observed)")
    assert around.evaluate("one => one.scrollWidth <= one.clientWidth"), "it has to be moved sideways"
    assert violations(page) == []
    overlapping = around.locator("thead th[scope=col]").evaluate_all(
        """all => all.filter(th => th.querySelector('span') && th.querySelector('span').getBoundingClientRect().width >
                          th.getBoundingClientRect().width).map(th => th.textContent)"""
    )
    assert overlapping == []
    page.set_viewport_size(PHONE)
    cells = (
        around.locator("tbody tr")
        .nth(1)
        .locator("td")
        .evaluate_all("all => all.filter(one => one.getBoundingClientRect().right <= innerWidth).length")
    )
    assert cells >= 4, "beside the name there is room for a few columns on a phone"
    page.close()


def judged(data: RobustnessData, metric: str, *verdicts: tuple[str, str, str]) -> RobustnessData:
    """With these verdicts (perturbation, expected, verdict) alone on a metric, over all dimensions."""
    rows = pl.DataFrame(
        [("overall", metric, *one) for one in verdicts],
        schema=["dimension", "metric", "perturbation", "expected", "verdict"],
        orient="row",
    )
    return replace(data, tables={**data.tables, "verdicts": rows})


def test_a_card_accounts_for_every_perturbation(data: RobustnessData) -> None:
    said = card_sentences(
        judged(
            data,
            "ter",
            ("a", "degrades", "noticed"),
            ("b", "degrades", "unclear"),
            ("c", "preserves", "raised"),
        ),
        "ter",
    )
    assert said == [
        "Detects 1 of 2 degrading perturbations.",
        "Stable under 0 of 1 preserving one.",
        "Changes unexpectedly: c.",
        "Scoring rewrites better also raises robustness: see sensitivity for what it detects.",
        "Not decided: b.",
    ]
    lowered = card_sentences(judged(data, "ter", ("c", "preserves", "lowered")), "ter")
    assert lowered == ["Stable under 0 of 1 preserving one.", "Changes unexpectedly: c."]


def test_metrics_are_sorted_by_what_they_notice_not_by_raised_rewrites(data: RobustnessData) -> None:
    """A metric that scores rewrites better has a high robustness, though it sees nothing of what is broken."""
    robust = pl.when(dimension="overall", metric="ter").then(0.99).otherwise("robustness")
    cards = data.tables["cards"].with_columns(robust.alias("robustness"))
    made = judged(data, "ter", ("broken", "degrades", "blind"), ("rewritten", "preserves", "raised"))
    made = replace(made, tables={**made.tables, "cards": cards})
    assert metrics_shown(made)[-1] == "ter"
    noticed = judged(data, "ter", *((f"broken-{i}", "degrades", "noticed") for i in range(40)))
    assert metrics_shown(noticed)[0] == "ter"


def test_reasons_that_differ_in_numbers_are_one(data: RobustnessData) -> None:
    reasons = ["1 of 7 sentences matter, fewer than 2", "3 of 7 sentences matter, fewer than 5", "none {}"]
    labels = ["cut", "cut", "cut#2", "cut", "cut", "broken"]
    declined = pl.DataFrame({"variant": labels, "reason": [reasons[0], *reasons, reasons[0], "too long"]})
    kinds = passed_kinds(replace(data, declined=declined))
    assert kinds == [
        Passed("broken", 12, 1, (("too long", 1),)),
        Passed("rewritten_1", 12, 0, ()),
        Passed("rewritten_2", 12, 0, ()),
        Passed("cut", 0, 5, (("1 to 3 of 7 sentences matter, fewer than 2 to 5", 4), ("none {}", 1))),
    ]
    assert kinds[0].why == "too long"
    alike = Passed("k", 0, 6, (("none", 3), ("unsafe: a", 2), ("unsafe: b", 1)))
    assert alike.why == "none (3); unsafe: a (2), b (1)"
    assert passed_sentence(replace(data, declined=None), kinds[:3]).startswith("36 variants of 3 kinds, as the corpus")


def test_a_failure_of_a_metric_where_lower_is_better_says_which_way_it_went(data: RobustnessData) -> None:
    """TER falls from 158.8 to 97.1: a broken summary scores better, and "should fall" would call that right."""
    key = {"dialogue_id": "d0", "system": "s0", "variant": "broken", "role": "overall", "perturbation": "broken"}
    row = {**key, "expected": "degrades", "original_score": 158.8, "variant_score": 97.06, "change": 5.31}
    assert _failure(row, {}).sentence == "158.8 → 97.06 (5.31 units better; should get worse)"
    kept = row | {"expected": "preserves", "change": -0.5}
    assert _failure(kept, {}).sentence == "158.8 → 97.06 (0.50 units worse; should not change)"
    same = row | {"variant_score": 158.8, "change": 0.0}
    assert _failure(same, {}).sentence == "158.8 → 158.8 (unchanged; should get worse)"
    page = render_robustness(data, "Robust?")
    assert "should fall" not in page
    assert "counts as no change" not in page
    assert "significantly within the margin of ±0.25" in page
