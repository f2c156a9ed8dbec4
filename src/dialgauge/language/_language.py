"""What a language declares, and where languages are found by their codes."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from dialgauge.registry import Registry


@dataclass(frozen=True, slots=True)
class Language:
    """A language, declared: how its texts are split, and what its words have in common.

    ``code`` is its ISO 639-1 code, by which it is found; ``title`` its English name. ``words`` gives the words of a
    text as they are written, ``sentences`` its sentences, ``stem`` the stem of a lower-cased word (None: there is no
    stemmer). ``stop_words`` are words that carry little meaning, in lower case. ``spaced`` says whether spaces separate
    the words; where they do not, ``words`` may give characters, and ``segment`` the words that a dictionary finds.
    ``version`` changes whenever a word or a stem can change, and is part of the signatures of metrics.
    """

    code: str
    title: str
    words: Callable[[str], list[str]]
    sentences: Callable[[str], list[str]]
    stem: Callable[[str], str] | None = None
    stop_words: frozenset[str] = frozenset()
    spaced: bool = True
    segment: Callable[[str], list[str]] | None = None
    version: str = ""

    @property
    def name(self) -> str:
        """The code: the name that the language is found by."""
        return self.code

    @property
    def description(self) -> str:
        """The English name, which the listing of languages shows."""
        return self.title


LANGUAGES = Registry("language", Language, attrgetter("words"))
register = LANGUAGES.add
all_languages = LANGUAGES.all
find_language = LANGUAGES.find


def language_signature(code: str) -> str:
    """What stands for a language in a signature: its code, and the version of its rules where it has one."""
    version = find_language(code).version
    return f"{code}+{version}" if version else code


def language_of(declared: str) -> str:
    """The code of a declared language: ``fr`` for ``fr``, ``FR-ca``, ``fr_FR`` and ``French``."""
    code = declared.strip().lower().replace("_", "-").partition("-")[0]
    if code in LANGUAGES:
        return code
    return next((language.code for language in LANGUAGES.values() if language.title.lower() == code), code)
