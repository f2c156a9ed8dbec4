"""The texts that the reference implementations were run on, their recorded values, and the tiny models."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


@cache
def _texts() -> dict[str, dict[str, Any]]:
    lines = (GOLDEN / "texts.jsonl").read_text("utf-8").splitlines()
    return {text["id"]: text for text in map(json.loads, lines)}


#: The key of each pair, as in d01-A: a dialogue and a system.
KEYS = [f"{dialogue}-{system}" for dialogue, text in _texts().items() for system in text["systems"]]
SUMMARIES = [_texts()[key[:3]]["systems"][key[4:]] for key in KEYS]
SOURCES = [_texts()[key[:3]]["source"] for key in KEYS]
REFERENCES = [_texts()[key[:3]]["reference"] for key in KEYS]


def recorded(name: str) -> dict[str, Any]:
    """The results of one reference implementation, by key."""
    results: dict[str, Any] = json.loads((GOLDEN / f"golden_{name}.json").read_text("utf-8"))
    return results


def model(name: str) -> str:
    """A tiny model, as a parameter names it."""
    return f"folder:{GOLDEN / 'models' / name}"


def differences(found: Sequence[float | None], expected: Sequence[float | None], tolerance: float = 1e-5) -> list[str]:
    """The pairs whose values differ; None equals None only."""
    assert len(found) == len(expected) == len(KEYS)
    return [
        f"{key}: {mine} instead of {theirs}"
        for key, mine, theirs in zip(KEYS, found, expected, strict=True)
        if (mine is None) != (theirs is None)
        or (mine is not None and theirs is not None and not abs(mine - theirs) <= tolerance)
    ]
