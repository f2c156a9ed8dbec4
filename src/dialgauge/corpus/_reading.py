"""Read, write and inspect corpora in any of the formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._assemble import RATINGS_ALONE, Parts, RatingParts, assemble, assemble_ratings, in_order
from dialgauge.corpus._checks import ROW
from dialgauge.corpus._columns import Column, Plan, make_plan
from dialgauge.corpus._corpus import Corpus, CorpusInfo
from dialgauge.corpus._folder import is_dialgauge, read_folder
from dialgauge.corpus._formats import Format, format_to_read, format_to_write
from dialgauge.corpus._likely import likely_names
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._table import Table
from dialgauge.errors import InputError
from dialgauge.files import atomic_file, atomic_folder

Mapped = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file looks like: format, encoding, columns and how each is used, first rows.

    ``found`` counts what would be read with these guesses; ``problems`` are the rows that would be skipped;
    ``language`` is what all dialogues declare.
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


def read_corpus(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    language: str | None = None,
    strict: bool = False,
) -> Corpus:
    """Read a corpus from a file or folder; the format is recognised by the name unless it is given.

    ``mapping`` says which column serves which use where the names do not (``{"summary": "hyp"}``; see
    :func:`inspect_file` for what is guessed without it). ``language`` is that of the dialogues whose rows do not
    declare one, as in ``"fr"``. Invalid rows are skipped and reported in
    ``problems`` with file, line, key and reason; with ``strict`` they raise an :class:`InputError` that lists them.
    """
    path = Path(path)
    entry, _ = format_to_read(path, format)
    parts, info = _read_parts(path, entry, mapping or {})
    if strict:
        raise_if_any(parts.problems, str(path), limit=None)
    if language is not None:
        info = replace(info, language=language)
    return parts.corpus(info)


def _read_parts(path: Path, entry: Format, mapping: Mapped) -> tuple[Parts, CorpusInfo]:
    if entry.load is None:
        return read_folder(path, mapping)
    table = _load(path, entry, mapping)
    try:
        parts = assemble(table, make_plan(table.frame, mapping))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    name = path.name.removesuffix(".gz").removesuffix(Path(path.name.removesuffix(".gz")).suffix)
    return parts, CorpusInfo(name=name or "corpus", ratings_origin="constructed" if parts.constructed else "human")


def _load(path: Path, entry: Format, mapping: Mapped) -> Table:
    assert entry.load is not None
    table = entry.load(path, mapping)
    if table.frame.is_empty():
        raise_if_any(table.problems, str(path))
        raise InputError(f"{path}: has no rows")
    return table


def write_corpus(corpus: Corpus, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a corpus; the format is recognised by the name (a name without a suffix is a dialgauge folder).

    Writes are atomic. A folder that is not a dialgauge folder is never overwritten. A corpus that the format cannot
    store without loss is refused.
    """
    path = Path(path)
    entry = format_to_write(path, format)
    assert entry.write is not None
    reason = entry.cannot_hold(corpus)
    if reason:
        raise InputError(f"{path}: {entry.name} cannot hold this corpus: {reason}")
    try:
        check_target(path, format=format)
        if entry.is_folder is None:
            with atomic_file(path) as temporary:
                entry.write(corpus, temporary)
            return
        with atomic_folder(path) as temporary:
            entry.write(corpus, temporary)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def check_target(path: str | PathLike[str], *, format: str | None = None) -> None:
    """Refuse a path that :func:`write_corpus` would refuse for any corpus, so that long commands fail early."""
    path = Path(path)
    entry = format_to_write(path, format)
    if entry.is_folder is None:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file to write")
    elif path.exists() and not (path.is_dir() and (is_dialgauge(path) or not any(path.iterdir()))):
        raise InputError(f"{path}: exists and is not a dialgauge folder; it will not be overwritten")


def inspect_file(
    path: str | PathLike[str], *, format: str | None = None, mapping: Mapped | None = None, first: int = 5
) -> Inspection:
    """Inspect a file: how its columns are used and why, and what would be read."""
    path = Path(path)
    entry, why = format_to_read(path, format)
    if entry.load is None:
        return _inspect_folder(path, why, first)
    table = _load(path, entry, mapping or {})
    plan = make_plan(table.frame, mapping or {})
    found, notes, problems, language = _try(table, plan)
    return Inspection(
        path=str(path),
        format=entry.name,
        why=why,
        encoding=table.encoding,
        rows=table.frame.height,
        columns=plan.columns,
        first_rows=table.frame.head(first),
        found=found,
        notes=notes,
        problems=problems,
        language=language,
    )


def _try(table: Table, plan: Plan) -> tuple[dict[str, int], tuple[str, ...], tuple[Problem, ...], str | None]:
    """What reading the table would give: counts, notes, problems and the language."""
    try:
        parts = assemble(table, plan)
    except InputError as error:
        reason = str(error)
    else:
        counts = {name: getattr(parts, name).height for name in ("dialogues", "summaries", "ratings")}
        return counts, parts.notes, parts.problems, Corpus(parts.dialogues).language
    notes = (*table.notes, *plan.notes)
    try:
        alone = assemble_ratings(table, plan)
    except InputError:
        return {}, (*notes, reason), table.problems, None
    return {"ratings": alone.ratings.height}, (*alone.notes, RATINGS_ALONE), alone.problems, None


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


def read_ratings(
    path: str | PathLike[str], *, format: str | None = None, mapping: Mapped | None = None, strict: bool = False
) -> tuple[pl.DataFrame, tuple[Problem, ...]]:
    """Ratings from a file of their own, and the rows that were skipped.

    The file names dialogue, system and annotator in each row, with ``dimension`` and ``value`` or a column for each
    dimension. :func:`add_ratings` does this and compares the keys with those of a corpus.
    """
    _, parts = _ratings_table(Path(path), format, mapping or {})
    if strict:
        raise_if_any(parts.problems, str(path), limit=None)
    return parts.ratings.drop(ROW), parts.problems


def add_ratings(
    corpus: Corpus,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    strict: bool = False,
) -> Corpus:
    """The corpus with the ratings of a separate file (:func:`read_ratings` describes its layout).

    Rows that cannot be read, ratings of summaries that are not in the corpus and duplicate ratings are skipped and
    reported in ``problems`` with file and line; ``strict`` raises instead and lists them all. ``mapping`` is that of
    this file: ``{"scale": "=1-5"}`` sets one scale for all ratings. What had to be assumed, and names that the corpus
    does not have with what they probably mean, is added to ``notes``.
    """
    path = Path(path)
    table, parts = _ratings_table(path, format, mapping or {})
    ratings = parts.ratings
    more = corpus.with_ratings(ratings.drop(ROW))
    unused = []
    for problem in more.problems[len(corpus.problems) :]:
        assert problem.line is not None
        file, line = table.place(ratings[ROW][problem.line - 1])
        unused.append(replace(problem, file=file, line=line))
    problems = in_order(parts.problems, unused)
    if strict:
        raise_if_any(problems, str(path), limit=None)
    said = (*parts.notes, *likely_names(ratings, corpus.summaries))
    notes = (*corpus.notes, *(f"{path.name}: {text}" for text in said))
    return replace(more, problems=(*corpus.problems, *problems), notes=notes)


def _ratings_table(path: Path, format: str | None, mapping: Mapped) -> tuple[Table, RatingParts]:
    """The rows of a file of ratings, and what was read from them."""
    entry, _ = format_to_read(path, format)
    if entry.load is None:
        raise InputError(f"{path}: is a corpus, not a file of ratings; read it with read_corpus")
    table = _load(path, entry, mapping)
    try:
        return table, assemble_ratings(table, make_plan(table.frame, mapping))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
