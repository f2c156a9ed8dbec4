"""Agreement of a crowd: how long α, κ, ``dialgauge agreement`` and ``dialgauge run`` take with hundreds of workers.

``python -m benchmarks.crowd`` prints a line per measurement in seconds of CPU (this process and its children).
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import IntArray
from dialgauge.corpus import RATINGS, Corpus, Dialogue, Summary, Turn, write_corpus
from dialgauge.ratings._alpha import alpha_parts, alpha_statistic
from dialgauge.ratings._bootstrap import Interval, bootstrap_interval
from dialgauge.ratings._frame import UnitRatings, unit_ratings
from dialgauge.ratings._leave_out import LeaveOneOut
from dialgauge.ratings._pairs import pair_measure
from dialgauge.resampling import Intervals

DIMENSIONS = ("coherence", "consistency", "coverage", "fluency", "relevance")
#: One of these opens each summary, so that no two texts are equal and there is something to count.
WORDS = ("the", "agent", "asks", "for", "a", "number", "and", "the", "customer", "waits", "because", "of", "a", "bill")


def crowd(ratings: int, workers: int, *, per_unit: int = 5, systems: int = 8, seed: int = 0) -> pl.DataFrame:
    """Ratings on 1-5 by workers who take tasks at random; a task is one summary on five dimensions."""
    generator = np.random.default_rng(seed)
    tasks = ratings // len(DIMENSIONS)
    summaries = tasks // per_unit
    summary = np.repeat(np.arange(summaries), per_unit)
    # Each summary goes to different workers: a permutation's prefix per summary.
    worker = np.argpartition(generator.random((summaries, workers)), per_unit, axis=1)[:, :per_unit].ravel()
    bias = generator.normal(0, 0.5, workers)
    frames = []
    for dimension in DIMENSIONS:
        quality = generator.normal(3.2, 1.0, summaries)
        values = np.clip(np.round(quality[summary] + bias[worker] + generator.normal(0, 0.8, len(summary))), 1, 5)
        frames.append(
            pl.DataFrame(
                {
                    "dialogue_id": [f"d{number:06}" for number in summary // systems],
                    "system": [f"s{number}" for number in summary % systems],
                    "annotator": [f"w{number:03}" for number in worker],
                    "value": values,
                }
            ).with_columns(pl.lit(dimension).alias("dimension"))
        )
    whole = pl.concat(frames)
    filled = {"variant": "original", "role": "overall", "scale": "1-5"}
    empty: dict[str, Any] = {"sentence": pl.Int32, "comment": pl.String, "time": pl.Datetime("us")}
    return whole.with_columns(
        *(pl.lit(value).alias(name) for name, value in filled.items()),
        *(pl.lit(None, dtype=dtype).alias(name) for name, dtype in empty.items()),
    ).select(pl.col(name).cast(dtype) for name, dtype in RATINGS.items())


def corpus_around(ratings: pl.DataFrame, seed: int = 0) -> Corpus:
    """A corpus with made-up texts for what was rated."""
    generator = np.random.default_rng(seed)
    keys = ratings.select("dialogue_id", "system").unique().sort("dialogue_id", "system").rows()
    names = sorted({dialogue for dialogue, _ in keys})

    def text(length: int) -> str:
        return " ".join(WORDS[number] for number in generator.integers(len(WORDS), size=length)).capitalize() + "."

    dialogues = [Dialogue(name, (Turn("Agent", text(12)), Turn("Customer", text(15)))) for name in names]
    summaries = [Summary(name, "reference", text(14), kind="reference") for name in names]
    summaries += [Summary(dialogue, system, f"{dialogue} {text(14)}") for dialogue, system in keys]
    return replace(Corpus.build(dialogues, summaries), ratings=ratings)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _timed(label: str, work: Callable[[], object]) -> None:
    before = _cpu()
    result = work()
    print(f"{label:72} {_cpu() - before:7.2f} s  {result if result is not None else ''}", flush=True)


def _one_dimension(ratings: int, workers: int) -> UnitRatings:
    return unit_ratings(crowd(ratings * len(DIMENSIONS), workers).filter(pl.col("dimension") == DIMENSIONS[0]))


def measures(ratings: int, workers: int) -> None:
    """α, its interval over summaries and dialogues, α without each worker, and κ of all pairs, on one dimension."""
    given = _one_dimension(ratings, workers)
    label = f"{len(given.unit):,} ratings × {workers} workers"
    _timed(f"{label}: α", lambda: f"{alpha_statistic(given, 'ordinal').value:.4f}")
    for key in (("dialogue_id", "system"), ("dialogue_id",)):
        _timed(f"{label}: α, 1,000 resamples of {key[-1]}", partial(_alpha_interval, given, given.clusters(key)))
    _timed(f"{label}: α without each worker", lambda: _without_each(given))
    _timed(f"{label}: Cohen κ of all pairs", lambda: _pairs(given))


def _alpha_interval(given: UnitRatings, clusters: IntArray) -> Interval:
    return bootstrap_interval(alpha_statistic(given, "ordinal"), clusters, Intervals())


def _without_each(given: UnitRatings) -> str:
    values = LeaveOneOut(alpha_parts(given, "ordinal"), len(given.annotators)).values
    return f"{values.min():.4f} to {values.max():.4f}"


def _pairs(given: UnitRatings) -> str:
    pairs = pair_measure(given, "cohen-kappa", "quadratic", 20)
    return f"{pairs.statistic.value:.4f} over {pairs.counted:,} of {pairs.met:,} pairs"


def commands(ratings: int, workers: int) -> None:
    """The whole of ``dialgauge agreement`` and ``dialgauge run`` on a crowd."""
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(corpus_around(crowd(ratings, workers)), Path(folder) / "crowd")
        study = Path(folder) / "study.toml"
        study.write_text(
            '[study]\nname = "crowd"\n\n[corpus]\nsource = "crowd"\n\n[metrics]\nuse = ["rouge-1", "rouge-l"]\n',
            "utf-8",
        )
        label = f"{ratings:,} ratings × {workers} workers"
        for name, arguments in (("agreement", ["crowd"]), ("run", ["study.toml"])):
            command = [str(Path(sys.executable).with_name("dialgauge")), name, *arguments]
            _timed(f"{label}: dialgauge {name}", partial(subprocess.run, command, cwd=folder, check=True, stdout=-3))


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="A tenth of the ratings, to try the script.")
    part = 10 if parser.parse_args().small else 1
    measures(1_000_000 // part, 300)
    commands(56_000 // part, 283)


if __name__ == "__main__":
    main()
