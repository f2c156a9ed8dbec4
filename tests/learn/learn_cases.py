"""A made study: summaries whose quality is known, two annotators who see most of it, and metrics that see some."""

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.learn import Data, FeatureTable, Target, build_data, build_features, build_target
from dialgauge.metrics import Scores

WORDS = ("the", "agent", "customer", "asks", "for", "a", "refund", "card", "bank", "order", "parcel", "late", "call")


def made_corpus(dialogues: int = 12, systems: int = 5, seed: int = 0) -> Corpus:
    """System k copies more of the dialogue the larger k is; ratings of ``consistency`` follow what was copied."""
    generator = np.random.default_rng(seed)
    rows, summaries, ratings = [], [], []
    for d in range(dialogues):
        source = [str(word) for word in generator.choice(WORDS, 30)]
        rows.append(Dialogue(f"d{d:02}", (Turn("A", " ".join(source[:15])), Turn("B", " ".join(source[15:])))))
        summaries.append(Summary(f"d{d:02}", "reference", " ".join(source[3:15]), kind="reference"))
        for s in range(systems):
            share = (s + generator.random()) / systems
            kept = round(12 * share)
            strange = [f"zz{int(number)}" for number in generator.integers(0, 50, 12 - kept)]
            summaries.append(Summary(f"d{d:02}", f"s{s}", " ".join(source[3 : 3 + kept] + strange)))
            for annotator in ("a", "b"):
                value = float(np.clip(round(1 + 4 * share + generator.normal(0, 0.4)), 1, 5))
                ratings.append(Rating(f"d{d:02}", f"s{s}", annotator, "consistency", value, scale="1-5"))
    return Corpus.build(rows, summaries, ratings)


def made_scores(corpus: Corpus, *, noise: int = 2, seed: int = 1) -> Scores:
    """A table of one's own: ``good`` follows the ratings, the others are noise."""
    keys = corpus.summaries.filter(pl.col("kind") == "system").select(KEY)
    mean = corpus.ratings.group_by(KEY).agg(pl.col("value").mean())
    values = keys.join(mean, on=list(KEY), how="left", maintain_order="left")["value"].to_numpy()
    generator = np.random.default_rng(seed)
    columns = {"good": values + generator.normal(0, 0.7, len(values))}
    columns |= {f"noise-{i}": generator.normal(size=len(values)) for i in range(noise)}
    frame = keys.with_columns(**{name: pl.Series(column) for name, column in columns.items()})
    signatures = dict.fromkeys(columns, "unsigned|file:made.csv")
    return Scores(frame, signatures, dict.fromkeys(columns, "none"), seconds=dict.fromkeys(columns, 1.0))


def made_data(corpus: Corpus | None = None, task: str = "numbers") -> tuple[Data, FeatureTable, Target, Corpus]:
    """Everything that a learner needs."""
    corpus = corpus or made_corpus()
    table = build_features(corpus, made_scores(corpus))
    target = build_target(corpus.ratings, "consistency", task=task)
    return build_data(table, target), table, target, corpus
