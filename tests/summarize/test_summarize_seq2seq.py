"""Sequence-to-sequence models: what is written equals what transformers writes, in batches, in parts, by role."""

from pathlib import Path

import pytest
import torch

from dialgauge.corpus import Corpus, Dialogue, Turn
from dialgauge.errors import ModelError, ParameterError, UnknownNameError
from dialgauge.models import Model, load
from dialgauge.summarize import (
    GenerationSettings,
    Means,
    Reading,
    generate,
    parse_request,
    summarize,
    summarize_dialogues,
)
from dialgauge.summarize._seq2seq import read_in_parts

SHORT = Dialogue("1", (Turn("Ann", "Where is my bag?", "customer"), Turn("Tom", "It is here.", "agent")))
LONG = Dialogue("2", tuple(Turn("AB"[i % 2], f"This is turn number {i} and it says little.") for i in range(30)))


@pytest.fixture(scope="module")
def folder(golden_dir: Path) -> Path:
    return golden_dir / "models"


@pytest.fixture(scope="module", params=["tiny-bart", "tiny-t5"])
def model(request: pytest.FixtureRequest, folder: Path) -> Model:
    return load("seq2seq", f"folder:{folder / request.param}", "cpu")


def alone(model: Model, text: str, **settings: object) -> str:
    """What transformers writes for this text by itself."""
    ids = model.tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        written = model.module.generate(input_ids=ids, do_sample=False, **settings)
    return str(model.tokenizer.batch_decode(written, skip_special_tokens=True)[0]).strip()


def test_batches_write_what_single_texts_do(model: Model) -> None:
    texts = ["Ann: Where is my bag?", "Tom: It is here.", "a b c", "Ann: Where is my bag?"]
    greedy = generate(model, texts, GenerationSettings(beams=1, longest=12, no_repeat=0))
    assert greedy == [alone(model, text, num_beams=1, max_new_tokens=12) for text in texts]
    beams = generate(model, texts, GenerationSettings(beams=3, longest=12, no_repeat=2, length_penalty=2.0))
    options = {"num_beams": 3, "max_new_tokens": 12, "no_repeat_ngram_size": 2, "length_penalty": 2.0}
    assert beams == [alone(model, text, **options, early_stopping=True) for text in texts]


def test_equal_texts_are_read_once(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    written = type(model.module).generate

    def counted(self: object, **given: object) -> object:
        rows.append(len(given["input_ids"]))  # type: ignore[arg-type]
        return written(self, **given)

    monkeypatch.setattr(type(model.module), "generate", counted)
    assert len(generate(model, ["x y", "x y", "z"], GenerationSettings(beams=1, longest=4))) == 3
    assert sum(rows) == 2


def test_memory_that_does_not_suffice_halves_the_batch(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = GenerationSettings(beams=1, longest=6)
    texts = [f"text number {i}" for i in range(8)]
    expected = generate(model, texts, settings)
    written = type(model.module).generate
    sizes = []

    def scarce(self: object, **given: object) -> object:
        sizes.append(len(given["input_ids"]))  # type: ignore[arg-type]
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("out of memory")
        return written(self, **given)

    monkeypatch.setattr(type(model.module), "generate", scarce)
    assert generate(model, texts, settings) == expected
    assert max(sizes) == 8
    assert sizes[-1] <= 2


def test_a_long_dialogue_is_read_in_parts_and_noted(model: Model) -> None:
    spec = f"seq2seq:model={model.ref},longest=8,beams=1"
    [short, long] = summarize_dialogues([SHORT, LONG], spec)
    assert short.note == ""
    assert long.text
    assert "the dialogue exceeds the model's window: read in" in long.note
    parts = read_in_parts(Reading(), model, LONG)
    assert all(len(model.tokenizer(text)["input_ids"]) <= model.max_length for text in parts.texts)
    assert "\n".join(parts.texts) == LONG.text
    written = generate(model, parts.texts, GenerationSettings(beams=1, longest=8))
    assert long.text == " ".join(text for text in written if text)
    # Plain texts are parted between lines in the same way.
    assert generate(model, [LONG.text], GenerationSettings(beams=1, longest=8)) == [long.text]


def test_a_turn_longer_than_the_window_is_split_and_noted(model: Model) -> None:
    endless = Dialogue("3", (Turn("Ann", "and then we went on. " * 60), Turn("Tom", "x" * 400)))
    [outcome] = summarize_dialogues([endless], f"seq2seq:model={model.ref},longest=4,beams=1")
    assert outcome.note.endswith("turns 1, 2 had to be split")


def test_roles_by_turns_or_by_a_mark(model: Model) -> None:
    assert Reading().text(SHORT, "agent") == "Tom: It is here."
    assert Reading(prefix="sum: ", joint="space", roles="mark").text(SHORT, "agent") == (
        "sum: [agent] Ann: Where is my bag? Tom: It is here."
    )
    assert Reading(roles="mark").text(SHORT) == SHORT.text
    with pytest.raises(UnknownNameError, match="unknown joint 'tab'; known: line, space"):
        Reading(joint="tab")
    spec = f"seq2seq:model={model.ref},longest=6,beams=1"
    [by_turns] = summarize_dialogues([SHORT], spec, "agent")
    assert by_turns.text == generate(model, ["Tom: It is here."], GenerationSettings(beams=1, longest=6))[0]


def test_settings_are_in_the_signature_and_checked(folder: Path) -> None:
    spec = f"seq2seq:model=folder:{folder / 'tiny-bart'}"
    signature = parse_request(f'{spec},beams=2,prefix="summarize: "').signature
    assert "|beams:2|longest:128|shortest:0|length-penalty:1|no-repeat:0|prefix:summarize: |" in signature
    assert "#" in signature
    with pytest.raises(ParameterError, match="at most 128, its positions"):
        summarize_dialogues([SHORT], f"{spec},longest=500")
    with pytest.raises(ParameterError, match="window"):
        summarize_dialogues([SHORT], f"{spec},window=4000")
    with pytest.raises(ParameterError, match="shortest"):
        summarize_dialogues([SHORT], f"{spec},longest=5,shortest=9")
    [short] = summarize_dialogues([SHORT], f"{spec},longest=8,beams=1,window=12,dtype=bf16")
    assert "parts" in short.note


def test_a_checkpoint_of_the_wrong_kind_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a sequence-to-sequence model"):
        summarize_dialogues([SHORT], f"seq2seq:model=folder:{folder / 'tiny-bert'}")
    with pytest.raises(ModelError, match="has no default model"):
        summarize_dialogues([SHORT], "seq2seq")
    with pytest.raises(ModelError):
        summarize_dialogues([SHORT], f"seq2seq:model=folder:{tmp_path}")


def test_work_comes_in_portions_so_that_it_can_be_resumed(folder: Path, tmp_path: Path) -> None:
    many = [Dialogue(str(i), (Turn("Ann", f"I have {i} bags."),)) for i in range(12)]
    spec = f"tiny=seq2seq:model=folder:{folder / 'tiny-bart'},longest=4,beams=1"
    journal = tmp_path / "journal.jsonl"
    first = summarize(Corpus.build(many), [spec], means=Means(batch_tokens=1), journal=journal)
    lines = journal.read_text().splitlines()
    assert len(lines) == 12
    journal.write_text("\n".join(lines[:5]) + '\n{"key": "cut o')
    second = summarize(Corpus.build(many), [spec], journal=journal)
    assert second.resumed == 5
    assert second.added.equals(first.added)
    assert len(journal.read_text().splitlines()) == 13
