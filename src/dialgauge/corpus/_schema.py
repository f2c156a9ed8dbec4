"""The columns of the frames of a corpus, and the keys by which everything is joined."""

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
#: What identifies a preference. (a) comes before (b) by name, so that a pair has one key however it was shown.
PREFERENCE_KEY = (
    *("dialogue_id", "role", "system_a", "variant_a", "system_b", "variant_b"),
    *("annotator", "dimension"),
)
#: Columns of :attr:`Corpus.preferences`: a row per pair of summaries, annotator and dimension.
PREFERENCES = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "role": pl.String(),
        "system_a": pl.String(),
        "variant_a": pl.String(),
        "system_b": pl.String(),
        "variant_b": pl.String(),
        "annotator": pl.String(),
        "dimension": pl.String(),
        "winner": pl.String(),  # a | b | tie
        "strength": pl.Float64(),  # null or at least 1
        "both_bad": pl.Boolean(),
        "shown_first": pl.String(),  # a | b | null
        "comment": pl.String(),
        "time": pl.Datetime("us"),
    }
)
#: What identifies an option of a best-worst choice.
CHOICE_KEY = ("dialogue_id", "role", "tuple", "annotator", "dimension", "system", "variant")
#: Columns of :attr:`Corpus.choices`: a row per option, so that the size of each tuple is known.
CHOICES = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "role": pl.String(),
        "tuple": pl.String(),
        "annotator": pl.String(),
        "dimension": pl.String(),
        "system": pl.String(),
        "variant": pl.String(),
        "choice": pl.String(),  # best | worst | neither
    }
)
#: What identifies a marked span; ``span`` counts from 1 within summary, annotator and dimension.
SPAN_KEY = (*KEY, "annotator", "dimension", "span")
#: Columns of :attr:`Corpus.spans`. Offsets count characters of the stored text, half open. A summary that was read
#: without a finding has one row whose ``start`` is null.
SPANS = pl.Schema(
    {
        "dialogue_id": pl.String(),
        "system": pl.String(),
        "variant": pl.String(),
        "role": pl.String(),
        "annotator": pl.String(),
        "dimension": pl.String(),
        "span": pl.Int32(),
        "side": pl.String(),  # summary | dialogue
        "start": pl.Int64(),
        "end": pl.Int64(),
        "text": pl.String(),
        "label": pl.String(),
        "severity": pl.String(),
        "comment": pl.String(),
        "time": pl.Datetime("us"),
    }
)
#: Columns of :attr:`Corpus.annotators`: what is known about the people who judged.
ANNOTATORS = pl.Schema(
    {
        "annotator": pl.String(),
        "group": pl.String(),  # expert | crowd | model | null
        "meta": pl.String(),  # JSON object
    }
)
#: Columns of :meth:`Corpus.dimension_table`.
DIMENSIONS = pl.Schema(
    {
        "dimension": pl.String(),
        "kind": pl.String(),
        "scale": pl.String(),
        "labels": pl.List(pl.String),
        "direction": pl.String(),
        "said_by": pl.String(),
    }
)
