"""Small studies to compare: ratings that are made, and printed tables."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Corpus, CorpusInfo, Dialogue, Rating, Summary, Turn, ratings_frame

QUALITY = {"plain": 0.7, "better": 1.2, "worse": 0.4}


@pytest.fixture
def make_ratings() -> Callable[..., pl.DataFrame]:
    """Ratings as in the role-oriented study: a few shared dialogues, the rest divided, two sentences per summary."""

    def make(seed: int = 0, dialogues: int = 24, shared: int = 6, scale: str = "0-2", lowest: int = 0) -> pl.DataFrame:
        generator = np.random.default_rng(seed)
        ratings = []
        for i in range(dialogues):
            hardness = np.random.default_rng(1000 + i).normal(0, 0.5)
            annotators = ("a1", "a2", "a3") if i < shared else (f"a{1 + i % 3}",)
            for system, quality in QUALITY.items():
                for role in ("user", "agent"):
                    for dimension in ("informativeness", "fluency"):
                        for annotator in annotators:
                            for sentence in range(2):
                                value = np.clip(round(quality + hardness + generator.normal(0, 0.4)), 0, 2) + lowest
                                ratings.append(
                                    Rating(f"d{i:02}", system, annotator, dimension, float(value),
                                           role=role, sentence=sentence, scale=scale)
                                )  # fmt: skip
        return ratings_frame(ratings)

    return make


@pytest.fixture
def make_corpus() -> Callable[..., Corpus]:
    """A corpus around ratings."""

    def make(ratings: pl.DataFrame, name: str = "made", language: str | None = "en") -> Corpus:
        turns = (Turn("A", "hello"), Turn("B", "good morning"))
        ids = ratings["dialogue_id"].unique().sort()
        keys = ratings.select("dialogue_id", "system", "variant", "role").unique().sort("dialogue_id", "system", "role")
        summaries = [Summary(d, s, "One. Two.", variant=v, role=r) for d, s, v, r in keys.iter_rows()]
        dialogues = [Dialogue(i, turns, language=language) for i in ids]
        built = Corpus.build(dialogues, summaries, info=CorpusInfo(name=name))
        return Corpus(built.dialogues, built.summaries, ratings, built.info)

    return make
