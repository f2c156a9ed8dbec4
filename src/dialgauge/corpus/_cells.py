"""Cells of a table that hold JSON or Python's way of writing lists and objects, as ``to_csv`` leaves them."""

import ast
import json
import re
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus._names import USES, is_dimension, is_metric, is_person, normalised
from dialgauge.corpus._nested_answers import holds_marks
from dialgauge.corpus._shapes import (
    DIALOGUE,
    JUDGEMENTS,
    SUMMARIES,
    are_marks,
    are_summaries,
    are_turns,
    hold_judgements,
    hold_summaries,
)
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import is_answer

_WHOLE = frozenset({*USES["meta"], *USES["provenance"], *USES["reference"]})
#: "[4 5 3]", as NumPy writes a list.
_SPACED = re.compile(r"\[\s*-?\d+(?:\.\d*)?(?:\s+-?\d+(?:\.\d*)?)+\s*\]")
#: "4|3|5": the answers of several people in one cell.
JOINED = re.compile(r"-?\d+(?:\.\d+)?(?:\s*[|;]\s*-?\d+(?:\.\d+)?)+")
#: "Coherence: 4; Fluency: 5": the answers to several questions in one cell.
_PAIR = re.compile(r"\s*([^\W\d][^:=;|\n]{0,38}?)\s*[:=]\s*([^:=;|\n]{1,40}?)\s*")
_SHOWN = 50
#: A summary has more words than this.
_SHORT = 3
_LONGEST = 100_000
_DEEPEST = 6


def with_parsed_cells(table: Table) -> Table:
    """The table as records where columns of it hold lists or objects with judgements; unchanged otherwise."""
    frame = table.frame
    nested = [column for column in frame.columns if frame[column].dtype == pl.String and _is_nested(frame, column)]
    if not nested:
        return table
    records = []
    for number, row in enumerate(frame.iter_rows(named=True)):
        made = {
            key: parsed_cell(value) if key in nested and value is not None else value
            for key, value in row.items()
            if value is not None
        }
        records.append((table.place(number)[1] or 0, made))
    return replace(table, records=tuple(records))


def _is_nested(frame: pl.DataFrame, column: str) -> bool:
    name = normalised(column)
    shown = frame[column].drop_nulls().head(_SHOWN)
    if name in DIALOGUE | _WHOLE or not len(shown):
        return False
    joined = is_dimension(name) and all(JOINED.fullmatch(text.strip()) for text in shown)
    if all(packed(text) for text in shown):
        return True
    if not joined and not shown.str.strip_chars().str.contains(r"^[\[{]").all():
        return False
    values = [parsed_cell(text) for text in shown]
    if SUMMARIES.fullmatch(name) and _names_summaries(frame):
        return any(_judges("", value) for value in values)
    return all(isinstance(value, dict | list) for value in values) and any(_judges(name, value) for value in values)


def _names_summaries(frame: pl.DataFrame) -> bool:
    """Whether the rows have a system, or a summary, in a column: then what else they hold are no summaries."""
    return any(normalised(column) in {*USES["system"], *USES["summary"]} for column in frame.columns)


def _judges(name: str, value: Any) -> bool:
    """Whether a list or object holds judgements or summaries, and not other data."""
    if isinstance(value, list) and are_turns(value):
        return False
    if hold_judgements(value) or hold_summaries(value) or are_marks(value):
        return True
    if isinstance(value, dict) and SUMMARIES.fullmatch(name) and are_summaries(value):
        return all(len(str(text).split()) > _SHORT for text in value.values())
    if isinstance(value, list) and is_person(name.removesuffix("s")) and all(isinstance(one, str) for one in value):
        return True
    inner = value if isinstance(value, dict) else {}
    named = bool(JUDGEMENTS.fullmatch(name)) or is_dimension(name)
    return (named and bool(value)) or any(is_dimension(normalised(str(key))) for key in inner)


def unread_judgements(values: pl.Series) -> bool:
    """Whether cells that nobody understood are lists or objects with the words of judgements in them."""
    shown = values.drop_nulls().cast(pl.String).head(_SHOWN)
    if not len(shown) or not shown.str.strip_chars().str.contains(r"^[\[{]").all():
        return False
    return any(_speaks_of_judgements(parsed_cell(text)) for text in shown)


def labels_in(values: pl.Series) -> int:
    """How many answers cells hold that are lists of nothing else; 0 where one cell is anything else."""
    parsed = [parsed_cell(text) for text in values.drop_nulls().cast(pl.String)]
    lists = [value for value in parsed if isinstance(value, list)]
    answers = [str(one) for value in lists for one in value if one is not None and not isinstance(one, dict | list)]
    whole = len(lists) == len(parsed) and all(map(is_answer, answers))
    return len(answers) if whole else 0


def unread_marks(values: pl.Series) -> bool:
    """Whether cells that nobody understood, under a name of marks, are lists or objects with marked places in them."""
    shown = values.drop_nulls().cast(pl.String).head(_SHOWN)
    return any(
        holds_marks(normalised(values.name), parsed_cell(text)) for text in shown if text.lstrip()[:1] in ("[", "{")
    )


def _speaks_of_judgements(value: Any, depth: int = 0) -> bool:
    """Whether a name inside is that of people who judge or of a dimension, beside something that could be an answer."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, list):
        return any(_speaks_of_judgements(one, depth + 1) for one in value)
    if not isinstance(value, dict):
        return False
    people = {name: one for key, one in value.items() if not is_metric(name := normalised(str(key)))}
    judged = len(people) == len(value) and any(is_dimension(name) or is_person(name) for name in people)
    return judged or any(_speaks_of_judgements(one, depth + 1) for one in people.values())


def _with_gaps(text: str) -> Any:
    """What Python wrote with ``nan`` in it, which is no value of its own."""
    return ast.literal_eval(re.sub(r"(?<=[\[:,\s(])nan(?=\s*[,\]})])", "None", text))


def packed(text: str) -> dict[str, str] | None:
    """The answers in a cell that names the question of each; None for any other text."""
    for joint in (";", "|", "\n", ","):
        parts = [_PAIR.fullmatch(part) for part in text.split(joint) if part.strip()]
        if len(parts) > 1 and all(part is not None and is_answer(part[2]) for part in parts):
            made = {part[1]: part[2] for part in parts if part is not None}
            return made if len(made) == len(parts) else None
    return None


def parsed_cell(text: str) -> Any:
    """What a cell holds; the text itself where it cannot be read."""
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        return text
    if (answers := packed(stripped)) is not None:
        return answers
    if JOINED.fullmatch(stripped):
        stripped = f"[{re.sub('[|;]', ',', stripped)}]"
    if _SPACED.fullmatch(stripped):
        stripped = re.sub(r"(?<=\d|\.)\s+(?=-?\d)", ", ", stripped)
    for read in (json.loads, ast.literal_eval, _with_gaps):
        try:
            return read(stripped)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text
