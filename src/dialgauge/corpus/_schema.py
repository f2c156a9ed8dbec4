"""The columns of the three frames, and the keys by which everything is joined."""

import polars as pl

#: What identifies a summary. Nothing in dialgauge is ever joined by row position.
KEY = ("dialogue_id", "system", "variant", "role")
#: What identifies a rating. ``sentence`` is null for a rating of the whole summary.
RATING_KEY = (*KEY, "annotator", "dimension", "sentence")

TURN = pl.Struct({"speaker": pl.String, "role": pl.String, "text": pl.String})

#: Columns of :attr:`Corpus.dialogues`: a row per dialogue.
DIALOGUES = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "domain": pl.String(),
        "language": pl.String(),
        "turns": pl.List(TURN),
        "meta": pl.String(),  # JSON object
    }
)
#: Columns of :attr:`Corpus.summaries`: a row per summary.
SUMMARIES = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "system": pl.String(),
        "variant": pl.String(),
        "role": pl.String(),
        "kind": pl.String(),  # system | reference
        "text": pl.String(),
        "provenance": pl.String(),  # JSON object
    }
)
#: Columns of :attr:`Corpus.ratings`: a row per summary, annotator and dimension.
RATINGS = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "system": pl.String(),
        "variant": pl.String(),
        "role": pl.String(),
        "annotator": pl.String(),
        "dimension": pl.String(),
        "sentence": pl.Int32(),
        "value": pl.Float64(),
        "scale": pl.String(),
        "comment": pl.String(),
        "time": pl.Datetime("us"),
    }
)
