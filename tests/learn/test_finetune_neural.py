"""BARTScore, UniEval and the encoder head learn from ratings: tiny models, on the processor."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn, write_corpus
from dialgauge.errors import InputError, ModelError, UnknownNameError
from dialgauge.learn import FineTuneSettings, RatedSplit, RatedSummary, fine_tunable, finetune
from dialgauge.learn._finetune import make_recipe
from dialgauge.learn._finetune_data import rated_summaries, split_dialogues, target_ratings
from dialgauge.learn._finetune_measures import mean_correlation, order_accuracy
from dialgauge.learn._finetune_seq2seq import BartRecipe, UnievalRecipe, log_likelihoods
from dialgauge.metrics import score
from dialgauge.models import TrainingPlan, train, unload
from dialgauge.ratings import SCALES

FIVE = SCALES["1-5"]
MODELS = Path(__file__).parent.parent / "golden" / "models"
BART, T5, BERT = (f"folder:{MODELS / name}" for name in ("tiny-bart", "tiny-t5", "tiny-bert"))
_THINGS = ("router", "invoice", "parcel", "password", "refund", "meeting", "ticket", "printer")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def make_corpus(dialogues: int = 10, value: float | None = None) -> Corpus:
    """Four systems that sum up better and worse, with ratings to match; ``value`` is a rating in place of one."""
    talks, summaries, ratings = [], [], []
    for i in range(dialogues):
        thing = _THINGS[i % len(_THINGS)]
        turns = (Turn("Ann", f"My {thing} number {i} is lost."), Turn("Bob", f"I will send a new {thing} on Monday."))
        talks.append(Dialogue(f"d{i}", turns))
        summaries.append(Summary(f"d{i}", "gold", f"Bob sends Ann a new {thing} on Monday.", kind="reference"))
        texts = (f"Bob sends a new {thing} to Ann.", f"Ann lost a {thing}.", "They talk. They talk.", "xx zz qq!")
        for rank, text in enumerate(texts):
            summaries.append(Summary(f"d{i}", f"s{rank}", text))
            given_value = 5.0 - rank if value is None or (i, rank) != (0, 0) else value
            ratings.append(Rating(f"d{i}", f"s{rank}", "a", "consistency", given_value, scale="1-5"))
    return Corpus.build(talks, summaries, ratings)


@pytest.fixture(scope="module")
def items() -> list[RatedSummary]:
    corpus = make_corpus()
    ratings, scale = target_ratings(corpus, "consistency")
    return rated_summaries(corpus, ratings, scale)


def settings(metric: str, model: str, **changes: Any) -> FineTuneSettings:
    plan = {
        "epochs": 2,
        "learning_rate": 2e-3,
        "weight_decay": 0.01,
        "precision": "fp32",
        "device": "cpu",
        "warmup": 0.0,
    }
    return FineTuneSettings(**{"metric": metric, "model": model, "limit": 96, "batch": 8} | plan | changes)


def test_training_gives_the_log_likelihood_that_scoring_gives() -> None:
    corpus = make_corpus(4)
    ratings, scale = target_ratings(corpus, "consistency")
    for way in ("src-hyp", "hyp", "hyp-ref", "ref-hyp"):
        recipe = BartRecipe(settings(f"bartscore-{way}", BART))
        rated = rated_summaries(corpus, ratings, scale)
        recipe.module.eval()
        trained = log_likelihoods(recipe.model, [recipe.pairs(item)[0] for item in rated]).detach().numpy()
        frame = score(corpus, [f"bartscore-{way}:model={BART},limit=96"]).frame
        assert trained == pytest.approx(frame[frame.columns[-1]].to_numpy(), abs=1e-5)


@pytest.mark.parametrize("dimension", ["consistency", "fluency", "relevance"])
def test_training_asks_unieval_the_very_questions_of_scoring(dimension: str, items: list[RatedSummary]) -> None:
    import torch

    from dialgauge.metrics._encoding import padded

    recipe = UnievalRecipe(settings(f"unieval-{dimension}", T5))
    rows = [[recipe.ids(prompt) for prompt in recipe.prompts(item)[0]] for item in items[:6]]
    means = []
    for several in rows:
        ids, mask = padded(recipe.model, several)
        start = torch.full((len(several), 1), recipe.model.config.decoder_start_token_id)
        with torch.inference_mode():
            logits = recipe.model.module(input_ids=ids, attention_mask=mask, decoder_input_ids=start).logits[:, 0]
        means.append(float(torch.sigmoid(logits[:, recipe.yes] - logits[:, recipe.no]).mean()))
    frame = score(make_corpus(), [f"unieval-{dimension}:model={T5},max-length=96"]).frame
    assert means == pytest.approx(frame[frame.columns[-1]].to_list()[:6], abs=1e-5)


@pytest.mark.parametrize(
    ("metric", "model", "loss"),
    [
        ("bartscore-src-hyp", BART, "likelihood"),
        ("bartscore-src-hyp", BART, "ranking"),
        ("bartscore-ref-hyp", BART, "regression"),
        ("unieval-consistency", T5, "graded"),
        ("unieval-consistency", T5, "boolean"),
        ("unieval-relevance", T5, "regression"),
        ("encoder-head", BERT, None),
    ],
)
def test_every_loss_falls(metric: str, model: str, loss: str | None, items: list[RatedSummary]) -> None:
    import torch

    recipe = make_recipe(settings(metric, model, loss=loss, limit=None if metric == "encoder-head" else 96))
    recipe.prepare(items)

    def loss_now() -> float:
        # Without dropout, on the same lessons each time.
        recipe.module.eval()
        with torch.inference_mode():
            return float(np.mean([float(recipe.loss(recipe.module, batch)) for batch in recipe.batches(0)]))

    before = loss_now()
    plan = TrainingPlan(epochs=8, learning_rate=2e-3, device="cpu", warmup=0.0)
    train(recipe.module, recipe.batches, recipe.loss, plan)
    assert loss_now() < 0.9 * before


def test_ranking_puts_the_training_pairs_in_order(items: list[RatedSummary]) -> None:
    recipe = make_recipe(settings("bartscore-src-hyp", BART, loss="ranking"))
    before = order_accuracy(recipe.untrained(items), items)
    recipe.prepare(items)
    train(recipe.module, recipe.batches, recipe.loss, TrainingPlan(epochs=8, learning_rate=2e-3, device="cpu"))
    after = order_accuracy(recipe.predict(recipe.module, items), items)
    assert after > max(before, 0.85)


def test_a_folder_of_something_else_is_refused_before_the_training(tmp_path: Path, items: list[RatedSummary]) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    steps: list[str] = []
    with pytest.raises(InputError, match="exists and is not a trained metric"):
        finetune(
            split_dialogues(items, dev=0.2),
            FIVE,
            settings("bartscore-src-hyp", BART),
            tmp_path,
            progress=lambda what, done, total: steps.append(what),
        )
    assert not steps


def test_a_training_that_was_stopped_ends_as_the_undisturbed_one(tmp_path: Path, items: list[RatedSummary]) -> None:
    chosen = settings("bartscore-src-hyp", BART, loss="ranking")
    split = split_dialogues(items, dev=0.3, seed=1)

    def stop_in_the_second_epoch(what: str, done: int, total: int) -> None:
        if "epoch 2" in what:
            raise KeyboardInterrupt

    whole = finetune(split, FIVE, chosen, tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        finetune(split, FIVE, chosen, tmp_path / "b", progress=stop_in_the_second_epoch)
    assert not (tmp_path / "b").exists()
    resumed = finetune(split, FIVE, chosen, tmp_path / "b")
    assert resumed.record.resumed_from == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in "ab"]
    assert weights[0] == weights[1]
    assert [e.loss for e in whole.record.epochs] == [e.loss for e in resumed.record.epochs]


def test_trained_metrics_give_the_same_scores_in_a_new_process(tmp_path: Path) -> None:
    corpus = make_corpus()
    ratings, scale = target_ratings(corpus, "consistency")
    split = split_dialogues(rated_summaries(corpus, ratings, scale), dev=0.2)
    specs: list[str] = []
    for metric, model in (("bartscore-src-hyp", BART), ("unieval-consistency", T5), ("encoder-head", BERT)):
        limit = None if metric == "encoder-head" else 96
        tuned = finetune(split, FIVE, settings(metric, model, limit=limit), tmp_path / metric)
        card = json.loads((tuned.folder / "metric.json").read_text("utf-8"))
        assert set(card["split"]["dev_dialogues"]) == {item.dialogue_id for item in split.dev}
        assert card["data"]["dialogues"] == 8
        specs += dict.fromkeys([tuned.spec, f"learned:folder={tuned.folder}"])
    here = score(corpus, specs).frame.select(pl.exclude(KEY))
    assert here.width == 5
    assert here.to_series(0).to_list() == here.to_series(1).to_list()
    assert here.to_series(2).to_list() == here.to_series(3).to_list()
    assert here.to_series(4).is_between(1, 5).all()
    write_corpus(corpus, tmp_path / "corpus")
    code = (
        "import sys, json; from dialgauge.corpus import read_corpus; from dialgauge.metrics import score\n"
        "frame = score(read_corpus(sys.argv[1]), sys.argv[2:]).frame\n"
        "print(json.dumps([column.to_list() for column in frame.get_columns()[4:]]))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "corpus"), *specs]
    # Sums over more threads are rounded otherwise.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert json.loads(ran.stdout) == [column.to_list() for column in here.get_columns()]
    (tmp_path / "encoder-head" / "head.safetensors").write_bytes(b"other")
    with pytest.raises(InputError, match=r"head\.safetensors"):
        score(corpus, specs[-1:])


def test_the_encoder_can_be_trained_with_its_head(tmp_path: Path, items: list[RatedSummary]) -> None:
    chosen = settings("encoder-head", BERT, frozen=False, limit=None)
    tuned = finetune(split_dialogues(items, dev=0.2), FIVE, chosen, tmp_path / "full")
    assert (tmp_path / "full" / "model.safetensors").read_bytes() != (
        MODELS / "tiny-bert" / "model.safetensors"
    ).read_bytes()
    unload()
    frame = score(make_corpus(), [tuned.spec]).frame
    recipe_values = frame[frame.columns[-1]].to_numpy()
    assert np.ptp(recipe_values) > 0
    ratings = np.array([item.rating for item in items])
    assert mean_correlation(recipe_values, ratings) > 0.5


def test_an_encoder_head_without_references_reads_the_source(tmp_path: Path, items: list[RatedSummary]) -> None:
    bare = [replace(item, references=()) for item in items]
    tuned = finetune(split_dialogues(bare, dev=0.2), FIVE, settings("encoder-head", BERT, limit=None), tmp_path / "m")
    corpus = make_corpus(3)
    alone = replace(corpus, summaries=corpus.summaries.filter(corpus.summaries["kind"] == "system"))
    assert score(alone, [tuned.spec]).frame.to_series(-1).null_count() == 0


def test_an_encoder_head_that_reads_references_is_judged_where_there_are_some(
    tmp_path: Path, items: list[RatedSummary]
) -> None:
    split = split_dialogues(items, dev=0.3)
    first = split.dev[0].dialogue_id
    dev = tuple(replace(item, references=()) if item.dialogue_id == first else item for item in split.dev)
    tuned = finetune(replace(split, dev=dev), FIVE, settings("encoder-head", BERT, limit=None), tmp_path / "m")
    assert tuned.card.settings["references"]
    assert tuned.dev is not None
    assert tuned.dev.summaries == sum(item.dialogue_id != first for item in dev)


@given(st.integers(4, 40), st.integers(0, 5), st.sampled_from([0.1, 0.2, 0.4]), st.sampled_from([0.0, 0.25]))
def test_no_dialogue_is_on_two_sides(dialogues: int, seed: int, dev: float, test: float) -> None:
    every = [
        RatedSummary((f"d{i}", f"s{j}", "original", "overall"), "x", "y", (), 1.0 + j, j / 4)
        for i in range(dialogues)
        for j in range(3)
    ]
    split = split_dialogues(every, dev=dev, test=test, seed=seed)
    sides = [{item.dialogue_id for item in part} for part in (split.train, split.dev, split.test)]
    assert sum(map(len, sides)) == dialogues == len(set().union(*sides))
    assert sides[0]
    assert sides[1]
    again = split_dialogues(every[::-1], dev=dev, test=test, seed=seed)
    assert {item.dialogue_id for item in again.dev} == sides[1]


def test_a_split_that_shares_a_dialogue_is_refused(items: list[RatedSummary]) -> None:
    with pytest.raises(InputError, match=r"dialogue 'd0' is in train and in dev"):
        RatedSplit(tuple(items), tuple(items[:1]))


def test_too_little_to_learn_from_is_refused(tmp_path: Path, items: list[RatedSummary]) -> None:
    chosen = settings("bartscore-src-hyp", BART)
    with pytest.raises(InputError, match=r"16 rated summaries; at least 20"):
        finetune(RatedSplit(tuple(items[:16]), ()), FIVE, chosen, tmp_path / "x")
    flat = tuple(replace(item, rating=3.0, share=0.5) for item in items)
    with pytest.raises(InputError, match=r"all 40 ratings are 3"):
        finetune(RatedSplit(flat, ()), FIVE, chosen, tmp_path / "x")
    with pytest.raises(InputError, match=r"development summaries all have the rating"):
        finetune(RatedSplit(tuple(items[:36]), (items[36],)), FIVE, chosen, tmp_path / "x")
    low = [replace(item, rating=1 + i % 2, share=i % 2 / 4) for i, item in enumerate(items)]
    with pytest.raises(InputError, match=r"upper half"):
        finetune(RatedSplit(tuple(low), ()), FIVE, chosen.model_copy(update={"loss": "likelihood"}), tmp_path / "x")
    with pytest.raises(InputError, match=r"same side of the middle"):
        finetune(RatedSplit(tuple(low), ()), FIVE, settings("unieval-consistency", T5, loss="boolean"), tmp_path / "x")


def test_wrong_architectures_and_names_are_refused() -> None:
    with pytest.raises(ModelError, match=r"type 't5'; BARTScore needs a model of type 'bart'"):
        make_recipe(settings("bartscore", T5))
    with pytest.raises(ModelError, match="not a sequence-to-sequence model"):
        make_recipe(settings("bartscore", BERT))
    with pytest.raises(UnknownNameError, match="loss of bartscore"):
        make_recipe(settings("bartscore", BART, loss="rankin"))
    with pytest.raises(UnknownNameError, match="question of UniEval"):
        fine_tunable("unieval", "empathy")
    with pytest.raises(UnknownNameError, match="metric to fine-tune"):
        fine_tunable("rouge-1", "consistency")


def test_ratings_off_their_scale_are_refused_and_unset_ones_left_out() -> None:
    with pytest.raises(InputError, match=r"d0 / s0.*9 is off the scale"):
        target_ratings(make_corpus(value=9.0), "consistency", on_invalid="error")
    ratings, _ = target_ratings(make_corpus(value=0.0), "consistency")
    assert ratings.height == 39
    bare = make_corpus()
    nameless = replace(bare, ratings=bare.ratings.with_columns(scale=None))
    with pytest.raises(InputError, match="declare no scale"):
        target_ratings(nameless, "consistency")
    assert target_ratings(nameless, "consistency", scale="1-5")[1] == FIVE
    with pytest.raises(UnknownNameError, match="dimension"):
        target_ratings(bare, "brevity")
