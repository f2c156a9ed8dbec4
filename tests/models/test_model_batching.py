"""Batches by token budget, and what happens when memory runs out."""

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from dialgauge.errors import ModelError, ParameterError
from dialgauge.models import batches, run_batched, watching, watching_part, windows
from dialgauge.models._states import EncoderStates

lengths_of = st.lists(st.integers(0, 300), max_size=60)


@given(lengths_of, st.integers(1, 2000))
def test_batches_hold_every_item_once_within_the_budget(lengths: list[int], budget: int) -> None:
    cut = batches(lengths, budget)
    assert sorted(i for batch in cut for i in batch.tolist()) == list(range(len(lengths)))
    sizes = np.maximum(np.array(lengths, dtype=np.int64), 1)
    assert all(len(batch) == 1 or len(batch) * sizes[batch].max() <= budget for batch in cut)
    longest = [int(sizes[batch].max()) for batch in cut]
    assert longest == sorted(longest, reverse=True)


def test_padding_is_small() -> None:
    lengths = np.random.default_rng(1).gamma(3.0, 12.0, 2000).astype(int) + 2
    cut = batches(lengths, 1024)
    padded = sum(len(batch) * lengths[batch].max() for batch in cut)
    assert padded / lengths.sum() < 1.1


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(1, 50)), max_size=40), st.integers(1, 200))
def test_results_come_back_in_order(items: list[tuple[str, int]], budget: int) -> None:
    seen = run_batched(items, [size for _, size in items], lambda batch: [item[0] * 2 for item in batch], budget)
    assert seen == [text * 2 for text, _ in items]


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("full"), MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_a_batch_that_does_not_fit_is_halved(error: Exception) -> None:
    tried: list[int] = []

    def call(batch: list[int]) -> list[int]:
        tried.append(len(batch))
        if len(batch) > 3:
            raise error
        assert torch.is_inference_mode_enabled()
        return [-item for item in batch]

    assert run_batched(list(range(20)), [10] * 20, call, 200) == [-i for i in range(20)]
    assert tried[:4] == [20, 10, 5, 2]
    assert max(tried[3:]) == 2  # the budget of what is left is halved, too


def test_a_single_text_that_does_not_fit_is_an_error() -> None:
    def call(batch: list[int]) -> list[int]:
        raise torch.OutOfMemoryError("full")

    with pytest.raises(ModelError, match="a single text of 77 tokens does not fit into memory"):
        run_batched([1, 2], [5, 77], call, 1000)


def test_other_errors_are_not_swallowed() -> None:
    def call(batch: list[int]) -> list[int]:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        run_batched([1], [1], call, 10)
    with pytest.raises(ValueError, match="gave 0 results"):
        run_batched([1], [1], lambda batch: [], 10)
    with pytest.raises(ValueError, match="1 items but 2 lengths"):
        run_batched([1], [1, 2], lambda batch: batch, 10)
    with pytest.raises(ParameterError, match="budget_tokens"):
        batches([1], 0)


def test_progress_is_told_to_whoever_watches() -> None:
    seen: list[tuple[int, int]] = []
    with watching(lambda done, total: seen.append((done, total))):
        run_batched([1, 2, 3], [4, 4, 4], lambda batch: batch, 8)
    run_batched([1], [4], lambda batch: batch, 8)
    assert seen == [(0, 3), (2, 3), (3, 3)]


def test_states_are_made_once_and_dropped() -> None:
    made: list[list[int]] = []

    def encode(ids: list[int]) -> list[str]:
        made.append(ids)
        return [f"state {i}" for i in ids]

    states = EncoderStates(encode, capacity=3)
    assert states.get([1, 2, 1]) == {1: "state 1", 2: "state 2"}
    assert states.get([2, 3])[3] == "state 3"
    assert states.get(range(10, 15))[14] == "state 14"
    assert len(states) == 3
    assert states.get([1]) == {1: "state 1"}
    assert made == [[1, 2], [3], [10, 11, 12, 13, 14], [1]]
    with pytest.raises(ValueError, match="2 texts but 1 states"):
        EncoderStates(lambda ids: [0]).get([1, 2])


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(40, 50)), max_size=80), st.integers(2, 20))
def test_windows_are_small_and_complete(pairs: list[tuple[int, int]], texts: int) -> None:
    hypotheses = np.array([a for a, _ in pairs], dtype=np.int64)
    targets = np.array([b for _, b in pairs], dtype=np.int64)
    cut = list(windows(hypotheses, targets, texts))
    assert sorted(i for window in cut for i in window.tolist()) == list(range(len(pairs)))
    assert all(len({*hypotheses[w].tolist(), *targets[w].tolist()}) <= texts for w in cut)
    order = [targets[i] for window in cut for i in window]
    assert order == sorted(order)


def test_a_part_counts_as_its_share_and_what_is_shown_never_goes_back() -> None:
    seen: list[tuple[int, int]] = []
    with watching(lambda done, total: seen.append((done, total))):
        for start in (0, 4):
            with watching_part(start, 4, 8):
                run_batched([1, 2], [4, 4], lambda batch: batch, 4)
                run_batched([1, 2], [4, 4], lambda batch: batch, 4)  # a second run within the same part
        with watching_part(8, 0, 8):
            pass
    assert seen == sorted(seen)
    assert seen[0] == (0, 8)
    assert (2, 8) in seen
    assert seen[-1] == (8, 8)


def test_a_part_without_batches_counts_too() -> None:
    seen: list[tuple[int, int]] = []
    with watching(lambda done, total: seen.append((done, total))):
        with watching_part(0, 3, 5):
            pass
        with pytest.raises(KeyError), watching_part(3, 2, 5):
            raise KeyError
        run_batched([1], [1], lambda batch: batch, 4)
    assert seen == [(3, 5), (0, 1), (1, 1)]
