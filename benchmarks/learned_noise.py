"""How far the validation of learned metrics can be trusted: features of noise, copied systems, and true features.

    python -m benchmarks.learned_noise --studies 60
    python -m benchmarks.learned_noise --studies 500 --learner auto --systems 6 --noise --workers 16
    python -m benchmarks.learned_noise --data ../shared/data/dialsummeval

The first line prints a table of made studies: 15 features with parts per system (sd .5), per dialogue (.5) and per
summary (1), ratings of the same structure, a ridge regression. The second does so for ``auto`` (with few trees, as for
shuffled ratings; ``--trees 100`` for all) and only where nothing can be learned. A correlation of six systems varies by
.43 from study to study: a mean that is to be known within .02 takes 500 studies, and learners are compared on the
same ones. The third line measures, on DialSummEval, how often the intervals of single summaries hold, every
system held out twice over.
"""

import argparse
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ratings_frame, read_dataset
from dialgauge.learn import (
    TEXT_FEATURES,
    Data,
    Recipe,
    Target,
    build_data,
    build_features,
    build_target,
    summary_intervals,
    validate,
)
from dialgauge.learn._learners import candidates
from dialgauge.metrics import Scores
from dialgauge.ratings import RatingPolicy

FEATURES, DIALOGUES = 15, 40


@dataclass(frozen=True, slots=True)
class World:
    """A kind of study: systems, how many features follow the ratings, and whether each second system is a copy."""

    systems: int
    informative: int = 0
    copied: bool = False

    @property
    def name(self) -> str:
        """In words."""
        said = f"{self.informative} of {FEATURES} features follow the ratings" if self.informative else "noise"
        return said + (", each second system a copy" if self.copied else "")


def layered(generator: np.random.Generator, count: int, m: int, n: int) -> np.ndarray:
    """Matrices with a part per system, per dialogue and per summary."""
    return (
        generator.normal(size=(count, m, n))
        + 0.5 * generator.normal(size=(count, m, 1))
        + 0.5 * generator.normal(size=(count, 1, n))
    )


def made_study(world: World, seed: int) -> Data:
    """Features and ratings of a study."""
    generator = np.random.default_rng([seed, world.systems, world.informative, world.copied])
    m, n = world.systems, DIALOGUES
    x, y = layered(generator, FEATURES, m, n), layered(generator, 1, m, n)[0]
    x[: world.informative] = 0.65 * y + np.sqrt(1 - 0.65**2) * x[: world.informative]
    marks = np.array([[f"{i} {j}" for j in range(n)] for i in range(m)])
    if world.copied:
        for i in range(1, m, 2):
            x[:, i], y[i], marks[i] = x[:, i - 1], y[i - 1], marks[i - 1]
    rows = [(f"d{j:02}", f"s{i:02}", "original", "overall") for i in range(m) for j in range(n)]
    keys = pl.DataFrame(rows, schema=dict.fromkeys(KEY, pl.String), orient="row")
    values = y.ravel()
    frame = keys.with_columns(pl.Series("value", values))
    target = Target("quality", frame, "numbers", tuple(sorted(set(values.tolist()))), None, None, RatingPolicy())
    names = tuple(f"f{k}" for k in range(FEATURES))
    return Data(keys, names, x.reshape(FEATURES, -1).T, values, target, {}, tuple(marks.ravel().tolist()))


@dataclass(frozen=True, slots=True)
class Cell:
    """Studies of one kind, and how a metric is validated on them."""

    world: World
    split: str
    copies: Literal["purge", "keep"] = "purge"

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.world.systems} systems, {self.world.name}, split {self.split!r}, copies {self.copies}"


def study(cell: Cell, learner: str, trees: int, seed: int) -> dict[str, float]:
    """What the validation says of one study: correlations at both levels, and whether something is claimed."""
    data = made_study(cell.world, seed)
    recipe = candidates(learner, data.target, seed)[0].quicker(trees)
    made = validate(
        data,
        ratings_frame([]),
        recipes=[recipe],
        split=cell.split,
        copies=cell.copies,
        resamples=200,
        null=0,
        guard=False,
        seed=seed,
    )
    found = {}
    for level in ("summary", "system"):
        learned = made.value("pearson", level)
        if learned["value"] is None:
            continue
        difference = made.value("pearson", level, by="learned minus best single metric")
        above = learned["low"] is not None and learned["low"] > 0
        found[f"{level}: r"] = learned["value"]
        found[f"{level}: above zero"] = float(above)
        found[f"{level}: better than single"] = float(above and (difference["low"] or 0.0) > 0)
        found[f"{level}: single"] = made.value("pearson", level, by="best single metric")["value"]
    return found


def means(studies: Iterable[dict[str, float]]) -> dict[str, tuple[float, float]]:
    """The mean of each number over studies, and its standard error."""
    rows = list(studies)
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = np.array([row[name] for row in rows if name in row])
        found[name] = (float(values.mean()), float(values.std() / np.sqrt(len(values))))
    return found


def cells() -> Iterator[Cell]:
    """What is simulated."""
    for systems in (6, 14):
        for split in ("systems", "both", "dialogues"):
            yield Cell(World(systems), split)
    for split in ("systems", "both"):
        yield Cell(World(6, copied=True), split)
    yield Cell(World(6, copied=True), "systems", "keep")
    yield Cell(World(14, informative=1), "systems")
    yield Cell(World(14, informative=5), "systems")


def nested_coverage(folder: Path, dimension: str, level: float) -> dict[str, float]:
    """Of intervals made without a system at all: predictions, their errors and the width, every system held out."""
    corpus = read_dataset("dialsummeval:reproduction", folder)
    table = build_features(corpus, Scores.load(folder / "metric_scores.csv"), texts=TEXT_FEATURES)
    data = build_data(table, build_target(corpus.ratings, dimension, aggregate="mean"))
    recipe, systems = Recipe.build("ridge:alpha=100", data.target), data.keys["system"].to_numpy()
    held = {}
    for name in np.unique(systems):
        train, test = np.flatnonzero(systems != name), np.flatnonzero(systems == name)
        inner = data.part(train)
        said = np.full(len(train), np.nan)
        for other in np.unique(systems[train]):
            mine = systems[train] == other
            said[mine] = recipe.fit(inner.X[~mine], inner.y[~mine]).numbers(inner.X[mine])
        made = summary_intervals(inner, said, level)
        assert made is not None
        predicted = recipe.fit(inner.X, inner.y).numbers(data.X[test])
        held[str(name)] = float(np.mean(np.abs(data.y[test] - predicted) <= made.half_width))
    return {"coverage": float(np.mean(list(held.values()))), "worst system": min(held.values())}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="number of the first study")
    parser.add_argument("--learner", default="ridge:alpha=10", help="auto, or a learner with its settings")
    parser.add_argument("--trees", type=int, default=20, help="most trees of a forest")
    parser.add_argument("--systems", type=int, help="only studies of so many systems")
    parser.add_argument("--split", help="only this split")
    parser.add_argument("--noise", action="store_true", help="only systems held out, no copies, nothing to learn")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--data", type=Path, help="folder of DialSummEval: measure intervals instead")
    given = parser.parse_args()
    if given.data:
        for dimension in ("coherence", "consistency", "fluency", "relevance"):
            for level in (0.8, 0.9):
                print(dimension, level, nested_coverage(given.data, dimension, level), flush=True)
        return
    with ProcessPoolExecutor(given.workers) as pool:
        for cell in cells():
            others = cell.split == "dialogues" or cell.world.copied or cell.world.informative
            wanted = given.systems in (None, cell.world.systems) and given.split in (None, cell.split)
            if not wanted or (given.noise and others):
                continue
            numbers = range(given.first, given.first + given.studies)
            found = means(pool.map(partial(study, cell, given.learner, given.trees), numbers))
            shown = ", ".join(f"{name} {mean:.3f} ± {error:.3f}" for name, (mean, error) in found.items())
            print(f"{given.learner}, {given.studies} studies, {cell.name}: {shown}", flush=True)


if __name__ == "__main__":
    main()
