"""Sheets, files or tables that name the rows of another one: ``summary_id`` beside a table ``summaries``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._better import better_of
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import is_bare_id, normalised
from dialgauge.corpus._parts_unread import explains_scale
from dialgauge.corpus._sides import options_of
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._utterances import is_total

#: A text that is longer than this says nothing about which row is meant.
_LONGEST = 80
#: Sheets of so few columns may be alike by chance.
_FEW = 3
_FEWEST_SIDES = 2
#: How platforms call the columns that hold what they showed; what is said about it elsewhere is of that kind too.
_SHOWN = re.compile(r"(?:Input\.|INPUT:)(?=.)")


@dataclass(frozen=True, slots=True)
class _Link:
    """``column`` of the sheet ``source`` has the values of ``key`` of the sheet ``target``, one row each."""

    source: str
    column: str
    target: str
    key: str


def with_links(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The sheets, each with what the rows that it names say of themselves: which call, which model.

    Texts stay where they are. A key takes the name under which others refer to it, so that ``id`` of the calls and
    ``call_id`` of the summaries are one.
    """
    links = [link for source in sheets for target in sheets if source is not target for link in _links(source, target)]
    if not links:
        return list(sheets)
    made = {sheet.name: sheet for sheet in sheets}
    for link in links:
        target = made[link.target]
        if link.key in target.frame.columns and link.column not in target.frame.columns:
            made[link.target] = replace(target, frame=target.frame.rename({link.key: link.column}))
    for _ in sheets:  # what a sheet takes over, those that name its rows take over in turn
        for link in links:
            made[link.source] = _joined(made[link.source], made[link.target], link.column)
    for link in links:
        made[link.source] = _without_link(made[link.source], made[link.target], link.column)
    return list(made.values())


def _without_link(source: Sheet, target: Sheet, column: str) -> Sheet:
    """The rows of a sheet without the name of a row, where that row says which dialogue it is about."""
    named = make_plan(target.frame).uses.get("dialogue_id", (column,))[0]
    said = named != column and {named, column} <= set(source.frame.columns)
    return replace(source, frame=source.frame.drop(column)) if said else source


def is_taken_over(sheet: Sheet, others: Sequence[Sheet]) -> bool:
    """Whether all that the rows of a sheet say stands in the rows of another one, but for the ids that joined them."""
    for other in others:
        known = {normalised(_SHOWN.sub("", column)): column for column in other.frame.columns}
        own = {column: known.get(normalised(_SHOWN.sub("", column))) for column in sheet.frame.columns}
        shared = {column: name for column, name in own.items() if name is not None}
        ids = [column for column in own if column not in shared]
        if len(shared) < _FEWEST_SIDES or len(ids) > 1 or not all(sheet.frame[c].is_unique().all() for c in ids):
            continue
        said = zip(*(_texts(other.frame[name]) for name in shared.values()), strict=True)
        if set(zip(*(_texts(sheet.frame[column]) for column in shared), strict=True)) <= set(said):
            return True
    return False


def are_alike(sheets: Sequence[Sheet]) -> bool:
    """Whether all sheets have nearly the same columns: those of several people, systems or batches."""
    names = [{normalised(column) for column in sheet.frame.columns} for sheet in sheets]
    every, common = set.union(*names), set.intersection(*names)
    return len(common) * 10 >= len(every) * 8


def _links(source: Sheet, target: Sheet) -> list[_Link]:
    found: list[_Link] = []
    if source.frame.width > _FEW and are_alike([source, target]):
        return found  # rows of the same kind do not name each other
    for key in target.frame.columns:
        values = _texts(target.frame[key])
        named = values.drop_nulls()
        # Of nested data, the rows of what is around the named ones have no id.
        gaps = len(named) < len(values) and not (is_bare_id(normalised(key)) and len(named) * 2 >= len(values))
        if gaps or len(named) < 2 or named.n_unique() < len(named):
            continue
        known = set(named)
        for column in source.frame.columns:
            if not names_row(column, key, target.name) or explains_scale(target.frame):
                continue
            used = [text for text in _texts(source.frame[column]).drop_nulls().unique() if not is_total(text)]
            if (
                used
                and known.issuperset(used)
                and not _is_copy(source, target, column, key)
                and not _is_about_others(source, target, column, key)
            ):
                found.append(_Link(source.name, column, target.name, key))
    return found


def _is_about_others(source: Sheet, target: Sheet, column: str, key: str) -> bool:
    """Whether the rows that a sheet seems to name are those of other systems or people: both name the same calls."""
    of_source, of_target = (make_plan(sheet.frame).uses for sheet in (source, target))
    for use in ("system", "annotator"):
        if use in of_source and use in of_target:
            own = source.frame.select(
                _texts(source.frame[column]).alias("key"), _texts(source.frame[of_source[use][0]]).alias("own")
            )
            others = target.frame.select(
                _texts(target.frame[key]).alias("key"), _texts(target.frame[of_target[use][0]]).alias("other")
            )
            if own.join(others, on="key").select((pl.col("own") != pl.col("other")).any()).item():
                return True
    return False


def _is_copy(source: Sheet, target: Sheet, column: str, key: str) -> bool:
    """Whether both sheets have one row for each of these names, and the first says no less about them."""
    alone = column == key and _texts(source.frame[column]).n_unique() == source.frame.height
    return alone and _said_by(source) >= _said_by(target)


def _said_by(sheet: Sheet) -> int:
    """How many columns of a sheet hold texts."""
    return sum(not _is_short(values) for values in sheet.frame.iter_columns() if values.null_count() < len(values))


def names_row(column: str, key: str, sheet: str) -> bool:
    """Whether the name of a column says that it is about the rows of a sheet with this key."""
    name, own, of = normalised(_SHOWN.sub("", column)), normalised(key), normalised(sheet)
    things = {of, of.rpartition("_")[2], of.removesuffix("s"), f"{of.removesuffix('ies')}y", re.sub("a$", "on", of)}
    return name == own != "id" or (
        own in ("id", "key", "uuid", "nr", "no") and name in {f"{one}_{own}" for one in things}
    )


def _texts(values: pl.Series) -> pl.Series:
    return values.cast(pl.String, strict=False).str.strip_chars()


def _joined(source: Sheet, target: Sheet, column: str) -> Sheet:
    """The rows of a sheet with the short cells of the rows that they name."""
    own = {normalised(_SHOWN.sub("", name)) for name in source.frame.columns}
    kept = _its_own(source, target)
    taken = [
        name
        for name in target.frame.columns
        if normalised(_SHOWN.sub("", name)) not in own and name not in kept and _is_short(target.frame[name])
    ]
    if not taken or column not in target.frame.columns:
        return source
    shown = _SHOWN.match(column)
    names = [f"{shown[0]}{name}" if shown and not _SHOWN.match(name) else name for name in taken]
    short = target.frame.select(_texts(target.frame[column]).alias("_named"), *taken)
    short.columns = ["_named", *names]
    frame = source.frame.with_columns(_texts(source.frame[column]).alias("_named"))
    return replace(source, frame=frame.join(short, on="_named", how="left", maintain_order="left").drop("_named"))


def _its_own(source: Sheet, target: Sheet) -> set[str]:
    """What only the rows of the target are: judged so, by whom; and of which system, where the others are texts too."""
    uses = make_plan(target.frame).uses
    judged = [use for use in uses if use.startswith("dimension:") or use == "value"]
    sides = options_of(target.frame, {column: normalised(column) for column in target.frame.columns})
    # Who was left and who was right is said of the comparison that names the row.
    written = "summary" in make_plan(source.frame).uses and len(sides) < _FEWEST_SIDES
    kept = [*judged, *(["annotator", "comment", "time"] if judged else []), *(["system"] if written else [])]
    expected = {column for column in target.frame.columns if len(sides) > 1 and _names_sides(target.frame[column])}
    return {column for use in kept for column in uses.get(use, ())} | expected


def _names_sides(values: pl.Series) -> bool:
    """Whether a column says which of two is better, as a key does of questions that have an answer."""
    given = set(_texts(values).drop_nulls())
    return len(given) > 1 and all(better_of(text) is not None for text in given)


def _is_short(values: pl.Series) -> bool:
    """Whether the cells of a column are names or numbers, and no texts of several words."""
    if values.dtype.is_nested():
        return False
    texts = values.drop_nulls().cast(pl.String)
    spaced = int(texts.str.contains(r"\S\s+\S+\s+\S+\s+\S").sum())
    return bool(len(texts)) and bool((texts.str.len_chars() <= _LONGEST).all()) and spaced * 2 < len(texts)
