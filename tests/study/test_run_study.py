"""Runs of a study: same bytes, skipped stages, resumed after a failure, clear errors."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, write_corpus
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.files import claimed_folder
from dialgauge.study import Study, run_study

STUDY = """\
[study]
name = "small"
seed = 3
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "rouge-l@source", "ter", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 50
"""
TABLES = ["scores.parquet", "correlations.parquet", "ratings.parquet", "report.html"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.toml").write_text(STUDY)
    run = run_study(folder / "study.toml")
    assert set(run.stages.values()) == {"done"}
    return folder


@pytest.fixture
def study(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished study that a test may change."""
    shutil.copytree(finished, tmp_path / "copy")
    return tmp_path / "copy" / "study.toml"


def test_results_are_there_and_keyed(finished: Path) -> None:
    run = run_study(finished / "study.toml")
    assert run.scores.metrics == ["rouge-1", "rouge-l@source", "ter", "length"]
    assert run.scores.frame.height == 240
    correlations = run.correlations
    assert correlations is not None
    assert set(correlations["level"]) == {"system", "summary"}
    assert set(correlations["metric"]) == {"rouge-1", "rouge-l@source", "ter", "length"}
    assert run.corpus.info.ratings_origin == "constructed"
    assert "<svg" in run.report.read_text("utf-8")


def test_second_run_does_nothing(study: Path) -> None:
    assert set(run_study(study).stages.values()) == {"unchanged"}


def test_same_bytes_in_another_folder(finished: Path, tmp_path: Path) -> None:
    run_study(finished / "study.toml", output=tmp_path / "again")
    for table in TABLES:
        assert (tmp_path / "again" / table).read_bytes() == (finished / "runs/small" / table).read_bytes(), table


@pytest.mark.parametrize(
    ("changed", "agreement"), [('resample = "systems"', "unchanged"), ("confidence = 0.9", "done")]
)
def test_only_what_depends_on_a_change_runs_again(study: Path, changed: str, agreement: str) -> None:
    study.write_text(study.read_text().replace("resamples = 50", f"resamples = 50\n{changed}"))
    assert run_study(study).stages == {
        "corpus": "unchanged",
        "scores": "unchanged",
        "agreement": agreement,  # its intervals are those of [correlation]
        "correlations": "done",
        "judgements": agreement,
        "relations": "done",
        "systems": agreement,
        "verdict": agreement,
        "report": "done",
    }


def test_other_weights_under_the_same_name_are_scored_again(tmp_path: Path) -> None:
    dialogue = Dialogue("d", (Turn("A", "Hello there."), Turn("B", "Hello to you.")))
    summaries = [Summary("d", "x", "they greet"), Summary("d", "ref", "they wave", kind="reference")]
    write_corpus(Corpus.build([dialogue], summaries), tmp_path / "corpus")
    vectors = tmp_path / "vectors.json"
    metric = f'"embedding-average:model=folder:{vectors}"'
    study = tmp_path / "s.toml"
    study.write_text(STUDY.replace('"embedded"', '"corpus"').replace('"rouge-1"', metric))
    table = {"they": [1.0, 0.0], "greet": [0.0, 1.0], "wave": [0.0, 1.0]}
    vectors.write_text(json.dumps(table))
    first = run_study(study).scores.frame
    assert run_study(study).stages["scores"] == "unchanged"
    vectors.write_text(json.dumps(table | {"wave": [0.0, -1.0]}))
    again = run_study(study)
    assert (again.stages["corpus"], again.stages["scores"]) == ("unchanged", "done")
    assert not again.scores.frame.equals(first)


def test_tampered_output_is_made_again(study: Path) -> None:
    scores = study.parent / "runs/small/scores.parquet"
    before = scores.read_bytes()
    scores.write_bytes(b"broken")
    assert run_study(study).stages["scores"] == "done"
    assert scores.read_bytes() == before


def test_two_runs_do_not_share_a_folder(study: Path) -> None:
    folder = study.parent / "runs" / "small"
    before = sorted(path.name for path in folder.iterdir())
    with claimed_folder(folder), pytest.raises(InputError, match="runs/small: another run writes here"):
        run_study(study)
    run_study(study)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_goes_on_after_a_failure(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(study.parent / "runs")
    from dialgauge.study.stages import correlations

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def huge(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 8 TiB")

    with monkeypatch.context() as patch:
        patch.setattr(correlations, "evaluate_metrics", full)
        with pytest.raises(DialgaugeError, match=r"runs/small: No space left .* MiB free.*the same command resumes"):
            run_study(study)
        patch.setattr(correlations, "evaluate_metrics", huge)
        with pytest.raises(
            DialgaugeError, match=r"stage correlations: .*\(Unable to allocate 8 TiB\).* command resumes"
        ):
            run_study(study)
    assert not (study.parent / "runs/small/correlations.parquet").exists()
    assert run_study(study).stages == {
        "corpus": "unchanged",
        "scores": "unchanged",
        "agreement": "unchanged",
        "correlations": "done",
        "judgements": "done",
        "relations": "done",
        "systems": "done",
        "verdict": "done",
        "report": "done",
    }


def test_manifest_holds_what_is_needed_to_repeat_it(finished: Path) -> None:
    manifest = json.loads((finished / "runs/small/manifest.json").read_text("utf-8"))
    assert manifest["seed"] == 3
    assert {"dialgauge", "numpy", "polars", "python", "scipy"} <= manifest["versions"].keys()
    assert manifest["kernels"] in ("c", "python")
    scores = manifest["stages"]["scores"]
    assert scores["signatures"]["ter"].startswith("ter|target:reference")
    assert scores["seconds"] >= 0
    assert scores["cpu_seconds"] >= 0
    assert scores["peak_memory_mib"] > 20
    assert scores["seconds_per_metric"].keys() == scores["signatures"].keys()


def test_without_ratings_there_is_still_a_report(tmp_path: Path) -> None:
    dialogue = Dialogue("d", (Turn("A", "Hello there."), Turn("B", "Hello to you.")))
    summaries = [Summary("d", "x", "They greet."), Summary("d", "ref", "A and B greet each other.", kind="reference")]
    write_corpus(Corpus.build([dialogue], summaries), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(STUDY.replace('"embedded"', '"corpus"'))
    run = run_study(tmp_path / "s.toml")
    assert "correlations" not in run.stages
    assert run.correlations is None
    assert "no ratings" in run.report.read_text("utf-8")


def test_hostile_texts_stay_text(tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    dialogue = Dialogue("d", (Turn("A", "Hello there."),), domain=evil)
    summaries = [Summary("d", f"sys{evil}", "They greet."), Summary("d", "ref", "A greets.", kind="reference")]
    write_corpus(Corpus.build([dialogue], summaries), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(STUDY.replace('"embedded"', '"corpus"'))
    assert "<img" not in run_study(tmp_path / "s.toml").report.read_text("utf-8")


def test_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(STUDY.replace('"embedded"', '"nowhere.csv"'))
    with pytest.raises(InputError, match=r"corpus.source: .*nowhere.csv does not exist"):
        run_study(path)
    path.write_text(STUDY + '[ratings]\ndimensions = ["fluenci"]\n')
    with pytest.raises(InputError, match=r"s.toml:\d+: ratings.dimensions: .*fluenci.*did you mean 'fluency'"):
        run_study(path)


def test_no_old_table_is_taken_for_a_new_one(study: Path) -> None:
    """A run without ratings, in the folder of one that had some, must not hand out the old correlations."""
    folder = study.parent
    dialogue = Dialogue("d", (Turn("A", "Hello there."), Turn("B", "Hello to you.")))
    summaries = [Summary("d", "x", "They greet."), Summary("d", "ref", "A and B greet each other.", kind="reference")]
    write_corpus(Corpus.build([dialogue], summaries), folder / "corpus")
    study.write_text(study.read_text().replace('"embedded"', '"corpus"'))
    assert run_study(study).correlations is None


def test_a_changed_data_set_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cache/datasets/samsum"
    folder.mkdir(parents=True)
    line = {"id": "1", "dialogue": "Ann: Hi there!\r\nBob: Hello, Ann.", "summary": "Ann and Bob greet."}
    (folder / "test.json").write_text(json.dumps([line]))
    (tmp_path / "s.toml").write_text(
        STUDY.replace('"embedded"', '"dataset:samsum"').replace("[verdict]", "include_references = true\n[verdict]")
    )
    run_study(tmp_path / "s.toml")
    assert set(run_study(tmp_path / "s.toml").stages.values()) == {"unchanged"}
    (folder / "test.json").write_text(json.dumps([line | {"summary": "Ann greets Bob."}]))
    assert run_study(tmp_path / "s.toml").stages["scores"] == "done"


def test_leaders_come_from_a_test_not_from_overlap(finished: Path) -> None:
    leaders = pl.read_parquet(finished / "runs/small/leaders.parquet")
    assert set(leaders["metric"]) <= {"rouge-1", "rouge-l@source", "ter"}
    assert leaders.select("level", "coefficient", "dimension").unique().height == 2 * 3 * 4


def test_refuses_a_folder_that_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("precious")
    path = tmp_path / "s.toml"
    path.write_text(STUDY)
    with pytest.raises(InputError, match="choose another output"):
        run_study(path, output=tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_progress_is_told(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    told: list[str] = []
    run_study(Study.load(tmp_path / "s.toml"), progress=lambda what, done, total: told.append(what))
    assert "rouge-1" in told


def test_failures_reach_the_report(tmp_path: Path) -> None:
    dialogue = Dialogue("d", (Turn("A", "Hello there."),))
    summaries = [Summary("d", "x", "。。。"), Summary("d", "ref", "A greets.", kind="reference")]
    write_corpus(Corpus.build([dialogue], summaries), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(STUDY.replace('"embedded"', '"corpus"'))
    run = run_study(tmp_path / "s.toml")
    assert run.scores.frame["rouge-1"].to_list() == [None]
    assert run.scores.failures.filter(pl.col("metric") == "rouge-1").height == 1
    assert "could not be scored" in run.report.read_text("utf-8")


@pytest.mark.parametrize("source", ["rows.csv", "./rows.csv", "data/rows.csv"])
def test_rows_left_out_are_named_as_in_the_study_file(tmp_path: Path, source: str) -> None:
    reports = []
    for home in (tmp_path / "one", tmp_path / "elsewhere"):
        (home / source).parent.mkdir(parents=True)
        (home / source).write_text("id,dialogue,system,summary,reference\nd,A: hi,x,Hi.,Hello.\nd,A: hi,x,Ho.,\n")
        (home / "s.toml").write_text(STUDY.replace('"embedded"', f'"{source}"\nallow_left_out = "all"'))
        run = run_study(home / "s.toml")
        assert [problem.partition(": ")[0] for problem in run.problems] == [f"{source}:3"]
        assert sum(run.left_out.values()) == 1
        for path in run.folder.rglob("*"):
            assert path.is_dir() or str(tmp_path).encode() not in path.read_bytes(), path
        reports.append(run.report.read_bytes())
    assert f"{source}:3:".encode() in reports[0]
    assert reports[0] == reports[1]
