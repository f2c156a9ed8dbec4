"""The configuration beside the weights, read without loading the model: enough to refuse a wrong setting at once."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.models._refs import ModelRef
from dialgauge.models._resolve import resolve

#: What architectures call the number of their layers.
_LAYERS = ("num_hidden_layers", "n_layers", "n_layer")
#: The head of a model's page, and the licence in it: a word, or the first of a list.
_HEAD = re.compile(r"---\s*\n(.*?)\n---\s*(\n|$)", re.DOTALL)
_LICENCE = re.compile(r"^license:[ \t]*(?:\n\s*-[ \t]*)?[\"']?([\w.+-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StoredConfig:
    """The entries of a config.json; none for a model that has no such file (GGUF holds its configuration itself)."""

    ref: ModelRef
    entries: Mapping[str, Any]

    @property
    def model_type(self) -> str | None:
        """The architecture."""
        return self.entries.get("model_type")

    @property
    def layers(self) -> int | None:
        """The number of layers; None where the file leaves it to the architecture."""
        return next((value for name in _LAYERS if isinstance(value := self.entries.get(name), int)), None)

    @property
    def labels(self) -> dict[int, str] | None:
        """The labels of a classifier by their numbers; where the file names none, those that transformers makes up."""
        if not self.entries:
            return None
        named = self.entries.get("id2label")
        if isinstance(named, Mapping):
            return {int(number): str(name) for number, name in named.items()}
        return {number: f"LABEL_{number}" for number in range(int(self.entries.get("num_labels") or 2))}


def stored_config(text: str) -> StoredConfig:
    """What is stored of the model of this name."""
    resolved = resolve(text)
    path = resolved.path / "config.json"
    if not path.is_file():
        return StoredConfig(resolved.ref, {})
    try:
        entries = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelError(f"model '{resolved.ref}': {path} is not readable JSON: {error}") from error
    if not isinstance(entries, dict):
        raise ModelError(f"model '{resolved.ref}': {path} is not a JSON object")
    return StoredConfig(resolved.ref, entries)


def stated_licence(folder: Path) -> str | None:
    """The licence that the page of a hub model (README.md) states in its head; None where it does not say."""
    page = folder / "README.md"
    head = _HEAD.match(page.read_text("utf-8", errors="replace")) if page.is_file() else None
    found = _LICENCE.search(head[1]) if head else None
    return found[1] if found else None
