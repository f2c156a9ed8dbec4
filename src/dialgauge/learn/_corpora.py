"""Several rated corpora as one: features that all have, ratings on one scale, and texts that two of them share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.learn._copies import text_mark
from dialgauge.learn._features import UNSIGNED, FeatureTable, build_features
from dialgauge.learn._procedure import Data
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._splits import IntArray
from dialgauge.learn._targets import build_target, corpus_to_learn
from dialgauge.learn._validate import build_data
from dialgauge.metrics import Scores
from dialgauge.ratings import RatingPolicy


@dataclass(frozen=True, slots=True, eq=False)
class RatedCorpus:
    """A corpus with ratings, the scores of its summaries, and what it is called."""

    name: str
    corpus: Corpus
    scores: Scores


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One of several corpora as a learner sees it.

    ``level`` are the ratings from 0 to 1 by their scale. ``texts`` has marks of the dialogue and of the summary of each
    row, the same in all corpora.
    """

    name: str
    corpus: Corpus
    table: FeatureTable
    data: Data
    level: FloatArray
    texts: tuple[tuple[str, str], ...]


def build_parts(
    corpora: Sequence[RatedCorpus], target: str, asked: LearnSettings, policy: RatingPolicy
) -> tuple[list[Part], list[str]]:
    """The corpora with the features that are computed alike in all of them, and the names of the other features."""
    names = [one.name for one in corpora]
    if len(corpora) < 2:
        raise InputError("training across corpora needs at least two of them")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two corpora are called {name!r}; rename one of them")
    tables = [build_features(one.corpus, one.scores, metrics=asked.metrics, texts=asked.texts) for one in corpora]
    shared = [name for name in tables[0].names if all(_alike(tables[0], table, name) for table in tables[1:])]
    if not shared:
        raise InputError(
            f"{' and '.join(names)} have no feature that is computed alike in all: score them with the same metrics "
            "and the same version"
        )
    # Less may be better in one corpus and more in another: all are turned as the first.
    ways = [one.corpus.dimension(target).direction if target in one.corpus.dimensions else "" for one in corpora]
    parts = []
    for one, table, way in zip(corpora, tables, ways, strict=True):
        try:
            judged = corpus_to_learn(one.corpus, target, policy)
            goal = build_target(judged.ratings, target, policy, task="numbers")
            data = build_data(table.select(shared), goal)
        except InputError as error:
            raise InputError(f"corpus {one.name!r}: {error}") from error
        low = goal.minimum if goal.minimum is not None else float(data.y.min())
        high = goal.maximum if goal.maximum is not None else float(data.y.max())
        level = (data.y - low) / (high - low)
        turned = {way, ways[0]} == {"higher", "lower"}
        if turned:
            data = replace(data, y=low + high - data.y)
        texts = _texts(judged, data.keys)
        parts.append(Part(one.name, judged, table.select(shared), data, 1 - level if turned else level, texts))
    left_out = sorted({name for table in tables for name in table.names} - set(shared))
    return parts, left_out


def _alike(first: FeatureTable, other: FeatureTable, name: str) -> bool:
    if name not in other.names:
        return False
    one, two = first.signatures[name], other.signatures[name]
    return one == two or (one.startswith(UNSIGNED) and two.startswith(UNSIGNED))


def _texts(corpus: Corpus, keys: pl.DataFrame) -> tuple[tuple[str, str], ...]:
    dialogues = {dialogue.id: text_mark(dialogue.text) for dialogue in corpus.iter_dialogues()}
    rows = keys.join(corpus.summaries, on=keys.columns, how="left", maintain_order="left")
    return tuple(
        (dialogues.get(row["dialogue_id"], ""), text_mark(row["text"] or "")) for row in rows.iter_rows(named=True)
    )


def apart_from(part: Part, held_out: Part) -> IntArray:
    """The rows of a corpus whose dialogue and whose summary are not in the corpus that is held out."""
    dialogues, summaries = ({texts[i] for texts in held_out.texts} - {""} for i in (0, 1))
    return np.array(
        [
            i
            for i, (dialogue, summary) in enumerate(part.texts)
            if dialogue not in dialogues and summary not in summaries
        ],
        dtype=np.int64,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Rows of several corpora to train on: each corpus weighs the same, and their mean ratings are made equal.

    The level of ratings differs between studies for reasons that no text tells; the order of summaries may transfer.
    """

    X: FloatArray
    y: FloatArray
    rows: int
    level: float

    def beside(self, x: FloatArray, level: FloatArray, repeats: int) -> "Pool":
        """With further rows, each repeated."""
        own = level - level.mean() + self.level
        return replace(
            self,
            X=np.concatenate([self.X, np.repeat(x, repeats, axis=0)]),
            y=np.concatenate([self.y, np.repeat(own, repeats)]),
        )


def pool(parts: Sequence[Part], rows: Sequence[IntArray], seed: int) -> Pool:
    """Rows of these corpora; those of the smaller ones are repeated until there are as many as of the largest."""
    size = max(len(kept) for kept in rows)
    means = [float(part.level[kept].mean()) for part, kept in zip(parts, rows, strict=True)]
    level = float(np.mean(means))
    x, y = [], []
    for number, (part, kept, mean) in enumerate(zip(parts, rows, means, strict=True)):
        whole, rest = divmod(size, len(kept))
        drawn = np.random.default_rng([seed, 41, number]).permutation(kept)[:rest]
        chosen = np.concatenate([np.tile(kept, whole), drawn])
        x.append(part.data.X[chosen])
        y.append(part.level[chosen] - mean + level)
    return Pool(np.concatenate(x), np.concatenate(y), size, level)
