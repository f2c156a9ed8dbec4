"""How sure people were, where it stands among the dimensions of rows: it is no judgement of a summary."""

from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import heading, normalised, says_how_sure
from dialgauge.corpus._table import Table
from dialgauge.errors import counted

_MOST_NAMES = 100


def without_certainty(table: Table, mapping: Mapped) -> Table:
    """The table without the answers on such a dimension; unchanged where there are no others, or the user maps it."""
    if {"dimension", "value"} & set(mapping):
        return table
    named = {column: found for column in table.frame.columns if (found := _names_of(table.frame[column]))}
    if not named:
        return table
    plan = make_plan(table.frame, mapping, table.known)
    asked, value = plan.uses.get("dimension", ("",))[0], plan.uses.get("value", ("",))[0]
    if asked not in named or not value:
        return table
    sure = named[asked]
    own = table.frame[asked].cast(pl.String).is_in(sure).fill_null(False)
    others = table.frame.filter(~own & table.frame[asked].is_not_null() & table.frame[value].is_not_null())
    cells = int(table.frame.filter(own)[value].is_not_null().sum())
    if others.is_empty() or not cells:
        return table
    about = [asked, value, *(c for use in ("annotator", "comment", "time") for c in plan.uses.get(use, ()))]
    note = f"{', '.join(sure)}: how sure people were of their judgements, which is none itself, and is left out"
    return replace(
        table,
        frame=table.frame.with_columns(pl.when(~own).then(pl.col(about)).name.keep()),
        notes=(*table.notes, f"{note} ({counted(cells, 'answer')})"),
        dropped={**table.dropped, "says how sure people were": cells},
    )


def _names_of(values: pl.Series) -> list[str]:
    """The values of a column that are names of how sure people were, where it has few short values."""
    if values.dtype != pl.String or not values.str.contains(r"(?i)sure|certain|confiden|confian|sicher|segur").any():
        return []
    texts = values.drop_nulls().unique().sort().to_list()
    if len(texts) > _MOST_NAMES:
        return []
    return [text for text in texts if says_how_sure(normalised(heading(text)[0]))]
