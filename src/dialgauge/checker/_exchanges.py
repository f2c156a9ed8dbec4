"""Exchanges of a few turns that are put into dialogues: who, which, whether, when; with right and wrong statements.

Such errors use the dialogue's own words. An exchange is played in two ways that have the same words (the speakers or
two things change places, a yes becomes a no), so that a statement is right after the one and wrong after the other.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dialgauge.checker._example import Couple, Example, Group, Span, joined

if TYPE_CHECKING:
    from dialgauge.checker._material import Source

#: The kind of error that a wrong statement about an exchange is.
KIND = "exchange"
_FLIP = "flip"
_WORDINGS = re.compile(r"\(([^()]*)\)")
_SLOT = re.compile(r"<(?P<yes>[^<>]*?)//(?P<no>[^<>]*?)>|\{(?P<name>[A-Za-z]+\d?)(?:\.(?P<form>\w+))?\}")
_PREPOSITION = re.compile("^(?:at|on|in) ")
_FORMS = {None: 0, "past": 1, "done": 2, "0": 0, "1": 1}
#: How many exchanges a dialogue gets, and how often nothing of its own summary is kept.
_COUNTS, _ALONE = (1, 1, 2, 2, 3), 0.15
_SENTENCE_START = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")

Turn = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A kind of exchange: parts of turns between which others may stand, statements, and what makes them wrong."""

    name: str
    swap: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """An exchange in both ways: the parts of turns, and statements as (right after the first way, wrong after it)."""

    name: str
    ways: tuple[tuple[tuple[Turn, ...], ...], ...]
    statements: tuple[tuple[Example, Example], ...]

    def after(self, way: int, statement: int) -> tuple[Example, Example]:
        """A statement as it is right, and as it is wrong, after the exchange was played in this way."""
        both = self.statements[statement]
        right, wrong = both if way == 0 else both[::-1]
        return Example(right.kind, right.text), wrong


@cache
def exchanges() -> tuple[tuple[Exchange, ...], Mapping[str, Sequence[Any]]]:
    """All kinds of exchange, and the words that fill their slots."""
    read = tomllib.loads(files("dialgauge.checker").joinpath("exchanges.toml").read_text("utf-8"))
    kinds = tuple(
        Exchange(
            one["name"],
            tuple(one["swap"].split()),
            tuple(tuple(part.strip().splitlines()) for part in one["turns"].strip().split("\n...\n")),
            tuple(one["says"].strip().splitlines()),
        )
        for one in read["exchange"]
    )
    return kinds, read["words"]


def play(kind: Exchange, names: tuple[str, str], draw: random.Random) -> Played:
    """The exchange between two speakers with words drawn for its slots."""
    _, words = exchanges()
    filled: dict[str, Sequence[str]] = {"A": (names[0],), "B": (names[1],)}
    for slot in sorted(set(re.findall(r"\{([a-z]+\d)", " ".join([*kind.says, *(t for p in kind.parts for t in p)])))):
        taken = {tuple(value) for value in filled.values()}
        pool = [(one,) if isinstance(one, str) else tuple(one) for one in words[slot[:-1]]]
        filled[slot] = draw.choice([one for one in pool if one not in taken and one[0] not in names])
    other = dict(filled)
    if kind.swap != (_FLIP,):
        first, second = kind.swap
        other[first], other[second] = filled[second], filled[first]
    worded = [[_worded(turn, draw) for turn in part] for part in kind.parts]
    ways = tuple(
        tuple(
            tuple((fill[turn[0]][0], _sentences(_filled(turn[3:], fill, flipped, ())[0])) for turn in part)
            for part in worded
        )
        for fill, flipped in ((filled, False), (other, True))
    )
    statements = []
    for line in draw.sample(kind.says, k=len(kind.says)):
        template = _worded(line, draw)
        both = (_filled(template, fill, flipped, kind.swap) for fill, flipped in ((filled, False), (other, True)))
        right, wrong = (Example(KIND, _sentences(text), spans) for text, spans in both)
        if right.wrong and right.text != wrong.text:
            statements.append((right, wrong))
    return Played(kind.name, ways, tuple(statements))


def _worded(template: str, draw: random.Random) -> str:
    """One of the wordings wherever there are several."""
    while _WORDINGS.search(template):
        template = _WORDINGS.sub(lambda m: draw.choice(m[1].split("|")), template)
    return template


def _filled(
    template: str, fill: Mapping[str, Sequence[str]], flipped: bool, swap: Sequence[str]
) -> tuple[str, tuple[Span, ...]]:
    """The template with its slots filled, and the spans of what the swap changes."""
    text, spans, position = "", [], 0
    for match in _SLOT.finditer(template):
        text += template[position : match.start()]
        if match["name"]:
            new, changed = _form(fill[match["name"]], match["form"]), match["name"] in swap
        else:
            new, changed = _filled(match["no"] if flipped else match["yes"], fill, flipped, ())[0], _FLIP in swap
        if changed:
            spans.append((len(text), len(text) + len(new)))
        text += new
        position = match.end()
    return text + template[position:], tuple(spans)


def _form(word: Sequence[str], form: str | None) -> str:
    return _PREPOSITION.sub("", word[0]) if form == "bare" else word[_FORMS[form]]


def _sentences(text: str) -> str:
    """Capitals where sentences begin; the length stays."""
    return _SENTENCE_START.sub(lambda m: m[0].upper(), text)


def exchange_groups(source: "Source", seed: int = 0, kinds: Sequence[Exchange] = ()) -> list[Group]:
    """The dialogue with some exchanges put in, and a twin for each that is played in the other way.

    Every statement is right in one of the two dialogues and wrong in the other. None for a dialogue of one speaker.
    ``kinds`` limits the kinds of exchange.
    """
    draw = random.Random(f"exchanges:{seed}:{source.key}")
    speakers = source.speakers
    if len(speakers) < 2:
        return []
    able = kinds or exchanges()[0]
    played = []
    for kind in draw.sample(able, k=min(len(able), draw.choice(_COUNTS))):
        first, second = draw.sample(speakers, k=2)
        played.append(play(kind, (first, second), draw))
    places = [_places(one, len(source.turns), draw) for one in played]
    casual = sum(said[:1].islower() for _, said in source.turns) > len(source.turns) / 3
    chosen = [draw.sample(range(len(one.statements)), k=min(2, len(one.statements))) for one in played]
    own: list[Couple] = []
    twins: list[Group] = []
    for number in range(len(played)):
        ways = [0] * len(played)
        back = []
        for statement in chosen[number]:
            base, at = _base(source, draw), [draw.random() for _ in played]
            others = [picked[0] for picked in chosen]
            others[number] = statement
            own.append(_couple(base, at, played, ways, others, number))
            back.append(_couple(base, at, played, _turned(ways, number), others, number))
        text = "\n".join(_with_exchanges(source, played, places, _turned(ways, number), casual))
        twins.append(Group(text, tuple(back)))
    main = "\n".join(_with_exchanges(source, played, places, [0] * len(played), casual))
    return [Group(main, tuple(own)), *twins]


def _turned(ways: Sequence[int], number: int) -> list[int]:
    return [1 - way if place == number else way for place, way in enumerate(ways)]


def _places(one: Played, turns: int, draw: random.Random) -> list[int]:
    """Before which turn of the dialogue each part of an exchange is put, in order."""
    return sorted(draw.randrange(turns + 1) for _ in one.ways[0])


def _with_exchanges(
    source: "Source", played: Sequence[Played], places: Sequence[Sequence[int]], ways: Sequence[int], casual: bool
) -> Iterator[str]:
    for number in range(len(source.turns) + 1):
        for one, mine, way in zip(played, places, ways, strict=True):
            for place, part in zip(mine, one.ways[way], strict=True):
                if place == number:
                    yield from (f"{speaker}: {_casual(said) if casual else said}" for speaker, said in part)
        if number < len(source.turns):
            speaker, said = source.turns[number]
            yield f"{speaker}: {said}"


def _casual(said: str) -> str:
    """As in a chat: no capital at the beginning, no full stop at the end."""
    return (said[:1].lower() + said[1:]).removesuffix(".")


def _base(source: "Source", draw: random.Random) -> list[str]:
    """Some sentences of the right summary, often all of them."""
    sentences = list(source.sentences)
    if draw.random() < _ALONE:
        return []
    kept = sentences if draw.random() < 0.5 else [one for one in sentences if draw.random() < 0.6]
    return [one if one.endswith((".", "!", "?")) else f"{one}." for one in kept]


def _couple(
    base: Sequence[str],
    at: Sequence[float],
    played: Sequence[Played],
    ways: Sequence[int],
    statements: Sequence[int],
    number: int,
) -> Couple:
    """Two summaries that differ in the statement about one exchange."""
    told = [one.after(way, statement) for one, way, statement in zip(played, ways, statements, strict=True)]
    both = []
    for wrong in (False, True):
        parts = [Example("", one) for one in base]
        for place, (right_one, wrong_one) in enumerate(told):
            new = wrong_one if wrong and place == number else right_one
            parts.insert(int(at[place] * (len(parts) + 1)), new)
        both.append(joined(KIND, parts))
    return Couple(*both)
