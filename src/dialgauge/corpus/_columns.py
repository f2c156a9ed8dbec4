"""What the columns of a file mean: guessed from names and values, reported, and overridden by a mapping."""

from collections.abc import Mapping

import polars as pl

from dialgauge.corpus._guess import SAID, Guess
from dialgauge.corpus._guess_ratings import find_ratings
from dialgauge.corpus._guess_texts import find_comments, find_names, find_texts, find_time
from dialgauge.corpus._mapping import Mapped, check_mapping
from dialgauge.corpus._plan import Plan


def make_plan(
    frame: pl.DataFrame,
    mapping: Mapped | None = None,
    known: Mapping[str, str] | None = None,
    *,
    judged: bool = False,
) -> Plan:
    """Decide what each column is used for: what the mapping says first, then names, then values.

    ``known`` has the uses of columns that a layout is sure about; ``judged`` says that judgements of another kind were
    taken out of these rows.
    """
    said, constants = check_mapping(frame, mapping or {})
    guess = Guess(frame, {column: (use, SAID) for use, columns in said.items() for column in columns})
    guess.taken = set(said) | set(constants)
    guess.said_dimensions = any(use.startswith("dimension:") for use in said)
    for column, use in (known or {}).items():
        if column in frame.columns and column not in guess.chosen and (use not in guess.taken or ":" in use):
            guess.choose(column, use, "the layout says so")
    guess.by_name()
    guess.id()
    find_texts(guess)
    find_names(guess)
    find_ratings(guess)
    guess.dialogue()
    find_texts(guess)
    guess.people(judged)
    find_comments(guess)
    find_time(guess)
    notes = guess.settle_summaries()
    return guess.plan(constants, notes)
