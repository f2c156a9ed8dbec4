"""Which dialogues the weights were learnt from, so that none of them is used to measure what was learnt."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from dialgauge.checks._source import turns_of
from dialgauge.corpus import Dialogue, Turn

_DIGITS = 12


def dialogue_digest(dialogue: Dialogue | Sequence[Turn] | str) -> str:
    """A digest of the words of a dialogue without its speakers, so that twins with other names have the same."""
    words = re.sub(r"[^a-z0-9]+", "", "".join(turn.text.lower() for turn in turns_of(dialogue)))
    return hashlib.sha256(words.encode()).hexdigest()[:_DIGITS]


@cache
def _used() -> frozenset[str]:
    return frozenset(files("dialgauge.checks").joinpath("trained_on.txt").read_text("ascii").split())


def used_in_training(dialogue: Dialogue | Sequence[Turn] | str) -> bool:
    """Whether the weights of the package were learnt from this dialogue or a twin of it."""
    return dialogue_digest(dialogue) in _used()
