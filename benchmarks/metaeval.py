"""Resampling of correlations beside nlpstats: the same draws, values equal to 1e-12, CPU time per 1,000 resamples."""

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.timing import BenchResult, check_agreement, interleave
from dialgauge.metaeval import (
    Coefficient,
    Level,
    Swaps,
    Weights,
    align,
    bootstrap_weights,
    correlate,
    count_draws,
    percentile_interval,
    permutation_test,
    weighted_values,
)
from dialgauge.progress import Progress

FloatArray = NDArray[np.float64]
PEER = "nlpstats"
RESAMPLES = 1000
#: The peer needs 30 to 70 ms for one resample at summary level; its time is scaled up from these.
_PEER_RESAMPLES = {"system": 200, "summary": 15}
_ROUNDS = 5
_TOLERANCE = 1e-12
_PEER_LEVEL = {"system": "system", "summary": "input"}


@dataclass(frozen=True, slots=True)
class _Data:
    """Two metrics and ratings (systems × dialogues), keyed frames of everything, and where they come from."""

    metric: FloatArray
    other: FloatArray
    ratings: FloatArray
    scores_frame: pl.DataFrame
    ratings_frame: pl.DataFrame
    origin: str


def run(progress: Progress | None = None) -> list[BenchResult]:
    """All benchmarks of this suite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer warns of every constant dialogue
        return _run(_load(), progress)


def _run(data: _Data, progress: Progress | None) -> list[BenchResult]:
    jobs: list[tuple[str, Callable[[str, _Data], BenchResult]]] = []
    levels: tuple[Level, ...] = ("system", "summary")
    coefficients: tuple[Coefficient, ...] = ("pearson", "kendall")
    for kind, make in (("bootstrap", _bootstrap), ("permutation", _permutation)):
        for level in levels:
            for coefficient in coefficients:
                jobs.append((f"{kind}-{level}-{coefficient}", make(level, coefficient)))
    jobs.append(("correlate-everything", _everything))
    results = []
    for done, (name, job) in enumerate(jobs):
        if progress:
            progress(name, done, len(jobs))
        results.append(job(name, data))
    if progress:
        progress("done", len(jobs), len(jobs))
    return results


def _bootstrap(level: Level, coefficient: Coefficient) -> Callable[[str, _Data], BenchResult]:
    def measure(name: str, data: _Data) -> BenchResult:
        from nlpstats.correlations import bootstrap as peer_bootstrap

        x, z = data.metric, data.ratings
        count = _PEER_RESAMPLES[level]

        def ours() -> tuple[float, float]:
            weights = bootstrap_weights(x.shape[0], x.shape[1], RESAMPLES, "both", seed=1)
            return percentile_interval(weighted_values(x, z, level, coefficient, weights), 0.95)

        def peer() -> Any:
            np.random.seed(1)  # noqa: NPY002  # the peer draws from the global generator
            return peer_bootstrap(x, z, _PEER_LEVEL[level], coefficient, "both", n_resamples=count)

        timing = interleave(ours, peer, rounds=_ROUNDS, units=RESAMPLES, peer_units=count)
        drawn = _peer_draws(x.shape, count)
        values = weighted_values(x, z, level, coefficient, drawn)
        apart = check_agreement(name, float(np.max(np.abs(values - timing.theirs.samples))), _TOLERANCE)
        return _result(name, timing, apart, data, count)

    return measure


def _permutation(level: Level, coefficient: Coefficient) -> Callable[[str, _Data], BenchResult]:
    def measure(name: str, data: _Data) -> BenchResult:
        from nlpstats.correlations import permutation_test as peer_test

        x, y, z = data.metric, data.other, data.ratings
        count = max(10, _PEER_RESAMPLES[level] // 2)

        def ours() -> Any:
            return permutation_test(x, y, z, level, coefficient, "both", resamples=RESAMPLES, seed=1)

        def peer() -> Any:
            np.random.seed(1)  # noqa: NPY002
            return peer_test(x, y, z, _PEER_LEVEL[level], coefficient, "both", n_resamples=count)

        timing = interleave(ours, peer, rounds=_ROUNDS, units=RESAMPLES, peer_units=count)
        swaps = _peer_swaps(x.shape, count)
        values = permutation_test(x, y, z, level, coefficient, swaps=swaps, scale="matrix").differences
        apart = check_agreement(name, float(np.max(np.abs(values - timing.theirs.samples))), _TOLERANCE)
        return _result(name, timing, apart, data, count)

    return measure


def _everything(name: str, data: _Data) -> BenchResult:
    """Every metric × dimension × two levels × 1,000 resamples, as ``dialgauge correlate`` runs it; it has no peer."""
    levels, coefficients = ("system", "summary"), ("pearson", "kendall")
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = correlate(
            data.scores_frame,
            data.ratings_frame,
            levels=levels,
            coefficients=coefficients,
            resamples=RESAMPLES,
            with_references=True,
        )
        seconds.append(time.process_time() - start)
    detail = {
        "workload": f"{result.frame.height} cells × {RESAMPLES} resamples: {' and '.join(coefficients)}, both levels",
        "data": data.origin,
    }
    return BenchResult(name, None, "nothing", sorted(seconds)[1], None, detail)


def _result(name: str, timing: Any, apart: float, data: _Data, count: int) -> BenchResult:
    detail = {
        "workload": f"{RESAMPLES} resamples; the peer's time is scaled from {count}",
        "largest_difference": apart,
        "tolerance": _TOLERANCE,
        "data": data.origin,
        "ratios": [round(ratio, 1) for ratio in timing.ratios],
    }
    return BenchResult(name, timing.ratio, PEER, timing.seconds, timing.peer_seconds, detail)


def _peer_draws(shape: tuple[int, ...], count: int) -> Weights:
    """The rows and columns that the peer draws after the same seed, as counts."""
    m, n = shape
    np.random.seed(1)  # noqa: NPY002
    pairs = [
        (np.random.choice(m, m, replace=True), np.random.choice(n, n, replace=True))  # noqa: NPY002
        for _ in range(count)
    ]
    rows, columns = (np.stack(part) for part in zip(*pairs, strict=True))
    return Weights(count_draws(rows, m), count_draws(columns, n))


def _peer_swaps(shape: tuple[int, ...], count: int) -> Swaps:
    m, n = shape
    np.random.seed(1)  # noqa: NPY002
    pairs = [(np.random.rand(m) > 0.5, np.random.rand(n) > 0.5) for _ in range(count)]  # noqa: NPY002
    systems, inputs = (np.stack(part) for part in zip(*pairs, strict=True))
    return Swaps(systems, inputs)


def _load() -> _Data:
    """DialSummEval where the environment variable DIALGAUGE_DATA points to it, else made data of the same shape."""
    folder = Path(os.environ.get("DIALGAUGE_DATA", "")) / "dialsummeval"
    if os.environ.get("DIALGAUGE_DATA") and folder.is_dir():
        scores = pl.read_csv(
            folder / "metric_scores.csv", schema_overrides={"dialogue_id": pl.String}, infer_schema_length=None
        )
        annotations = pl.read_ndjson(folder / "human_reproduction.jsonl")
        key, dimensions = ["dialogue_id", "system"], ["coherence", "consistency", "fluency", "relevance"]
        # One annotator: whole numbers, whose means tie exactly or not at all, whoever computes them.
        ratings = annotations.filter(pl.col("annotator") == 1).select(*key, *dimensions)
        metric, other, origin = "rouge-1", "bertscore_f1", "DialSummEval, 14 systems × 100 dialogues"
    else:
        scores, ratings = _made()
        metric, other, origin = "metric-00", "metric-01", "made data (seed 1), 14 systems × 100 dialogues"
    matrix = align(scores, ratings)
    return _Data(
        matrix.scores[matrix.metrics.index(metric)],
        matrix.scores[matrix.metrics.index(other)],
        matrix.ratings[0],
        scores,
        ratings,
        origin,
    )


def _made() -> tuple[pl.DataFrame, pl.DataFrame]:
    generator = np.random.Generator(np.random.PCG64(1))
    m, n, metrics, dimensions = 14, 100, 32, 4
    quality = generator.normal(size=(m, 1)) + generator.normal(size=(m, n))
    key = {
        "dialogue_id": [f"d{j:03}" for _ in range(m) for j in range(n)],
        "system": [f"s{i:02}" for i in range(m) for _ in range(n)],
    }
    scores = {f"metric-{k:02}": (quality + 2 * generator.normal(size=(m, n))).ravel() for k in range(metrics)}
    ratings = {
        f"dimension-{k}": np.clip(np.round(3 + quality + generator.normal(size=(m, n))), 1, 5).ravel()
        for k in range(dimensions)
    }
    return pl.DataFrame({**key, **scores}), pl.DataFrame({**key, **ratings})
