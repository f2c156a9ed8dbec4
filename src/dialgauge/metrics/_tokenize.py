"""Tokenisers by name, and the flat token arrays that are made with them, a text at most once."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.language import find_language, porter_stem
from dialgauge.metrics._language_tokens import split_by
from dialgauge.metrics._texts import IdArray, TextTable
from dialgauge.metrics.kernels import SplitRule, Tokens, kernel_name, split_characters, split_texts
from dialgauge.metrics.kernels._split import Split

#: How many characters are tokenised at once: enough to be fast, few enough to bound the memory of the buffers.
_CHARACTERS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class _Tokeniser:
    """``rule`` is one of the kernels, or a function that splits. ``prepare`` changes a text before it is split,
    ``normalise`` a word before it is numbered."""

    rule: SplitRule | Callable[[Sequence[str]], Split]
    prepare: Callable[[str], str] | None = None
    normalise: Callable[[str], str] | None = None


def _stem_longer_words(stem: Callable[[str], str], word: str) -> str:
    return stem(word) if len(word) > 3 else word


@lru_cache(maxsize=1 << 16)
def _porter_of_longer_words(word: str) -> str:
    """Texts of one call share most words with those of the next, and a stem costs as much as a pair of summaries."""
    return _stem_longer_words(porter_stem, word)


def _prepare_13a(text: str) -> str:
    text = text.rstrip()
    if "<skipped>" in text:
        text = text.replace("<skipped>", "")
    if "\n" in text:
        text = text.replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return text


@cache
def _international_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Punctuation that belongs to no number apart, and every symbol for itself, by the classes of Unicode."""
    classes: dict[str, list[str]] = {"N": [], "P": [], "S": []}
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if (kind := unicodedata.category(character)[0]) in classes:
            classes[kind].append(re.escape(character))
    numbers, marks, symbols = ("".join(classes[kind]) for kind in "NPS")
    return (
        (re.compile(f"([^{numbers}])([{marks}])"), r"\1 \2 "),
        (re.compile(f"([{marks}])([^{numbers}])"), r" \1 \2"),
        (re.compile(f"([{symbols}])"), r" \1 "),
    )


def _prepare_international(text: str) -> str:
    text = text.rstrip()
    for rule, spaced in _international_rules():
        text = rule.sub(spaced, text)
    return text


#: First and last of the characters that sacrebleu takes for Chinese. Two ranges beyond U+FFFF are cut to four digits
#: there and begin at U+2001 and U+2F81: quotation marks and dashes are Chinese, characters of extension B are not.
_CHINESE = (
    "\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u32ff\u3300-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f"
    "\ufe30-\ufe4f\uff00-\uffef"
)
#: Every such character for itself; then the rules of mteval-v13a, without white space around the text.
_CHINESE_RULES = (
    (re.compile(f"([{_CHINESE}])"), r" \1 "),
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def _prepare_chinese(text: str) -> str:
    text = text.strip()
    for rule, spaced in _CHINESE_RULES:
        text = rule.sub(spaced, text)
    return text


def _every_character(texts: Sequence[str]) -> Split:
    """White space included."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    found, local = np.unique(points, return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return local.astype(np.int32), np.zeros(len(local), dtype=np.uint8), offsets, [chr(point) for point in found]


_TOKENISERS: Mapping[str, _Tokeniser] = {
    "rouge": _Tokeniser("alphanumeric", prepare=str.lower),
    "rouge-stem": _Tokeniser("alphanumeric", prepare=str.lower, normalise=_porter_of_longer_words),
    "13a": _Tokeniser("13a", prepare=_prepare_13a),
    "13a-lower": _Tokeniser("13a", prepare=_prepare_13a, normalise=str.lower),
    "whitespace": _Tokeniser("whitespace"),
    "whitespace-lower": _Tokeniser("whitespace", prepare=str.lower),
    "chrf-words": _Tokeniser("chrf-words"),
    "international": _Tokeniser("whitespace", prepare=_prepare_international),
    "mteval-zh": _Tokeniser("whitespace", prepare=_prepare_chinese),
    "every-character": _Tokeniser(_every_character),
}
#: Those of a language, as in ``words:fr``: its words, the stems of these, or the words that a dictionary finds.
_OF_A_LANGUAGE = ("words", "stems", "segments")
#: The one tokeniser without words: every character that is not white space, its code point being its id.
CHARACTERS = "characters"


def tokens(texts: TextTable, tokeniser: str, *ids: IdArray) -> Tokens:
    """The tokens of these texts, and of all that were asked for before.

    ``tokeniser`` is one of ``rouge``, ``rouge-stem``, ``13a``, ``13a-lower``, ``whitespace``, ``whitespace-lower``,
    ``chrf-words``, ``international``, ``mteval-zh``, ``characters`` and ``every-character``, or of a language:
    ``words:fr``, ``stems:fr``, ``segments:zh``. ``lower:…`` puts texts in lower case first, ``sentences-en:…`` every
    sentence on a line of its own.
    """
    return _store(texts, tokeniser).with_texts(texts, ids)


def vocabulary(texts: TextTable, tokeniser: str) -> list[str]:
    """The words that the ids of :func:`tokens` stand for so far."""
    return _store(texts, tokeniser).words


def _store(texts: TextTable, tokeniser: str) -> "_Store":
    return texts.memo(("tokens", tokeniser, kernel_name()), lambda: _Store(_find_tokeniser(tokeniser)))


def check_tokeniser(name: str) -> None:
    """Reject an unknown tokeniser, such as the stems of a language without a stemmer."""
    _find_tokeniser(name)


def _find_tokeniser(name: str) -> _Tokeniser | None:
    if name in _TOKENISERS:
        return _TOKENISERS[name]
    kind, _, code = name.partition(":")
    if kind == "lower":
        return _after(str.lower, code)
    if kind.startswith("sentences-"):
        sentences = find_language(kind.removeprefix("sentences-")).sentences
        return _after(lambda text: "\n".join(" ".join(sentence.split()) for sentence in sentences(text)), code)
    if kind in _OF_A_LANGUAGE and code:
        return _tokeniser_of_language(kind, code)
    if name != CHARACTERS:
        raise UnknownNameError("tokeniser", name, [*_TOKENISERS, CHARACTERS, *_OF_A_LANGUAGE])
    return None


def _after(change: Callable[[str], str], name: str) -> _Tokeniser:
    """A tokeniser of texts that are changed first."""
    # Characters without a tokeniser are those but for white space.
    base = _find_tokeniser(name) or _Tokeniser(_every_character, prepare=lambda text: "".join(text.split()))
    prepare = base.prepare
    both = change if prepare is None else lambda text: prepare(change(text))
    return replace(base, prepare=both)


def _tokeniser_of_language(kind: str, code: str) -> _Tokeniser:
    language = find_language(code)
    words = language.segment if kind == "segments" else language.words
    if words is None:
        raise ParameterError(f"language {code!r}", "tok", "omitted: spaces separate its words", "word")
    rule = partial(split_by, words, language)
    prepare = str.lower if language.spaced else None
    if kind != "stems":
        return _Tokeniser(rule, prepare)
    if language.stem is None:
        raise ParameterError(f"language {code!r}", "stem", "'no': it has no stemmer", "yes")
    return _Tokeniser(rule, prepare, partial(_stem_longer_words, language.stem))


_NOTHING = np.zeros(0, dtype=np.int64)
_NO_TOKENS = Tokens(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8), _NOTHING, _NOTHING, 0)


class _Store:
    """Grows as texts are asked for. Without a tokeniser it holds characters."""

    def __init__(self, tokeniser: _Tokeniser | None) -> None:
        self._tokeniser = tokeniser
        self._numbers: dict[str, int] = {}  # of each word, as normalised
        self._known: dict[str, int] = {}  # the same by the word as it was found, where it is normalised
        #: The words of the first texts: they have their numbers as they were found, and enter the table if more come.
        self._first: Sequence[str] = ()
        self._tokens: Tokens | None = None

    @property
    def words(self) -> list[str]:
        self._enter_first()
        return list(self._numbers)

    def _enter_first(self) -> None:
        if self._first:
            self._numbers = {word: number for number, word in enumerate(self._first)}
            self._first = ()

    def with_texts(self, texts: TextTable, ids: Sequence[IdArray]) -> Tokens:
        present = self._tokens
        known = present is not None and len(texts) == len(present.lengths)
        if present is not None and known and all(present.lengths[some].min(initial=0) >= 0 for some in ids):
            return present
        wanted = np.zeros(len(texts), dtype=bool)
        for some in ids:
            wanted[some] = True
        if present is None and np.count_nonzero(wanted) == len(texts) and _fits(texts.strings):
            added, marks, offsets = self._split(texts.strings)
            self._tokens = Tokens(added, marks, offsets[:-1], offsets[1:] - offsets[:-1], self._size)
        else:
            self._tokens = self._extended(present or _NO_TOKENS, texts, wanted)
        return self._tokens

    def _extended(self, present: Tokens, texts: TextTable, wanted: NDArray[np.bool_]) -> Tokens:
        """What is there, and the tokens of those wanted texts that are not."""
        starts, lengths = np.zeros(len(texts), dtype=np.int64), np.full(len(texts), -1, dtype=np.int64)
        starts[: len(present.starts)], lengths[: len(present.lengths)] = present.starts, present.lengths
        missing = (wanted & (lengths < 0)).nonzero()[0]
        parts, breaks, end = [present.ids], [present.breaks], len(present.ids)
        for some, strings in _portions(texts, missing):
            added, marks, offsets = self._split(strings)
            starts[some], lengths[some] = end + offsets[:-1], offsets[1:] - offsets[:-1]
            parts.append(added)
            breaks.append(marks)
            end += len(added)
        return Tokens(np.concatenate(parts), np.concatenate(breaks), starts, lengths, self._size)

    @property
    def _size(self) -> int:
        return max(len(self._numbers), len(self._first)) if self._tokeniser else 0x110000

    def _split(self, strings: list[str]) -> tuple[NDArray[np.int32], NDArray[np.uint8], IdArray]:
        if self._tokeniser is None:
            characters, offsets = split_characters(strings)
            return characters, np.zeros(len(characters), dtype=np.uint8), offsets
        rule, prepare = self._tokeniser.rule, self._tokeniser.prepare
        lower = prepare is str.lower and not callable(rule)
        if prepare and not lower:
            strings = [prepare(text) for text in strings]
        local, marks, offsets, words = rule(strings) if callable(rule) else split_texts(strings, rule, lower=lower)
        if not words:
            return local, marks, offsets
        if not self._numbers and not self._first and self._tokeniser.normalise is None:
            self._first = words
            return local, marks, offsets
        return np.array(self._number(words), dtype=np.int32)[local], marks, offsets

    def _number(self, words: Sequence[str]) -> list[int]:
        self._enter_first()
        numbers, known = self._numbers, self._known
        normalise = self._tokeniser.normalise if self._tokeniser else None
        if normalise is None:
            return [numbers.setdefault(word, len(numbers)) for word in words]
        found = []
        for word in words:
            number = known.get(word)
            if number is None:
                number = known[word] = numbers.setdefault(normalise(word), len(numbers))
            found.append(number)
        return found


def _fits(strings: Sequence[str]) -> bool:
    """Whether they can be tokenised at once."""
    return sum(map(len, strings)) <= _CHARACTERS_AT_ONCE


def _portions(texts: TextTable, ids: IdArray) -> Iterator[tuple[IdArray, list[str]]]:
    """Text ids with their strings, in portions that keep the buffers small."""
    strings = [texts.strings[text_id] for text_id in ids.tolist()]
    if _fits(strings):
        if strings:
            yield ids, strings
        return
    characters = np.cumsum([len(text) for text in strings])
    begin = 0
    while begin < len(ids):
        before = characters[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(characters, before + _CHARACTERS_AT_ONCE, side="right")))
        yield ids[begin:end], strings[begin:end]
        begin = end
