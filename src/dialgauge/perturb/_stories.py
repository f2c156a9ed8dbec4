"""Stories: what a request of another kind is about, in whole predicates, read from ``lexicon/stories.toml``."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from dialgauge.corpus import Dialogue
from dialgauge.perturb._lexicon import REASON, lexicon, root, roots

#: Who does something: the one who comes first, the same one later, somebody else, several.
Part = Literal["opening", "asking", "answering", "together"]

#: A transcript with so many words of a domain is about it, whatever its summary says.
ABOUT = 3
#: What every company asks for: *the phone number* makes no call one about phones.
_PARTICULARS = re.compile(r"\b(?:account|mobile|phone|telephone|card)\s+(?:number|details)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Story:
    """A request of one domain: predicates for each part, the roots of the words that give its domain away (and of all
    by which it is known), and sentences that would fit a call about it."""

    domain: str
    field: frozenset[str]
    known_by: frozenset[str]
    predicates: Mapping[Part, tuple[str, ...]]
    noise: tuple[str, ...]


@cache
def stories() -> tuple[Story, ...]:
    """The stories that come with the package."""
    raw = tomllib.loads(files("dialgauge.perturb").joinpath("lexicon", "stories.toml").read_text(encoding="utf-8"))
    parts: tuple[Part, ...] = ("opening", "asking", "answering", "together")
    found = []
    for entry in raw["story"]:
        field, served = frozenset(map(root, entry["field"].split())), lexicon().domains.get(entry["domain"])
        found.append(
            Story(
                entry["domain"],
                field,
                field | served.keywords if served else field,
                {part: tuple(entry[part]) for part in parts},
                served.noise if served else tuple(entry["noise"]),
            )
        )
    return tuple(found)


def story_of(dialogue: Dialogue | None, text: str) -> Story | None:
    """The story that a call is about: the one of the domain that the dialogue declares, else the one with the most
    words in the summary (three points each) and the transcript. A single word of the summary counts if no other story
    has as much; of the transcript alone, three do."""
    declared = dialogue.domain.lower() if dialogue and dialogue.domain else ""
    if named := next((story for story in stories() if story.domain == declared), None):
        return named
    told = roots(_PARTICULARS.sub("", REASON.sub("", text)))
    said = roots(dialogue.text) if dialogue else Counter[str]()

    def strength(story: Story) -> tuple[int, int]:
        words = story.known_by
        return 3 * len(words & told.keys()) + len(words & said.keys()), sum(told[word] + said[word] for word in words)

    best, second = sorted(stories(), key=strength, reverse=True)[:2]
    clear = bool(best.known_by & told.keys()) or len(best.known_by & said.keys()) >= ABOUT
    return best if clear and strength(best) > strength(second) else None
