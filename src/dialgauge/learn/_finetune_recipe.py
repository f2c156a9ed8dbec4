"""Shared code for training neural metrics: the settings, and the protocol that each kind implements."""

import hashlib
import random
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from dialgauge.errors import ModelError
from dialgauge.learn._finetune_data import RatedSummary
from dialgauge.learn._finetune_measures import FloatArray
from dialgauge.models import Model, quiet_loading, resolve

T = TypeVar("T")
#: Files that contain the weights in another form, or belong to them and are rewritten.
_OF_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx")
_WRITTEN = frozenset(("config.json", "generation_config.json"))


class Recipe(Protocol):
    """How one kind of metric is trained: lessons from rated summaries, a loss, the metric's own numbers, and saving."""

    module: Any
    loss_name: str

    def readable(self, items: Iterable[RatedSummary]) -> list[RatedSummary]:
        """Those that have the texts that the metric reads; after :meth:`prepare`, as it was trained."""

    def prepare(self, train: Sequence[RatedSummary]) -> None:
        """Prepare training on these."""

    def batches(self, epoch: int) -> list[Any]:
        """The micro-batches of an epoch."""

    def loss(self, module: Any, batch: Any) -> Any:
        """The loss of a micro-batch."""

    def predict(self, module: Any, items: Sequence[RatedSummary]) -> FloatArray:
        """The values of the metric for these summaries."""

    def facts(self) -> dict[str, Any]:
        """The facts on the card that are needed to load the metric."""

    def save(self, module: Any, folder: Path) -> None:
        """Write the files that scoring needs to the folder."""

    def untrained(self, items: Sequence[RatedSummary]) -> FloatArray:
        """The values of the untrained metric."""

    def spec(self, folder: Path) -> str:
        """The specification of the saved metric for ``dialgauge score``."""


def shuffled(items: Sequence[T], seed: int, epoch: int, batch: int) -> list[list[T]]:
    """The items in batches, in an order that depends on seed and epoch alone."""
    order = list(items)
    rng_of(seed, epoch).shuffle(order)
    return [order[i : i + batch] for i in range(0, len(order), batch)]


def rng_of(seed: int, epoch: int) -> random.Random:
    """The random state of an epoch."""
    return random.Random(hashlib.sha256(f"lessons:{seed}:{epoch}".encode()).digest())


def trainable(model: Model) -> Any:
    """A copy of the module whose parameters can be trained; the loaded model stays as it is."""
    import copy

    module = copy.deepcopy(model.module)
    module.requires_grad_(True)
    return module


def on(model: Model, module: Any) -> Model:
    """The model with its module replaced by this one, on that module's device."""
    return replace(model, module=module, device=str(next(module.parameters()).device))


def save_checkpoint(model: Model, module: Any, folder: Path) -> None:
    """Save the trained weights with unchanged copies of the tokenizer's files, which must split texts as before."""
    origin = resolve(model.ref).path
    if any(origin.glob("*.gguf")):
        raise ModelError(f"model '{model.ref}': a quantised (GGUF) model cannot be fine-tuned; use the full weights")
    with quiet_loading():
        module.save_pretrained(folder)
    for file in sorted(origin.iterdir()):
        weights = file.suffix in _OF_WEIGHTS or file.name.endswith(".index.json")
        if file.is_file() and not weights and file.name not in _WRITTEN and file.suffix in (".json", ".txt", ".model"):
            shutil.copyfile(file, folder / file.name)
