"""Texts as annotators see them: sentences, and the direction of the script."""

import re
import unicodedata
from collections.abc import Iterable

#: Where a sentence ends: Latin stops must be followed by a space or the end, Chinese ones need not.
_END = re.compile(r"[。！？；]+[”’」』）]*|[.!?…]+[\"'”’)\]]*(?=\s|$)|\n+")
#: Words whose stop ends no sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|approx|e\.g|i\.e|a\.m|p\.m)|\b[A-Z])\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, in English, Chinese and scripts that end sentences alike.

    Joined by what is between them they are the text; a text without any end mark is one sentence.
    """
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text[start : match.end()]) and text[match.end() :].strip():
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    kept = [sentence for sentence in found if any(character.isalnum() for character in sentence)]
    return kept or ([text.strip()] if text.strip() else [])


def direction(texts: Iterable[str]) -> str:
    """``"rtl"`` where the first letter with a direction is written from right to left, else ``"ltr"``."""
    for text in texts:
        for character in text:
            kind = unicodedata.bidirectional(character)
            if kind in ("R", "AL"):
                return "rtl"
            if kind == "L":
                return "ltr"
    return "ltr"
