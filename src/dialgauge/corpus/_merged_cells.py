"""Merged cells of a workbook: what stands in the first of them holds for all."""

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._names import is_bare_id, is_id, is_person, normalised
from dialgauge.corpus._values import MOSTLY

_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?")
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
#: A column, and its first and last row, counted from 0.
Merged = tuple[int, int, int]


def merged_down(path: Path) -> dict[str, list[Merged]]:
    """The cells of each sheet that are merged over several rows; empty where a workbook does not say so as XML."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
            links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
            files = {link.get("Id"): str(link.get("Target")) for link in links}
            found = {}
            for sheet in book.iterfind(".//{*}sheet"):
                target = files.get(sheet.get(_RELATION), "").removeprefix("/xl/").removeprefix("xl/")
                content = ElementTree.fromstring(archive.read(f"xl/{target}"))
                found[str(sheet.get("name"))] = [
                    one for cell in content.iterfind(".//{*}mergeCell") for one in _down(str(cell.get("ref")))
                ]
            return found
    except (KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return {}


def _down(place: str) -> list[Merged]:
    at = _PLACE.fullmatch(place)
    if at is None or at[3] is None or at[1] != at[3] or at[2] == at[4]:
        return []
    column = 0
    for letter in at[1]:
        column = column * 26 + ord(letter) - 64
    return [(column - 1, int(at[2]) - 1, int(at[4]) - 1)]


def filled_down(frame: pl.DataFrame, merged: Sequence[Merged], first: int) -> pl.DataFrame:
    """The frame with names and texts in all rows of their merged cells; its first row is row ``first`` of the sheet.

    An answer in merged cells is one answer, and stays where it is.
    """
    columns = {column for column, start, _ in merged if start >= first and column < frame.width}
    for number in columns:
        name = frame.columns[number]
        plain = normalised(name)
        cells = frame[name].to_list()
        named = is_id(plain) or is_bare_id(plain) or is_person(plain)
        if not named and answers(frame[name]).share >= MOSTLY:
            continue
        spans = [(start - first, end - first) for column, start, end in merged if column == number and start >= first]
        if any(
            end >= len(cells) or any(cell is not None for cell in cells[start + 1 : end + 1]) for start, end in spans
        ):
            return frame  # the sheet begins elsewhere
        for start, end in spans:
            cells[start + 1 : end + 1] = [cells[start]] * (end - start)
        frame = frame.with_columns(pl.Series(name, cells, frame.schema[name]))
    return frame
