"""Judgements of programs among those of people, where a column says of each row which of both it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus._column_types import COUNT
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import IGNORE, Mapped
from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.corpus._names import TELLING, normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table
from dialgauge.errors import counted

_PEOPLE = re.compile(r"humans?|persons?|people|manual|crowd(?:_?workers?)?|experts?|annotators?|mensch|humain|humano")
_PROGRAMS = re.compile(
    r"(?:llms?|ai|gpt)(?:_.*)?|models?|machines?|automatic|automated|auto|bots?|programs?|synthetic|ki"
)


def without_programs(table: Table, mapping: Mapped) -> Table:
    """The table without the judgements of programs; unchanged where no column tells them from those of people."""
    said = [mapping.get(use, ()) for use in (IGNORE, "annotator")]
    settled = {name for given in said for name in ([given] if isinstance(given, str) else given)}
    asked = [c for c in table.frame.columns if c not in settled and _tells(table.frame[c])]
    if not asked or table.layout is not None:
        return table
    plan = make_plan(table.frame, mapping, table.known)
    telling = next((column for column in asked if _is_of_judges(table.frame, column, plan)), None)
    judged = [*plan.uses.get("value", ()), *plan.named("dimension").values()]
    if telling is None or not judged:
        return table
    programs = table.frame[telling].cast(pl.String).map_elements(is_program, pl.Boolean).fill_null(False)
    cells = table.frame.filter(programs).select(pl.col(judged).is_not_null().sum()).sum_horizontal().item()
    about = [*judged, *(c for use in ("annotator", "dimension", "comment", "time") for c in plan.uses.get(use, ()))]
    blank = pl.when(~programs).then(pl.col(about)).name.keep()
    word = table.frame.filter(programs)[telling][0]
    keep = "annotator" if telling in plan.uses["annotator"] else IGNORE
    note = (
        f"{counted(int(programs.sum()), 'row')} of programs ({telling!r} is {word!r}) are no judgements of people and "
        f"left out; --map {keep}={telling} reads them as those of annotators"
    )
    return replace(
        table,
        frame=table.frame.with_columns(blank),
        notes=(*table.notes, note),
        dropped={**table.dropped, "of a program": int(cells)},
    )


def judged_by_programs(records: Sequence[Mapping[str, Any]], people: Sequence[str]) -> list[bool]:
    """Which records hold the verdict of a program, where a key tells them from those of people, or ``people`` are
    called like models in some of them and not in others."""
    for key in dict.fromkeys(key for record in records for key in record):
        if _tells(pl.Series([record[key] for record in records if isinstance(record.get(key), str)], dtype=pl.String)):
            return [is_program(str(record.get(key))) for record in records]
    named = [is_named_like_model(who) for who in people]
    return [False] * len(named) if all(named) else named


def _tells(values: pl.Series) -> bool:
    """Whether every cell of a column says either people or programs, and both occur."""
    given = values.drop_nulls()
    if given.is_empty() or not _is_telling(str(given[0])):  # most columns are none, and long
        return False
    said = given.cast(pl.String, strict=False).unique().head(_LOOKED_AT).to_list()
    programs = [text for text in said if is_program(text)]
    return 0 < len(programs) < len(said) and all(map(_is_telling, said))


def _is_telling(text: str) -> bool:
    return is_program(text) or bool(_PEOPLE.fullmatch(normalised(text)))


def is_program(text: str) -> bool:
    """Whether a word for who judged is that for a program."""
    return bool(_PROGRAMS.fullmatch(normalised(text)))


#: More different words than this are names.
_LOOKED_AT = 50


def _is_of_judges(frame: pl.DataFrame, column: str, plan: Plan) -> bool:
    """Whether a column is about who judged, and not about who wrote: each judge has one value, and summaries both."""
    people = plan.uses.get("annotator", ())
    written = [name for use in ("dialogue_id", "dialogue", "system") for name in plan.uses.get(use, ())]
    if not people or not written:
        return False
    alone = frame.group_by(people[0]).agg(pl.col(column).drop_nulls().n_unique().alias(COUNT))[COUNT]
    apart = frame.group_by(written).agg(pl.col(column).drop_nulls().n_unique().alias(COUNT))[COUNT]
    named = bool(TELLING["annotator"] & set(normalised(column).split("_")))
    return bool((alone <= 1).all()) and (named or bool((apart > 1).any()))
