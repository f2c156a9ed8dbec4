"""Words of a text in any script, near to the word boundaries of Unicode (UAX #29).

A word is a run of letters, digits and their combining marks, without punctuation; an apostrophe inside a word and a
point, comma or colon between digits belong to it (``don't``, ``3.5``, ``10:30``), a hyphen does not. In scripts that
are written without spaces (Chinese, Japanese kana, Thai, Lao, Khmer, Burmese) every character with its marks is a word
of its own.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, partial

from dialgauge.language._scripts import UNSPACED

#: What :func:`word_pattern` finds in ASCII, of which most texts are made: it takes half a second to build.
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:(?:'|(?<=[0-9])[.,:](?=[0-9]))[A-Za-z0-9]+)*")


def unicode_words(text: str) -> list[str]:
    """The words of a text as they are written, composed (NFC) and with straight apostrophes."""
    words: list[str] = _ASCII_WORD.findall(text) if text.isascii() else word_pattern().findall(_composed(text))
    return words


def words_with_elisions(elided: str) -> "partial[list[str]]":
    """The rule of a language that elides: after one of these forms (``"l d qu"``) an apostrophe ends the word.

    French ``l'homme`` is ``l`` and ``homme``; ``aujourd'hui`` stays whole.
    """
    forms = "|".join(sorted(elided.split(), key=len, reverse=True))
    return partial(_split_elided, re.compile(rf"(?<![\w'])({forms})'(?=\w)", re.IGNORECASE))


def _split_elided(elided: re.Pattern[str], text: str) -> list[str]:
    words: list[str] = word_pattern().findall(elided.sub(r"\1 ", _composed(text)))
    return words


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("’", "'")


@cache
def word_pattern() -> re.Pattern[str]:
    """What a word looks like in a composed text."""
    is_unspaced = re.compile(f"[{UNSPACED}]").match
    letters: list[int] = []
    marks: list[int] = []
    unspaced: list[int] = []
    # The planes beyond hold rare Han characters, taken as a whole: asking for each of them would cost 0.1 s.
    for code in range(0x20000):
        character = chr(code)
        if character.isalnum():
            alone = is_unspaced(character) and not character.isdecimal()
            (unspaced if alone else letters).append(code)
        elif unicodedata.category(character) in ("Mn", "Mc", "Me"):
            marks.append(code)
    letter, mark = _character_class(letters), _character_class(marks)
    single = _character_class(unspaced) + "\\U00020000-\\U0003ffff"
    run = f"[{letter}][{letter}{mark}]*"
    return re.compile(rf"{run}(?:(?:'|(?<=\d)[.,:](?=\d)){run})*|[{single}][{mark}]*")


def _character_class(codes: Sequence[int]) -> str:
    """Sorted code points as the inside of a character class."""
    firsts = [code for before, code in zip([-1, *codes], codes, strict=False) if code != before + 1]
    lasts = [code for code, after in zip(codes, [*codes[1:], -1], strict=True) if after != code + 1]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in zip(firsts, lasts, strict=True))
