"""Which language a text is likely to be in, by its script and its stop words."""

import re
from collections import Counter

from dialgauge.language._language import all_languages
from dialgauge.language._scripts import is_chinese_or_japanese
from dialgauge.language._words import unicode_words

_KANA = re.compile("[\u3040-\u30ff]")
#: Fewer stop words than this tell nothing.
_FEWEST = 3


def likely_language(text: str) -> str | None:
    """The code of the language of a text, or None where nothing tells it. Whoever knows the language need not guess."""
    if is_chinese_or_japanese(text):
        return "ja" if _KANA.search(text) else "zh"
    words = Counter(unicode_words(text.lower()))
    counts = {
        code: sum(words[word] for word in words.keys() & language.stop_words)
        for code, language in all_languages().items()
        if language.spaced
    }
    (best, most), (_, second) = Counter(counts).most_common(2)
    return best if most >= _FEWEST and most > second else None
