"""How many threads the libraries of a command use, unless the environment says so."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Bytes and files beyond which the reading of inputs in several threads pays.
_LARGE, _MANY = 1 << 28, 1000


def choose_threads(words: Sequence[str]) -> None:
    """One thread for NumPy's products and, where the words of the command name nothing large, for Polars.

    Products and tables of a study are many and small: threads that wait for each other took a sixth of its CPU, and
    those of Polars an eighth. The libraries read this when they are first used.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "--stream" not in words and not any(map(_is_large, words)):
        os.environ.setdefault("POLARS_MAX_THREADS", "1")


def _is_large(word: str) -> bool:
    """Whether a word names a file or folder of many bytes."""
    size = 0
    for count, more in enumerate(_sizes(word)):
        size += more
        if size > _LARGE or count > _MANY:
            return True
    return False


def _sizes(word: str) -> Iterator[int]:
    """The bytes of the file that a word names, or of all in a folder; the names alone say which of them are folders."""
    folders = [word]
    try:
        yield Path(word).stat().st_size
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    yield entry.stat(follow_symlinks=True).st_size
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    except (OSError, ValueError):  # no path, no folder, or not to be read
        return
