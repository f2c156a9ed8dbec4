"""Comparisons and marked errors of a project as the tables that a corpus has for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.annotate._results import Results
from dialgauge.corpus import CHOICE_KEY, CHOICES, KEY, PREFERENCE_KEY, PREFERENCES, SPANS, Corpus

#: The dimension of marked errors; their types are labels.
_ERRORS = "errors"


def judgement_tables(everything: Results, turns: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, pl.DataFrame]:
    """Preferences, best-worst choices and spans; ``turns`` are those of each dialogue by its id."""
    answered = everything.comparisons.filter(pl.col("best").is_not_null() | pl.col("worst").is_not_null() | "tie")
    rows = list(answered.iter_rows(named=True))
    return {
        "preferences": _frame(
            [_preference(row) for row in rows if len(row["systems"]) == 2], PREFERENCES, PREFERENCE_KEY
        ),
        "choices": _frame(
            [one for row in rows if len(row["systems"]) > 2 for one in _options(row)], CHOICES, CHOICE_KEY
        ),
        "spans": _spans(everything, turns),
    }


def with_tables(corpus: Corpus, tables: Mapping[str, pl.DataFrame]) -> Corpus:
    """The corpus with these preferences, choices and spans."""
    return replace(corpus, preferences=tables["preferences"], choices=tables["choices"], spans=tables["spans"])


def _frame(rows: list[dict[str, Any]], schema: pl.Schema, key: Sequence[str]) -> pl.DataFrame:
    """The rows as a frame; of several answers to one question the last counts."""
    return pl.DataFrame(rows, schema=schema).unique(list(key), keep="last", maintain_order=True)


def _preference(row: Mapping[str, Any]) -> dict[str, Any]:
    first, second = row["systems"]
    swapped = first > second
    names = {"system_a": second if swapped else first, "system_b": first if swapped else second}
    winner = "tie" if row["tie"] else "a" if row["best"] == names["system_a"] else "b"
    shared = {name: row[name] for name in ("dialogue_id", "role", "annotator", "dimension", "comment", "time")}
    sides = {"variant_a": "original", "variant_b": "original", "both_bad": False}
    return {**shared, **names, **sides, "winner": winner, "shown_first": "b" if swapped else "a"}


def _options(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {name: row[name] for name in ("dialogue_id", "role", "annotator", "dimension")}
    for system in row["systems"]:
        choice = "best" if system == row["best"] else "worst" if system == row["worst"] else "neither"
        tuple_ = "+".join(sorted(row["systems"]))
        yield {**shared, "tuple": tuple_, "system": system, "variant": "original", "choice": choice}


def _spans(everything: Results, turns: Mapping[str, Sequence[Mapping[str, str]]]) -> pl.DataFrame:
    """Marked errors by offsets in whole texts; a summary that was rated without a mark was read without a finding."""
    if everything.spans.is_empty():
        return pl.DataFrame(schema=SPANS)
    key = [*KEY, "annotator"]
    rows: list[dict[str, Any]] = []
    for row in everything.spans.iter_rows(named=True):
        in_dialogue = row["in"] != "summary"
        before = _before(turns[row["dialogue_id"]], row["turn"]) if in_dialogue else 0
        rows.append(
            {name: row[name] for name in (*key, "severity", "time")}
            | {"side": "dialogue" if in_dialogue else "summary", "dimension": _ERRORS, "label": row["type"]}
            | {
                "start": row["start"] + before,
                "end": row["end"] + before,
                "text": row["marked"],
                "comment": row["note"],
            }
        )
    marked = {tuple(row[name] for name in key) for row in rows}
    rated = everything.ratings.select(key).unique(maintain_order=True)
    rows += [
        {**one, "dimension": _ERRORS, "side": "summary"}
        for one in rated.iter_rows(named=True)
        if tuple(one.values()) not in marked
    ]
    frame = pl.DataFrame(rows, schema={name: dtype for name, dtype in SPANS.items() if name != "span"})
    frame = frame.filter(pl.col("start").is_null() | (pl.col("end") > pl.col("start")))
    return frame.with_columns(pl.int_range(1, pl.len() + 1).over(key).alias("span")).select(SPANS.names())


def _before(turns: Sequence[Mapping[str, str]], number: int) -> int:
    """The place of a turn's text in the whole transcript, where each line starts with its speaker."""
    named = [len(turn["speaker"]) + 2 if turn["speaker"] else 0 for turn in turns]
    lines = sum(named[place] + len(turns[place]["text"]) + 1 for place in range(number))
    return lines + named[number]
