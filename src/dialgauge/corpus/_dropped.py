"""The fields that a first reading asked about and a second one does not use: they would be lost in silence."""

from collections.abc import Callable, Sequence

import polars as pl

from dialgauge.corpus._assemble import Parts
from dialgauge.corpus._corpus import FURTHER_TABLES, MAIN_TABLES
from dialgauge.corpus._fields import fields_of, without
from dialgauge.corpus._table import Table
from dialgauge.errors import InputError


def dropped_fields(table: Table, parts: Parts, questions: Sequence[str], read: Callable[[Table], Parts]) -> list[str]:
    """The fields named in ``questions`` without which the file of a table gives the same ``parts``."""
    raw, understand = table.raw, table.again
    assert raw is not None
    assert understand is not None
    named = [path for path in fields_of(raw) if any(repr(path) in text for text in questions)]

    def is_used(path: str) -> bool:
        try:
            return not _are_same(parts, read(understand(without(raw, frozenset({path})))))
        except (InputError, pl.exceptions.PolarsError):  # there is no such reading without it
            return True

    return [path for path in named if not is_used(path)]


def _are_same(one: Parts, other: Parts) -> bool:
    return all(getattr(one, name).equals(getattr(other, name)) for name in MAIN_TABLES | FURTHER_TABLES)
