"""Pairs of dialogue and reference with feeling on both sides: what the paper calls the filtered corpus."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.affect._psent import psent
from dialgauge.affect._settings import TAGGER
from dialgauge.affect._tagger import Tagger
from dialgauge.corpus import KEY, Corpus


def has_affect(texts: Sequence[str], tagger: Tagger | str = TAGGER, *, speakers: bool = False) -> NDArray[np.bool_]:
    """Whether each text has an affective word, that is, whether its PSent is above 0.

    ``speakers`` says that the texts are transcripts with a speaker before each turn, whose names are no words.
    """
    found: NDArray[np.bool_] = psent(texts, tagger, speakers=speakers).count() > 0
    return found


def affective_pairs(corpus: Corpus, tagger: Tagger | str = TAGGER) -> pl.DataFrame:
    """For each reference of the corpus whether it and its dialogue have an affective word.

    The columns are the key of the reference, ``dialogue_affective``, ``summary_affective`` and ``kept``, which is true
    where both are (Zhou, Ringeval and Portet 2024, section 5.1).
    """
    references = corpus.references.select(*KEY, pl.col("text").fill_null(""))
    dialogues = list(corpus.iter_dialogues())
    affective = has_affect([dialogue.text for dialogue in dialogues], tagger, speakers=True)
    by_dialogue = pl.DataFrame(
        {"dialogue_id": [dialogue.id for dialogue in dialogues], "dialogue_affective": affective},
        schema={"dialogue_id": pl.String, "dialogue_affective": pl.Boolean},
    )
    summary = pl.Series("summary_affective", has_affect(references["text"].to_list(), tagger), pl.Boolean)
    return (
        references.with_columns(summary)
        .join(by_dialogue, on="dialogue_id", how="left", maintain_order="left")
        .select(
            *KEY,
            "dialogue_affective",
            "summary_affective",
            kept=pl.col("dialogue_affective") & pl.col("summary_affective"),
        )
    )
