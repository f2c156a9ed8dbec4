"""The texts of a project. They never change once stored, so each is read from the database once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._answers import Subject
from dialgauge.annotate._protocol import AnnotateSection, Dimension

Text = TypeVar("Text")
#: The maximum number of texts in memory; others are dropped and read again.
_MOST = 50_000
_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class DialogueText:
    """A dialogue as it was stored."""

    dialogue_id: str
    language: str | None
    turns: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A summary as it was stored, with what annotators must not see."""

    id: int
    system: str
    variant: str
    role: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item as it was stored."""

    id: int
    kind: str
    purpose: str
    dialogue: int
    role: str
    reference: int | None
    expected: Any  # training and checks: the right values; adjudication: what the others gave
    feedback: str | None
    subject: str | None


class Library:
    """Dialogues, summaries and items by their numbers."""

    def __init__(self) -> None:
        self._dialogues: dict[int, DialogueText] = {}
        self._summaries: dict[int, SummaryText] = {}
        self._items: dict[int, ItemText] = {}

    def dialogue(self, connection: Connection, number: int) -> DialogueText:
        """One dialogue."""
        found = self._dialogues.get(number)
        if found is None:
            row = connection.execute(sa.select(t.dialogue).where(t.dialogue.c.id == number)).one()
            found = DialogueText(row.dialogue_id, row.language, tuple(row.turns))
            _make_room(self._dialogues)
            self._dialogues[number] = found
        return found

    def summaries(self, connection: Connection, numbers: Sequence[int]) -> list[SummaryText]:
        """Summaries in the order asked for."""
        found = _known(self._summaries, numbers)
        if absent := [number for number in numbers if number not in found]:
            _make_room(self._summaries)
            for row in _rows(connection, t.summary, absent):
                found[row.id] = SummaryText(row.id, row.system, row.variant, row.role, row.kind, row.text)
            self._summaries |= found
        return [found[number] for number in numbers]

    def items(self, connection: Connection, numbers: Sequence[int]) -> list[ItemText]:
        """Items in the order asked for."""
        found = _known(self._items, numbers)
        if absent := [number for number in numbers if number not in found]:
            _make_room(self._items)
            for row in _rows(connection, t.item, absent):
                values = (row.id, row.kind, row.purpose, row.dialogue, row.role, row.reference)
                found[row.id] = ItemText(*values, row.expected, row.feedback, row.subject)
            self._items |= found
        return [found[number] for number in numbers]

    def subject(
        self, connection: Connection, item: ItemText, shown: Sequence[int], dimensions: tuple[Dimension, ...]
    ) -> Subject:
        """What an answer to this item is validated against."""
        summaries = tuple(summary.text for summary in self.summaries(connection, shown))
        reference = None if item.reference is None else self.summaries(connection, [item.reference])[0].text
        turns = tuple(turn["text"] for turn in self.dialogue(connection, item.dialogue).turns)
        return Subject(item.kind, dimensions, summaries, reference, turns)


def _known(texts: dict[int, Text], numbers: Sequence[int]) -> dict[int, Text]:
    """Those of the texts that are in memory, by number: another thread may make room at any moment."""
    looked_up = ((number, texts.get(number)) for number in numbers)
    return {number: text for number, text in looked_up if text is not None}


def _rows(connection: Connection, table: sa.Table, numbers: Sequence[int]) -> Iterator[Any]:
    """The rows with these numbers; databases limit how many one question may name."""
    for start in range(0, len(numbers), _AT_ONCE):
        yield from connection.execute(sa.select(table).where(table.c.id.in_(numbers[start : start + _AT_ONCE])))


def _make_room(texts: dict[int, Any]) -> None:
    if len(texts) > _MOST:
        texts.clear()


def dimensions_of_pass(section: AnnotateSection, number_of_pass: int) -> tuple[Dimension, ...]:
    """The dimensions asked in a pass; 0 stands for all of them together."""
    if number_of_pass == 0:
        return tuple(section.dimensions)
    return (section.dimensions[number_of_pass - 1],)
