"""Scoring more pairs takes more time, not more memory: what a model makes is held for a batch, then let go."""

import random
import weakref
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dialgauge.metrics import _bertscore as bertscore, _encoding as encoding, _moverscore as moverscore, score_pairs
from tests.metrics.golden_pairs import model

FEW, MANY = 64, 256
WORDS = ["anna", "ben", "comes", "to", "the", "party", "on", "saturday", "with", "cake", "and", "tea", "if", "rain"]


class LiveTensors(TorchDispatchMode):
    """Within this block, how many bytes of tensors that were made in it are alive at the same time, at most."""

    def __init__(self) -> None:
        super().__init__()
        self.live = self.peak = 0
        self.known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for made in tree_leaves(result):
            if isinstance(made, torch.Tensor):
                self._count(made.untyped_storage())
        return result

    def _count(self, storage: Any) -> None:
        size, place = storage.nbytes(), storage.data_ptr()
        if not size or place in self.known:
            return
        self.known.add(place)
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._forget, place, size)

    def _forget(self, place: int, size: int) -> None:
        self.known.discard(place)
        self.live -= size


def pairs(count: int) -> tuple[list[str], list[str]]:
    """Distinct summaries and sources; the first ones are the same however many there are, and none is longer."""
    rng = random.Random(3)
    made = [(" ".join(rng.choices(WORDS, k=12)), " ".join(rng.choices(WORDS, k=20))) for _ in range(count)]
    return [f"{summary}." for summary, _ in made], [f"{source}." for _, source in made]


def peak(spec: str, count: int) -> int:
    with LiveTensors() as tensors:
        frame = score_pairs(*pairs(count), [spec])
    assert frame.to_series().null_count() == 0
    return tensors.peak


@pytest.mark.parametrize(
    "spec",
    [
        f"bertscore-f1@source:model={model('tiny-bert')}",
        f"moverscore@source:model={model('tiny-bert')}",
        f"bartscore-src-hyp:model={model('tiny-bart')}",
        f"lmscore-src-hyp:model={model('tiny-gpt2')}",
        f"perplexity:model={model('tiny-gpt2')}",
        f"unieval-consistency:model={model('tiny-t5')}",
        f"nli-consistency:model={model('tiny-bert-nli')},entailment=1",
    ],
    ids=lambda spec: spec.partition(":")[0],
)
def test_memory_is_bounded_by_the_batch(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A window holds states of up to 256 MB; such a small corpus would fit into one.
    for module in (bertscore, moverscore):
        monkeypatch.setattr(module, "window_texts", lambda *_: FEW)
    monkeypatch.setitem(encoding._WINDOW_BYTES, "cpu", 1)
    torch.set_num_threads(1)
    spec = f"{spec},device=cpu"
    score_pairs(*pairs(2), [spec])  # the model is loaded, and what it keeps is not counted
    few, many = peak(spec, FEW), peak(spec, MANY)
    assert few > 0
    assert many < 1.5 * few, f"{many:,} bytes for {MANY} pairs, {few:,} for {FEW}"


def test_what_is_held_is_noticed() -> None:
    """The measure itself: tensors that stay add up, those that are let go do not."""
    held = []
    with LiveTensors() as tensors:
        for _ in range(8):
            held.append(torch.zeros(1000) + 1)
    kept = tensors.peak
    with LiveTensors() as tensors:
        for _ in range(8):
            torch.zeros(1000) + 1
    assert kept >= 8 * 4000
    assert tensors.peak <= 3 * 4000
