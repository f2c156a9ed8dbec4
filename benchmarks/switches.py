"""Conversations with two versions of some turns (``switches/*.jsonl``), as corpora of right and wrong summaries.

A switch is a letter: after version "one" of its turns, its statements of "one" are right and those of "two" are wrong,
after version "two" it is the other way round. A conversation is read in several versions that differ in one switch
each, and every summary stands beside two of them: right once and wrong once. So nothing can be told from the summaries
alone. An eighth of the conversations is held out, by a digest of the id.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.conversations import Conversations, Part
from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Summary, Turn

CONVERSATIONS = Conversations(Path(__file__).with_suffix(""), held_out=8)
#: The sets by the names under which the benchmark asks for them: held-out conversations of these files.
SWITCHED: Mapping[str, tuple[str, ...]] = {
    "switched calls": ("calls", "calls2", "long", "long2", "desks", "phone", "sales"),
    "switched service": ("service", "service2"),
    "switched chats": ("chats", "chats2", "groups", "mixed"),
    "switched talks": ("talks", "talks2"),
}
#: For each switch its version, "one" or "two".
Versions = Mapping[str, str]
#: So many switches of a conversation are asked about, each with so many summaries; so many statements stand with it.
_ASKED, _SUMMARIES, _OTHERS = 3, 2, 2


def turns_of(entry: Mapping[str, Any], versions: Versions) -> list[str]:
    """The conversation with these versions of its switches."""
    turns: list[str] = []
    for turn in entry["turns"]:
        if isinstance(turn, str):
            turns.append(turn)
        else:
            ((letter, both),) = turn.items()
            turns += both[versions[letter]]
    return turns


def statements_of(entry: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """In the order of a summary: the letter of a switch and its statements, or ``always`` and some that stay right."""
    return [next(iter(one.items())) for one in entry["statements"]]


def other(version: str) -> str:
    """The other version."""
    return "two" if version == "one" else "one"


def switched_summaries(name: str = "", part: Part | None = "held out", seed: int = 0) -> Corpus:
    """One of the sets, or all files. Each summary is a system of its own, with a label."""
    dialogues: list[Dialogue] = []
    summaries: list[Summary] = []
    ratings: list[Rating] = []
    for entry in CONVERSATIONS.read(SWITCHED.get(name, ()), part):
        draw = random.Random(f"{seed}:{entry['id']}")
        letters = sorted(letter for letter, _ in statements_of(entry) if letter != "always")
        first = {letter: draw.choice(("one", "two")) for letter in letters}
        for letter in draw.sample(letters, k=min(_ASKED, len(letters))):
            texts = _pairs(entry, first, letter, draw)
            for versions in (first, {**first, letter: other(first[letter])}):
                key = f"{entry['id']}/{letter}-{versions[letter]}"
                said = (turn.partition(": ") for turn in turns_of(entry, versions))
                dialogues.append(Dialogue(key, tuple(Turn(speaker, text) for speaker, _, text in said)))
                for number, pair in enumerate(texts, 1):
                    for version, text in pair.items():
                        right = version == versions[letter]
                        system = f"{'right' if right else 'wrong'}-{number}"
                        summaries.append(Summary(key, system, text))
                        ratings.append(Rating(key, system, "author", "consistency", float(right), scale="0-1"))
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo(name or "switched", language="en"))


def _pairs(entry: Mapping[str, Any], versions: Versions, letter: str, draw: random.Random) -> list[dict[str, str]]:
    """Summaries with a statement about the switch: for each of its versions the same one that says so."""
    told = statements_of(entry)
    place = next(place for place, (name, _) in enumerate(told) if name == letter)
    wordings = len(told[place][1]["one"])
    found = []
    for number in draw.sample(range(wordings), k=min(_SUMMARIES, wordings)):
        beside = draw.sample([one for one in range(len(told)) if one != place], k=draw.randint(0, _OTHERS))
        parts = {one: draw.choice(_right(*told[one], versions)) for one in beside}
        pair = {}
        for version in ("one", "two"):
            all_parts = {**parts, place: told[place][1][version][number]}
            pair[version] = " ".join(all_parts[one] for one in sorted(all_parts))
        found.append(pair)
    return found


def _right(letter: str, statements: Any, versions: Versions) -> Sequence[str]:
    return statements if letter == "always" else statements[versions[letter]]  # type: ignore[no-any-return]
