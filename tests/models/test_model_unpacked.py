"""A GGUF file is unpacked once: the copy gives the same numbers, is checked, and is made anew when it is damaged."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dialgauge.models import _load, load, unload

gguf = pytest.importorskip("gguf")
torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
_WIDTH, _INNER, _HEADS = 32, 64, 4
_LETTERS = [chr(code) for code in range(33, 127)]


@pytest.fixture
def packed(tmp_path: Path, own_cache: Path) -> Path:
    """A folder with a tiny language model of one layer as GGUF."""
    folder = tmp_path / "packed"
    folder.mkdir()
    tokens = ["<|endoftext|>", *_LETTERS, "\u0120", "ab"]
    writer = gguf.GGUFWriter(folder / "tiny.gguf", "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3] + [1] * (len(tokens) - 1))
    writer.add_token_merges(["a b"])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id, writer.add_pad_token_id, writer.add_unk_token_id):
        add(0)
    random = np.random.default_rng(7)
    shapes = {
        "token_embd": (len(tokens), _WIDTH),
        "output_norm": (_WIDTH,),
        "blk.0.attn_norm": (_WIDTH,),
        "blk.0.ffn_norm": (_WIDTH,),
        **{f"blk.0.attn_{part}": (_WIDTH, _WIDTH) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (_INNER, _WIDTH),
        "blk.0.ffn_up": (_INNER, _WIDTH),
        "blk.0.ffn_down": (_WIDTH, _INNER),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return folder


def _logits(folder: Path) -> Any:
    unload()
    model = load("causal-lm", f"folder:{folder}", "cpu")
    ids = model.tokenizer("abc ab z")["input_ids"]
    assert len(ids) == 6  # "ab" is one token
    with torch.inference_mode():
        return model.module(torch.tensor([ids])).logits


def _copies(cache: Path) -> list[Path]:
    return sorted((cache / "models" / ".unpacked").glob("*"))


def _count_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    reads: list[str] = []
    true = _load._module

    def counted(auto_class, resolved, called, options):
        reads.append("packed" if "gguf_file" in options else "copy")
        return true(auto_class, resolved, called, options)

    monkeypatch.setattr(_load, "_module", counted)
    return reads


def test_the_copy_is_made_once_and_gives_the_same(
    packed: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = _count_reads(monkeypatch)
    first = _logits(packed)
    (copy,) = _copies(own_cache)
    assert copy.name.startswith("causal-lm-")
    assert torch.equal(_logits(packed), first)
    assert reads == ["packed", "copy", "copy"]
    with monkeypatch.context() as patch:
        patch.setattr(_load, "unpacked", lambda kind, resolved, read: None)
        assert torch.equal(_logits(packed), first)
    assert reads[3:] == ["packed"]


def test_a_damaged_copy_is_made_anew(packed: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _logits(packed)
    (copy,) = _copies(own_cache)
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 0x40
    weights.write_bytes(data)
    reads = _count_reads(monkeypatch)
    assert torch.equal(_logits(packed), first)
    assert reads == ["packed", "copy"]
    assert _copies(own_cache) == [copy]


def test_other_weights_have_another_copy(packed: Path, own_cache: Path) -> None:
    first = _logits(packed)
    source = packed / "tiny.gguf"
    data = bytearray(source.read_bytes())
    data[-1] ^= 0x01
    source.write_bytes(data)
    assert not torch.equal(_logits(packed), first)
    assert len(_copies(own_cache)) == 2


def test_a_cache_that_cannot_be_written(packed: Path, own_cache: Path) -> None:
    (own_cache / "models").parent.mkdir(parents=True)
    (own_cache / "models").write_text("no folder", encoding="utf-8")
    with pytest.warns(UserWarning, match="cannot be cached in"):
        assert _logits(packed).isfinite().all()
