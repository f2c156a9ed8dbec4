"""Feature selection: the cheapest set of features within one standard error of the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.learn._copies import apart_folds
from dialgauge.learn._explain import permutation_importance
from dialgauge.learn._learners import Recipe
from dialgauge.learn._objective import Judged, judge
from dialgauge.learn._procedure import Data
from dialgauge.learn._splits import Fold
from dialgauge.progress import Progress

#: Sizes of the sets that are tried, in addition to all features.
SIZES = (1, 2, 3, 5, 8, 13, 21, 34)
_COLUMNS: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "features": pl.Int64,
    "order": pl.String,
    "seconds": pl.Float64,
    "value": pl.Float64,
    "error": pl.Float64,
    "within": pl.Boolean,
    "chosen": pl.Boolean,
    "names": pl.List(pl.String),
}
SELECTION = pl.Schema(_COLUMNS)


@dataclass(frozen=True, slots=True)
class Selection:
    """``frame`` has a row per set that was tried; ``chosen`` names the features of the cheapest sufficient set.

    ``value`` is the objective on held-out rows, ``error`` its standard error over dialogues, ``within`` whether it lies
    within one error of the best set. ``unknown`` lists features whose cost was not measured; they count as free.
    """

    frame: pl.DataFrame
    chosen: tuple[str, ...]
    objective: str
    unknown: tuple[str, ...]


def select_features(
    data: Data,
    recipe: Recipe,
    seconds: Mapping[str, float],
    *,
    split: str = "dialogues",
    folds: int = 5,
    repeats: int = 2,
    seed: int = 0,
    progress: Progress | None = None,
) -> Selection:
    """Try growing sets of features, by importance and by importance per second, and select the cheapest sufficient one.

    A set is sufficient if its value is within one standard error (of the best set) of the best. Of those the one that
    costs the fewest seconds is selected, then the smallest. The order of the features and the selection use the rows
    that the values are computed on: to report the quality of the selected set, validate it on other ratings.
    """
    ranked = permutation_importance(
        data, recipe.quicker(), split=split, folds=folds, repeats=repeats, seed=seed, progress=progress
    )
    made = apart_folds(split, data.keys, data.marks, folds=folds, seed=seed)
    sets = _sets(ranked, data.names, seconds)
    tried: list[tuple[str, tuple[str, ...], Judged, float]] = []
    for done, (names, order) in enumerate(sets.items()):
        if progress:
            progress(f"{len(names)} features", done, len(sets))
        cost = sum(seconds.get(name, 0.0) for name in names)
        tried.append((order, names, _held_out(data, recipe, names, made), cost))
    best = max((judged for _, _, judged, _ in tried), key=lambda judged: judged.value)
    bound = best.value - (0.0 if np.isnan(best.error) else best.error)
    within = [entry for entry in tried if entry[2].value >= bound]
    chosen = min(within, key=lambda entry: (entry[3], len(entry[1])))[1]
    rows = [
        (len(names), order, cost, judged.value, judged.error, judged.value >= bound, names == chosen, list(names))
        for order, names, judged, cost in tried
    ]
    frame = pl.DataFrame(rows, schema=SELECTION, orient="row").sort("seconds", "features", maintain_order=True)
    return Selection(frame, chosen, best.name, tuple(name for name in data.names if name not in seconds))


def _sets(ranked: pl.DataFrame, names: Sequence[str], seconds: Mapping[str, float]) -> dict[tuple[str, ...], str]:
    """The sets to try with the order they come from, without repeats; all features last."""
    useful = ranked.filter(pl.col("drop") > 0)
    by_importance = useful["feature"].to_list() or ranked["feature"].to_list()[:1]
    gain = dict(ranked.select("feature", "drop").iter_rows())
    # A thousandth of a second keeps the features that cost nothing comparable.
    per_second = sorted(by_importance, key=lambda name: -gain[name] / (seconds.get(name, 0.0) + 0.001))
    found: dict[tuple[str, ...], str] = {}
    for order, listed in (("importance", by_importance), ("importance per second", per_second)):
        for size in (*(size for size in SIZES if size < len(listed)), len(listed)):
            members = set(listed[:size])
            found.setdefault(tuple(name for name in names if name in members), order)
    found.setdefault(tuple(names), "all")
    return found


def _held_out(data: Data, recipe: Recipe, names: Sequence[str], folds: Sequence[Fold]) -> Judged:
    columns = [data.names.index(name) for name in names]
    X = data.X[:, columns]
    predicted = np.full(len(data.y), np.nan)
    for fold in folds:
        fitted = recipe.fit(X[fold.train], data.y[fold.train])
        said = fitted.classes if data.target.task == "classes" else fitted.numbers
        predicted[fold.test] = said(X[fold.test])
    return judge(data.target, data.keys, predicted, data.y)
