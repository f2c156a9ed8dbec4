"""Charts: one of every figure of a report and of results, with valid specifications and the numbers of the figures."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import DialgaugeError, InputError, MissingExtraError, UnknownNameError
from dialgauge.metaeval import compare_systems, evaluate_metrics
from dialgauge.metrics import score
from dialgauge.plots import chart, chart_names, charts, save_charts
from dialgauge.plots._marks import _BUILDERS, chart_of
from dialgauge.ratings import agreement
from dialgauge.study import figures_of_run, run_study
from dialgauge.web import Figure

alt = pytest.importorskip("altair")

STUDY = """
[study]
name = "charts"
[corpus]
source = "calls.jsonl"
[metrics]
use = ["rouge-1", "rouge-l:stem=yes", "chrf@source"]
[perturbations]
use = ["jumble", "typos_1", "typos_3"]
parser = "optional"
[verdict]
null_runs = 0
[affect]
tagger = "vader"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("charts")
    every = embedded_corpus()
    few = pl.col("dialogue_id").is_in(every.dialogues["dialogue_id"].head(8).implode())
    parts = {name: getattr(every, name).filter(few) for name in ("dialogues", "summaries", "ratings")}
    write_corpus(replace(every, **parts), folder / "calls.jsonl")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return run_study(folder / "study.toml").folder


def values(spec: Any) -> Iterator[dict[str, Any]]:
    """All rows of data of a chart."""
    if isinstance(spec, dict):
        if isinstance(found := spec.get("values"), list):
            yield from (one for one in found if isinstance(one, dict))
        for part in spec.values():
            yield from values(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from values(part)


def test_every_figure_of_a_report_has_a_chart(run: Path) -> None:
    figures = figures_of_run(run)
    made = charts(run)
    assert list(made) == [figure.name for figure in figures] == chart_names(run)
    page = (run / "report.html").read_text("utf-8")
    for figure in figures:
        spec = made[figure.name].to_dict()  # checked against the schema of Vega-Lite
        numbers = {value for row in figure.rows for value in row if isinstance(value, float)}
        drawn = {value for row in values(spec) for value in row.values() if isinstance(value, float)}
        assert drawn <= numbers, figure.name
        assert drawn or not numbers, figure.name
        assert figure.name in page, "the figure is on the page"
    assert {figure.kind for figure in figures} >= {
        "forest",
        "scatter",
        "shares",
        "boxes",
        "histogram",
        "matrix",
        "curves",
    }


def test_kinds_that_only_papers_have() -> None:
    rows = [("a:b=c", 1.0, 2.0), ("<img>", 2.0, 1.0)]
    for kind in ("changes", "ranks", "series"):
        chart_of(Figure("f", "t", "", ("name", "before", "after"), rows, kind=kind)).to_dict()  # type: ignore[arg-type]
    chart_of(Figure("f", "t", "", ("domain", "dialogues"), [("x.y", 2)], kind="bars")).to_dict()  # type: ignore[arg-type]
    with pytest.raises(DialgaugeError, match="no chart: 'pie'"):
        chart_of(Figure("f", "t", "", (), (), kind="pie"))  # type: ignore[arg-type]
    assert set(_BUILDERS) == {
        *[
            "bars",
            "boxes",
            "changes",
            "curves",
            "forest",
            "histogram",
            "matrix",
            "points",
            "ranks",
            "scatter",
            "series",
            "shares",
        ]
    }


def test_charts_of_results() -> None:
    corpus = embedded_corpus()
    scores = score(corpus, ["rouge-1", "rouge-l:stem=yes"])
    found: dict[str, object] = {
        "corpus-lengths": corpus,
        "scores-rouge-1": scores,
        "correlations-system-pearson": evaluate_metrics(corpus, scores, resamples=20),
        "systems-rouge-1": compare_systems(corpus, scores, resamples=20),
        "agreement-krippendorff-alpha": agreement(corpus.ratings, resamples=20),
    }
    for name, result in found.items():
        assert name in chart_names(result)
        spec = chart(result, name).to_dict()
        assert list(values(spec)), name


def test_names_choose_charts(run: Path) -> None:
    assert list(charts(run, ["ranking"])) == [name for name in chart_names(run) if name.startswith("ranking-")]
    assert isinstance(chart(run), alt.LayerChart)
    with pytest.raises(UnknownNameError, match="unknown chart 'rankin-x'"):
        charts(run, ["rankin-x"])
    with pytest.raises(
        InputError, match="no chart of a int; there are charts of a run folder, StudyRun, Agreement, Corpus"
    ):
        charts(1)
    scores = score(embedded_corpus(), ["rouge-1"])
    nothing = replace(scores, frame=scores.frame.drop("rouge-1"), signatures={})
    with pytest.raises(InputError, match="nothing to draw"):
        charts(nothing)


def test_without_altair_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(MissingExtraError, match="plots"):
        chart(embedded_corpus())


class TestCommand:
    def test_it_lists_and_writes(self, run: Path, cli: Any, tmp_path: Path) -> None:
        listed = cli("plot", run, "ranking").out
        assert "ranking-fluency" in listed
        assert "corpus-turns" not in listed
        done = cli("plot", run, "ranking-fluency", "corpus-turns", "-o", tmp_path / "figures", "-f", "json", "--json")
        files = [Path(name) for name in json.loads(done.out)["files"]]
        assert [path.name for path in files] == ["ranking-fluency.json", "corpus-turns.json"]
        assert json.loads(files[0].read_text("utf-8"))["$schema"].startswith("https://vega.github.io")

    def test_one_file_holds_one_chart(self, run: Path, cli: Any, tmp_path: Path) -> None:
        done = cli("plot", run, "-o", tmp_path / "all.svg")
        assert done.code == 2
        assert "charts do not fit in one file; name one of: ranking-coherence" in done.err
        assert json.loads(cli("plot", run, "corpus-turns", "-o", "-").out)["mark"]

    def test_wrong_names(self, run: Path, cli: Any, tmp_path: Path) -> None:
        assert "unknown chart 'rank-x'" in cli("plot", run, "rank-x", "-o", tmp_path / "f").err
        assert "unknown format of charts 'gif'" in cli("plot", run, "-o", tmp_path / "f", "-f", "gif").err
        assert not (tmp_path / "f").exists()


def test_pictures_without_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    (svg,) = save_charts(embedded_corpus(), tmp_path, ["corpus-turns"])
    assert svg.read_text("utf-8").startswith("<svg")
    assert "DejaVu Sans" in svg.read_text("utf-8")  # the widest of the usual fonts, so that no label is cut
    asked: list[Any] = []
    monkeypatch.setattr(alt.Chart, "save", lambda self, path, **more: asked.append(more))
    save_charts(embedded_corpus(), tmp_path, ["corpus-turns"], format="html")
    assert asked == [{"inline": True}], "the page needs no network"
