"""Numbers of comparisons that a text beside them explains: ``-3 left much better, 0 about the same``."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._better import better_of
from dialgauge.corpus._names import normalised
from dialgauge.corpus._sides import options_of
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._values import is_not_given

#: "-3 left much better", "0 = about the same".
_POINT = re.compile(r"(?<![\w.,])([+-]?\d)\s*[=:]?\s+([^\W\d][^,;:\n\d]*)")
_FEWEST = 3
_NUMBER = re.compile(r"[+-]?\d")


def with_legends(sheets: Sequence[Sheet], texts: Iterable[str], notes: list[str]) -> list[Sheet]:
    """The sheets that compare two systems in numbers below and above zero, with what a text says of each number."""
    legends = [found for text in texts if (found := _legend(text))]
    return [_explained(sheet, legends[0], notes) for sheet in sheets] if len(legends) == 1 else list(sheets)


def _legend(text: str) -> dict[int, str]:
    """What each number means, where a text explains several and all say which side is better; empty otherwise."""
    found: dict[int, str] = {}
    for number, words in _POINT.findall(text):
        said = words.strip()
        if better_of(said) is not None and found.setdefault(int(number), said) != said:
            return {}
    sides = {better_of(words) for words in found.values()}
    return found if len(found) >= _FEWEST and {"a", "b"} <= sides and min(found) < 0 < max(found) else {}


def _explained(sheet: Sheet, legend: dict[int, str], notes: list[str]) -> Sheet:
    frame = sheet.frame
    if len(options_of(frame, {column: normalised(column) for column in frame.columns})) != 2:
        return sheet
    for column in frame.columns:
        cells = [str(cell).strip() for cell in frame[column].drop_nulls().cast(pl.String, strict=False)]
        given = [cell for cell in cells if not is_not_given(cell)]
        numbers = {int(cell) for cell in given if _NUMBER.fullmatch(cell)}
        if given and all(map(_NUMBER.fullmatch, given)) and min(numbers) < 0 < max(numbers) and numbers <= set(legend):
            notes.append(f"{sheet.name}: {column!r} is read as a text beside it explains: {_shown(legend)}")
            said = {cell: legend[int(cell)] for cell in given}
            words = frame[column].cast(pl.String).str.strip_chars().replace(said)
            return replace(sheet, frame=frame.with_columns(words.alias(column)))
    return sheet


def _shown(legend: dict[int, str]) -> str:
    return ", ".join(f"{number:+d} = {legend[number]}" if number else f"0 = {legend[0]}" for number in sorted(legend))
