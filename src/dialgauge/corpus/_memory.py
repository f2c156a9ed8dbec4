"""Tables in memory: data frames of pandas and Polars, Arrow, data sets of the ``datasets`` package, lists of dicts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus._columnar import as_table
from dialgauge.corpus._nested import to_frame
from dialgauge.corpus._table import Table, place_in
from dialgauge.errors import InputError

_KINDS = "a data frame of pandas or Polars, an Arrow table, a data set of 'datasets', or a list of dicts"


def load_memory(source: object) -> Table:
    """The rows of a table in memory; a row's place is its number from 1."""
    name = f"<{_kind(source)}>"
    if isinstance(source, Mapping) and _package(source) != "datasets":
        return as_table(_frame(dict(source), name), name)
    if isinstance(source, list | tuple):
        return _from_dicts(source, name)
    return as_table(_from_library(source, name), name)


def _package(source: object) -> str:
    """The package of an object's type, found without importing it."""
    return type(source).__module__.partition(".")[0]


def _kind(source: object) -> str:
    return f"{_package(source)} {type(source).__name__}" if _package(source) != "builtins" else type(source).__name__


def _frame(columns: Any, name: str) -> pl.DataFrame:
    try:
        return pl.DataFrame(columns, strict=False)
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise InputError(f"{name}: is not a table: {error}") from error


def _from_dicts(rows: Sequence[object], name: str) -> Table:
    if not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{name}: a list must hold a dict for each row; a corpus can be read from {_KINDS}")
    try:
        frame = _of_equal_keys(rows)
        if not any(dtype.is_nested() or dtype == pl.Object for dtype in frame.schema.values()):
            return as_table(frame, name)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        pass  # values of mixed types, or keys that are no texts: value by value
    records = [{str(key): value for key, value in row.items()} for row in rows if isinstance(row, Mapping)]
    place = place_in(name, range(1, len(records) + 1))
    nested = any(isinstance(value, dict | list | tuple) for record in records for value in record.values())
    if nested:
        lines = tuple(enumerate(records, start=1))
        return Table(pl.DataFrame(), place, records=tuple((n, _listed(record)) for n, record in lines))
    return Table(to_frame([{k: _plain(v) for k, v in record.items()} for record in records], name), place)


def _of_equal_keys(rows: Sequence[Any]) -> pl.DataFrame:
    """The rows as a frame; by columns where all have the same keys, which is three times as quick."""
    keys = rows[0].keys() if rows else ()
    if any(row.keys() != keys for row in rows):
        return pl.DataFrame(rows, infer_schema_length=None)
    return pl.DataFrame({key: [row[key] for row in rows] for key in keys})


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers of NumPy become numbers, NaN is missing, dates are texts."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "item") and not isinstance(value, float):
        value = value.item()
    if isinstance(value, float):
        return None if value != value else int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value if isinstance(value, str | bool | int | None) else str(value)


def _listed(record: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in record.items()}


def _from_library(source: Any, name: str) -> pl.DataFrame:
    package = _package(source)
    if package == "pandas":
        return _from_pandas(source, name)
    if package == "datasets":
        return _from_datasets(source, name)
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.Series) or type(source).__name__ in ("Series", "Array", "ChunkedArray"):
        raise InputError(f"{name}: a table with columns is needed, not a single column")
    if hasattr(source, "__arrow_c_stream__") or package == "pyarrow":
        made = pl.from_arrow(source)
        if isinstance(made, pl.DataFrame):
            return made
    raise InputError(f"{name}: a corpus can be read from a file, a folder, {_KINDS}")


def _from_pandas(source: Any, name: str) -> pl.DataFrame:
    if type(source).__name__ != "DataFrame":
        raise InputError(f"{name}: a table with columns is needed, not a single column")
    if any(label is not None for label in source.index.names):
        source = source.reset_index()  # an index with a name is a column that somebody means
    names = [str(column) for column in source.columns]
    double = next((column for column in names if names.count(column) > 1), None)
    if double is not None:
        raise InputError(f"{name}: two columns are called {double!r}; rename one")
    columns: dict[str, pl.Series] = {}
    for number, column in enumerate(names):
        values = source.iloc[:, number]
        try:
            columns[column] = pl.from_pandas(values, nan_to_null=True)  # type: ignore[assignment]
        except ModuleNotFoundError as error:
            raise InputError(f"{name}: needs pyarrow: pip install {error.name}") from error
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            # A column of mixed types, which Arrow refuses: each value as JSON would have it.
            columns[column] = to_frame([{column: _plain(value)} for value in values], name)[column]
        except Exception as error:  # errors of pyarrow, which need not be installed to be named
            if _package(error) != "pyarrow":
                raise
            columns[column] = to_frame([{column: _plain(value)} for value in values], name)[column]
    return pl.DataFrame(columns)


def _rows_left(source: Any) -> pl.DataFrame:
    """The rows that select, filter and shuffle left: the whole table, and which of its rows count."""
    chosen = getattr(source, "_indices", None)
    if chosen is None:
        made = pl.from_arrow(source.with_format("arrow")[:])
    else:  # a hundred times as quick as asking for the rows
        whole = pl.from_arrow(source.data.table)
        places = pl.from_arrow(chosen.table if hasattr(chosen, "table") else chosen)
        assert isinstance(whole, pl.DataFrame)
        assert isinstance(places, pl.DataFrame)
        made = whole[places.to_series(0)]
    assert isinstance(made, pl.DataFrame)
    return made


def _from_datasets(source: Any, name: str) -> pl.DataFrame:
    if isinstance(source, Mapping):  # a DatasetDict: a column says which part a row is from
        parts = [
            _from_datasets(part, name).with_columns(pl.lit(split).alias("split")) for split, part in source.items()
        ]
        return pl.concat(parts, how="diagonal_relaxed")
    if hasattr(source, "with_format") and hasattr(source, "num_rows"):
        return _rows_left(source)
    rows: Iterable[Mapping[str, Any]] = source
    return _frame([dict(row) for row in rows], name)
