"""Preferences, choices and spans that a layout or a table of comparisons gave, as frames of their schemas."""

from dataclasses import dataclass, field

import polars as pl

from dialgauge.corpus._checks import ROW, BadRow, bad_rows
from dialgauge.corpus._corpus import DEFAULTS, conform
from dialgauge.corpus._judgement_checks import check_judgements, in_name_order
from dialgauge.corpus._rated import with_times
from dialgauge.corpus._schema import CHOICE_KEY, CHOICES, KEY, PREFERENCE_KEY, PREFERENCES, SPAN_KEY, SPANS
from dialgauge.corpus._table import Table
from dialgauge.errors import counted

_SCHEMAS = {"preferences": PREFERENCES, "choices": CHOICES, "spans": SPANS}


@dataclass(slots=True)
class Further:
    """The judgements of other kinds, and what became of each row that had one."""

    preferences: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=PREFERENCES))
    choices: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CHOICES))
    spans: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SPANS))
    bad: list[BadRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seen: int = 0
    stored: int = 0
    merged: int = 0
    settled: int = 0
    conflicts: int = 0


def further_judgements(
    table: Table, dialogues: pl.DataFrame, summaries: pl.DataFrame, shifts: dict[str, list[int]], repeats: str
) -> Further:
    """The further tables of a layout, checked against the summaries.

    Of preferences that somebody gave twice, ``repeats`` says which counts (``first`` or ``last``).
    """
    found = Further()
    frames = {name: _typed(found, table.further.get(name), name) for name in _SCHEMAS}
    frames["preferences"] = _preferences(found, frames["preferences"], repeats)
    frames["choices"] = _choices(found, frames["choices"])
    if "span" not in table.further.get("spans", pl.DataFrame()).columns:  # else they are numbered, as we write them
        frames["spans"] = _spans(found, frames["spans"], summaries, shifts)
    checked = check_judgements(dialogues, summaries, frames["preferences"], frames["choices"], frames["spans"])
    found.bad += checked.bad
    for name in _SCHEMAS:
        kept = getattr(checked, name)
        found.stored += kept[ROW].n_unique() if ROW in kept.columns else 0
        setattr(found, name, kept.drop(ROW, strict=False))
    return found


def _typed(found: Further, frame: pl.DataFrame | None, name: str) -> pl.DataFrame:
    schema = _SCHEMAS[name]
    if frame is None or frame.is_empty():
        return pl.DataFrame(schema={**schema, ROW: pl.Int64()})
    found.seen += frame[ROW].n_unique()
    own = frame.select(column for column in frame.columns if column in schema)
    texts = [c for c, dtype in schema.items() if dtype == pl.String and c in own.columns]
    own = own.with_columns(pl.col(column).cast(pl.String) for column in texts)
    if "time" in own.columns:
        own, wrong = with_times(own)
        if wrong:
            found.notes.append(
                f"{counted(sum(wrong.values()), 'time')} not understood and left empty, such as {next(iter(wrong))!r}"
            )
    numbers = [c for c in ("start", "end") if c in own.columns]
    own = own.with_columns(pl.col(column).cast(pl.Int64, strict=False) for column in numbers)
    own = own.with_columns(
        pl.col(column).fill_null(value)
        for column, value in DEFAULTS.items()
        if column in own.columns and column != "span"
    )
    extra = [column for column in (ROW, "_given", "_lost") if column in frame.columns]
    return pl.concat([conform(own, schema, name), frame.select(extra)], how="horizontal")


def _merged(found: Further, frame: pl.DataFrame, key: list[str], said: list[str], table: str) -> pl.DataFrame:
    """Rows that say the same are merged; a second row of a key that says something else is bad."""
    if frame.is_empty():
        return frame
    first = [pl.col(column).first().over(key).alias(f"_{column}") for column in said]
    marked = frame.with_columns(*first, pl.struct(key).is_first_distinct().alias("_new"))
    same = pl.all_horizontal(pl.col(column).eq_missing(pl.col(f"_{column}")) for column in said)
    again = marked.filter(~pl.col("_new") & same)
    found.merged += again[ROW].n_unique()
    other = marked.filter(~pl.col("_new") & ~same)
    found.conflicts += other.height
    found.bad += bad_rows(table, other, key, "judged twice, differently", said[0])
    if again.height:
        found.notes.append(f"{counted(again.height, 'row')} of {table} there twice, identical: duplicates merged")
    return marked.filter("_new").select(frame.columns)


def _preferences(found: Further, frame: pl.DataFrame, repeats: str) -> pl.DataFrame:
    if "_given" in frame.columns:
        lost = frame.filter(pl.col("winner").is_null())
        found.bad += bad_rows(
            "preferences", lost, PREFERENCE_KEY, "the winner is neither of the two, nor a tie", "_given"
        )
        frame = frame.filter(pl.col("winner").is_not_null()).drop("_given")
    frame = in_name_order(frame)
    if repeats in ("first", "last"):
        frame = _settled(found, frame, list(PREFERENCE_KEY), "winner", repeats)
    return _merged(found, frame, list(PREFERENCE_KEY), ["winner"], "preferences")


def _settled(found: Further, frame: pl.DataFrame, key: list[str], said: str, repeats: str) -> pl.DataFrame:
    """The rows without those of a key that say something else than the first, or the last, of it."""
    own = pl.col(said).first() if repeats == "first" else pl.col(said).last()
    kept = frame.filter(pl.col(said) == own.over(key)) if frame.height else frame
    if others := frame.height - kept.height:
        found.settled += others
        found.notes.append(f"{counted(others, 'repeated preference')} with another winner: the {repeats} counts")
    return kept


def _choices(found: Further, frame: pl.DataFrame) -> pl.DataFrame:
    if "_lost" in frame.columns:
        lost = frame.filter(pl.col("_lost")).unique(ROW, maintain_order=True)
        found.bad += bad_rows("choices", lost, CHOICE_KEY[:5], "best and worst must be two of the options", "_given")
        frame = frame.filter(~pl.col("_lost")).drop("_lost", "_given")
    return _merged(found, frame, list(CHOICE_KEY), ["choice"], "choices")


def _spans(found: Further, frame: pl.DataFrame, summaries: pl.DataFrame, shifts: dict[str, list[int]]) -> pl.DataFrame:
    if frame.is_empty():
        return frame
    half = frame.filter(pl.col("start").is_null() & pl.col("label").is_not_null())
    found.bad += bad_rows("spans", half, SPAN_KEY[:-1], "the place of the span is not known", "label")
    frame = frame.join(half.select(ROW), on=ROW, how="anti", maintain_order="left")
    if shifts:
        frame = _shifted(frame, summaries, shifts)
    same = ["start", "end", "label", "side"]
    before = frame.height
    frame = frame.unique([*SPAN_KEY[:-1], *same], keep="first", maintain_order=True)
    found.merged += before - frame.height
    # A reading without a finding says nothing beside a finding.
    key = list(SPAN_KEY[:-1])
    marked = pl.col("start").is_not_null().any().over(key)
    empty = frame.filter(marked & pl.col("start").is_null())
    found.merged += empty.height
    frame = frame.join(empty.select(ROW), on=ROW, how="anti", maintain_order="left")
    texts = summaries.select(*KEY, pl.col("text").alias("_whole"))
    frame = frame.join(texts, on=list(KEY), how="left", maintain_order="left")
    words = pl.col("_whole").str.slice(pl.col("start"), (pl.col("end") - pl.col("start")).clip(0))
    inside = (pl.col("side") == "summary") & (pl.col("end") <= pl.col("_whole").str.len_chars())
    frame = frame.with_columns(pl.when(inside).then(words).otherwise(pl.col("text")).alias("text")).drop("_whole")
    return frame.with_columns(pl.int_range(1, pl.len() + 1).over(key).cast(pl.Int32).alias("span"))


def _shifted(frame: pl.DataFrame, summaries: pl.DataFrame, shifts: dict[str, list[int]]) -> pl.DataFrame:
    """Offsets in the text that is stored, where markup was taken out of it."""
    texts = {row[:4]: row[4] for row in summaries.select(*KEY, "text").iter_rows()}
    starts, ends = [], []
    for row in frame.iter_rows(named=True):
        places = shifts.get(texts.get(tuple(row[name] for name in KEY), ""))
        start, end = row["start"], row["end"]
        if places and row["side"] == "summary" and start is not None and 0 <= start <= end < len(places):
            start, end = places[start], places[end]
        starts.append(start)
        ends.append(end)
    return frame.with_columns(pl.Series("start", starts, pl.Int64), pl.Series("end", ends, pl.Int64))
