"""``dialgauge correlate`` as a user runs it."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from dialgauge.cli import _correlate
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, read_corpus, write_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.metaeval import human_ceiling
from dialgauge.metrics import Scores
from tests.metaeval.metaeval_oracles import frame_of


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    app = typer.Typer()
    _correlate.add_to(app)

    def call(*arguments: str):
        return CliRunner().invoke(app, [str(each) for each in arguments])

    return call


@pytest.fixture
def study(tmp_path, made):
    """A corpus on disk whose system s00 is the reference, and scores of a good and a poor metric."""
    x, y, z = made(m=7, n=12)
    dialogues = [Dialogue(f"d{j:03}", (Turn("Ann", f"Dialogue {j}."),)) for j in range(12)]
    summaries = [
        Summary(f"d{j:03}", f"s{i:02}", f"Summary {i} of {j}.", kind="reference" if i == 0 else "system")
        for i in range(7)
        for j in range(12)
    ]
    generator = np.random.default_rng(1)
    ratings = [
        Rating(
            f"d{j:03}",
            f"s{i:02}",
            name,
            dimension,
            float(np.clip(z[i, j] + generator.integers(-1, 2), 1, 5)),
            scale="1-5",
        )
        for name in ("ann", "bob", "cat")
        for dimension in ("coherence", "relevance")
        for i in range(7)
        for j in range(12)
    ]
    corpus = tmp_path / "corpus"
    write_corpus(Corpus.build(dialogues, summaries, ratings), corpus, format="dialgauge")
    scores = tmp_path / "scores.csv"
    frame_of({"good": x, "poor": y, "flat": np.ones_like(x)}).write_csv(scores)
    return corpus, scores


def test_table(run, study):
    result = run(*study, "--resamples", "100")
    assert result.exit_code == 0, result.output
    for expected in ("pearson at system level: 6 systems", "summary level", "human ceiling", "good", "coherence"):
        assert expected in result.output
    assert max(len(line) for line in result.stdout.splitlines()) <= 100


def test_json(run, study):
    result = run(*study, "--resamples", "100", "-l", "summary", "-c", "kendall", "-d", "coherence", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [row["metric"] for row in document["correlations"]] == ["good", "poor", "flat"]
    assert document["correlations"][2]["reason"] == "the metric is constant"
    assert document["settings"]["with_references"] is False
    assert document["pairing"] == {
        "paired": 72,
        "only_scores": 0,
        "only_ratings": 0,
        "missing_scores": {},
        "missing_ratings": {},
        "left_out": [],
    }
    assert document["settings"]["aggregate"] == document["settings"]["ceiling_aggregate"] == "mean"
    assert document["human_ceiling"][0]["dimension"] == "coherence"
    assert {row["metric"] for row in document["reference_effect"]} == {"good", "poor", "flat"}
    assert "good" in document["like_the_best"][0]["metrics"]
    included = json.loads(run(*study, "--resamples", "0", "--with-references", "--json").stdout)
    assert len(included["systems"]) == 7


def test_bad_input(run, study, tmp_path):
    corpus, scores = study
    assert isinstance(run(corpus, scores, "--level", "corpus").exception, DialgaugeError)
    assert isinstance(run(corpus, scores, "-d", "fluency").exception, DialgaugeError)
    other = tmp_path / "other.csv"
    pl.read_csv(scores).with_columns(pl.lit("elsewhere").alias("dialogue_id")).unique("system").write_csv(other)
    failure = run(corpus, other).exception
    assert isinstance(failure, DialgaugeError)
    assert "no summary has both scores and ratings" in str(failure)


def test_roles(run, study, tmp_path):
    corpus, scores = study
    read = read_corpus(corpus)
    agent = pl.lit("agent").alias("role")
    by_role = tmp_path / "by_role"
    rewritten = replace(read, summaries=read.summaries.with_columns(agent), ratings=read.ratings.with_columns(agent))
    write_corpus(rewritten, by_role, format="dialgauge")
    both = tmp_path / "both.csv"
    table = pl.read_csv(scores)
    pl.concat([table.with_columns(agent), table.with_columns(pl.lit("user").alias("role"))]).write_csv(both)
    expected = json.loads(run(*study, "--resamples", "50", "--json").stdout)
    for options in ((), ("--role", "agent")):
        result = run(by_role, both, "--resamples", "50", "--json", *options)
        assert result.exit_code == 0, result.output
        document = json.loads(result.stdout)
        assert document["settings"]["role"] == "agent"
        for part in ("correlations", "human_ceiling", "like_the_best", "reference_effect"):
            assert document[part] == expected[part]
    shown = run(by_role, both, "--resamples", "0").output.replace("\n", " ")
    assert "only the role 'agent' is used: 72 scored and 0 rated" in shown
    assert "roles in the scores: agent, user" in str(run(by_role, both, "--role", "overall").exception)


def test_missing_values_are_noted(run, study, tmp_path):
    corpus, scores = study
    holes = tmp_path / "holes.csv"
    row = pl.int_range(pl.len())
    pl.read_csv(scores).with_columns(pl.when(row >= 20).then("poor").alias("poor")).write_csv(holes)
    kept = pl.read_csv(holes).filter(pl.col("system") != "s00")["poor"].null_count()
    assert kept > 0
    assert f"missing scores: {kept} of poor" in run(corpus, holes, "--resamples", "0").output.replace("\n", " ")


def test_aggregation(run, study):
    corpus, _ = study
    ratings = read_corpus(corpus).ratings
    for method in ("mean", "median", "majority-or-mean"):
        document = json.loads(run(*study, "--resamples", "0", "--aggregate", method, "--json").stdout)
        expected = human_ceiling(ratings, aggregate=method, references=["s00"], resamples=0)
        assert document["human_ceiling"] == expected.frame.to_dicts()
        assert document["settings"]["ceiling_aggregate"] == method
    shown = run(*study, "--resamples", "0", "--aggregate", "annotator:ann").output.replace("\n", " ")
    assert "annotators are aggregated by annotator:ann, and for the human ceiling by mean" in shown


def test_metrics_of_systems(run, study, tmp_path):
    corpus, scores = study
    table = Scores.load(scores)
    whole = table.frame.group_by("system", "variant", "role").agg(pl.col("good").mean().alias("whole"))
    path = tmp_path / "scores.parquet"
    replace(table, systems=whole, directions={**table.directions, "whole": "higher"}).save(path)
    document = json.loads(run(corpus, path, "--resamples", "50", "--json").stdout)
    found = {(row["metric"], row["level"], row["dimension"]): row["value"] for row in document["correlations"]}
    assert found["whole", "system", "coherence"] == pytest.approx(found["good", "system", "coherence"], abs=1e-12)
    assert found["whole", "summary", "coherence"] is None
    assert all("whole" not in column["metrics"] for column in document["like_the_best"])
    shown = run(corpus, path, "--resamples", "50", "-l", "system").output.replace("\n", " ")
    assert "whole: one value per system: the interval is over systems only" in shown
    assert "whole: not in the significance test (=)" in shown


@pytest.mark.parametrize("width", [50, 60, 80, 100])
def test_numbers_are_never_folded(run, study, tmp_path, monkeypatch, width):
    corpus, scores = study
    read = read_corpus(corpus)
    more = [read.ratings, *(read.ratings.with_columns(pl.lit(f"quality {i}").alias("dimension")) for i in range(4))]
    many = pl.concat([more[0], *(part.unique(["dialogue_id", "system", "annotator"]) for part in more[1:])])
    wide = tmp_path / "wide"
    write_corpus(replace(read, ratings=many), wide, format="dialgauge")
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run(wide, scores, "--resamples", "50", "-l", "system", "-c", "pearson").stdout.splitlines()
    assert max(len(line) for line in lines) <= width
    # Two metrics, the ceiling and a perfect metric with intervals, for six dimensions: each on one line, with marks.
    cells = [cell for line in lines for cell in re.findall(r"-?1?\.\d\d \[-?1?\.\d\d -?1?\.\d\d\][* ]?=?", line)]
    assert len(cells) == 4 * 6
    assert any(cell.endswith("=") for cell in cells)
    assert not [line for line in lines if line.strip() in ("=", "*=", "]") or line.strip().endswith("[")]
