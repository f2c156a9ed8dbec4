"""Where files are kept, and writing them so that nobody ever finds half of one."""

import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError

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
def atomic_file(path: Path | str) -> Iterator[Path]:
    """A temporary sibling to write to; it becomes ``path`` when the block ends well, and vanishes when it does not.

    What is there now stays untouched until then, also when the disk is full or the process is killed.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file to write")
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=f".part{path.suffix}", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _sync(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A temporary sibling folder that takes the place of ``path`` when the block ends well.

    What stood at ``path`` before is put back if the last step fails.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    old = temporary.with_suffix(".old")
    try:
        yield temporary
        for file in temporary.iterdir():
            _sync(file)
        temporary.chmod(0o777 & ~_umask())
        if path.exists():
            path.rename(old)
        try:
            temporary.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    _sync(path.parent)


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text with Unix line ends, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_utf8(path: Path, hint: str = "") -> str:
    """The text of a file in UTF-8; an error names the file, and ``hint`` is added where it is not there."""
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
    """Refuse what is no folder, because it is not there or because it is a file; ``hint`` says what would be right."""
    if not path.is_dir():
        raise InputError(f"{path}: {'is a file, not a folder' if path.exists() else 'no such folder'}{hint}")


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """What a text of TOML says; an error names the file. Nesting without end is refused, not tried."""
    # The parser needs time in the square of the parts of a key.
    if _LONG_KEY.search(text):
        raise InputError(f"{file}: not valid TOML for us: a key of more than {_MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{file}: not valid TOML for us: nested too deeply") from error


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
