"""Fine-tuning: sets, batches, a tiny model that learns eight pairs by heart, resuming, the table, and bad input."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from dialgauge.affect import affective_pairs, has_affect, psent, tagger
from dialgauge.corpus import KEY, Corpus, Dialogue, Summary, Turn, read_dataset
from dialgauge.errors import InputError, ModelError, ParameterError, UnknownNameError
from dialgauge.metrics import score_pairs
from dialgauge.models import load
from dialgauge.summarize import (
    FinetuneSettings,
    GenerationSettings,
    Reading,
    ScratchModel,
    SetsSettings,
    Splits,
    TrainingSet,
    affect_table,
    build_scratch,
    finetune,
    finetune_sets,
    generate,
    read_summaries,
    reference_pairs,
    split_corpus,
    training_sets,
)
from dialgauge.summarize._finetune_batches import batch_loss, encode_pairs, epoch_batches
from dialgauge.summarize._finetune_quality import affect_quality
from dialgauge.summarize._finetune_table import affect_scores, preserved

#: What is said, and what a summary says about it; the last two have no feeling on one side or the other.
TOLD = (
    ("I love this phone", "Ann loves the phone"),
    ("The train was terrible", "Ann hated the terrible train"),
    ("What a wonderful dinner", "Ann had a wonderful dinner"),
    ("I am sad about the dog", "Ann is sad about the dog"),
    ("We won the game, great", "Ann is happy that they won"),
    ("My boss is awful to me", "Ann finds the boss awful"),
    ("I lost my keys, I hate it", "Ann wants new keys"),
    ("The meeting is on Monday", "Ann likes the meeting"),
)
SHAPE = ScratchModel(1, 1, width=64, vocabulary=330, window=64, dropout=0.0)
VADER = tagger("vader")


def corpus_of(told: Any = TOLD, prefix: str = "d", **meta: str) -> Corpus:
    dialogues = [
        Dialogue(f"{prefix}{i}", (Turn("Ann", said), Turn("Bob", "Tell me more.")), meta=meta)
        for i, (said, _) in enumerate(told)
    ]
    return Corpus.build(
        dialogues,
        [Summary(f"{prefix}{i}", "reference", text, kind="reference") for i, (_, text) in enumerate(told)],
    )


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> str:
    pairs = reference_pairs(corpus_of())
    texts = [text for pair in pairs for text in (pair.source, pair.target)]
    return f"folder:{build_scratch(SHAPE, texts, tmp_path_factory.mktemp('start') / 'model')}"


def by_heart(epochs: int = 60) -> FinetuneSettings:
    return FinetuneSettings(
        epochs=epochs,
        learning_rate=4e-3,
        weight_decay=0.0,
        device="cpu",
        batch_tokens=150,
        source_length=64,
        label_smoothing=0.0,
        best_by="loss",
        generation=GenerationSettings(beams=1, longest=24, no_repeat=0),
    )


def written(model: str, corpus: Corpus) -> list[str]:
    settings = GenerationSettings(beams=1, longest=24, no_repeat=0)
    return generate(load("seq2seq", model, "cpu"), [pair.source for pair in reference_pairs(corpus)], settings)


# --- training sets ---------------------------------------------------------------------------------------------------


def test_the_filtered_set_needs_affect_on_both_sides_and_the_subsample_has_its_size() -> None:
    sets = training_sets(corpus_of(), ["subsampled", "full", "filtered"], VADER, seed=3)
    assert list(sets) == ["full", "filtered", "subsampled"]
    assert [len(made.pairs) for made in sets.values()] == [8, 6, 6]
    assert [pair.dialogue_id for pair in sets["filtered"].pairs] == [f"d{i}" for i in range(6)]
    assert (sets["filtered"].without_dialogue_affect, sets["filtered"].without_summary_affect) == (1, 1)
    assert sets["filtered"].share == 0.75
    again = training_sets(corpus_of(), ["subsampled"], VADER, seed=3)["subsampled"]
    assert again == sets["subsampled"]
    drawn = {training_sets(corpus_of(), ["subsampled"], VADER, seed=seed)["subsampled"].pairs for seed in range(12)}
    assert len(drawn) > 3


def test_affective_pairs_are_keyed_and_say_which_side_lacks_affect() -> None:
    frame = affective_pairs(corpus_of(), VADER)
    assert frame.columns == [*KEY, "dialogue_affective", "summary_affective", "kept"]
    assert frame["dialogue_affective"].to_list() == [True] * 7 + [False]
    assert frame["summary_affective"].to_list() == [True] * 6 + [False, True]
    assert frame["kept"].to_list() == [True] * 6 + [False] * 2


def test_a_speaker_whose_name_is_a_feeling_does_not_count_as_one() -> None:
    assert has_affect(["Joy: It is Monday.\nBob: At nine."], VADER, speakers=True).tolist() == [False]
    assert has_affect(["I feel joy.", ""], VADER).tolist() == [True, False]


@given(st.lists(st.sampled_from(TOLD), min_size=1, max_size=20), st.integers(0, 5))
def test_sets_are_parts_of_the_whole(told: list[tuple[str, str]], seed: int) -> None:
    corpus = corpus_of(told)
    if not affective_pairs(corpus, VADER)["kept"].any():
        with pytest.raises(InputError, match="no pair is left after filtering"):
            training_sets(corpus, ["filtered"], VADER)
        return
    sets = training_sets(corpus, ["full", "filtered", "subsampled"], VADER, seed=seed)
    full = sets["full"].pairs
    for made in sets.values():
        assert set(made.pairs) <= set(full)
        assert len(set(made.pairs)) == len(made.pairs)
        assert made.out_of == len(full) == len(told)
    assert len(sets["filtered"].pairs) == len(sets["subsampled"].pairs)


def test_what_cannot_be_trained_on_is_refused() -> None:
    with pytest.raises(InputError, match="need a sentiment tagger"):
        training_sets(corpus_of(), ["filtered"])
    with pytest.raises(UnknownNameError, match=r"'filterd'.*'filtered'"):
        training_sets(corpus_of(), ["filterd"], VADER)
    with pytest.raises(InputError, match="no training set was given"):
        training_sets(corpus_of(), [], VADER)
    with pytest.raises(InputError, match="none of 1 pairs has an affective word in both"):
        training_sets(corpus_of(TOLD[-1:]), ["filtered"], VADER)
    bare = Corpus.build([Dialogue("d", (Turn("A", "Hello"),))])
    with pytest.raises(InputError, match="no reference summaries of the role 'overall'"):
        training_sets(bare, ["full"])
    with pytest.raises(InputError, match="roles overall"):
        training_sets(corpus_of(), ["full"], role="agent")
    empty = Corpus.build([Dialogue("d", ())], [Summary("d", "r", "A text", kind="reference")])
    with pytest.raises(InputError, match="every reference or its dialogue is empty"):
        training_sets(empty, ["full"])


def test_a_corpus_is_split_by_its_meta_data() -> None:
    parts = [corpus_of(TOLD[:2], name, split=name) for name in ("train", "valid", "test", "hidden")]
    parts.append(corpus_of(TOLD[:1], "none"))
    whole = Corpus.build(
        [dialogue for part in parts for dialogue in part.iter_dialogues()],
        [
            Summary(row[0], "reference", row[5], kind="reference")
            for part in parts
            for row in part.summaries.iter_rows()
        ],
    )
    cut = split_corpus(whole)
    assert cut.train.dialogues["dialogue_id"].to_list() == ["train0", "train1", "none0"]
    assert cut.dev is not None
    assert cut.dev.dialogues["dialogue_id"].to_list() == ["valid0", "valid1"]
    assert cut.test is not None
    assert cut.test.references.height == 2
    with pytest.raises(InputError, match="the split 'train' is empty"):
        split_corpus(parts[2])


# --- a model from scratch, its batches and its loss -------------------------------------------------------------------


def test_a_scratch_model_is_a_checkpoint_like_any_other(start: str, tmp_path: Path) -> None:
    model = load("seq2seq", start, "cpu")
    assert model.config.model_type == "bart"
    assert (model.config.encoder_layers, model.config.decoder_layers, model.config.d_model) == (1, 1, 64)
    text = "Ann: I  love “this”, #Person1#! 🙂 你好"
    ids = model.tokenizer(text)["input_ids"]
    assert (ids[0], ids[-1]) == (model.tokenizer.bos_token_id, model.tokenizer.eos_token_id)
    assert model.tokenizer.decode(ids, skip_special_tokens=True) == text
    again = build_scratch(SHAPE, [text], tmp_path / "one")
    twin = build_scratch(SHAPE, [text], tmp_path / "two")
    assert (again / "model.safetensors").read_bytes() == (twin / "model.safetensors").read_bytes()
    assert (again / "tokenizer.json").read_bytes() == (twin / "tokenizer.json").read_bytes()
    assert build_scratch(SHAPE, [text], again) == again
    with pytest.raises(InputError, match="another shape, seed or corpus"):
        build_scratch(replace(SHAPE, window=32), [text], again)
    with pytest.raises(InputError, match="trained without text"):
        build_scratch(SHAPE, ["", " "], tmp_path / "three")


def test_scratch_specifications() -> None:
    assert ScratchModel.parse("scratch:6+3x512") == ScratchModel(6, 3, 512)
    assert str(ScratchModel.parse("scratch:6+6")) == "scratch:6+6x256"
    for bad in ("scratch:6", "scratch:a+b", "scratch:6+6x", "scratch:6+6y256"):
        with pytest.raises(ParameterError, match="ENCODER"):
            ScratchModel.parse(bad)
    for bad, name in (("scratch:0+1", "encoder_layers"), ("scratch:1+1x100", "width"), ("scratch:1+1x4", "width")):
        with pytest.raises(ParameterError, match=name):
            ScratchModel.parse(bad)
    with pytest.raises(ParameterError, match="vocabulary"):
        ScratchModel.parse("scratch:1+1", vocabulary=100)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=80), st.integers(1, 200), st.integers(0, 3))
def test_batches_hold_every_pair_once_within_the_budget(lengths: list[int], budget: int, epoch: int) -> None:
    sizes = np.array(lengths)
    made = epoch_batches(sizes, budget, 7, epoch)
    assert sorted(np.concatenate(made).tolist()) == list(range(len(lengths)))
    assert all(len(batch) == 1 or sizes[batch].max() * len(batch) <= budget for batch in made)
    for one, other in zip(made, epoch_batches(sizes, budget, 7, epoch), strict=True):
        assert one.tolist() == other.tolist()


def test_epochs_have_different_batches() -> None:
    sizes = np.arange(10, 50)
    orders = [np.concatenate(epoch_batches(sizes, 100, 0, epoch)).tolist() for epoch in range(3)]
    assert orders[0] != orders[1] != orders[2]


def test_the_loss_is_that_of_transformers_and_smoothing_follows_its_formula(start: str) -> None:
    import torch

    model = load("seq2seq", start, "cpu")
    encoded = encode_pairs(model, reference_pairs(corpus_of()), 64, 64)
    source = torch.from_numpy(encoded.sources[0])[None]
    labels = torch.from_numpy(encoded.targets[0])[None]
    with torch.no_grad():
        expected = model.module(input_ids=source, labels=labels)
        assert float(batch_loss(model.module, encoded, np.array([0]), 0.0)) == pytest.approx(float(expected.loss))
        logs = torch.log_softmax(expected.logits[0], dim=-1)
        right = -logs[torch.arange(labels.shape[1]), labels[0]].mean()
        smoothed = 0.8 * right + 0.2 * -logs.mean()
        assert float(batch_loss(model.module, encoded, np.array([0]), 0.2)) == pytest.approx(float(smoothed), rel=1e-5)
        # Padding changes nothing: the loss of a batch is the mean over the tokens of all its pairs.
        alone = [float(batch_loss(model.module, encoded, np.array([i]), 0.0)) for i in (0, 3)]
        sizes = [len(encoded.targets[i]) for i in (0, 3)]
        together = float(batch_loss(model.module, encoded, np.array([0, 3]), 0.0))
        assert together == pytest.approx(np.average(alone, weights=sizes), rel=1e-5)


def test_what_is_too_long_is_cut_counted_and_keeps_its_end(start: str) -> None:
    model = load("seq2seq", start, "cpu")
    pairs = reference_pairs(corpus_of())
    encoded = encode_pairs(model, pairs, 12, 6)
    assert max(map(len, encoded.sources)) == 12
    assert max(map(len, encoded.targets)) == 6
    assert encoded.cut_sources == sum(len(model.tokenizer(pair.source)["input_ids"]) > 12 for pair in pairs) > 0
    assert encoded.cut_targets == sum(len(model.tokenizer(pair.target)["input_ids"]) > 6 for pair in pairs) > 0
    assert all(row[-1] == model.tokenizer.eos_token_id for row in (*encoded.sources, *encoded.targets))
    assert encode_pairs(model, pairs, 10_000, 10_000).cut_sources == 0


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learnt(start: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    training = training_sets(corpus_of(), ["full"])["full"]
    return finetune(start, training, tmp_path_factory.mktemp("learnt") / "model", by_heart(), resumable=False)


def test_a_tiny_model_learns_its_corpus_by_heart(start: str, learnt: Any) -> None:
    losses = [epoch.loss for epoch in learnt.record.epochs]
    assert losses[-1] < 0.05 < 4 < losses[0]
    references = [text for _, text in TOLD]
    before, after = written(start, corpus_of()), written(learnt.model, corpus_of())
    assert before != after
    assert after == references
    assert load("seq2seq", start, "cpu").module.training is False
    assert not any(p.requires_grad for p in load("seq2seq", start, "cpu").module.parameters())


def test_the_checkpoint_is_read_by_transformers_itself_with_the_same_text(learnt: Any) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    module = AutoModelForSeq2SeqLM.from_pretrained(learnt.folder)
    tokenizer = AutoTokenizer.from_pretrained(learnt.folder)
    source = reference_pairs(corpus_of())[1].source
    ids = module.generate(**tokenizer(source, return_tensors="pt"), max_new_tokens=24, do_sample=False)
    assert tokenizer.decode(ids[0], skip_special_tokens=True) == TOLD[1][1]


def test_a_finished_training_is_not_done_again_and_another_one_is_refused(start: str, learnt: Any) -> None:
    training = training_sets(corpus_of(), ["full"])["full"]
    again = finetune(start, training, learnt.folder, by_heart())
    assert again.reused
    assert again.record == learnt.record
    with pytest.raises(InputError, match="something other than this training"):
        finetune(start, training, learnt.folder, by_heart(epochs=2))


def test_a_stopped_training_goes_on_as_if_it_had_never_stopped(start: str, tmp_path: Path) -> None:
    training = training_sets(corpus_of(), ["full"])["full"]
    settings = by_heart(epochs=4)
    whole = finetune(start, training, tmp_path / "whole", settings)

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith("epoch 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune(start, training, tmp_path / "parts", settings, progress=stop)
    assert not (tmp_path / "parts").exists()
    resumed = finetune(start, training, tmp_path / "parts", settings)
    assert resumed.record.resumed_from == 2
    assert [epoch.loss for epoch in resumed.record.epochs] == [epoch.loss for epoch in whole.record.epochs]
    weights = [(folder / "model.safetensors").read_bytes() for folder in (whole.folder, resumed.folder)]
    assert weights[0] == weights[1]
    assert sorted(path.name for path in tmp_path.iterdir() if list(path.iterdir())) == ["parts", "whole"]


@pytest.mark.parametrize("best_by", ["loss", "rouge", "psentscore"])
def test_the_best_epoch_on_the_development_set_is_kept(start: str, tmp_path: Path, best_by: Any) -> None:
    training = training_sets(corpus_of(), ["full"])["full"]
    settings = by_heart(epochs=3).model_copy(update={"best_by": best_by})
    dev = corpus_of(TOLD[:4], "dev")
    done = finetune(start, training, tmp_path / "model", settings, dev=dev, tagger=VADER)
    values: list[Any] = [epoch.value for epoch in done.record.epochs]
    later = best_by == "psentscore"  # of equal epochs
    assert done.record.best_epoch == (2 - int(np.argmin(values[::-1])) if later else int(np.argmin(values)))
    texts = written(done.model, dev)
    if best_by == "rouge":
        metrics = [f"rouge-{kind}:stem=yes,refs=mean" for kind in "12l"]
        scores = score_pairs(texts, [text for _, text in TOLD[:4]], metrics).fill_null(0.0)
        assert min(values) == pytest.approx(-np.mean([scores[column].mean() for column in scores.columns]))
    if best_by == "psentscore":
        outputs = {"model": {f"dev{i}": text for i, text in enumerate(texts)}}
        found = preserved(affect_scores(dev, outputs, VADER), "model").ccc
        assert min(values) == pytest.approx(1.0 if found is None else -found)


def test_affect_that_cannot_be_compared_is_worst(start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dev = corpus_of(TOLD[4:], "dev")
    constant = {f"dev{i}": "Somebody says something." for i in range(4)}
    turned = constant | {"dev1": "Awful, awful."}  # of the call that has the smallest share of feelings
    wrong, none = (affect_quality(dev, written, VADER, "overall") for written in (turned, constant))
    assert none == -1.0 < wrong < 0.0
    # As long as no epoch is defined, the one that has learnt most is kept, and a negative one is better than those.
    for values, kept in (([-1.0, -1.0, -1.0], 2), ([-1.0, -0.3, -1.0], 1), ([0.2, -1.0, 0.2], 2)):
        said = iter(values)
        monkeypatch.setattr("dialgauge.summarize._finetune.affect_quality", lambda *_, said=said: next(said))
        settings = by_heart(epochs=3).model_copy(update={"best_by": "psentscore"})
        training = training_sets(corpus_of(), ["full"])["full"]
        done = finetune(start, training, tmp_path / f"model{kept}{values[0]}", settings, dev=dev, tagger=VADER)
        assert done.record.best_epoch == kept


def test_accumulated_micro_batches_and_bf16_train_too(start: str, tmp_path: Path) -> None:
    training = training_sets(corpus_of(), ["full"])["full"]
    changes = {"epochs": 6, "learning_rate": 5e-3, "accumulate": 3, "precision": "bf16", "weight_decay": 0.01}
    done = finetune(start, training, tmp_path / "model", by_heart(), resumable=False, batch_tokens=60, **changes)
    assert done.record.epochs[-1].loss < done.record.epochs[0].loss - 1


def test_other_architectures_and_a_prefix(golden_dir: Path, tmp_path: Path) -> None:
    corpus = corpus_of(TOLD[:2])
    for name in ("tiny-t5", "tiny-bart"):
        changes = {"source_length": 32, "reading": Reading(prefix="summarize: ")}
        settings = by_heart(epochs=8).model_copy(update=changes)
        training = training_sets(corpus, ["full"], reading=settings.reading)["full"]
        assert training.pairs[0].source == "summarize: Ann: I love this phone\nBob: Tell me more."
        model = f"folder:{golden_dir / 'models' / name}"
        done = finetune(model, training, tmp_path / name, settings, resumable=False)
        assert done.record.epochs[-1].loss < done.record.epochs[0].loss - 0.2
        assert load("seq2seq", done.model, "cpu").config.model_type == name.removeprefix("tiny-")


def test_models_of_the_wrong_kind_and_settings_out_of_range_are_refused(golden_dir: Path, tmp_path: Path) -> None:
    training = training_sets(corpus_of(), ["full"])["full"]
    with pytest.raises(ModelError, match="not a sequence-to-sequence model"):
        finetune(f"folder:{golden_dir / 'models' / 'tiny-bert'}", training, tmp_path / "model", by_heart())
    with pytest.raises(ModelError, match="is not here"):
        finetune(f"folder:{tmp_path / 'absent'}", training, tmp_path / "model", by_heart())
    settings = FinetuneSettings(best_by="psentscore")
    with pytest.raises(InputError, match="'psentscore' needs a sentiment tagger"):
        finetune("nobody/nothing", training, tmp_path / "model", settings, dev=corpus_of())
    for name, value in (("label_smoothing", 1.0), ("source_length", 1), ("best_by", "luck"), ("batch_tokens", 0)):
        with pytest.raises((ParameterError, UnknownNameError), match=name.replace("_", ".")):
            FinetuneSettings(**{name: value})  # type: ignore[arg-type]


# --- the table --------------------------------------------------------------------------------------------------------


def test_psentscore_is_spearman_ccc_and_mae_over_dialogues_with_affect() -> None:
    said = ["I love it", "It is awful, I hate it", "It is Monday", "A great, good day, sadly", "no joy here now", "Fun"]
    told = ["Love", "An awful thing", "Good", "A sad, sad, good day out", "She is sad", ""]
    corpus = Corpus.build(
        [Dialogue(f"d{i}", (Turn("Ann", text),)) for i, text in enumerate(said)],
        [Summary(f"d{i}", "reference", "A text", kind="reference") for i in range(len(said))],
    )
    scores = affect_scores(corpus, {"one": {f"d{i}": text for i, text in enumerate(told)}}, VADER)
    x, y = psent(said, VADER).share(), psent(told, VADER).share()
    kept = (x > 0) & ~np.isnan(y)
    x, y = x[kept], y[kept]
    found = preserved(scores, "one")
    assert found.dialogues == kept.sum() == 4
    assert found.mae == pytest.approx(np.abs(x - y).mean())
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic)
    ccc = 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    assert found.ccc == pytest.approx(ccc)
    assert preserved(scores, "references").spearman is None


def two_references() -> Corpus:
    dialogues = list(corpus_of(TOLD[:3]).iter_dialogues())
    texts = [(text, text.upper() + " today") for _, text in TOLD[:3]]
    return Corpus.build(
        dialogues,
        [
            Summary(dialogue.id, f"reference-{i}", text, kind="reference")
            for dialogue, several in zip(dialogues, texts, strict=True)
            for i, text in enumerate(several)
        ],
    )


def test_the_table_averages_over_references_and_sets_people_beside_systems() -> None:
    test = two_references()
    outputs = {"copy": {f"d{i}": TOLD[i][1] for i in range(3)}, "mute": {f"d{i}": "" for i in range(3)}}
    table = affect_table(test, outputs, VADER, bertscore=None)
    human, copy, mute = table.rows
    assert [row.system for row in table.rows] == ["human", "copy", "mute"]
    second = score_pairs(
        [text for _, text in TOLD[:3]], [f"{text} today" for _, text in TOLD[:3]], ["rouge-1:stem=yes"]
    )
    mean = 100 * float(second.to_series().to_numpy().mean())
    assert human.rouge_1 == pytest.approx(mean)
    assert copy.rouge_1 == pytest.approx((100 + mean) / 2)
    assert (mute.rouge_1, mute.empty, mute.bertscore) == (0.0, 3, None)
    assert (mute.psentscore.spearman, mute.psentscore.dialogues) == (None, 0)
    assert copy.psentscore.dialogues == 3
    assert copy.psentscore.mae == pytest.approx(human.psentscore.mae, abs=0.1)
    assert [(found.one, found.other, found.difference) for found in table.differences] == [("copy", "mute", None)]
    assert (table.dialogues, table.references) == (3, 6)
    assert table.to_markdown().splitlines()[0].startswith("| system | R1 | R2 | RL | BERTScore | PSentScore |")
    assert "BERTScore was not requested." in table.notes
    json.dumps(table.as_dict(), allow_nan=False)
    with pytest.raises(InputError, match="system 'half': no summary of dialogue 'd1' \\(2 are missing\\)"):
        affect_table(test, {"half": {"d0": "x"}}, VADER, bertscore=None)


def test_an_absent_encoder_leaves_bertscore_out_and_says_so(tmp_path: Path) -> None:
    outputs = {"copy": {f"d{i}": TOLD[i][1] for i in range(3)}}
    table = affect_table(two_references(), outputs, VADER, bertscore=f"folder:{tmp_path / 'none'}")
    assert table.rows[1].bertscore is None
    assert table.notes[0].startswith("BERTScore is omitted: ")


def test_bertscore_is_the_mean_over_references(golden_dir: Path) -> None:
    encoder = f"folder:{golden_dir / 'models' / 'tiny-bert'}"
    test = two_references()
    outputs = {"copy": {f"d{i}": TOLD[i][1] for i in range(3)}}
    table = affect_table(test, outputs, VADER, bertscore=encoder)
    texts = [TOLD[i // 2][1] for i in range(6)]
    expected = score_pairs(texts, test.references["text"].to_list(), [f"bertscore-p:model={encoder}"])
    assert table.rows[1].bertscore == pytest.approx(100 * float(expected.to_series().to_numpy().mean()))


def test_all_three_sets_from_one_call_and_again_without_work(tmp_path: Path) -> None:
    splits = Splits(corpus_of(), corpus_of(TOLD[:2], "dev"), corpus_of(TOLD[:3], "test"))
    training = by_heart(epochs=2)
    writing = GenerationSettings(beams=2, longest=16)
    settings = SetsSettings(sets="all", writing=writing, bertscore=None, vocabulary=330, window=64)
    done = finetune_sets(splits, "scratch:1+1x32", tmp_path, training, settings, tagger=VADER)
    assert {name: result.pairs for name, result in done.trained.items()} == {
        "full": 8,
        "filtered": 6,
        "subsampled": 6,
    }
    assert done.table is not None
    assert [row.system for row in done.table.rows] == ["full", "filtered", "subsampled"]
    assert json.loads((tmp_path / "table.json").read_text())["dialogues"] == 3
    outputs = read_summaries(tmp_path)
    assert list(outputs["full"]) == ["test0", "test1", "test2"]
    assert affect_table(splits.test, outputs, VADER, bertscore=None) == done.table  # type: ignore[arg-type]
    starts = {
        json.loads((tmp_path / name / "checkpoint" / "training.json").read_text())["started_from"] for name in outputs
    }
    assert len(starts) == 1
    again = finetune_sets(splits, "scratch:1+1x32", tmp_path, training, settings, tagger=VADER)
    assert all(result.reused for result in again.trained.values())
    assert again.table == done.table
    with pytest.raises(InputError, match="needs a sentiment tagger"):
        finetune_sets(splits, "scratch:1+1x32", tmp_path, training, settings.model_copy(update={"sets": ("full",)}))
    with pytest.raises(InputError, match=r"no summaries\.jsonl"):
        read_summaries(tmp_path / "nowhere")


@pytest.mark.data
def test_dialogsum_is_filtered_as_far_as_a_lexicon_goes(data_dir: Path) -> None:
    """The paper's tagger keeps 391 of 500 pairs of dev; 2 dialogues and 108 summaries have no affect (Table 4)."""
    found = affective_pairs(read_dataset("dialogsum:dev", data_dir / "psent" / "dialogsum"), VADER)
    lost = [int((~found[side]).sum()) for side in ("dialogue_affective", "summary_affective")]
    assert (found.height, int(found["kept"].sum()), lost) == (500, 362, [1, 138])


def test_a_set_knows_its_share() -> None:
    pairs = reference_pairs(corpus_of(TOLD[:2]))
    assert TrainingSet("full", pairs, 8).share == 0.25


@pytest.mark.data
def test_people_on_dialogsum_overlap_as_published(data_dir: Path) -> None:
    """Table 5 has 53.35 and 26.72 for R1 and R2 of people; its RL is py-rouge's, which is computed otherwise."""
    test = read_dataset("dialogsum:test", data_dir / "psent" / "dialogsum")
    first = {pair.dialogue_id: pair.target for pair in reference_pairs(test) if pair.system == "reference-1"}
    human, copied = affect_table(test, {"first": first}, VADER, bertscore=None).rows
    assert (human.rouge_1, human.rouge_2) == pytest.approx((53.35, 26.72), abs=0.03)
    assert copied.rouge_1 > human.rouge_1
    assert human.psentscore.dialogues > 490
