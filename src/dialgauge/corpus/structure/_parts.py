"""The tables of a source, each with cells of text: its sheets or files, and the lists in what is nested."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import polars as pl

from dialgauge.corpus._names import is_id, normalised
from dialgauge.corpus._nested import to_frame
from dialgauge.corpus._shapes import are_turns
from dialgauge.corpus._sheets import SHEET
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._turns import turns_from_json, write_turns

#: Sources with more cells than this are not looked at twice.
MOST_CELLS = 2_000_000
_DEEPEST = 8
#: Texts of turns are longer on average than this; names are not.
_SHORT = 12
_MOSTLY = 0.9


def told_apart(loaded: Table) -> Table:
    """The source with a name of its own for each part: files of two folders or formats may have the same."""
    taken: dict[str, Sheet] = {}
    for part in loaded.parts:
        name = _free(part.name, taken)
        taken[name] = replace(part, name=name)
    return replace(loaded, parts=tuple(taken.values()))


def put_together(loaded: Table) -> Table:
    """All parts of a source under each other, with the name of each in a column, so that nothing is left out."""
    if not loaded.parts:
        return loaded
    frames = [part.frame.with_columns(pl.lit(part.name).alias(SHEET)) for part in loaded.parts]
    places = [part.place(row) for part in loaded.parts for row in range(part.frame.height)]
    stacked = pl.concat([_texts(frame) for frame in frames], how="diagonal")
    return replace(
        loaded,
        frame=stacked,
        place=lambda row: places[row] if row < len(places) else places[-1],
        records=None,
        parts=(),
    )


def parts_of(source: Table, sheets: Sequence[tuple[str, Sequence[str]]]) -> list[Sheet]:
    """The parts of a source that :func:`put_together` put together: ``sheets`` has their names and columns."""
    if source.records is not None:
        found = _listed(source)
    elif not sheets:
        name = PurePath(source.place(0)[0]).stem
        found = [Sheet(name, source.frame, source.place)]
    else:
        found = []
        for name, columns in sheets:
            rows = source.frame.with_row_index("_row").filter(pl.col(SHEET) == name)
            numbers = rows["_row"].to_list()
            found.append(Sheet(name, rows.select(columns), _placed(source, numbers)))
    texts = [_filled(replace(part, frame=_texts(part.frame))) for part in found]
    return [_with_turns_joined(part) for part in texts if part.frame.height]


def _filled(part: Sheet) -> Sheet:
    """The part without empty rows."""
    rows = part.frame.with_row_index("_row").filter(pl.any_horizontal(pl.exclude("_row").is_not_null()))
    numbers, place = rows["_row"].to_list(), part.place
    return replace(part, frame=rows.drop("_row"), place=lambda row: place(numbers[row] if row < len(numbers) else 0))


def _placed(source: Table, numbers: Sequence[int]) -> Any:
    return lambda row: source.place(numbers[row] if row < len(numbers) else 0)


def _with_turns_joined(part: Sheet) -> Sheet:
    """A part with a row per turn as one with a row per dialogue: its turns are counted, and somebody says each.

    Whatever else names the rows is the same in all turns of a dialogue.
    """
    frame = part.frame
    texts = [column for column in frame.columns if _share(frame[column], r"\pL\S*\s+\S*\pL") > _MOSTLY / 2]
    texts = [column for column in texts if _mean_length(frame[column]) > _SHORT]
    numbers = [column for column in frame.columns if _share(frame[column], r"^\d{1,4}$") == 1]
    rest = [c for c in frame.columns if c not in texts and frame[c].n_unique() < frame.height]
    people = [column for column in rest if _share(frame[column], r"\pL") == 1]
    ways = []
    for order in numbers if len(texts) == 1 else ():
        for speaker in people:
            ids = [column for column in rest if column not in (order, speaker)]
            if ids and not is_id(normalised(order)) and _are_turns(frame, ids, order, speaker):
                ways.append((ids, order, speaker))
    return _one_each(part, *ways[0], texts[0]) if len(ways) == 1 else part


def _share(values: pl.Series, pattern: str) -> float:
    return int(values.str.contains(pattern).sum()) / max(len(values), 1)


def _mean_length(values: pl.Series) -> float:
    mean = values.str.len_chars().mean()
    return float(mean) if isinstance(mean, int | float) else 0.0


def _are_turns(frame: pl.DataFrame, ids: Sequence[str], order: str, speaker: str) -> bool:
    groups = frame.group_by(ids).agg(
        pl.len().alias("_n"),
        pl.col(order).cast(pl.Int64).n_unique().alias("_numbers"),
        (pl.col(order).cast(pl.Int64).max() - pl.col(order).cast(pl.Int64).min() + 1).alias("_span"),
        pl.col(speaker).n_unique().alias("_people"),
    )
    counted = groups.select(((pl.col("_n") == pl.col("_numbers")) & (pl.col("_n") <= pl.col("_span"))).all()).item()
    start = frame.group_by(ids).agg(pl.col(order).cast(pl.Int64).min().alias("_first"))["_first"]
    several = groups.height > 1 and bool((groups["_n"] > 2).all()) and bool((groups["_people"] > 1).all())
    mostly = int((groups["_span"] - groups["_n"]).sum()) * 5 <= frame.height
    return bool(counted) and several and mostly and bool((start <= 1).all())


def _one_each(part: Sheet, ids: Sequence[str], order: str, speaker: str, said: str) -> Sheet:
    turns = part.frame.with_row_index("_row").sort(pl.col(order).cast(pl.Int64))
    # A column of ids may be called "dialogue" itself.
    name = next(name for name in ("dialogue", "transcript", "turns") if name not in ids)
    whole = turns.group_by(ids, maintain_order=True).agg(
        pl.concat_str([speaker, said], separator=": ").str.join("\n").alias(name), pl.col("_row").min()
    )
    whole = whole.sort("_row")
    numbers, place = whole["_row"].to_list(), part.place
    return replace(part, frame=whole.drop("_row"), place=lambda row: place(numbers[row] if row < len(numbers) else 0))


def _texts(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells as texts without space around them; empty ones are null."""
    made = []
    for column in frame.iter_columns():
        texts = column.cast(pl.String, strict=False) if not column.dtype.is_nested() else _written(column)
        if column.dtype.is_float():
            texts = texts.str.replace(r"\.0$", "")
        texts = texts.str.strip_chars()
        made.append(texts.set(texts == "", None).alias(column.name))
    return pl.DataFrame(made)


def _written(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [None if value is None else str(value) for value in column.to_list()], pl.String)


def _listed(source: Table) -> list[Sheet]:
    """A table for each list of objects, whose rows repeat the short values around them; none where that is too much."""
    assert source.records is not None
    rows: dict[str, list[dict[str, Any]]] = {}
    places: dict[str, list[int]] = {}
    cells = 0
    for number, (_, record) in enumerate(source.records):
        for name, row in _rows_in(record, {}, "", 0):
            rows.setdefault(name, []).append(row)
            places.setdefault(name, []).append(number)
            cells += len(row)
        if cells > MOST_CELLS:
            return []
    stem = _free(PurePath(source.place(0)[0]).stem, rows)
    return [
        Sheet(name or stem, to_frame(made, source.place(0)[0]), _placed(source, places[name]))
        for name, made in rows.items()
    ]


def _rows_in(
    value: Mapping[str, Any], above: Mapping[str, Any], path: str, depth: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    flat: dict[str, Any] = {}
    lists: list[tuple[str, list[Mapping[str, Any]]]] = []
    _open(value, "", flat, lists)
    own = {**above, **{_free(name, above): inner for name, inner in flat.items()}}
    if flat and (not lists or any(isinstance(inner, str) and len(inner) > 80 for inner in flat.values())):
        yield path, own
    short = {name: inner for name, inner in own.items() if not isinstance(inner, str) or len(inner) <= 80}
    for name, items in lists if depth < _DEEPEST else ():
        for item in items:
            yield from _rows_in(item, short if lists else own, f"{path}.{name}".strip("."), depth + 1)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name = f"{name}_"
    return name


def _open(
    value: Mapping[str, Any], path: str, flat: dict[str, Any], lists: list[tuple[str, list[Mapping[str, Any]]]]
) -> None:
    """Values of an object under their paths, and the lists of objects in it; objects keyed by names are such lists."""
    for key, inner in value.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(inner, list) and are_turns(inner):
            flat[name] = write_turns(turns_from_json(inner))
        elif isinstance(inner, list) and inner and all(isinstance(one, Mapping) for one in inner):
            lists.append((name, inner))
        elif isinstance(inner, list) and inner and all(isinstance(one, str) for one in inner):
            flat[name] = "\n".join(inner)
        elif isinstance(inner, Mapping):
            if _is_keyed(inner):
                lists.append((name, [{f"{key}_key": own, **item} for own, item in inner.items()]))
            else:
                _open(inner, name, flat, lists)
        elif inner is not None and not isinstance(inner, list):
            flat[name] = inner


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Whether the keys of an object are names: all values are objects with the same keys."""
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(one, Mapping) and one for one in inner):
        return False
    keys = [set(one) for one in inner]
    return len(set.intersection(*keys)) * 2 >= len(set.union(*keys))
