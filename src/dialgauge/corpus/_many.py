"""Several files as one corpus: a folder of tables or of JSON transcripts, or the files that a pattern names."""

import contextlib
import glob
import os
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._blind_keys import as_key
from dialgauge.corpus._delimited import is_prose, is_table
from dialgauge.corpus._fields import fields_of
from dialgauge.corpus._file_cells import with_texts_of_files
from dialgauge.corpus._files import read_text
from dialgauge.corpus._judged_apart import judged_apart
from dialgauge.corpus._legends import with_legends
from dialgauge.corpus._listed_order import in_listed_order, with_listed_names, with_references
from dialgauge.corpus._look_alikes import is_named
from dialgauge.corpus._names import USES, WEAK_PEOPLE, is_id, is_person, normalised
from dialgauge.corpus._nested import flat_rows, to_frame
from dialgauge.corpus._part_names import are_pages, own_parts
from dialgauge.corpus._parts_unread import held_by
from dialgauge.corpus._people_in_order import with_people_in_order
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._put_aside import says_it_does_not_count
from dialgauge.corpus._record_ids import with_record_ids
from dialgauge.corpus._referring import referring
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._survey_headings import with_questions
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._text_files import first_of, name_systems, named_texts, unread_texts
from dialgauge.corpus._transcripts import SUFFIXES, load_transcripts
from dialgauge.corpus._wrapped import unwrapped
from dialgauge.corpus.layouts import recast
from dialgauge.corpus.layouts._base import ROW
from dialgauge.errors import InputError, counted

#: How files are read, by the end of their names.
Loaders = Mapping[str, Callable[[Path], Table]]
#: Texts have no zero in this many bytes of their beginning.
_LOOKED_AT = 8_192


def is_pattern(path: Path) -> bool:
    """Whether a path that does not exist is a pattern such as ``calls/*.json``."""
    return glob.has_magic(str(path)) and not path.exists()


def matching_files(path: Path, loaders: Container[str]) -> list[Path]:
    """The files of a folder and of those in it that can be read, or those that a pattern names, sorted."""
    if is_pattern(path):
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    else:
        found = [file for file in sorted(path.rglob("*")) if not _is_elsewhere(file.relative_to(path), path)]
    files = [file for file in found if file.is_file() and file.suffix.lower() in loaders and file.name[0] != "."]
    return [file for file in files if not is_prose(file)] or files


def _is_elsewhere(inside: Path, folder: Path) -> bool:
    """Whether a file is one of a hidden folder, or of a corpus of its own."""
    above = [folder.joinpath(*inside.parts[:depth]) for depth in range(1, len(inside.parts))]
    return any(one.name[0] in "._" or (one / "corpus.toml").exists() for one in above)


def holds_tables(path: Path, loaders: Loaders) -> bool:
    """Whether a folder holds tables or JSON: most of its files are, or they name the texts in the others."""
    files = matching_files(path, loaders)
    plain = [file for file in files if file.suffix.lower() in SUFFIXES]
    if len(files) > 2 * len(plain):
        return True
    if len(files) == len(plain):
        return False
    sheets = _sheets(files, loaders)
    named = bool(named_texts(plain, sheets)) or name_systems(plain, sheets)
    return named or _names_files(path, files, plain, loaders)


def _names_files(folder: Path, files: Sequence[Path], plain: Sequence[Path], loaders: Loaders) -> bool:
    """Whether the cells of a table among some files name the texts in others."""
    for file in files:
        if file not in plain:
            with contextlib.suppress(InputError):
                if with_texts_of_files(loaders[file.suffix.lower()](file), folder, plain)[1]:
                    return True
    return False


def _sheets(files: Sequence[Path], loaders: Loaders) -> list[Sheet]:
    """The tables among some files; what cannot be read is none."""
    found = []
    for file in files:
        if file.suffix.lower() not in SUFFIXES:
            with contextlib.suppress(InputError):
                found.append(_sheet(file, loaders[file.suffix.lower()](file)))
    return found


def _sheet(file: Path, table: Table) -> Sheet:
    if table.records is None:
        table = with_questions(table)
        return Sheet(file.stem, table.frame, table.place)
    key = as_key(table.records[0][1]) if len(table.records) == 1 else None
    if key is not None:
        return Sheet(file.stem, key, lambda row: table.place(0))
    made = flat_rows((record for _, record in table.records), str(file))
    numbers = [number for number, _ in made]
    places = [table.place(number) for number in numbers]
    frame = with_record_ids(to_frame([row for _, row in made], str(file)), numbers, {})
    return Sheet(file.stem, frame, places.__getitem__)


def load_texts(path: Path, loaders: Loaders) -> Table:
    """The transcripts of a file or a folder; a table beside them that looks like judgements is named."""
    table = load_transcripts(path)
    if not path.is_dir():
        return table
    left_out = {sheet.name: held_by(sheet.frame, ()) for sheet in _sheets(matching_files(path, loaders), loaders)}
    unread = {
        name: f"the file {name!r} looks like {held[0]} ({', '.join(map(repr, held[1][:3]))}) and was not read, as its "
        f"rows do not name the other files: read it alone, or leave it out (--map ignore={name})"
        for name, held in left_out.items()
        if held is not None
    }
    notes = (*table.notes, *_other_files(path, loaders))
    return replace(table, notes=notes, unread=unread | _texts_below(path) | _unread_files(path, loaders))


def _texts_below(folder: Path) -> dict[str, str]:
    """The folders inside one of transcripts that hold texts too: these are not read with the others."""
    found = Counter(
        file.parent.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and file.parent != folder
        and not _is_elsewhere(file.relative_to(folder), folder)
    )
    return {
        name: f"the folder {name!r} holds {counted(count, 'text')} that were not read: read it alone, or leave it out "
        f"(--map ignore={name})"
        for name, count in sorted(found.items())
    }


def _unread_files(folder: Path, loaders: Container[str]) -> dict[str, str]:
    """The files of a folder under endings that say nothing and that seem to hold judgements, with what to do."""
    return _nameless_tables(folder, loaders) | _beside_texts(folder, loaders)


def _nameless_tables(folder: Path, loaders: Container[str]) -> dict[str, str]:
    """The tables of a folder whose names end in what says nothing (``ratings.out``), and what to do about each."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.suffix.lower() in loaders or file.name[0] == ".":
            continue
        if not file.suffix or _is_elsewhere(file.relative_to(folder), folder) or _is_binary(file):
            continue
        with contextlib.suppress(InputError, OSError):  # what is no text is no table
            if is_table(read_text(file).text):
                found[file.name] = (
                    f"the file {file.name!r} is a table and was not read: call it .csv, or leave it out "
                    f"(--map ignore={file.name})"
                )
    return found


def _other_files(folder: Path, loaders: Container[str]) -> list[str]:
    """A note about files of a folder that are not read because they hold no text, such as pictures and recordings."""
    found = [
        file.name
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix.lower() not in loaders and file.name[0] != "."
        if not _is_elsewhere(file.relative_to(folder), folder) and _is_binary(file)
    ]
    return [f"not read, as they hold no text: {first_of(found)}"] if found else []


def _beside_texts(folder: Path, loaders: Container[str]) -> dict[str, str]:
    """Files under another ending that are called like the texts beside them: what somebody marked there, as it seems.

    One of them may be anything; several of one ending, each with its text, are read by no reader.
    """
    inside = [file for file in folder.rglob("*") if file.is_file() and file.name[0] != "."]
    inside = [file for file in inside if not _is_elsewhere(file.relative_to(folder), folder)]
    texts = {file.with_suffix("") for file in inside if file.suffix.lower() in SUFFIXES}
    other = [file for file in inside if file.suffix and file.suffix.lower() not in loaders]
    beside = Counter(file.suffix for file in other if file.with_suffix("") in texts and not _is_binary(file))
    return {
        f"*{suffix}": f"{counted(count, 'file')} that end in {suffix} stand beside texts of the same names and were "
        f"not read: if people marked something in them, export it as JSON or CSV, or leave them out "
        f"(--map 'ignore=*{suffix}')"
        for suffix, count in sorted(beside.items())
        if count > 1
    }


def _is_binary(file: Path) -> bool:
    with file.open("rb") as opened:
        return b"\0" in opened.read(_LOOKED_AT)


def load_many(path: Path, loaders: Loaders) -> Table:
    """The rows of all files; what is above each other has the same columns, or is joined by the ids in it."""
    files = matching_files(path, loaders)
    texts = [] if is_pattern(path) else [file for file in files if file.suffix.lower() in SUFFIXES]
    files = [file for file in files if file not in texts]
    if not files:
        raise InputError(f"{path}: no file that can be read fits this")
    loaded = {file: loaders[file.suffix.lower()](file) for file in files}
    tables = {file: with_questions(with_people_in_order(table)) for file, table in loaded.items()}
    _refuse_copies(tables)
    for file, table in tables.items() if texts else ():
        tables[file], read = with_texts_of_files(table, path, texts)
        texts = [text for text in texts if text not in read]
    rows = [_sheet(file, table) for file, table in tables.items()] if texts else []
    listed = in_listed_order(texts)
    texts = [text for text in texts if listed is None or text not in listed[1]]
    told = [listed[0]] if listed is not None else []
    written = with_references([*told, *named_texts(texts, [*told, *rows])])
    read_here = {sheet.place(row)[0] for sheet in written for row in range(sheet.frame.height)}
    unread, left = unread_texts([text for text in texts if str(text) not in read_here], path, rows)
    if not written and all(table.records is not None for table in tables.values()):
        named = referring(tables)
        apart = judged_apart(tables) if named is None else None
        tables = named or tables
        if apart is None:
            made = _records(tables)
            return replace(made, notes=(*made.notes, *left), unread=unread)
        tables = apart
    marked = _of_errors(tables)
    tables |= marked
    problems = [problem for table in tables.values() for problem in table.problems]
    notes = [f"{file.name}: {note}" for file, table in tables.items() for note in table.notes]
    notes += left if is_pattern(path) else [*left, *_other_files(path, loaders)]
    sheets = _told_apart({file: _sheet(file, table) for file, table in tables.items()})
    sheets = with_legends(sheets, () if is_pattern(path) else _explanations(path), notes)
    dropped: dict[str, int] = {}
    for one in told:
        ids = one.frame["dialogue_id"].to_list()
        sheets = [with_listed_names(sheet, ids, notes, dropped) for sheet in sheets]
    stacked = one_table([*written, *sheets], notes, "file")
    stacked = _with_further(stacked, list(marked.values()))
    return Table(
        stacked.frame,
        stacked.place,
        None,
        stacked.notes,
        (*problems, *stacked.problems),
        known=stacked.known,
        unread={
            **_unread_inside(tables),
            **stacked.unread,
            **unread,
            **({} if is_pattern(path) else _unread_files(path, loaders)),
        },
        parts=stacked.parts,
        left=(*stacked.left, *(sheet for table in tables.values() for sheet in table.left)),
        dropped={**stacked.dropped, **dropped},
        further=stacked.further,
    )


def _unread_inside(tables: Mapping[Path, Table]) -> dict[str, str]:
    """The sheets of workbooks among the files that were not read, with what to do about each."""
    return {name: said for table in tables.values() for name, said in table.unread.items()}


#: A layout of errors in summaries, which may name dialogues that another file holds.
_ERRORS = "mqm"


def _of_errors(tables: Mapping[Path, Table]) -> dict[Path, Table]:
    """The one file of marked errors beside files of something else, as its layout reads it."""
    made = {file: recast(table, {}) for file, table in tables.items() if table.records is None}
    found = {file: table for file, table in made.items() if table is not None and table.layout == _ERRORS}
    return found if len(found) == 1 < len(tables) else {}


def _with_further(stacked: Table, made: Sequence[Table]) -> Table:
    """A table with the judgements that a layout took out of one of its parts; their rows come after its own."""
    if not made:
        return stacked
    (part,), height = made, stacked.frame.height
    shift = height - part.frame.height
    further = {name: frame.with_columns(pl.col(ROW) + shift) for name, frame in part.further.items()}
    place = stacked.place
    return replace(
        stacked,
        further=further,
        place=lambda row: place(row) if row < height else part.place(row - shift),
        dropped={**stacked.dropped, **part.dropped},
    )


def _explanations(folder: Path) -> Iterator[str]:
    """The texts of a folder that explain its other files."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and is_prose(file) and not _is_elsewhere(file.relative_to(folder), folder):
            yield read_text(file).text


def _refuse_copies(tables: Mapping[Path, Table]) -> None:
    """A table that a folder holds twice, as ``a.csv`` and ``a.jsonl``, would be read as that of two people."""
    seen: dict[tuple[Path, int, frozenset[str]], Path] = {}
    named = Counter(file.with_suffix("") for file in tables)
    for file in (file for file in tables if named[file.with_suffix("")] > 1):
        try:
            sheet = _sheet(file, tables[file])
        except InputError:  # said where the file is read
            continue
        key = (file.with_suffix(""), sheet.frame.height, frozenset(sheet.frame.columns))
        if key in seen:
            raise InputError(f"{seen[key]} and {file.name} look like one table in two formats: read one of them")
        seen[key] = file


def _told_apart(sheets: Mapping[Path, Sheet]) -> list[Sheet]:
    """The sheets under different names. Where folders hold files of one name, a folder is a person or a batch.

    Then the files of a folder that have the same columns are one sheet.
    """
    if len({file.stem for file in sheets}) == len(sheets):
        return list(sheets.values())
    folders: dict[Path, list[Sheet]] = {}
    for file, sheet in sheets.items():
        folders.setdefault(file.parent, []).append(replace(sheet, name=file.name))
    if (plain := _without_practice(sheets)) is not None:
        return plain
    if len(folders) == 1:
        return [sheet for own in folders.values() for sheet in own]
    above, made = os.path.commonpath(folders), list[Sheet]()
    for folder, own in folders.items():
        name = folder.relative_to(above).as_posix()
        if len({frozenset(sheet.frame.columns) for sheet in own}) == 1:
            places = [sheet.place(row) for sheet in own for row in range(sheet.frame.height)]
            frame = pl.concat([sheet.frame for sheet in own], how="diagonal_relaxed")
            made.append(Sheet(name, frame, places.__getitem__))
        else:
            made += [replace(sheet, name=f"{name}/{sheet.name}") for sheet in own]
    return made


def _without_practice(sheets: Mapping[Path, Sheet]) -> list[Sheet] | None:
    """The sheets under their own names where only folders that do not count have files of the same names again."""
    aside = {file for file in sheets if any(says_it_does_not_count(part) for part in file.parts[-_DEEP:-1])}
    names = [file.stem for file in sheets if file not in aside]
    if not aside or len(set(names)) < len(names):
        return None
    return [
        replace(sheet, name=f"{file.parent.name}/{file.stem}") if file in aside else sheet
        for file, sheet in sheets.items()
    ]


#: So many folders above a file may say that it does not count, less its own name.
_DEEP = 3


def _records(tables: dict[Path, Table]) -> Table:
    """The JSON objects of all files; a file with one dialogue gives it its name, where it has no id."""
    people = own_parts([file.stem for file in tables]) if _people_by_file(tables) else {}
    records: list[tuple[int, dict[str, Any]]] = []
    places: list[tuple[str, int | None]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for file, table in tables.items():
        if recast(table, {}) is None and (inner := unwrapped(table)) is not None:
            table = inner
        if table.records is None:
            raise InputError(
                f"{file}: holds several tables, which cannot be read together with the files beside it: move "
                "it to another folder, and read it alone"
            )
        alone = len(table.records) == 1 and len(tables) > 1
        for number, (line, record) in enumerate(table.records):
            named = alone and not _has_id(record) and _is_dialogue(record)
            whose = {"annotator": people[file.stem]} if people else {}
            records.append((line, {**({"dialogue_id": file.stem} if named else {}), **whose, **record}))
            places.append(table.place(number))
        problems += table.problems
        notes += [f"{file.name}: {note}" for note in table.notes]
    frame = next(iter(tables.values())).frame
    return Table(
        frame,
        lambda row: places[row] if row < len(places) else places[-1],
        None,
        tuple(notes),
        tuple(problems),
        tuple(records),
    )


def _people_by_file(tables: dict[Path, Table]) -> bool:
    """Whether each of several files of judgements is that of one person: nothing in it says who judged."""
    if len(tables) < 2 or are_pages([file.stem for file in tables]):
        return False
    for table in tables.values():
        fields = fields_of(table).values()
        names = {normalised(name) for one in fields for name in one.names}
        known = recast(table, {})
        marked = known is not None and known.layout == "doccano"  # which writes a file for each person
        judged = marked or (known is None and any(map(is_named, fields)))
        several = table.records is not None and len(table.records) > 1
        if not several or not judged or any(is_person(n) or n in WEAK_PEOPLE for n in names):
            return False
    return True


def _has_id(record: dict[str, Any]) -> bool:
    return any(is_id(normalised(key)) for key in record)


def _is_dialogue(record: dict[str, Any]) -> bool:
    known: Sequence[str] = USES["dialogue"]
    return any(normalised(key) in known or isinstance(value, list) for key, value in record.items())
