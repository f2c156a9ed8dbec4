"""Layers without padding give what the model itself gives; what a card does is tried here on the CPU."""

from pathlib import Path

import numpy as np
import pytest
import torch

from dialgauge.metrics import _bertscore as bertscore, _layers as layers, score_pairs
from dialgauge.models import PackedEncoder, load, packed_encoder


@pytest.mark.parametrize(("name", "tolerance"), [("fp32", 5e-6), ("bf16x3", 1e-4), ("bf16", 0.1)])
@pytest.mark.parametrize("model", ["tiny-bert", "tiny-roberta"])
def test_texts_of_several_lengths(tiny: Path, model: str, name: str, tolerance: float) -> None:
    loaded = load("encoder", f"folder:{tiny / model}", "cpu", name)
    rng = np.random.default_rng(3)
    rows = [rng.integers(5, loaded.config.vocab_size, size=length).tolist() for length in (7, 1, 11)]
    rows[2][4] = loaded.pad_id  # in RoBERTa, what stands behind it moves up
    count = layers.count_layers(loaded)
    with torch.inference_mode():
        flat = PackedEncoder(loaded, count)(rows).split([len(row) for row in rows])
        for row, found in zip(rows, flat, strict=True):
            ids = torch.tensor([row])
            expected = layers.layer_states(loaded, count)(ids, torch.ones_like(ids))[0]
            assert (found - expected).abs().max() <= tolerance
    assert packed_encoder(loaded, count) is None  # on the CPU it gains nothing


def test_bertscore_of_packed_states_is_the_same(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summaries = ["the cat sat", "a dog", "ann calls bob about the long meeting", "yes", ""]
    references = ["a cat sat down", "the dog barked at all of the others", "ann calls bob", "ann calls bob", "yes"]
    specs = [f"bertscore-{part}:model=folder:{tiny / 'tiny-bert'},device=cpu" for part in ("p", "r", "f1")]
    expected = score_pairs(summaries, references, specs).to_numpy()
    monkeypatch.setattr(layers, "packed_encoder", PackedEncoder)
    monkeypatch.setattr(bertscore, "_PAIRS_AT_ONCE", 2)
    np.testing.assert_allclose(score_pairs(summaries, references, specs).to_numpy(), expected, rtol=0, atol=1e-6)
