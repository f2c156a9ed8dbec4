"""One metric from several corpora: each held out whole, on whatever scale, and nothing of it is trained on."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.cli._train_across import show_across
from dialgauge.corpus import Corpus, Dimension, write_corpus
from dialgauge.errors import InputError, ParameterError
from dialgauge.learn import Across, LearnSettings, RatedCorpus, train_across
from dialgauge.learn._corpora import apart_from, build_parts, pool
from dialgauge.metrics import Scores, score
from dialgauge.ratings import RatingPolicy
from dialgauge.study import run_study
from tests.learn.learn_cases import made_corpus

QUICK = {"learner": "ridge:alpha=10", "split": "systems", "resamples": 50}
FEATURES = ["rouge-1", "coverage", "length"]


def rated(name: str, corpus: Corpus, features: list[str] = FEATURES) -> RatedCorpus:
    return RatedCorpus(name, corpus, score(corpus, features))


@pytest.fixture(scope="module")
def calls() -> Corpus:
    return made_corpus(10, 5, seed=0)


@pytest.fixture(scope="module")
def meetings() -> Corpus:
    """On a slider from 0 to 100, on which less is better, with systems of other names, and half as large."""
    given = made_corpus(6, 5, seed=1)
    other = pl.col("system").replace({f"s{k}": f"t{k}" for k in range(5)})
    ratings = given.ratings.with_columns(
        other, pl.lit("0-100").alias("scale"), (100 - 20 * pl.col("value")).alias("value")
    )
    turned = Corpus(given.dialogues, given.summaries.with_columns(other), ratings)
    return replace(turned, declared=(Dimension("consistency", "interval", direction="lower", said_by="user"),))


@pytest.fixture(scope="module")
def made(calls: Corpus, meetings: Corpus) -> Across:
    return train_across([rated("calls", calls), rated("meetings", meetings)], "consistency", **QUICK)


def test_what_transfers_is_said_for_each_corpus(made: Across) -> None:
    assert made.corpora == ["calls", "meetings"]
    for name in made.corpora:
        rows = made.of(name).filter(measure="pearson").iter_rows(named=True)
        found = {(row["by"], row["level"]): row for row in rows}
        assert found["learned", "summary"]["value"] > 0.9
        assert found["learned", "summary"]["p"] <= 0.05
        assert found["trained on its own ratings", "summary"]["value"] > 0.8
        assert found["best single metric", "summary"]["name"] in FEATURES
        assert found["human ceiling", "summary"]["value"] is not None
    assert [claim.split(",")[0] for claim in made.claims] == ["In calls", "In meetings"]
    assert made.verdict in ("use", "care")
    assert made.curve.filter(corpus="calls")["own"].to_list() == [0, 20]
    assert made.card.data["corpora"] == ["calls", "meetings"]
    assert "not validated on your data" in made.card.intended_use


def test_what_the_command_shows(made: Across, capsys: pytest.CaptureFixture[str]) -> None:
    show_across(made)
    said = capsys.readouterr()
    assert "held out" in said.out
    assert "0 own" in said.out
    assert "verdict: use" in said.err
    assert "Not validated on your data" in said.err


def test_the_metric_is_saved_and_scores(made: Across, calls: Corpus, tmp_path: Path) -> None:
    made.save(tmp_path / "both")
    column = f"learned:folder={tmp_path / 'both'}"
    values = score(calls, [column]).frame[column]
    assert values.min() >= 0
    assert values.max() <= 1
    mean = calls.ratings.group_by("dialogue_id", "system").agg(pl.col("value").mean())
    beside = score(calls, [column]).frame.join(mean, on=["dialogue_id", "system"])
    assert beside.select(pl.corr(column, "value")).item() > 0.9


def test_each_corpus_weighs_the_same_at_one_level(calls: Corpus, meetings: Corpus) -> None:
    asked, corpora = LearnSettings(**QUICK), [rated("calls", calls), rated("meetings", meetings)]
    parts, left_out = build_parts(corpora, "consistency", asked, RatingPolicy())
    assert left_out == []
    both = pool(parts, [np.arange(len(part.level)) for part in parts], 0)
    assert len(both.y) == 2 * 50
    assert both.y[:50].mean() == pytest.approx(both.y[50:].mean(), abs=0.02)
    assert all(part.level.min() >= 0 and part.level.max() <= 1 for part in parts)
    # Turned as the first: more is better in both.
    assert np.corrcoef(parts[1].level, parts[1].data.X[:, 0])[0, 1] > 0.5


def test_texts_of_the_held_out_corpus_are_not_trained_on(calls: Corpus) -> None:
    same = Corpus(
        calls.dialogues.with_columns(pl.col("dialogue_id") + "x"),
        calls.summaries.with_columns(pl.col("dialogue_id") + "x"),
        calls.ratings.with_columns(pl.col("dialogue_id") + "x"),
    )
    asked, corpora = LearnSettings(**QUICK), [rated("calls", calls), rated("again", same)]
    parts, _ = build_parts(corpora, "consistency", asked, RatingPolicy())
    assert len(apart_from(parts[1], parts[0])) == 0
    with pytest.raises(InputError, match="no text that is not in it"):
        train_across(corpora, "consistency", **QUICK)


def test_noise_is_not_shown_to_transfer() -> None:
    follows = 0
    for seed in range(2):
        corpora = []
        for number in range(2):
            corpus = made_corpus(6, 5, seed=10 * seed + number)
            keys = score(corpus, ["length"]).frame.select("dialogue_id", "system", "variant", "role")
            noise = np.random.default_rng([seed, number]).normal(size=(3, keys.height))
            frame = keys.with_columns(pl.Series(f"noise-{k}", values) for k, values in enumerate(noise))
            names = frame.columns[4:]
            corpora.append(RatedCorpus(f"{number}", corpus, Scores(frame, dict.fromkeys(names, "unsigned|made"), {})))
        found = train_across(corpora, "consistency", **QUICK)
        follows += found.verdict != "do-not-use"
    assert follows == 0


def test_bad_input(calls: Corpus, meetings: Corpus) -> None:
    one = rated("calls", calls)
    with pytest.raises(InputError, match="at least two"):
        train_across([one], "consistency", **QUICK)
    with pytest.raises(InputError, match="two corpora are called 'calls'"):
        train_across([one, one], "consistency", **QUICK)
    with pytest.raises(InputError, match="no feature that is computed alike"):
        train_across([one, rated("meetings", meetings, ["rouge-2"])], "consistency", **QUICK)
    with pytest.raises(ParameterError, match="predicts numbers"):
        train_across([one, rated("meetings", meetings)], "consistency", learner="logistic")
    few = Corpus(meetings.dialogues, meetings.summaries, meetings.ratings.head(6))
    with pytest.raises(InputError, match="corpus 'empty'"):
        train_across([one, rated("empty", few)], "consistency", **QUICK)


def test_the_command_and_the_study_file(calls: Corpus, meetings: Corpus, tmp_path: Path) -> None:
    for name, corpus in (("calls", calls), ("meetings", meetings)):
        write_corpus(corpus, tmp_path / name)
        score(corpus, FEATURES).save(tmp_path / f"{name}.parquet")
    also = f"{tmp_path / 'meetings'}={tmp_path / 'meetings.parquet'}"
    given = ["train", str(tmp_path / "calls"), str(tmp_path / "calls.parquet"), "-t", "consistency", "--also", also]
    asked = ["--learner", "ridge:alpha=10", "--split", "systems", "--resamples", "50"]
    ran = CliRunner().invoke(app, [*given, *asked, "--json"])
    assert ran.exit_code == 0, ran.output
    said = json.loads(ran.stdout)
    assert said["data"]["corpora"] == ["calls", "meetings"]
    (tmp_path / "study.toml").write_text(f"""
[study]
name = "calls"
[corpus]
source = "calls"
[metrics]
use = {json.dumps(FEATURES)}
[correlation]
resamples = 50
[verdict]
null_runs = 0
[learn]
targets = ["consistency"]
learner = "ridge:alpha=10"
split = "systems"
also = ["meetings=meetings.parquet"]
""")
    run = run_study(tmp_path / "study.toml")
    facts = json.loads((run.folder / "learned.json").read_text("utf-8"))[0]
    assert facts["across"]["claims"] == said["claims"]
    assert (run.folder / "learned" / "consistency-across" / "metric.json").is_file()
    page = (run.folder / "report.html").read_text("utf-8")
    assert "On other corpora" in page
    assert "trained on the others, within dialogues" in page


def test_wrong_values_of_also(tmp_path: Path, calls: Corpus) -> None:
    write_corpus(calls, tmp_path / "calls")
    score(calls, FEATURES).save(tmp_path / "calls.parquet")
    given = ["train", str(tmp_path / "calls"), str(tmp_path / "calls.parquet"), "-t", "consistency", "--also"]
    for also, why in (("=x", "CORPUS=SCORES"), ("nowhere", "no such folder"), ("a=b", "a")):
        with pytest.raises(InputError, match=why):
            CliRunner().invoke(app, [*given, also], catch_exceptions=False)
    with pytest.raises(InputError, match="--select are for one corpus"):
        CliRunner().invoke(app, [*given, "a=b", "--select"], catch_exceptions=False)
