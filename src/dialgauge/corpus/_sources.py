"""How commands and study files name a corpus: the embedded one, a data set of the catalogue, or a path."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._formats import files_of
from dialgauge.corpus._many import is_pattern
from dialgauge.corpus._reading import read_corpus
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.errors import InputError

EMBEDDED = "embedded"
_DATASET = "dataset:"


def open_corpus(
    source: str,
    *,
    home: Path | None = None,
    format: str | None = None,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
    language: str | None = None,
    strict: bool = False,
    reading: ReadingSettings | None = None,
) -> Corpus:
    """The corpus that ``source`` names.

    ``"embedded"`` is the one that ships with dialgauge, ``"dataset:NAME"`` one that ``dialgauge datasets get`` fetched,
    anything else a file or folder, relative to ``home`` (default: the working folder). ``language`` is that of the
    dialogues that do not declare one.
    """
    if source != EMBEDDED and not source.startswith(_DATASET):
        path = (home or Path()) / source
        if difflib.get_close_matches(source, [EMBEDDED], cutoff=0.8) and not path.exists():
            raise InputError(f"{path}: no such file or folder; the corpus that ships with dialgauge is {EMBEDDED!r}")
        return read_corpus(
            path, format=format, mapping=mapping or None, language=language, strict=strict, reading=reading
        )
    if format or mapping:
        raise InputError(f"{source}: a format and a mapping of columns are only for files")
    corpus = _embedded() if source == EMBEDDED else _dataset(source.removeprefix(_DATASET))
    return corpus.with_language(language) if language else corpus


def _embedded() -> Corpus:
    from dialgauge.corpus._embedded import embedded_corpus  # with what reads its file, which no other corpus needs

    return embedded_corpus()


def _dataset(name: str) -> Corpus:
    from dialgauge.corpus.catalogue import read_dataset

    return read_dataset(name)


def source_files(source: str, home: Path | None = None) -> list[Path]:
    """What a corpus of this name is read from: one file or folder, or all files that a pattern names."""
    path = source_folder(source, home)
    if path is None:
        return []
    return files_of(path) or [path] if is_pattern(path) else [path]


def source_folder(source: str, home: Path | None = None) -> Path | None:
    """Where the corpus of this name is: a file or folder that need not exist; None for the embedded one."""
    if source == EMBEDDED:
        return None
    if source.startswith(_DATASET):
        from dialgauge.corpus.catalogue import get_dataset

        return get_dataset(source.removeprefix(_DATASET)).folder
    return (home or Path()) / source
