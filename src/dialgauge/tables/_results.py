"""Results around a frame: the frame for other libraries, and a small table where a notebook shows the result."""

from typing import Any, Protocol

import polars as pl

from dialgauge.errors import InputError, counted
from dialgauge.tables._model import Table, listing
from dialgauge.tables._numbers import number_cell
from dialgauge.tables._texts import number

#: A notebook shows so many rows and columns; the rest is counted.
MOST_ROWS, MOST_COLUMNS = 30, 12


class _HasFrame(Protocol):
    @property
    def frame(self) -> pl.DataFrame: ...


class FrameResult:
    """What results around a ``frame`` have in common: conversion, and the first rows as a table in a notebook."""

    __slots__ = ()

    def to_polars(self: _HasFrame) -> pl.DataFrame:
        """The frame."""
        return self.frame

    def to_pandas(self: _HasFrame) -> Any:
        """The frame for pandas, which must be installed together with pyarrow."""
        try:
            return self.frame.to_pandas()
        except ModuleNotFoundError as error:
            raise InputError(f"to_pandas() needs pandas and pyarrow: pip install {error.name}") from error

    def to_arrow(self: _HasFrame) -> Any:
        """The frame as a table of pyarrow, which must be installed."""
        try:
            return self.frame.to_arrow()
        except ModuleNotFoundError as error:
            raise InputError(f"to_arrow() needs pyarrow: pip install {error.name}") from error

    def _repr_html_(self: _HasFrame) -> str:
        return notebook_table(type(self).__name__, self.frame)._repr_html_()


def notebook_table(title: str, frame: pl.DataFrame) -> Table:
    """The first rows and columns of a frame; notes count the rest."""
    shown = frame[:, :MOST_COLUMNS]
    numeric = [name for name, kind in shown.schema.items() if kind.is_numeric() and name != shown.columns[0]]
    rows = [[_cell(value) for value in row] for row in shown.head(MOST_ROWS).iter_rows()]
    rest = [
        f"… and {counted(more, f'more {what}')}."
        for more, what in ((frame.height - MOST_ROWS, "row"), (frame.width - MOST_COLUMNS, "column"))
        if more > 0
    ]
    return listing(
        title, shown.columns, rows, numeric=numeric, notes=[f"{title}, {counted(frame.height, 'row')}.", *rest]
    )


def _cell(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None if value is None else _text(value)
    return number_cell(value, 3) if isinstance(value, float) else number(value, 0)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
