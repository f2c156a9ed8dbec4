"""Scripts that are written without spaces between words: the one table of them, as character classes for ``re``."""

import re
from functools import cache

#: Han characters (those of rare planes included), Hiragana, Katakana: here not even sentences are set apart by spaces.
CHINESE_JAPANESE = (
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana, half-width Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
#: Thai and Lao, Burmese, Khmer, and the above: the inside of a character class.
UNSPACED = f"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{CHINESE_JAPANESE}"


def is_chinese_or_japanese(text: str) -> bool:
    """Whether a text is mostly written in Chinese or Japanese characters."""
    letters = sum(map(str.isalpha, text))
    return 2 * len(_any_of_them().findall(text)) > letters


@cache
def _any_of_them() -> re.Pattern[str]:
    """Compiled when it is needed: so large a class takes as long as reading a small file."""
    return re.compile(f"[{CHINESE_JAPANESE}]")
