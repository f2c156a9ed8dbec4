"""Stories: what a request of another kind is about, in whole predicates, read from ``lexicon/stories.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from dialgauge.perturb._lexicon import root

#: Who does something: the one who comes first, the same one later, somebody else, several.
Part = Literal["opening", "asking", "answering", "together"]


@dataclass(frozen=True, slots=True)
class Story:
    """A request of one domain: predicates for each part, and the roots of the words that give its domain away."""

    domain: str
    field: frozenset[str]
    predicates: Mapping[Part, tuple[str, ...]]


@cache
def stories() -> tuple[Story, ...]:
    """The stories that come with the package."""
    raw = tomllib.loads(files("dialgauge.perturb").joinpath("lexicon", "stories.toml").read_text(encoding="utf-8"))
    parts: tuple[Part, ...] = ("opening", "asking", "answering", "together")
    return tuple(
        Story(
            entry["domain"],
            frozenset(map(root, entry["field"].split())),
            {part: tuple(entry[part]) for part in parts},
        )
        for entry in raw["story"]
    )
