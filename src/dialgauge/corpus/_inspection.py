"""What a file looks like, before it is read."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._assemble import RATINGS_ALONE, assemble, assemble_ratings
from dialgauge.corpus._corpus import FURTHER_TABLES, Corpus
from dialgauge.corpus._folder import read_folder
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._plan import Column, Plan
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._reading import best_reading
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._understand import format_of, plan_of, understood
from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file looks like: format, encoding, columns and how each is used, first rows.

    ``found`` counts what would be read with these guesses; ``problems`` are the rows that would be skipped;
    ``language`` is what all dialogues declare; ``layout`` is the layout that was recognised by sight, ``account``
    what would become of the judgements, and ``map_options`` the guesses as options to copy.
    """

    path: str
    format: str
    why: str
    encoding: str | None
    rows: int
    columns: tuple[Column, ...]
    first_rows: pl.DataFrame
    found: Mapping[str, int]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    language: str | None = None
    layout: str | None = None
    account: Account | None = None
    map_options: tuple[str, ...] = ()


def inspect_file(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    first: int = 5,
    reading: ReadingSettings | None = None,
) -> Inspection:
    """Inspect a file: how its columns are used and why, and what would be read."""
    path = Path(path)
    entry, why, layout = format_of(path, format)
    if entry.load is None:
        return _inspect_folder(path, why, first)
    asked = reading or ReadingSettings()
    loaded, mapping = entry.load(path), mapping or {}
    try:
        table = best_reading(loaded, path, mapping, layout, asked)[0]
    except InputError:
        table = understood(loaded, str(path), mapping, layout)
    plan = plan_of(table, {} if table.settled else mapping)
    tried = _try(table, plan, asked)
    return Inspection(
        path=str(path),
        format=entry.name,
        why=why,
        encoding=table.encoding,
        rows=table.frame.height,
        columns=plan.columns,
        first_rows=table.frame.head(first),
        found=tried.found,
        notes=tried.notes,
        problems=tried.problems,
        language=tried.language,
        layout=table.layout,
        account=tried.account,
        map_options=_map_options(table, plan),
    )


def _map_options(table: Table, plan: Plan) -> tuple[str, ...]:
    """The guesses as options to copy; a layout that is known by sight needs its name only."""
    if table.settled:  # its columns are not called so in the file
        return ()
    if table.layout:
        return (f"--from-format {table.layout}",)
    pairs = [f"{use}={column.name}" for column in plan.columns if (use := column.use) is not None]
    return tuple(f"--map {shlex.quote(pair)}" for pair in pairs)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What reading a table would give."""

    found: dict[str, int]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    language: str | None = None
    account: Account | None = None


def _try(table: Table, plan: Plan, asked: ReadingSettings) -> _Tried:
    """Counts, notes, problems and the language that reading the table would give."""
    try:
        parts = assemble(table, plan, asked)
    except InputError as error:
        reason = str(error)
    else:
        counts = {name: getattr(parts, name).height for name in ("dialogues", "summaries", "ratings")}
        counts |= {name: getattr(parts, name).height for name in FURTHER_TABLES if getattr(parts, name).height}
        language = Corpus(parts.dialogues).language
        return _Tried(counts, parts.notes, parts.problems, language, parts.accounts[0])
    notes = (*table.notes, *plan.notes)
    try:
        alone = assemble_ratings(table, plan, asked)
    except InputError:
        return _Tried({}, (*notes, reason), table.problems)
    return _Tried({"ratings": alone.ratings.height}, (*alone.notes, RATINGS_ALONE), alone.problems, None, alone.account)


def _inspect_folder(path: Path, why: str, first: int) -> Inspection:
    parts, info = read_folder(path, {})
    columns = [
        Column(name, str(dtype), frame.height - frame[name].null_count(), table, "the layout of the folder")
        for table, frame in (("dialogues", parts.dialogues), ("summaries", parts.summaries), ("ratings", parts.ratings))
        for name, dtype in frame.schema.items()
    ]
    return Inspection(
        path=str(path),
        format="dialgauge",
        why=why,
        encoding=None,
        rows=parts.summaries.height,
        columns=tuple(columns),
        first_rows=parts.summaries.head(first),
        found={name: getattr(parts, name).height for name in ("dialogues", "summaries", "ratings")},
        notes=parts.notes,
        problems=parts.problems,
        language=Corpus(parts.dialogues, info=info).language,
    )
