"""How far the validation of learned metrics can be trusted: features of noise, copied systems, and true features.

    python -m benchmarks.learned_noise --studies 60
    python -m benchmarks.learned_noise --data ../shared/data/dialsummeval

The first line prints a table of made studies: 15 features with parts per system (sd .5), per dialogue (.5) and per
summary (1), ratings of the same structure, a ridge regression. The second measures, on DialSummEval, how often the
intervals of single summaries hold, every system held out twice over.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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


def measure(world: World, split: str, copies: str, studies: int) -> dict[str, float]:
    """Means over studies: correlations at both levels, and how often something is claimed."""
    found: dict[str, list[float]] = {}
    for seed in range(studies):
        data = made_study(world, seed)
        made = validate(
            data,
            ratings_frame([]),
            recipes=[Recipe.build("ridge", data.target)],
            split=split,
            copies=copies,
            resamples=200,
            null=0,
            guard=False,
            seed=seed,
        )
        for level in ("summary", "system"):
            learned = made.value("pearson", level)
            difference = made.value("pearson", level, by="learned minus best single metric")
            if learned["value"] is None:
                continue
            above = learned["low"] is not None and learned["low"] > 0
            better = above and difference["low"] is not None and difference["low"] > 0
            for name, value in (("r", learned["value"]), ("above zero", above), ("better than single", better)):
                found.setdefault(f"{level}: {name}", []).append(float(value))
            single = made.value("pearson", level, by="best single metric")["value"]
            found.setdefault(f"{level}: single", []).append(single)
    return {name: float(np.mean(values)) for name, values in found.items()}


def cells() -> Iterator[tuple[World, str, str]]:
    """What is simulated."""
    for systems in (6, 14):
        for split in ("systems", "both", "dialogues"):
            yield World(systems), split, "purge"
    for split in ("systems", "both"):
        yield World(6, copied=True), split, "purge"
    yield World(6, copied=True), "systems", "keep"
    yield World(14, informative=1), "systems", "purge"
    yield World(14, informative=5), "systems", "purge"


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
    parser.add_argument("--data", type=Path, help="folder of DialSummEval: measure intervals instead")
    given = parser.parse_args()
    if given.data:
        for dimension in ("coherence", "consistency", "fluency", "relevance"):
            for level in (0.8, 0.9):
                print(dimension, level, nested_coverage(given.data, dimension, level), flush=True)
        return
    for world, split, copies in cells():
        found = measure(world, split, copies, given.studies)
        shown = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(f"{world.systems} systems, {world.name}, split {split!r}, copies {copies}: {shown}", flush=True)


if __name__ == "__main__":
    main()
