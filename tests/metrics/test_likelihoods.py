"""BARTScore, its twin on causal language models, and perplexity."""

import numpy as np
import pytest

from dialgauge.errors import ModelError, ParameterError
from dialgauge.metrics import _likelihood, score_pairs
from tests.metrics.golden_pairs import KEYS, REFERENCES, SOURCES, SUMMARIES, differences, model, recorded

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
BART = f"model={model('tiny-bart')},device=cpu"
GPT = f"model={model('tiny-gpt2')},device=cpu"


def bart(name: str) -> list[float]:
    return [recorded("bartscore")["results"][key][name] for key in KEYS]


@pytest.mark.parametrize(
    ("metric", "targets", "name"),
    [
        ("bartscore-src-hyp", SOURCES, "src_hyp_bs1"),
        ("bartscore-hyp", None, "empty_hyp_bs1"),
        ("bartscore-hyp-ref", REFERENCES, "hyp_ref_bs1"),
        ("bartscore-ref-hyp", REFERENCES, "ref_hyp_bs1"),
    ],
)
def test_equal_to_bartscore(metric: str, targets: list[str] | None, name: str) -> None:
    found = score_pairs(SUMMARIES, targets, [f"{metric}:{BART},empty=score"]).to_series(0).to_list()
    assert not differences(found, bart(name), 5e-6)
    sane = score_pairs(SUMMARIES, targets, [f"{metric}:{BART}"]).to_series(0).to_list()
    assert [KEYS[i] for i, value in enumerate(sane) if value is None] == ["d02-C"]


@pytest.mark.parametrize(("how", "name"), [("mean", "multi_src_[ref,hyp]_mean"), ("best", "multi_src_[ref,hyp]_max")])
def test_several_references(how: str, name: str) -> None:
    several = [list(pair) for pair in zip(REFERENCES, SUMMARIES, strict=True)]
    column = f"bartscore-hyp-ref:{BART},empty=score,references={how}"
    assert not differences(score_pairs(SOURCES, several, [column]).to_series(0).to_list(), bart(name), 5e-6)


def test_a_limit_cuts_both_texts() -> None:
    place = KEYS.index("d05-C")
    pair = [SUMMARIES[place]], [SOURCES[place]]
    auto, same, less = (score_pairs(*pair, [f"bartscore-src-hyp:{BART},limit={n}"]).item() for n in ("auto", 128, 20))
    assert auto == same
    assert abs(auto - less) > 1e-3
    with pytest.raises(ParameterError, match="at least 10"):
        score_pairs(*pair, [f"bartscore-src-hyp:{BART},limit=5"])


def test_other_models_than_bart_are_refused() -> None:
    with pytest.raises(ModelError, match="of type 't5'; BARTScore needs a model of type 'bart'"):
        score_pairs(["a"], ["b"], [f"bartscore-src-hyp:model={model('tiny-t5')}"])


@pytest.mark.parametrize(("logits", "vocabulary"), [(1, 7), (40, 10), (64, 64), (1 << 21, 1 << 11)])
def test_chances_do_not_depend_on_the_parts(monkeypatch: pytest.MonkeyPatch, logits: int, vocabulary: int) -> None:
    monkeypatch.setitem(_likelihood._LOGITS, "cpu", logits)
    monkeypatch.setitem(_likelihood._VOCABULARY, "cpu", vocabulary)
    noise = torch.Generator().manual_seed(7)
    states, weight, bias = (torch.randn(*shape, generator=noise) for shape in ((23, 8), (31, 8), (31,)))
    written = torch.arange(23) + 8  # the last is the last of the vocabulary
    expected = (states.double() @ weight.double().T + bias.double()).log_softmax(1)[torch.arange(23), written]
    found = _likelihood.chances_of(written, states, weight, bias)
    assert (found.double() - expected).abs().max() < 1e-5


def test_a_certain_token_is_not_likelier_than_that() -> None:
    states, weight, bias = torch.full((1, 1), 30.0), torch.tensor([[1.0], [-1.0], [-1.0]]), torch.zeros(3)
    assert _likelihood.chances_of(torch.tensor([0]), states, weight, bias).item() == 0.0


def test_many_targets_of_one_source_are_cut_into_parts() -> None:
    from dialgauge.metrics._bart import SourceTargets, mean_log_likelihoods
    from dialgauge.models import load

    loaded = load("seq2seq", model("tiny-bart"), "cpu")
    targets = [[0, *range(5, 5 + n), 2] for n in range(1, 90)]
    together = mean_log_likelihoods(loaded, [SourceTargets([0, 9, 8, 2], targets), SourceTargets([0, 2], targets[:2])])
    alone = [mean_log_likelihoods(loaded, [SourceTargets([0, 9, 8, 2], [target])])[0][0] for target in targets]
    assert together[0] == pytest.approx(alone, abs=5e-6)
    assert len(together[1]) == 2


def naive(context: list[int], text: list[int]) -> float:
    """The mean log-probability, one text after the other through the plain model."""
    from dialgauge.models import load

    module = load("causal-lm", model("tiny-gpt2"), "cpu").module
    with torch.inference_mode():
        chances = module(torch.tensor([context + text])).logits[0].log_softmax(-1)
    return float(np.mean([chances[len(context) + i - 1, token].item() for i, token in enumerate(text)]))


@pytest.mark.parametrize(
    ("way", "prompt", "before", "after"),
    [
        ("src-hyp", "instruction", "Summarize the following dialogue in a few sentences.\n\n", "\n\nSummary:"),
        ("src-hyp", "plain", "", "\n\n"),
        ("ref-hyp", "instruction", "Rewrite the following text with the same meaning.\n\n", "\n\nIn other words:"),
        ("hyp-ref", "plain", "", "\n\n"),
    ],
)
def test_lmscore_equals_the_model_on_each_pair_alone(way: str, prompt: str, before: str, after: str) -> None:
    from dialgauge.models import load

    tokenizer = load("causal-lm", model("tiny-gpt2"), "cpu").tokenizer

    def ids(text: str) -> list[int]:
        return tokenizer(text, verbose=False)["input_ids"]

    targets = SOURCES if way == "src-hyp" else REFERENCES
    found = score_pairs(SUMMARIES, targets, [f"lmscore-{way}:{GPT},prompt={prompt}"]).to_series(0).to_list()
    half = (128 - 1 - len(ids(before)) - len(ids(after))) // 2
    for item in range(36):
        read, written = (SUMMARIES, targets) if way == "hyp-ref" else (targets, SUMMARIES)
        texts = [ids(f" {text.strip()}")[:half] if text.strip() else [] for text in (read[item], written[item])]
        if not all(texts):
            assert found[item] is None
            continue
        expected = naive([0, *ids(before), *texts[0], *ids(after)], texts[1])
        assert found[item] == pytest.approx(expected, abs=5e-6)


def test_lmscore_of_the_summary_alone() -> None:
    found = score_pairs(["a cake", ""], None, [f"lmscore-hyp:{GPT}"]).to_series(0).to_list()
    from dialgauge.models import load

    ids = load("causal-lm", model("tiny-gpt2"), "cpu").tokenizer(" a cake")["input_ids"]
    assert found[0] == pytest.approx(naive([0], ids), abs=5e-6)
    assert found[1] is None


@pytest.mark.parametrize("stride", [64, 32])
def test_perplexity_equal_to_the_published_recipe(stride: int) -> None:
    found = score_pairs(SUMMARIES, None, [f"perplexity:{GPT},stride={stride},first=published"]).to_series(0).to_list()
    results = recorded("ppl")["results"]
    expected = [results[key][f"stride{stride}"] for key in KEYS]
    # Perplexities of thousands have no five decimals in single precision; their logarithms, the mean losses, do.
    one, other = ([None if v is None or isinstance(v, dict) else np.log(v) for v in some] for some in (found, expected))
    assert not differences(one, other, 1e-5)


def test_perplexity_counts_every_token_once() -> None:
    from dialgauge.models import load

    tokenizer = load("causal-lm", model("tiny-gpt2"), "cpu").tokenizer
    for text in (SUMMARIES[0], "a cake"):
        ids = tokenizer(text)["input_ids"]
        found = [score_pairs([text], None, [f"perplexity:{GPT},stride={s}"]).item() for s in ("auto", 8)]
        assert found == pytest.approx([np.exp(-naive(ids[:1], ids[1:]))] * 2, rel=1e-5)
    assert score_pairs(["", "a"], None, [f"perplexity:{GPT}"]).to_series(0).to_list() == [None, None]


def test_a_stride_that_cannot_be() -> None:
    for stride in ("1", "129"):
        with pytest.raises(ParameterError, match="between 2 and 128 for this model"):
            score_pairs(["a b"], None, [f"perplexity:{GPT},stride={stride}"])
