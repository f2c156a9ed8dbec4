"""The rules for preferences, best-worst choices, spans and annotators; those of ratings are in :mod:`_checks`."""

from dataclasses import dataclass

import polars as pl

from dialgauge.corpus._checks import BadRow, RowFilter
from dialgauge.corpus._schema import CHOICE_KEY, KEY, PREFERENCE_KEY, SPAN_KEY

_STRAY = "of a summary that is not in the corpus"


@dataclass(frozen=True, slots=True)
class CheckedJudgements:
    """The valid rows, and those that break a rule."""

    preferences: pl.DataFrame
    choices: pl.DataFrame
    spans: pl.DataFrame
    bad: tuple[BadRow, ...]


def check_judgements(
    dialogues: pl.DataFrame,
    summaries: pl.DataFrame,
    preferences: pl.DataFrame,
    choices: pl.DataFrame,
    spans: pl.DataFrame,
) -> CheckedJudgements:
    """Separate the valid rows from the others; all are checked against the valid dialogues and summaries."""
    rows = RowFilter()
    return CheckedJudgements(
        _preferences(rows, summaries, preferences),
        _choices(rows, summaries, choices),
        _spans(rows, dialogues, summaries, spans),
        tuple(rows.bad),
    )


def in_name_order(preferences: pl.DataFrame) -> pl.DataFrame:
    """The preferences with (a) before (b) by name; winner and order of showing turn with them."""
    if preferences.is_empty():
        return preferences
    turn = (pl.col("system_a") > pl.col("system_b")) | (
        (pl.col("system_a") == pl.col("system_b")) & (pl.col("variant_a") > pl.col("variant_b"))
    )
    other = {"a": "b", "b": "a"}
    return preferences.with_columns(
        *(
            pl.when(turn).then(pl.col(f"{part}_{there}")).otherwise(pl.col(f"{part}_{here}")).alias(f"{part}_{here}")
            for part in ("system", "variant")
            for here, there in (("a", "b"), ("b", "a"))
        ),
        *(
            pl.when(turn).then(pl.col(name).replace(other)).otherwise(pl.col(name))
            for name in ("winner", "shown_first")
        ),
    )


def _preferences(rows: RowFilter, summaries: pl.DataFrame, preferences: pl.DataFrame) -> pl.DataFrame:
    if preferences.is_empty():
        return preferences
    kept = rows.keys("preferences", preferences, PREFERENCE_KEY)
    same = (pl.col("system_a") == pl.col("system_b")) & (pl.col("variant_a") == pl.col("variant_b"))
    kept = rows.drop("preferences", kept, PREFERENCE_KEY, same, "a summary is compared with itself")
    wrong = pl.col("winner").is_null() | ~pl.col("winner").is_in(["a", "b", "tie"])
    kept = rows.drop("preferences", kept, PREFERENCE_KEY, wrong, "winner must be 'a', 'b' or 'tie'")
    weak = ((pl.col("strength") < 1) | pl.col("strength").is_nan()).fill_null(False)
    kept = rows.drop("preferences", kept, PREFERENCE_KEY, weak, "strength must be at least 1")
    shown = pl.col("shown_first").is_not_null() & ~pl.col("shown_first").is_in(["a", "b"])
    kept = rows.drop("preferences", kept, PREFERENCE_KEY, shown.fill_null(False), "shown_first must be 'a' or 'b'")
    for side in ("a", "b"):
        key = ["dialogue_id", f"system_{side}", f"variant_{side}", "role"]
        kept = _without_strays(rows, "preferences", kept, PREFERENCE_KEY, summaries, key)
    return kept


def _choices(rows: RowFilter, summaries: pl.DataFrame, choices: pl.DataFrame) -> pl.DataFrame:
    if choices.is_empty():
        return choices
    kept = rows.keys("choices", choices, CHOICE_KEY)
    wrong = pl.col("choice").is_null() | ~pl.col("choice").is_in(["best", "worst", "neither"])
    kept = rows.drop("choices", kept, CHOICE_KEY, wrong, "choice must be 'best', 'worst' or 'neither'")
    kept = _without_strays(rows, "choices", kept, CHOICE_KEY, summaries, list(KEY))
    question = list(CHOICE_KEY[:5])
    kept = rows.drop("choices", kept, CHOICE_KEY, pl.len().over(question) < 2, "a choice needs at least two options")
    for name in ("best", "worst"):
        many = (pl.col("choice") == name).sum().over(question) > 1
        kept = rows.drop("choices", kept, CHOICE_KEY, many, f"two options of one question are {name}")
    return kept


def _spans(rows: RowFilter, dialogues: pl.DataFrame, summaries: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    if spans.is_empty():
        return spans
    kept = rows.keys("spans", spans, SPAN_KEY)
    side = pl.col("side").is_null() | ~pl.col("side").is_in(["summary", "dialogue"])
    kept = rows.drop("spans", kept, SPAN_KEY, side, "side must be 'summary' or 'dialogue'")
    kept = _without_strays(rows, "spans", kept, SPAN_KEY, summaries, list(KEY))
    half = pl.col("start").is_null() != pl.col("end").is_null()
    kept = rows.drop("spans", kept, SPAN_KEY, half, "a span needs both start and end, or neither")
    empty = ((pl.col("start") < 0) | (pl.col("end") <= pl.col("start"))).fill_null(False)
    kept = rows.drop("spans", kept, SPAN_KEY, empty, "a span must end after its start, and start at 0 or later")
    lengths = summaries.select(*KEY, pl.col("text").str.len_chars().cast(pl.Int64).alias("_summary"))
    spoken = pl.col("turns").list.eval(
        pl.element().struct.field("speaker").fill_null("").str.len_chars()
        + pl.when(pl.element().struct.field("speaker").fill_null("") != "").then(2).otherwise(0)
        + pl.element().struct.field("text").fill_null("").str.len_chars()
        + 1
    )
    said = dialogues.select("dialogue_id", (spoken.list.sum().cast(pl.Int64) - 1).alias("_dialogue"))
    sized = kept.join(lengths, on=list(KEY), how="left", maintain_order="left").join(
        said, on="dialogue_id", how="left", maintain_order="left"
    )
    length = pl.when(pl.col("side") == "summary").then(pl.col("_summary")).otherwise(pl.col("_dialogue"))
    behind = (pl.col("end") > length).fill_null(False)
    sized = sized.with_columns(pl.format("{}-{} of {} characters", "start", "end", length).alias("_given"))
    kept = rows.drop("spans", sized, SPAN_KEY, behind, "the span ends behind the text", "_given")
    return kept.drop("_summary", "_dialogue", "_given")


def _without_strays(
    rows: RowFilter,
    table: str,
    frame: pl.DataFrame,
    shown: tuple[str, ...],
    summaries: pl.DataFrame,
    key: list[str],
) -> pl.DataFrame:
    """The rows whose summary exists; ``key`` has the columns of the frame in the order of KEY."""
    known = summaries.select(pl.col(own).alias(theirs) for own, theirs in zip(KEY, key, strict=True))
    joined = frame.join(known.with_columns(_known=pl.lit(True)), on=key, how="left", maintain_order="left")
    kept = rows.drop(table, joined, shown, pl.col("_known").is_null(), f"{_ONE[table]} {_STRAY}")
    return kept.drop("_known")


_ONE = {"preferences": "preference", "choices": "choice", "spans": "span"}
