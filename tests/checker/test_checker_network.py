"""A checker with a tiny model: what it reads, how it is stored, and the metric."""

import copy
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dialgauge.checker import (
    Doubt,
    Judged,
    JudgedSentence,
    _marked,
    check_with_model,
    judge,
    judge_many,
    read_checker_card,
)
from dialgauge.checker._combination import Combination, Scale, fit_calibration, parts_of
from dialgauge.checker._folder import ADAPTER_FILE, CARD_FILE, load_checker, settled_dtype
from dialgauge.checker._judge import _windows, read_marks
from dialgauge.checker._layers import Layers, _Matrix, runs_by_itself
from dialgauge.checker._layout import Packed, Tree
from dialgauge.checker._network import PLACES, Network
from dialgauge.checks import DOUBTED, CheckedSummary, check, explain, read_evidence
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, ParameterError
from dialgauge.metrics import EVIDENCE_BEGINS, score, score_pairs

GERMAN = "Tom: Kannst du den Raum für Freitag buchen, weil ich nicht da bin?\nInes: Ja, das mache ich für dich."
DIALOGUE = "Ann: Can you come?\nBen: No, I have to work."
SUMMARIES = ["Ben has to work.", "Ann can come.", "Ben will come to see Ann."]


def test_summaries_side_by_side_are_read_as_if_alone(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    together = read_marks(network, [(DIALOGUE, SUMMARIES), ("Cleo: Hi!", SUMMARIES[:1])])
    for summary, (marks, windows) in zip(SUMMARIES, together[0], strict=True):
        alone = read_marks(network, [(DIALOGUE, [summary])])[0][0][0]
        assert windows == 1
        for one, other in ((marks.wrong, alone.wrong), (marks.given, alone.given), (marks.alone, alone.alone)):
            np.testing.assert_allclose(one, other, atol=1e-5)
    assert not np.allclose(together[0][0][0].wrong, together[1][0][0].wrong)


def test_the_numbers_are_those_of_the_plain_model_with_its_adapter(checker: Path, base: Path) -> None:
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM

    tensors = load_file(checker / ADAPTER_FILE)
    module = AutoModelForCausalLM.from_pretrained(str(base)).eval()
    for number, layer in enumerate(module.model.layers):
        for short, place in PLACES.items():
            name = f"layers.{number}.{short}"
            layer.get_submodule(place).weight.data += tensors[f"{name}.B"] @ tensors[f"{name}.A"]
    _, network = load_checker(str(checker), "cpu")
    words, summary = network.words, network.words.summary(SUMMARIES[0])
    context = words.context(DIALOGUE)
    ids = [*context, *summary.ids, *words.before_copy, *summary.ids]
    with torch.inference_mode():
        states = module.model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        chances = module.lm_head(states).log_softmax(-1)
    wrong = (states[-len(summary) :] @ tensors["head.weight"].T)[:, 0] + tensors["head.bias"]
    given = [float(chances[len(context) - 1 + i, token]) for i, token in enumerate(summary.ids)]
    marks = network.read([Tree(context, (summary,))])[0][0]
    np.testing.assert_allclose(marks[0], wrong.numpy(), atol=1e-4)
    np.testing.assert_allclose(marks[1], given, atol=1e-4)


def test_a_processor_computes_what_the_code_of_the_model_computes(checker: Path) -> None:
    import torch

    _, network = load_checker(str(checker), "cpu")
    summaries = tuple(map(network.words.summary, SUMMARIES))
    trees = [Tree(network.words.context(DIALOGUE), summaries), Tree(network.words.context(""), summaries[:1])]
    packed = Packed(network.words, trees)
    assert runs_by_itself(network.module)
    with torch.inference_mode():
        own, written = Layers(network.module).last_states(packed), network.masked_states(packed, "cpu")
    torch.testing.assert_close(own, written, atol=1e-4, rtol=1e-3)


def test_a_processor_learns_what_the_code_of_the_model_learns(checker: Path) -> None:
    import torch

    _, network = load_checker(str(checker), "cpu")
    summaries = tuple(map(network.words.summary, SUMMARIES))
    long = network.words.context("\n".join([DIALOGUE] * 4))  # more tokens than attend at a time
    packed = Packed(network.words, [Tree(long, summaries), Tree(network.words.context(""), summaries[:1])])
    layer = copy.deepcopy(network.module)
    ours = Network(network.model, layer, network.head_weight, network.head_bias, network.words)
    weights = [
        getattr(one.self_attn, name).weight.requires_grad_(True)
        for one in layer.model.layers
        for name in ("q_proj", "k_proj", "v_proj", "o_proj")
    ]

    # A direction of its own for each state: the squares of states with one norm would have hardly any gradient.
    wanted = torch.randn(len(packed.tokens), 1, generator=torch.Generator().manual_seed(1))

    def gradients(read: Callable[[Packed, str], torch.Tensor]) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad((read(packed, "cpu").float() * wanted).sum(), weights)

    expected = gradients(ours.masked_states)
    for own, written in zip(gradients(ours.states), expected, strict=True):
        assert written.abs().max() > 1
        torch.testing.assert_close(own, written, atol=2e-3, rtol=1e-3)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = gradients(ours.states)
    for own, written in zip(rounded, expected, strict=True):
        assert torch.cosine_similarity(own.flatten(), written.flatten(), dim=0) > 0.99


def test_only_layers_without_further_terms_are_computed_by_themselves() -> None:
    from transformers import GPT2Config, LlamaConfig

    assert not runs_by_itself(SimpleNamespace(config=LlamaConfig(attention_bias=True)))
    assert not runs_by_itself(SimpleNamespace(config=GPT2Config()))


def test_a_long_dialogue_is_read_in_windows_of_whole_turns(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    long = "\n".join(f"Ann: number {i}" for i in range(80))
    windows = _windows(network, long, 60)
    assert len(windows) > 2
    assert all(len(network.words.context(window)) <= 60 for window in windows)
    assert set("\n".join(windows).splitlines()) == set(long.splitlines())
    judged = judge(long, SUMMARIES[:1], checks=False, folder=str(checker), device="cpu")[0]
    assert judged.windows > 1
    assert all(len(network.words.context(part)) <= 60 for part in _windows(network, "word " * 300, 60))


def test_a_judged_summary_has_sentences_doubts_and_parts(checker: Path) -> None:
    text = "Ben has to work. Ann can come."
    one = judge(DIALOGUE, [text], checks=False, folder=str(checker), device="cpu")[0]
    assert [text[s.start : s.end] for s in one.sentences] == ["Ben has to work.", "Ann can come."]
    assert set(one.parts) == {"worst", "mean", "likelihood", "contrast"}
    assert 0 < one.p_right < 1
    for doubt in one.doubts:
        assert doubt.p_wrong >= 0.5
        assert text[doubt.start : doubt.end].strip() == text[doubt.start : doubt.end]


def test_parts_that_do_not_count_are_computed_where_they_are_asked_for(checker: Path, tmp_path: Path) -> None:
    card = json.loads((checker / CARD_FILE).read_text("utf-8"))
    card["combination"]["parts"]["likelihood"]["weight"] = card["combination"]["parts"]["contrast"]["weight"] = 0.0
    shutil.copytree(checker, tmp_path / "plain")
    (tmp_path / "plain" / CARD_FILE).write_text(json.dumps(card), "utf-8")
    groups, asked = [(DIALOGUE, SUMMARIES[:1])], {"checks": False, "device": "cpu"}
    plain = judge_many(groups, folder=str(tmp_path / "plain"), **asked)[0][0]
    assert set(plain.parts) == {"worst", "mean"}
    more = judge_many(groups, folder=str(tmp_path / "plain"), parts=["contrast"], **asked)[0][0]
    whole = judge_many(groups, folder=str(checker), **asked)[0][0]
    assert more.parts == pytest.approx(whole.parts)
    assert more.p_right == pytest.approx(plain.p_right)


def test_packed_matrices_give_what_plain_ones_do() -> None:
    import torch

    x, other, weight = (torch.randn(*shape, dtype=torch.bfloat16) for shape in ((7, 32), (7, 16), (16, 32)))
    matrix, plain = _Matrix(weight), x.float() @ weight.float().T
    made = (matrix(x), matrix.swish(x), matrix.plus(x, other), matrix.times(x, other))
    wanted = (plain, plain * plain.sigmoid(), plain + other.float(), plain * other.float())
    for one, exact in zip(made, wanted, strict=True):
        torch.testing.assert_close(one.float(), exact, atol=0.05, rtol=0.02)


def test_no_dialogues_no_results(checker: Path) -> None:
    assert judge_many([], checks=False, folder=str(checker), device="cpu") == []


def test_the_metric_scores_pairs_and_says_what_is_doubtful(checker: Path, base: Path) -> None:
    name = f"consistency:folder={checker},model=folder:{base},checks=no,device=cpu"
    numbers = score_pairs([*SUMMARIES[:2], ""], [DIALOGUE] * 3, [name]).to_series().to_list()
    expected = judge(DIALOGUE, SUMMARIES[:2], checks=False, folder=str(checker), device="cpu")
    assert numbers[:2] == pytest.approx([one.p_right for one in expected])
    assert numbers[2] is None


def test_a_checker_for_another_model_is_refused(checker: Path) -> None:
    with pytest.raises(ParameterError, match="which this checker changes"):
        score_pairs(["x"], ["Ann: x"], [f"consistency:folder={checker},checks=no"])


@pytest.mark.parametrize("spoil", ["adapter", "card", "format", "missing"])
def test_a_spoiled_folder_is_refused(checker: Path, tmp_path: Path, spoil: str) -> None:
    folder = Path(shutil.copytree(checker, tmp_path / "copy"))
    if spoil == "adapter":
        (folder / ADAPTER_FILE).write_bytes(b"0" + (folder / ADAPTER_FILE).read_bytes())
    elif spoil == "card":
        (folder / CARD_FILE).write_text("{")
    elif spoil == "format":
        raw = json.loads((folder / CARD_FILE).read_text())
        (folder / CARD_FILE).write_text(json.dumps({**raw, "format": 99}))
    else:
        (folder / ADAPTER_FILE).unlink()
    expected = {"adapter": "changed", "card": "not a readable card", "format": "format 99", "missing": "is missing"}
    with pytest.raises(InputError, match=expected[spoil]):
        read_checker_card(folder)
    with pytest.raises(InputError, match="not a checker"):
        load_checker(str(tmp_path))


def test_the_shipped_checker_is_whole_and_never_rewards_doubt() -> None:
    from dialgauge.checker._folder import shipped_folder

    card = read_checker_card(shipped_folder())
    assert card.base == "embedded:smollm2"
    assert card.licence == "CC-BY-NC-SA-4.0"
    assert all(scale.weight >= 0 and scale.spread > 0 for scale in card.combination.parts.values())
    assert card.combination.slope > 0
    assert (shipped_folder() / "LICENSE").is_file()


def test_the_combination_weighs_standardised_parts() -> None:
    made = Combination({"worst": Scale(1.0, 2.0, 1.0), "checks": Scale(0.0, 1.0, 0.5)}, 2.0, 0.5)
    assert made.total({"worst": 3.0, "checks": 1.0}) == 1.5
    assert made.total({"worst": 3.0}) == 1.0
    assert made.p_right({"worst": 1.0}) == pytest.approx(1 / (1 + np.exp(-0.5)))
    assert made.p_right({"worst": -1e6}) == 0.0
    assert Combination.from_dict(json.loads(json.dumps(made.as_dict()))) == made


def test_calibration_finds_the_curve_that_made_the_data() -> None:
    draw = np.random.default_rng(0)
    totals = draw.normal(size=20_000)
    right = draw.random(20_000) < 1 / (1 + np.exp(-(1.5 * totals)))
    slope, intercept = fit_calibration(totals, right.astype(float))
    assert slope == pytest.approx(1.5, abs=0.1)
    assert intercept == pytest.approx(0, abs=0.1)
    assert fit_calibration(totals, (totals < 0).astype(float))[0] > 0


def test_parts_of_some_tokens_only(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    marks = read_marks(network, [(DIALOGUE, SUMMARIES[:1])])[0][0][0]
    chosen = np.arange(len(marks.wrong)) < 2
    assert parts_of(marks, chosen)["mean"] == pytest.approx(-marks.wrong[:2].mean())


TALK = "Tom: I pay 45 dollars on Friday.\nInes: Can you come for dinner?\nTom: No, I have to sleep."


def marked_as(monkeypatch: pytest.MonkeyPatch, text: str, p_right: float, *doubts: Doubt) -> CheckedSummary:
    """A summary that the rules check and for which the model says these numbers, the same for each sentence."""
    rules = check(TALK, text)
    ceiling = min(rules.ceiling, p_right)
    sentences = tuple(JudgedSentence(*one.span, min(one.ceiling, p_right)) for one in rules.sentences)
    model = Judged(ceiling, {}, sentences, doubts, 1, rules)
    monkeypatch.setattr(_marked, "judge", lambda *_, **__: [model])
    return check_with_model(TALK, [text])[0]


@pytest.mark.usefixtures("parser")
def test_doubts_of_the_model_stand_among_the_reasons_with_the_turn_nearest_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = marked_as(monkeypatch, "Ines will come for dinner.", 0.2, Doubt(5, 14, 0.97))
    (doubt,) = (reason for reason in found.reasons if reason.check == "doubt")
    told = "the model finds no support for “will come” (97% likely wrong); nearest is turn 2 (Ines): "
    assert explain(doubt, found) == told + "“Can you come for dinner?”"
    assert not doubt.hint
    assert (found.p_right, found.sentences[0].verdict) == (0.2, "doubtful")
    assert set(found.sentences[0].evidence) == {1, 2}  # the answer stands beside the question
    assert found.records()[0]["parts"]["consistency"] == 0.2


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "p_right", "verdict"),
    [
        ("Tom pays 60 dollars.", 0.9, "contradicted"),
        ("Martin pays.", 0.9, "not found"),
        ("Tom pays 45 dollars.", 0.9, "no doubt found"),
        ("Ines has to sleep.", 0.9, "no doubt found"),  # the rules alone call it doubtful, and do not decide
        ("Ines has to sleep.", 0.1, "contradicted"),
        ("Tom pays 45 dollars.", 0.1, "doubtful"),
    ],
)
def test_the_verdict_follows_the_probability_and_foreign_values_and_names_bound_it(
    monkeypatch: pytest.MonkeyPatch, text: str, p_right: float, verdict: str
) -> None:
    found = marked_as(monkeypatch, text, p_right)
    assert found.sentences[0].verdict == verdict
    assert (found.p_right < 0.5) is (verdict in DOUBTED)


def test_a_foreign_name_bounds_what_the_model_says(checker: Path, parser: None) -> None:
    text = "Martin has to work."
    assert judge(DIALOGUE, [text], folder=str(checker), device="cpu")[0].p_right <= check(DIALOGUE, text).ceiling < 0.2


def test_other_languages_are_refused() -> None:
    for dialogue, summary in (
        (GERMAN, "Ines books."),
        (DIALOGUE, "Der Kunde hat das Geld nicht, weil er es nicht will."),
    ):
        with pytest.raises(InputError, match=r"English only: the \w+ is likely in another language \(de\)"):
            check_with_model(dialogue, [summary])


def test_the_note_of_a_score_is_evidence(checker: Path, base: Path) -> None:
    name = f"consistency:folder={checker},model=folder:{base},checks=no,device=cpu"
    text = next(t for t in SUMMARIES if judge(DIALOGUE, [t], checks=False, folder=str(checker), device="cpu")[0].doubts)
    dialogue = Dialogue("d", tuple(Turn(*line.split(": ")) for line in DIALOGUE.splitlines()))
    corpus = Corpus.build([dialogue], [Summary("d", "s", text)])
    (note,) = score(corpus, [name]).notes["note"]
    assert note.startswith(EVIDENCE_BEGINS)
    assert {reason.check for reason in read_evidence(note, text, dialogue).reasons} == {"doubt"}
    assert score(corpus, [name.replace("checks=no", "checks=no,part=worst")]).notes.is_empty()


def test_precision_is_chosen_by_what_the_device_computes_with() -> None:
    assert settled_dtype("fp32") == "fp32"
    assert settled_dtype("auto", "cpu") in ("fp32", "bf16")


def test_pieces_of_attention_are_where_the_tokens_are(checker: Path) -> None:
    _, network = load_checker(str(checker), "cpu")
    words = network.words
    trees = [Tree(words.context("Ann: Hi!"), (words.summary("Ann calls."), words.summary("Hi."))), Tree((1, 2), ())]
    packed = Packed(words, trees)
    (context, *summaries), alone = packed.bounds()
    assert context == (0, len(trees[0].context))
    assert [end - start for start, end in summaries] == [words.size(one) for one in trees[0].summaries]
    assert alone == [(summaries[-1][1], summaries[-1][1] + 2)]


def test_the_signature_of_a_checker_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study asks for signatures before it says which extra is missing."""
    monkeypatch.setitem(sys.modules, "torch", None)
    assert settled_dtype("auto") == "auto"
    assert settled_dtype("bf16") == "bf16"
