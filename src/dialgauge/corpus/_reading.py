"""Read corpora in any of the formats."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._assemble import Parts, assemble
from dialgauge.corpus._conserved import lost_fields
from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._dropped import dropped_fields
from dialgauge.corpus._fields import fields_of
from dialgauge.corpus._folder import read_folder
from dialgauge.corpus._formats import Format
from dialgauge.corpus._keys_of_letters import keys_to, with_keys_applied
from dialgauge.corpus._mapping import CONSTANT, IGNORE, Mapped, listed
from dialgauge.corpus._problems import raise_if_any
from dialgauge.corpus._scale_ends import unsaid_ranks
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import Direction
from dialgauge.corpus._understand import format_of, in_memory, plan_of, understood
from dialgauge.corpus._who_answered import people_left_out, without_people
from dialgauge.corpus._words import reading_with
from dialgauge.corpus.structure import ASKED, read_by_structure
from dialgauge.errors import InputError


def read_corpus(
    source: object,
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    system: str | None = None,
    language: str | None = None,
    strict: bool = False,
    reading: ReadingSettings | None = None,
) -> Corpus:
    """Read a corpus from a file, a folder, a pattern of files (``calls/*.json``), or a table in memory.

    The format of a file is recognised by its name unless it is given. A table in memory is a data frame of pandas or
    Polars, an Arrow table, a data set of the ``datasets`` package or a list of dicts; it is read by the same rules.
    ``system`` names the system that wrote all summaries, where no column does.

    Layouts of annotation tools, crowd platforms and published data are recognised by their keys and named in
    ``notes``; ``format`` may also name one. ``reading`` says what to do with HTML and repeated ratings,
    and has directions and words of scales.

    ``mapping`` says which column serves which use where the names do not (``{"summary": "hyp"}``; see
    :func:`inspect_file` for what is guessed without it). ``language`` is that of the dialogues whose rows do not
    declare one, as in ``"fr"``. Invalid rows are skipped and reported in
    ``problems`` with file, line, key and reason; with ``strict`` they raise an :class:`InputError` that lists them.
    """
    asked = reading or ReadingSettings()
    mapping = mapping or {}
    if system is not None:
        mapping = {**mapping, "system": f"{CONSTANT}{system}"}
    with reading_with(asked.words()):
        parts, info = _read(source, format, mapping, asked)
    if strict:
        raise_if_any(parts.problems, str(source) if isinstance(source, str | PathLike) else "table", limit=None)
    if language is not None:
        info = replace(info, language=language)
    return with_directions(parts.corpus(info), asked.by_dimension())


def _read(source: object, format: str | None, mapping: Mapped, asked: ReadingSettings) -> tuple[Parts, CorpusInfo]:
    if isinstance(source, str | PathLike):
        path = Path(source)
        entry, _, layout = format_of(path, format)
        return _read_parts(path, entry, mapping, layout, asked)
    loaded = in_memory(source, format)
    _, parts = best_reading(loaded, loaded.place(0)[0], mapping, format, asked)
    return parts, CorpusInfo(ratings_origin="constructed") if parts.constructed else CorpusInfo()


def with_directions(corpus: Corpus, directions: Mapping[str, Direction]) -> Corpus:
    """The corpus with the directions that the user gives to dimensions."""
    if not directions:
        return corpus
    known = {one.name: one for one in corpus.declared}
    for name, direction in directions.items():
        known[name] = replace(corpus.dimension(name), direction=direction, said_by="user")
    return replace(corpus, declared=tuple(known[name] for name in sorted(known)))


def _read_parts(
    path: Path, entry: Format, mapping: Mapped, layout: str | None, asked: ReadingSettings
) -> tuple[Parts, CorpusInfo]:
    if entry.load is None:
        return read_folder(path, mapping)
    _, parts = best_reading(entry.load(path), path, mapping, layout, asked)
    name = path.name.removesuffix(".gz").removesuffix(Path(path.name.removesuffix(".gz")).suffix)
    return parts, CorpusInfo(name=name or "corpus", ratings_origin="constructed" if parts.constructed else "human")


def best_reading(
    loaded: Table, path: Path | str, mapping: Mapped, layout: str | None, asked: ReadingSettings
) -> tuple[Table, Parts]:
    """What names and layouts say of a source; where that leaves something unread, what its structure says.

    The second counts only if it reads everything, is asked by the same checks, and uses every field that the first
    asked about.
    """
    parts = {*loaded.unread, *(part.name for part in (*loaded.parts, *loaded.left))}
    mapping, gone = people_left_out(mapping, {*parts, *fields_of(loaded)} if IGNORE in mapping else parts)
    table, read = _best_reading(loaded, path, mapping, layout, asked, gone)
    return table, without_people(read, gone)


def _best_reading(
    loaded: Table, path: Path | str, mapping: Mapped, layout: str | None, asked: ReadingSettings, gone: frozenset[str]
) -> tuple[Table, Parts]:
    try:
        table = understood(loaded, str(path), mapping, layout)
        first, failed = (table, _assembled(table, mapping, asked, str(path), gone)), None
    except InputError as error:
        first, failed = None, error
    if first is not None and _is_whole(first[1], mapping):
        return first
    if layout is None:
        try:
            second = _by_structure(loaded, mapping, asked, gone)
        except InputError as question:
            if failed is not None and str(question).startswith(ASKED):
                raise InputError(f"{path}: {str(question).removeprefix(ASKED)}") from failed
        except pl.exceptions.PolarsError:
            if first is None:
                raise
        else:
            if second is not None and (first is None or _replaces(*second, first[1], asked)):
                return second
    if first is None:
        assert failed is not None
        raise failed
    return first


def _is_whole(parts: Parts, mapping: Mapped) -> bool:
    """Whether nothing was left unread; where the user names people or dimensions, there must be judgements."""
    asked = "annotator" in mapping or "dimension" in mapping
    judged = any(getattr(parts, name).height for name in ("ratings", "preferences", "choices", "spans"))
    return not any(one.too_much() for one in parts.accounts) and (judged or not asked)


def _replaces(table: Table, second: Parts, first: Parts, asked: ReadingSettings) -> bool:
    """Whether a second reading, made of this table, has all that the first has, and what the first asked about."""
    questions = [text for one in first.accounts for text in one.too_much()]
    return _keeps(second, first) and not dropped_fields(
        table, second, questions, lambda other: assemble(other, plan_of(other, {}), asked)
    )


def _keeps(second: Parts, first: Parts) -> bool:
    """Whether a second reading has no fewer texts, turns and names of people than the first."""
    return all(more >= fewer for more, fewer in zip(_held(second), _held(first), strict=True))


def _held(parts: Parts) -> tuple[int, int, int]:
    texts = parts.summaries.filter(pl.col("text").str.strip_chars() != "")["text"].n_unique()
    turns = int(parts.dialogues["turns"].list.len().sum() or 0)
    judged = [getattr(parts, name) for name in ("ratings", "preferences", "choices", "spans")]
    people = {name for frame in judged for name in frame["annotator"].drop_nulls().unique()}
    # People without names are counted from 1.
    return texts, turns, len(people - {str(number + 1) for number in range(len(people))})


def _by_structure(
    loaded: Table, mapping: Mapped, asked: ReadingSettings, gone: frozenset[str]
) -> tuple[Table, Parts] | None:
    table = read_by_structure(loaded, mapping)
    if table is None:
        return None
    # Keys to letters, and what was left out, are asked about however the rest is read.
    table = replace(table, parts=table.parts or loaded.parts, left=table.left or loaded.left)
    parts = _assembled(table, {}, asked, gone=gone)
    whole = not parts.problems and not any(one.too_much() or one.left_out for one in parts.accounts)
    return (table, parts) if whole else None


def _assembled(
    table: Table,
    mapping: Mapped,
    asked: ReadingSettings,
    file: str | None = None,
    gone: frozenset[str] = frozenset(),
) -> Parts:
    try:
        plan = plan_of(table, mapping)
        parts = assemble(table, plan, asked)
    except InputError as error:
        raise InputError(f"{file or table.place(0)[0]}: {error}") from error
    lost = lost_fields(table, plan, parts, mapping, lambda other: assemble(other, plan_of(other, mapping), asked), gone)
    lost = (*lost, *unsaid_ranks(parts.ratings, parts.declared, asked.by_dimension()))
    letter_keys = keys_to(parts, table)
    ignored, keys = set(listed(mapping.get(IGNORE, ()))), {key.name for key in letter_keys}
    known = {*(part.name for part in table.left), *table.unread, *table.frame.columns, *keys}
    if used := sorted(ignored & {part.name for part in table.parts} - known):
        raise InputError(
            f"{file}: the part {used[0]!r} is read together with the others: move it elsewhere to leave it out"
        )
    if not keys & ignored:
        parts = with_keys_applied(parts, table, letter_keys)
    return (
        replace(parts, accounts=tuple(replace(one, nowhere=(*one.nowhere, *lost)) for one in parts.accounts))
        if lost
        else parts
    )
