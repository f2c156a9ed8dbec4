"""Ratings in a file of their own, alone or added to a corpus."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._assemble import RatingParts, assemble_ratings, in_order
from dialgauge.corpus._checks import ROW
from dialgauge.corpus._conserved import lost_fields
from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._joined_ids import with_systems
from dialgauge.corpus._likely import likely_names
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._memory import load_memory
from dialgauge.corpus._people import people_in, with_people
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._reading import with_directions
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._understand import format_of, in_memory, load, plan_of, understood
from dialgauge.corpus._words import reading_with
from dialgauge.errors import InputError


def read_ratings(
    source: object,
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    strict: bool = False,
    reading: ReadingSettings | None = None,
) -> tuple[pl.DataFrame, tuple[Problem, ...]]:
    """Ratings from a file or table of their own, and the rows that were skipped.

    The file names dialogue, system and annotator in each row, with ``dimension`` and ``value`` or a column for each
    dimension. :func:`add_ratings` does this and compares the keys with those of a corpus.
    """
    asked = reading or ReadingSettings()
    with reading_with(asked.words()):
        table, parts = _ratings_table(source, format, mapping or {}, None, asked)
    if strict:
        raise_if_any(parts.problems, table.place(0)[0], limit=None)
    return parts.ratings.drop(ROW), parts.problems


def add_ratings(
    corpus: Corpus,
    source: object,
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    strict: bool = False,
    reading: ReadingSettings | None = None,
) -> Corpus:
    """The corpus with the ratings of a separate file or table in memory (:func:`read_ratings` describes its layout).

    Rows that cannot be read, ratings of summaries that are not in the corpus and duplicate ratings are skipped and
    reported in ``problems`` with file and line; ``strict`` raises instead and lists them all. ``mapping`` is that of
    this file: ``{"scale": "=1-5"}`` sets one scale for all ratings. What had to be assumed, and names that the corpus
    does not have with what they probably mean, is added to ``notes``. An id that joins dialogue and system
    (``call-1__bart``) is split where both parts are names of the corpus. Prolific's export of its participants is
    joined to the annotators instead.
    """
    asked = reading or ReadingSettings()
    try:
        with reading_with(asked.words()):
            table, parts = _ratings_table(source, format, mapping or {}, corpus, asked)
    except InputError:
        people = people_in(_raw(source, format))
        if people is None:
            raise
        return with_people(corpus, people)
    name = Path(source).name if isinstance(source, str | PathLike) else table.place(0)[0]
    ratings = parts.ratings
    more = corpus.with_ratings(ratings.drop(ROW))
    unused = []
    lost: Counter[str] = Counter()
    gone: set[int] = set()
    for problem in more.problems[len(corpus.problems) :]:
        assert problem.line is not None
        row = ratings[ROW][problem.line - 1]
        file, line = table.place(row)
        unused.append(replace(problem, file=file, line=line))
        if ratings["value"][problem.line - 1] is not None:
            lost[problem.reason] += 1
        gone.add(row)
    problems = in_order(parts.problems, unused)
    if strict:
        raise_if_any(problems, name, limit=None)
    said = (*parts.notes, *likely_names(ratings, corpus.summaries))
    notes = (*corpus.notes, *(f"{name}: {text}" for text in said))
    known = {one.name: one for one in (*parts.declared, *corpus.declared)}
    account = _with_lost(parts.account, lost, len(gone))
    more = replace(
        more,
        problems=(*corpus.problems, *problems),
        notes=notes,
        declared=tuple(known[name] for name in sorted(known)),
        accounts=(*corpus.accounts, account),
    )
    mine = {name: direction for name, direction in asked.by_dimension().items() if name in set(ratings["dimension"])}
    return with_directions(more, mine)


def _raw(source: object, format: str | None) -> Table:
    """The rows of a file or table as they are, before anything is understood."""
    if not isinstance(source, str | PathLike):
        return load_memory(source)
    path = Path(source)
    entry, _, _ = format_of(path, format)
    return entry.load(path) if entry.load is not None else Table(pl.DataFrame(), lambda row: (str(path), None))


def _with_lost(account: Account, lost: Mapping[str, int], rows: int) -> Account:
    """The account of a file whose ratings were then compared with a corpus."""
    left_out = Counter(account.left_out)
    left_out.update(lost)
    return replace(
        account,
        stored=account.stored - sum(lost.values()),
        left_out=dict(sorted(left_out.items())),
        rows_left_out=account.rows_left_out + rows,
    )


def _ratings_table(
    source: object, format: str | None, mapping: Mapped, corpus: Corpus | None, asked: ReadingSettings
) -> tuple[Table, RatingParts]:
    """The rows of a file of ratings, and what was read from them."""
    if isinstance(source, str | PathLike):
        path = Path(source)
        entry, _, layout = format_of(path, format)
        if entry.load is None:
            raise InputError(f"{path}: is a corpus, not a file of ratings; read it with read_corpus")
        table = load(path, entry, mapping, layout)
    else:
        loaded = in_memory(source, format)
        table = understood(loaded, loaded.place(0)[0], mapping, format)
    try:
        plan = plan_of(table, mapping)
        if corpus is not None and not plan.has("system") and plan.has("dialogue_id"):
            table = with_systems(table, plan, corpus)
            plan = plan_of(table, mapping)
        parts = assemble_ratings(table, plan, asked)
    except InputError as error:
        raise InputError(f"{table.place(0)[0]}: {error}") from error

    def again(other: Table) -> RatingParts:
        if corpus is not None and not (found := plan_of(other, mapping)).has("system") and found.has("dialogue_id"):
            other = with_systems(other, found, corpus)
        return assemble_ratings(other, plan_of(other, mapping), asked)

    lost = lost_fields(table, plan, parts, mapping, again)
    return table, replace(
        parts, account=replace(parts.account, nowhere=(*parts.account.nowhere, *lost))
    ) if lost else parts
