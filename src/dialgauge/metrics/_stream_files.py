"""Parquet files to read by rows and a folder to write parts to, on this machine or behind an fsspec URL."""

import contextlib
import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from dialgauge.engine import Engine, sized
from dialgauge.errors import DialgaugeError, InputError, MissingExtraError
from dialgauge.files import FULL_DISK, atomic_file, claimed_folder, free_space
from dialgauge.metrics._stream_requests import patiently

T = TypeVar("T")

#: A Polars panic, caused by damaged files, is not an Exception in Python.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_SUFFIX = ".parquet"
#: Bytes of a file that are digested at a time, and how many such parts are not worth a worker.
_DIGESTED, _FEW_PARTS = 128 << 20, 4
#: Rows that are read at a time to find those that cannot be.
_PROBED = 100_000


def is_url(place: str) -> bool:
    """Whether this is a URL such as ``s3://…``, not a local path."""
    return "://" in place


def in_memory(place: str) -> bool:
    """Whether this is in the memory of one process, invisible to workers."""
    return place.startswith("memory://")


def _file_system(place: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtraError(f"{place}: reading and writing behind a URL", "remote") from error
    try:
        system, path = url_to_fs(place)
    except (ImportError, ValueError) as error:  # s3fs, gcsfs … come one by one
        raise InputError(f"{place}: {error}") from error
    return system, path


class ChangedInputError(InputError):
    """A file was replaced or written to while it was being scored."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file}: changed during the run; put back what it was, or score it into another folder")


class UnreadableError(InputError):
    """A file is damaged, or no Parquet file."""

    def __init__(self, file: str, error: BaseException) -> None:
        self.reason = f"cannot be read as Parquet: {error}"
        super().__init__(f"{file}: {self.reason}")


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """The rows of one or more Parquet files, in the order of their names. ``counts`` says how many each has.

    ``versions`` has what is compared at each reading: a file that is replaced meanwhile must not be read as the same.
    """

    files: tuple[str, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    columns: tuple[str, ...]
    versions: tuple[str, ...]

    @classmethod
    def open(cls, place: str) -> "ParquetTable":
        """A file, or a folder with files in it (also in folders of it, as partitioned data has them)."""
        files = tuple(_parquet_files(place))
        if not files:
            raise InputError(
                f"{place}: no Parquet file found; 'dialgauge convert' converts other formats to a corpus folder"
            )
        versions = tuple(map(_version, files))  # first: what is replaced from now on is another version
        try:
            counts, columns = zip(*(parquet_shape(file) for file in files), strict=True)
        except UnreadableError as error:
            without = ", or move it away to go on without its rows" if len(files) > 1 else ""
            raise InputError(f"{error}; copy it again{without}") from error
        for file, names in zip(files, columns, strict=True):
            if set(names) != set(columns[0]):
                raise InputError(f"{file}: its columns ({', '.join(names)}) differ from those of {files[0]}")
        return cls(files, counts, tuple(_size(file) for file in files), columns[0], versions)

    @property
    def height(self) -> int:
        """The number of rows."""
        return sum(self.counts)

    def read(self, start: int, stop: int, keep: pl.Expr | None = None) -> pl.DataFrame:
        """The rows from ``start`` to before ``stop``, or those of them that ``keep`` is true for."""
        ranges = list(self._ranges(start, stop))
        try:
            frames = [_read_rows(file, first, last, self.columns, keep) for file, first, last in ranges]
        except UnreadableError:
            self.check_unchanged(file for file, _, _ in ranges)  # damaged, or being written at this moment
            raise
        self.check_unchanged(file for file, _, _ in ranges)
        return pl.concat(frames, how="vertical_relaxed")

    def located(self, start: int, stop: int) -> tuple[str, int, int]:
        """The file that holds these rows, which must be those of one, and which of its rows they are."""
        return next(self._ranges(start, stop))

    def unreadable(self, start: int, stop: int, columns: Sequence[str] = ()) -> str:
        """Of rows of one file that could not be read, the file and from which to which of its rows that is so."""
        file, first, last = self.located(start, stop)

        def readable(low: int, high: int) -> bool:
            try:
                _read_rows(file, low, high, columns or self.columns, None)
            except UnreadableError:
                return False
            return True

        bad = [(low, high) for low, high in _windows(first, last) if not readable(low, high)] or [(first, last)]
        (low, high), (last_low, last_high) = bad[0], bad[-1]
        begin = low + bisect_left(range(low, high), True, key=lambda row: not readable(low, row + 1))
        end = last_low + bisect_left(range(last_low, last_high), True, key=lambda row: readable(row, last_high))
        return f"{file}, rows {begin + 1:,} to {end:,}"

    def check_unchanged(self, files: Iterable[str] | None = None) -> None:
        """Raise an error if one of these files, or any, is no longer what it was when the table was opened."""
        known = dict(zip(self.files, self.versions, strict=True))
        for file in self.files if files is None else files:
            if _version(file) != known[file]:
                raise ChangedInputError(file)

    def derive(self, *expressions: pl.Expr) -> pl.DataFrame:
        """The values of these expressions for every row. They should be small: the result is held in memory."""
        frames, before = [], 0
        for file, count in zip(self.files, self.counts, strict=True):
            try:
                frames.append(parquet_values(file, expressions))
            except UnreadableError as error:
                self.check_unchanged([file])
                rows = self.unreadable(before, before + count, _columns_of(expressions))
                raise InputError(
                    f"{rows}: {error.reason}; copy the file again, or take these rows out of it"
                ) from error
            before += count
        return pl.concat(frames)

    def digest(self, engine: Engine) -> str:
        """Changes whenever the content of a file does. Large files are read by the workers, a part each."""
        parts = [
            FilePart(file, start, min(start + _DIGESTED, size))
            for file, size in zip(self.files, self.sizes, strict=True)
            for start in range(0, max(1, size), _DIGESTED)
        ]
        whole = hashlib.sha256()
        for found in engine.run(_Digests(), parts) if len(parts) > _FEW_PARTS else map(_Digests(), parts):
            whole.update(found.encode())
        return whole.hexdigest()

    def _ranges(self, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
        """Which rows of which file; an empty range is one of the first file, so that there always is a frame."""
        before = 0
        found = False
        for file, count in zip(self.files, self.counts, strict=True):
            first, last = max(start - before, 0), min(stop - before, count)
            if first < last:
                found = True
                yield file, first, last
            before += count
        if not found:
            yield self.files[0], 0, 0


def _windows(first: int, last: int) -> list[tuple[int, int]]:
    return [(low, min(low + _PROBED, last)) for low in range(first, last, _PROBED)]


def _parquet_files(place: str) -> list[str]:
    if is_url(place):
        return patiently(place, lambda: _remote_files(place))
    here = Path(place)
    if here.is_file():
        return [place]
    return [str(file) for file in sorted(here.rglob(f"*{_SUFFIX}")) if not file.name.startswith((".", "_"))]


def _remote_files(place: str) -> list[str]:
    system, path = _file_system(place)
    if system.isfile(path):
        return [place]
    prefix = f"{place.partition('://')[0]}://"
    found = sorted(system.find(path)) if system.exists(path) else []
    names = [name for name in found if name.endswith(_SUFFIX)]
    return [name if is_url(name) else f"{prefix}{name.removeprefix('/')}" for name in names]


@contextlib.contextmanager
def _clear_errors(file: str) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as error:
        raise UnreadableError(file, error) from error
    except Exception as error:
        if type(error).__module__.startswith("pyarrow"):
            raise UnreadableError(file, error) from error
        raise


def parquet_shape(file: str) -> tuple[int, tuple[str, ...]]:
    """The number of rows of a file here or behind a URL, and the names of its columns."""
    with _clear_errors(file):
        if is_url(file):
            return patiently(file, lambda: _remote_shape(file))
        rows = pl.scan_parquet(file, glob=False, hive_partitioning=False)
        return int(rows.select(pl.len()).collect().item()), tuple(rows.collect_schema().names())


def _remote_shape(file: str) -> tuple[int, tuple[str, ...]]:
    with _arrow_file(file) as arrow:
        return arrow.metadata.num_rows, tuple(arrow.schema_arrow.names)


def _size(file: str) -> int:
    """Bytes of a file."""
    if is_url(file):
        system, path = _file_system(file)
        return patiently(file, lambda: int(system.size(path) or 0))
    return Path(file).stat().st_size


def _version(file: str) -> str:
    """Another one whenever a file was replaced or written to; nothing of it is read."""
    try:
        if is_url(file):
            system, path = _file_system(file)
            system.invalidate_cache(path)  # or the listing of an earlier moment would answer
            return patiently(file, lambda: str(system.ukey(path)))
        found = Path(file).stat()
    except FileNotFoundError:
        return "gone"
    return f"{found.st_size} {found.st_mtime_ns}"


def _read_rows(file: str, first: int, last: int, columns: Sequence[str], keep: pl.Expr | None) -> pl.DataFrame:
    with _clear_errors(file):
        if is_url(file):
            frame = patiently(file, lambda: _read_remote(file, first, last, columns))
            return frame if keep is None else frame.filter(keep)
        rows = pl.scan_parquet(file, glob=False, hive_partitioning=False).slice(first, last - first).select(columns)
        return (rows if keep is None else rows.filter(keep)).collect(engine="streaming")


def parquet_values(file: str, expressions: Sequence[pl.Expr]) -> pl.DataFrame:
    """The values of expressions for every row of a file here or behind a URL; only columns that they need are read."""
    with _clear_errors(file):
        if not is_url(file):
            rows = pl.scan_parquet(file, glob=False, hive_partitioning=False)
            return rows.select(expressions).collect(engine="streaming")
        return patiently(file, lambda: _derive_remote(file, expressions))


def _columns_of(expressions: Sequence[pl.Expr]) -> list[str]:
    return sorted({name for expression in expressions for name in expression.meta.root_names()})


def _derive_remote(file: str, expressions: Sequence[pl.Expr]) -> pl.DataFrame:
    columns = _columns_of(expressions)
    with _arrow_file(file) as arrow:
        groups = range(arrow.metadata.num_row_groups)
        frames = (pl.from_arrow(arrow.read_row_group(number, columns=columns)) for number in groups)
        return pl.concat([pl.DataFrame(frame).select(expressions) for frame in frames])


def _read_remote(file: str, first: int, last: int, columns: Sequence[str]) -> pl.DataFrame:
    """Only the row groups that hold the rows are fetched."""
    with _arrow_file(file) as arrow:
        frames = [pl.DataFrame(pl.from_arrow(arrow.schema_arrow.empty_table().select(list(columns))))]
        before = 0
        for number in range(arrow.metadata.num_row_groups):
            count = arrow.metadata.row_group(number).num_rows
            start, stop = max(first - before, 0), min(last - before, count)
            if start < stop:
                group = pl.DataFrame(pl.from_arrow(arrow.read_row_group(number, columns=list(columns))))
                frames.append(group.slice(start, stop - start))
            before += count
        return pl.concat(frames, how="vertical_relaxed")


@contextlib.contextmanager
def _arrow_file(file: str) -> Iterator[Any]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError(f"{file}: reading Parquet behind a URL", "remote") from error
    system, path = _file_system(file)
    with system.open(path, "rb") as handle:
        yield ParquetFile(handle)


@dataclass(frozen=True, slots=True)
class FilePart:
    """Bytes of a file."""

    file: str
    start: int
    stop: int


class _Digests:
    """The digest of a part of a file; behind a URL the store's own mark of its version, for which nothing is read."""

    def setup(self) -> None:
        """Nothing is loaded."""

    def __call__(self, part: FilePart) -> str:
        if is_url(part.file):
            system, path = _file_system(part.file)
            return patiently(part.file, lambda: str(system.ukey(path))) if part.start == 0 else ""
        with _clear_errors(part.file), Path(part.file).open("rb") as handle:
            handle.seek(part.start)
            found = hashlib.sha256()
            left = part.stop - part.start
            while left > 0 and (block := handle.read(min(left, 1 << 20))):
                found.update(block)
                left -= len(block)
            return found.hexdigest()


@dataclass(frozen=True, slots=True)
class PartStore:
    """A folder of files that are written atomically."""

    place: str

    def write(self, name: str, data: bytes) -> None:
        """Write a file, replacing an existing one: behind a URL by one request, which a store does at once or not."""
        try:
            if is_url(self.place):
                self._asked(name, lambda system, path: system.makedirs(path.rpartition("/")[0], exist_ok=True))
                self._asked(name, lambda system, path: system.pipe_file(path, data))
                return
            with atomic_file(Path(self.place) / name) as temporary:
                temporary.write_bytes(data)
        except OSError as error:
            raise DialgaugeError(
                f"{self.place}: cannot write {name}: {error.strerror or error}{self._room(error, len(data))}. Finished "
                "parts are kept: rerun the same command to resume"
            ) from error

    def _room(self, error: OSError, needed: int) -> str:
        if error.errno not in FULL_DISK or is_url(self.place):
            return ""
        room = f"{sized(needed)} needed, {free_space(self.place)}"
        return f" ({room}): free some space, or name another folder"

    def remove(self, name: str) -> None:
        """Remove a file if it is there."""
        with contextlib.suppress(FileNotFoundError):
            if is_url(self.place):
                self._asked(name, lambda system, path: system.rm_file(path))
            else:
                (Path(self.place) / name).unlink()

    def read_range(self, name: str, start: int, stop: int) -> bytes:
        """The bytes of a file from ``start`` to before ``stop``."""
        if is_url(self.place):
            return bytes(self._asked(name, lambda system, path: system.cat_file(path, start=start, end=stop)))
        with (Path(self.place) / name).open("rb") as handle:
            handle.seek(start)
            return handle.read(stop - start)

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other runs on this machine out while this one writes. The system gives the lock back if we are killed.

        Behind a URL there is no such lock: the same run writes the same bytes, and another one is refused by its head.
        """
        with contextlib.nullcontext() if is_url(self.place) else claimed_folder(Path(self.place)):
            yield

    def read(self, name: str) -> bytes | None:
        """The content of the file, or None if it does not exist."""
        try:
            if is_url(self.place):
                return bytes(self._asked(name, lambda system, path: system.cat_file(path)))
            return (Path(self.place) / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self) -> list[str]:
        """The names of the files that are there."""
        if is_url(self.place):
            return patiently(self.place, self._remote_names)
        here = Path(self.place)
        return [file.name for file in here.iterdir()] if here.is_dir() else []

    def _remote_names(self) -> list[str]:
        system, path = _file_system(self.place)
        system.invalidate_cache(path)  # other processes write here, too
        return [str(name).rpartition("/")[2] for name in system.ls(path, detail=False)] if system.exists(path) else []

    def _asked(self, name: str, request: Callable[[Any, str], T]) -> T:
        """What the store answers to a request about a file."""
        system, path = _file_system(self.place)
        return patiently(f"{self.place}/{name}", lambda: request(system, f"{path}/{name}"))
