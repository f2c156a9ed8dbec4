"""Dialogues made like calls: several between two people joined under roles or new names, in the words of a transcript.

Calls are longer than chats, speakers have roles (agent, customer), numbers are spelt out, words repeat, and punctuation
may be missing. Summaries are joined and speak of "the agent", too; what was wrong in them stays marked.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.checker._example import Couple, Example, Group, Replacement, joined, replaced

ROLES = (
    ("Agent", "Customer"), ("Agent", "Caller"), ("Sales Representative", "Customer"), ("Sales Rep", "Client"),
    ("Advisor", "Client"), ("Representative", "Customer"), ("Support", "User"), ("Operator", "Caller"),
    ("Seller", "Buyer"), ("Employee", "Client"), ("Consultant", "Client"), ("Interviewer", "Guest"),
    ("Manager", "Customer"), ("Salesperson", "Prospect"),
)  # fmt: skip
_NAMES = (
    "Sarah", "James", "Maria", "Peter", "Linda", "Ahmed", "Priya", "Helen", "George", "Nina", "Oscar", "Ruth", "Laura",
    "Victor", "Grace", "Daniel", "Chloe", "Ivan", "Megan", "Owen", "Carla", "Felix", "Ravi", "Beth", "Simon", "Diana",
)  # fmt: skip
_OPENINGS = (
    "Good morning, thank you for calling. How can I help you today?", "Hello, how are you doing today?",
    "Thank you for holding.", "Good afternoon, you're through to the service team.", "Thanks for taking my call.",
)  # fmt: skip
_CLOSINGS = (
    "Is there anything else I can help you with?", "No, that's all, thank you.", "Great, thanks for your time.",
    "Have a nice day.", "All right, bye now.", "You're welcome, take care.",
)  # fmt: skip
_FILLERS = ("um", "uh", "well", "so", "like", "yeah", "actually", "okay", "you know", "I mean", "let's see")
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MARKS = re.compile(r"[\"“”;:()]|(?<=\w)[.,!?]+(?=\s|$)|\.\.+|<[^>]*>")
_MONEY = re.compile(r"([$£€])\s?(\d{1,3}(?:,\d{3})+|\d+)(?![\d.,]*\d)")
_CURRENCY = {"$": "dollars", "£": "pounds", "€": "euros"}
_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b")
_NUMBER = re.compile(r"(?<![\w.#])(\d{1,3}(?:,\d{3})+|\d{1,6})(?![\w#]|\.\d)")
_SENTENCE_END = re.compile(r"[.!?]\s+$")
#: How often speakers have new names instead of roles, and how often a transcript looks like speech.
_NAMED, _SPOKEN = 0.3, 0.65
_SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class _Style:
    """How a transcript is written."""

    numbers: bool
    marks: bool
    fillers: float
    lower: bool

    @classmethod
    def drawn(cls, draw: random.Random) -> "_Style":
        if draw.random() >= _SPOKEN:
            return cls(False, True, 0.0, False)
        return cls(draw.random() < 0.6, draw.random() < 0.5, draw.choice((0.0, 0.0, 0.02, 0.05)), draw.random() < 0.35)


def call_like(groups: Sequence[Group], seed: int | str = 0) -> Group | None:
    """One dialogue of several, each between two speakers, as a call between the same two people.

    The couples of every group become couples of the call; the other parts of their summaries are right. None where a
    group has not exactly two speakers with names of three letters or more, or no couple.
    """
    draw = random.Random(f"calls:{seed}")
    if not groups or not all(usable(group) for group in groups):
        return None
    named = draw.random() < _NAMED
    heads = tuple(draw.sample(_NAMES, k=2)) if named else draw.choice(ROLES)
    people = heads if named else tuple(draw.sample(_NAMES, k=2))
    style = _Style.drawn(draw)
    turns: list[tuple[int, str]] = []
    parts: list[tuple[Group, Mapping[str, int]]] = []
    for group in groups:
        speakers = _speakers(group)
        first = draw.randrange(2)
        places = {name: (number + first) % 2 for number, name in enumerate(speakers)}
        who = {form: places[name] for name in speakers for form in _forms(name)}
        for name, said in _turns(group):
            turns.append((places[name], _renamed(Example("", said), who, lambda place, _: people[place]).text))
        parts.append((group, who))
    if draw.random() < 0.5:
        turns.insert(0, (0, draw.choice(_OPENINGS)))
    if draw.random() < 0.5:
        turns += [(0, draw.choice(_CLOSINGS)), (1, draw.choice(_CLOSINGS))]
    text = "\n".join(f"{heads[place]}: {_spoken(said, style, draw)}" for place, said in turns)
    couples = tuple(_couples(parts, lambda place, start: _mention(heads[place], named, start), draw))
    return Group(text, couples) if couples else None


def usable(group: Group) -> bool:
    """Whether a group has two speakers with names that can be found in its summaries, and couples."""
    speakers = _speakers(group)
    lines = group.dialogue.splitlines()
    return (
        len(speakers) == 2
        and bool(group.couples)
        and len(_turns(group)) == len(lines)
        and all(len(name) >= _SHORTEST_NAME and name[0].isupper() for name in speakers)
        and speakers[0].split()[0].lower() != speakers[1].split()[0].lower()
    )


def _turns(group: Group) -> list[tuple[str, str]]:
    found = (line.partition(": ") for line in group.dialogue.splitlines())
    return [(name, said) for name, mark, said in found if mark]


def _speakers(group: Group) -> list[str]:
    return list(dict.fromkeys(name for name, _ in _turns(group)))


def _forms(name: str) -> tuple[str, ...]:
    """A name in full and, if it is not a title, its first word."""
    short = name.split()[0]
    titles = ("mr", "mrs", "ms", "the", "dr", "mr.", "mrs.", "ms.", "dr.")
    return (name, short) if len(short) >= _SHORTEST_NAME and short.lower() not in titles else (name,)


def _renamed(example: Example, who: Mapping[str, int], new: Callable[[int, bool], str]) -> Example:
    """The example with new names; marks of what is wrong move along, and a renamed wrong name stays marked."""
    pattern = "|".join(re.escape(form) for form in sorted(who, key=len, reverse=True))
    table = {form.lower(): place for form, place in who.items()}
    changes = []
    for match in re.finditer(rf"(?<![\w#])(?:{pattern})(?![\w#])", example.text, re.IGNORECASE):
        lower = match[0][0].islower()
        first = match.start() == 0 or _SENTENCE_END.search(example.text[: match.start()]) is not None
        text = new(table[match[0].lower()], first)
        wrong = any(start < match.end() and match.start() < end for start, end in example.wrong)
        changes.append(Replacement(match.start(), match.end(), text.lower() if lower else text, wrong))
    untouched = tuple(
        span for span in example.wrong if not any(span[0] < one.end and one.start < span[1] for one in changes)
    )
    return replaced(Example(example.kind, example.text, untouched), example.kind, changes)


def _mention(head: str, named: bool, start: bool) -> str:
    if named:
        return head
    return f"{'The' if start else 'the'} {head.lower()}"


def _couples(
    parts: Sequence[tuple[Group, Mapping[str, int]]], mention: Callable[[int, bool], str], draw: random.Random
) -> list[Couple]:
    """The couples of each part, with right summaries of the other parts before and after."""
    found = []
    for number, (group, who) in enumerate(parts):
        for couple in draw.sample(group.couples, k=min(len(group.couples), 6 if len(parts) == 1 else 3)):
            around = [_renamed(draw.choice(other.couples).right, names, mention) for other, names in parts]
            both = []
            for one in (couple.right, couple.wrong):
                pieces = [*around[:number], _renamed(one, who, mention), *around[number + 1 :]]
                both.append(joined(one.kind, pieces))
            if both[1].wrong and both[0].text != both[1].text:
                found.append(Couple(Example("call", both[0].text), both[1]))
    return found


def _spoken(said: str, style: _Style, draw: random.Random) -> str:
    """A turn as a transcript of speech has it."""
    if style.numbers:
        said = _MONEY.sub(lambda m: f"{spelled(int(m[2].replace(',', '')))} {_CURRENCY[m[1]]}", said)
        said = _CLOCK.sub(lambda m: _clock(int(m[1]), int(m[2])), said)
        said = _NUMBER.sub(lambda m: spelled(int(m[1].replace(",", ""))), said)
    if not style.marks:
        said = _MARKS.sub(" ", said)
    words: list[str] = []
    for word in said.split():
        if draw.random() < style.fillers:
            words.append(draw.choice(_FILLERS))
        words.append(word)
        if draw.random() < style.fillers * 0.6:
            words.append(word.strip(".,!?"))
    text = " ".join(words)
    return text.lower() if style.lower else text


def _clock(hours: int, minutes: int) -> str:
    if minutes == 0:
        return f"{spelled(hours)} o'clock"
    return f"{spelled(hours)} {'oh ' if minutes < 10 else ''}{spelled(minutes)}"


def spelled(number: int) -> str:
    """A number in words, as people say it."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f" {_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = number % 100
        return f"{_ONES[number // 100]} hundred" + (f" and {spelled(rest)}" if rest else "")
    rest = number % 1000
    return f"{spelled(number // 1000)} thousand" + (f" {spelled(rest)}" if rest else "")
