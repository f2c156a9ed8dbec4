"""Write corpora, and refuse targets that cannot be written."""

from os import PathLike
from pathlib import Path

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._folder import is_dialgauge
from dialgauge.corpus._formats import format_to_write
from dialgauge.errors import InputError
from dialgauge.files import FULL_DISK, atomic_file, atomic_folder


def write_corpus(corpus: Corpus, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a corpus; the format is recognised by the name (a name without a suffix is a dialgauge folder).

    Writes are atomic. A folder that is not a dialgauge folder is never overwritten. A corpus that the format cannot
    store without loss is refused.
    """
    path = Path(path)
    entry = format_to_write(path, format)
    assert entry.write is not None
    reason = entry.cannot_hold(corpus)
    if reason:
        raise InputError(f"{path}: {entry.name} cannot hold this corpus: {reason}")
    try:
        check_target(path, format=format)
        if entry.is_folder is None:
            with atomic_file(path) as temporary:
                entry.write(corpus, temporary)
            return
        with atomic_folder(path) as temporary:
            entry.write(corpus, temporary)
    except (OSError, pl.exceptions.PolarsError) as error:
        if isinstance(error, OSError) and error.errno in FULL_DISK:  # commands and studies know how to go on
            raise
        raise InputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


def check_target(path: str | PathLike[str], *, format: str | None = None) -> None:
    """Refuse a path that :func:`write_corpus` would refuse for any corpus, so that long commands fail early."""
    path = Path(path)
    entry = format_to_write(path, format)
    if entry.is_folder is None:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file to write")
    elif path.exists() and not (path.is_dir() and (is_dialgauge(path) or not any(path.iterdir()))):
        raise InputError(f"{path}: exists and is not a dialgauge folder; it will not be overwritten")
