"""A corpus as one table: a row per rating, per summary without ratings, and per dialogue without summaries.

Preferences, choices, spans, annotators and declared dimensions follow as rows with a column ``record``.

A dialogue's own columns stand in its first row only, a summary's in its first row only; empty cells below mean "the
same". That is what the readers of tables understand, and it keeps a table with many ratings readable.
"""

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._records import further_frame
from dialgauge.corpus._schema import KEY
from dialgauge.corpus._turns import write_turns

_DIALOGUE = ("dialogue", "domain", "language", "meta")
_SUMMARY = ("kind", "summary", "provenance")
_RATING = ("annotator", "dimension", "sentence", "value", "scale", "comment", "time")
COLUMNS = ("dialogue_id", *_DIALOGUE, "system", "variant", "role", *_SUMMARY, *_RATING)


def flat_frame(corpus: Corpus) -> pl.DataFrame:
    """The corpus as one frame; empty columns are left out, except those that make a pair."""
    dialogues = pl.DataFrame(
        {
            "dialogue_id": corpus.dialogues["dialogue_id"],
            "dialogue": pl.Series([write_turns(d.turns) for d in corpus.iter_dialogues()], dtype=pl.String),
            "domain": corpus.dialogues["domain"],
            "language": corpus.dialogues["language"],
            "meta": corpus.dialogues["meta"],
        }
    )
    summaries = corpus.summaries.rename({"text": "summary"})
    rows = (
        dialogues.join(summaries, on="dialogue_id", how="left", maintain_order="left_right")
        .join(corpus.ratings, on=list(KEY), how="left", maintain_order="left_right")
        .with_columns(pl.col("time").dt.to_string("iso:strict"))
        .select(COLUMNS)
    )
    first_of_dialogue = pl.col("dialogue_id").is_first_distinct()
    first_of_summary = pl.struct(KEY).is_first_distinct()
    rows = rows.with_columns(
        pl.when(first_of_dialogue).then(pl.col(_DIALOGUE)), pl.when(first_of_summary).then(pl.col(_SUMMARY))
    )
    kept = ("dialogue_id", "dialogue", "system", "summary", *(("value",) if corpus.ratings.height else ()))
    rows = rows.select(column for column in rows if column.name in kept or column.null_count() < rows.height)
    if corpus.info.ratings_origin == "constructed":
        rows = rows.with_columns(ratings_origin=pl.lit("constructed"))
    further = further_frame(corpus)
    return pl.concat([rows, further], how="diagonal") if further.height else rows
