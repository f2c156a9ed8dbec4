"""Whether a dialogue or a summary can be read: parser, words and model are English."""

import re
from collections import Counter
from functools import lru_cache

from dialgauge.language import all_languages, find_language, likely_language, unicode_words

#: Chats have words that other languages have as well ("me", "ya", "go"): theirs must outnumber the English ones so.
_CLEARLY = 2
_LABEL = re.compile(r"^[^:\n]{1,40}:\s", re.MULTILINE)


def refusal(dialogue: str, summary: str) -> str | None:
    """Why a summary gets no score, as far as its language and that of its dialogue go; None: it gets one."""
    for what, text in (("dialogue", dialogue), ("summary", summary)):
        if language := _foreign(text):
            return f"English only: the {what} is likely in another language ({language})"
    return None


@lru_cache(maxsize=512)
def _foreign(text: str) -> str | None:
    spoken = _LABEL.sub("", text)  # "A:" and "I:" would be English words
    language = likely_language(spoken)
    if language in (None, "en"):
        return None
    if language not in all_languages():
        return language  # known by its script alone
    words = Counter(unicode_words(spoken.lower()))
    theirs, english = (sum(words[word] for word in find_language(code).stop_words) for code in (language, "en"))
    return language if not theirs or theirs >= _CLEARLY * english else None
