"""A corpus of any order laid out in buckets of whole dialogues, so that each can be scored without looking elsewhere.

The bucket of a row is a hash of its dialogue's name modulo their number. One mapper reads a range of rows, sorts them
by bucket and writes a single file: bucket after bucket, each an Arrow stream of its own. What belongs to a bucket is
then a range of bytes in every such file. Rows carry their place in the table, so that the result does not depend on how
the table was split into files, who mapped what, or in which order rows stood.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.engine import Engine
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.metrics._stream_files import ParquetTable, PartStore, UnreadableError

LAYOUT = "layout.json"
#: The place of a row in its table.
ROW = "_row"
#: The hash, written down: neither Polars' nor Python's own promises the same value in the next version.
HASH = "blake2b, first 8 bytes, little endian, of the name in UTF-8"
_BUCKET = "_bucket"
#: Bytes of an input file that one mapper reads: several times as much in memory.
_MAPPED = 48 << 20
#: Rows that one mapper reads at most, and at least (fewer are not worth a file).
_MOST_ROWS, _LEAST_ROWS = 500_000, 20_000
#: Ranges that could not be laid out and are named in the message.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """Where the rows of a bucket lie: from ``start`` to before ``stop`` in bytes of the file ``name``."""

    name: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Range:
    """Rows of a table for one mapper."""

    table: str
    number: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Layout:
    """How many rows each bucket has in each table, and where they lie, mapper by mapper."""

    buckets: int
    rows: Mapping[str, Sequence[int]]
    fragments: Mapping[str, Sequence[tuple[str, Sequence[int]]]]

    def pieces(self, table: str, bucket: int) -> tuple[Piece, ...]:
        """What one bucket has of a table, in the order of its rows."""
        found = ((name, ends[bucket], ends[bucket + 1]) for name, ends in self.fragments[table])
        return tuple(Piece(name, start, stop) for name, start, stop in found if stop > start)

    def files(self) -> list[str]:
        """The files of all mappers."""
        return [name for several in self.fragments.values() for name, _ in several]


def bucket_numbers(names: pl.Series, buckets: int) -> pl.Series:
    """The bucket of each dialogue's name; a missing name is hashed as an empty one."""
    texts = names.cast(pl.String).fill_null("")
    known = texts.unique()
    hashes = [hashlib.blake2b(name.encode(), digest_size=8).digest() for name in known]
    numbers = np.frombuffer(b"".join(hashes), dtype="<u8") % np.uint64(buckets)
    return texts.replace_strict(known, pl.Series(numbers.astype(np.int64)), return_dtype=pl.Int64)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """What a mapper wrote: where each bucket ends in its file, and how many rows of each are counted."""

    table: str
    name: str
    ends: Sequence[int]
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class _LostRange:
    """Rows that no mapper could lay out, and why."""

    said: str


@dataclass(frozen=True, slots=True)
class _Mapper:
    """Reads a range of rows and writes them bucket by bucket."""

    tables: Mapping[str, ParquetTable]
    counted: Mapping[str, pl.Expr]
    store: PartStore
    buckets: int

    def setup(self) -> None:
        """Nothing is loaded before the first range."""

    def __call__(self, rows: _Range) -> _Fragment | _LostRange:
        """Rows that cannot be read do not end the run at once, so that all of them are named in the end."""
        table = self.tables[rows.table]
        try:
            frame = table.read(rows.start, rows.stop).with_row_index(ROW, offset=rows.start)
        except UnreadableError as error:
            return _LostRange(f"{table.unreadable(rows.start, rows.stop)}: {error.reason}")
        except DialgaugeError as error:
            return _LostRange(str(error))
        frame = frame.with_columns(bucket_numbers(frame["dialogue_id"], self.buckets).alias(_BUCKET))
        # Within a bucket rows stay in the order of the table.
        frame = frame.sort(_BUCKET, maintain_order=True)
        counts = np.bincount(frame[_BUCKET].to_numpy(), minlength=self.buckets)
        items = frame.filter(self.counted[rows.table])[_BUCKET].to_numpy()
        frame = frame.drop(_BUCKET)
        written, ends, before = io.BytesIO(), [0], 0
        for count in counts.tolist():
            if count:
                # In the old form of strings: the new one would write the texts of all buckets with each of them.
                form = pl.CompatLevel.oldest()
                frame.slice(before, count).write_ipc_stream(written, compression="lz4", compat_level=form)
            before += count
            ends.append(written.tell())
        name = f"_layout-{rows.table}-{rows.number:08d}.arrows"
        self.store.write(name, written.getvalue())
        return _Fragment(rows.table, name, ends, np.bincount(items, minlength=self.buckets).tolist())

    def lost(self, rows: _Range, reason: str) -> _LostRange:
        """Engines call it for rows that ended their worker too often."""
        file, first, last = self.tables[rows.table].located(rows.start, rows.stop)
        return _LostRange(f"{file}, rows {first + 1:,} to {last:,}: {reason}")


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a run is worked on: its folder, its identity, and who does the work."""

    store: PartStore
    run: str
    engine: Engine


def lay_out(
    tables: Mapping[str, ParquetTable], counted: Mapping[str, pl.Expr], buckets: int, place: Workplace
) -> Layout:
    """The layout of an earlier attempt at this run if its files are there, else a new one.

    ``counted`` says of each table which of its rows count: those that will be scored.
    """
    store, run, engine = place.store, place.run, place.engine
    kept = known_layout(place)
    if kept is not None and kept.files() and set(kept.files()) <= set(store.names()):
        return kept
    mapper = _Mapper(tables, counted, store, buckets)
    rows = {name: np.zeros(buckets, dtype=np.int64) for name in tables}
    fragments: dict[str, list[tuple[str, list[int]]]] = {name: [] for name in tables}
    ranges = [part for name, table in tables.items() for part in _ranges(name, table)]
    # Two small tables are laid out here and now: a worker takes longer to start.
    made = engine.run(mapper, ranges) if len(ranges) > len(tables) else map(mapper, ranges)
    lost: list[str] = []
    for one in made:
        if isinstance(one, _LostRange):
            lost.append(one.said)
            continue
        fragments[one.table].append((one.name, list(one.ends)))
        rows[one.table] += np.array(one.counts)
    layout = Layout(buckets, {name: counts.tolist() for name, counts in rows.items()}, fragments)
    if lost:
        _remove_files(store, layout)
        more = f"; and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
        raise InputError(
            f"{'; '.join(lost[:_NAMED])}{more}. Rows of any part may be among these, so no part was made: correct this "
            "and repeat the command, with another output folder if a file has changed"
        )
    _write(store, run, layout)
    return layout


def known_layout(place: Workplace) -> Layout | None:
    """What is known of the layout of this run: how many rows each bucket has, though its files may be gone."""
    raw = place.store.read(LAYOUT)
    try:
        data = json.loads(raw) if raw is not None else {}
        if data.get("run") != place.run:
            return None
        return Layout(int(data["buckets"]), data["rows"], data["fragments"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def forget_files(place: Workplace) -> None:
    """Remove the files of the mappers once every part is there.

    What the layout says stays as it is: how many rows each bucket has is needed again, and no file of a store is ever
    written a second time with other bytes.
    """
    layout = known_layout(place)
    if layout is not None:
        _remove_files(place.store, layout)


def _remove_files(store: PartStore, layout: Layout) -> None:
    there = set(store.names())
    for name in layout.files():
        if name in there:
            store.remove(name)


def read_pieces(store: PartStore, pieces: Iterable[Piece]) -> Iterator[pl.DataFrame]:
    """The rows of a bucket, fragment by fragment."""
    for piece in pieces:
        yield pl.read_ipc_stream(store.read_range(piece.name, piece.start, piece.stop))


def _ranges(name: str, table: ParquetTable) -> list[_Range]:
    """Rows for each mapper: within one file, by its size on disk."""
    found: list[_Range] = []
    before = 0
    for count, size in zip(table.counts, table.sizes, strict=True):
        most = int(_MAPPED * count / max(1, size))
        step = max(_LEAST_ROWS, min(_MOST_ROWS, most))
        for start in range(0, count, step):
            found.append(_Range(name, len(found), before + start, before + min(start + step, count)))
        before += count
    return found


def _write(store: PartStore, run: str, layout: Layout) -> None:
    data: dict[str, Any] = {
        "run": run,
        "hash": HASH,
        "buckets": layout.buckets,
        "rows": layout.rows,
        "fragments": layout.fragments,
    }
    store.write(LAYOUT, (json.dumps(data, ensure_ascii=False) + "\n").encode())
