"""Whether a text is English, as far as a parser of English must know."""

import re
import unicodedata
from collections import Counter

_LETTERS = re.compile(r"[^\W\d_]+")
#: Frequent words of the languages that are written like English, and of English itself.
_FREQUENT = {
    "English": "the a to of and in is that for it on with as was he she they at be this from have has his her not are "
    "will by you we about but their who an him them what can asks wants tells says",
    "German": "der die das und ist nicht ein eine einen zu den von mit sich auf für im dem sie er es auch wird dass",
    "French": "le la les et est une des un du que qui dans pour pas sur au avec il elle ce son sa ses ne se plus",
    "Spanish": "el la los las y es una un que de en por para con no su se lo del al más como pero",
    "Italian": "il la di che è un una per non con si del della sono le gli ha da come anche ma",
    "Portuguese": "o a os as e é um uma que de em para com não do da se por mais como mas ao",
    "Dutch": "de het een en is van dat niet te op voor met zijn aan ook er maar hij ze door",
}
_WORDS = {language: frozenset(words.split()) for language, words in _FREQUENT.items()}
_SCRIPTS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


def foreign(text: str, declared: str | None = None) -> str | None:
    """The language of a text that is not English, or None.

    What the dialogue declares (``zh``, ``de-DE``, ``English``) counts most; else the script counts, and then which
    language's frequent words are found. A text that gives no hint counts as English.
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
    counts = {name: sum(words[word] for word in frequent) for name, frequent in _WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name == "English"))
    return best if counts[best] >= 3 and counts[best] > 2 * counts["English"] else None
