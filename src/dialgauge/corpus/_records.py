"""Further judgements, annotators and declared dimensions in one table or in lines of JSON.

A table has a column ``record`` that says what a row is (``preference``, ``choice``, ``span``, ``annotator`` or
``dimension``; empty for all others). In JSON Lines they are lists in the line of their dialogue; annotators and
dimensions are in a line of their own.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from dialgauge.corpus._corpus import DEFAULTS, FURTHER_TABLES, Corpus, conform
from dialgauge.corpus._rated import with_times
from dialgauge.corpus._schema import ANNOTATORS, DIMENSIONS
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import Dimension
from dialgauge.corpus.layouts._base import ROW
from dialgauge.errors import InputError

#: The column that says what a row of a table is.
RECORD = "record"
#: What a row can be, and the table that holds it.
_TABLES = {"preference": "preferences", "choice": "choices", "span": "spans", "annotator": "annotators"}
_DIMENSION = "dimension"
_JUDGED = ("preferences", "choices", "spans")
#: Columns without which a list of objects is not one of ours.
_SURE = {
    "preferences": {"system_a", "system_b", "winner"},
    "choices": {"tuple", "system", "choice"},
    "spans": {"system", "annotator", "dimension", "span"},
}
#: Rows of judgements are counted from here, behind all other rows of a table.
_BEHIND = 2**40


def further_frame(corpus: Corpus) -> pl.DataFrame:
    """All further tables and declarations under each other, with the column ``record``; times are texts."""
    parts: list[pl.DataFrame] = [
        getattr(corpus, table).with_columns(pl.lit(record).alias(RECORD))
        for record, table in _TABLES.items()
        if getattr(corpus, table).height
    ]
    if corpus.declared:
        rows = [
            (one.name, one.kind, one.scale, json.dumps(one.labels, ensure_ascii=False), one.direction, one.said_by)
            for one in corpus.declared
        ]
        schema = dict.fromkeys(DIMENSIONS, pl.String)
        declared = pl.DataFrame(rows, schema=schema, orient="row")
        parts.append(declared.with_columns(pl.lit(_DIMENSION).alias(RECORD)))
    if not parts:
        return pl.DataFrame()
    frame = pl.concat(parts, how="diagonal")
    if "time" in frame.columns:
        frame = frame.with_columns(pl.col("time").dt.to_string("iso:strict"))
    return frame.with_columns(pl.col(pl.Boolean).cast(pl.String))


@dataclass(slots=True)
class Kept:
    """What was taken out of a file: rows of the further tables, each with its place, and declarations."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    places: list[tuple[str, int | None]] = field(default_factory=list)
    declared: list[Dimension] = field(default_factory=list)

    def add(self, table: str, row: Mapping[str, Any], place: tuple[str, int | None]) -> None:
        """A row of a table; it is counted behind all rows of the file."""
        self.rows.setdefault(table, []).append({**row, ROW: _BEHIND + len(self.places)})
        self.places.append(place)

    def declare(self, row: Mapping[str, Any]) -> None:
        """What is said about a dimension."""
        labels = row.get("labels") or ()
        listed = json.loads(labels) if isinstance(labels, str) else labels
        about = {key: row[key] for key in ("scale", "direction", "said_by") if row.get(key) is not None}
        try:
            self.declared.append(Dimension(str(row["dimension"]), row["kind"], labels=tuple(listed), **about))
        except KeyError as error:
            raise InputError(f"a declared dimension needs {error}") from error

    def into(self, table: Table) -> Table:
        """The table with what was taken out of its file."""
        if not self.places and not self.declared:
            return table
        place = table.place
        frames = {name: _typed(rows, name) for name, rows in self.rows.items()}
        annotators = frames.pop("annotators", None)
        return replace(
            table,
            further={**table.further, **frames},
            declared=(*table.declared, *self.declared),
            annotators=table.annotators if annotators is None else annotators.drop(ROW),
            place=lambda row: self.places[row - _BEHIND] if row >= _BEHIND else place(row),
        )


def _typed(rows: Sequence[Mapping[str, Any]], table: str) -> pl.DataFrame:
    """The rows of one table with its columns; texts of a CSV become numbers and times again."""
    schema = FURTHER_TABLES[table]
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    own = frame.select(column for column in frame.columns if column in schema)
    if table == "spans":  # summaries that were read without a finding have no places
        own = own.with_columns(pl.lit(None).alias(column) for column in ("start", "end") if column not in own.columns)
    if "both_bad" in own.columns and own["both_bad"].dtype == pl.String:
        own = own.with_columns(pl.col("both_bad") == "true")
    if "time" in own.columns:
        own, _ = with_times(own)
    own = own.with_columns(
        pl.col(column).fill_null(value) for column, value in DEFAULTS.items() if column in own.columns
    )
    return conform(own, schema, table).with_columns(frame[ROW].cast(pl.Int64))


def taken_out(table: Table) -> tuple[Table, Kept]:
    """The table without further judgements, annotators and declarations, and these."""
    kept = Kept()
    if table.records is not None:
        return _from_lines(table, kept), kept
    frame = table.frame
    if RECORD not in frame.columns or not set(frame[RECORD].drop_nulls().cast(pl.String)) <= {*_TABLES, _DIMENSION}:
        return table, kept
    numbered = frame.with_row_index("_origin")
    for row in numbered.filter(pl.col(RECORD).is_not_null()).iter_rows(named=True):
        filled = {key: value for key, value in row.items() if value is not None and key not in ("_origin", RECORD)}
        if row[RECORD] == _DIMENSION:
            kept.declare(filled)
        else:
            kept.add(_TABLES[row[RECORD]], filled, table.place(row["_origin"]))
    rest = numbered.filter(pl.col(RECORD).is_null())
    origin, place = rest["_origin"].to_list(), table.place
    empty = [column for column in rest.columns if rest[column].null_count() == rest.height and column in _OWN]
    return replace(
        table,
        frame=rest.drop("_origin", RECORD, *empty),
        place=lambda row: place(origin[row]) if row < len(origin) else place(0),
    ), kept


_OWN = frozenset({*(column for schema in FURTHER_TABLES.values() for column in schema), *DIMENSIONS, *ANNOTATORS}) - {
    "dialogue_id",
    "system",
}


def _from_lines(table: Table, kept: Kept) -> Table:
    assert table.records is not None
    records, lines = [], []
    for number, (line, record) in enumerate(table.records):
        place = table.place(number)
        if record.get(RECORD) == "corpus":
            for row in record.get("annotators") or ():
                meta = row.get("meta")
                text = json.dumps(meta, ensure_ascii=False, sort_keys=True) if isinstance(meta, dict) else meta
                kept.add("annotators", {**row, **({"meta": text} if meta else {})}, place)
            for row in record.get("dimensions") or ():
                kept.declare(row)
            continue
        found = [name for name in _JUDGED if _is_ours(record.get(name), name)]
        for name in found:
            for row in record[name]:
                kept.add(name, {"dialogue_id": record.get("id", record.get("dialogue_id")), **row}, place)
        records.append((line, {key: value for key, value in record.items() if key not in found} if found else record))
        lines.append(place)
    if len(records) == len(table.records) and not kept.places:
        return table
    return replace(table, records=tuple(records), place=lambda row: lines[row] if row < len(lines) else lines[-1])


def _is_ours(value: Any, name: str) -> bool:
    """Whether a list holds objects with the columns of this table and no others."""
    schema = FURTHER_TABLES[name]
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and set(one) <= set(schema) and set(one) >= _SURE[name] for one in value)
    )
