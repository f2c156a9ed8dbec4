"""The report made again from a run folder, and the stage that holds metrics against each other."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, embedded_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.study import report_of_run, run_study

STUDY = """\
[study]
name = "small"
seed = 3
[corpus]
source = "{corpus}"
[metrics]
use = {metrics}
[ratings]
clean = "{clean}"
[verdict]
null_runs = 0
[correlation]
{correlation}
"""


def study(
    folder: Path,
    corpus: str = "embedded",
    metrics: str = '["rouge-1", "rouge-2", "ter", "length"]',
    clean: str = "none",
    correlation: str = "resamples = 40",
) -> Path:
    """Run a study; the folder of the run."""
    (folder / "study.toml").write_text(
        STUDY.format(corpus=corpus, metrics=metrics, clean=clean, correlation=correlation)
    )
    return run_study(folder / "study.toml").folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study(tmp_path_factory.mktemp("run"), clean="majority-noise-removal")


def test_same_bytes_as_the_run_wrote(run: Path) -> None:
    assert report_of_run(run) == (run / "report.html").read_text("utf-8")


def test_times_are_there_on_request_only(run: Path) -> None:
    assert 'id="cost"' not in report_of_run(run)
    page = report_of_run(run, with_times=True)
    assert "seconds per 1,000 summaries" in page
    assert json.loads((run / "manifest.json").read_text())["started"] in page.replace("&#43;", "+")


def test_what_the_stage_leaves(run: Path) -> None:
    between = pl.read_parquet(run / "metric-correlations.parquet")
    assert set(between.columns) == {"name", "cluster", "rouge-1", "rouge-2", "ter", "length"}
    pairs = pl.read_parquet(run / "comparisons.parquet")
    assert pairs.group_by("dimension").len()["len"].to_list() == [3, 3, 3, 3], "three pairs of metrics that judge"
    assert set(pairs["level"]) == {"summary"}
    cleaning = pl.read_parquet(run / "cleaning.parquet")
    assert (cleaning["removed"] > 0).all()
    page = (run / "report.html").read_text("utf-8")
    assert "Effect of cleaning" in page
    assert "Removed by cleaning: " in page


def test_no_cleaning_no_such_table(tmp_path: Path) -> None:
    folder = study(tmp_path, metrics='["rouge-1"]')
    assert not (folder / "cleaning.parquet").exists()
    assert "Effect of cleaning" not in (folder / "report.html").read_text("utf-8")
    assert pl.read_parquet(folder / "comparisons.parquet").is_empty(), "one metric has no other"


@pytest.mark.parametrize(
    ("metrics", "correlation"),
    [
        ('["corpus-bleu"]', "resamples = 20"),
        ('["rouge-1", "rouge-2"]', "resamples = 0"),
    ],
)
def test_studies_with_little_to_compare(tmp_path: Path, metrics: str, correlation: str) -> None:
    folder = study(tmp_path, metrics=metrics, correlation=correlation)
    page = (folder / "report.html").read_text("utf-8")
    assert 'id="pairwise"' not in page
    assert report_of_run(folder) == page


def test_one_system(tmp_path: Path) -> None:
    whole = embedded_corpus()
    name = whole.systems[0]
    kept = (pl.col("system") == name) | (pl.col("kind") == "reference")
    corpus = Corpus(whole.dialogues, whole.summaries.filter(kept), whole.ratings.filter(pl.col("system") == name))
    write_corpus(corpus, tmp_path / "one")
    folder = study(tmp_path, corpus="one")
    page = (folder / "report.html").read_text("utf-8")
    assert "One system: nothing can be compared." in page


def test_a_changed_table_is_refused(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    pl.DataFrame({"metric": ["x"]}).write_parquet(copy / "correlations.parquet")
    with pytest.raises(InputError, match="changed since the run wrote it"):
        report_of_run(copy)


def test_no_run(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a dialgauge run folder"):
        report_of_run(tmp_path)
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["stages"]["report"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="no report that can be rebuilt"):
        report_of_run(tmp_path)
