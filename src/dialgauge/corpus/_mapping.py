"""What the user says about columns: the mapping of uses to columns, checked against a file."""

import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from dialgauge.corpus._names import USES
from dialgauge.errors import InputError, UnknownNameError

Mapped = Mapping[str, str | Sequence[str]]
#: A mapping's value that starts with this is a constant for every row, not the name of a column.
CONSTANT = "="
#: A use that leaves a column out, so that nothing is guessed from it.
IGNORE = "ignore"


def parse_mapping(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """A mapping from ``use=column`` strings as on the command line; ``reference`` may be given several times."""
    mapping: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        use, equals, column = pair.partition("=")
        if not equals or not use.strip() or not column:
            raise InputError(f"mapping {pair!r}: write USE=COLUMN, as in summary=hyp, or USE==TEXT for a constant")
        mapping[use.strip()] = (*mapping.get(use.strip(), ()), column)
    return mapping


def listed(given: str | Sequence[str]) -> Sequence[str]:
    """The columns that a mapping gives to one use: one, or several."""
    return (given,) if isinstance(given, str) else given


def check_mapping(frame: pl.DataFrame, mapping: Mapped) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    said: dict[str, tuple[str, ...]] = {}
    constants: dict[str, str] = {}
    for use, given in mapping.items():
        if use not in USES and use != IGNORE and not re.match(r"(dimension|meta|comment):.", use):
            raise UnknownNameError(
                "use in the mapping", use, [*USES, IGNORE], "or dimension:NAME, comment:NAME, meta:NAME"
            )
        columns = tuple(listed(given))
        if len(columns) > 1 and use not in ("reference", IGNORE):
            raise InputError(f"mapping: {use!r} was given {len(columns)} columns; only 'reference' takes several")
        if columns[0].startswith(CONSTANT):
            if use not in USES or use == "reference":
                raise InputError(f"mapping: {use!r} needs a column; a constant is not allowed there")
            constants[use] = columns[0].removeprefix(CONSTANT)
            continue
        said[use] = tuple(_column(frame, column) for column in columns)
    mapped = [column for columns in said.values() for column in columns]
    twice = next((column for column in mapped if mapped.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"mapping: the column {twice!r} is given two uses")
    return said, constants


def _column(frame: pl.DataFrame, name: str) -> str:
    """The column of this name; what is nested may be named by its path, or by its end where only one column has it."""
    if name in frame.columns:
        return name
    ends = [column for column in frame.columns if column.rpartition(".")[2] == name]
    if len(ends) > 1:
        raise InputError(
            f"mapping: several columns end in {name!r}; give one of their paths: {', '.join(sorted(ends))}"
        )
    # Layouts name columns by the ends of their paths: 'Answer.fluency' is 'fluency'.
    found = ends or [column for column in frame.columns if name.endswith(f".{column}")]
    if len(found) != 1:
        raise UnknownNameError("column in the mapping", name, frame.columns)
    return found[0]
