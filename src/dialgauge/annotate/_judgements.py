"""Comparisons and marked errors of a project as the tables that a corpus has for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.annotate._protocol import AnnotateSection
from dialgauge.annotate._results import ADJUDICATION, Results, candidate_name
from dialgauge.corpus import (
    CHOICE_KEY,
    CHOICES,
    KEY,
    PREFERENCE_KEY,
    PREFERENCES,
    RATINGS,
    SPANS,
    Corpus,
    Dimension,
    JudgementKind,
    direction_by_name,
)

#: The dimension of marked errors; their types are labels.
_ERRORS = "errors"
_PARTS = ("system", "variant")
_KINDS: dict[str, JudgementKind] = {"categorical": "binary", "ordinal": "ordinal", "interval": "interval"}


def judgement_tables(everything: Results, turns: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, pl.DataFrame]:
    """Preferences, best-worst choices and spans; ``turns`` are those of each dialogue by its id."""
    preferences, choices = _compared(everything.comparisons)
    return {"preferences": preferences, "choices": choices, "spans": _spans(everything, turns)}


def chosen_as_ratings(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Answers to comparisons as values of units, which agree or not: names without an order, without adjudications.

    A pair is a unit with the answer 0, 1 or 2 (a tie); so is each option of a best-worst question, with 1, −1 or 0.
    """
    own = comparisons.filter(~pl.col("annotator").str.starts_with(f"{ADJUDICATION}:"))
    preferences, choices = _compared(own)
    pair = pl.format("{}/{} {}/{}", "system_a", "variant_a", "system_b", "variant_b")
    winner, choice = pl.col("winner").replace_strict(_WINNERS), pl.col("choice").replace_strict(_CHOICES)
    parts = [
        preferences.with_columns(pair.alias("system"), winner.alias("value"), pl.lit("pair").alias("variant")),
        choices.with_columns(pl.format("{} {}", "tuple", "system").alias("system"), choice.alias("value")),
    ]
    asked = ("dialogue_id", "system", "variant", "role", "annotator", "dimension", "value")
    nothing = [pl.lit(None, dtype).alias(name) for name, dtype in RATINGS.items() if name not in asked]
    return pl.concat([part.select(*asked, *nothing).select(RATINGS.names()) for part in parts])


_WINNERS = {"a": 0.0, "b": 1.0, "tie": 2.0}
_CHOICES = {"best": 1.0, "worst": -1.0, "neither": 0.0}


def _compared(comparisons: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    # A question with a best and no worst yet has no answer: "neither" of the others would not be true.
    whole = comparisons.filter((pl.col("best").is_not_null() & pl.col("worst").is_not_null()) | pl.col("tie"))
    rows = list(whole.iter_rows(named=True))
    pairs = [_preference(row) for row in rows if len(row["systems"]) == 2]
    options = [one for row in rows if len(row["systems"]) > 2 for one in _options(row)]
    return _frame(pairs, PREFERENCES, PREFERENCE_KEY), _frame(options, CHOICES, CHOICE_KEY)


def declared_dimensions(section: AnnotateSection) -> tuple[Dimension, ...]:
    """What the protocol says about ratings that their values do not: classes, names of points, which way is better."""
    if section.task != "rate":
        return ()
    return tuple(
        Dimension(
            one.name,
            one.kind or _KINDS[one.points().kind],
            one.points().name,
            one.points().labels,
            one.direction or ("none" if one.kind == "nominal" else direction_by_name(one.name)),
            "file",
        )
        for one in section.dimensions
        if one.kind or one.labels or one.direction
    )


def with_tables(corpus: Corpus, tables: Mapping[str, pl.DataFrame]) -> Corpus:
    """The corpus with these preferences, choices and spans."""
    return replace(corpus, preferences=tables["preferences"], choices=tables["choices"], spans=tables["spans"])


def _frame(rows: list[dict[str, Any]], schema: pl.Schema, key: Sequence[str]) -> pl.DataFrame:
    """The rows as a frame; of several answers to one question the last counts."""
    return pl.DataFrame(rows, schema=schema).unique(list(key), keep="last", maintain_order=True)


def _candidates(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """System and variant of each candidate, in the order shown."""
    return list(zip(row["systems"], row["variants"], strict=True))


def _preference(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = _candidates(row)
    sides = dict(zip("ab", sorted(shown), strict=True))
    told = {f"{part}_{side}": one[place] for side, one in sides.items() for place, part in enumerate(_PARTS)}
    winner = "tie" if row["tie"] else "a" if row["best"] == candidate_name(*sides["a"]) else "b"
    shared = {name: row[name] for name in ("dialogue_id", "role", "annotator", "dimension", "comment", "time")}
    first = "a" if shown[0] == sides["a"] else "b"
    quality = {"strength": row.get("strength"), "both_bad": row.get("both") == "bad"}
    return {**shared, **told, "winner": winner, **quality, "shown_first": first}


def _options(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {name: row[name] for name in ("dialogue_id", "role", "annotator", "dimension")}
    shown = _candidates(row)
    question = "+".join(sorted(candidate_name(*one) for one in shown))
    for system, variant in shown:
        name = candidate_name(system, variant)
        choice = "best" if name == row["best"] else "worst" if name == row["worst"] else "neither"
        yield {**shared, "tuple": question, "system": system, "variant": variant, "choice": choice}


def _spans(everything: Results, turns: Mapping[str, Sequence[Mapping[str, str]]]) -> pl.DataFrame:
    """Marked errors by offsets in whole texts; a summary that was read to its end without a mark has one row too."""
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
                "comment": row["note"] or None,
            }
        )
    marked = {tuple(row[name] for name in key) for row in rows}
    rows += [
        {**{name: one[name] for name in (*key, "time")}, "dimension": _ERRORS, "side": "summary"}
        for one in everything.readings.iter_rows(named=True)
        if tuple(one[name] for name in key) not in marked
    ]
    frame = pl.DataFrame(rows, schema={name: dtype for name, dtype in SPANS.items() if name != "span"})
    frame = frame.filter(pl.col("start").is_null() | (pl.col("end") > pl.col("start")))
    return frame.with_columns(pl.int_range(1, pl.len() + 1).over(key).alias("span")).select(SPANS.names())


def _before(turns: Sequence[Mapping[str, str]], number: int) -> int:
    """The place of a turn's text in the whole transcript, where each line starts with its speaker."""
    named = [len(turn["speaker"]) + 2 if turn["speaker"] else 0 for turn in turns]
    lines = sum(named[place] + len(turns[place]["text"]) + 1 for place in range(number))
    return lines + named[number]
