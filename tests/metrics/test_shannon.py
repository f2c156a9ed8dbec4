"""The Shannon score against the reference implementation on a tiny language model, and against a plain loop."""

import pytest
import torch

from dialgauge.language import nltk_sentences
from dialgauge.metrics import score_pairs
from dialgauge.metrics._shannon import Likelihoods, _gain, _score, likelihoods
from dialgauge.models import load
from tests.metrics.golden_pairs import KEYS, SOURCES, SUMMARIES, model, recorded

MODEL = model("tiny-gpt2")
PAIRS = list(zip(SUMMARIES, SOURCES, strict=True))


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def test_reference_behaviour_equals_the_reference() -> None:
    golden = recorded("shannon")["results"]
    found = likelihoods(load("causal-lm", MODEL, "cpu"), PAIRS, "reference")
    for key, mine in zip(KEYS, found, strict=True):
        theirs = golden[key]
        if "error" in theirs:
            assert mine.reason, key
            continue
        # Sums of hundreds of logarithms in single precision: 1e-7 of their size. The score divides by a difference.
        for number, name in ((mine.base, "ll_base"), (mine.helped, "ll_help"), (mine.full, "ll_full")):
            assert number == pytest.approx(theirs[name], rel=1e-7), key
        span = abs(theirs["ll_full"] - theirs["ll_base"])
        tolerance = max(1e-5, 4e-5 * (1 + abs(theirs["shannon"])) / span)
        assert _score(mine).number == pytest.approx(theirs["shannon"], abs=tolerance), key
        assert _gain(mine).number == pytest.approx(theirs["info_diff"], abs=2e-4), key


def test_intended_behaviour_equals_a_plain_loop() -> None:
    loaded = load("causal-lm", MODEL, "cpu")
    start = loaded.tokenizer.bos_token_id

    def likelihood(prompt: list[int], tokens: list[int]) -> float:
        total = 0.0
        for i, token in enumerate(tokens):
            ids = torch.tensor([[start, *prompt, *tokens[:i]]])
            with torch.inference_mode():
                total += float(loaded.module(ids).logits[0, -1].double().log_softmax(-1)[token])
        return total

    summary, source = PAIRS[0]
    own = loaded.tokenizer(summary)["input_ids"]
    sentences = [loaded.tokenizer(sentence)["input_ids"] for sentence in nltk_sentences(source)]
    base = sum(likelihood([], tokens) for tokens in sentences)
    helped = sum(likelihood(own, tokens) for tokens in sentences)
    full = sum(likelihood(tokens, tokens) for tokens in sentences)
    found = likelihoods(loaded, [PAIRS[0]], "intended")[0]
    assert (found.base, found.helped, found.full) == pytest.approx((base, helped, full), abs=1e-4)
    assert found.helped != pytest.approx(likelihoods(loaded, [PAIRS[0]], "reference")[0].helped, abs=1e-3)


def test_long_texts() -> None:
    frame = score_pairs(SUMMARIES, SOURCES, [f"shannon:model={MODEL},device=cpu"])
    missing = [key for key, number in zip(KEYS, frame.to_series().to_list(), strict=True) if number is None]
    assert missing == ["d05-C"], "a summary longer than the model leaves no room for the source"
    found = dict(zip(KEYS, likelihoods(load("causal-lm", MODEL, "cpu"), PAIRS, "intended"), strict=True))
    assert "too many for the model" in found["d05-C"].reason
    assert "truncated" in found["d07-A"].note


def test_an_empty_summary_tells_nothing() -> None:
    found = likelihoods(load("causal-lm", MODEL, "cpu"), [("", SOURCES[0])], "intended")[0]
    assert _score(found).number == 0
    assert _score(Likelihoods(-3.0, -2.0, -3.0)).reason
    assert likelihoods(load("causal-lm", MODEL, "cpu"), [("a", " ")], "intended")[0].reason
