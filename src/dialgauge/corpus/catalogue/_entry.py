"""What the catalogue knows about a data set."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dialgauge.corpus._corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.files import cache_folder


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file to download: its address, the name it gets, and what it must be.

    ``sha256`` is checked where it is known; ``git_blob`` (git's own hash of the content, or its first digits) likewise.
    A file with neither depends on its address: one with a commit in it always gives the same bytes.
    """

    url: str
    name: str
    sha256: str | None = None
    git_blob: str | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A public data set.

    ``parts`` are what ``NAME:PART`` can ask for, the first being the default. ``files`` is empty where a person has to
    fetch the data (``how`` says where). ``unverified`` says what we could not check. ``read`` is None for data that are
    not dialogues with summaries.
    """

    name: str
    title: str
    what: str
    size: str
    language: str
    licence: str
    ratings: bool
    home: str
    paper: str
    how: str
    unverified: str
    files: tuple[RemoteFile, ...] = ()
    parts: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    read: Callable[[Path, str], Corpus] | None = None

    @property
    def folder(self) -> Path:
        """Where ``dialgauge datasets get`` keeps it."""
        return cache_folder() / "datasets" / self.name

    def is_in(self, folder: Path) -> bool:
        """Whether the folder holds this data set, in its published layout or a known rearrangement."""
        return any(find_file(folder, marker) is not None for marker in self.markers)


def find_file(folder: Path, *names: str) -> Path | None:
    """The first of these files (``a/b.json`` or just ``b.json``) in the folder or up to two folders below it."""
    if not folder.is_dir():
        return None
    for name in names:
        for pattern in (name, f"*/{name}", f"*/*/{name}"):
            found = sorted(path for path in folder.glob(pattern) if path.is_file())
            if found:
                return found[0]
    return None


def need_file(folder: Path, *names: str) -> Path:
    """Like :func:`find_file`, but a missing file is an error that names the candidates."""
    found = find_file(folder, *names)
    if found is None:
        raise InputError(f"{folder}: none of these files is in it: {', '.join(names)}")
    return found
