"""Does a model of the raters find the truth where the mean does not? Simulated raters, honest and otherwise.

``python -m benchmarks.raters`` prints the correlation of each way of aggregation with the true quality, how well
spammers are found and how often 90 % intervals hold; ``python -m benchmarks.raters --speed`` times a million ratings.
"""

import resource
import sys
import time
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.arrays import BoolArray, FloatArray, IntArray
from dialgauge.corpus import RATINGS
from dialgauge.ratings import aggregate, rater_model

#: Between the five points of the scale, in standard deviations of quality.
CUTS = (-1.5, -0.5, 0.5, 1.5)
METHODS = ("mean", "majority-or-mean", "dawid-skene", "mace", "model")


@dataclass(frozen=True, slots=True)
class World:
    """How raters are: their number, how many rate an item, the spread of their severity, the share of spammers."""

    items: int = 600
    raters: int = 30
    each: int = 3
    severity: float = 0.5
    spammers: float = 0.0


WORLDS = {
    "no severity, no spammers": World(severity=0.0),
    "severity": World(),
    "severity, 20 % spammers": World(spammers=0.2),
    "severity, 40 % spammers": World(spammers=0.4),
    "40 % spammers, 5 ratings each": World(spammers=0.4, each=5),
    "2 of 6 raters spam": World(raters=6, spammers=1 / 3),
    "2,000 items, 100 raters, 30 % spam": World(items=2000, raters=100, spammers=0.3),
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """Ratings with what is true of them: the quality of each item; severity and honesty of each rater."""

    ratings: pl.DataFrame
    quality: FloatArray
    severity: FloatArray
    noise: FloatArray
    spammer: BoolArray


def simulate(world: World, seed: int) -> Simulated:
    """Ratings on five points; spammers rate at random, always 4 or 5, or always near 3."""
    generator = np.random.default_rng(seed)
    quality = generator.standard_normal(world.items)
    severity = world.severity * generator.standard_normal(world.raters)
    noise = generator.uniform(0.25, 0.7, world.raters)
    who = _draw_raters(generator, world)
    felt = quality[:, None] - severity[who] + noise[who] * generator.standard_normal(who.shape)
    honest = np.digitize(felt, CUTS) + 1
    spammer = np.zeros(world.raters, dtype=bool)
    spammer[generator.permutation(world.raters)[: round(world.spammers * world.raters)]] = True
    habits = np.stack(
        [
            generator.integers(1, 6, who.shape),
            generator.integers(4, 6, who.shape),
            np.clip(np.round(3 + 0.5 * generator.standard_normal(who.shape)), 1, 5).astype(int),
        ]
    )
    habit = generator.integers(3, size=world.raters)
    careless = np.take_along_axis(habits, habit[who][None], axis=0)[0]
    return Simulated(_frame(who, np.where(spammer[who], careless, honest)), quality, severity, noise, spammer)


def _draw_raters(generator: np.random.Generator, world: World) -> IntArray:
    """For each item different raters: a random start and steps around a circle, which needs no items × raters."""
    start = generator.integers(world.raters, size=(world.items, 1))
    steps = np.stack([generator.permutation(world.raters - 1)[: world.each - 1] + 1 for _ in range(499)])
    drawn = steps[generator.integers(499, size=world.items)]
    places = np.concatenate([np.zeros((world.items, 1), dtype=np.int64), drawn], axis=1)
    return np.asarray((places + start) % world.raters)


def _frame(who: IntArray, values: IntArray) -> pl.DataFrame:
    items, each = who.shape
    columns = {
        "dialogue_id": pl.Series(np.repeat(np.arange(items), each)).cast(pl.String).str.zfill(7),
        "annotator": pl.Series(who.ravel()).cast(pl.String).str.zfill(4),
        "value": values.ravel().astype(np.float64),
    }
    fixed = {"system": "s", "variant": "original", "role": "overall", "dimension": "quality", "scale": "1-5"}
    return pl.DataFrame(columns).select(
        pl.col(name).cast(kind) if name in columns else pl.lit(fixed.get(name), kind).alias(name)
        for name, kind in RATINGS.items()
    )


def measure(world: World, seed: int, methods: tuple[str, ...] = METHODS) -> dict[str, float]:
    """The correlation of each method's values with the truth; for the model also how raters were understood."""
    made = simulate(world, seed)
    result = {}
    for method in methods:
        frame = aggregate(made.ratings, method).frame.sort("dialogue_id")
        result[method] = float(np.corrcoef(frame["value"], made.quality)[0, 1])
    found = rater_model(made.ratings, confidence=0.9)
    profiles = found.raters.sort("annotator")
    odds, honest = profiles["spammer"].to_numpy(), ~made.spammer
    nan = float("nan")
    if made.spammer.any():
        above = odds[made.spammer][:, None] - odds[honest][None]
        result["spammer AUC"] = float(((above > 0) + 0.5 * (above == 0)).mean())
        flagged = (profiles["flag"] == "spammer").fill_null(False).to_numpy()
        result["found"], result["accused"] = float(flagged[made.spammer].mean()), float(flagged[honest].mean())
    severity, error = (profiles[name].to_numpy()[honest] for name in ("severity", "severity_error"))
    truth = made.severity[honest]
    result["severity r"] = float(np.corrcoef(severity, truth)[0, 1]) if world.severity else nan
    # Only differences between raters are known: all of them harsher is the same as all items worse.
    apart = np.abs((severity - severity.mean()) - (truth - truth.mean()))
    result["90 % interval of severity holds"] = float((apart <= 1.645 * error).mean())
    items = found.items.sort("dialogue_id")
    result["quality of the model"] = float(np.corrcoef(items["quality"], made.quality)[0, 1])
    result["raters known"] = float(np.corrcoef(with_raters_known(made), made.quality)[0, 1])
    off = np.abs(items["quality"].to_numpy() - made.quality)
    result["90 % interval holds"] = float((off <= 1.645 * items["quality_sd"].to_numpy()).mean())
    return result


def with_raters_known(made: Simulated) -> FloatArray:
    """What could be said of the items if severity, noise and honesty of every rater were known: no model says more."""
    from scipy.special import ndtr

    qualities = np.linspace(-4, 4, 161)
    inner = [(cut + made.severity[:, None] - qualities) / made.noise[:, None] for cut in CUTS]
    below = np.stack([np.zeros_like(inner[0]), *map(ndtr, inner), np.ones_like(inner[0])], axis=1)
    chances = np.log(np.maximum(np.diff(below, axis=1), 1e-12))
    chances[made.spammer] = 0.0
    item, rater = (made.ratings[name].cast(pl.Int64).to_numpy() for name in ("dialogue_id", "annotator"))
    posterior = np.tile(-0.5 * qualities**2, (len(made.quality), 1))
    np.add.at(posterior, item, chances[rater, made.ratings["value"].to_numpy().astype(int) - 1])
    posterior = np.exp(posterior - posterior.max(axis=1, keepdims=True))
    return np.asarray(posterior @ qualities / posterior.sum(axis=1))


def compare(seeds: int = 12) -> None:
    """Print the table of the documentation."""
    for name, world in WORLDS.items():
        runs = [measure(world, seed) for seed in range(seeds)]
        means = {key: np.mean([run[key] for run in runs]) for key in runs[0]}
        errors = {key: np.std([run[key] for run in runs]) / np.sqrt(seeds) for key in ("mean", "model", "raters known")}
        print(name, "  ".join(f"{key} {value:.3f}" for key, value in means.items() if value == value), flush=True)
        print("  standard errors:", "  ".join(f"{key} {value:.3f}" for key, value in errors.items()), flush=True)


def speed(items: int = 333_334, raters: int = 300) -> None:
    """Time a million ratings by 300 workers, from the frame of ratings to values, and print the highest memory."""
    made = simulate(World(items, raters, spammers=0.2), 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    found = rater_model(made.ratings, confidence=0.9)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    r = np.corrcoef(found.items["quality"], made.quality)[0, 1]
    mean = np.corrcoef(aggregate(made.ratings).frame["value"], made.quality)[0, 1]
    print(f"{made.ratings.height:,} ratings: {seconds:.1f} s of CPU, {memory:.0f} MiB at most ({before:.0f} before)")
    print(f"r with the truth: model {r:.3f}, mean {mean:.3f}")


if __name__ == "__main__":
    speed() if "--speed" in sys.argv else compare()
