"""Where files are kept, and atomic writes, so that nobody ever finds half a file."""

import errno
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from dialgauge.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Names of temporary files: ``.TARGET.RANDOM.part``, with the suffix of the target for libraries that look at it.
_PARTIAL, _REPLACED = ".part", ".old"
_TEMPORARY = re.compile(rf"\.(?P<target>.+)\.[a-z0-9_]{{8}}(?:\{_PARTIAL}(?:\.[^.]*)?|\{_REPLACED})", re.DOTALL)
#: In a folder that a run writes to: who does.
LOCK = ".run.lock"
#: What the system says where no space or no quota is left.
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
_MOST_PARTS = 32
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')\s*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?>{_PART}\.\s*+){{{_MOST_PARTS}}}{_PART}(?:\.|=|\])")


def cache_folder() -> Path:
    """Where data sets and models are kept: ``DIALGAUGE_CACHE``, or dialgauge's folder in the user's cache."""
    given = os.environ.get("DIALGAUGE_CACHE")
    if given:
        return Path(given)
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "dialgauge"


@contextmanager
def claimed_folder(folder: Path) -> Iterator[None]:
    """Keep other runs on this machine out while this one writes into a folder, which is created if it is not there.

    The system gives the lock back if we are killed. Where no lock can be had, nobody is kept out. New folders into
    which nothing was written are removed.
    """
    file = folder / LOCK
    new = [one for one in (folder, *folder.parents) if not one.exists()]
    with ExitStack() as held:
        with suppress(OSError):  # writing says what is wrong
            held.callback(_remove_empty, new)
            folder.mkdir(parents=True, exist_ok=True)
            handle = held.enter_context(_locked(file))
            held.callback(file.unlink, missing_ok=True)
            handle.truncate(0)
            handle.write(f"process {os.getpid()} on {platform.node()}\n")
            handle.flush()
        yield


def _remove_empty(folders: Iterable[Path]) -> None:
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


@contextmanager
def _locked(file: Path) -> Iterator[TextIO]:
    """The file, locked for us alone; it is made if it is not there."""
    while True:
        with file.open("a+") as handle:
            if fcntl is not None:
                try:
                    lock_alone(handle.fileno())
                except BlockingIOError:
                    handle.seek(0)
                    raise InputError(
                        f"{file.parent}: another run writes here ({handle.read().strip() or 'unknown'}): wait for it, "
                        "or use another folder"
                    ) from None
            # The run before may have removed the file between our opening and locking it.
            if file.exists() and os.path.samestat(os.fstat(handle.fileno()), file.stat()):
                yield handle
                return


def lock_alone(handle: int) -> None:
    """Lock an open file for us alone, until it is closed or the process ends; OSError where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def atomic_file(path: Path | str) -> Iterator[Path]:
    """A temporary sibling to write to; it becomes ``path`` if the block succeeds and is removed if it fails.

    What is there now stays untouched until then, also when the disk is full or the process is killed. A killed process
    leaves its temporary file behind, and the next one that writes ``path`` removes it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file to write")
    with _temporary(path, f"{_PARTIAL}{path.suffix}", _new_file) as temporary:
        yield temporary
        _sync(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    _sync(path.parent)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A temporary sibling folder that replaces ``path`` if the block succeeds.

    What was at ``path`` before is restored if the last step fails.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path, _PARTIAL, tempfile.mkdtemp) as temporary:
        yield temporary
        for file in temporary.iterdir():
            _sync(file)
        temporary.chmod(0o777 & ~_umask())
        old = temporary.with_suffix(_REPLACED)
        if path.exists():
            path.rename(old)
        try:
            temporary.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
    shutil.rmtree(old, ignore_errors=True)
    _clear_leftovers(path)  # an old copy of a killed process was kept as long as it was the only one
    _sync(path.parent)


def is_temporary(name: str) -> bool:
    """Whether this is the name of a temporary file or folder, in use or left behind by a killed process."""
    return _TEMPORARY.fullmatch(name) is not None


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text with Unix line ends, atomically."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_utf8(path: Path, hint: str = "") -> str:
    """The text of a file in UTF-8. Errors name the file; ``hint`` is added if it does not exist."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{hint}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, not a file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start + 1:,})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def check_folder(path: Path, hint: str = "") -> None:
    """Raise an error if a folder does not exist or is a file; ``hint`` says what would be right."""
    if not path.is_dir():
        raise InputError(f"{path}: {'is a file, not a folder' if path.exists() else 'no such folder'}{hint}")


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """Parse TOML; errors name the file. Very deep nesting is refused."""
    # The parser needs time quadratic in the number of parts of a key.
    if _LONG_KEY.search(text):
        raise InputError(f"{file}: TOML that is not supported: a key of more than {_MOST_PARTS} parts")
    import tomllib  # most commands read no TOML

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        line = re.search(r"\(at line (\d+)", said)
        raise InputError(f"{file}:{f'{line[1]}:' if line else ''} not valid TOML: {said}") from error
    except RecursionError as error:
        raise InputError(f"{file}: TOML that is not supported: nested too deeply") from error


@contextmanager
def _temporary(target: Path, suffix: str, make: Callable[[str, str, Path], str]) -> Iterator[Path]:
    """A new sibling of ``target`` that no other process removes; deleted at the end unless it was renamed."""
    _clear_leftovers(target)
    while True:
        try:
            path = Path(make(suffix, f".{target.name}.", target.parent))
        except OSError as error:  # the user knows the target, not the temporary file
            raise OSError(error.errno, error.strerror, str(target)) from error
        handle = _lock(path)
        if path.exists():
            break
        _release(handle)  # another writer saw it before it was locked, and removed it
    try:
        yield path
    except Exception as error:
        if (number := _full_disk(error)) is not None:
            raise OSError(number, os.strerror(number), str(target)) from error
        raise
    finally:
        _remove(path)
        _release(handle)


def free_space(path: Path | str) -> str:
    """How much can still be written where a file is, or would be."""
    place = next(folder for folder in (Path(path).absolute(), *Path(path).absolute().parents) if folder.is_dir())
    return f"{shutil.disk_usage(place).free / (1 << 20):,.1f} MiB free"


def _full_disk(error: Exception) -> int | None:
    """The number of the error where no space or no quota is left. Polars says it in the words of its language."""
    said = re.search(r"\(os error (\d+)\)", str(error))
    number = error.errno if isinstance(error, OSError) else int(said[1]) if said else None
    return number if number in FULL_DISK else None


def _new_file(suffix: str, prefix: str, folder: Path) -> str:
    handle, name = tempfile.mkstemp(suffix, prefix, folder)
    os.close(handle)
    return name


def _clear_leftovers(target: Path) -> None:
    """Remove what killed processes left behind when they wrote ``target``."""
    if fcntl is None:
        return
    for name in _names(target.parent):
        found = _TEMPORARY.fullmatch(name)
        if not found or found["target"] != target.name:
            continue
        sibling = target.with_name(name)
        # A folder that was about to be replaced is the only copy until its successor is in place.
        if sibling.suffix == _REPLACED and not target.exists():
            continue
        with suppress(OSError):  # gone already, or on a file system without locks
            handle = os.open(sibling, os.O_RDONLY)
            try:
                lock_alone(handle)
                _remove(sibling)
            finally:
                os.close(handle)


def _names(folder: Path) -> list[str]:
    with suppress(PermissionError), os.scandir(folder) as entries:  # there may be thousands of parts
        return [entry.name for entry in entries]
    return []  # a folder may be writable but not readable


def _lock(path: Path) -> int | None:
    """Lock a temporary file; the operating system releases the lock when the process ends, however it ends."""
    if fcntl is None:
        return None
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        with suppress(OSError):  # without locks, no process removes leftovers either
            fcntl.flock(handle, fcntl.LOCK_SH)
        return handle
    return None


def _release(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    # Windows can neither open folders nor needs to: renames there are durable.
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
