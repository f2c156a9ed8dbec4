"""The reading of a file as options to copy. They are tried first: what they read must be the same."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import polars as pl

from dialgauge.corpus._assemble import Parts
from dialgauge.corpus._mapping import Mapped, listed
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.errors import DialgaugeError

#: Reads the file in another way: with this mapping, and as this layout.
Reader = Callable[[Mapped, str | None], Parts]
_TABLES = ("dialogues", "summaries", "ratings", "preferences", "choices", "spans", "annotators")


@dataclass(frozen=True, slots=True)
class ToCopy:
    """Options of ``convert`` that read a file as it was read; ``whole`` if they say what every used column is."""

    options: tuple[str, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for: a mapping, a format or layout by its name, and what words mean."""

    mapping: Mapped
    format: str | None = None
    reading: ReadingSettings = field(default_factory=ReadingSettings)

    def options(self, mapping: Mapped, layout: str | None = None) -> tuple[str, ...]:
        """Options of ``convert`` for this mapping."""
        name = layout or self.format
        pairs = [f"{use}={column}" for use, given in mapping.items() for column in listed(given)]
        given = [("--map", pair) for pair in pairs]
        given += [("--scale-words", scale) for scale in self.reading.scale_words]
        given += [("--not-given", word) for word in self.reading.not_given]
        return (
            *([f"--from-format {name}"] if name else []),
            *(f"{option} {shlex.quote(text)}" for option, text in given),
        )


def options_to_copy(table: Table, plan: Plan, asked: Asked, parts: Parts, read: Reader) -> ToCopy:
    """The most telling options that read the same; without any guess, these are the options that were given."""
    if table.layout and not table.settled and _same(read, asked.mapping, table.layout, parts):
        return ToCopy(asked.options(asked.mapping, table.layout), whole=True)
    for mapping in () if table.layout or table.settled else _mappings(table, plan, asked.mapping):
        if _same(read, mapping, None, parts):
            return ToCopy(asked.options(mapping), whole=_says_all(mapping, plan, table))
    return ToCopy(asked.options(asked.mapping), whole=False)


def guesses_to_copy(plan: Plan, asked: Asked) -> ToCopy:
    """The guesses about a file that cannot be read: a start, to be changed."""
    return ToCopy(asked.options(_with_guesses(plan, asked.mapping)), whole=False)


def _mappings(table: Table, plan: Plan, said: Mapped) -> Iterator[Mapped]:
    """What the mapping may be: all guesses, then only those about columns that are in the file under these names."""
    whole = _with_guesses(plan, said)
    yield whole
    if table.raw is not None and table.raw.records is None:
        there = set(table.raw.frame.columns)
        fewer = {use: given for use, given in whole.items() if use in said or set(listed(given)) <= there}
        # A dimension that is mapped switches off the guesses about all others.
        judged = {use for use in whole if use.startswith("dimension:")}
        if not judged <= set(fewer):
            fewer = {use: given for use, given in fewer.items() if use in said or use not in judged}
        if fewer != whole:
            yield fewer


def _with_guesses(plan: Plan, said: Mapped) -> Mapped:
    return {**said, **{use: columns for use, columns in plan.uses.items() if use not in said}}


def _says_all(mapping: Mapped, plan: Plan, table: Table) -> bool:
    return set(plan.uses) <= set(mapping) and not table.further


def _same(read: Reader, mapping: Mapped, layout: str | None, parts: Parts) -> bool:
    try:
        other = read(mapping, layout)
    except (DialgaugeError, pl.exceptions.PolarsError):
        return False
    return (
        all(getattr(other, name).equals(getattr(parts, name)) for name in _TABLES)
        and other.declared == parts.declared
        and [one.too_much() for one in other.accounts] == [one.too_much() for one in parts.accounts]
        and [one.unread for one in other.accounts] == [one.unread for one in parts.accounts]
    )
