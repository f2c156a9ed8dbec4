"""Words of judgements that the user explains: those of a scale from the lowest, and those for "not given".

They hold while one source is read, for every step that asks what a cell means.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from dialgauge.errors import InputError

#: More words than this are no scale.
_MOST_POINTS = 100


def plain_word(text: str) -> str:
    """A word for comparison: lower case, single spaces."""
    return " ".join(text.lower().split())


@dataclass(frozen=True, slots=True)
class Words:
    """What the user says: scales that any dimension may have, those of single ones, and words for "not given"."""

    scales: tuple[tuple[str, ...], ...] = ()
    by_dimension: tuple[tuple[str, tuple[str, ...]], ...] = ()
    not_given: frozenset[str] = frozenset()

    def of(self, dimension: str) -> tuple[str, ...]:
        """The words of one dimension, where they were given; else none."""
        return dict(self.by_dimension).get(dimension, ())

    def all_scales(self) -> Iterator[tuple[str, ...]]:
        """Every scale, also those of single dimensions."""
        yield from self.scales
        yield from (scale for _, scale in self.by_dimension)

    def leaves_out(self, text: str) -> bool:
        """Whether a cell says that nothing was given; numbers are compared as such (``99`` and ``99.0``)."""
        word = plain_word(text)
        return bool(self.not_given) and (word in self.not_given or _number(word) in self.not_given)


def _number(word: str) -> str:
    """A number as it is written without need for a point."""
    try:
        return f"{float(word):g}"
    except ValueError:
        return word


def parse_words(scales: Iterable[str], not_given: Iterable[str]) -> Words:
    """The words of ``poor<fair<good`` or ``fluency:poor<fair<good``, and those that mean "not given"."""
    parted = [_parse_scale(text) for text in scales]
    named: dict[str, tuple[str, ...]] = {}
    for dimension, words in parted:
        if dimension in named:
            raise InputError(f"scale words: the dimension {dimension!r} is given two scales")
        if dimension:
            named[dimension] = words
    skipped = frozenset(_number(plain_word(word)) for word in not_given)
    if "" in skipped:
        raise InputError("not given: a word is missing; empty cells mean that anyway")
    both = skipped & {plain_word(word) for _, words in parted for word in words}
    if both:
        raise InputError(f"{min(both)!r} cannot be a word of a scale and mean that nothing is given")
    return Words(tuple(words for name, words in parted if not name), tuple(named.items()), skipped)


def _parse_scale(text: str) -> tuple[str, tuple[str, ...]]:
    head, colon, rest = text.partition(":")
    dimension, ordered = (head.strip(), rest) if colon and "<" not in head else ("", text)
    words = tuple(word.strip() for word in ordered.split("<"))
    distinct = {plain_word(word) for word in words} - {""}
    if colon and "<" not in head and not dimension:
        raise InputError(f"scale words {text!r}: the name of the dimension is missing before the colon")
    if not 2 <= len(distinct) == len(words) <= _MOST_POINTS:
        raise InputError(
            f"scale words {text!r}: write different words from the lowest to the highest, as in poor<fair<good or "
            "fluency:poor<fair<good"
        )
    return dimension, words


_NONE = Words()
_SAID: ContextVar[Words] = ContextVar("words", default=_NONE)


@contextmanager
def reading_with(words: Words) -> Iterator[None]:
    """Read with these words."""
    token = _SAID.set(words)
    try:
        yield
    finally:
        _SAID.reset(token)


def said_words() -> Words:
    """The words that hold for what is being read."""
    return _SAID.get()
