"""Folders of shared tasks: a list of the documents, outputs with a line for each in its order, and scores by number."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus._files import read_text
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._transcripts import load_transcripts
from dialgauge.errors import counted

_FEWEST = 2
#: How scores name a line of the list.
_NUMBER = frozenset(
    [
        "item",
        "item_id",
        "line",
        "line_no",
        "line_number",
        "seg",
        "seg_id",
        "segment",
        "segment_id",
        "doc",
        "doc_id",
        "no",
    ]
)
#: What is judged in direct assessment of a shared task; other items test who judges.
_TARGET, _ITEM_TYPE = "TGT", frozenset(["item_type", "itemtype", "type"])


def in_listed_order(texts: Sequence[Path]) -> tuple[Sheet, list[Path]] | None:
    """The dialogues in files that another file lists, a name in each line, in its order; and what was read."""
    folders: dict[Path, dict[str, Path]] = {}
    for file in texts:
        folders.setdefault(file.parent, {})[file.stem] = file
    for file in texts:
        names = [line.strip() for line in read_text(file).text.splitlines() if line.strip()]
        plain = [name.removesuffix(".txt") for name in names]
        if len(names) < _FEWEST or len(set(plain)) < len(plain) or any(len(name.split()) > 1 for name in plain):
            continue
        for folder, inside in folders.items():
            if folder != file.parent and set(plain) == set(inside):
                tables = [load_transcripts(inside[name]) for name in plain]
                if all(table.frame.height == 1 for table in tables):
                    rows = [(name, table.frame["dialogue"][0]) for name, table in zip(plain, tables, strict=True)]
                    frame = pl.DataFrame(rows, schema={"dialogue_id": pl.String, "dialogue": pl.String}, orient="row")
                    place = _places([str(inside[name]) for name in plain])
                    return Sheet(folder.name, frame, place), [file, *inside.values()]
    return None


def _places(files: Sequence[str]) -> Callable[[int], tuple[str, int | None]]:
    return lambda row: (files[row], None)


def with_listed_names(sheet: Sheet, ids: Sequence[str], notes: list[str], dropped: dict[str, int]) -> Sheet:
    """A sheet of scores that numbers the lines of the list, with their names; what only tests people is left out."""
    frame, place = sheet.frame, sheet.place
    if "dialogue_id" in frame.columns:
        return sheet
    for column in frame.columns:
        texts = [(text or "").strip() for text in frame.select(as_text(column, frame)).to_series()]
        numbers = {text for text in texts if text}
        lines = {str(number): name for number, name in enumerate(ids, start=1)}
        # Without the last line, numbers may count from 0.
        if normalised(column) in _NUMBER and str(len(ids)) in numbers <= set(lines):
            notes.append(f"{sheet.name}: {column!r} numbers the lines of the list of documents, from 1")
            named = pl.Series("dialogue_id", [lines.get(text) for text in texts], pl.String)
            frame = frame.drop(column).with_columns(named)
            break
    else:
        return sheet
    typed = next((c for c in frame.columns if normalised(c) in _ITEM_TYPE and (frame[c] == _TARGET).any()), None)
    if typed is None:
        return replace(sheet, frame=frame)
    kept = [row for row, said in enumerate(frame[typed]) if said == _TARGET]
    if others := frame.height - len(kept):
        dropped[f"{typed} is not {_TARGET}"] = others
        notes.append(f"{sheet.name}: {counted(others, 'row')} of items that test who judges ({typed}) left out")
    return replace(sheet, frame=frame[kept].drop(typed), place=lambda row: place(kept[row] if row < len(kept) else row))


def with_references(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Sheets of outputs, those of a folder of references with that kind."""
    return [
        replace(sheet, frame=sheet.frame.with_columns(pl.lit("reference").alias("kind")))
        if normalised(sheet.name) in USES["reference"] and "system" in sheet.frame.columns
        else sheet
        for sheet in sheets
    ]
