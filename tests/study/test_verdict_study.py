"""Studies that could embarrass the verdict, through the real runner: noise, chance agreement, ranks, two systems."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, write_corpus
from dialgauge.metaeval import Verdicts
from dialgauge.study import FinishedRun, check_conditions, compare_runs, publication_table, run_study, verdicts_of

METRICS = ["rouge-1@source", "chrf@source", "novel-2", "rouge-2-p@source"]
_TEXT = "the caller asks about a refund for an order that came late and broken so agent offers credit today"


def corpus_of(systems: int, dialogues: int, seed: int, *, rating: Callable[..., float], dimension: str) -> Corpus:
    """Summaries that copy a share of the dialogue's words, and three ratings of each."""
    chance = np.random.default_rng(seed)
    made, summaries, ratings = [], [], []
    skill = np.linspace(0.25, 0.95, systems)
    for d in range(dialogues):
        words = [str(word) for word in chance.permutation(_TEXT.split() * 2)]
        made.append(Dialogue(f"d{d}", (Turn("A", " ".join(words)),)))
        for s in range(systems):
            share = float(np.clip(skill[s] + chance.normal(0, 0.15), 0.05, 1))
            text = [word if chance.random() < share else f"x{chance.integers(99)}" for word in words[:14]]
            summaries.append(Summary(f"d{d}", f"s{s}", " ".join(text)))
            for rater in range(3):
                value = float(np.clip(round(rating(share, s, chance)), 1, 5))
                ratings.append(Rating(f"d{d}", f"s{s}", f"r{rater}", dimension, value, scale="1-5"))
    return Corpus.build(made, summaries, ratings)


def run(folder: Path, corpus: Corpus, extra: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_corpus(corpus, folder / "corpus")
    names = ", ".join(f'"{name}"' for name in METRICS)
    (folder / "study.toml").write_text(
        f'[study]\nname = "made"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = [{names}]\n'
        f'[correlation]\nresamples = 50\ncoefficients = ["pearson"]\n[verdict]\nnull_runs = 20\n{extra}'
    )
    return run_study(folder / "study.toml").folder


def found(folder: Path) -> Verdicts:
    made = verdicts_of(FinishedRun.open(folder))
    assert made is not None
    return made


def truth(share: float, system: int, chance: np.random.Generator) -> float:
    return 1 + 4 * share + float(chance.normal(0, 0.6))


def test_noise_names_nothing_and_says_why(tmp_path: Path) -> None:
    """Systems differ in the eyes of the raters, and not in what the metrics see."""
    liked = [3.2, 2.8, 3.0, 3.4, 2.6, 3.1]
    corpus = corpus_of(6, 20, 1, dimension="quality", rating=lambda _, s, c: liked[s] + c.normal(0, 0.8))
    folder = run(tmp_path, corpus)
    verdicts = found(folder)
    assert not any(row.named for row in verdicts.rows)
    page = (folder / "report.html").read_text("utf-8")
    assert "Use none" in page
    assert f"in {verdicts.null_named} of 20 studies" in page


def test_a_metric_that_follows_is_named_and_permuted_ratings_name_none(tmp_path: Path) -> None:
    corpus = corpus_of(6, 20, 2, dimension="quality", rating=truth)
    first = run(tmp_path / "true", corpus)
    best = found(first).of("quality")[0]
    assert best.named
    assert best.verdict in ("use", "care")
    chance = np.random.default_rng(0)
    keys = corpus.ratings.select("dialogue_id", "system").unique(maintain_order=True)
    order = chance.permutation(keys.height)
    shuffled = keys.with_columns(keys["dialogue_id"][order].alias("to_dialogue"), keys["system"][order].alias("to"))
    ratings = (
        corpus.ratings.join(shuffled, on=["dialogue_id", "system"], maintain_order="left")
        .with_columns(pl.col("to_dialogue").alias("dialogue_id"), pl.col("to").alias("system"))
        .select(corpus.ratings.columns)
    )
    second = run(tmp_path / "permuted", Corpus(corpus.dialogues, corpus.summaries, ratings))
    assert not any(row.named for row in found(second).rows)
    _the_gate_sees_it(first, second)


def _the_gate_sees_it(first: Path, second: Path) -> None:
    compared = compare_runs(first, second, resamples=50)
    weaker = compared.verdicts.filter(change="weakens")
    assert "the best metric" in weaker["metric"].to_list()
    assert weaker["p_second"].min() > 0.05
    gate, other, one = check_conditions(
        compared, ["verdict for quality weakens", "verdict for any dimension improves", "verdict for quality changes"]
    )
    assert gate.met
    assert "do-not-use" in gate.sentences[0]
    assert not other.met
    assert one.met
    with pytest.raises(Exception, match="did you mean 'quality'"):
        check_conditions(compared, ["verdict for qualty weakens"])


def test_lower_ranks_are_better(tmp_path: Path) -> None:
    corpus = corpus_of(6, 20, 2, dimension="rank", rating=lambda share, s, c: 6 - truth(share, s, c))
    folder = run(tmp_path, corpus)
    verdicts = found(folder)
    assert verdicts.of("rank")[0].named
    assert (verdicts.of("rank")[0].r or 0) > 0
    assert "rank: lower is better" in (folder / "report.html").read_text("utf-8")


def test_raters_who_agree_by_chance_are_not_used(tmp_path: Path) -> None:
    corpus = corpus_of(6, 20, 3, dimension="quality", rating=lambda _, s, c: c.integers(1, 6))
    folder = run(tmp_path, corpus)
    assert {row.verdict for row in found(folder).rows} == {"do-not-use"}
    assert "Do not use these ratings" in (folder / "report.html").read_text("utf-8")


def test_two_systems_get_a_verdict_and_no_dashes(tmp_path: Path, cli: Callable[..., object]) -> None:
    corpus = corpus_of(2, 80, 4, dimension="quality", rating=truth)
    folder = run(tmp_path, corpus)
    best = found(folder).of("quality")[0]
    assert best.named
    assert (best.verdict, best.scope) == ("care", "these systems")
    page = (folder / "report.html").read_text("utf-8")
    assert "Use with care" in page
    assert "A correlation needs at least three" not in page
    assert "People find s1 better for quality" in page
    said = cli("verdict", folder)
    assert said.code == 0  # type: ignore[attr-defined]
    assert "◐ use with care" in said.out  # type: ignore[attr-defined]
    whole = json.loads(cli("verdict", folder, "--json").out)  # type: ignore[attr-defined]
    assert whole["verdicts"][0]["verdict"] == "care"
    assert [row.name for row in publication_table(folder, "verdict").rows]
