"""Texts in parts for the pages: affective words, words that differ, words that were searched, and formatted numbers."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dialgauge.tables import number

if TYPE_CHECKING:
    from dialgauge.affect import Segment, Tagger

_AROUND = 90


def shown(value: object, digits: int | None = None) -> str:
    """A value as shown on a page: a dash for none, a real minus sign, and a fixed number of decimals.

    The decimals are ``digits``, or three below 10, two below 1,000 and then one.
    """
    if value is None or isinstance(value, float):
        from dialgauge.report import places  # here: the start of the server needs no report

        return number(value, places([value]) if digits is None else digits)
    return str(value)


def as_given(value: float | None) -> str:
    """A rating as the rater gave it: a whole number where it is one."""
    return number(value, "g")


def label_words(texts: Sequence[str], tagger: "Tagger | None") -> "list[tuple[Segment, ...]]":
    """Each text in runs with their label; one neutral run each where there is no tagger."""
    if tagger is None:
        return [((text, "neutral"),) if text else () for text in texts]
    from dialgauge.affect import NEUTRAL, segments, tag_texts

    # Splitting a text needs the positions of all of its words: most texts have no affective word.
    return [
        segments(tagged) if (tagged.labels != NEUTRAL).any() else ((tagged.words.text, "neutral"),)
        for tagged in tag_texts(texts, tagger)
    ]


def excerpt(text: str, words: Sequence[str]) -> list[tuple[str, bool]] | None:
    """The text around the first of the words, in parts that are True for matches; None without any."""
    if not words:
        return None
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)
    first = pattern.search(text)
    if first is None:
        return None
    begin, end = max(0, first.start() - _AROUND), min(len(text), first.end() + _AROUND)
    if begin and (gap := re.compile(r"\s").search(text, begin, first.start())):
        begin = gap.end()  # a truncated word could be read as another one
    parts: list[tuple[str, bool]] = [("…", False)] if begin else []
    place = begin
    for match in pattern.finditer(text, first.start(), end):
        parts += [(text[place : match.start()], False), (match.group(), True)]
        place = match.end()
    parts += [(text[place:end], False), ("…" if end < len(text) else "", False)]
    return [(part, hit) for part, hit in parts if part]
