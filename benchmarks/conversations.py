"""Folders of written conversations (a line of JSON each), a part of which is held out by a digest of the id."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Part = Literal["training", "held out"]


@dataclass(frozen=True, slots=True)
class Conversations:
    """The ``*.jsonl`` files of a folder; one conversation in ``held_out`` is kept back to measure."""

    folder: Path
    held_out: int

    def is_held_out(self, key: str) -> bool:
        """Whether the conversation of this id is kept back."""
        return int(hashlib.sha256(key.encode()).hexdigest(), 16) % self.held_out == 0

    def read(self, files: Sequence[str] = (), part: Part | None = None) -> Iterator[dict[str, Any]]:
        """The conversations of these files (all, if none is named), of one part or of both."""
        for path in sorted(self.folder.glob("*.jsonl")):
            if not files or path.stem in files:
                for line in path.read_text("utf-8").splitlines():
                    entry = json.loads(line)
                    if part is None or self.is_held_out(entry["id"]) == (part == "held out"):
                        yield entry
