"""BLANC against the counts of the reference implementation on a tiny masked language model."""

import pytest
import torch
from hypothesis import given, strategies as st

from dialgauge.errors import ModelError, ParameterError
from dialgauge.metrics import score_pairs
from dialgauge.metrics._blanc import Counts, _fit, help_counts, maskings, tune_counts
from dialgauge.metrics._blanc_tune import Tuning
from dialgauge.models import load
from tests.metrics.golden_pairs import KEYS, SOURCES, SUMMARIES, differences, model, recorded

MODEL = model("tiny-bert-mlm")
PAIRS = list(zip(SUMMARIES, SOURCES, strict=True))
EXACT = Tuning(epochs=10, rate=5e-3, batch=4, mask="even", noise=False, seed=1)


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize("gap", [2, 6])
def test_help_equals_the_reference(gap: int) -> None:
    golden = recorded("blanc_help")["results"]
    counts = help_counts(load("masked-lm", MODEL, "cpu"), PAIRS, gap, "reference")
    assert {key: one.table for key, one in zip(KEYS, counts, strict=True)} == {
        key: golden[key][f"gap{gap}_bs1"][1] for key in KEYS
    }


@pytest.mark.parametrize(("measure", "recorded_as"), [("relative", "gap2_bs4"), ("improve", "improve_gap2_bs4")])
def test_help_values(measure: str, recorded_as: str) -> None:
    golden = recorded("blanc_help")["results"]
    frame = score_pairs(
        SUMMARIES, SOURCES, [f"blanc-help:model={MODEL},measure={measure},behaviour=reference,device=cpu"]
    )
    assert not differences(frame.to_series().to_list(), [golden[key][recorded_as][0] for key in KEYS])


def test_tune_equals_the_reference() -> None:
    golden = recorded("blanc_tune")["results"]
    counts = tune_counts(load("masked-lm", MODEL, "cpu"), PAIRS, 2, EXACT)
    assert {key: one.table for key, one in zip(KEYS, counts, strict=True)} == {
        key: golden[key]["deterministic"][1] for key in KEYS
    }
    assert sum(one.table[0][1] != one.table[1][0] for one in counts) >= 20, "values that are all 0 would show nothing"


def test_tune_leaves_the_model_as_it_was_and_is_the_same_each_time() -> None:
    loaded = load("masked-lm", MODEL, "cpu")
    before = {name: tensor.clone() for name, tensor in loaded.module.state_dict().items()}
    state = torch.get_rng_state()
    noisy = Tuning(epochs=2, rate=5e-3, batch=2, mask="random", noise=True, seed=3)
    first = [one.table for one in tune_counts(loaded, PAIRS[:4], 2, noisy)]
    alone = [tune_counts(loaded, [pair], 2, noisy)[0].table for pair in PAIRS[3::-1]]
    assert first == alone[::-1]
    assert all(torch.equal(tensor, before[name]) for name, tensor in loaded.module.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state), "the global random state is nobody's to change"
    assert not loaded.module.training


def test_tune_through_the_registry() -> None:
    frame = score_pairs(SUMMARIES[:3], SOURCES[:3], [f"blanc-tune:model={MODEL},rate=5e-3,batch=4,noise=no,device=cpu"])
    golden = recorded("blanc_tune")["results"]
    assert frame.to_series().to_list() == pytest.approx([golden[key]["deterministic"][0] for key in KEYS[:3]], abs=1e-9)


def test_nothing_to_mask_is_null_or_as_the_reference_zero() -> None:
    spec = f"blanc-help:model={MODEL},device=cpu"
    assert score_pairs(["a summary"], ["a b c"], [spec]).item() is None
    assert score_pairs(["a summary"], ["a b c"], [f"{spec},behaviour=reference"]).item() == 0
    assert score_pairs(["a summary"], [" "], [f"{spec},behaviour=reference"]).item() is None


def test_measures_by_hand() -> None:
    counts = Counts([[5, 3], [1, 1]])
    assert counts.reading("relative", "intended").number == pytest.approx(2 / 10)
    assert counts.reading("improve", "intended").number == pytest.approx(3 / 9)


def test_masking_by_hand() -> None:
    pieces = ["call", "the", "ba", "##nk", "tomorrow", "at", "x", "##yz"]
    # Long enough: call (4), ba before ##nk (2), tomorrow (8); x is too short even as the beginning of a word.
    assert list(maskings(pieces, 2)) == [[0, 2, 4]]
    assert list(maskings(pieces, 3)) == [[0], [4], [2]]
    assert list(maskings(["word"], 6)) == [[0]]
    assert list(maskings([], 2)) == []


WORDS = st.lists(st.sampled_from(["a", "the", "word", "##s", "ab", "longer", "[UNK]"]), max_size=40)


@given(pieces=WORDS, gap=st.integers(1, 9))
def test_every_long_piece_is_masked_exactly_once(pieces: list[str], gap: int) -> None:
    places = [place for places in maskings(pieces, gap) for place in places]
    assert len(places) == len(set(places))
    assert sorted(places) == sorted(place for places in maskings(pieces, 1) for place in places)
    for group in maskings(pieces, gap):
        assert len({place % min(gap, len(pieces)) for place in group}) == 1


@given(
    sentence=st.integers(0, 300),
    summary=st.lists(st.integers(1, 200), max_size=6),
    limit=st.integers(110, 300),
    from_top=st.booleans(),
)
def test_sentence_and_summary_fit_the_model(sentence: int, summary: list[int], limit: int, from_top: bool) -> None:
    parts = [[f"{i}.{k}" for k in range(count)] for i, count in enumerate(summary)]
    whole = [piece for part in parts for piece in part]
    words = [f"w{i}" for i in range(sentence)]
    kept, helping = _fit(words, parts, limit, from_top)
    assert len(kept) + len(helping) + 2 <= limit
    assert kept == words[: len(kept)]
    assert len(kept) >= min(sentence, 100)
    if sentence + len(whole) + 2 <= limit:
        assert (kept, helping) == (words, whole)
    if helping and len(helping) < len(whole):
        joined = "|".join(whole)
        assert "|".join(helping) in joined
        if helping[0] != whole[0] and not from_top:
            assert helping[-1] == parts[0][-1], "only the end of the first sentence is left"


def test_a_long_summary_is_cut_and_noted() -> None:
    summary = " ".join(f"The customer number {i} calls the agent about the invoice." for i in range(60))
    counts = help_counts(load("masked-lm", MODEL, "cpu"), [(summary, SOURCES[0])], 6, "intended")
    assert counts[0].cut
    assert "truncated" in counts[0].reading("relative", "intended").note


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        (f"blanc-help:model={model('tiny-gpt2')}", ModelError, "masked language model"),
        (f"blanc-help:model={model('tiny-bert-qa')}", ModelError, "no weights for"),
        (f"blanc-help:model={MODEL},gap=0", ParameterError, "gap"),
        (f"blanc-tune:model={MODEL},rate=fast", ParameterError, "rate"),
    ],
)
def test_what_cannot_be_used_is_refused(spec: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        score_pairs(["a"], ["b"], [spec])
