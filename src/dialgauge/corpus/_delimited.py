"""CSV and its relatives: separated by commas, semicolons, tabs or bars, in any encoding, with any line ends."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._files import read_text
from dialgauge.corpus._flat import flat_frame
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._table import Table, refuse_width

_SEPARATORS = ",;\t|"
_SAID_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?\r?\n', re.IGNORECASE)


def load_delimited(path: Path) -> Table:
    """The rows of a CSV or TSV file, all as text. An empty cell is missing; ``""`` is an empty text."""
    found = read_text(path)
    text = found.text if "\n" in found.text else found.text.replace("\r", "\n")
    said = _SAID_SEPARATOR.match(text)  # Excel's own first line, which is not a row
    text, first = (text[said.end() :], 2) if said else (text, 1)
    if not text.strip():
        return Table(pl.DataFrame(), lambda row: (str(path), None), found.encoding, found.notes)
    separator = said[1] if said else _separator(text)
    file, notes = str(path), list(found.notes)
    refuse_width(_head(text).count(separator) + 1, file)
    if separator != ",":
        notes.append(f"separated by {separator!r}")

    @cache
    def lines() -> list[int]:
        return [line for line, _ in _parse(text, separator, first)][1:]

    def place(row: int) -> tuple[str, int | None]:
        starts = lines()
        return file, starts[row] if row < len(starts) else None

    try:
        frame = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False, raise_if_empty=False)
    except pl.exceptions.PolarsError:
        records = [(line, record) for line, record in _parse(text, separator, first) if record]
        return replace(_load_leniently(records, file, found.encoding, notes), separator=separator)
    return Table(frame, place, found.encoding, (*notes, *_doubled(frame.columns)), separator=separator)


def _head(text: str) -> str:
    """The first non-empty line, without what is in quotes."""
    return "".join(text.lstrip("\n").partition("\n")[0].split('"')[::2])


def _separator(text: str) -> str:
    """The separator that occurs most often in the first line outside quotes."""
    bare = _head(text)
    return max(_SEPARATORS, key=lambda separator: (bare.count(separator), -_SEPARATORS.index(separator)))


def _doubled(columns: Sequence[str]) -> list[str]:
    doubled = [column.partition("_duplicated_")[0] for column in columns if "_duplicated_" in column]
    return [f"the column {name!r} occurs more than once; only the first is used" for name in doubled]


def _parse(text: str, separator: str, first: int) -> list[tuple[int, list[str]]]:
    """Every record with the line on which it starts, counted from ``first``; blank lines are empty records."""
    # Python ends a record at a lone carriage return, Polars and other readers do not.
    stand_in = next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    shielded = re.sub(r"\r(?!\n)", stand_in, text)
    allowed = csv.field_size_limit(max(len(text), 1))
    try:
        reader = csv.reader(io.StringIO(shielded, newline=""), delimiter=separator)
        records, start = [], first
        for record in reader:
            records.append((start, [cell.replace(stand_in, "\r") for cell in record]))
            start = reader.line_num + first
        return records
    finally:
        csv.field_size_limit(allowed)


def _load_leniently(records: list[tuple[int, list[str]]], file: str, encoding: str, notes: list[str]) -> Table:
    """Record by record, for files with some invalid rows: these are reported, the others read."""
    header = records[0][1]
    problems, good, starts = [], [], []
    for line, record in records[1:]:
        if len(record) > len(header):
            reason = f"more cells than the header has ({len(header)})"
            problems.append(Problem(file, line, record[0][:80] or None, reason))
            continue
        good.append([cell or None for cell in record] + [None] * (len(header) - len(record)))
        starts.append(line)
    names = [name if header.index(name) == i else f"{name}_duplicated_{i}" for i, name in enumerate(header)]
    frame = pl.DataFrame(good, schema=dict.fromkeys(names, pl.String), orient="row")
    notes = [*notes, "some rows are not valid CSV; empty texts count as missing in this file", *_doubled(names)]
    return Table(
        frame, lambda row: (file, starts[row] if row < len(starts) else None), encoding, tuple(notes), tuple(problems)
    )


def write_csv(corpus: Corpus, path: Path) -> None:
    """The corpus as one table in UTF-8, cells quoted where they must be."""
    flat_frame(corpus).write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
