"""Headings that name a row and a column of texts of another sheet: ``Call 1, Summary A: clear`` beside ``Call 1``.

The row is then that of a dialogue, and each of its columns of texts has a summary of it.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._better import better_of
from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._wide_headings import is_judged
from dialgauge.corpus._writers import writers_of

#: The column that names the summaries, and what stands between the names of its row and its column there.
_ITEM, _JOINT = "item", " / "
_FEWEST = 2
#: Longer names are those of no writer.
_LONGEST = 40
_EDGE = " \t-–—:|/,;.[]()_?"


def with_sides_below(source: Sheet, target: Sheet) -> tuple[Sheet, Sheet, list[Sheet]] | None:
    """Both sheets, the second with a row for each summary, the first with its name in the headings about it.

    What the first says of both summaries of a row, which of them is better, is a third sheet.
    """
    wide, called = _a_row_for_each(source, target)
    target, called = wide, called or [column for column in target.frame.columns if _is_called_summary(column)]
    texts = [column for column in called if _has_texts(target.frame[column])]
    if len(texts) < _FEWEST or {_ITEM, "summary", "system"} & {*target.frame.columns, *source.frame.columns}:
        return None
    for key in target.frame.columns:
        rows = _as_said(target.frame, key)
        if key in texts or rows.null_count() or not rows.is_unique().all() or (rows.str.len_chars() > _LONGEST).any():
            continue
        named = {
            column: cell
            for column in source.frame.columns
            if (cell := _cell(column, rows.to_list(), texts)) is not None and is_judged(source.frame, column)
        }
        items = {cell[:2] for cell in named.values()}
        if len(items) == len(rows) * len(texts) and len(set(named.values())) == len(named):
            same = _shared_beginning([asked for _, _, asked in named.values()])
            renamed = {column: f"{row}{_JOINT}{text} [{asked[same:]}]" for column, (row, text, asked) in named.items()}
            asking = replace(source, frame=source.frame.rename(renamed))
            compared = _compared(asking, target, key, texts)
            if compared is None:
                return asking, _long(target, key, texts), []
            chosen = [column for column in asking.frame.columns if column not in compared[0]]
            return replace(asking, frame=asking.frame.select(chosen)), _long(target, key, texts), [compared[1]]
    return None


def _a_row_for_each(source: Sheet, target: Sheet) -> tuple[Sheet, list[str]]:
    """The target with a row for each dialogue where it has one for each text (``Meeting 1``, ``A``), and these columns.

    They are called as the headings of the source call them: "Note A" of a column *Note* with A and B.
    """
    frame = target.frame
    texts = [column for column in frame.columns if _has_texts(frame[column])]
    short = [column for column in frame.columns if column not in texts and not frame[column].null_count()]
    headings = " ".join(source.frame.columns).lower()
    for key in short if len(texts) == 1 else ():
        for side in (column for column in short if column != key):
            codes = [str(code).strip() for code in frame[side].unique(maintain_order=True)]
            names = [f"{side} {code}" for code in codes]
            once = frame.select(pl.struct(key, side).is_unique().all()).item()
            whole = once and len(codes) == _FEWEST and frame.height == frame[key].n_unique() * len(codes)
            if not whole or not all(name.lower() in headings for name in names):
                continue
            made = frame.select(pl.col(key).unique(maintain_order=True))
            for code, name in zip(codes, names, strict=True):
                own = frame.filter(pl.col(side).cast(pl.String).str.strip_chars() == code).drop(side)
                rest = {column: f"{column} {code}" for column in own.columns if column not in (key, texts[0])}
                made = made.join(own.rename({**rest, texts[0]: name}), on=key, how="left", maintain_order="left")
            first = [frame[key].index_of(value) or 0 for value in made[key]]
            return replace(target, frame=made, place=_of_rows(target, first)), names
    return target, []


def _of_rows(sheet: Sheet, first: Sequence[int]) -> Callable[[int], tuple[str, int | None]]:
    """Where each of some rows of a sheet stands in its file."""
    return lambda row: sheet.place(first[row] if row < len(first) else row)


def _has_texts(values: pl.Series) -> bool:
    shown = values.drop_nulls().cast(pl.String, strict=False)
    return bool(len(shown)) and int(shown.str.contains(r"\S\s+\S+\s+\S").sum()) * 2 > len(shown)


def _compared(source: Sheet, target: Sheet, key: str, texts: Sequence[str]) -> tuple[list[str], Sheet] | None:
    """The columns that say which of two texts of a row is better, and a sheet with a row for each such answer."""
    if len(texts) != _FEWEST:
        return None
    rows = target.frame[key].cast(pl.String, strict=False).str.strip_chars().to_list()
    found: dict[str, tuple[str, str]] = {}
    for column in source.frame.columns:
        row, asked = _taken_out(column, rows)
        if row is not None and _JOINT not in column and _names_sides(source.frame[column], texts):
            found[column] = (row, asked.replace(key, "").strip(_EDGE))
    if not any(_names_both(source.frame[column], texts) for column in found):
        return None
    if len({row for row, _ in found.values()}) < len(found) or len({asked for _, asked in found.values()}) != 1:
        return None
    writers = _writers(target.frame, key, texts)
    systems = [target.frame[writers[text]].cast(pl.String) if writers else None for text in texts]
    sides = {
        row: [_side(text) if own is None else own[place] for text, own in zip(texts, systems, strict=True)]
        for place, row in enumerate(rows)
    }
    answered = {column for column in source.frame.columns if _JOINT in column}
    rest = [column for column in source.frame.columns if column not in {*found, *answered}]
    numbered = source.frame.with_row_index("_origin")
    parts = [
        numbered.select(
            "_origin",
            *rest,
            pl.lit(row).alias("dialogue_id"),
            *(pl.lit(one, pl.String).alias(f"system_{side}") for side, one in zip("ab", sides[row], strict=True)),
            # "Note A" is the first, whatever the texts are called.
            pl.col(column)
            .cast(pl.String)
            .str.strip_chars()
            .replace(dict(zip(texts, "AB", strict=True)))
            .alias(asked or "preferred"),
        )
        for column, (row, asked) in found.items()
    ]
    frame = pl.concat(parts).sort("_origin", maintain_order=True)
    origin, place = frame["_origin"].to_list(), source.place
    name = f"{source.name} (comparisons)"
    return list(found), Sheet(name, frame.drop("_origin"), lambda row: place(origin[row]))


def _names_sides(values: pl.Series, texts: Sequence[str]) -> bool:
    """Whether all cells of a column name one of two texts, or a tie."""
    said = {text.strip() for text in values.drop_nulls().cast(pl.String, strict=False)} - {""}
    return bool(said) and all(one in texts or better_of(one) is not None for one in said)


def _names_both(values: pl.Series, texts: Sequence[str]) -> bool:
    """Whether a column has the name of one of two texts: all others may have found both as good."""
    return bool({text.strip() for text in values.drop_nulls().cast(pl.String, strict=False)} & set(texts))


def _as_said(frame: pl.DataFrame, column: str) -> pl.Series:
    """The cells as headings would say them: the 1.0 of a workbook is the 1 of a heading."""
    return frame.select(as_text(column, frame)).to_series().cast(pl.String, strict=False).str.strip_chars()


def _is_called_summary(column: str) -> bool:
    """Whether a heading has a word for a summary and the name of one behind it: "Summary A"."""
    first, _, side = normalised(column).partition("_")
    return bool(side) and (first in TELLING["summary"] or first in USES["summary"])


def _cell(column: str, rows: Sequence[str], texts: Sequence[str]) -> tuple[str, str, str] | None:
    """The row and the column that a heading names, and what it asks about that text."""
    row, rest = _taken_out(column, rows)
    text, asked = _taken_out(rest, texts)
    return (row, text, asked.strip(_EDGE) or "rating") if row and text else None


def _shared_beginning(questions: Sequence[str]) -> int:
    """How many letters all questions begin with, to the end of a word: "The summary is … clear", "… correct"."""
    letters = itertools.takewhile(lambda here: len(set(here)) == 1, zip(*questions, strict=False))
    shared = "".join(here[0] for here in letters)
    return shared.rfind(" ") + 1 if len(set(questions)) > 1 else 0


def _taken_out(heading: str, names: Sequence[str]) -> tuple[str | None, str]:
    for name in sorted(names, key=len, reverse=True):
        at = re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", heading, re.IGNORECASE)
        if at is not None:
            return name, f"{heading[: at.start()]}{heading[at.end() :]}"
    return None, heading


def _long(target: Sheet, key: str, texts: Sequence[str]) -> Sheet:
    writers = _writers(target.frame, key, texts)
    rest = [column for column in target.frame.columns if column not in {*texts, *writers.values()}]
    numbered = target.frame.with_columns(_as_said(target.frame, key)).with_row_index("_origin")
    parts = [
        numbered.select(
            "_origin",
            *rest,
            (pl.col(key).cast(pl.String).str.strip_chars() + f"{_JOINT}{text}").alias(_ITEM),
            (pl.col(writers[text]).cast(pl.String) if writers else pl.lit(_side(text))).alias("system"),
            pl.col(text).cast(pl.String).alias("summary"),
        )
        for text in texts
    ]
    frame = pl.concat(parts).sort("_origin", maintain_order=True)
    origin, place = frame["_origin"].to_list(), target.place
    named = {} if "dialogue_id" in rest else {key: "dialogue_id"}
    return replace(target, frame=frame.drop("_origin").rename(named), place=lambda row: place(origin[row]))


def _writers(frame: pl.DataFrame, key: str, texts: Sequence[str]) -> Mapping[str, str]:
    return writers_of(frame, {text: normalised(_side(text)) for text in texts}, without={key, *texts})


def _side(text: str) -> str:
    return text.split()[-1]
