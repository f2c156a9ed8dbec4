"""Several files as one corpus: a folder of tables or of JSON transcripts, or the files that a pattern names."""

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._columnar import load_parquet
from dialgauge.corpus._databases import load_database
from dialgauge.corpus._delimited import load_delimited
from dialgauge.corpus._elements import load_xml
from dialgauge.corpus._jsonl import load_jsonl
from dialgauge.corpus._names import USES, is_id, normalised
from dialgauge.corpus._nested import flatten, to_frame
from dialgauge.corpus._pages import load_page
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._sheets import Sheet, one_table
from dialgauge.corpus._table import Table
from dialgauge.corpus._transcripts import SUFFIXES, load_transcripts
from dialgauge.corpus._wrapped import unwrapped
from dialgauge.corpus._xlsx import load_xlsx
from dialgauge.corpus.layouts import recast
from dialgauge.errors import InputError

_JSON = (".json", ".jsonl", ".ndjson")
_LOADERS = {
    **dict.fromkeys(_JSON, load_jsonl),
    **dict.fromkeys((".csv", ".tsv", ".md"), load_delimited),
    **dict.fromkeys((".parquet", ".pq"), load_parquet),
    **dict.fromkeys((".xlsx", ".ods"), load_xlsx),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), load_database),
    **dict.fromkeys((".html", ".htm"), load_page),
    ".xml": load_xml,
    **dict.fromkeys(SUFFIXES, load_transcripts),
}


def is_pattern(path: Path) -> bool:
    """Whether a path that does not exist is a pattern such as ``calls/*.json``."""
    return glob.has_magic(str(path)) and not path.exists()


def matching_files(path: Path) -> list[Path]:
    """The files of a folder that can be read as tables, or those that a pattern names, sorted."""
    if is_pattern(path):
        found = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    else:
        found = sorted(path.iterdir())
        if not any(file.is_file() for file in found):
            found = sorted(path.rglob("*"))  # a folder for each annotator or batch
    return [file for file in found if file.is_file() and file.suffix.lower() in _LOADERS and file.name[0] != "."]


def holds_tables(path: Path) -> bool:
    """Whether most of the files in a folder that could be read are tables or JSON, and not transcripts."""
    files = matching_files(path)
    plain = [file for file in files if file.suffix.lower() in SUFFIXES]
    return len(files) > 2 * len(plain)


def load_many(path: Path) -> Table:
    """The rows of all files; what is above each other has the same columns, or is joined by the ids in it."""
    files = matching_files(path)
    if not is_pattern(path):
        files = [file for file in files if file.suffix.lower() not in SUFFIXES]
    if not files:
        raise InputError(f"{path}: no file that can be read fits this")
    tables = {file: _LOADERS[file.suffix.lower()](file) for file in files}
    if all(table.records is not None for table in tables.values()):
        return _records(tables)
    sheets: dict[Path, Sheet] = {}
    problems: list[Problem] = []
    notes: list[str] = []
    for file, table in tables.items():
        problems += table.problems
        notes += [f"{file.name}: {note}" for note in table.notes]
        if table.records is not None:
            made = [(n, row) for n, (_, record) in enumerate(table.records) for row in flatten(record)]
            places = [table.place(n) for n, _ in made]
            sheets[file] = Sheet(file.stem, to_frame([row for _, row in made], str(file)), places.__getitem__)
        else:
            sheets[file] = Sheet(file.stem, table.frame, table.place)
    stacked = one_table(_told_apart(sheets), notes, "file")
    return Table(
        stacked.frame,
        stacked.place,
        None,
        stacked.notes,
        (*problems, *stacked.problems),
        known=stacked.known,
        unread=stacked.unread,
    )


def _told_apart(sheets: Mapping[Path, Sheet]) -> list[Sheet]:
    """The sheets under different names. Where folders hold files of one name, a folder is a person or a batch.

    Then the files of a folder that have the same columns are one sheet.
    """
    if len({file.stem for file in sheets}) == len(sheets):
        return list(sheets.values())
    folders: dict[Path, list[Sheet]] = {}
    for file, sheet in sheets.items():
        folders.setdefault(file.parent, []).append(replace(sheet, name=file.name))
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


def _records(tables: dict[Path, Table]) -> Table:
    """The JSON objects of all files; a file with one dialogue gives it its name, where it has no id."""
    records: list[tuple[int, dict[str, Any]]] = []
    places: list[tuple[str, int | None]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for file, table in tables.items():
        if recast(table, {}) is None and (inner := unwrapped(table)) is not None:
            table = inner
        assert table.records is not None
        alone = len(table.records) == 1 and len(tables) > 1
        for number, (line, record) in enumerate(table.records):
            named = alone and not _has_id(record) and _is_dialogue(record)
            records.append((line, {"dialogue_id": file.stem, **record} if named else record))
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


def _has_id(record: dict[str, Any]) -> bool:
    return any(is_id(normalised(key)) for key in record)


def _is_dialogue(record: dict[str, Any]) -> bool:
    known: Sequence[str] = USES["dialogue"]
    return any(normalised(key) in known or isinstance(value, list) for key, value in record.items())
