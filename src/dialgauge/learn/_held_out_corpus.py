"""A whole corpus held out: what a metric trained on the others reaches in it, and what own ratings would add."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.learn._copies import apart_folds
from dialgauge.learn._corpora import Part, Pool, apart_from, pool
from dialgauge.learn._learners import Recipe
from dialgauge.learn._objective import Layout, judge
from dialgauge.learn._procedure import search
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._splits import IntArray, find_split
from dialgauge.learn._validate import validate
from dialgauge.learn._validation_controls import shuffled_ratings, stand_in, within_dialogues
from dialgauge.learn._validation_scores import (
    LEARNED,
    LEVELS,
    SINGLE,
    Row,
    ceiling_rows,
    correlation_rows,
    difference_rows,
    judged_matrices,
    no_correlation_rows,
    with_p_values,
)
from dialgauge.metaeval import correlation
from dialgauge.resampling import Intervals

#: What the same learner reaches where it is trained inside the corpus, with the split that was asked for.
OWN = "trained on its own ratings"
#: So many ratings of the held-out corpus are added to see what own ratings would buy; the last weigh as a corpus.
OWN_RATINGS = (20, 50, 100, 200)
#: Shuffles of the ratings of a held-out corpus, at least: they cost next to nothing.
_SHUFFLES = 100


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The results in one corpus: rows of scores, rows of the curve of own ratings, rows purged and the recipe."""

    rows: list[Row]
    curve: list[dict[str, Any]]
    purged: int
    recipe: Recipe


def choose_recipe(
    parts: Sequence[Part], rows: Sequence[IntArray], recipes: Sequence[Recipe], asked: LearnSettings
) -> Recipe:
    """The recipe that does best on a training corpus that it was not fitted to; of one corpus, on its own folds."""
    if len(recipes) == 1:
        return recipes[0]
    if len(parts) == 1:
        known = replace(parts[0].data.part(rows[0]), y=parts[0].level[rows[0]])
        return search(known, recipes, asked.split, folds=asked.inner_folds, seed=asked.seed)[0].recipe
    found = []
    for recipe in recipes:
        values = []
        for left, part in enumerate(parts):
            others = [i for i in range(len(parts)) if i != left]
            apart = [np.intersect1d(rows[i], apart_from(parts[i], part)) for i in others]
            some = [(parts[i], kept) for i, kept in zip(others, apart, strict=True) if len(kept)]
            if not some:
                continue
            made = pool([one for one, _ in some], [kept for _, kept in some], asked.seed)
            data = part.data.part(rows[left])
            values.append(
                judge(data.target, data.keys, recipe.quicker().fit(made.X, made.y).numbers(data.X), data.y).value
            )
        found.append(float(np.mean(values)) if values else -1.0)
    return recipes[int(np.argmax(found))]


def hold_out(parts: Sequence[Part], held: int, recipes: Sequence[Recipe], asked: LearnSettings) -> HeldOut:
    """Train on the other corpora, without the dialogues and summaries that they share with this one, and judge."""
    part = parts[held]
    others = [one for i, one in enumerate(parts) if i != held]
    rows = [apart_from(one, part) for one in others]
    if not any(len(kept) for kept in rows):
        raise InputError(f"corpus {part.name!r}: the other corpora have no text that is not in it, so nothing is new")
    purged = sum(len(one.data.y) - len(kept) for one, kept in zip(others, rows, strict=True))
    some = [(one, kept) for one, kept in zip(others, rows, strict=True) if len(kept)]
    others, rows = [one for one, _ in some], [kept for _, kept in some]
    recipe = choose_recipe(others, rows, recipes, asked)
    trained = pool(others, rows, asked.seed)
    predicted = recipe.fit(trained.X, trained.y).numbers(part.data.X)
    drawn = asked.subset(Intervals)
    found = with_p_values(
        correlation_rows(LEARNED, LEARNED, part.data, predicted, drawn), _null(part, predicted, asked)
    )
    single = _single(others, rows, part)
    if single is not None:
        found += correlation_rows(SINGLE, single[0], part.data, single[1], drawn)
        found += difference_rows(single[0], part.data, predicted, single[1], drawn, known_systems=False)
    found += _own_rows(part, asked)
    found += ceiling_rows(part.data, part.corpus.ratings, drawn)
    return HeldOut(found, _curve(part, trained, recipe, asked), purged, recipe)


def shuffles(asked: LearnSettings) -> int:
    """How often the ratings of a held-out corpus are shuffled."""
    return max(asked.null, _SHUFFLES) if asked.null else 0


def _null(part: Part, predicted: FloatArray, asked: LearnSettings) -> FloatArray:
    """Draws × levels: the Pearson with shuffled ratings. Nothing is fitted again: training never saw these ratings."""
    draws = shuffles(asked)
    found = np.full((draws, len(LEVELS)), np.nan)
    layout = Layout.of(part.data.keys)
    x, _ = judged_matrices(part.data, predicted, False, layout)
    ratings = layout.matrix(part.data.y)
    for draw in range(draws):
        z = shuffled_ratings(ratings, np.random.default_rng([asked.seed, 31, draw]))
        found[draw] = [correlation(x, z, level, "pearson") for level in LEVELS]
    return found


def _single(others: Sequence[Part], rows: Sequence[IntArray], part: Part) -> tuple[str, FloatArray] | None:
    """The feature, and its sign, that agree best with the ratings of the training corpora on average."""
    each = np.stack([within_dialogues(one.data, kept) for one, kept in zip(others, rows, strict=True)])
    known = ~np.isnan(each)
    means = np.where(known, each, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    if not known.any():
        return None
    best = int(np.argmax(np.abs(means)))
    sign = 1.0 if means[best] >= 0 else -1.0
    return part.data.names[best], sign * part.data.X[:, best]


def _own_rows(part: Part, asked: LearnSettings) -> list[Row]:
    quick = asked.model_copy(update={"resamples": 0, "null": 0, "task": "numbers"})
    try:
        own = validate(part.data, part.corpus.ratings, quick, guard=False)
    except (InputError, UnknownNameError) as error:
        return no_correlation_rows(OWN, asked.split, str(error))
    rows = own.scores.filter(
        (own.scores["by"] == LEARNED) & own.scores["measure"].is_in(["pearson", "spearman", "kendall", "mean"])
    )
    return [{**row, "by": OWN, "name": asked.split} for row in rows.iter_rows(named=True)]


def _curve(part: Part, trained: Pool, recipe: Recipe, asked: LearnSettings) -> list[dict[str, Any]]:
    """Pearson within dialogues with some of the corpus' own ratings added: those that its split permits to know."""
    data, quick = part.data, stand_in(recipe)
    try:
        folds = apart_folds(asked.split, data.keys, data.marks, folds=asked.folds, seed=asked.seed)
    except InputError:
        return []
    known_systems = "system" not in find_split(asked.split).apart
    tested = np.zeros(len(data.y), dtype=bool)
    for fold in folds:
        tested[fold.test] = True
    without = np.where(tested, quick.fit(trained.X, trained.y).numbers(data.X), np.nan)
    found = {0: without}
    for count in (count for count in OWN_RATINGS if all(len(fold.train) >= count for fold in folds)):
        said = np.full(len(data.y), np.nan)
        for fold in folds:
            own = np.random.default_rng([asked.seed, 42]).permutation(fold.train)[:count]
            more = trained.beside(data.X[own], part.level[own], max(1, round(trained.rows / OWN_RATINGS[-1])))
            said[fold.test] = quick.fit(more.X, more.y).numbers(data.X[fold.test])
        found[count] = said
    rows = []
    for count, said in found.items():
        x, z = judged_matrices(data, said, known_systems)
        value = correlation(x, z, "summary", "pearson")
        rows.append({"corpus": part.name, "own": count, "value": None if np.isnan(value) else value})
    return rows
