"""Whether the long texts of a file arrived somewhere."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dialgauge.corpus._assemble import RatingParts
from dialgauge.corpus._exchanged import JUDGED, Read
from dialgauge.corpus._fields import Field
from dialgauge.corpus._markup import without_markup
from dialgauge.corpus._nowhere import Nowhere, as_nowhere
from dialgauge.corpus._text_sections import sections_of
from dialgauge.corpus._turns import split_turns


def lost_texts(fields: list[Field], before: Read) -> list[Nowhere]:
    """Fields of long texts, different from row to row, that are in no table of the corpus."""
    if not fields or isinstance(before, RatingParts):
        return []
    stored = _plain("\n".join(_texts_of(before)))
    summaries = [_plain(text) for text in before.summaries["text"].head(_MOST_SUMMARIES)]
    summaries = [text for text in summaries if len(text) >= _FEWEST_LETTERS]
    found = []
    for one in fields:
        shown = list(one.counts)[:40]
        here = sum(_is_stored(text, stored) or _shows_one(_plain(text), summaries) for text in shown)
        if here * 2 < len(shown):
            found.append(as_nowhere(one, looks_like="texts"))
    return found


#: So many summaries are looked for in what was shown to people; a short one may stand anywhere.
_MOST_SUMMARIES, _FEWEST_LETTERS, _NEARLY_ALL = 2_000, 20, 0.7


def _shows_one(plain: str, summaries: Sequence[str]) -> bool:
    """Whether a text is hardly more than a summary, as tools show it: ``<b>Summary</b>: Tom thanks Ana.``"""
    return any(len(text) >= _NEARLY_ALL * len(plain) and text in plain for text in summaries)


def _is_stored(text: str, stored: str) -> bool:
    """Whether a text is among those that were stored, as it is or in parts."""
    plain = without_markup(text, tags=True) if "</" in text else text
    parts = (sections_of(plain) or {}).values() or [text]
    return all(_plain(part) in stored or _plain(_said_in(part)) in stored for part in parts)


def _said_in(text: str) -> str:
    """A text without what stands around its turns, such as the time of each."""
    return "\n".join(f"{speaker} {said}" for speaker, said, _ in split_turns(text))


_MARKUP, _NOT_LETTERS = re.compile(r"<[^<>]{1,60}>|&#?\w+;"), re.compile(r"[\W_]+")


def _plain(text: str) -> str:
    return _NOT_LETTERS.sub("", _MARKUP.sub(" ", text).lower())


def _texts_of(before: Any) -> Iterable[str]:
    for turns in before.dialogues["turns"]:
        yield "\n".join(f"{turn['speaker'] or ''} {turn['text']}" for turn in turns)
        yield "".join(turn["text"] for turn in turns)
    yield from before.dialogues["meta"].drop_nulls()
    yield from before.summaries["text"]
    for name in JUDGED:
        frame = getattr(before, name)
        for column in ("comment", "text"):
            if column in frame.columns:
                yield from frame[column].drop_nulls().unique()
