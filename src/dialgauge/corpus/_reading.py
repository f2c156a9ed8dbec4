"""Read, write and inspect corpora in any of the formats."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._account import Account
from dialgauge.corpus._assemble import RATINGS_ALONE, Parts, RatingParts, assemble, assemble_ratings, in_order
from dialgauge.corpus._checks import ROW
from dialgauge.corpus._columns import CONSTANT, Column, Plan, make_plan
from dialgauge.corpus._compared import with_comparisons
from dialgauge.corpus._corpus import FURTHER_TABLES, Corpus, CorpusInfo
from dialgauge.corpus._folder import is_dialgauge, read_folder
from dialgauge.corpus._formats import Format, format_to_read, format_to_write
from dialgauge.corpus._joined_ids import with_systems
from dialgauge.corpus._jsonl import record_key, unwrapped
from dialgauge.corpus._likely import likely_names
from dialgauge.corpus._memory import load_memory
from dialgauge.corpus._nested import flatten, to_frame
from dialgauge.corpus._people import people_in, with_people
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._records import taken_out
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import Direction
from dialgauge.corpus._utterances import with_dialogues, without_totals
from dialgauge.corpus._wide import as_long
from dialgauge.corpus.layouts import LAYOUTS, recast
from dialgauge.errors import InputError
from dialgauge.files import atomic_file, atomic_folder

Mapped = Mapping[str, str | Sequence[str]]


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
    ``notes``; ``format`` may also name one. ``reading`` says what to do with HTML, repeated ratings and directions.

    ``mapping`` says which column serves which use where the names do not (``{"summary": "hyp"}``; see
    :func:`inspect_file` for what is guessed without it). ``language`` is that of the dialogues whose rows do not
    declare one, as in ``"fr"``. Invalid rows are skipped and reported in
    ``problems`` with file, line, key and reason; with ``strict`` they raise an :class:`InputError` that lists them.
    """
    asked = reading or ReadingSettings()
    mapping = mapping or {}
    if system is not None:
        mapping = {**mapping, "system": f"{CONSTANT}{system}"}
    if isinstance(source, str | PathLike):
        path = Path(source)
        entry, _, layout = _format(path, format)
        parts, info = _read_parts(path, entry, mapping, layout, asked)
    else:
        parts, info = _assembled(_table_in_memory(source, format, mapping), mapping, asked), CorpusInfo()
        if parts.constructed:
            info = replace(info, ratings_origin="constructed")
    if strict:
        raise_if_any(parts.problems, str(source) if isinstance(source, str | PathLike) else "table", limit=None)
    if language is not None:
        info = replace(info, language=language)
    return with_directions(parts.corpus(info), asked.by_dimension())


def with_directions(corpus: Corpus, directions: Mapping[str, Direction]) -> Corpus:
    """The corpus with the directions that the user gives to dimensions."""
    if not directions:
        return corpus
    known = {one.name: one for one in corpus.declared}
    for name, direction in directions.items():
        known[name] = replace(corpus.dimension(name), direction=direction, said_by="user")
    return replace(corpus, declared=tuple(known[name] for name in sorted(known)))


def _format(path: Path, name: str | None) -> tuple[Format, str, str | None]:
    """The format of a path, how it was recognised, and the layout where one is named ("" for none at all)."""
    if name in LAYOUTS:
        entry, why = format_to_read(path, None)
        return entry, why, name
    entry, why = format_to_read(path, name)
    return entry, why, "" if name else None


def _read_parts(
    path: Path, entry: Format, mapping: Mapped, layout: str | None, asked: ReadingSettings
) -> tuple[Parts, CorpusInfo]:
    if entry.load is None:
        return read_folder(path, mapping)
    parts = _assembled(_load(path, entry, mapping, layout), mapping, asked, str(path))
    name = path.name.removesuffix(".gz").removesuffix(Path(path.name.removesuffix(".gz")).suffix)
    return parts, CorpusInfo(name=name or "corpus", ratings_origin="constructed" if parts.constructed else "human")


def _assembled(table: Table, mapping: Mapped, asked: ReadingSettings, file: str | None = None) -> Parts:
    try:
        return assemble(table, _plan(table, mapping), asked)
    except InputError as error:
        raise InputError(f"{file or table.place(0)[0]}: {error}") from error


def _table_in_memory(source: object, format: str | None, mapping: Mapped) -> Table:
    table = load_memory(source)
    if format is not None and format not in LAYOUTS:
        raise InputError(f"{table.place(0)[0]}: a file format is only for files; got {format!r}")
    return _understood(table, table.place(0)[0], mapping, format)


def _load(path: Path, entry: Format, mapping: Mapped, layout: str | None) -> Table:
    """The rows of a file: as its layout says, else flattened, with comparisons taken out and wide columns made long."""
    assert entry.load is not None
    return _understood(entry.load(path), str(path), mapping, layout)


def _understood(loaded: Table, path: str, mapping: Mapped, layout: str | None) -> Table:
    table, kept = taken_out(loaded)
    if table.frame.is_empty() and not table.records:
        raise_if_any(table.problems, path)
        raise InputError(f"{path}: has no rows")
    try:
        known = None if layout == "" else recast(table, mapping, layout)
        if known is None and (inner := unwrapped(table)) is not None:
            table = inner
            known = None if layout == "" else recast(table, mapping, layout)
        if known is None:
            known = without_totals(table, mapping) if table.records is None else _flattened(table, mapping)
            known = with_dialogues(known, mapping)
        if known.frame.is_empty():
            raise_if_any(known.problems, path)
            raise InputError("has no rows")
        return kept.into(as_long(with_comparisons(known, mapping), mapping))
    except InputError as error:
        raise InputError(str(error) if str(error).startswith(path) else f"{path}: {error}") from error


def _plan(table: Table, mapping: Mapped) -> Plan:
    """What the columns mean. What a layout has put under our own names has followed the mapping already."""
    settled = {use for column, use in table.known.items() if column == use} if table.layout else set()
    return make_plan(table.frame, {use: given for use, given in mapping.items() if use not in settled}, table.known)


def _flattened(table: Table, mapping: Mapped) -> Table:
    """The records of a table as flat rows; those whose shape is not known are reported."""
    assert table.records is not None
    kept = [
        name
        for use in _OF_KEY
        for given in [mapping.get(use)]
        if isinstance(given, str | tuple | list)
        for name in _listed(given)
    ]
    file = table.place(0)[0] if table.records else ""
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    problems = list(table.problems)
    for number, (line, record) in enumerate(table.records):
        try:
            made = flatten(record, kept)
        except (ValueError, RecursionError) as error:
            reason = "JSON nested too deeply" if isinstance(error, RecursionError) else str(error)
            place = table.place(number)
            problems.append(Problem(place[0], place[1] or line, record_key(record), reason))
            continue
        rows += made
        numbers += [number] * len(made)
    place_of = table.place
    return replace(
        table,
        frame=to_frame(rows, file),
        place=lambda row: place_of(numbers[row]) if row < len(numbers) else (file, None),
        problems=tuple(problems),
    )


def _listed(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given


_OF_KEY = ("dialogue_id", "system", "variant", "role", "annotator")


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
    path: str | PathLike[str],
    *,
    format: str | None = None,
    mapping: Mapped | None = None,
    first: int = 5,
    reading: ReadingSettings | None = None,
) -> Inspection:
    """Inspect a file: how its columns are used and why, and what would be read."""
    path = Path(path)
    entry, why, layout = _format(path, format)
    if entry.load is None:
        return _inspect_folder(path, why, first)
    table = _load(path, entry, mapping or {}, layout)
    plan = _plan(table, mapping or {})
    tried = _try(table, plan, reading or ReadingSettings())
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
    table, parts = _ratings_table(source, format, mapping or {}, None, reading or ReadingSettings())
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
    entry, _, _ = _format(path, format)
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
        entry, _, layout = _format(path, format)
        if entry.load is None:
            raise InputError(f"{path}: is a corpus, not a file of ratings; read it with read_corpus")
        table = _load(path, entry, mapping, layout)
    else:
        table = _table_in_memory(source, format, mapping)
    try:
        plan = _plan(table, mapping)
        if corpus is not None and not plan.has("system") and plan.has("dialogue_id"):
            table = with_systems(table, plan, corpus)
            plan = _plan(table, mapping)
        return table, assemble_ratings(table, plan, asked)
    except InputError as error:
        raise InputError(f"{table.place(0)[0]}: {error}") from error
