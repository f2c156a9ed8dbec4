"""A checker as a folder: its adapter (safetensors), and a card: what it is, what made it and what it reached."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dialgauge.checker._combination import Combination
from dialgauge.checker._network import Network, load_network
from dialgauge.checks import Weights, default_weights, weights_from
from dialgauge.errors import InputError
from dialgauge.files import atomic_folder
from dialgauge.models import choose_device

CARD_FILE = "checker.json"
ADAPTER_FILE = "adapter.safetensors"
_FORMAT = 1


@dataclass(frozen=True)
class CheckerCard:
    """What a checker is: its base model, how its parts are combined, its data, its licence and its results.

    ``adapter`` is the SHA-256 of the adapter's file, which is checked before it is read. ``rules`` are weights of the
    rule-based checks where it has its own.
    """

    name: str
    base: str
    rank: int
    combination: Combination
    adapter: str
    data: Mapping[str, Any] = field(default_factory=dict)
    licence: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    format: int = _FORMAT

    @cached_property
    def weights(self) -> Weights:
        """The weights of the rule-based checks: its own, or those of the package."""
        return weights_from(self.rules) if self.rules else default_weights()


def shipped_folder() -> Path:
    """The checker that comes with the package."""
    return Path(str(files("dialgauge.checker") / "shipped"))


def folder_of(given: str) -> Path:
    """The folder that a parameter names; without one, the shipped checker."""
    folder = Path(given) if given else shipped_folder()
    if not (folder / CARD_FILE).is_file():
        raise InputError(f"{folder}: not a checker ({CARD_FILE} is missing); create one with 'dialgauge train-checker'")
    return folder


def read_checker_card(folder: Path) -> CheckerCard:
    """The card of a folder; its adapter must be the one that the card was written for."""
    path = folder / CARD_FILE
    try:
        raw = json.loads(path.read_text("utf-8"))
        if raw.get("format") != _FORMAT:
            raise InputError(f"{path}: format {raw.get('format')!r} is not known; update dialgauge, or train it again")
        card = CheckerCard(**{**raw, "combination": Combination.from_dict(raw["combination"])})
        _ = card.weights  # a table that cannot be read is no card
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: not a readable card of a checker: {type(error).__name__}: {error}") from error
    adapter = folder / ADAPTER_FILE
    if not adapter.is_file():
        raise InputError(f"{folder}: {ADAPTER_FILE} is missing")
    if _digest(adapter) != card.adapter:
        raise InputError(f"{adapter}: changed since the checker was trained; restore it, or train the checker again")
    return card


def folder_signature(given: str) -> str:
    """What stands for a checker in signatures: a digest of its card, which has that of the adapter."""
    return _digest(folder_of(given) / CARD_FILE)[:16]


def write_checker(folder: Path, card: CheckerCard, tensors: Mapping[str, Any], texts: Mapping[str, str]) -> CheckerCard:
    """Write a checker: the adapter, the card with its digest, and texts for people (README.md)."""
    from safetensors.torch import save_file

    with atomic_folder(folder) as temporary:
        save_file(dict(tensors), temporary / ADAPTER_FILE, metadata={"rank": str(card.rank)})
        complete = CheckerCard(
            **{**_plain(card), "combination": card.combination, "adapter": _digest(temporary / ADAPTER_FILE)}
        )
        write_card(temporary / CARD_FILE, complete)
        for name, text in texts.items():
            (temporary / name).write_text(text, encoding="utf-8")
    return complete


def write_card(path: Path, card: CheckerCard) -> None:
    """Write a card as JSON."""
    path.write_text(json.dumps({**_plain(card), "combination": card.combination.as_dict()}, indent=1) + "\n", "utf-8")


def _plain(card: CheckerCard) -> dict[str, Any]:
    return {name: value for name, value in asdict(card).items() if name != "combination"}


def load_checker(given: str = "", device: str = "auto", dtype: str = "fp32") -> tuple[CheckerCard, Network]:
    """A checker by its folder (empty: the shipped one), loaded once per process, device and precision."""
    folder = folder_of(given)
    card = read_checker_card(folder)
    return card, _network(str(folder), card.adapter, card.base, device, settled_dtype(dtype, device))


def settled_dtype(dtype: str, device: str = "auto") -> str:
    """The precision behind ``auto``: bf16 where the device computes with it, which is twice as fast, else fp32.

    The shipped checker was trained and measured in bf16.
    """
    if dtype != "auto":
        return dtype
    try:
        import torch
    except ModuleNotFoundError:
        return dtype  # nothing is computed here: whoever scores says which extra is missing

    if choose_device(device) != "cpu":
        return "bf16"
    able = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return "bf16" if any(asked is not None and asked() for asked in able) else "fp32"


@lru_cache(maxsize=2)
def _network(folder: str, digest: str, base: str, device: str, dtype: str) -> Network:
    from safetensors.torch import load_file

    return load_network(base, load_file(Path(folder) / ADAPTER_FILE), device, dtype)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
