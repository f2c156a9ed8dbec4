"""A study whose people gave preferences and no ratings: metrics learn them, another study's are compared with them, and
preferences that know nothing of the summaries teach nothing.
"""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import PREFERENCES, RATINGS, Corpus, Dimension, embedded_corpus, write_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.learn import train
from dialgauge.metrics import Scores, score
from dialgauge.ratings import preference_results
from dialgauge.reproduce import comparable_ratings, compare_systems, rated_results
from dialgauge.study import run_study

STUDY = """
[study]
name = "again"
[corpus]
source = "corpus"
[metrics]
use = ["length", "rouge-1-p@source"]
[verdict]
null_runs = 0
[correlation]
resamples = 50
levels = ["summary"]
coefficients = ["pearson"]
"""
LEARN = '[learn]\ntargets = ["better"]\nlearner = "ridge"\n'
REPEAT = '[reproduction]\noriginal = "first"\ntests = ["careful,rough"]\n'


def preferring(corpus: Corpus, seed: int, *, knowing: bool) -> Corpus:
    """The corpus with a preference for each pair of a dialogue by two people, and no ratings.

    Who knows prefers what is not rough, and of the others the longer one, nearly always; else coins are thrown.
    """
    generator = np.random.default_rng(seed)
    texts = corpus.summaries.filter(pl.col("kind") == "system", pl.col("variant") == "original")
    rows: list[dict[str, Any]] = []
    for (dialogue,), part in texts.sort("dialogue_id", "system").group_by("dialogue_id", maintain_order=True):
        said = dict(part.select("system", "text").iter_rows())
        for a, b in combinations(sorted(said), 2):
            worth = {one: (one != "rough", len(said[one])) for one in (a, b)}
            right = "a" if worth[a] > worth[b] else "b"
            for who in ("ann", "bob"):
                sure = generator.random() < 0.9
                coin = "ab"[generator.integers(2)]
                winner = (right if sure else coin) if knowing else coin
                key = {"dialogue_id": dialogue, "role": "overall", "system_a": a, "system_b": b}
                told = {"annotator": who, "dimension": "better", "winner": winner, "both_bad": False}
                rows.append({**key, "variant_a": "original", "variant_b": "original", **told})
    judged = pl.DataFrame(rows, schema=PREFERENCES)
    return replace(corpus, ratings=pl.DataFrame(schema=RATINGS), preferences=judged, declared=())


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    whole = embedded_corpus()
    return whole.select(dialogues=whole.dialogues["dialogue_id"].head(20))


@pytest.fixture(scope="module")
def scores(corpus: Corpus) -> Scores:
    return score(corpus, ["length", "rouge-1-p@source"])


def test_learnt_and_compared_in_a_study(tmp_path: Path, corpus: Corpus) -> None:
    first, again = (preferring(corpus, seed, knowing=True) for seed in (1, 2))
    write_corpus(first, tmp_path / "first")
    write_corpus(again, tmp_path / "corpus")
    (tmp_path / "study.toml").write_text(STUDY + LEARN + REPEAT, "utf-8")
    run = run_study(tmp_path / "study.toml")
    [facts] = json.loads((run.folder / "learned.json").read_text("utf-8"))
    assert facts["card"]["target"] == "better"
    assert "share of its comparisons by better a summary would win" in facts["card"]["intended_use"]
    assert facts["card"]["scale"] == {"minimum": 0, "maximum": 1}
    sides = pl.read_parquet(run.folder / "reproduction.parquet")
    for column, judged in (("original", first), ("reproduction", again)):
        rates = dict(preference_results(judged.preferences, resamples=0).systems.select("system", "win_rate").rows())
        found = dict(sides.filter(dimension="better").select("system", column).rows())
        assert found == pytest.approx(rates), "everybody compared every pair, so means of shares are win rates"
    told = json.loads((run.folder / "reproduction.json").read_text("utf-8"))
    assert any("shares of comparisons won" in note for study in told["studies"] for note in study["remarks"])
    page = (run.folder / "report.html").read_text("utf-8")
    assert "shares of comparisons won" in page


def test_unknown_targets_are_named_with_those_there_are(tmp_path: Path, corpus: Corpus) -> None:
    write_corpus(preferring(corpus, 1, knowing=True), tmp_path / "corpus")
    (tmp_path / "study.toml").write_text(STUDY + LEARN.replace("better", "beter"), "utf-8")
    with pytest.raises(DialgaugeError, match=r"learn\.targets: unknown dimension 'beter'; did you mean 'better'"):
        run_study(tmp_path / "study.toml")


def test_classes_are_refused_before_the_long_work(tmp_path: Path, corpus: Corpus) -> None:
    numbers = pl.int_range(pl.len()) % 3 + 1.0
    rated = corpus.ratings.filter(pl.col("dimension") == "fluency").with_columns(
        numbers.alias("value"), pl.lit("1-3").alias("scale"), pl.lit("error").alias("dimension")
    )
    classes = Dimension("error", "nominal", "1-3", ("none", "name", "number"), "none", "file")
    write_corpus(replace(corpus, ratings=rated, declared=(classes,)), tmp_path / "corpus")
    (tmp_path / "study.toml").write_text(STUDY + LEARN.replace("better", "error"), "utf-8")
    with pytest.raises(DialgaugeError, match=r"learn\.targets: dimension 'error': choose a dimension with an order"):
        run_study(tmp_path / "study.toml")
    assert not (tmp_path / "runs" / "again" / "scores.parquet").exists()


def test_coins_are_not_learnt(corpus: Corpus, scores: Scores) -> None:
    """Where coins were thrown no metric that learnt from them is called better or trusted."""
    pytest.importorskip("sklearn")
    for seed in range(2):
        judged = preferring(corpus, seed, knowing=False)
        made = train(judged, scores, "better", learner="ridge", resamples=200, folds=4, inner_folds=3)
        assert made.validation.verdict == "do-not-use"
        assert all(claim.startswith("Not shown") for claim in made.validation.claims)


def test_coins_do_not_rank_systems(corpus: Corpus) -> None:
    """Of 40 studies in which coins were thrown, about two call one of two systems better."""
    different = 0
    for seed in range(40):
        judged = comparable_ratings(preferring(corpus, seed, knowing=False), "s")
        tested = compare_systems(rated_results(judged.ratings, "s"), [("careful", "rough")], seed=0)
        different += tested.frame["p_permutation"][0] < 0.05
    assert different <= 5


def test_what_models_prefer_is_no_target_and_not_compared(corpus: Corpus) -> None:
    judged = preferring(corpus, 1, knowing=True)
    models = pl.DataFrame([{"annotator": "bob", "group": "model"}], schema=judged.annotators.schema)
    found = comparable_ratings(replace(judged, annotators=models), "s")
    assert found.ratings["annotator"].unique().to_list() == ["ann"]
    assert found.notes[0] == "left out: what models said (bob)"
