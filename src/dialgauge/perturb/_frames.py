"""Frames: nouns that can take each other's place as the object of a request, read from ``lexicon/frames.toml``."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from dialgauge.perturb._lexicon import alternatives, plural, root


@dataclass(frozen=True)
class Member:
    """A noun of a frame: its domain, and what goes with it by key (``company``: airline)."""

    noun: str
    domain: str
    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def forms(self) -> tuple[str, str]:
        """Singular and plural."""
        return self.noun, plural(self.noun)


@dataclass(frozen=True)
class Frame:
    """Nouns that can be exchanged below any of these verbs."""

    name: str
    verbs: frozenset[str]
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Frames:
    """Everything in ``frames.toml``."""

    frames: tuple[Frame, ...]
    fields: Mapping[str, frozenset[str]]

    def find(self, text: str) -> list[tuple[re.Match[str], Frame, Member]]:
        """Every place where a noun of a frame stands, the longest noun first where two overlap."""
        known = {form: (frame, member) for frame in self.frames for member in frame.members for form in member.forms}
        return [(match, *known[match.group().lower()]) for match in alternatives(known).finditer(text)]


@cache
def frames() -> Frames:
    """The frames that come with the package."""
    raw = tomllib.loads(files("dialgauge.perturb").joinpath("lexicon", "frames.toml").read_text(encoding="utf-8"))
    return Frames(
        tuple(
            Frame(
                entry["name"],
                frozenset((*raw["verbs"].split(), *entry["verbs"].split())),
                tuple(Member(noun["noun"], noun["domain"], noun.get("parts", {})) for noun in entry["nouns"]),
            )
            for entry in raw["frame"]
        ),
        {domain: frozenset(map(root, words.split())) for domain, words in raw["fields"].items()},
    )
