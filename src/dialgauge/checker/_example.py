"""A summary made from another one, with the places where it is wrong."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
#: The kind of an example that people called right or wrong.
LABELLED = "labelled"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Example:
    """A summary that is right (no span in ``wrong``) or wrong at some places, and the kind of edit that made it.

    Without ``marked`` it is only known that some of the places are wrong.
    """

    kind: str
    text: str
    wrong: tuple[Span, ...] = ()
    marked: bool = True

    @property
    def right(self) -> bool:
        """Whether nothing in it is wrong."""
        return not self.wrong


@dataclass(frozen=True, slots=True)
class Couple:
    """A right and a wrong summary of the same dialogue that differ in one edit."""

    right: Example
    wrong: Example


@dataclass(frozen=True, slots=True)
class Group:
    """A dialogue as the checker reads it, and couples of summaries."""

    dialogue: str
    couples: tuple[Couple, ...]

    @property
    def labelled(self) -> bool:
        """Whether people, not rules, say what is wrong."""
        return any(couple.wrong.kind == LABELLED for couple in self.couples)

    @property
    def examples(self) -> list[Example]:
        """The summaries, right ones first, no text twice."""
        found: dict[str, Example] = {}
        for one in (*(couple.right for couple in self.couples), *(couple.wrong for couple in self.couples)):
            found.setdefault(one.text, one)
        return list(found.values())


@dataclass(frozen=True, slots=True)
class Replacement:
    """A new text for a span; ``wrong`` says whether it makes the summary wrong there."""

    start: int
    end: int
    text: str
    wrong: bool = True


def replaced(example: Example, kind: str, replacements: Iterable[Replacement]) -> Example:
    """The example after these replacements, which must not overlap. Older spans are kept where they now lie.

    Where something is left out, the word that follows (at the end: the one before) is marked.
    """
    pieces: list[str] = []
    wrong: list[Span] = []
    moved: list[tuple[int, int]] = []
    position = length = 0
    for one in sorted(replacements, key=lambda one: one.start):
        pieces += (example.text[position : one.start], one.text)
        length += one.start - position
        if one.wrong:
            wrong.append((length, length + len(one.text)))
        length += len(one.text)
        position = one.end
        moved.append((one.end, length - one.end))
    text = "".join([*pieces, example.text[position:]])
    marks = [_visible(text, span) for span in wrong]
    kept = [span for old in example.wrong if (span := _moved(old, moved, len(text))) is not None]
    marks += [_visible(text, span) for span in kept]
    return Example(kind, text, tuple(sorted(set(marks))))


def _moved(span: Span, moved: Sequence[tuple[int, int]], length: int) -> Span | None:
    start, end = (position + _shift(position, moved) for position in span)
    return (start, end) if 0 <= start < end <= length else None


def _shift(position: int, moved: Sequence[tuple[int, int]]) -> int:
    """How far a position has moved: as far as the last replacement before it moved what follows."""
    return next((following for end, following in reversed(moved) if end <= position), 0)


def _visible(text: str, span: Span) -> Span:
    """The span without white space at its ends; an empty one becomes the nearest word."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        return start, end
    following = _WORD.search(text, start)
    if following:
        return following.span()
    before = [match.span() for match in _WORD.finditer(text, 0, start)]
    return before[-1] if before else (0, len(text))


def joined(kind: str, examples: Sequence[Example], separator: str = " ") -> Example:
    """Examples one after the other."""
    text, wrong = "", []
    for one in examples:
        begin = len(text) + len(separator) if text else 0
        text = f"{text}{separator}{one.text}" if text else one.text
        wrong += [(begin + start, begin + end) for start, end in one.wrong]
    return Example(kind, text, tuple(wrong))


def lower_cased(example: Example) -> Example:
    """In lower case and with marks set apart, as some systems write."""
    text = example.text.lower()
    if len(text) != len(example.text):
        return example
    marks = [m.start() for m in re.finditer(r"(?<=\w)[.,!?;:](?=\s|$)", text)]
    return replaced(
        Example(example.kind, text, example.wrong), example.kind, [Replacement(m, m, " ", wrong=False) for m in marks]
    )
