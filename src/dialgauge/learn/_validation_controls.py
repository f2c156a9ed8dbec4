"""What a learned metric is compared with: a single metric chosen without the test ratings, and shuffled ratings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.learn._learners import BLEND, Recipe
from dialgauge.learn._objective import Layout
from dialgauge.learn._procedure import Data, Predicted, Procedure
from dialgauge.learn._splits import Fold, IntArray
from dialgauge.learn._validation_scores import LEVELS, judged_matrices
from dialgauge.metaeval import correlation

#: Trees of a forest that is fitted to shuffled ratings: many fits, of which only the mean and the spread are shown.
_NULL_TREES = 20
#: Summaries of a dialogue that a correlation within it needs.
_FEWEST = 3


def single_inside(data: Data, folds: Sequence[Fold]) -> tuple[str, FloatArray] | None:
    """In each fold the feature, and its sign, that agree best with the ratings of the training rows.

    Features are standardised over all rows, which uses no rating: the same choice in all folds is exactly that metric.
    """
    spread = np.nanstd(data.X, axis=0)
    scaled = (data.X - np.nanmean(data.X, axis=0)) / np.where(spread > 0, spread, 1.0)
    said = np.full(len(data.y), np.nan)
    chosen: Counter[str] = Counter()
    for fold in folds:
        values = within_dialogues(data, fold.train)
        if np.isnan(values).all():
            continue
        best = int(np.nanargmax(np.abs(values)))
        said[fold.test] = np.nan_to_num(scaled[fold.test, best]) * (1.0 if values[best] >= 0 else -1.0)
        chosen[data.names[best]] += 1
    if not chosen:
        return None
    name, often = chosen.most_common(1)[0]
    return name if often == len(folds) else f"{name} in {often} of {len(folds)} folds", said


def within_dialogues(data: Data, rows: IntArray) -> FloatArray:
    """Pearson of each feature with the ratings within dialogues, averaged; over all rows where dialogues are small."""
    x, y = data.X[rows], data.y[rows]
    x = np.where(np.isnan(x), np.nanmedian(np.where(np.isnan(x).all(axis=0), 0.0, x), axis=0), x)
    _, group, size = np.unique(data.keys["dialogue_id"].to_numpy()[rows], return_inverse=True, return_counts=True)
    if np.mean(size >= _FEWEST) < 0.5:
        group, size = np.zeros(len(y), dtype=np.int64), np.array([len(y)])

    def summed(values: FloatArray) -> FloatArray:
        total = np.zeros((len(size), *values.shape[1:]))
        np.add.at(total, group, values)
        return total

    x = x - (summed(x) / size[:, None])[group]
    y = y - (summed(y) / size)[group]
    norm = np.sqrt(summed(x**2) * summed(y**2)[:, None])
    enough = (norm > 1e-12) & (size >= _FEWEST)[:, None]
    values = np.divide(summed(x * y[:, None]), norm, out=np.zeros_like(norm), where=enough)
    count = enough.sum(axis=0)
    return np.asarray(np.divide(values.sum(axis=0), count, out=np.full(x.shape[1], np.nan), where=count > 0))


def system_means(data: Data, folds: Sequence[Fold]) -> FloatArray:
    """What knowing the author alone predicts: the mean rating of the same system in the training rows."""
    systems = data.keys["system"].to_numpy()
    said = np.full(len(data.y), np.nan)
    for fold in folds:
        whole = data.y[fold.train].mean()
        for name in np.unique(systems[fold.test]):
            mine = fold.train[systems[fold.train] == name]
            rows = fold.test[systems[fold.test] == name]
            said[rows] = data.y[mine].mean() if len(mine) else whole
    return said


def null_correlations(
    data: Data,
    folds: Sequence[Fold],
    results: Sequence[Predicted],
    run: Procedure,
    draws: int,
    seed: int,
    known_systems: bool,
) -> FloatArray:
    """Draws × levels: the Pearson of the same procedure on shuffled ratings.

    Ratings of whole systems and of whole dialogues change places, which keeps their structure and breaks their link to
    the features; single ratings would lose the system part, and any r would look significant.
    """
    found = np.full((draws, len(LEVELS)), np.nan)
    layout = Layout.of(data.keys)
    for draw in range(draws):
        shuffled = shuffled_ratings(layout.matrix(data.y), np.random.default_rng([seed, 31, draw]))
        moved = replace(data, y=shuffled[layout.rows, layout.columns])
        said = np.full(len(data.y), np.nan)
        for fold, result in zip(folds, results, strict=True):
            train = fold.train[~np.isnan(moved.y[fold.train])]
            if len(train) < _FEWEST or np.ptp(moved.y[train]) == 0:
                continue
            if result.recipe is None:
                filled = replace(moved, y=np.where(np.isnan(moved.y), data.y.mean(), moved.y))
                numbers = run(filled, train, fold.test).numbers
            else:
                numbers = stand_in(result.recipe).fit(data.X[train], moved.y[train]).numbers(data.X[fold.test])
            said[fold.test] = numbers - moved.y[train].mean()
        said = np.where(np.isnan(moved.y), np.nan, said)
        x, z = judged_matrices(moved, said, known_systems, layout)
        found[draw] = [correlation(x, z, level, "pearson") for level in LEVELS]
    return found


def shuffled_ratings(matrix: FloatArray, generator: np.random.Generator) -> FloatArray:
    """Ratings as systems × dialogues, whole systems and whole dialogues in other places."""
    rows, columns = (generator.permutation(size) for size in matrix.shape)
    return np.asarray(matrix[rows][:, columns])


def stand_in(recipe: Recipe) -> Recipe:
    """The recipe with few trees; of a blend, its linear part and one forest."""
    few = recipe.quicker(_NULL_TREES)
    if recipe.learner != BLEND:
        return few
    members = few.settings["members"]
    linear = [member for member in members if "trees" not in member["settings"]][:1]
    forests = [member for member in members if "trees" in member["settings"]][:1]
    return replace(few, settings={"members": linear + forests})
