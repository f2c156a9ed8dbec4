"""A tiny language model with a random adapter, written as a checker."""

import shutil
from pathlib import Path

import pytest

from dialgauge.checker._combination import Combination, Scale
from dialgauge.checker._folder import CheckerCard, write_checker
from dialgauge.checker._network import PLACES
from dialgauge.checks import PARSER, VECTORS
from dialgauge.errors import DialgaugeError
from dialgauge.models import load_parser, load_vectors

LAYERS, WIDTH, RANK = 2, 16, 2


@pytest.fixture(scope="session")
def parser() -> None:
    """The models that the rules read; tests skip, loudly, where they are absent."""
    try:
        load_parser(PARSER)
        load_vectors(VECTORS)
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER OR VECTORS: {error}")


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory, golden_dir: Path) -> Path:
    """A Llama of two layers with the tokenizer of the tiny GPT-2."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("llama")
    tokenizer = golden_dir / "models" / "tiny-gpt2"
    for path in tokenizer.glob("*"):
        if "token" in path.name or path.name in ("vocab.json", "merges.txt"):
            shutil.copy(path, folder / path.name)
    size = len(transformers.AutoTokenizer.from_pretrained(str(tokenizer)))
    config = transformers.LlamaConfig(
        vocab_size=size,
        hidden_size=WIDTH,
        intermediate_size=24,
        num_hidden_layers=LAYERS,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=256,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def checker(tmp_path_factory: pytest.TempPathFactory, base: Path) -> Path:
    """The folder of a checker whose adapter is random, but not zero."""
    import torch
    from transformers import AutoModelForCausalLM

    module = AutoModelForCausalLM.from_pretrained(str(base))
    made = torch.Generator().manual_seed(1)
    tensors = {"head.weight": torch.randn(1, WIDTH, generator=made), "head.bias": torch.zeros(1)}
    for number, layer in enumerate(module.model.layers):
        for short, place in PLACES.items():
            rows, columns = layer.get_submodule(place).weight.shape
            tensors[f"layers.{number}.{short}.A"] = torch.randn(RANK, columns, generator=made)
            tensors[f"layers.{number}.{short}.B"] = torch.randn(rows, RANK, generator=made) / 4
    parts = {"worst": Scale(0.0, 1.0, 1.0), "likelihood": Scale(-5.0, 2.0, 0.5), "contrast": Scale(0.0, 1.0, 0.1)}
    card = CheckerCard("tiny", f"folder:{base}", RANK, Combination(parts, 1.0, 0.0), "")
    folder = tmp_path_factory.mktemp("checkers") / "tiny"
    write_checker(folder, card, tensors, {"README.md": "tiny\n"})
    return folder
