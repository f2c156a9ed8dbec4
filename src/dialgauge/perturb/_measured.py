"""What readers found: how often a variant was grammatical and did what its kind declares."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Measured:
    """One reading of the variants of one kind. ``applied`` of ``texts`` texts gave a variant; of ``n`` that were read,
    ``grammatical`` were whole sentences (None where a loss of fluency is declared) and ``as_claimed`` had the declared
    effect. ``source`` names the set of texts, ``date`` the day, ``label`` the level or style if only that was read."""

    source: str
    date: str
    texts: int
    applied: int
    n: int
    as_claimed: int
    grammatical: int | None = None
    label: str = ""

    def line(self) -> str:
        """In words, for tables."""
        parts = [f"{self.label}: " * bool(self.label) + f"{self.as_claimed} of {self.n} as claimed"]
        if self.grammatical is not None:
            parts.append(f"{self.grammatical} grammatical")
        return f"{', '.join(parts)}; applied to {self.applied} of {self.texts} ({self.source}, {self.date})"


@cache
def measured() -> Mapping[str, tuple[Measured, ...]]:
    """By name of the perturbation, in the order of ``lexicon/measured.toml``."""
    text = files("dialgauge.perturb").joinpath("lexicon", "measured.toml").read_text(encoding="utf-8")
    found: dict[str, tuple[Measured, ...]] = {}
    for entry in tomllib.loads(text)["measured"]:
        name = entry.pop("name")
        found[name] = (*found.get(name, ()), Measured(**entry))
    return found
