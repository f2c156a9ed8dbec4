"""Sentences of a text in any language, by their end marks and by abbreviations that end none."""

import re
from functools import partial

from dialgauge.language._words import word_pattern

#: Where a sentence can end: at a line break, after ``. ! ? …`` (and closing quotes or brackets) before white space, or
#: after their full-width forms.
SENTENCE_END = re.compile(r"[.!?…؟।]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[”’」』）]*|\n+")
#: Those that rarely end a sentence ("etc." and "no." often do, so they are not here).
_ABBREVIATIONS = frozenset(("mr", "mrs", "ms", "dr", "prof", "vs", "e.g", "i.e", "cf", "approx", "z.b", "bzw"))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text that hold at least one word.

    A sentence ends at a line break, after ``. ! ? …`` (and closing quotes or brackets) before white space, or after
    their full-width forms. A full stop after a single letter or a frequent abbreviation ends none.
    """
    return _split(_ABBREVIATIONS, False, text)


def sentences_with_abbreviations(abbreviations: str, *, ordinals: bool = False) -> "partial[list[str]]":
    """The rule of a language with these abbreviations (without their last point) beside those of any language.

    ``ordinals``: a number of one or two digits with a full stop is an ordinal and ends no sentence ("am 3. Mai").
    """
    return partial(_split, _ABBREVIATIONS | set(abbreviations.split()), ordinals)


def _split(abbreviations: frozenset[str], ordinals: bool, text: str) -> list[str]:
    sentences: list[str] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        if match.group() == "." and _goes_on(text[start : match.start()], abbreviations, ordinals):
            continue
        sentences.append(text[start : match.end()])
        start = match.end()
    sentences.append(text[start:])
    has_word = word_pattern().search
    return [sentence.strip() for sentence in sentences if has_word(sentence)]


def _goes_on(before: str, abbreviations: frozenset[str], ordinals: bool) -> bool:
    last = before[-12:].rpartition(" ")[2].lstrip("(\"'").lower()
    if last in abbreviations or (len(last) == 1 and last.isalpha() and last != "i"):
        return True
    return ordinals and len(last) <= 2 and last.isdecimal()
