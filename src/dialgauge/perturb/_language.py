"""Detection of texts that are not English, for the English parser."""

import re
import unicodedata
from collections import Counter
from functools import cache

from dialgauge.language import all_languages

_LETTERS = re.compile(r"[^\W\d_]+")
_SCRIPTS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


@cache
def _stop_words() -> dict[str, frozenset[str]]:
    """Those of the languages that are written with spaces, as English is."""
    return {language.title: language.stop_words for language in all_languages().values() if language.spaced}


def foreign(text: str, declared: str | None = None) -> str | None:
    """The language of a text that is not English, or None.

    What the dialogue declares (``zh``, ``de-DE``, ``English``) counts most; else the script counts, and then which
    language's stop words are found. A text that gives no hint counts as English.
    """
    if declared:
        return None if declared.lower()[:2] == "en" else declared
    letters = [c for c in text if c.isalpha()]
    scripts = Counter(unicodedata.name(c, "UNKNOWN").split(" ")[0].split("-")[0] for c in letters if ord(c) > 0x24F)
    if letters and sum(scripts.values()) * 2 > len(letters):
        if scripts["HIRAGANA"] + scripts["KATAKANA"]:
            return "Japanese"
        script = scripts.most_common(1)[0][0]
        return _SCRIPTS.get(script, f"{script.capitalize()} script")
    words = Counter(match.group().lower() for match in _LETTERS.finditer(text))
    counts = {
        name: sum(words[word] for word in words.keys() & stop_words) for name, stop_words in _stop_words().items()
    }
    best = max(counts, key=lambda name: (counts[name], name == "English"))
    return best if counts[best] >= 3 and counts[best] > 2 * counts["English"] else None
