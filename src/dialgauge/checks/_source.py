"""A dialogue prepared for checks, once for all its summaries: turns, sentences, words, values, speakers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dialgauge.checks._negation import has_negation, is_refusal
from dialgauge.checks._numerals import spoken_digits
from dialgauge.checks._people import Speakers, plain
from dialgauge.checks._values import Value, values_of
from dialgauge.checks._words import WORD, Floats, lexicon
from dialgauge.corpus import Dialogue, Turn, parse_turns

_END = re.compile(r"[.!?…]+(?=\s|$)|\n+")
#: Turns in one line: "… see you . Tom: bye . Ines: bye". A name is short, and begins with a capital or a hash.
_INLINE = re.compile(r"(?:^|(?<=\s))(#\w+#|[A-Z][\w.'-]{0,24}(?: [A-Z][\w.'-]{0,24})?)\s?:\s(?!\S*//)")
_SELF = frozenset(
    ("i", "i'm", "i'll", "i've", "i'd", "im", "ill", "ive", "we", "we're", "we'll", "we've", "we'd", "me", "my")
)
_YOU = frozenset(("you", "you're", "you'll", "you've", "you'd", "u", "ur", "your", "ya", "yourself"))
_ASKED = re.compile(
    r"^(?:who|what|when|where|why|how|which|do|does|did|are|is|was|were|can|could|will|would|should|shall|have|has|may)\b",
    re.I,
)
#: What another speaker may take or leave, and how an answer begins.
_OFFERED = re.compile(
    r"\b(?:i|we)(?: (?:can|could|might|may)|['’]d| would)\b|\b(?:let['’]?s|shall|would you|if you)\b", re.I
)
_YES_NO = re.compile(
    r"\W*(?:no|nope|nah|not|yes|yeah|yep|yup|ok|okay|sure|fine|agreed|deal|of course|i['’]d rather)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a turn: who said it, whether it is a question or negated, and whom it speaks of.

    ``person`` is 0 for I or we, 1 for you, 2 for both, 3 for neither.
    """

    turn: int
    speaker: int
    span: tuple[int, int]
    person: int
    question: bool
    negated: bool
    refusal: bool


@dataclass(frozen=True, eq=False)
class Source:
    """A prepared dialogue.

    ``stems`` and ``vectors`` are the distinct content words; ``flat`` has the place of each word of the dialogue
    among them and ``starts`` where the words of each statement begin, so that one reduction gives the best match of a
    word in every statement.
    """

    turns: tuple[Turn, ...]
    speakers: Speakers
    statements: tuple[Statement, ...]
    stems: list[str]
    vectors: Floats
    flat: NDArray[np.intp]
    starts: NDArray[np.intp]
    lowers: frozenset[str]

    @cached_property
    def known_stems(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset(self.stems)

    @cached_property
    def turn_of(self) -> NDArray[np.intp]:
        """The turn of each statement."""
        return np.array([statement.turn for statement in self.statements], dtype=np.intp)

    @cached_property
    def turn_starts(self) -> NDArray[np.intp]:
        """The first statement of each turn that has one."""
        return np.flatnonzero(np.diff(self.turn_of, prepend=-1))

    @cached_property
    def spoken_by(self) -> NDArray[np.intp]:
        """The speaker of each statement."""
        return np.array([statement.speaker for statement in self.statements], dtype=np.intp)

    @cached_property
    def groups(self) -> NDArray[np.bool_]:
        """For each kind of statement (I, you, both, neither, question, any) which ones are of it."""
        person = np.array([statement.person for statement in self.statements], dtype=np.intp)
        question = np.array([statement.question for statement in self.statements], dtype=bool)
        return np.stack([*(person == kind for kind in range(4)), question, np.ones_like(question)])

    @cached_property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The values of each turn."""
        return tuple(values_of(turn.text) for turn in self.turns)

    @cached_property
    def all_values(self) -> tuple[Value, ...]:
        """The values of all turns, and those in the names of speakers."""
        named = (value for name in self.speakers.names for value in values_of(name))
        return (*(value for several in self.values for value in several), *named)

    @cached_property
    def negated_turns(self) -> tuple[bool, ...]:
        """Whether anything in each turn is negated."""
        return tuple(has_negation(turn.text) for turn in self.turns)

    def with_answers(self, turns: Sequence[int]) -> tuple[int, ...]:
        """These turns, each with the one that answers it if it asks or offers something: the answer decides."""
        both = ((k, k + 1) if k in self._answered else (k,) for k in turns)
        return tuple(dict.fromkeys(k for several in both for k in several))

    @cached_property
    def _answered(self) -> frozenset[int]:
        """The turns that ask or offer something and that another speaker answers in the next one."""
        asked = {statement.turn for statement in self.statements if statement.question}
        asked |= {k for k, turn in enumerate(self.turns) if _OFFERED.search(turn.text)}
        return frozenset(
            k
            for k, (turn, after) in enumerate(pairwise(self.turns))
            if turn.speaker != after.speaker and (k in asked or _YES_NO.match(after.text))
        )

    @cached_property
    def flat_text(self) -> str:
        """All turns in lower case, words separated by single spaces."""
        return f" {' '.join(re.sub(r'[^a-z0-9]+', ' ', turn.text.lower()).strip() for turn in self.turns)} "

    @cached_property
    def spoken(self) -> str:
        """What is spelt or read out in the turns: ids and numbers, digit by digit."""
        return " ".join(spoken_digits(turn.text) for turn in self.turns)

    @cached_property
    def initials(self) -> str:
        """The first letters of all words in order, to find what an abbreviation stands for."""
        return "".join(word[0] for turn in self.turns for word in WORD.findall(turn.text)).lower()


def turns_of(dialogue: Dialogue | Sequence[Turn] | str) -> tuple[Turn, ...]:
    """The turns of a dialogue or transcript, split where several stand in one line."""
    if isinstance(dialogue, str):
        turns = parse_turns(dialogue)
    else:
        turns = tuple(dialogue.turns if isinstance(dialogue, Dialogue) else dialogue)
    return tuple(part for turn in turns for part in _split_line(turn)) if len(turns) <= 2 else turns


def _split_line(turn: Turn) -> list[Turn]:
    marks = list(_INLINE.finditer(turn.text))
    names = {mark[1] for mark in marks} | ({turn.speaker} if turn.speaker else set())
    # A single "Note:" inside a turn is no speaker; a speaker comes back, or answers another.
    if len(names) < 2 or len(marks) < 2:
        return [turn]
    ends = [mark.start() for mark in marks[1:]] + [len(turn.text)]
    parts = [Turn(mark[1], turn.text[mark.end() : end].strip(" .|")) for mark, end in zip(marks, ends, strict=True)]
    first = turn.text[: marks[0].start()].strip(" .|")
    return [*([replace(turn, text=first)] if first else []), *parts]


@lru_cache(maxsize=512)
def prepare(turns: tuple[Turn, ...], vectors: str) -> Source:
    """The dialogue with these turns, ready to be compared with summaries."""
    words, speakers = lexicon(vectors), Speakers.of(turns)
    statements: list[Statement] = []
    places: dict[str, int] = {}
    rows: list[Floats] = []
    flat: list[int] = []
    starts: list[int] = []
    for number, turn in enumerate(turns):
        for start, end in _sentences(turn.text):
            text = turn.text[start:end]
            tokens = WORD.findall(text)
            content = [word for token in tokens if not (word := words.word(token)).stop]
            starts.append(len(flat))
            for word in content:
                place = places.setdefault(word.stem, len(places))
                if place == len(rows):
                    rows.append(word.vector)
                flat.append(place)
            if not content:  # a reduction needs one place per statement: the last row matches nothing
                flat.append(-1)
            statements.append(_statement(number, speakers.place(turn.speaker), (start, end), text, tokens))
    size = rows[0].shape[0] if rows else words.word("the").vector.shape[0]
    rows.append(np.zeros(size, dtype=np.float32))
    return Source(
        turns,
        speakers,
        tuple(statements),
        [*places, ""],
        np.stack(rows),
        np.array([place if place >= 0 else len(rows) - 1 for place in flat], dtype=np.intp),
        np.array(starts, dtype=np.intp),
        frozenset(
            form
            for turn in turns
            for token in WORD.findall(str(turn))
            for form in (token.lower().replace("’", "'"), plain(token))  # "Jo's" has the name Jo
        ),
    )


def _sentences(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for match in _END.finditer(text):
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    return [(start, end) for start, end in spans if WORD.search(text, start, end)]


def _statement(turn: int, speaker: int, span: tuple[int, int], text: str, tokens: Sequence[str]) -> Statement:
    lowers = {token.lower().replace("’", "'") for token in tokens}
    own, other = bool(lowers & _SELF), bool(lowers & _YOU)
    person = 2 if own and other else 0 if own else 1 if other else 3
    question = "?" in text[-4:] or bool(_ASKED.match(text.lstrip()) and not text.rstrip().endswith((".", "!")))
    return Statement(turn, speaker, span, person, question, has_negation(text), is_refusal(text))
