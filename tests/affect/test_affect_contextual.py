"""The tagger that reads sentences: batched as one by one, long texts in runs, classes by name."""

import json
from pathlib import Path

import numpy as np
import pytest

from dialgauge.affect import NEUTRAL, POSITIVE, ContextualTagger, _taggers, psent, save_tagger, tagger
from dialgauge.affect._folder import MODEL
from dialgauge.affect._pieces import encode_words
from dialgauge.affect._tagger import CERTAIN
from dialgauge.errors import InputError, ModelError
from dialgauge.models import load

torch = pytest.importorskip("torch")
FIVE = ["very negative", "negative", "neutral", "positive", "very_positive"]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, golden_dir: Path) -> Path:
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("classifier")
    torch.manual_seed(1)
    place = str(golden_dir / "models" / "tiny-bert")
    config = transformers.AutoConfig.from_pretrained(place, num_labels=5, id2label=dict(enumerate(FIVE)))
    model = transformers.AutoModelForTokenClassification.from_config(config)
    with torch.no_grad():
        model.classifier.weight.mul_(40)  # so that labels differ
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(place).save_pretrained(folder)
    return folder


def test_batched_as_one_by_one(checkpoint: Path) -> None:
    model = load("token-classifier", f"folder:{checkpoint}", "cpu")
    texts = [["the", "card", "is", "blocked", "."], [], ["hello"], ["Unbelievably", "good"], ["hello"], ["\u200b", "a"]]
    together = ContextualTagger.of(model).tag(texts)
    for words, found in zip(texts, together, strict=True):
        (alone,) = ContextualTagger.of(model).tag([words])
        assert found.shape == (len(words), 3)
        assert found == pytest.approx(alone, abs=1e-5)
        assert found.sum(axis=1) == pytest.approx(np.ones(len(words)), abs=1e-5)
        for i, run in enumerate(encode_words(model.tokenizer, [words], model.max_length)):
            logits = model.module(input_ids=torch.tensor([run.input_ids])).logits[0].softmax(-1).numpy()
            merged = np.stack([logits[:, :2].sum(1), logits[:, 2], logits[:, 3:].sum(1)], axis=1)
            assert i == 0
            assert found[run.words] == pytest.approx(merged[run.positions], abs=1e-5)


def test_what_is_forgotten_in_between_is_still_given(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ContextualTagger.of(load("token-classifier", f"folder:{checkpoint}", "cpu"))
    (first,) = made.tag([["good"]])
    monkeypatch.setattr(_taggers, "_MOST_REMEMBERED", 1)
    again, other = made.tag([["good"], ["bad"]])
    assert again == pytest.approx(first)
    assert len(other) == 1


def test_words_without_pieces_are_neutral(checkpoint: Path) -> None:
    model = load("token-classifier", f"folder:{checkpoint}", "cpu")
    kept = {int(i) for run in encode_words(model.tokenizer, [["\u200b", "a", "\udc80"]], 64) for i in run.words}
    (found,) = ContextualTagger.of(model).tag([["\u200b", "a", "\udc80"]])
    for i in set(range(3)) - kept:
        assert found[i].tolist() == CERTAIN[NEUTRAL].tolist()
    assert 1 in kept


def test_a_long_text_is_read_in_runs(checkpoint: Path) -> None:
    model = load("token-classifier", f"folder:{checkpoint}", "cpu")
    words = ["word", "and", "unbelievably"] * 300
    runs = encode_words(model.tokenizer, [words], 20)
    assert max(len(run.input_ids) for run in runs) <= 20
    assert np.concatenate([run.words for run in runs]).tolist() == list(range(len(words)))
    assert len({tuple(run.input_ids[:1] + run.input_ids[-1:]) for run in runs}) == 1  # special pieces on every run
    assert ContextualTagger.of(model).tag([words])[0].shape == (len(words), 3)


def test_each_distinct_sentence_is_read_once(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ContextualTagger.of(load("token-classifier", f"folder:{checkpoint}", "cpu"))
    read: list[tuple[str, ...]] = []
    inner = ContextualTagger._read

    def spy(self: ContextualTagger, texts: list[tuple[str, ...]]) -> list[np.ndarray]:
        read.extend(texts)
        return inner(self, texts)

    monkeypatch.setattr(ContextualTagger, "_read", spy)
    found = psent(["Good day. Bye now.", "Bye now.", "Good day.\nBye now."], chosen)
    assert sorted(read) == sorted({("Good", "day", "."), ("Bye", "now", ".")})
    assert found.counts[0].tolist() == found.counts[2].tolist()
    assert found.total.tolist() == [4, 2, 4]


def test_a_tag_is_neutral_whatever_the_model_says(checkpoint: Path) -> None:
    found = psent(["#Person1#", "<name> ..."], f"contextual:folder:{checkpoint},device=cpu")
    assert found.counts.sum() == 0
    assert found.total.sum() == 0


def test_a_trained_folder(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / MODEL).mkdir()
    for file in checkpoint.iterdir():
        (tmp_path / MODEL / file.name).write_bytes(file.read_bytes())
    save_tagger(tmp_path, "combined", "mine", table={"hello": POSITIVE})
    found = tagger(f"combined:{tmp_path},device=cpu")
    assert found.tag([["hello"]])[0].argmax() == POSITIVE
    assert "mine" in found.signature
    with pytest.raises(InputError, match="of the kind 'combined'"):
        tagger(f"sst3:{tmp_path}")


def test_classes_must_have_names(checkpoint: Path, tmp_path: Path) -> None:
    for file in checkpoint.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["id2label"] = {str(i): f"LABEL_{i}" for i in range(5)}
    config["label2id"] = {f"LABEL_{i}": i for i in range(5)}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="must be named negative, neutral, positive"):
        tagger(f"contextual:folder:{tmp_path},device=cpu")
