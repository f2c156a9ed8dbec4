"""A study that breaks summaries on purpose. The perturbations used here need no parser."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.perturb._parse import PARSER_VARIABLE
from dialgauge.study import FinishedRun, Study, run_study

STUDY = """\
[study]
name = "broken"
seed = 3
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "rouge-l@source", "ter", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 50
[perturbations]
use = ["jumble", "typos", "typos_2", "remove_punct"]
dimensions = ["consistency", "relevance"]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    corpus = embedded_corpus()
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(8)), folder / "corpus")
    (folder / "study.toml").write_text(STUDY)
    run_study(folder / "study.toml")
    return folder


def test_tables_are_there(finished: Path) -> None:
    out = finished / "runs" / "broken"
    changes = pl.read_parquet(out / "robustness-changes.parquet")
    assert set(changes["perturbation"]) == {"jumble", "typos", "typos_2", "remove_punct"}
    assert set(changes["metric"]) == {"rouge-1", "rouge-l@source", "ter", "length"}
    cards = pl.read_parquet(out / "robustness.parquet")
    assert set(cards["dimension"]) == {"overall", "consistency", "relevance"}
    assert json.loads((out / "robustness.json").read_text())["seed"] == 3
    assert "Trust cards" in (out / "report.html").read_text("utf-8")


def test_other_stages_see_originals_only(finished: Path) -> None:
    run = run_study(finished / "study.toml")
    assert set(run.scores.frame["variant"]) == {"original"}
    assert set(run.corpus.summaries["variant"]) == {"original"}


def test_same_bytes_in_another_folder(finished: Path, tmp_path: Path) -> None:
    run = run_study(Study.load(finished / "study.toml"), output=tmp_path / "again")
    for path in sorted((finished / "runs" / "broken").glob("*")):
        if path.is_file() and path.name != "manifest.json":
            assert (run.folder / path.name).read_bytes() == path.read_bytes(), path.name


def test_another_margin_redoes_the_analysis_alone(finished: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    shutil.copytree(finished / "corpus", tmp_path / "corpus")
    run_study(study)
    study.write_text(STUDY + "margin = 0.5\n")
    stages = run_study(study).stages
    assert stages["variants"] == stages["variant-scores"] == stages["scores"] == "unchanged"
    assert stages["robustness"] == stages["report"] == "done"
    # A metric that takes long can be left out of the variants: only they are scored again, and the verdict says so.
    study.write_text(STUDY + 'without_metrics = ["ter"]\n')
    run = run_study(study)
    assert run.stages["scores"] == run.stages["variants"] == "unchanged"
    assert run.stages["variant-scores"] == "done"
    finished_run = FinishedRun.open(run.folder)
    changes, reasons = finished_run.table("robustness-changes"), finished_run.table("verdict-reasons")
    assert changes is not None
    assert reasons is not None
    assert set(changes["metric"]) == {"rouge-1", "rouge-l@source", "length"}
    assert set(reasons.filter(pl.col("code") == "not-perturbed")["metric"]) == {"ter"}
    assert "not scored by ter" in (run.folder / "report.html").read_text("utf-8")
    study.write_text(STUDY + 'without_metrics = ["tre"]\n')
    with pytest.raises(InputError, match=r"perturbations\.without_metrics: .*'tre'.*ter"):
        run_study(study)


def test_without_a_parser_what_needs_one_is_left_out_where_the_study_allows_it(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(finished / "corpus", tmp_path / "corpus")
    study = tmp_path / "study.toml"
    text = STUDY.replace('"typos", "typos_2", "remove_punct"', '"add_negation_1"')
    monkeypatch.setenv(PARSER_VARIABLE, f"folder:{tmp_path / 'nowhere'}")
    study.write_text(text + 'parser = "optional"\n')
    folder = run_study(study).folder
    declined = pl.read_parquet(folder / "declined.parquet")
    assert set(declined["perturbation"]) == {"add_negation"}
    assert "nowhere" in declined["reason"][0]
    assert set(pl.read_parquet(folder / "robustness-changes.parquet")["perturbation"]) == {"jumble"}
    assert "nowhere" in (folder / "report.html").read_text("utf-8")
    monkeypatch.setenv(PARSER_VARIABLE, "no_such_package")
    assert run_study(study).stages["variants"] == "unchanged"


def test_a_stopped_run_does_not_pass_for_a_whole_one(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(finished / "corpus", tmp_path / "corpus")
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    folder = run_study(study).folder
    study.write_text(STUDY.replace('source = "corpus"', 'source = "corpus"\n[summarize]\nsystems = ["longest"]'))

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dialgauge.study.stages.scores.score_as_asked", stop)
        with pytest.raises(KeyboardInterrupt):
            run_study(study)
    with pytest.raises(InputError, match="the run stopped before scoring"):
        FinishedRun.open(folder)
    run_study(study)
    assert "longest" in FinishedRun.open(folder).scores.frame["system"].to_list()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('use = ["jumbel"]', "perturbations.use: unknown perturbation 'jumbel'; did you mean 'jumble'"),
        ('use = ["jumble"]\nmargin = 0.0', "perturbations.margin"),
        ('use = ["jumble"]\nsed = 3', "perturbations.sed: unknown key 'sed'; did you mean 'seed' or 'use'"),
        ('use = ["jumble"]\neffects = { mine = { fluency = "hurts" } }', "perturbations.effects.mine.fluency"),
        ("use = 3", "perturbations.use"),
        (
            'use = ["jumble"]\ngenerator = "llm"\nmodel = "m"\nparser = "optional"',
            'perturbations: parser = "optional": only with generator = "rules"',
        ),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    head = STUDY.partition("[perturbations]")[0]
    (tmp_path / "study.toml").write_text(f"{head}[perturbations]\n{line}\n")
    with pytest.raises(InputError, match=r"study\.toml:1") as caught:
        run_study(tmp_path / "study.toml")
    assert message in str(caught.value)
