"""The sections of the report: what they say of tables whose content is known."""

import json
import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from benchmarks.report import SIZE_BAR, made_report
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.metaeval import PAIRS
from dialgauge.metrics import Scores
from dialgauge.metrics._scores import FAILURES
from dialgauge.report import CountedRatings, LearnedData, ReportData, TimesData, learned_panel, render_report
from dialgauge.report._content import Estimate, drifting, exact, places, rankings
from dialgauge.report._overview import data_problems, reads
from dialgauge.report._rating_figures import _points, rating_figures
from dialgauge.report._relations import between_figure, cluster_sentences, significance
from dialgauge.report._scatter import _POINTS, _core, scatter_plots
from dialgauge.tables import number
from dialgauge.web import short, slug, ticks

EVIL = '</script><img src=x onerror="alert(1)">'


@pytest.fixture(scope="module")
def large() -> ReportData:
    """100 dialogues × 14 systems × 32 metrics."""
    return made_report()


def data_of(page: str) -> Any:
    """What the script of a page reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_large_page_is_small_and_the_same_each_time(large: ReportData) -> None:
    page = render_report(large)
    assert len(page.encode()) < SIZE_BAR * 1e6
    assert page == render_report(large)
    for anchor in ("ranking", "tables", "pairwise", "scatter", "between", "raters", "systems", "corpus", "method"):
        assert f'id="{anchor}"' in page
        assert f'href="#{anchor}"' in page
    for anchor in ("robustness", "affect", "learned", "cost"):
        assert f'id="{anchor}"' not in page


def test_every_figure_has_its_data_and_every_id_is_its_own(large: ReportData) -> None:
    page = render_report(large)
    shown = re.findall(r'data-figure="([^"]+)"', page)
    assert len(shown) == len(set(shown))
    assert set(shown) == set(data_of(page)["figures"])
    anchors = re.findall(r'\bid="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))


def test_points_stand_for_their_texts(large: ReportData) -> None:
    page = render_report(large)
    data = data_of(page)
    name = next(name for name in data["figures"] if name.startswith("scatter-"))
    figure = data["figures"][name]
    item, rating, value = figure["rows"][17]
    dialogue, system, text = data["texts"]["rows"][item]
    dimension, metric = figure["columns"][1].removeprefix("rating of "), figure["columns"][2]
    assert large.ratings is not None
    here = {"dialogue_id": dialogue, "system": system}
    assert large.corpus.summaries.filter(**here)["text"].item() == text
    assert large.ratings.filter(**here)[dimension].item() == pytest.approx(rating, abs=1e-3)
    assert large.scores.frame.filter(**here)[metric].item() == pytest.approx(value, rel=1e-3)
    drawn = re.search(rf'data-figure="{name}".*?<path class="points" d="([^"]*)"', page, re.DOTALL)
    assert drawn is not None
    assert drawn[1].count("M") == len(figure["rows"])


def test_too_many_points_leave_out_whole_dialogues() -> None:
    data = made_report(dialogues=130, systems=12, metrics=2)
    figures, texts, said = scatter_plots(data, rankings(data, "summary", "pearson"))
    assert _POINTS < 130 * 12
    assert "65 of 130 dialogues" in said
    assert len(texts.rows) == 65 * 12
    assert all(len(figure.rows) == 65 * 12 for figure in figures)
    assert {row[0] for figure in figures for row in figure.rows} == set(range(65 * 12))
    assert all(figure.svg.count('class="system"') == 12 for figure in figures)


def test_a_few_far_values_do_not_flatten_the_rest() -> None:
    assert _core(pl.Series([float(i % 100) for i in range(999)] + [1e6])) == (0.0, 99.0, 1)
    assert _core(pl.Series([1.0, 2.0, 3.0])) == (1.0, 3.0, 0)
    assert _core(pl.Series([2.0, 2.0])) == (2.0, 2.0, 0)


def test_what_a_metric_reads() -> None:
    assert reads("rouge-1|target:source|stem:no|v:1") == "the dialogue"
    assert reads("mine") == ""


def test_what_was_wrong_comes_to_the_first_screen(large: ReportData) -> None:
    failures = pl.DataFrame([("d", "s", "original", "overall", "x", "why")], schema=FAILURES, orient="row")
    findings = [{"severity": "warning", "where": f"w{i}", "message": "m"} for i in range(5)]
    findings.append({"severity": "note", "where": "small", "message": "m"})
    data = replace(
        large,
        problems=["bad row"],
        findings=findings,
        verdicts=None,
        drift=None,
        scores=replace(large.scores, failures=failures),
    )
    assert data_problems(data) == [
        "1 row of the input skipped as invalid.",
        "w0: m",
        "w1: m",
        "w2: m",
        "2 more findings about the ratings are listed below.",
        "1 value of metrics missing; the reasons are listed below.",
    ]


def test_ratings_that_were_dropped_are_not_said_to_pull_the_means_down(large: ReportData) -> None:
    """What became of them is told once on the first screen, and in the list of findings the finding says so."""
    unset = {"check": "unset", "severity": "error", "where": "d1 / s1", "message": "zeros pull the means down"}
    counts = CountedRatings(large.corpus.ratings, 100, {"unset": 4})
    data = replace(large, findings=[unset], counted=counts, agreement=None, verdicts=None, drift=None)
    assert data_problems(data) == ["Dropped: 4 of 100 ratings that are not on their scale (4 unset zeros)."]
    assert data_problems(replace(data, counted=None)) == ["d1 / s1: zeros pull the means down"]
    listed = replace(data, agreement=large.agreement)
    assert "<li><strong>error</strong>, d1 / s1: zeros pull the means down; dropped</li>" in render_report(listed)
    kept = replace(listed, counted=replace(counts, keeps_invalid=True))
    assert "pull the means down; kept, as set in the study file</li>" in render_report(kept)
    assert "pull the means down</li>" in render_report(replace(listed, counted=replace(counts, invalid={})))


@pytest.mark.parametrize(("change", "said"), [(0.474, "0.47 points up"), (-0.34, "0.34 points down")])
def test_drift_has_a_direction(large: ReportData, change: float, said: str) -> None:
    drift = pl.DataFrame({"annotator": ["3"], "dimension": ["fluency"], "change": [change], "drifts": [True]})
    assert drifting(replace(large, drift=drift)) == [
        f"Annotator 3 drifts on fluency: {said} from first to last rating, relative to the others."
    ]


def test_pairs_are_turned_round_below_the_diagonal(large: ReportData) -> None:
    rows = [
        {
            "metric": "a",
            "other": "b",
            "value": 0.6,
            "other_value": 0.2,
            "difference": 0.4,
            "p_corrected": 0.01,
        },
        {
            "metric": "c",
            "other": "a",
            "value": 0.5,
            "other_value": 0.6,
            "difference": -0.1,
            "p_corrected": 0.6,
        },
        {
            "metric": "b",
            "other": "c",
            "value": 0.2,
            "other_value": 0.5,
            "difference": -0.3,
            "reason": "too few systems",
        },
    ]
    frame = pl.DataFrame([{"dimension": "fluency"} | row for row in rows], schema=PAIRS)
    (matrix,) = significance(replace(large, comparisons=frame))
    assert matrix.metrics == ("a", "c", "b")
    kinds = [[pair.kind for pair in row] for row in matrix.rows]
    assert kinds == [["none", "open", "better"], ["open", "none", "none"], ["worse", "none", "none"]]
    assert matrix.rows[2][0].said == "▽ −0.40"
    assert matrix.rows[1][2].title == "too few systems"
    assert matrix.verdict.startswith("1 of 3 pairs differ")


def test_metrics_with_metrics(large: ReportData) -> None:
    frame = pl.DataFrame(
        {
            "name": ["a", "b", "c"],
            "cluster": [1, 1, 2],
            "a": [1.0, 0.9, None],
            "b": [0.9, 1.0, -0.2],
            "c": [None, -0.2, 1.0],
        }
    )
    data = replace(large, between=frame)
    figure = between_figure(data)
    assert figure is not None
    assert figure.svg.count("<rect") == 9 + 5, "the legend has five colours"
    assert figure.svg.count('class="tile none"') == 2
    assert figure.svg.count('class="cut"') == 2, "a line across and one down where the cluster changes"
    assert ">.90<" in figure.svg
    assert ">1.0<" in figure.svg
    assert "lower is better" not in figure.note
    turned = replace(data, scores=replace(data.scores, directions={"b": "lower"}))
    assert "of b, lower is better" in (between_figure(turned) or figure).note
    assert cluster_sentences(data) == ["a, b"]
    assert figure.rows[2] == ("c", 2, None, -0.2, 1.0)


def test_shares_of_ratings_add_up(large: ReportData) -> None:
    for figure in rating_figures(large):
        assert figure.columns[:3] == ("system", "ratings", "mean")
        for _, count, _, *shares in figure.rows:
            assert count == 300
            assert sum(shares) == pytest.approx(1, abs=2e-3)  # type: ignore[arg-type]


def test_a_fine_scale_is_cut() -> None:
    names, points = _points(pl.Series([0.0, 12.5, 50.0, 99.0, 100.0, 3.0, 7.0, 20.0]))
    assert names == ["0–20", "20–40", "40–60", "60–80", "80–100"]
    assert points.to_list() == [0, 0, 2, 4, 4, 0, 0, 1]


def test_cleaning_times_and_learned(large: ReportData) -> None:
    cleaning = pl.DataFrame(
        {"dimension": ["fluency"], "ratings": [4200], "removed": [321], "value": [0.9], "low": [0.8], "high": [1.0]}
    )
    key = {"dialogue_id": "dialogue-000", "system": "system-00", "variant": "original", "role": "overall"}
    score = {"by": "learned", "name": "learned", "measure": "pearson", "level": "summary", "value": 0.61}
    entry = {
        "card": {"name": "mine", "kind": "features", "target": "fluency", "split": {"hides": "new systems"}},
        "scores": [score | {"low": 0.5, "high": 0.7, "reason": None}],
        "importance": [{"feature": "rouge-1", "drop": 0.25, "deviation": None}],
        "contributions": [key | {"rating": 4.0, "prediction": 3.5, "feature": "rouge-1", "contribution": 0.75}],
    }
    data = replace(
        large,
        cleaning=cleaning,
        panels=[learned_panel(LearnedData([entry]), large.corpus)],
        times=TimesData({"rouge-1": 2.8}, {"scores": 3.0}),
    )
    page = render_report(data)
    assert '<td class="number">4200</td><td class="number">321</td>' in page
    assert "0.61 [0.50, 0.70]" in page
    assert "new systems" in page
    assert '<th scope="row">learned</th><td></td>' in page, "the same name twice says nothing"
    assert "rouge-1 <b>+0.75</b>" in page
    assert "ratings as given" not in page, "nothing was cleaned away"
    cleaned = replace(data, counted=CountedRatings(large.corpus.ratings, 4200, noise=321))
    assert "the one rater is measured on the ratings as given, as in the rankings" in render_report(cleaned)
    assert '<td class="number" data-value="2">2.000</td>' in page, "2.8 s for 1,400 summaries"
    assert 'href="#cost"' in page


def test_names_that_the_page_uses_itself() -> None:
    """A metric may be called like a column of ours, and dimensions be written in another script."""
    small = made_report(dialogues=5, systems=4, metrics=2)
    assert small.ratings is not None
    assert small.correlations is not None
    metrics = dict(zip(small.scores.metrics, ("text", "item"), strict=True))
    dimensions = {"coherence": "连贯性", "consistency": "一致性", "fluency": "text", "relevance": "item"}
    scores = Scores(
        small.scores.frame.rename(metrics),
        {metrics[name]: signature for name, signature in small.scores.signatures.items()},
        {metrics[name]: direction for name, direction in small.scores.directions.items()},
    )
    corpus = replace(
        small.corpus, ratings=small.corpus.ratings.with_columns(pl.col("dimension").replace_strict(dimensions))
    )
    found = small.correlations.with_columns(
        pl.col("metric").replace_strict(metrics), pl.col("dimension").replace_strict(dimensions)
    )
    page = render_report(ReportData("t", corpus, scores, found, ratings=small.ratings.rename(dimensions)))
    shown = re.findall(r'data-figure="([^"]+)"', page)
    assert len(shown) == len(set(shown))
    data = data_of(page)
    assert set(data["figures"]) == set(shown)
    assert {row[-1] for row in data["texts"]["rows"]} == set(small.corpus.summaries["text"])


def test_hostile_names_and_texts_stay_text() -> None:
    """In a summary, a system, a metric, a reason, a dimension, a finding: no tag, and no end of the data's element."""
    systems, dialogues = [EVIL, "s1", "s2", "s3"], ["d0", "d1", "d2"]
    corpus = Corpus.build(
        [Dialogue(d, (Turn(EVIL, EVIL),), domain=EVIL) for d in dialogues],
        [Summary(d, s, f"{EVIL} {i}") for d in dialogues for i, s in enumerate(systems)],
        [Rating(d, s, a, EVIL, float(i)) for d in dialogues for i, s in enumerate(systems) for a in (EVIL, "b")],
    )
    keys = corpus.summaries.select("dialogue_id", "system", "variant", "role")
    scores = Scores(
        keys.with_columns(pl.Series(EVIL, [float(i % 5) for i in range(keys.height)])),
        {EVIL: EVIL},
        {EVIL: "higher"},
        failures=pl.DataFrame([("d0", EVIL, "original", "overall", EVIL, EVIL)], schema=FAILURES, orient="row"),
    )
    found = pl.DataFrame(
        {"metric": [EVIL], "dimension": [EVIL], "level": ["summary"], "coefficient": ["pearson"],
         "direction": ["higher"], "value": [0.5], "low": [0.1], "high": [0.8], "reason": [EVIL]}
    )  # fmt: skip
    ratings = corpus.ratings.group_by("dialogue_id", "system", "variant", "role").agg(
        pl.col("value").mean().alias(EVIL)
    )
    between = pl.DataFrame({"name": [EVIL, "b"], "cluster": [1, 1], EVIL: [1.0, 0.5], "b": [0.5, 1.0]})
    finding = {"severity": "error", "where": EVIL, "message": EVIL}
    page = render_report(
        ReportData(EVIL, corpus, scores, found, ratings=ratings, between=between, findings=[finding], problems=[EVIL],
                   settings={EVIL: EVIL})
    )  # fmt: skip
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert EVIL + " 0" in {row[-1] for row in data_of(page)["texts"]["rows"]}
    assert f"<b>{EVIL}" not in page


def test_helpers() -> None:
    assert slug("rouge-1") == "rouge-1"
    assert slug("Größe & <b>").startswith("gr-e-b-")
    assert slug("一致性") != slug("流畅性")
    assert slug("rouge-1@source") != slug("rouge-1-source")
    assert short("rouge-1@source") == "rouge-1@source"
    assert len(short("一致性" * 9)) < len(short("abcdefghk" * 3)) < 19
    assert short("x" * 40).endswith("…")
    assert [number(value, 3) for value in (-0.0001, -0.5, 4.8)] == ["0.000", "−0.500", "4.800"]
    assert [places(values) for values in ([4.8, None], [99.0], [1000.0], [])] == [3, 2, 1, 3]
    assert exact(Estimate("m", -0.123456, -1.0, 0.25)) == ' data-value="-0.12346 -1 0.25"'
    assert exact(Estimate("m", 0.5, None, None)) == ' data-value="0.5"'
    assert exact(None) == exact(Estimate("m", None, None, None)) == ""
    assert ticks(0, 1) == [0, 0.25, 0.5, 0.75, 1]
    assert ticks(2, 2) == [2]
    assert ticks(0.31, 0.34, 3) == pytest.approx([0.32, 0.34])
