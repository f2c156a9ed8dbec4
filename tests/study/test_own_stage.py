"""A stage that another package adds: its section, its work, its table and its panel are there like those of others."""

import importlib
import shutil
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from benchmarks.report import made_report
from dialgauge import registry
from dialgauge.cli._app import app
from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.registry import Registry
from dialgauge.report import Panel, render_report
from dialgauge.study import Stage, _graph as graph, read_study_file, report_of_run, run_study, table_kinds
from dialgauge.study._graph import all_stages, run_order
from tests.study import example_stage

STUDY = """\
[study]
name = "own"
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "ter"]
[verdict]
null_runs = 0
[correlation]
resamples = 0
[repetition]
words = 1
"""


def install(patch: pytest.MonkeyPatch, *stages: str) -> None:
    """As if another package were installed whose entry points name these stages of the example."""
    points = [EntryPoint(name, f"tests.study.example_stage:{name}", "dialgauge.stages") for name in stages]
    patch.setattr(registry, "entry_points", lambda group: [one for one in points if one.group == group])
    patch.setattr(graph, "STAGES", Registry("stage", Stage, lambda stage: type(stage).make, table=()))


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "REPETITION")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("own")
    (home / "study.toml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        install(patch, "REPETITION")
        run = run_study(home / "study.toml")
    assert run.stages["repetition"] == "done"
    return home


@pytest.fixture
def study(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path / "copy")
    return tmp_path / "copy" / "study.toml"


def test_it_leaves_its_results(finished: Path) -> None:
    shares = pl.read_parquet(finished / "runs/own/repetition.parquet")
    assert shares.height == 280
    assert 0 < shares["repeated"].mean() < 1  # type: ignore[operator]


def test_it_is_in_the_report(finished: Path) -> None:
    page = (finished / "runs/own/report.html").read_text("utf-8")
    assert '<h2 id="repetition">Who repeats themselves?</h2>' in page
    assert '<li><a href="#repetition">Repetition</a></li>' in page
    assert page.index('id="between"') < page.index('id="repetition"') < page.index('id="systems"')
    assert '<tr><th scope="row">repetition</th><td>sequences of 1 words</td></tr>' in page
    assert report_of_run(finished / "runs/own") == page


def test_its_table_is_a_kind_of_table(finished: Path) -> None:
    assert list(table_kinds())[-1] == "repetition"
    folder = str(finished / "runs/own")
    done = CliRunner().invoke(app, ["table", folder, "--kind", "repetition", "--format", "csv", "--digits", "2"])
    assert done.exit_code == 0, done.output
    heads, first, *_ = done.output.splitlines()
    assert heads == "system,repeated"
    assert len(first.split(",")[1].partition(".")[2]) == 2
    done = CliRunner().invoke(app, ["table", folder, "--kind", "repetition", "--best", "1"])
    assert str(done.exception) == "a table of repetition has no option 'best'; its options are digits"


def test_it_is_skipped_while_nothing_has_changed(study: Path) -> None:
    assert set(run_study(study).stages.values()) == {"unchanged"}
    study.write_text(STUDY.replace("words = 1", "words = 3"))
    done = {name for name, what in run_study(study).stages.items() if what == "done"}
    assert done == {"repetition", "report"}
    study.write_text(STUDY.partition("[repetition]")[0])
    assert "repetition" not in run_study(study).stages


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("words = 1", "words = 0"), ":12: repetition.words: must be between 1 and 10; got 0"),
        (("words = 1", "word = 1"), ":12: repetition.word: unknown key 'word'; did you mean 'words'?"),
        (("[repetition]", "[repetion]"), ":11: repetion: unknown key 'repetion'; did you mean 'repetition'"),
    ],
)
def test_mistakes_in_its_section_are_named_with_their_line(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace(*change))
    with pytest.raises(InputError) as caught:
        read_study_file(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_run_with_a_stage_that_is_gone_says_so(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    with pytest.raises(InputError, match="no installed package provides these stages of the run: repetition"):
        report_of_run(finished / "runs/own")


class Early(Stage):
    name = "early"
    inputs = ("late",)
    outputs = ("early.parquet",)


class Late(Stage):
    name = "late"
    inputs = ("early",)
    outputs = ("late.parquet",)


class Lost(Stage):
    name = "lost"
    inputs = ("scorse",)
    outputs = ("lost.parquet",)


class Double(Stage):
    name = "double"
    sections = example_stage.REPETITION.sections
    outputs = ("double.parquet",)


def test_stages_run_after_their_inputs() -> None:
    order = [stage.name for stage in run_order(all_stages())]
    assert order[0] == "summaries"
    assert order[-1] == "report"
    for stage in all_stages():
        assert all(order.index(name) < order.index(stage.name) for name in stage.inputs if name != "*")
    assert order.index("reproduction") < order.index("scores"), "it is quick, and shows mistakes early"


def test_stages_that_cannot_be_put_in_order_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DialgaugeError, match="stages depend on each other in a cycle: report, early, late"):
        run_order([*all_stages(), Early(), Late()])
    with pytest.raises(UnknownNameError, match="unknown input of stage 'lost' 'scorse'; did you mean 'scores'"):
        run_order([*all_stages(), Lost()])
    monkeypatch.setattr(example_stage, "DOUBLE", Double(), raising=False)
    install(monkeypatch, "REPETITION", "DOUBLE")
    with pytest.raises(DialgaugeError, match="two stages declare a section called 'repetition'; rename one"):
        all_stages()


def test_a_panel_may_have_a_template_of_its_own_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    package = tmp_path / "paneled" / "templates"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "mine.html").write_text('<section><h2 id="mine">{{ said }} of {{ data.title }}</h2></section>')
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    panel = Panel((("mine", "Mine"),), "mine.html", shown={"said": "<b>"}, package="paneled")
    page = render_report(replace(made_report(dialogues=4, systems=3, metrics=2), panels=[panel]))
    assert '<h2 id="mine">&lt;b&gt; of A made-up study</h2>' in page
