"""DAE: arcs, verdicts and shares by hand, and the states of a tiny encoder looked up one sentence at a time."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from dialgauge.errors import ModelError
from dialgauge.metrics import _dae as dae, score_pairs
from dialgauge.metrics._dae import Sentence, Verdict, reading, verdicts
from dialgauge.models import load, unload
from tests.metrics.golden_pairs import GOLDEN, model

SOURCE = "Tom: are you coming to the party on Saturday? Mia: no, I have an exam on Monday."
WORDS = ["Mia", "has", "an", "exam", "on", "Monday", "."]
HEADS = [1, 1, 3, 1, 1, 4, 1]
RELATIONS = ["nsubj", "ROOT", "det", "dobj", "prep", "pobj", "punct"]
ARCS = ((0, 1), (3, 1), (4, 1), (5, 4))


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def checkpoint(folder: Path, weight: torch.Tensor, bias: torch.Tensor) -> str:
    """A tiny encoder with a layer over arcs."""
    shutil.copytree(GOLDEN / "models" / "tiny-bert", folder)
    (folder / "model.safetensors").chmod(0o644)
    tensors = load_file(folder / "model.safetensors")
    save_file(
        tensors | {"dep_label_classifier.weight": weight, "dep_label_classifier.bias": bias},
        folder / "model.safetensors",
    )
    return f"folder:{folder}"


@pytest.fixture
def random_model(tmp_path: Path) -> Iterator[str]:
    generator = torch.Generator().manual_seed(0)
    width = 2 * load("encoder", model("tiny-bert"), "cpu").config.hidden_size
    yield checkpoint(tmp_path / "random", torch.randn(2, width, generator=generator), torch.zeros(2))
    unload()


def document(words: list[str] = WORDS, heads: list[int] = HEADS, relations: list[str] = RELATIONS):
    import spacy
    from spacy.tokens import Doc

    return Doc(spacy.blank("en").vocab, words=words, heads=heads, deps=relations)


def test_arcs_that_state_something() -> None:
    assert Sentence.of(document(), 20) == Sentence(tuple(WORDS), ARCS)
    assert Sentence.of(document(), 2).arcs == ARCS[:2]
    assert Sentence.of(document(["Hello", "!"], [0, 0], ["ROOT", "punct"]), 20).arcs == ()


def test_shares_by_hand() -> None:
    right, wrong, bare = Verdict((True, True)), Verdict((True, False)), Verdict(())
    assert reading([right, wrong, right], "out").number == pytest.approx(2 / 3)
    assert reading([right, bare], "out").number == 1
    assert reading([right, bare], "wrong").number == 0.5
    assert reading([bare], "out").reason
    cut = [Verdict((True,), ("one",)), Verdict((True,)), Verdict((True,), ("one", "two"))]
    assert reading(cut, "out").note == "one; two"


def test_verdicts_equal_the_states_one_by_one(random_model: str) -> None:
    loaded = load("encoder", random_model, "cpu")
    tensors = load_file(Path(loaded.ref.name) / "model.safetensors")
    source, weight = "Mia: no, I have an exam.", tensors["dep_label_classifier.weight"]
    tokens = loaded.tokenizer
    first = tokens(source, add_special_tokens=False)["input_ids"]
    pieces = [tokens(word, add_special_tokens=False)["input_ids"] for word in WORDS]
    second = [piece for word in pieces for piece in word]
    ids = [tokens.cls_token_id, *first, tokens.sep_token_id, *second, tokens.sep_token_id]
    assert len(ids) <= loaded.max_length
    types = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    with torch.inference_mode():
        states = loaded.module(torch.tensor([ids]), token_type_ids=torch.tensor([types])).last_hidden_state[0]
    last = [len(first) + 1 + sum(map(len, pieces[: i + 1])) for i in range(len(WORDS))]
    expected = tuple(bool((weight @ torch.cat([states[last[c]], states[last[h]]])).argmax() == 1) for c, h in ARCS)
    others = [("Tom: hi", Sentence(("Tom", "waits"), ((0, 1),))), ("x", Sentence(("Hello",), ()))]
    found = verdicts(loaded, [(source, Sentence(tuple(WORDS), ARCS)), *others])
    assert found[0] == Verdict(expected)
    assert found[2].entailed == ()
    assert len(set(expected)) == 2, "arcs that all agree would show nothing"


def test_what_does_not_fit_is_noted(random_model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load("encoder", random_model, "cpu")
    monkeypatch.setattr("safetensors.torch.load_file", lambda _: pytest.fail("the whole checkpoint was read again"))
    short, long = Sentence(("Tom", "waits"), ((0, 1),)), Sentence(("Tom", *["waits"] * 40), ((0, 1), (40, 0)))
    found = verdicts(loaded, [("Tom: hi", short), ("Tom: hi " * 40, short), ("Tom: hi", long), ("Tom: hi " * 40, long)])
    source, sentence = (
        f"{what} was truncated to the model's maximum length" for what in ("the source", "a sentence of the summary")
    )
    assert [one.notes for one in found] == [(), (source,), (sentence,), (source, sentence)]
    assert [len(one.entailed) for one in found] == [1, 1, 1, 1], "an arc to a word that was cut off has no state"


@pytest.mark.parametrize(("bias", "share"), [((0.0, 1.0), 1.0), ((1.0, 0.0), 0.0)])
def test_from_texts_to_values(bias: tuple[float, float], share: float, tmp_path: Path, monkeypatch) -> None:
    width = 2 * load("encoder", model("tiny-bert"), "cpu").config.hidden_size
    name = checkpoint(tmp_path / "constant", torch.zeros(2, width), torch.tensor(bias))
    monkeypatch.setattr(dae, "parse", lambda texts, _: (document() for _ in texts))
    # The parser's place is taken; any folder does for its name.
    spec = f"dae:model={name},parser={name},device=cpu"
    numbers = score_pairs(
        ["Mia has an exam on Monday.", "", "Mia has an exam on Monday. She will not come."], [SOURCE] * 3, [spec]
    )
    assert numbers.to_series().to_list() == [share, None, share]
    assert score_pairs(["Mia"], [""], [spec]).item() is None


def test_an_encoder_without_the_layer_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(dae, "parse", lambda texts, _: (document() for _ in texts))
    plain = model("tiny-bert")
    with pytest.raises(ModelError, match="no tensor dep_label_classifier"):
        score_pairs(["Mia"], ["Tom"], [f"dae:model={plain},parser={plain}"])
    odd = checkpoint(tmp_path / "odd", torch.zeros(2, 7), torch.zeros(2))
    with pytest.raises(ModelError, match=r"\(2, 7\)"):
        score_pairs(["Mia"], ["Tom"], [f"dae:model={odd},parser={odd}"])
    with pytest.raises(ModelError, match="model="):
        score_pairs(["Mia"], ["Tom"], ["dae"])
