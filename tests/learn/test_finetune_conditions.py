"""The four conditions of Table 7, from the corpus to the table."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import ORIGINAL, Corpus, embedded_corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.learn import CONDITIONS, ConditionSettings, VariantSettings, extrapolate, run_conditions
from dialgauge.learn._folder import read_card
from dialgauge.perturb import perturb

BERT = f"folder:{Path(__file__).parent.parent / 'golden' / 'models' / 'tiny-bert'}"
HEAD = ConditionSettings(
    model=BERT, conditions="all", epochs=2, learning_rate=5e-5, weight_decay=0.01, precision="fp32", device="cpu"
)
KINDS = ("jumble", "typos", "speaker_switch", "remove_important_sentence_1")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def perturbed() -> Corpus:
    """A part of the embedded corpus with variants of both families, and no ratings of them."""
    corpus = embedded_corpus()
    part = corpus.select(dialogues=corpus.dialogues["dialogue_id"].to_list()[:12])
    return perturb(part, KINDS, seed=1).corpus


def _with_ratings(corpus: Corpus, values: dict[str, float]) -> Corpus:
    """The corpus with a rating for every variant of these kinds."""
    rows = corpus.summaries.filter(pl.col("variant").is_in(list(values)))
    rated = rows.select("dialogue_id", "system", "variant", "role").with_columns(
        annotator=pl.lit("a"),
        dimension=pl.lit("consistency"),
        scale=pl.lit("1-5"),
        value=pl.col("variant").replace_strict(values, return_dtype=pl.Float64),
    )
    return corpus.with_ratings(rated, strict=True)


def test_all_conditions_end_in_one_table_and_three_metrics(perturbed: Corpus, tmp_path: Path) -> None:
    result = run_conditions(perturbed, tmp_path, HEAD, priors=True, most=30)
    assert result.frame.select("condition").to_series().unique(maintain_order=True).to_list() == list(CONDITIONS)
    cells = {(row["condition"], row["set"]): row for row in result.frame.iter_rows(named=True)}
    for name in CONDITIONS:
        parts = [cells[name, part]["summaries"] for part in (ORIGINAL, "domain", "baseline")]
        assert min(parts) > 0
        assert cells[name, "all"]["summaries"] == sum(parts)
        assert cells[name, ORIGINAL]["ratings"] == "given"
        assert cells[name, "domain"]["ratings"] == cells[name, "baseline"]["ratings"] == "priors"
    assert json.loads((tmp_path / "conditions.json").read_text("utf-8"))["rows"] == result.frame.to_dicts()
    sizes = {name: read_card(tmp_path / name).data["summaries"] for name in result.specs}
    assert sizes["original+baseline"] == sizes["original"] + 30
    assert read_card(tmp_path / "original+domain").data["families"] == ["domain", ORIGINAL]


def test_test_dialogues_have_no_part_in_what_is_learnt(perturbed: Corpus, tmp_path: Path) -> None:
    """The class of a kind, and so the weights, stay the same when only ratings of test dialogues change."""
    values = {"jumble": 2.0, "typos": 4.0, "remove_important_sentence_1": 4.0, "speaker_switch": 1.0}
    rated = _with_ratings(perturbed, values)
    first = run_conditions(rated, tmp_path / "a", HEAD, conditions=["original+baseline"])
    card = read_card(tmp_path / "a" / "original+baseline")
    weights = (tmp_path / "a" / "original+baseline" / "head.safetensors").read_bytes()
    assert first.types.filter(pl.col("perturbation") == "jumble")["assigned"].to_list() == [2.0]
    tested = _test_dialogues(rated)
    spoilt = pl.when(pl.col("dialogue_id").is_in(tested)).then(6 - pl.col("value")).otherwise("value")
    changed = replace(rated, ratings=rated.ratings.with_columns(spoilt.alias("value")))
    second = run_conditions(changed, tmp_path / "b", HEAD, conditions=["original+baseline"])
    assert (tmp_path / "b" / "original+baseline" / "head.safetensors").read_bytes() == weights
    assert read_card(tmp_path / "b" / "original+baseline").data["digest"] == card.data["digest"]
    assert second.frame["value"].to_list() != first.frame["value"].to_list()


def _test_dialogues(corpus: Corpus) -> list[str]:
    from dialgauge.learn._finetune_data import rated_summaries, split_dialogues, target_ratings

    ratings, scale = target_ratings(corpus, "consistency")
    originals = rated_summaries(corpus, ratings.filter(pl.col("variant") == ORIGINAL), scale)
    return sorted({item.dialogue_id for item in split_dialogues(originals, dev=0.15, test=0.25).test})


def test_extrapolation_serves_what_the_conditions_use(perturbed: Corpus) -> None:
    from dialgauge.learn._finetune_data import target_ratings

    rated = _with_ratings(perturbed, {"jumble": 2.0})
    ratings, scale = target_ratings(rated, "consistency")
    found = extrapolate(rated.summaries, ratings, scale)
    assert found.types["perturbation"].to_list() == ["jumble"]
    assert set(found.without) == {"typos", "speaker_switch", "remove_important_sentence_1"}


def test_missing_families_and_ratings_are_named(perturbed: Corpus, tmp_path: Path) -> None:
    bare = replace(perturbed, summaries=perturbed.summaries.filter(pl.col("variant") == ORIGINAL))
    with pytest.raises(InputError, match=r"no variants of the family 'domain': add some with -p"):
        run_conditions(bare, tmp_path, HEAD, perturbations="typos", priors=True)
    one = replace(perturbed, summaries=perturbed.summaries.filter(pl.col("variant").is_in([ORIGINAL, "typos"])))
    with pytest.raises(InputError, match=r"no variants of the family 'domain': add them with"):
        run_conditions(one, tmp_path, HEAD, priors=True)
    with pytest.raises(InputError, match=r"no variant of the family 'baseline' has a rating .* --priors"):
        run_conditions(perturbed, tmp_path, HEAD)
    with pytest.raises(InputError, match=r"no published priors for 'fluency'; available: consistency, relevance"):
        run_conditions(perturbed, tmp_path, HEAD, target="fluency", priors=True)
    with pytest.raises(UnknownNameError, match="condition"):
        run_conditions(perturbed, tmp_path, HEAD, conditions=["orig"])
    with pytest.raises(ParameterError, match="most"):
        VariantSettings(most=0)
    assert not list(tmp_path.iterdir())


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    command = ["finetune-metric", "embedded", "--model", BERT, "--epochs", "1", "--device", "cpu", "--condition"]
    runner = CliRunner()
    shown = runner.invoke(app, [*command, "out-of-the-box", "--condition", "original", "-o", str(tmp_path / "a")])
    assert shown.exit_code == 0, shown.output
    assert "out-of-the-box" in shown.output
    assert "learned:folder=" in shown.output
    machine = runner.invoke(app, [*command, "original", "-o", str(tmp_path / "b"), "--json"])
    document = json.loads(machine.stdout)
    assert [row["condition"] for row in document["rows"]] == ["original"] * 4
    assert document["settings"]["dialogues"] == {"train": 25, "dev": 5, "test": 10}
    with pytest.raises(InputError, match="--condition: unknown condition 'orig'"):
        runner.invoke(app, [*command, "orig", "-o", str(tmp_path / "c")], catch_exceptions=False)
