"""Scores on disk: Parquet with the signatures inside, or CSV and JSONL with a ``.meta.json`` beside them."""

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.files import atomic_file, write_text
from dialgauge.metrics._registry import parse_request
from dialgauge.metrics._score_parts import MANIFEST, part_files, read_parts
from dialgauge.metrics._scores import FAILURES, NOTES, UNSIGNED, Scores

SUFFIXES = (".parquet", ".csv", ".jsonl")
_PARQUET_KEY = "dialgauge"
#: A Polars panic, caused by damaged files, is not an Exception in Python.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, slots=True)
class _Meta:
    """Everything of :class:`Scores` that is not the frame, as plain data."""

    signatures: dict[str, str] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    systems: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str | None]] = field(default_factory=list)
    notes: list[dict[str, str | None]] = field(default_factory=list)


def save_scores(scores: Scores, path: Path | str, *, with_seconds: bool = True) -> None:
    """Write scores to ``.parquet``, ``.csv`` or ``.jsonl``. Without the seconds, equal scores give equal bytes."""
    path = Path(path)
    _check_suffix(path)
    meta = _meta_text(scores, with_seconds)
    with atomic_file(path) as temporary:
        if path.suffix == ".parquet":
            scores.frame.write_parquet(temporary, metadata={_PARQUET_KEY: meta})
        elif path.suffix == ".csv":
            scores.frame.write_csv(temporary)
        else:
            scores.frame.write_ndjson(temporary)
    if path.suffix != ".parquet":
        write_text(_sidecar(path), meta + "\n")


def parquet_bytes(scores: Scores) -> bytes:
    """The bytes of a Parquet file of :func:`save_scores`, without the seconds: equal scores give equal bytes."""
    buffer = io.BytesIO()
    scores.frame.write_parquet(buffer, metadata={_PARQUET_KEY: _meta_text(scores, with_seconds=False)})
    return buffer.getvalue()


def _meta_text(scores: Scores, with_seconds: bool) -> str:
    return json.dumps(
        {
            "signatures": dict(scores.signatures),
            "directions": dict(scores.directions),
            "seconds": dict(scores.seconds) if with_seconds else {},
            "systems": scores.systems.to_dicts(),
            "failures": scores.failures.to_dicts(),
            "notes": scores.notes.to_dicts(),
        },
        ensure_ascii=False,
    )


def load_scores(path: Path | str, only: pl.DataFrame | None = None) -> Scores:
    """Read scores that :meth:`Scores.save` wrote, or a table of your own with ``dialogue_id``, ``system`` and numbers.

    Your own table has no signatures: its columns are marked ``unsigned``. A column named like a metric
    (``ter``, ``rouge-l@source``) has the direction of that metric, any other ``none``.
    """
    path = Path(path)
    if path.is_dir():
        return _of_parts(path, only)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    _check_suffix(path)
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty")
    try:
        frame, meta = _read(path)
    except (*_UNREADABLE, ValueError, TypeError) as error:
        raise InputError(f"{path}: cannot be read as scores: {error}") from error
    frame = _with_key(frame, path)
    if only is not None:
        frame = frame.join(only.select(KEY).unique(), on=list(KEY), how="semi", maintain_order="left")
    metrics = [column for column in frame.columns if column not in KEY]
    frame = frame.with_columns(_numbers(frame, column, path) for column in metrics)
    unsigned = {column: f"{UNSIGNED}file:{path.name}" for column in metrics if column not in meta.signatures}
    return Scores(
        frame=frame,
        signatures=meta.signatures | unsigned,
        directions={column: _direction(column) for column in unsigned} | meta.directions,
        systems=pl.DataFrame(meta.systems, infer_schema_length=None),
        failures=pl.DataFrame(meta.failures, schema=FAILURES),
        seconds=meta.seconds,
        notes=pl.DataFrame(meta.notes, schema=NOTES),
    )


def part_directions(folder: Path | str) -> dict[str, str]:
    """Which way is better by each metric of a finished stream, here or behind a URL."""
    from dialgauge.metrics._stream_files import PartStore

    _, manifest = part_files(folder)
    first = PartStore(str(folder).rstrip("/")).read(manifest["parts"][0]["part"])
    meta = _read_meta(io.BytesIO(first or b""))
    return {column: _direction(column) for column in manifest["signatures"]} | dict(meta.directions)


def _of_parts(folder: Path, only: pl.DataFrame | None) -> Scores:
    """The scores of a stream. Why single summaries have no value stays in the parts."""
    try:
        frame, first, systems = read_parts(folder, only)
        meta = _read_meta(first)
    except (*_UNREADABLE, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{folder}: cannot be read as the scores of a stream: {error}") from error
    signatures = json.loads((folder / MANIFEST).read_text("utf-8"))["signatures"]
    return Scores(
        frame=_with_key(frame, folder),
        signatures=signatures,
        directions={column: _direction(column) for column in signatures} | meta.directions,
        systems=pl.DataFrame(systems, infer_schema_length=None),
        failures=pl.DataFrame(schema=FAILURES),
        seconds={},
        notes=pl.DataFrame(schema=NOTES),
    )


def _read_meta(path: Path | str | io.BytesIO) -> _Meta:
    raw = pl.read_parquet_metadata(path).get(_PARQUET_KEY)
    return _Meta(**json.loads(raw)) if raw else _Meta()


def _read(path: Path) -> tuple[pl.DataFrame, _Meta]:
    if path.suffix == ".parquet":
        return pl.read_parquet(path), _read_meta(path)
    if path.suffix == ".csv":
        frame = pl.read_csv(path, schema_overrides=dict.fromkeys(KEY, pl.String), infer_schema_length=None)
    else:  # JSON says itself what is a text, and a column that is named here must be in the file
        frame = pl.read_ndjson(path, infer_schema_length=None)
    sidecar = _sidecar(path)
    return frame, _Meta(**json.loads(sidecar.read_text("utf-8"))) if sidecar.exists() else _Meta()


def _with_key(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    for column in ("dialogue_id", "system"):
        if column not in frame.columns:
            found = ", ".join(frame.columns)
            raise InputError(f"{path}: the columns dialogue_id and system are required; found: {found}")
    defaults = {"variant": ORIGINAL, "role": OVERALL}
    frame = frame.with_columns(pl.lit(v).alias(c) for c, v in defaults.items() if c not in frame.columns)
    frame = frame.select(*(pl.col(column).cast(pl.String) for column in KEY), pl.exclude(*KEY))
    repeated = frame.filter(pl.struct(KEY).is_duplicated())
    if not repeated.is_empty():
        key = " / ".join(map(str, repeated.select(KEY).row(0)))
        raise InputError(f"{path}: {repeated.height} rows have duplicate keys; the first is [{key}]")
    return frame


def _numbers(frame: pl.DataFrame, column: str, path: Path) -> pl.Series:
    values = frame[column]
    if not values.dtype.is_numeric() and values.dtype != pl.Null:
        wrong = values.is_not_null()
        if values.dtype == pl.String:
            # A single text turns the whole column into texts: report only the values that are not numbers.
            texts = wrong & values.str.strip_chars().cast(pl.Float64, strict=False).is_null()
            wrong = texts if texts.any() else wrong
        raise InputError(_describe_invalid(frame, column, wrong, path, "not numbers; correct them or drop the column"))
    numbers = values.cast(pl.Float64).fill_nan(None)
    infinite = numbers.is_infinite().fill_null(False)
    if infinite.any():
        raise InputError(_describe_invalid(frame, column, infinite, path, "infinite values"))
    return numbers


def _describe_invalid(
    frame: pl.DataFrame, column: str, wrong: pl.Series, path: Path, what: str, limit: int = 10
) -> str:
    """Describe the invalid values of a column, with rows (from 1, without the header) and keys of the first ones."""
    rows = frame.with_row_index("_row", offset=1).filter(wrong)
    shown = [
        f"  row {number}: [{' / '.join(map(str, key))}] {value!r}"
        for number, *key, value in rows.select("_row", *KEY, column).head(limit).iter_rows()
    ]
    more = [f"  … and {rows.height - limit} more"] if rows.height > limit else []
    count = f"{rows.height} {'value' if rows.height == 1 else 'values'}"
    return "\n".join([f"{path}: column {column!r} has {count} that cannot be used: {what}", *shown, *more])


def _direction(column: str) -> str:
    """The direction of a column of unknown origin: that of the metric with its name, if there is one."""
    try:
        return parse_request(column).metric.direction
    except (InputError, ParameterError, UnknownNameError):
        return "none"


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + ".meta.json")


def _check_suffix(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise ParameterError("scores", "path", f"a file ending in {', '.join(SUFFIXES)}", str(path))
