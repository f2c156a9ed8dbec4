"""SQLite databases: each table is read like a sheet of a workbook."""

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl

from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._table import Sheet, Table, place_in, refuse_width
from dialgauge.errors import InputError


def load_database(path: Path) -> Table:
    """The rows of all tables of a database that hold data of a corpus; a row's place is its number in its table."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    sheets = []
    try:
        with closing(sqlite3.connect(_address(path), uri=True)) as database:
            asked = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by rowid"
            names = [name for (name,) in database.execute(asked)]
            for name in names:
                sheets += _sheet(database, name, path)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as an SQLite database: {error}") from error
    if not sheets:
        return Table(pl.DataFrame(), lambda row: (str(path), None))
    return one_table(sheets, what="table")


def _address(path: Path) -> str:
    """Read-only and unchanging: no file is written beside it, and nothing in it runs.

    Where a program that has it open left its latest changes beside it, SQLite is to read these as well.
    """
    whole = path.resolve()
    changing = any(whole.with_name(f"{whole.name}{end}").exists() for end in ("-wal", "-journal"))
    return f"{whole.as_uri()}?mode=ro{'' if changing else '&immutable=1'}"


def _sheet(database: sqlite3.Connection, name: str, path: Path) -> list[Sheet]:
    quoted = name.replace('"', '""')
    found = database.execute(f'select * from "{quoted}"')
    columns = [column for column, *_ in found.description]
    refuse_width(len(columns), str(path))
    rows = found.fetchall()
    if not rows:
        return []
    cells = {
        column: [None if isinstance(row[place], bytes) else row[place] for row in rows]
        for place, column in enumerate(columns)
    }
    frame = pl.DataFrame({column: pl.Series(column, values, strict=False) for column, values in cells.items()})
    return [Sheet(name, frame, place_in(f"{path} [{name}]", range(1, len(rows) + 1)))]
