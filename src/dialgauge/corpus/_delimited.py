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
from dialgauge.corpus._headings import LOOKED_AT, Headings, distinct_names, find_headings
from dialgauge.corpus._markdown_pages import BORDER, sections_as_sheets
from dialgauge.corpus._names import USES, is_id, normalised
from dialgauge.corpus._problems import Problem
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._standoff import is_webanno, load_webanno
from dialgauge.corpus._table import Table, refuse_width
from dialgauge.corpus._values import MOSTLY
from dialgauge.errors import InputError
from dialgauge.tables import escape_formulas_in, unescape_formulas_in

_SEPARATORS = ",;\t|"
#: Characters of a file in which its headings must stand.
_LOOKED_AT = 200_000
_SAID_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?\r?\n', re.IGNORECASE)


def load_delimited(path: Path) -> Table:
    """The rows of a CSV or TSV file, all as text. An empty cell is missing; ``""`` is an empty text."""
    found = read_text(path)
    if is_webanno(found.text):
        return load_webanno(path)
    text = found.text if "\n" in found.text else found.text.replace("\r", "\n")
    text = _without_borders(text)
    said = _SAID_SEPARATOR.match(text)  # Excel's own first line, which is not a row
    text, first = (text[said.end() :], 2) if said else (text, 1)
    if not text.strip():
        return Table(pl.DataFrame(), lambda row: (str(path), None), found.encoding, found.notes)
    separator = said[1] if said else _separator(text)
    file, notes = str(path), list(found.notes)
    headings = find_headings([record for _, record in _parse(_start(text), separator, first)][:LOOKED_AT])
    if (assumed := headings.note()) is not None:
        notes.append(assumed)
        first, text = _below(text, separator, first, headings)
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
    names = next((record for _, record in _parse(_start(text), separator, first) if record), [])
    if len(names) == frame.width:
        frame.columns = distinct_names(names)
    return Table(unescape_formulas_in(frame), place, found.encoding, (*notes, *_doubled(names)), separator=separator)


def load_markdown(path: Path) -> Table:
    """The one table of a page in Markdown. Of several, the sections that they stand in say what each is about."""
    found = read_text(path)
    borders = _borders(found.text)
    if borders > 1:
        sheets, notes = sections_as_sheets(found.text, str(path))
        return one_table(sheets, [*found.notes, *notes], "table")
    if not borders and found.text.strip():
        raise InputError(f"{path}: no table in this page, so no rows")
    return load_delimited(path)


def _borders(text: str) -> int:
    """How many tables a page in Markdown has: each has one line between its headings and its rows."""
    return sum(bool(BORDER.fullmatch(line)) for line in text.splitlines())


def is_prose(path: Path) -> bool:
    """Whether a text explains other files: it is called so, or it is a page in Markdown without a table."""
    if path.suffix.lower() not in (".md", ".txt"):
        return False
    named = bool(_EXPLAINS.match(path.stem))
    return named or (path.suffix.lower() == ".md" and not _borders(read_text(path).text))


_EXPLAINS = re.compile(r"read_?me|licen[cs]e|changelog|data_?sheet|data_?card|dataset_?card", re.IGNORECASE)


_REMARKS = re.compile(r"\A(?:\s*#[^\n]*\n)+")


def is_table(text: str) -> bool:
    """Whether a text without a telling name is a table: by its headings, or by the tabs in its lines.

    Lines that begin with ``#`` above the headings are remarks.
    """
    text = _REMARKS.sub("", text, count=1)
    if _has_columns(text):
        return True
    known = {*USES["dialogue"], *USES["summary"], *USES["reference"], *USES["system"], *USES["annotator"]}
    for separator in _SEPARATORS:
        names = [normalised(name) for name in _head(text).split(separator) if name.strip()]
        if len(names) > 2 and sum(name in known or is_id(name) for name in names) >= 2:
            return True
    return False


def _has_columns(text: str) -> bool:
    """Whether almost all lines have the same number of tabs or bars, and more than set off a speaker and a time.

    Bars between turns are no borders: where the first line has speakers, it has colons.
    """
    lines = [line for line in text.splitlines()[:LOOKED_AT] if line.strip()]
    for separator, fewest in (("\t", 3), ("|", 2)):
        found = [line.count(separator) for line in lines]
        same = len(found) > 2 and found[0] >= fewest and found.count(found[0]) >= MOSTLY * len(found)
        if same and (separator == "\t" or ":" not in lines[0]):
            return True
    return False


#: What a database says below a table.
_COUNTED = re.compile(r"\s*\(\d+ rows?\)\s*")


def _without_borders(text: str) -> str:
    """A table that is drawn with bars and a border, as databases and Markdown have it, as plain CSV with bars."""
    lines = text.split("\n")
    if not any(BORDER.fullmatch(line) for line in lines[:LOOKED_AT]):
        return text
    made = io.StringIO()
    writer = csv.writer(made, delimiter="|", lineterminator="\n")
    for line in lines:
        if line.strip() and not BORDER.fullmatch(line) and not _COUNTED.fullmatch(line):
            bare = line.strip()
            bare = bare[1:] if bare.startswith("|") else bare
            writer.writerow([cell.strip() for cell in bare.removesuffix("|").split("|")])
        else:
            made.write("\n")  # lines keep their numbers
    return made.getvalue()


def _start(text: str) -> str:
    """As much of the beginning as headings and a few rows need."""
    return text[:_LOOKED_AT] if len(text) > _LOOKED_AT else text


def _below(text: str, separator: str, first: int, headings: Headings) -> tuple[int, str]:
    """The number of the line with the headings, and the text from there on; two rows of headings are made one."""
    records = _parse(text, separator, first)
    lines = text.split("\n")
    if headings.names is None:
        start = records[headings.row][0]
        return start, "\n".join(lines[start - first :])
    start = records[headings.data][0]
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator="\n").writerow(headings.names)
    return start - 1, made.getvalue() + "\n".join(lines[start - first :])


def _head(text: str) -> str:
    """The first non-empty line, without what is in quotes."""
    return "".join(text.lstrip("\n").partition("\n")[0].split('"')[::2])


def _separator(text: str) -> str:
    """The separator that occurs most often in the first line outside quotes."""
    bare = _head(text)
    if not any(separator in bare for separator in _SEPARATORS) or bare.startswith("#"):
        return max(_SEPARATORS, key=lambda separator: (_usual_width(text, separator), -_SEPARATORS.index(separator)))
    first = max(_SEPARATORS, key=lambda separator: (bare.count(separator), -_SEPARATORS.index(separator)))
    found = [separator for separator in _SEPARATORS if separator in bare]
    even = [separator for separator in found if _is_even(text, separator)] if len(found) > 1 else []
    return even[0] if len(even) == 1 else first


def _is_even(text: str, separator: str) -> bool:
    """Whether the first records have all as many cells as the headings, and more than one."""
    widths = [len(record) for _, record in _parse(_start(text), separator, 1)[:LOOKED_AT] if record]
    return len(widths) > 2 and widths[0] > 1 and len(set(widths[: len(widths) - (len(widths) == LOOKED_AT)])) == 1


def _usual_width(text: str, separator: str) -> int:
    """How many cells most of the first records have with this separator."""
    widths = [len(record) for _, record in _parse(_start(text), separator, 1)[:LOOKED_AT]]
    return max(set(widths), key=lambda width: (widths.count(width), width)) if widths else 0


def _doubled(names: Sequence[str]) -> list[str]:
    doubled = dict.fromkeys(name.strip() for place, name in enumerate(names) if name.strip() and name in names[:place])
    return [f"the column {name!r} occurs more than once: its columns are numbered" for name in doubled]


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
    names = distinct_names(header)
    frame = unescape_formulas_in(pl.DataFrame(good, schema=dict.fromkeys(names, pl.String), orient="row"))
    notes = [*notes, "some rows are not valid CSV; empty texts count as missing in this file", *_doubled(header)]
    return Table(
        frame, lambda row: (file, starts[row] if row < len(starts) else None), encoding, tuple(notes), tuple(problems)
    )


def write_csv(corpus: Corpus, path: Path) -> None:
    """The corpus as one table in UTF-8, cells quoted where they must be; a spreadsheet reads no text as a formula."""
    escape_formulas_in(flat_frame(corpus)).write_csv(path, separator="\t" if path.suffix in (".tsv", ".tab") else ",")
