"""ZIP archives: unpacked into a folder for the time of reading, and read as that folder."""

import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from dialgauge.corpus._files import LARGEST_UNPACKED
from dialgauge.corpus._table import Sheet, Table
from dialgauge.errors import InputError

#: An archive with more files than this is no corpus.
MOST_FILES = 20_000
#: What operating systems put into archives beside the files.
_NOT_DATA = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def load_zip(path: Path, load: Callable[[Path], Table]) -> Table:
    """What ``load`` makes of the files of an archive; messages name them inside of it."""
    with tempfile.TemporaryDirectory(prefix="dialgauge-") as made:
        folder = Path(made)
        _unpack(path, folder)
        try:
            table = load(folder)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", f"{path}/").replace(str(folder), str(path))) from error
        return _named(table, folder, path)


def _named(table: Table, folder: Path, path: Path) -> Table:
    """The table with the places in the archive instead of those in the folder, which is gone when they are asked."""

    def in_archive(file: str) -> str:
        return file.replace(str(folder), str(path))

    rows = len(table.records) if table.records is not None else table.frame.height
    places = [(in_archive(file), line) for file, line in map(table.place, range(rows))] or [(str(path), None)]
    return replace(
        table,
        place=lambda row: places[row] if row < len(places) else places[-1],
        notes=tuple(map(in_archive, table.notes)),
        parts=tuple(replace(part, place=_moved(part, in_archive)) for part in table.parts),
        problems=tuple(replace(problem, file=in_archive(problem.file)) for problem in table.problems),
    )


def _moved(part: Sheet, in_archive: Callable[[str], str]) -> Callable[[int], tuple[str, int | None]]:
    places = [(in_archive(file), line) for file, line in map(part.place, range(part.frame.height))]
    return lambda row: places[row] if row < len(places) else places[-1]


def _unpack(path: Path, folder: Path) -> None:
    """Write the files of an archive; names that lead out of it, and archives that would fill the disk, are refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = [entry for entry in archive.infolist() if not entry.is_dir() and _is_data(entry.filename)]
            if len(files) > MOST_FILES:
                raise InputError(f"{path}: holds {len(files):,} files; the limit is {MOST_FILES:,}")
            left = LARGEST_UNPACKED
            for entry in files:
                left -= entry.file_size
                if left < 0:
                    raise InputError(
                        f"{path}: unpacks to more than {LARGEST_UNPACKED / 2**30:,.0f} GiB; unpack it first"
                    )
                inside = PurePosixPath(entry.filename.replace("\\", "/"))
                if inside.is_absolute() or ".." in inside.parts or ":" in inside.parts[0]:
                    raise InputError(f"{path}: the name {entry.filename!r} leads out of the archive")
                target = folder.joinpath(*inside.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(entry))  # ends, with an error, where the directory says that it ends
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise InputError(f"{path}: cannot be read as a ZIP archive: {error}") from error


def _is_data(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return bool(parts) and not any(part in _NOT_DATA or (part.startswith(".") and part != "..") for part in parts)
