"""Split long dialogues into parts that a model can read: whole turns if they fit, and nothing is dropped."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dialgauge.corpus import Turn
from dialgauge.errors import ModelError

#: How many tokens a text has for a model.
Count = Callable[[str], int]
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[”’」』）]*")


@dataclass(frozen=True, slots=True)
class Chunks:
    """The parts of a dialogue as texts, and the turns (from 1) that had to be split, because they were too long."""

    texts: tuple[str, ...]
    split_turns: tuple[int, ...] = ()

    @property
    def note(self) -> str:
        """A note for readers of the summary; empty if the dialogue was read in one part."""
        if len(self.texts) == 1:
            return ""
        note = f"the dialogue exceeds the model's window: read in {len(self.texts)} parts, whose summaries were joined"
        if self.split_turns:
            named = ", ".join(map(str, self.split_turns))
            note += f"; {'turn' if len(self.split_turns) == 1 else 'turns'} {named} had to be split"
        return note


def chunk_turns(turns: Sequence[Turn], joint: str, room: int, count: Count) -> Chunks:
    """The turns, joined by ``joint``, in as few parts of at most ``room`` tokens as can be, of about equal length.

    A turn that does not fit by itself is split after a sentence, or else between words, or else within a word; each
    part of it is led by the speaker again. A room too small for anything is an error.
    """
    whole = joint.join(map(str, turns))
    if count(whole) <= room:
        return Chunks((whole,))
    lines: list[str] = []
    split: list[int] = []
    for number, turn in enumerate(turns, start=1):
        parts = _turn_parts(turn, room, count)
        lines += parts
        split += [number] * (len(parts) > 1)
    always = count("")  # what every part has, such as special tokens
    sizes = [count(joint + line) - always for line in lines]
    capacity = room - always
    while capacity > 0:
        texts = [joint.join(lines[begin:end]) for begin, end in _even(sizes, capacity)]
        # Tokens across a joint can be others than those of the lines; seldom, so that is looked at afterwards.
        over = max(map(count, texts)) - room
        if over <= 0:
            return Chunks(tuple(texts), tuple(split))
        capacity = max(1, capacity - over) if capacity > 1 else 0
    raise ModelError(f"a window with room for {room} tokens of text is too small for a turn of this dialogue")


def _even(sizes: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Where parts begin and end, so that there are as few as the capacity allows and none is longer than need be.

    Without the second wish the last part may be a lonely "Bye".
    """
    fewest = len(_packed(sizes, capacity))
    low, high = 1, max(capacity, 1)
    while low < high:
        middle = (low + high) // 2
        if len(_packed(sizes, middle)) > fewest:
            low = middle + 1
        else:
            high = middle
    return _packed(sizes, low)


def _packed(sizes: Sequence[int], capacity: int) -> list[tuple[int, int]]:
    """Parts filled one after the other; a line beyond the capacity is a part of its own."""
    bounds: list[tuple[int, int]] = []
    begin = filled = 0
    for i, size in enumerate(sizes):
        if i > begin and filled + size > capacity:
            bounds.append((begin, i))
            begin, filled = i, 0
        filled += size
    return [*bounds, (begin, len(sizes))]


def _turn_parts(turn: Turn, room: int, count: Count) -> list[str]:
    parts = []
    text = turn.text
    while text:
        end = _cut(turn, text, room, count)
        parts.append(_said(turn, text[:end].rstrip()))
        text = text[end:].lstrip()
    return parts or [str(turn)]


def _cut(turn: Turn, text: str, room: int, count: Count) -> int:
    """How many characters of a text make the next part."""
    if count(_said(turn, text)) <= room:
        return len(text)
    low, high = 0, len(text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count(_said(turn, text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    if low == 0:
        raise ModelError(
            f"a window with room for {room} tokens of text is too small for a word of {turn.speaker or 'the dialogue'}"
        )
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, low)]
    return ends[-1] if ends else max(text.rfind(" ", 0, low + 1), 0) or low


def _said(turn: Turn, text: str) -> str:
    return str(Turn(turn.speaker, text))
