"""What comparing systems from parts costs, and how its intervals lie beside those of data in memory.

``python -m benchmarks.part_sums`` prints seconds of CPU for ten metrics and 1,000 resamples at two sizes and what a
further pair costs, whether 1 and 16 parts give the same bits, and how far interval ends are from those of multinomial
draws of dialogues (which differ from each other, by seed, as much).
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.metaeval import PartComparison, bootstrap_weights, compare_parts, percentile_interval

SYSTEMS, METRICS, RESAMPLES = 14, 10, 1000


def made_scores(dialogues: int) -> pl.DataFrame:
    """Scores of systems with a part per system and per dialogue."""
    generator = np.random.default_rng(dialogues)
    shape = (dialogues, SYSTEMS, METRICS)
    values = (
        generator.random(shape) + generator.random((dialogues, 1, METRICS)) + generator.random((1, SYSTEMS, METRICS))
    )
    rows = [(f"dialogue {i}", f"s{k:02}", "original", "overall") for i in range(dialogues) for k in range(SYSTEMS)]
    keys = pl.DataFrame(rows, schema=dict.fromkeys(KEY, pl.String), orient="row")
    flat = values.reshape(-1, METRICS) / 3
    return keys.with_columns(pl.Series(f"m{i}", flat[:, i]) for i in range(METRICS))


def compared(scores: pl.DataFrame, parts: int, seed: int = 0) -> PartComparison:
    """Systems compared from so many parts."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{i}.parquet" for i in range(parts)]
        for file, part in zip(files, np.array_split(np.arange(scores.height), parts), strict=True):
            scores[part.tolist()].write_parquet(file)
        return compare_parts(files, resamples=RESAMPLES, seed=seed)


def multinomial_ends(scores: pl.DataFrame, seed: int) -> np.ndarray:
    """Interval ends of each system's mean by the first metric, dialogues drawn with replacement."""
    values = scores["m0"].to_numpy().reshape(-1, SYSTEMS)
    draws = bootstrap_weights(1, len(values), RESAMPLES, "inputs", seed).dialogues
    means = draws @ values / len(values)
    return np.array([percentile_interval(means[:, k], 0.95) for k in range(SYSTEMS)])


def main() -> None:
    """The command line."""
    compared(made_scores(10), 1)  # loads what is needed
    costs = []
    for dialogues in (5_000, 20_000):
        scores = made_scores(dialogues)
        start = time.process_time()
        many = compared(scores, 16)
        seconds = time.process_time() - start
        one = compared(scores, 1)
        same = all(getattr(one, name).equals(getattr(many, name)) for name in ("systems", "frame", "correlations"))
        print(f"{scores.height:,} pairs: {seconds:.2f} s of CPU, the same in one part: {same}", flush=True)
        costs.append((scores.height, seconds))
    (few, short), (many_pairs, long) = costs
    print(f"a further pair: {(long - short) / (many_pairs - few) * 1e6:.2f} µs")
    scores = made_scores(5_000)
    ends = [
        compared(scores, 1, seed).systems.filter(metric="m0").sort("system").select("low", "high").to_numpy()
        for seed in range(2)
    ]
    others = [multinomial_ends(scores, seed) for seed in range(2)]
    width = float(np.mean(others[0][:, 1] - others[0][:, 0]))
    rows = (("poisson and multinomial", ends[0], others[0]), ("two multinomial", others[0], others[1]))
    for name, first, second in rows:
        print(f"{name}: ends differ by {np.abs(first - second).mean() / width:.3f} of the width")


if __name__ == "__main__":
    main()
