"""Word vectors: the embedded table, or a file of your own."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ModelError
from dialgauge.models._refs import ModelRef
from dialgauge.models._resolve import Resolved, resolve


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A row of ``matrix`` for each word; ``rows`` says which."""

    ref: ModelRef
    fingerprint: str
    rows: Mapping[str, int]
    matrix: NDArray[np.floating[Any]]

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        return int(self.matrix.shape[1])

    def __contains__(self, word: object) -> bool:
        return word in self.rows

    def of(self, words: Iterable[str]) -> NDArray[np.float64]:
        """The vectors of those words that have one, in their order."""
        found = [row for word in words if (row := self.rows.get(word)) is not None]
        return np.asarray(self.matrix[found], dtype=np.float64).reshape(len(found), self.dimensions)


def load_vectors(ref: ModelRef | str) -> WordVectors:
    """The word vectors of this name, loaded once per process.

    A folder holds one ``.npy`` matrix and one ``.parquet`` table whose first column lists its words; a file is the text
    form of GloVe and word2vec (a word and its numbers per line; ``.txt`` or ``.vec``), or a JSON object of lists.
    """
    resolved = resolve(ref)
    return _load(resolved)


@lru_cache(maxsize=4)
def _load(resolved: Resolved) -> WordVectors:
    path = resolved.path
    try:
        if path.is_dir():
            words, matrix = _from_folder(resolved)
        elif path.suffix == ".json":
            table = json.loads(path.read_text("utf-8"))
            words, matrix = list(table), np.array(list(table.values()), dtype=np.float64)
        else:
            words, matrix = _from_text(path)
    except (ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"model '{resolved.ref}': {path} is not a readable table of word vectors: {error}") from error
    if not words:
        raise ModelError(f"model '{resolved.ref}': {path} has no word vectors")
    if matrix.ndim != 2 or len(words) != len(matrix):
        raise ModelError(f"model '{resolved.ref}': {len(words)} words but a matrix of shape {matrix.shape} in {path}")
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    return WordVectors(resolved.ref, resolved.fingerprint, rows, matrix)


def _from_folder(resolved: Resolved) -> tuple[list[str], NDArray[np.floating[Any]]]:
    import polars as pl

    matrices, tables = sorted(resolved.path.glob("*.npy")), sorted(resolved.path.glob("*.parquet"))
    if len(matrices) != 1 or len(tables) != 1:
        raise ModelError(
            f"model '{resolved.ref}': {resolved.path} must hold one .npy matrix and one .parquet table of words; "
            f"it has {len(matrices)} and {len(tables)}"
        )
    # Mapped, not read: a metric looks up a few thousand of 400,000 words.
    return pl.read_parquet(tables[0]).to_series(0).to_list(), np.load(matrices[0], mmap_mode="r", allow_pickle=False)


def _from_text(path: Path) -> tuple[list[str], NDArray[np.floating[Any]]]:
    words: list[str] = []
    vectors: list[NDArray[np.float32]] = []
    width = None
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            parts = line.rstrip("\n").split(" ")
            if number == 1 and len(parts) == 2:  # word2vec files start with the numbers of words and dimensions
                continue
            width = width or len(parts) - 1
            # A word may hold spaces: the numbers are counted from the end.
            words.append(" ".join(parts[:-width]))
            vectors.append(np.array(parts[-width:], dtype=np.float32))
    if len({len(vector) for vector in vectors}) > 1:
        raise ValueError("lines of different length")
    return words, np.array(vectors)
