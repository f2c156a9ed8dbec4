"""Boxes that people ticked: several labels in one cell, or a column for each option of a question."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._dimensions import is_lower_better
from dialgauge.corpus._guess_ratings import is_same_within
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import COMMENT_WORDS, heading, is_housekeeping, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import Dimension
from dialgauge.corpus._values import NOT_GIVEN, as_number, is_answer

_JOINTS = (";", "|", "\n", ",")
_LONGEST, _MOST_WORDS, _MOST_LABELS = 60, 8, 30
#: What is in a box that was ticked, where it is not the option itself.
_TICKS = frozenset({"x", "✓", "✔", "☑", "☒", "checked", "ticked", "selected", "1", "1.0", "true", "yes", "on"})
#: What says that no box was ticked.
_NOTHING = frozenset({*NOT_GIVEN, "no error", "no errors", "nothing", "none of these", "none of the above", "[]"})
#: Words for faults that are no names of dimensions: "Issues found", "Probleme".
_OF_FAULTS = frozenset(
    ["problem", "problems", "issue", "issues", "defects", "wrong", "probleme", "mangel", "problemas"]
)


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The labels of a question, and those that were ticked in each row; None where nobody was asked."""

    labels: tuple[str, ...]
    ticked: Sequence[frozenset[str] | None]


def with_labels(table: Table, mapping: Mapped) -> Table:
    """The table with a yes or no for every label that people could tick; unchanged where there are no boxes."""
    if any(use.startswith("dimension:") or use == "value" for use in mapping):
        return table
    frame = table.frame
    if frame.height < 2 or not any(_may_be_boxes(values) for values in frame.iter_columns()):
        return table
    plan = make_plan(frame, {use: given for use, given in mapping.items() if use != "ignore"}, table.known)
    if {"value", "dimension"} <= set(plan.uses):
        return _in_long_rows(table, plan.uses["dimension"][0], plan.uses["value"][0])
    people = plan.uses.get("annotator")
    if people is None:
        return table
    asked = frame[people[0]].is_not_null().to_list()
    ignored = mapping.get("ignore", ())
    free = [
        column.name
        for column in plan.columns
        if (column.use is None or column.use.startswith("dimension:") or column.use == "comment")
        and column.type in ("text", "yes/no", "number")
        and column.name not in ((ignored,) if isinstance(ignored, str) else ignored)
        and not COMMENT_WORDS & set(normalised(column.name).split("_"))
    ]
    found = _option_columns(frame, free, asked, plan)
    for column in free:
        boxes = None if column in found else _labelled(frame[column], asked)
        if boxes is not None and not _is_fact(frame, column, plan):
            found[column] = boxes
    return _replaced(table, found) if found else table


def _may_be_boxes(values: pl.Series) -> bool:
    """Whether a column may hold boxes: one value and gaps, or short texts of which some have a joint in them."""
    if values.dtype == pl.Boolean or values.dtype.is_numeric():
        return bool(values.null_count()) and values.drop_nulls().n_unique() == 1
    if values.dtype != pl.String:
        return False
    texts = values.drop_nulls().str.strip_chars().unique()
    texts = texts.filter(texts != "")
    short = bool(len(texts)) and bool((texts.str.len_chars() <= _MOST_LABELS * _LONGEST // 4).all())
    return short and (len(texts) == 1 or bool(texts.str.contains(r"[;|\n,]|^\[").any()))


def _in_long_rows(table: Table, dimension: str, value: str) -> Table:
    """The table with a row for every label of the questions to which several could be ticked."""
    frame = table.frame.with_row_index("_origin")
    asked = frame[dimension].cast(pl.String)
    boxes = {}
    for name in asked.drop_nulls().unique(maintain_order=True):
        cells = frame.filter(asked == name)[value]
        found = _labelled(cells, [text is not None for text in cells])
        if found is not None:
            boxes[name] = found.labels
    if not boxes:
        return table
    rest = frame.filter(~asked.is_in(list(boxes)).fill_null(False))
    parts = [rest.with_columns(pl.col(value).cast(pl.String), pl.col(dimension).cast(pl.String))]
    for name, labels in boxes.items():
        of = frame.filter(asked == name).filter(pl.col(value).is_not_null())
        ticked = _labelled(of[value], [True] * of.height)
        assert ticked is not None
        parts += [
            of.with_columns(
                pl.lit(label if label not in boxes and len(boxes) == 1 else f"{name}: {label}").alias(dimension),
                pl.Series(value, ["yes" if row and label in row else "no" for row in ticked.ticked], pl.String),
            )
            for label in labels
        ]
    long = pl.concat(parts, how="diagonal_relaxed").sort("_origin", maintain_order=True)
    origin, place = long["_origin"].to_list(), table.place
    behind = long.height - frame.height
    return replace(
        table,
        frame=long.drop("_origin"),
        place=lambda row: place(origin[row] if row < len(origin) else row - behind),
        notes=(*table.notes, f"several labels could be ticked, each is a yes or no of its own: {', '.join(boxes)}"),
        ticked=frozenset({*table.ticked, value, *boxes}),
    )


def _replaced(table: Table, found: Mapping[str, _Boxes]) -> Table:
    """The table with a column of yes and no for each label, in the place of the columns with the ticks."""
    frame = table.frame.drop(list(found))
    taken = {normalised(column) for column in frame.columns}
    every = [label for boxes in found.values() for label in boxes.labels]
    made: dict[str, list[str | None]] = {}
    faults: list[Dimension] = []
    for column, boxes in found.items():
        for label in boxes.labels:
            alone = normalised(label) not in taken and every.count(label) == 1
            name = label if alone else f"{heading(column)[0]}: {label}"
            made[name] = [None if row is None else "yes" if label in row else "no" for row in boxes.ticked]
            if is_lower_better(heading(column)[0]) or _OF_FAULTS & set(normalised(column).split("_")):
                faults.append(Dimension(name, "binary", "yes/no", (), "lower", "name"))
    listed = ", ".join(made)
    return replace(
        table,
        frame=frame.with_columns(pl.Series(name, values, pl.String) for name, values in made.items()),
        notes=(*table.notes, f"boxes that were ticked or not, each a yes or no of its own: {listed}"),
        known={**table.known, **{name: f"dimension:{name}" for name in made}},
        ticked=frozenset({*table.ticked, *found}),
        declared=(*table.declared, *faults),
    )


def _is_fact(frame: pl.DataFrame, column: str, plan: Plan) -> bool:
    """Whether the labels of a column are the same in all rows of a dialogue, of a summary or of a person."""
    of = {use: plan.uses[use][0] for use in ("dialogue_id", "annotator", "system") if use in plan.uses}
    filled = frame.with_columns(frame[column].cast(pl.String).fill_null("").alias("_labels"))
    if {"dialogue_id", "system"} <= set(of):
        filled = filled.with_columns(pl.struct(of["dialogue_id"], of["system"]).alias("_item"))
        of["item"] = "_item"
    keys = [key for use, key in of.items() if use != "system" and key != column]
    return any(is_same_within(filled, key, "_labels") for key in keys)


def labels_in(cell: str, joint: str) -> tuple[str, ...]:
    """The labels in one cell: a list in JSON, or texts with a joint between them."""
    if cell.startswith("["):
        try:
            listed = json.loads(cell.replace("'", '"'))
        except (ValueError, RecursionError):
            return (cell,)
        return tuple(str(one).strip() for one in listed) if all(isinstance(one, str) for one in listed) else (cell,)
    if cell.startswith("{"):
        return (cell,)
    # "Hallucination (names, numbers), Omission": what stands in brackets is no joint.
    parts = re.split(rf"{re.escape(joint)}(?![^()]*\))", cell)
    return tuple(part.strip() for part in parts if part.strip())


def _labelled(values: pl.Series, asked: Sequence[bool]) -> _Boxes | None:
    """The labels of a column with several in some cells; None where its cells hold anything else."""
    texts = values.cast(pl.String).str.strip_chars().to_list()
    given = {text for text in texts if text and text.lower() not in _NOTHING}
    for joint in _JOINTS:
        parted = {text: labels_in(text, joint) for text in given}
        if are_labels(list(parted.values())):
            labels = tuple(sorted({label for one in parted.values() for label in one}))
            nothing = frozenset[str]()
            ticked = [
                frozenset(parted[text]) if text in parted else nothing if whose else None
                for text, whose in zip(texts, asked, strict=True)
            ]
            return _Boxes(labels, ticked)
    return None


def are_labels(cells: Sequence[tuple[str, ...]]) -> bool:
    """Whether these are choices from a list: few short labels, in changing company."""
    labels = {label for cell in cells for label in cell}
    if not any(len(cell) > 1 for cell in cells) or not 2 <= len(labels) <= _MOST_LABELS:
        return False
    if any(len(label) > _LONGEST or len(label.split()) > _MOST_WORDS or _is_value(label) for label in labels):
        return False
    # A label of a list stands alone or beside different others; the parts of "Berlin, Germany" never change company.
    company = {label: {frozenset(cell) - {label} for cell in cells if label in cell} for label in labels}
    free = sum(len(beside) > 1 or frozenset() in beside for beside in company.values())
    return free * 5 >= len(labels) * 4 and len(set(cells)) < 2 ** len(labels) and len(set(cells)) >= len(labels) / 2


def _is_value(label: str) -> bool:
    return as_number(label.lower()) is not None or is_answer(label)


def _option_columns(
    frame: pl.DataFrame, columns: Sequence[str], asked: Sequence[bool], plan: Plan
) -> dict[str, _Boxes]:
    """Columns that hold one thing where it was ticked and nothing elsewhere, next to others of the kind."""
    places = {column: place for place, column in enumerate(frame.columns)}
    ticks = {column: tick for column in columns if (tick := _tick(frame[column], column)) is not None}
    near = [
        column
        for column in ticks
        if any(
            abs(places[column] - places[other]) == 1 or _stem(column) == _stem(other)
            for other in ticks
            if other != column
        )
        and not is_housekeeping(normalised(column))
        and heading(column)[1] is None  # "Overall (1-3)" with 3 in every row is an answer on that scale
        and not _is_fact(frame, column, plan)
    ]
    found = {}
    for column in near:
        label = ticks[column] or heading(column)[0]
        filled = frame[column].cast(pl.String).str.strip_chars().fill_null("").to_list()
        rows = [
            frozenset({label}) if text else frozenset[str]() if whose else None
            for text, whose in zip(filled, asked, strict=True)
        ]
        found[column] = _Boxes((label,), rows)
    return found


def _stem(column: str) -> str:
    return re.sub(r"[\s_\-.:]*(?:\d+|\[[^\]]*\]|\([^)]*\))\s*$", "", column)


def _tick(values: pl.Series, column: str) -> str | None:
    """What a column says where a box was ticked: the option, or nothing ("") where its heading does; else None."""
    texts = {text for text in values.cast(pl.String).str.strip_chars().unique() if text}
    if len(texts) != 1 or not values.cast(pl.String).str.strip_chars().fill_null("").eq("").any():
        return None
    tick = next(iter(texts))
    if tick.lower() in _TICKS:
        return ""
    same = normalised(tick) and normalised(column).endswith(normalised(tick))
    return tick if same and len(tick) <= _LONGEST else None
