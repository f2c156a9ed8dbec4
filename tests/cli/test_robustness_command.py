"""``dialgauge robustness`` as a person or a machine meets it. The perturbations used here need no parser."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus, write_corpus
from dialgauge.metrics import score
from dialgauge.perturb import perturb

Cli = Callable[..., Any]
PLAIN = ["-p", "jumble", "-p", "typos", "-p", "typos_2", "-p", "remove_punct", "-d", "consistency", "-d", "relevance"]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few dialogues of the embedded corpus."""
    corpus = embedded_corpus()
    folder = tmp_path_factory.mktemp("few") / "corpus"
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(8)), folder)
    return folder


@pytest.fixture(scope="module")
def with_variants(few: Path) -> Path:
    from dialgauge.corpus import read_corpus

    made = perturb(read_corpus(few), ["jumble", "typos"], seed=2).corpus
    folder = few.parent / "variants"
    write_corpus(made, folder)
    score(made, ["rouge-l", "ter", "length"]).save(folder.parent / "scores.parquet")
    return folder


def test_one_command(cli: Cli, few: Path) -> None:
    outcome = cli("robustness", few, "-m", "rouge-l", "-m", "ter", "-m", "length", *PLAIN, "--seed", 1)
    assert outcome.code == 0, outcome.err
    assert max(map(len, outcome.out.splitlines())) <= 100
    for expected in (
        "— should fall —",
        "— should stay —",
        "jumble",
        "typos_2",
        "trust cards",
        "worst:",
        "robustness .",
    ):
        assert expected in outcome.out, expected
    assert "no verdict for descriptive metrics and metrics of unknown direction: length" in outcome.err
    assert "mean correlation with the ratings" not in outcome.out


def test_a_gate_needs_perturbations(cli: Cli, with_variants: Path) -> None:
    outcome = cli("robustness", with_variants, "-m", "rouge-l", "--gate", "parse")
    assert outcome.code == 2
    assert "--gate needs -p" in outcome.err


def test_names_of_metrics_stay_whole(cli: Cli, few: Path) -> None:
    """At any width: a name is broken before its target and its parameters, and where it is too long for a column."""
    from dialgauge.cli import _robustness_tables

    assert _robustness_tables._fold("rouge-1") == "rouge-1"
    assert _robustness_tables._fold("rouge-lsum-p@source") == "rouge-lsum-p\n@source"
    assert _robustness_tables._fold("ter:case=lower,norm=yes") == "ter\n:case=lower\n,norm=yes"
    assert _robustness_tables._fold("bartscore-src-hyp") == "bartscore-\nsrc-hyp"
    outcome = cli("robustness", few, "-m", "rouge", "-m", "chrf@source", *PLAIN, "--seed", 1, "--json")
    names = {row["metric"] for row in json.loads(outcome.out)["cards"]}
    shown = cli("robustness", few, "-m", "rouge", "-m", "chrf@source", *PLAIN, "--seed", 1).out
    matrix, _, _ = shown.partition("trust cards")
    heads = [line.split() for line in matrix.splitlines() if line.startswith(" perturbation")]
    assert len(heads) > 1
    assert sorted(name for line in heads for name in line[1:]) == sorted({*names, "@source"} - {"chrf@source"})
    assert max(map(len, matrix.splitlines())) <= 100


def test_json_holds_every_table(cli: Cli, few: Path) -> None:
    outcome = cli("robustness", few, "-m", "rouge-l", *PLAIN, "--seed", 1, "--json")
    document = json.loads(outcome.out)
    assert {row["perturbation"] for row in document["changes"]} == {"jumble", "typos", "typos_2", "remove_punct"}
    assert {row["dimension"] for row in document["cards"]} == {"overall", "consistency", "relevance"}
    verdicts = {row["perturbation"]: row["verdict"] for row in document["verdicts"] if row["dimension"] == "overall"}
    assert (verdicts["jumble"], verdicts["remove_punct"]) == ("noticed", "stable")
    assert document["doses"][0]["series"] == "typos"
    assert document["settings"]["seed"] == 1


def test_same_seed_same_numbers(cli: Cli, few: Path) -> None:
    one, again, other = (
        cli("robustness", few, "-m", "rouge-l", *PLAIN, "--seed", seed, "--json").out for seed in (1, 1, 2)
    )
    assert one == again
    assert json.loads(one)["changes"] != json.loads(other)["changes"]


def test_scores_that_exist(cli: Cli, with_variants: Path) -> None:
    scores = with_variants.parent / "scores.parquet"
    outcome = cli("robustness", with_variants, scores, "-m", "ter", "--json")
    assert outcome.code == 0, outcome.err
    assert {row["metric"] for row in json.loads(outcome.out)["changes"]} == {"ter"}
    same = cli("robustness", with_variants, "-m", "ter", "--json")
    assert json.loads(same.out)["cards"] == json.loads(outcome.out)["cards"]


def test_output_folder(cli: Cli, with_variants: Path, tmp_path: Path) -> None:
    outcome = cli("robustness", with_variants, "-m", "rouge-l", "--texts", "-o", tmp_path / "out")
    assert outcome.code == 0, outcome.err
    assert "perturbed:" in outcome.out
    page = (tmp_path / "out" / "robustness.html").read_text("utf-8")
    assert "Trust cards" in page
    assert pl.read_parquet(tmp_path / "out" / "robustness.parquet")["metric"].unique().to_list() == ["rouge-l"]
    assert (tmp_path / "out" / "corpus" / "corpus.toml").exists()


def test_priors_must_be_accepted(cli: Cli, few: Path) -> None:
    outcome = cli("robustness", few, "-m", "rouge-l", *PLAIN, "--priors")
    assert outcome.code == 0, outcome.err
    assert "baseline − original" in outcome.out
    assert "from another corpus" in " ".join(outcome.err.split())
    assert "constructed by a program" in outcome.err


def test_variants_of_ones_own(cli: Cli, few: Path, tmp_path: Path) -> None:
    from dialgauge.corpus import read_corpus

    corpus = read_corpus(few)
    own = corpus.summaries.filter(pl.col("kind") == "system").with_columns(
        pl.lit("shout").alias("variant"), pl.col("text").str.to_uppercase() + pl.lit(" NEVER!")
    )
    write_corpus(replace(corpus, summaries=pl.concat([corpus.summaries, own])), tmp_path / "own")
    unknown = cli("robustness", tmp_path / "own", "-m", "chrf")
    assert unknown.code == 2
    assert "unknown perturbation 'shout'" in unknown.err
    known = cli("robustness", tmp_path / "own", "-m", "chrf", "--effect", "shout:relevance=degrades", "--json")
    assert json.loads(known.out)["verdicts"][0]["expected"] == "degrades"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "jumble"], "select metrics with -m"),
        (["-m", "rouge-1"], "has no variants: select perturbations with -p"),
        (["-m", "rouge-1", "-p", "jumbel"], "did you mean 'jumble'"),
        (["-m", "rouge-1", *PLAIN, "--margin", "0"], "--margin must be above 0"),
        (["-m", "rouge-1", *PLAIN, "-d", "taste"], "unknown dimension of these effects 'taste'"),
        (["-m", "rouge-1", *PLAIN, "--effect", "shout=degrades"], "write LABEL:DIMENSION=EFFECT"),
        (["-m", "rouge-1", *PLAIN, "--effect", "jumble:fluency=hurts"], "--effect: unknown effect 'hurts'"),
    ],
)
def test_mistakes(cli: Cli, few: Path, arguments: list[str], message: str) -> None:
    outcome = cli("robustness", few, *arguments)
    assert outcome.code == 2
    assert message in " ".join(outcome.err.split())


def test_scores_and_perturbations_exclude_each_other(cli: Cli, with_variants: Path) -> None:
    outcome = cli("robustness", with_variants, with_variants.parent / "scores.parquet", "-p", "jumble")
    assert outcome.code == 2
    assert "not both" in outcome.err


def test_nothing_can_be_perturbed(cli: Cli, tmp_path: Path) -> None:
    corpus = Corpus.build([Dialogue("d", (Turn("a", "hello"),))], [Summary("d", "s", "Hi.")])
    write_corpus(corpus, tmp_path / "c")
    outcome = cli("robustness", tmp_path / "c", "-m", "length", "-p", "sentence_reorder")
    assert outcome.code == 2
    assert "all 1 attempts were declined" in " ".join(outcome.err.split())
