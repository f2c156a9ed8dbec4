"""Which columns hold judgements: by their names, their values, and what stands beside them."""

import re
from collections.abc import Callable

import polars as pl

from dialgauge.corpus._column_types import COUNT
from dialgauge.corpus._guess import MOST_POINTS, SAID, Guess
from dialgauge.corpus._names import (
    AGGREGATES,
    CLASSES,
    COMMENT_WORDS,
    TIME_WORDS,
    WEAK_PEOPLE,
    asks_for_dimension,
    averaged,
    heading,
    is_dimension,
    is_housekeeping,
    is_id,
    is_metric,
    is_of_conversation,
    is_other_id,
    normalised,
    says_how_sure,
)
from dialgauge.corpus._times import day_first, is_epoch, parse_time
from dialgauge.corpus._values import MOSTLY, Reading, in_words

#: Ten repetitions of one of two values are chance once in a thousand times.
_REPEATED = 10
#: So few judgements may well all be the same.
_FEW = 10
#: More different words than this are no classes.
_MOST_CLASSES = 12
#: Why a column of numbers is not used that only count.
NUMBERS_ROWS = "numbers the rows of each summary"
#: Why a column of answers is not used that says nothing of a summary.
HOW_SURE = "how sure people were of their judgements, which is none itself"
OF_THE_TALK = "what a customer said of the whole talk, and not of its summary"
#: Why a column of scores is not used that nobody gave.
OF_A_PROGRAM = "a score that a program computes"


def find_ratings(guess: Guess) -> None:
    """Choose the columns that hold judgements, each as a dimension."""
    long = {"dimension", "value"} <= guess.taken
    people = "annotator" in guess.taken or guess.people_named(WEAK_PEOPLE) is not None
    for column in guess.frame.columns:
        use = guess.chosen.get(column, ("", ""))[0]
        # A column called 'score' is a value only where another one says of which dimension.
        lone = use == "value" and "dimension" not in guess.taken and guess.chosen[column][1] != SAID
        if (column in guess.chosen and not lone) or guess.said_dimensions:
            continue
        title, scale = heading(column)
        name = normalised(title)
        if AGGREGATES.fullmatch(name) and people:
            guess.why_not[column] = "computed from judgements, and not one of them"
            continue
        if is_metric(name) and not is_dimension(name):
            guess.why_not[column] = OF_A_PROGRAM
            continue
        alone = averaged(name)
        if alone is not None and not any(normalised(heading(other)[0]) == alone for other in guess.frame.columns):
            name = alone  # the mean of judgements that are not in the file
        known = is_dimension(name)
        scaled = scale is not None and guess.answers(column).share >= MOSTLY
        asked = not known and (asks_for_dimension(title) or scaled or _is_question(guess, column, name))
        if not (known or lone or asked) and _counts_up(guess, column):
            guess.why_not[column] = NUMBERS_ROWS
            continue
        if not (known or lone or asked) and is_fact(guess, column):
            guess.why_not[column] = "the same in all rows of a dialogue, or of a person"
            continue
        if not _is_judged(guess, column, name, known or lone or asked, people and not long):
            if lone:
                del guess.chosen[column]
                guess.taken.discard("value")
            continue
        why = (
            "a dimension by its name"
            if known or asked
            else "judgements beside an annotator"
            if people
            else "judgements"
        )
        named = name if (known or lone) and title.isascii() else title.lower() if known else title
        if any(use == f"dimension:{named}" for use, _ in guess.chosen.values()):
            named = column  # two columns would be one dimension: each keeps its whole heading
        if lone:
            guess.taken.discard("value")
            why = "judgements without a name of their own"
        guess.chosen[column] = (f"dimension:{named}", why)
        if scale:
            guess.scales[named] = scale
    _find_unanimous(guess)
    _leave_out(guess, says_how_sure, HOW_SURE)
    _leave_out(guess, is_of_conversation, OF_THE_TALK)
    _find_value(guess)


def _leave_out(guess: Guess, says: Callable[[str], bool], why_not: str) -> None:
    """Give up the columns whose names say that they judge something else, where others judge the summaries."""
    chosen = {
        column: use for column, (use, why) in guess.chosen.items() if use.startswith("dimension:") and why != SAID
    }
    others = [column for column in chosen if says(normalised(heading(column)[0]))]
    if len(others) < len(chosen) or "value" in guess.taken:
        for column in others:
            guess.scales.pop(guess.chosen.pop(column)[0].partition(":")[2], None)
            guess.why_not[column] = why_not
            guess.notes.append(f"{column}: {why_not}, and is left out")


def _find_unanimous(guess: Guess) -> None:
    """Choose the columns of one answer throughout that stand between two dimensions answered with yes or no.

    Alone such a column may be a flag or a consent; in the midst of a list of checks it is the one that all passed.
    """
    columns = [column for column in guess.frame.columns if guess.frame[column].null_count() < guess.frame.height]
    for left, column, right in zip(columns, columns[1:], columns[2:], strict=False):
        found = guess.answers(column)
        if column in guess.chosen or found.kind != "yes/no" or found.distinct != 1:
            continue
        beside = [guess.answers(other).given for other in (left, right) if _is_check(guess, other)]
        if len(beside) < 2 or found.given < max(beside):  # a flag is set in some rows only
            continue
        title = heading(column)[0]
        if all(use != f"dimension:{title}" for use, _ in guess.chosen.values()):
            guess.chosen[column] = (f"dimension:{title}", "answered in all rows, between other dimensions")


def _is_check(guess: Guess, column: str) -> bool:
    use = guess.chosen.get(column, ("", ""))[0]
    return use.startswith("dimension:") and guess.answers(column).kind == "yes/no"


def _find_value(guess: Guess) -> None:
    """The one column of answers where another says what each is an answer to."""
    found = [column for column, (use, why) in guess.chosen.items() if use.startswith("dimension:") and why != SAID]
    if "dimension" in guess.taken and "value" not in guess.taken and len(found) == 1:
        known = is_dimension(normalised(heading(found[0])[0]))
        if not known:
            guess.choose(found[0], "value", "the only answers, beside a column that says to what")


def _is_question(guess: Guess, column: str, name: str) -> bool:
    """Whether a numbered question is answered in words: whoever answered it, these are judgements."""
    found = guess.answers(column)
    return bool(_QUESTION.fullmatch(name)) and found.kind in ("yes/no", "ordered") and found.share >= MOSTLY


_QUESTION = re.compile(r"q(?:uestion)?_?\d{1,2}")


def is_fact(guess: Guess, column: str) -> bool:
    """Whether a column says something of each dialogue or of each person: it is the same in all of its rows."""
    keys = [chosen for chosen, (use, _) in guess.chosen.items() if use in ("dialogue_id", "annotator")]
    return any(is_same_within(guess.frame, key, column) for key in keys if key != column)


def _counts_up(guess: Guess, column: str) -> bool:
    """Whether a column numbers the rows that somebody has for each summary."""
    keys = [chosen for chosen, (use, _) in guess.chosen.items() if use in ("dialogue_id", "system", "annotator")]
    return len(keys) > 1 and numbers_rows(guess.frame, column, keys)


def numbers_rows(frame: pl.DataFrame, column: str, within: list[str]) -> bool:
    """Whether the values of a column are 1, 2, 3 … (or 0, 1, 2 …) in every group of several rows."""
    if column in within:
        return False
    numbers = pl.col(column).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    groups = (
        frame.select(*within, numbers.alias(COUNT)).group_by(within).agg(pl.col(COUNT).sort(), pl.len().alias("_rows"))
    )
    several = groups.filter(pl.col("_rows") > 1)
    counted_up = all(
        None not in given and given[0] in (0, 1) and given == [given[0] + step for step in range(len(given))]
        for given in several[COUNT].to_list()
    )
    return several.height * 2 > groups.height and counted_up


def is_same_within(frame: pl.DataFrame, key: str, column: str) -> bool:
    """Whether a column with several values has one in each group, and that is hardly by chance."""
    filled = frame.filter(pl.col(key).is_not_null() & pl.col(column).is_not_null())
    groups = filled.group_by(key)
    sizes = groups.agg(pl.len().alias(COUNT), pl.col(column).n_unique().alias("_values")).filter(pl.col(COUNT) > 1)
    repeated = int(sizes[COUNT].sum()) - sizes.height
    return repeated >= _REPEATED and bool((sizes["_values"] == 1).all()) and filled[column].n_unique() > 1


def _is_judged(guess: Guess, column: str, name: str, known: bool, beside: bool) -> bool:
    found = guess.answers(column)
    if (not known and _are_dated(guess, column)) or (is_of_conversation(name) and _are_objects(guess, column)):
        return False
    if not found.given:
        # All "N/A": nothing was judged, but the column is a dimension all the same.
        return known and bool(found.not_given)
    counts = is_housekeeping(name, in_words=in_words(found))
    if known and not counts:
        return found.nearly >= 0.5 or ("annotator" in guess.taken and guess.types[column] == "text")
    if not beside or counts or is_other_id(name) or is_id(name):
        return False
    if found.kind == "number":
        return found.nearly >= 0.5 and _on_a_scale(guess, column, found)
    if name in CLASSES and found.share < 0.5:
        return 2 <= found.distinct <= _MOST_CLASSES and found.given >= 2 * found.distinct
    # A flag that is set in some rows and never unset is no judgement.
    if found.share >= MOSTLY and found.kind in ("yes/no", "ordered"):
        return found.distinct > 1
    return found.share < 0.5 and _is_answered(guess, column, found)


def _are_objects(guess: Guess, column: str) -> bool:
    """Whether cells are objects as JSON, such as what a customer said of the whole talk."""
    return bool(guess.frame[column].drop_nulls().cast(pl.String).str.starts_with("{").all())


def _is_answered(guess: Guess, column: str, found: Reading) -> bool:
    """Whether few words depend on who judged and on what was judged, as answers do and facts about either do not."""
    if not 2 <= found.distinct <= _MOST_CLASSES or found.given < 3 * found.distinct or guess.has_long_texts(column):
        return False
    if set(guess.names[column].split("_")) & (COMMENT_WORDS | TIME_WORDS) or _are_times_or_lines(guess, column):
        return False
    of = {use: chosen for chosen, (use, _) in guess.chosen.items() if use in ("dialogue_id", "system", "annotator")}
    if not {"dialogue_id", "annotator"} <= set(of):
        return False
    groups = [[of["annotator"]], [of["dialogue_id"]], [of[use] for use in ("dialogue_id", "system") if use in of]]
    return all(_differs(guess.frame, column, group) for group in groups)


def _are_dated(guess: Guess, column: str) -> bool:
    """Whether most cells are times, which may begin with a number as answers do ("8-Mar-24")."""
    shown = guess.frame[column].drop_nulls().head(200).cast(pl.String).to_list()
    return sum(_DATED.search(text) is not None or is_epoch(text) for text in shown) * 2 > len(shown)


def _are_times_or_lines(guess: Guess, column: str) -> bool:
    """Whether cells are times, or texts of several lines: no list of answers has such."""
    shown = guess.frame[column].drop_nulls().cast(pl.String).unique().to_list()
    first = day_first(shown)
    return any("\n" in text.strip() or parse_time(text, first) is not None or _DATED.search(text) for text in shown)


#: What only times have in them: "8-Mar-24", "4.11 pm", "16:05".
_DATED = re.compile(
    r"\b\d{1,4}[-/.](?:\d{1,2}|[A-Za-z]{3,9})[-/.]\d{2,4}\b|\b\d{1,2}[:.h]\d{2}(?:\s*[ap]\.?m\b|:\d{2}|$)"
)


def _differs(frame: pl.DataFrame, column: str, within: list[str]) -> bool:
    """Whether a column has several values in many of these groups."""
    counts = frame.filter(pl.col(column).is_not_null()).group_by(within).agg(pl.col(column).n_unique().alias(COUNT))
    return int((counts[COUNT] > 1).sum()) * 5 >= counts.height


def _on_a_scale(guess: Guess, column: str, found: Reading) -> bool:
    if heading(column)[1] is not None or found.distinct <= MOST_POINTS:
        # One number in a whole column may be anything: whether it is everybody's answer, somebody has to say.
        return heading(column)[1] is not None or found.distinct > 1 or found.given < _FEW
    values = list(found.values.values())
    return min(values) >= 0 and max(values) <= 100
