"""The ids of records whose nested parts became rows of their own."""

from collections.abc import Sequence

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import IGNORE, Mapped


def with_record_ids(frame: pl.DataFrame, records: Sequence[int], mapping: Mapped) -> pl.DataFrame:
    """The rows with the id of their record, whatever it is called: it holds for all that is nested."""
    if len(set(records)) < 2 or len(records) == len(set(records)):
        return frame
    said = {use: given for use, given in mapping.items() if use != IGNORE}
    named = make_plan(frame, said).uses.get("dialogue_id", ())
    for column in named:
        if not frame[column].null_count():
            continue
        numbered = frame.with_columns(pl.Series("_record", records))
        only = pl.when(pl.col(column).drop_nulls().n_unique().over("_record") == 1)
        one = only.then(pl.col(column).drop_nulls().first().over("_record"))
        frame = numbered.with_columns(pl.coalesce(column, one).alias(column)).drop("_record")
    return frame
