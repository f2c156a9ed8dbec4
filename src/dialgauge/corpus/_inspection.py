"""What a file looks like, before it is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._assemble import RATINGS_ALONE, Parts, assemble_ratings
from dialgauge.corpus._corpus import FURTHER_TABLES, Corpus
from dialgauge.corpus._folder import read_folder
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._plan import Column, Plan
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._reading import best_reading
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._to_copy import Asked, guesses_to_copy, options_to_copy
from dialgauge.corpus._understand import format_of, plan_of, understood
from dialgauge.corpus._words import reading_with
from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file looks like: format, encoding, columns and how each is used, first rows.

    ``found`` counts what would be read with these guesses; ``problems`` are the rows that would be skipped;
    ``language`` is what all dialogues declare; ``layout`` is the layout that was recognised by sight, ``account``
    what would become of the judgements. ``map_options`` are options of ``convert`` that read the same;
    ``map_is_whole`` says whether they name every column that is used, and ``readable`` whether anything is read.
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
    map_is_whole: bool = False
    readable: bool = True


def inspect_file(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    first: int = 5,
    reading: ReadingSettings | None = None,
) -> Inspection:
    """Inspect a file: how its columns are used and why, and what would be read."""
    settings = reading or ReadingSettings()
    given = Asked(mapping or {}, format, settings)
    with reading_with(settings.words()):
        return _inspect(Path(path), given, settings, first)


def _inspect(path: Path, given: Asked, settings: ReadingSettings, first: int) -> Inspection:
    entry, why, layout = format_of(path, given.format)
    if entry.load is None:
        return _inspect_folder(path, why, first)
    loaded = entry.load(path)

    def read(mapping: Mapped, layout: str | None) -> tuple[Table, Parts]:
        return best_reading(loaded, path, mapping, layout, settings)

    parts: Parts | None = None
    try:
        table, parts = read(given.mapping, layout)
    except InputError as error:
        table = understood(loaded, str(path), given.mapping, layout)
        plan = plan_of(table, given.mapping)
        tried = _try_ratings(table, plan, settings, str(error).removeprefix(f"{path}: "))
        to_copy = guesses_to_copy(plan, given)
    else:
        plan = plan_of(table, {} if table.settled else given.mapping)
        tried = _tried(parts)
        to_copy = options_to_copy(
            table, plan, given, parts, lambda mapping, name: read(mapping, layout if name is None else name)[1]
        )
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
        map_options=to_copy.options,
        map_is_whole=to_copy.whole,
        readable=parts is not None and not any(one.unread for one in parts.accounts),
    )


@dataclass(frozen=True, slots=True)
class _Tried:
    """What reading a table would give."""

    found: dict[str, int]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    language: str | None = None
    account: Account | None = None


def _tried(parts: Parts) -> _Tried:
    """Counts, notes, problems and the language of what was read."""
    counts = {name: getattr(parts, name).height for name in ("dialogues", "summaries", "ratings")}
    counts |= {name: getattr(parts, name).height for name in FURTHER_TABLES if getattr(parts, name).height}
    return _Tried(counts, parts.notes, parts.problems, Corpus(parts.dialogues).language, parts.accounts[0])


def _try_ratings(table: Table, plan: Plan, asked: ReadingSettings, reason: str) -> _Tried:
    """What a file that cannot be read by itself would add to a corpus: ratings, or nothing, for this reason."""
    try:
        alone = assemble_ratings(table, plan, asked)
    except InputError:
        return _Tried({}, (*table.notes, *plan.notes, reason), table.problems)
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
        map_is_whole=True,
    )
