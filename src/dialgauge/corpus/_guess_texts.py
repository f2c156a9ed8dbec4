"""Columns of texts that no name explains: by what they depend on, and by what stands beside them."""

from collections.abc import Mapping

import polars as pl

from dialgauge.corpus._column_types import COUNT
from dialgauge.corpus._guess import Guess
from dialgauge.corpus._names import COMMENT_WORDS, TIME_WORDS, USES, WEAK_PEOPLE, heading, is_housekeeping, normalised
from dialgauge.corpus._times import day_first, parse_time
from dialgauge.corpus._turns import parse_turns

#: A column is the same within a group if it is in at least this share of the groups.
_SAME = 0.95
_SHOWN = 500
#: Why a column is not used that names people as well as another one does.
MAY_NAME_PEOPLE = "could be annotator, as could another column"
#: Why a column names the annotators though its name does not say so.
BY_ROWS = "it differs between the rows of each summary, and recurs in others"
#: With fewer rows, values may agree by chance.
_FEWEST = 8


def find_texts(guess: Guess) -> None:
    """A text that differs between systems and not between raters is the summary; one per dialogue the dialogue."""
    of = {use: column for column, (use, _) in guess.chosen.items()}
    if "dialogue_id" not in of:
        return
    texts = [column for column in guess.frame.columns if column not in guess.chosen and _is_text(guess, column)]
    if "summary" not in guess.taken and "system" in of:
        for column in texts:
            whose = [of["dialogue_id"], of["system"]]
            if _constant(guess.frame, column, whose) and _varies(guess.frame, column, of["dialogue_id"]):
                guess.choose(column, "summary", "each system has a text of its own for each dialogue here")
                of["summary"] = column
                texts.remove(column)
                break
    if "dialogue" not in guess.taken and "summary" in of:
        longer = [column for column in texts if guess.mean_length(column) > guess.mean_length(of["summary"])]
        alike = [column for column in longer if _constant(guess.frame, column, [of["dialogue_id"]])]
        if alike and guess.frame[alike[0]].n_unique() > 1:
            best = max(alike, key=guess.mean_length)
            guess.choose(best, "dialogue", "each dialogue has one of these texts, and they are the longest")

    if "reference" not in guess.taken and "summary" in of:
        called = [
            column for column in texts if guess.names[column].split("_")[0] in _GOLD and column not in guess.chosen
        ]
        if len(called) == 1 and _constant(guess.frame, called[0], [of["dialogue_id"]]):
            guess.choose(called[0], "reference", "each dialogue has one of these texts, and their name says so")


#: How names of references begin: "gold_minutes", "reference_notes".
_GOLD = frozenset(["gold", "golden", "reference", "ref"])


def find_names(guess: Guess) -> None:
    """Who wrote and who judged, where no name says so: by how the rows of a dialogue differ."""
    _find_written(guess)
    of = {use: column for column, (use, _) in guess.chosen.items()}
    if "dialogue" in of:
        of.setdefault("dialogue_id", of["dialogue"])  # what was said tells dialogues apart where nothing names them
    if "dialogue_id" not in of or "summary" not in of or guess.frame.height < _FEWEST:
        return
    free = [column for column in guess.frame.columns if column not in guess.chosen and _is_name(guess, column)]
    if "system" not in guess.taken:
        found = [c for c in free if _writes(guess.frame, of["dialogue_id"], of["summary"], c)]
        if len(found) == 1:
            guess.choose(found[0], "system", "each of its values has a summary of its own of each dialogue")
            of["system"] = found[0]
            free.remove(found[0])
    if "annotator" not in guess.taken and "system" in of:
        item = [of["dialogue_id"], of["system"]]
        called = guess.people_named(WEAK_PEOPLE)
        if called is not None and _judges(guess.frame, item, called):
            guess.choose(called, "annotator", BY_ROWS)
            return
        found = [column for column in free if _judges(guess.frame, item, column)]
        likely = [column for column in found if not is_housekeeping(guess.names[column])] or found
        if len(likely) == 1:
            guess.choose(likely[0], "annotator", BY_ROWS)
        else:
            guess.why_not |= dict.fromkeys(likely, MAY_NAME_PEOPLE)


def _find_written(guess: Guess) -> None:
    """The summaries and who wrote them, where no name says either: one text for each name in each dialogue."""
    of = {use: column for column, (use, _) in guess.chosen.items()}
    if {"summary", "system"} & guess.taken or "dialogue_id" not in of or guess.frame.height < _FEWEST:
        return
    free = [column for column in guess.frame.columns if column not in guess.chosen]
    texts = [column for column in free if _is_text(guess, column) and _varies(guess.frame, column, of["dialogue_id"])]
    texts = texts or [column for column in free if _is_read_by_several(guess, column, of)]
    names = [column for column in free if column not in texts and _is_name(guess, column)]
    pairs = [(t, n) for t in texts for n in names if _writes(guess.frame, of["dialogue_id"], t, n)]
    if len(pairs) == 1:
        guess.choose(pairs[0][0], "summary", f"each {pairs[0][1]!r} has a text of its own for each dialogue here")
        guess.choose(pairs[0][1], "system", "each of its values has a text of its own for each dialogue")


def _is_read_by_several(guess: Guess, column: str, of: Mapping[str, str]) -> bool:
    """Whether a column with the name of remarks holds what people judged: several people have the same whole text.

    A doctor's note is a summary; what two people remark on it differs, and mostly they remark nothing.
    """
    if "annotator" not in of or guess.frame[column].null_count() or not guess.has_texts(column):
        return False
    people = guess.frame.group_by(of["dialogue_id"], column).agg(pl.col(of["annotator"]).n_unique().alias(COUNT))
    return int((people[COUNT] > 1).sum()) >= _SAME * people.height


def _is_name(guess: Guess, column: str) -> bool:
    """Short values that are no answers, of which there are few."""
    values = guess.frame[column].drop_nulls().cast(pl.String)
    answered = guess.answers(column)
    return (
        bool(len(values))
        and values.n_unique() <= max(2, min(300, len(values) // 3))
        and bool((values.str.len_chars() <= 60).all())
        and answered.share < 0.5
        and not set(guess.names[column].split("_")) & (COMMENT_WORDS | TIME_WORDS)
        and not (is_housekeeping(guess.names[column]) and answered.share > 0)
        and not any(guess.names[column] in names for use, names in USES.items() if use not in _MAY_BE_NAMES)
    )


#: What short names may be called all the same: "source" of a summary is who wrote it.
_MAY_BE_NAMES = ("annotator", "dialogue")


def _writes(frame: pl.DataFrame, dialogue: str, summary: str, column: str) -> bool:
    """Whether a column says which of several summaries of a dialogue a row is about."""
    rows = frame.select(dialogue, summary, column).drop_nulls().unique()
    counts = rows.group_by(dialogue).agg(pl.col(summary).n_unique().alias("_s"), pl.col(column).n_unique().alias("_c"))
    several = counts.filter(pl.col("_s") > 1)
    alike = several.filter(pl.col("_s") == pl.col("_c")).height
    return (
        several.height * 2 > counts.height
        and alike >= _SAME * several.height
        and _constant(rows, summary, [dialogue, column])
    )


def _judges(frame: pl.DataFrame, item: list[str], column: str) -> bool:
    """Whether the rows of an item have a value each, and values recur over items."""
    sizes = frame.group_by(item).agg(pl.len().alias(COUNT), pl.col(column).n_unique().alias("_c"))
    several = sizes.filter(pl.col(COUNT) > 1)
    alone = several.filter(pl.col(COUNT) == pl.col("_c")).height
    return several.height * 2 > sizes.height and alone >= _SAME * several.height


def _is_text(guess: Guess, column: str) -> bool:
    if not guess.has_texts(column) or set(guess.names[column].split("_")) & COMMENT_WORDS:
        return False
    return not _is_nested(guess.frame[column])


def _is_nested(values: pl.Series) -> bool:
    """Whether cells are JSON in which nobody speaks."""
    shown = values.drop_nulls().head(20).cast(pl.String).str.strip_chars().to_list()
    nested = [text for text in shown if text.startswith(("{", "[{", "[["))]
    speakers = [turn.speaker for text in nested for turn in parse_turns(text)]
    return len(nested) * 2 > len(shown) and not any(speaker and speaker[0] not in "[{" for speaker in speakers)


def _constant(frame: pl.DataFrame, column: str, within: list[str]) -> bool:
    """Whether nearly every group has one value at most."""
    counts = frame.filter(pl.col(column).is_not_null()).group_by(within).agg(pl.col(column).n_unique().alias(COUNT))
    return bool(counts.height) and int((counts[COUNT] == 1).sum()) >= _SAME * counts.height


def _varies(frame: pl.DataFrame, column: str, within: str) -> bool:
    counts = frame.group_by(within).agg(pl.col(column).drop_nulls().n_unique().alias(COUNT))
    return int((counts[COUNT] > 1).sum()) * 2 >= counts.height


def find_comments(guess: Guess) -> None:
    """What people wrote beside their judgements: of all of a row, or of one dimension (``coherence_comment``)."""
    dimensions = {
        normalised(heading(column)[0]): use.partition(":")[2]
        for column, (use, _) in guess.chosen.items()
        if use.startswith("dimension:")
    }
    for column, name in guess.names.items():
        words = name.split("_")
        if column in guess.chosen or not COMMENT_WORDS & set(words) or guess.types[column] != "text":
            continue
        if guess.are_answers(column):
            continue
        about = "_".join(word for word in words if word not in COMMENT_WORDS and word not in ("for", "on", "of"))
        if about in dimensions:
            guess.choose(column, f"comment:{dimensions[about]}", "comments on the dimension in its name")
        elif "comment" not in guess.taken:
            guess.choose(column, "comment", f"the name {column!r} says so")
        else:
            guess.why_not[column] = "could be comment, but that is taken"


def find_time(guess: Guess) -> None:
    """A column whose name speaks of a time and whose cells are times."""
    if "time" in guess.taken:
        return
    for column, name in guess.names.items():
        if column in guess.chosen or not TIME_WORDS & set(name.split("_")):
            continue
        shown = guess.frame[column].drop_nulls().head(_SHOWN).cast(pl.String).unique().to_list()
        first = day_first(shown)
        if shown and sum(parse_time(text, first) is not None for text in shown) * 2 > len(shown):
            guess.choose(column, "time", "times, as its name says")
            return
