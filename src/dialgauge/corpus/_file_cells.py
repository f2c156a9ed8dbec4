"""Cells that name a file of a folder (``dialogues/call-1.txt``): what is in that file stands for its name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from dialgauge.corpus._files import read_text
from dialgauge.corpus._table import Table


def with_texts_of_files(table: Table, folder: Path, files: Sequence[Path]) -> tuple[Table, set[Path]]:
    """The table with the texts of the files that its columns name, and these files.

    All filled cells of a column must name files, with the ends of their names: a name without may be that of a row.
    """
    named = _by_name(folder, files)
    texts, taken = dict[str, pl.Series](), set[Path]()
    for column in table.frame.columns if table.records is None else ():
        values = table.frame[column]
        cells = values.drop_nulls().unique().to_list() if values.dtype == pl.String else []
        found = {cell: named[_plain(cell)] for cell in cells if _plain(cell) in named}
        if len(cells) > 1 and len(found) == len(cells):
            read = {cell: read_text(file).text.strip() for cell, file in found.items()}
            texts[column] = pl.Series(column, [None if cell is None else read[cell] for cell in values], pl.String)
            taken |= set(found.values())
    if not texts:
        return table, taken
    note = f"the cells of {', '.join(map(repr, texts))} name files, whose texts stand for them"
    return replace(table, frame=table.frame.with_columns(texts.values()), notes=(*table.notes, note)), taken


def _by_name(folder: Path, files: Sequence[Path]) -> Mapping[str, Path]:
    """The files by their paths in the folder, and by their names where no two have the same."""
    names = [file.name for file in files]
    alone = {file.name: file for file in files if names.count(file.name) == 1}
    return {**alone, **{file.relative_to(folder).as_posix(): file for file in files}}


def _plain(cell: str) -> str:
    return cell.strip().replace("\\", "/").removeprefix("./")
