"""``dialgauge correlate`` as a user runs it."""

import json

import numpy as np
import polars as pl
import pytest
import typer
from metaeval_oracles import frame_of
from typer.testing import CliRunner

from dialgauge.cli import _correlate
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, write_corpus
from dialgauge.errors import DialgaugeError


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
    assert max(len(line) for line in result.output.splitlines()) <= 100


def test_json(run, study):
    result = run(*study, "--resamples", "100", "-l", "summary", "-c", "kendall", "-d", "coherence", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [row["metric"] for row in document["correlations"]] == ["good", "poor", "flat"]
    assert document["correlations"][2]["reason"] == "the metric is constant"
    assert document["settings"]["with_references"] is False
    assert document["pairing"] == {"paired": 72, "only_scores": 0, "only_ratings": 0}
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
