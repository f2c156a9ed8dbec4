"""The golden cases of the perturbations: hand-written texts with what must come out, a TOML file each."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialgauge.corpus import Dialogue, Turn

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Case:
    """A text, and either the results that are right (any of them) or what the reason for declining says."""

    name: str
    text: str
    results: tuple[str, ...] = ()
    declines: str = ""
    level: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    dialogue: Dialogue | None = None

    @property
    def spec(self) -> str:
        level = "" if self.level is None else f"_{self.level}"
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.name}{level}:{options}" if options else f"{self.name}{level}"


def cases_of(name: str) -> list[Case]:
    """The cases in the file of this perturbation."""
    content: dict[str, Any] = tomllib.loads((GOLDEN / f"{name}.toml").read_text(encoding="utf-8"))
    turns = tuple(Turn(role, text, role) for role, text in content.get("turns", ()))
    dialogue = Dialogue("golden", turns) if turns else None
    return [
        Case(**{**entry, "name": name, "results": tuple(entry.get("results", ())), "dialogue": dialogue})
        for entry in content["case"]
    ]


def all_cases() -> list[Case]:
    """The cases of all golden files."""
    return [case for path in sorted(GOLDEN.glob("*.toml")) for case in cases_of(path.stem)]
