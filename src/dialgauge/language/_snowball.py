"""Stems by the algorithms of the Snowball project."""

from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec


def snowball_stemmer(algorithm: str) -> "partial[str]":
    """The stemmer of this name, as in ``"french"``. It takes some microseconds a word: keep the stems of words."""
    return partial(_stem, algorithm)


def snowball_version() -> str:
    """What computes the stems: the package ``snowballstemmer``, which hands over to PyStemmer (in C) where it is."""
    return f"snowball-{version('PyStemmer' if find_spec('Stemmer') else 'snowballstemmer')}"


def _stem(algorithm: str, word: str) -> str:
    return _stemmer(algorithm)(word)


@cache
def _stemmer(algorithm: str) -> Callable[[str], str]:
    from snowballstemmer import stemmer

    stem: Callable[[str], str] = stemmer(algorithm).stemWord
    return stem
