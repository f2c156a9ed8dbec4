"""Taggers that learn: a tiny encoder trains, goes on after a stop, is written, and is read back the same."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dialgauge.affect import (
    LabelledSentence,
    TaggerTraining,
    TrainedTaggers,
    Treebank,
    compare_skill,
    load_tagger,
    tag_texts,
    tagged_sentences,
    tagger,
    train_tagger,
)
from dialgauge.affect._skill import measure_skill
from dialgauge.cli._app import app
from dialgauge.corpus import Dialogue, Turn
from dialgauge.errors import InputError, ModelError, ParameterError, UnknownNameError
from dialgauge.models import TrainingRecord

NEW = ["the", "cat", "was", "zany", "."]


def sentence(words: str, labels: str, root: int) -> LabelledSentence:
    return LabelledSentence(tuple(words.split()), tuple(int(label) for label in labels), root)


def made_treebank() -> Treebank:
    train = (
        sentence("a good day .", "1211", 4),
        sentence("a bad day .", "1011", 0),
        sentence("the film was good", "1112", 3),
        sentence("the film was bad", "1110", 1),
        sentence("not a good film", "0121", 1),
    )
    dev = (sentence("a good zoo", "121", 3), sentence("a bad zap", "100", 1))
    test = (
        sentence("the zebra was good", "1112", 3),
        sentence("the day was zilch", "1110", 0),
        sentence("not good .", "021", 1),
    )
    return Treebank(train * 4, dev * 2, test)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny batches gain nothing from threads, and on a busy machine they wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def settings(golden_dir: Path) -> TaggerTraining:
    backbone = f"folder:{golden_dir / 'models' / 'tiny-bert'}"
    return TaggerTraining(
        backbone=backbone,
        seeds=(0, 1),
        epochs=3,
        learning_rate=5e-3,
        batch=4,
        vectors=f"folder:{golden_dir / 'word_vectors.json'}",
        word_epochs=4,
        word_learning_rate=5e-3,
        word_batch=4,
        device="cpu",
    )


@pytest.fixture(scope="module")
def trained(settings: TaggerTraining, tmp_path_factory: pytest.TempPathFactory) -> TrainedTaggers:
    return train_tagger(made_treebank(), tmp_path_factory.mktemp("taggers") / "out", settings)


def test_the_loss_falls_and_the_best_epoch_is_kept(trained: TrainedTaggers) -> None:
    for result in trained.seeds:
        record = result.records["sentences"]
        assert record.epochs[-1].loss < 0.8 * record.epochs[0].loss
        values = [epoch.value for epoch in record.epochs]
        assert result.loss("sentences") == min(value for value in values if value is not None)


def test_three_taggers_are_written_with_a_card_and_nothing_is_left_over(trained: TrainedTaggers) -> None:
    assert sorted(path.name for path in trained.folder.iterdir()) == ["combined", "lookup", "sst3"]
    card = json.loads((trained.folder / "sst3" / "tagger.json").read_text("utf-8"))["notes"]
    assert card["data"]["digest"] == made_treebank().digest
    assert card["settings"]["seeds"] == [0, 1]
    best = min(trained.seeds, key=lambda result: result.loss("sentences"))
    assert best.test is not None
    assert card["kept_seed"] == best.seed
    assert card["seeds"][best.seed]["test"]["f1"] == best.test.f1
    assert not list(trained.folder.rglob("*.bin"))


def test_the_spread_over_seeds_is_that_of_a_sample(trained: TrainedTaggers) -> None:
    values = [result.combined_test.f1 for result in trained.seeds]
    mean, deviation = trained.spread("combined_test")["f1"]
    assert mean == pytest.approx(np.mean(values))
    assert deviation == pytest.approx(np.std(values, ddof=1))


def test_the_kept_seed_is_what_is_read_back(trained: TrainedTaggers) -> None:
    treebank = made_treebank()
    best = min(trained.seeds, key=lambda result: result.loss("words"))
    found = measure_skill(load_tagger(trained.folder / "combined"), treebank)
    assert found.words == best.combined_test


def test_a_new_process_gives_the_same_tags(trained: TrainedTaggers) -> None:
    folders = [str(trained.folder / kind) for kind in ("sst3", "combined")]
    here = [load_tagger(folder, "cpu").tag([NEW])[0].tobytes().hex() for folder in folders]
    code = (
        "from dialgauge.affect import load_tagger\n"
        f"for folder in {folders!r}: print(load_tagger(folder, 'cpu').tag([{NEW!r}])[0].tobytes().hex())"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == here


def test_a_stopped_training_goes_on_to_the_same_result(
    settings: TaggerTraining, trained: TrainedTaggers, tmp_path: Path
) -> None:
    class StopError(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if what.startswith("seed 1") and "sentences, epoch 2" in what:
            raise StopError

    with pytest.raises(StopError):
        train_tagger(made_treebank(), tmp_path / "out", settings, progress=stop)
    again = train_tagger(made_treebank(), tmp_path / "out", settings)
    first, second = (result.records["sentences"] for result in again.seeds)
    assert (first.resumed_from, second.resumed_from) == (3, 1)
    for name in ("sst3/model/model.safetensors", "combined/reader.safetensors"):
        one, other = (folder / name for folder in (trained.folder, again.folder))
        assert one.read_bytes() == other.read_bytes()
    assert [losses(result.records["words"]) for result in again.seeds] == [
        losses(result.records["words"]) for result in trained.seeds
    ]


def losses(record: TrainingRecord) -> list[tuple[float, float | None]]:
    return [(epoch.loss, epoch.value) for epoch in record.epochs]


def test_adaptation_learns_from_tagged_dialogues_first(settings: TaggerTraining, tmp_path: Path) -> None:
    turns = (Turn("#Person1#", "What a good day! I hate rain."), Turn("#Person2#", "Bad luck."))
    tagged = tagged_sentences([Dialogue(f"d{i}", turns) for i in range(4)], "vader")
    first = tagged[0]
    assert first.words[0] == "#Person1#:"
    assert dict(zip(first.words, first.labels, strict=True)) == {
        "#Person1#:": 1, "What": 1, "a": 1, "good": 2, "day": 1, "!": 1,
    }  # fmt: skip
    done = train_tagger(made_treebank(), tmp_path / "out", settings, seeds=(0,), epochs=1, adapt=tagged)
    assert done.name == "ds-sst3"
    assert set(done.seeds[0].records) == {"adapt", "sentences", "words"}
    card = json.loads((tmp_path / "out" / "ds-sst3" / "tagger.json").read_text("utf-8"))["notes"]
    assert card["adapted_on"]["sentences"] == len(tagged)
    with pytest.raises(InputError, match="too few sentences"):
        tagged_sentences([], "vader")


def test_speaker_tags_stay_neutral_through_an_encoder_that_calls_everything_positive(trained: TrainedTaggers) -> None:
    import torch

    encoder = load_tagger(trained.folder / "sst3", "cpu")
    bias = encoder.model.module.classifier.bias  # type: ignore[attr-defined]
    kept = bias.clone()
    with torch.no_grad():
        bias[2] += 100
    try:
        text = "#Person1#: hello there <file_gif>\n#Person2#: fine , I am #Person1#"
        found = tag_texts([text], encoder, speakers=True)[0]
        called = dict(zip(found.words.tokens, found.labels.tolist(), strict=True))
    finally:
        with torch.no_grad():
            bias.copy_(kept)
    assert [called[tag] for tag in ("#Person1#:", "#Person2#:", "<file_gif>", "#Person1#", ",")] == [1] * 5
    assert called["hello"] == called["fine"] == 2


def test_without_an_encoder_only_table_and_word_reader_are_trained(settings: TaggerTraining, tmp_path: Path) -> None:
    done = train_tagger(made_treebank(), tmp_path / "out", settings, encoder=False, vectors=None, seeds=(3,))
    assert sorted(path.name for path in done.folder.iterdir()) == ["combined", "lookup"]
    assert (done.name, done.seeds[0].test, set(done.seeds[0].records)) == (None, None, {"words"})
    with pytest.raises(InputError, match="no encoder"):
        done.spread("test")
    read = load_tagger(done.folder / "combined", "cpu")
    assert measure_skill(read, made_treebank()).words == done.seeds[0].combined_test
    with pytest.raises(ParameterError, match="adapt"):
        train_tagger(made_treebank(), tmp_path / "no", settings, encoder=False, adapt=[sentence("a b", "11", 2)] * 2)


def test_a_word_reader_is_refused_with_other_vectors_than_it_learnt_from(
    settings: TaggerTraining, golden_dir: Path, tmp_path: Path
) -> None:
    vectors = tmp_path / "vectors.json"
    vectors.write_text((golden_dir / "word_vectors.json").read_text("utf-8"), "utf-8")
    changes = {"encoder": False, "vectors": f"folder:{vectors}", "seeds": (0,)}
    wanted = settings.model_copy(update=changes)
    folder = train_tagger(made_treebank(), tmp_path / "out", wanted).folder / "combined"
    table = json.loads(vectors.read_text("utf-8"))
    table.pop(next(iter(table)))
    vectors.write_text(json.dumps(table), "utf-8")
    with pytest.raises(InputError, match="trained with the vectors-fingerprint"):
        load_tagger(folder, "cpu")
    (folder / "reader.safetensors").unlink()
    with pytest.raises(InputError, match=r"reader\.safetensors is not in it"):
        load_tagger(folder, "cpu")


def test_every_comparison_begins_with_the_lookup_table_and_shows_negation() -> None:
    rows = compare_skill([tagger("vader"), tagger("vader:negation=flip")], made_treebank())
    assert [row.tagger for row in rows] == ["lookup", "vader", "vader"]
    lookup, plain, turned = rows
    assert lookup.unseen is not None
    assert lookup.unseen.words == 2
    assert lookup.words.accuracy == 10 / 11  # only 'zilch' is not in the table and not neutral
    assert [row.negation_count for row in rows] == [8, 8, 8]  # good and bad, four phrases each
    assert (lookup.negation, plain.negation, turned.negation) == (0, 0, 1)
    assert [row.negated_count for row in rows] == [1, 1, 1]
    assert lookup.negated_sentences is None  # a single sentence has no correlation


def test_negation_cannot_be_shown_without_frequent_polar_words() -> None:
    made = made_treebank()
    few = Treebank(made.train[:2], made.dev, made.test)
    assert measure_skill(tagger("vader"), few).negation is None


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("seeds", ()), ("seeds", (1, 1)), ("batch", 0), ("word_batch", 0), ("pieces", 3), ("epochs", 0),
     ("word_epochs", 0), ("learning_rate", 0.0), ("adapt_learning_rate", -1.0), ("precision", "fp8")],
)  # fmt: skip
def test_a_bad_setting_is_refused_by_name(parameter: str, value: object) -> None:
    wanted = parameter.removeprefix("word_" if parameter != "word_batch" else "").removeprefix("adapt_")
    with pytest.raises((ParameterError, UnknownNameError), match=wanted):
        TaggerTraining(**{parameter: value})  # type: ignore[arg-type]


def test_a_bad_place_or_backbone_is_refused(tmp_path: Path, golden_dir: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        train_tagger(made_treebank(), tmp_path / "file")
    with pytest.raises(ModelError, match="not here"):
        train_tagger(made_treebank(), tmp_path / "out", TaggerTraining(backbone=f"folder:{tmp_path / 'none'}"))
    with pytest.raises(ModelError, match="tiny-bart"):
        train_tagger(
            made_treebank(),
            tmp_path / "out",
            TaggerTraining(backbone=f"folder:{golden_dir / 'models' / 'tiny-bart'}", device="cpu", batch=4),
        )


def test_the_commands_train_and_evaluate(tmp_path: Path, golden_dir: Path) -> None:
    treebank = made_treebank()
    for part in ("train", "dev", "test"):
        rows = [{"words": s.words, "labels": s.labels, "root5": s.root} for s in getattr(treebank, part)]
        (tmp_path / f"{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    backbone = f"folder:{golden_dir / 'models' / 'tiny-bert'}"
    common = ["--data", str(tmp_path), "-o", str(tmp_path / "out"), "--backbone", backbone, "--device", "cpu"]
    common += ["--vectors", "none"]
    done = CliRunner().invoke(app, ["affect", "train", *common, "--epochs", "1", "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["combined"]["f1"]["sd"] is None
    assert found["taggers"] == ["lookup", "sst3", "combined"]
    quick = CliRunner().invoke(app, ["affect", "train", *common, "--no-encoder"], catch_exceptions=False)
    assert "combined" in quick.stdout
    assert "sst3" not in quick.stdout.replace(str(tmp_path), "")
    spec = f"combined:{tmp_path / 'out' / 'combined'}"
    arguments = ["affect", "evaluate", "vader", spec, "--sst3", str(tmp_path)]
    table = json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)["taggers"]
    assert [row["tagger"] for row in table] == ["lookup (training words)", "vader", spec]
    assert table[0]["words"]["accuracy"] == 10 / 11
    shown = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "90.91" in shown.stdout
    refused = CliRunner().invoke(app, ["affect", "train", *common, "--seed", "one"])
    assert refused.exit_code == 2
    assert "--seed" in refused.stderr
