"""What a column holds, by its values: texts, answers on a scale, times, or short names."""

from typing import Literal

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._names import (
    AGGREGATES,
    COMMENT_WORDS,
    TELLING,
    TIME_WORDS,
    heading,
    is_dimension,
    is_housekeeping,
    is_id,
    is_metric,
    is_other_id,
    is_person,
    normalised,
)
from dialgauge.corpus._times import parse_time
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._values import MOSTLY

Kind = Literal["empty", "time", "dialogue", "text", "comment", "scale", "name", "other"]
#: More different numbers than this are answers only where their name says so, or where they are shares.
_MOST_POINTS = 20
_LONGEST_NAME = 80
_SHOWN = 200


def kind_of(values: pl.Series, name: str) -> Kind:
    """What the cells of a column are. Names of columns only say what is no judgement: counts, times, ids."""
    given = values.drop_nulls()
    if given.is_empty():
        return "empty"
    words = set(normalised(name).split("_"))
    if words & TIME_WORDS and not is_dimension(normalised(name)):
        return "time"
    if AGGREGATES.fullmatch(normalised(name)) and not is_dimension(normalised(name)):
        return "other"
    shown = given.head(_SHOWN)
    if words & COMMENT_WORDS and not _are_answers(given, name):
        return "comment"
    if words & TELLING["summary"] and bool(shown.str.contains(r"\s").any()):
        return "text"
    if _speak(shown):
        return "dialogue"
    if _are_times(shown):
        return "time"
    if _are_texts(shown):
        return "text"
    if _are_answers(given, name):
        return "scale"
    return "name" if bool((shown.str.len_chars() <= _LONGEST_NAME).all()) else "text"


def _speak(shown: pl.Series) -> bool:
    texts = shown.head(20).to_list()
    return sum(sum(bool(turn.speaker) for turn in parse_turns(text)) >= 2 for text in texts) * 2 > len(texts)


def _are_times(shown: pl.Series) -> bool:
    dated = shown.str.contains(r"\d{1,4}[-/.]\w{2,3}[-/.]\d{2,4}|\d{1,2}:\d{2}|^1\d{9,12}$|^\d{8}T\d{4}").sum()
    parsed = sum(parse_time(text) is not None for text in shown.head(20))
    return int(dated) == len(shown) and (parsed > 0 or len(shown) == int(shown.str.contains(r"\d:\d\d|T\d{4}").sum()))


def _are_texts(shown: pl.Series) -> bool:
    spaced = int(shown.str.contains(r"\S\s+\S+\s+\S").sum())
    long = int((shown.str.len_chars() > 40).sum())
    return shown.n_unique() > 1 and (spaced * 2 > len(shown) or long * 2 > len(shown)) and not _recur(shown)


def _recur(shown: pl.Series) -> bool:
    """Whether a few phrases are all that is said, as the words of a scale or the names of questions are."""
    return shown.n_unique() * 4 <= len(shown) and shown.n_unique() <= 12 and bool((shown.str.len_chars() <= 80).all())


def _are_answers(given: pl.Series, name: str) -> bool:
    plain = normalised(heading(name)[0])
    read = answers(given)
    if read.share < MOSTLY or not read.given or plain.startswith("unnamed"):
        return False
    if is_dimension(plain):
        return True
    if is_person(plain) or is_metric(plain) or is_id(plain) or is_other_id(plain) or is_housekeeping(plain):
        return False
    if read.kind != "number":
        return read.distinct > 1
    numbers = read.values.values()
    shares = int(given.str.contains(r"%\s*$").sum()) * 2 > len(given)
    few = read.distinct <= _MOST_POINTS or shares
    return read.distinct > 1 and few and min(numbers) >= -10 and max(numbers) <= 100
