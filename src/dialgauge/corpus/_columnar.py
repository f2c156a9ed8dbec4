"""Parquet and Arrow: files with column types."""

from pathlib import Path

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._flat import flat_frame
from dialgauge.corpus._table import Table, place_in, refuse_width
from dialgauge.errors import InputError

#: What Polars raises for a file that it cannot read. Damaged files cause a panic, which is not an Exception in Python.
POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def load_parquet(path: Path) -> Table:
    """The rows of a Parquet file; a row's place is its number from 1."""
    return as_table(read_parquet(path), str(path))


def read_parquet(path: Path) -> pl.DataFrame:
    """The frame in a Parquet file, with a clear error for anything else."""
    try:
        return pl.read_parquet(path, hive_partitioning=False, glob=False)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (*POLARS_ERRORS, OSError) as error:
        raise InputError(f"{path}: cannot be read as Parquet: {error}") from error


def as_table(frame: pl.DataFrame, file: str) -> Table:
    """The frame as a table. Lists and structs (turns, references …) are understood as in JSONL."""
    refuse_width(frame.width, file)
    binary = [name for name, dtype in frame.schema.items() if dtype == pl.Binary]
    notes = (f"binary columns are not read: {', '.join(binary)}",) if binary else ()
    frame = frame.drop(binary)
    place = place_in(file, range(1, frame.height + 1))
    if not any(dtype.is_nested() for dtype in frame.schema.values()):
        return Table(frame, place, notes=notes)
    records = tuple(
        (number, {key: value for key, value in record.items() if value is not None})
        for number, record in enumerate(frame.iter_rows(named=True), start=1)
    )
    return Table(frame, place, notes=notes, records=records)


def write_parquet(corpus: Corpus, path: Path) -> None:
    """The corpus as one table."""
    flat_frame(corpus).write_parquet(path)
