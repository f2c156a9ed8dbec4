"""Texts in files of their own beside a table: a transcript for each call, a folder of summaries for each system."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from dialgauge.corpus._files import read_text
from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._transcripts import load_transcripts
from dialgauge.corpus._turns import parse_turns


def named_texts(files: Sequence[Path], sheets: Sequence[Sheet]) -> list[Sheet]:
    """The texts whose files are called as the rows of a table are, as tables of dialogues and of summaries.

    Of several folders with files of the same names, one holds the dialogues, in which people speak; each of the others
    holds the summaries of the system that it is called after.
    """
    groups: dict[Path, list[Path]] = {}
    for file in files:
        groups.setdefault(file.parent, []).append(file)
    known = [_names_in(sheet) for sheet in sheets]
    linked = {folder: named for folder, inside in groups.items() if (named := _linked(inside, known))}
    spoken = [folder for folder, inside in linked.items() if _is_spoken(folder, inside)]
    found = []
    for folder, inside in linked.items():
        if folder in spoken[:1]:
            tables = [load_transcripts(file) for file in inside]
            texts = [table.frame["dialogue"][0] if table.frame.height == 1 else None for table in tables]
            rows = [(f.stem, text) for f, text in zip(inside, texts, strict=True) if text is not None]
            frame = pl.DataFrame(rows, schema={"dialogue_id": pl.String, "dialogue": pl.String}, orient="row")
        else:
            written = [(file.stem, folder.name, read_text(file).text.strip()) for file in inside]
            names = {"dialogue_id": pl.String, "system": pl.String, "summary": pl.String}
            frame = pl.DataFrame(written, schema=names, orient="row")
        found.append(Sheet(folder.name, frame, _places(inside)))
    return found


def _places(files: Sequence[Path]) -> Callable[[int], tuple[str, int | None]]:
    return lambda row: (str(files[row]) if row < len(files) else str(files[-1].parent), None)


def _names_in(sheet: Sheet) -> list[set[str]]:
    return [set(values.drop_nulls().cast(pl.String, strict=False)) for values in sheet.frame.iter_columns()]


def _linked(files: Sequence[Path], known: Sequence[list[set[str]]]) -> list[Path]:
    """Those of the files that a column of a table names; none where it names fewer than two, or few of them."""
    for columns in known:
        for names in columns:
            named = [file for file in files if file.stem in names]
            if len(named) > 1 and len(named) * 2 >= len(files):
                return named
    return []


def _is_spoken(folder: Path, files: Sequence[Path]) -> bool:
    """Whether the texts of a folder are dialogues: several turns each, or a name that says so."""
    words = set(normalised(folder.name).removesuffix("s").split("_"))
    if words & (TELLING["dialogue"] | {"call", "chat"}) or normalised(folder.name) in USES["dialogue"]:
        return True
    shown = [parse_turns(read_text(file).text) for file in files[:5]]
    return all(sum(bool(turn.speaker) for turn in turns) > 1 for turns in shown)
