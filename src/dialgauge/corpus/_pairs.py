"""Tables of pairs with the better one: one question or several, by name, side or words, with how much better it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._better import say_better
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import is_housekeeping, is_other_id, is_person, normalised
from dialgauge.corpus._sides import (
    Options,
    certainties,
    columns_of,
    option_rows,
    taken_out,
    with_annotators,
    without_certainties,
)
from dialgauge.corpus._table import Table
from dialgauge.corpus._types import OVERALL
from dialgauge.corpus._values import NOT_GIVEN, is_not_given
from dialgauge.corpus._words import said_words
from dialgauge.corpus.layouts._base import ROW
from dialgauge.errors import InputError

_WINNER = frozenset(
    {
        *("winner", "preferred", "preference", "choice", "vote", "better", "better_summary", "preferred_summary"),
        *("preferred_system", "which_is_better", "selected", "chosen", "pick", "picked", "favorite", "favourite"),
        *("winning_system", "winner_system", "label"),
    }
)
#: Words of longer headings that ask for a winner: "Which summary is better?".
_PREFERRING = frozenset(
    [
        *("winner", "preferred", "prefer", "preference", "better", "besser", "bevorzugt", "praferenz", "gewinner"),
        *("mejor", "prefiere", "prefieres", "preferido", "preferida", "preferencia", "ganador", "melhor", "vencedor"),
        *("meilleur", "meilleure", "prefere", "preferez", "gagnant", "migliore", "preferisci", "preferenza"),
    ]
)
#: A heading that is who judged: "annotator_1".
_RATER = re.compile(
    r"(?:annotator|rater|judge|expert|worker|evaluator|reviewer|coder|turker|assessor|grader)_?(?:\d{1,3}|[a-h])"
)
_STRENGTHS = {"little": 1.0, "plain": 2.0, "much": 3.0}


def find_winners(frame: pl.DataFrame, names: Mapping[str, str], options: Options) -> list[str]:
    """The columns that say which of two options is better: by their name, or because all their cells name one."""
    taken = set(columns_of(options))
    free = [column for column in names if column not in taken and frame[column].null_count() < frame.height]
    by_name = [c for c in free if asks_for_winner(names[c])]
    by_name.sort(key=lambda column: names[column] not in _WINNER)
    found: list[str] = []
    for column in [*by_name, *(column for column in free if column not in by_name)]:
        named = column in by_name
        other = is_housekeeping(names[column]) or is_other_id(names[column]) or is_person(names[column])
        if not named and (other or _are_numbers(frame[column])):
            continue
        if named and found and names[column] == "label":
            continue
        if _names_winners(frame, column, options, 0.5 if named else 0.9):
            found.append(column)
    return found


def asks_for_winner(name: str) -> bool:
    """Whether a normalised name is that of a column which says which of two is better."""
    return name in _WINNER or bool(set(name.split("_")) & _PREFERRING)


def asks_which_is_preferred(name: str) -> bool:
    """Whether a normalised name asks so in words: ``label`` and ``choice`` may be anything."""
    return bool(set(name.split("_")) & _PREFERRING)


def _are_numbers(values: pl.Series) -> bool:
    shown = [text for text in values.drop_nulls().cast(pl.String).str.strip_chars() if not is_not_given(text)]
    return bool(shown) and bool(_numbers(shown).is_not_null().all())


def _numbers(texts: Sequence[str]) -> pl.Series:
    """The texts as numbers: "+1" is 1."""
    return pl.Series(texts, dtype=pl.String).str.strip_prefix("+").cast(pl.Float64, strict=False)


def _names_winners(frame: pl.DataFrame, winner: str, options: Options, share: float) -> bool:
    """Whether enough of the filled cells name one of the two, or a tie."""
    rows = frame.filter(pl.col(winner).is_not_null()).head(500)
    if rows.is_empty():
        return False
    given = [row for row in rows.iter_rows(named=True) if not is_not_given(str(row[winner]))]
    said = [say_better(row, winner, options) for row in given]
    understood = sum(one is not None for one in said)
    return understood >= share * len(given) and any(one is not None and one.winner != "tie" for one in said)


def refuse_unclear(frame: pl.DataFrame, winner: str, options: Options) -> None:
    """Numbers name a side only where they are 1 and 2 (with 0 for a tie), or the names of the sides."""
    if not _are_numbers(frame[winner]):
        return
    numbers = {float(text) for text in frame[winner].drop_nulls().cast(pl.String) if not is_not_given(text)}
    systems = {str(value) for uses in options.values() if "system" in uses for value in frame[uses["system"]].unique()}
    if numbers <= {0.0, 1.0, 2.0} and numbers != {0.0, 1.0}:
        return
    if {text.strip() for text in frame[winner].drop_nulls().cast(pl.String)} <= {*options, *systems}:
        return
    shown = ", ".join(f"{number:g}" for number in sorted(numbers)[:7])
    raise InputError(
        f"{winner!r} compares two summaries in numbers ({shown}), which do not say which of them is better. Write A, B "
        "or tie (and how much better: 'A slightly better', 'B much better'), say what they mean in a README.txt of the "
        "folder ('-2 A much better, 0 same, 2 B much better'), or leave the column out: "
        f"--map ignore={winner}"
    )


def refuse_signed(frame: pl.DataFrame, names: Mapping[str, str], options: Options) -> None:
    """Numbers below and above zero beside two systems are a comparison of them, whatever their column is called."""
    taken = set(columns_of(options))
    for column, name in names.items():
        if column in taken or is_housekeeping(name) or is_other_id(name) or not _are_numbers(frame[column]):
            continue
        points = _numbers(frame[column].drop_nulls().cast(pl.String).str.strip_chars().to_list()).drop_nulls().unique()
        if points.min() < 0 < points.max() and (points % 1 == 0).all() and points.abs().max() <= _MOST_POINTS:  # type: ignore[operator]
            refuse_unclear(frame, column, options)


#: The farthest point from zero of a scale from "left" to "right".
_MOST_POINTS = 10


def preferences(table: Table, mapping: Mapped, options: Options, winners: Sequence[str]) -> Table:
    """The table with a row per summary, and the preferences of each question taken out of the rows."""
    unsure = certainties(table, mapping)
    keyed, plan = taken_out(table, mapping, [*winners, *columns_of(options), *unsure])
    keyed = with_annotators(keyed)
    made = option_rows(table, keyed, plan, options)
    made = without_certainties(made, unsure, "preference")
    frames = [_asked(table, keyed, options, winner, made.frame.height, len(winners) > 1) for winner in winners]
    return replace(made, further={**made.further, "preferences": pl.concat(frames)})


def votes(table: Table, mapping: Mapped, systems: Mapping[str, str]) -> Table | None:
    """The table without columns that name the better of two systems, and these preferences; None without such.

    ``systems`` are those that have a column of summaries each, with that column.
    """
    named = {system: f"@system {place}" for place, system in enumerate(systems)}
    options = {normalised(system): {"system": column} for system, column in named.items()}
    whole = replace(table, frame=table.frame.with_columns(pl.lit(name).alias(own) for name, own in named.items()))
    texts = set(systems.values())
    names = {column: normalised(column) for column in table.frame.columns if column not in texts}
    # Which of both was shown first, or is in use, is told by names of systems too.
    names = {column: name for column, name in names.items() if asks_for_winner(name) or "best" in name.split("_")}
    winners = find_winners(whole.frame, names, options) if len(options) == 2 else []
    if not winners:
        return None
    keyed, _ = taken_out(table, mapping, winners)
    keyed = with_annotators(keyed)
    rows = table.frame.height
    frames = [_asked(whole, keyed, options, winner, rows, len(winners) > 1) for winner in winners]
    place = table.place
    return replace(
        table,
        frame=table.frame.drop(winners),
        place=lambda row: place(row if row < rows else row - rows),
        further={**table.further, "preferences": pl.concat(frames)},
    )


def _asked(
    table: Table, keyed: pl.DataFrame, options: Options, winner: str, height: int, several: bool
) -> pl.DataFrame:
    refuse_unclear(table.frame, winner, options)
    said = [
        None if row[winner] is None else say_better(row, winner, options) for row in table.frame.iter_rows(named=True)
    ]
    graded = any(one is not None and one.degree != "plain" for one in said)
    text = table.frame[winner].cast(pl.String)
    bad = pl.col("_said").str.to_lowercase().str.contains("both.?bad|neither|both are bad").fill_null(False)
    systems = [
        (table.frame[uses["system"]].cast(pl.String) if "system" in uses else pl.Series([side] * table.frame.height))
        for side, uses in options.items()
    ]
    plain = normalised(winner)
    whose = plain if _RATER.fullmatch(plain) else None
    unnamed = plain in ("winner", "label", "vote", "choice", "picked") and not several
    dimension = "preference" if unnamed or whose else plain if winner.isascii() else winner
    sides = list(options)
    frame = keyed.with_columns(
        pl.Series("winner", [one and one.winner for one in said], pl.String),
        pl.Series(
            "strength",
            [_STRENGTHS[one.degree] if graded and one and one.winner != "tie" else None for one in said],
            pl.Float64,
        ),
        text.alias("_said"),
        *(values.alias(f"system_{letter}") for letter, values in zip("ab", systems, strict=True)),
    ).filter(
        ~pl.col("_said")
        .str.strip_chars()
        .str.to_lowercase()
        .is_in(sorted(NOT_GIVEN - {"none"} | said_words().not_given))
    )
    return frame.select(
        pl.col("@dialogue_id").alias("dialogue_id"),
        pl.col("@role").fill_null(OVERALL).alias("role"),
        "system_a",
        "system_b",
        (pl.lit(winner) if whose else pl.col("@annotator")).alias("annotator"),
        pl.col("@dimension").fill_null(dimension).alias("dimension"),
        "winner",
        "strength",
        (bad & (pl.col("winner") == "tie")).alias("both_bad"),
        pl.lit("a" if sides[0] in ("a", "1", "left", "first") else None, pl.String).alias("shown_first"),
        pl.col("@comment").alias("comment"),
        pl.col("@time").alias("time"),
        pl.col("_said").alias("_given"),
        (pl.col(ROW) + height).alias(ROW),
    )
