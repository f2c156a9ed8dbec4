"""How many threads the libraries of a command use, unless the environment says so."""

import os
from collections.abc import Sequence
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
    size = count = 0
    try:
        for path in (Path(word), *Path(word).rglob("*")):
            size, count = size + path.stat().st_size, count + 1
            if size > _LARGE or count > _MANY:
                return True
    except (OSError, ValueError):  # no path, or not to be read
        pass
    return False
