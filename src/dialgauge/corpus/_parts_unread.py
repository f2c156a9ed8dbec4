"""Sheets, tables and files that were not read: whether they hold judgements or texts, by their values alone."""

import re
from collections.abc import Container, Sequence

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._fields import Field, fields_of
from dialgauge.corpus._headings import EXPLAINING_ROWS
from dialgauge.corpus._look_alikes import is_named, looks_judged, looks_like_texts, may_be_judged
from dialgauge.corpus._names import AGGREGATES, is_dimension, is_housekeeping, is_metric, is_person, normalised
from dialgauge.corpus._pairs import asks_for_winner
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import MOSTLY, as_number, read_values

#: Fewer texts than this may be instructions.
_FEWEST_TEXTS = 8
#: Fewer choices than this may be a list.
_FEWEST_CHOICES = 5
#: The size of a table that explains a scale.
_FEWEST_POINTS, _MOST_POINTS, _MOST_OF_LEGEND = 2, 11, 3


def held_by(frame: pl.DataFrame, keys: Container[str]) -> tuple[str, tuple[str, ...]] | None:
    """What a part of a file seems to hold ("judgements", "choices" or "texts"), and in which columns; None if nothing.

    ``keys`` are the names of systems and of people that were read: a row for each of them sums up or describes them.
    """
    if explains_scale(frame):
        return None
    fields = fields_of(Table(frame, lambda row: ("", row)))
    judged = [path for path, one in fields.items() if _is_judged(one, frame)]
    chosen = [column for column in frame.columns if _is_chosen(frame[column], keys)]
    if chosen := [column for column in chosen if column != chosen[0] or asks_who_is_best(column)]:
        return "choices", tuple(chosen)
    if together := _judged_together(frame[EXPLAINING_ROWS:]):
        return "judgements", tuple(together)
    again = asked_again(frame)
    if any(_lists(frame[column], normalised(column), keys) for column in frame.columns):
        judged = [path for path in judged if is_named(fields[path]) and not _are_means(fields[path])]
        judged += [path for path in again if path not in judged]
        return ("judgements", tuple(judged)) if judged else None
    if judged or again:
        return "judgements", tuple(judged or again)
    texts = [path for path, one in fields.items() if len(one.counts) >= _FEWEST_TEXTS and looks_like_texts(one)]
    return ("texts", tuple(texts)) if texts and any(_recurs(values) for values in frame.iter_columns()) else None


def asks_who_is_best(column: str) -> bool:
    """Whether a heading asks for the best, or the worst, of several."""
    name = normalised(column)
    return asks_for_winner(name) or bool(set(name.split("_")) & {"best", "worst", "beste", "mejor", "meilleur"})


def asked_again(frame: pl.DataFrame) -> list[str]:
    """The columns that ask one question of several things (``1 - Clear``, ``2 - Clear``) and are answered alike.

    Where each row is a person, all others may be about the person.
    """
    asked: dict[str, list[str]] = {}
    for column in frame.columns:
        name = normalised(column)
        if re.search(r"\d", name) and not is_housekeeping(_NUMBER.sub("", name)):
            asked.setdefault(_NUMBER.sub("#", name), []).append(column)
    groups = [columns for columns in asked.values() if len(columns) >= _FEWEST_AGAIN]
    together = [column for columns in groups for column in columns]
    if _answered_alike(frame, together):  # few people answer each question too seldom to show it
        return together
    return [column for columns in groups if _answered_alike(frame, columns) for column in columns]


def _answered_alike(frame: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Whether the answers of all these columns are the same few numbers or words."""
    if not columns:
        return False
    reading = answers(pl.concat([frame[column].cast(pl.String).alias("_") for column in columns]))
    few = reading.given >= _FEWEST_AGAIN * reading.distinct > _FEWEST_AGAIN
    return few and reading.share >= MOSTLY and reading.kind in _JUDGED


#: The numbers of things in headings, how many there must be, and what is said of them.
_NUMBER, _FEWEST_AGAIN, _JUDGED = re.compile(r"\d+"), 3, ("number", "yes/no", "ordered")


def lacks_headings(frame: pl.DataFrame, ids: Container[str]) -> bool:
    """Whether what stands where headings are is a row like the others: names of dialogues, numbers, texts, answers."""
    like = [
        column
        for column in frame.columns
        if column in ids
        or as_number(column) is not None
        or column in set(frame[column].drop_nulls().cast(pl.String, strict=False))
        or len(column.split()) >= _FEWEST_WORDS
    ]
    return len(like) > 1 and len(like) * 2 > frame.width and any(_names(frame[c], c, ids) for c in frame.columns)


def _names(values: pl.Series, first: str, ids: Container[str]) -> bool:
    """Whether a column names dialogues, from its first cell on."""
    given = list(values.drop_nulls().cast(pl.String, strict=False))
    return first in ids and bool(given) and all(text in ids for text in given)


#: A heading of so many words is a sentence.
_FEWEST_WORDS = 8


def explains_scale(frame: pl.DataFrame) -> bool:
    """Whether each row says what one point of a scale means: the points follow each other, each with other words."""
    if not 2 <= frame.width <= _MOST_OF_LEGEND or not _FEWEST_POINTS <= frame.height <= _MOST_POINTS:
        return False
    first, *others = (frame[column].cast(pl.String).str.strip_chars() for column in frame.columns)
    points = first.cast(pl.Float64, strict=False)
    if points.null_count() or not others[0].is_unique().all() or others[0].null_count():
        return False
    steps = points.sort().diff().drop_nulls()
    return bool((steps == 1).all()) and not others[0].cast(pl.Float64, strict=False).drop_nulls().len()


def _lists(values: pl.Series, name: str, keys: Container[str]) -> bool:
    """Whether each row is about one system or person: the others of its cells are about them."""
    given = [text.strip() for text in values.drop_nulls().cast(pl.String) if text.strip()]
    once = len(given) > 1 and len(set(given)) == len(given)
    return once and (is_person(name) or sum(text in keys for text in given) * 2 > len(given))


def _is_judged(one: Field, frame: pl.DataFrame) -> bool:
    """Whether answers recur in a column, as they do where people judge and not where a list explains them."""
    named = is_named(one) or (one.path in frame.columns and _begins_or_ends_so(one.path))
    if one.path in frame.columns and named and answers(frame[one.path]).share >= MOSTLY:
        return True
    reading = read_values(one.counts)
    recurring = reading.given >= 2 * reading.distinct > 2
    nameless = one.path in frame.columns and one.path.startswith("unnamed_")
    return recurring and (nameless or may_be_judged(one, True)) and looks_judged(one, reading)


def _begins_or_ends_so(column: str) -> bool:
    """Whether a heading has a dimension and something else in it: ``Clarity Ann``, whose column it is."""
    name = normalised(column)
    first, _, rest = name.partition("_")
    others, _, last = name.rpartition("_")
    if AGGREGATES.fullmatch(name) or is_housekeeping(name) or is_metric(name):
        return False
    return bool(rest) and any(map(is_dimension, (first, last, rest, others)))


def _is_chosen(values: pl.Series, keys: Container[str]) -> bool:
    """Whether each cell names one of several systems or people, as the places of a ranking and votes do."""
    given = [text.strip() for text in values.drop_nulls().cast(pl.String) if text.strip()]
    return len(given) >= _FEWEST_CHOICES and len(set(given)) > 1 and all(text in keys for text in given)


def _judged_together(frame: pl.DataFrame) -> list[str]:
    """Columns of which each has few answers, and all have the same ones: a row for each of a few people."""
    read = {path: read_values(one.counts) for path, one in fields_of(Table(frame, lambda row: ("", row))).items()}
    worded = {path: one for path, one in read.items() if one.kind in ("ordered", "yes/no") and one.share >= MOSTLY}
    words = {text for one in worded.values() for text in one.values}
    recurring = len(words) > 2 and sum(one.given for one in worded.values()) >= 2 * len(words)
    return list(worded) if recurring and len(worded) > 2 else []


def _are_means(one: Field) -> bool:
    """Whether some of the numbers are no whole ones, as means of judgements are."""
    return any(value % 1 for value in read_values(one.counts).values.values())


def _recurs(values: pl.Series) -> bool:
    """Whether a column names a few things in many rows."""
    given = values.drop_nulls().cast(pl.String)
    short = bool(len(given)) and bool((given.str.len_chars() <= 60).all())
    return short and 1 < given.n_unique() * 2 <= len(given)
