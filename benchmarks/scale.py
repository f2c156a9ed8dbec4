"""How memory and cost grow with the number of summaries: 10³ to 10⁶ pairs streamed through ROUGE, chrF and BLEU.

Nobody else is timed here: a run is held against a smaller one of its own. CPU time and memory are those of the driver
and all its workers together, read from the system while a run goes on in a process of its own.

    python -m benchmarks.scale 100000 10000000

measures two sizes beside each other, two workers each. Beyond a million, pairs come again under other names: no chunk
has a text twice that it would not have anyway, so nothing is saved by it but the time to make them up.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.timing import BenchResult
from dialgauge.engine import Engine, engine
from dialgauge.errors import DialgaugeError
from dialgauge.progress import Progress

METRICS = ("rouge-1", "rouge-2", "rouge-l", "chrf", "bleu-4")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
WORKERS = (1, 2)
CHUNK = 10_000
#: What the largest run may take in memory, in MiB, and a pair in it in multiples of one in a run of 10,000.
MEMORY_BAR, GROWTH_BAR = 2048.0, 1.15
_BASE = 10_000
_SEED = 20_261_115
_SYSTEMS = 5
_VOCABULARY = 20_000
#: How many of the words of a reference a summary has changed.
_CHANGED = 0.45
#: Small runs are repeated, and the median counts: one of a hundredth of a second says nothing.
_REPEATED = 5
_LOOK_EVERY = 0.05
#: So many different pairs; what is larger repeats them.
_DIFFERENT = 1_000_000
#: What ten million pairs may take in memory, in MiB.
_LARGE_MEMORY_BAR = 1434.0
#: No file, so nothing that a worker could run again: no main guard is needed.
_CHILD = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); "
    "from benchmarks.scale import stream; "
    "stream(sys.argv[1], sys.argv[2], int(sys.argv[3]))"
)


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run took: CPU seconds of the workers on their chunks and of the driver, and peak memory of them all."""

    pairs: int
    workers: int
    seconds: float
    chunks_cpu: float
    driver_cpu: float
    memory: float

    @property
    def cost(self) -> float:
        """Microseconds of CPU per pair, driver included."""
        return 1e6 * (self.chunks_cpu + self.driver_cpu) / self.pairs

    @property
    def least_cost(self) -> float:
        """Without the driver, whose costs are mostly those of a start: so a short run is not made to look dear."""
        return 1e6 * self.chunks_cpu / self.pairs


@dataclass(frozen=True, slots=True)
class _MeteredTask:
    """A task whose results come with the CPU seconds that they took, on a worker that is warm."""

    task: Any

    def setup(self) -> None:
        from dialgauge.metrics import score_pairs

        self.task.setup()
        score_pairs(["a warm start"], ["a start that is warm"], METRICS)

    def __call__(self, chunk: Any) -> tuple[float, Any]:
        start = time.process_time()
        result = self.task(chunk)
        return time.process_time() - start, result


@dataclass(slots=True)
class _Metered:
    """An engine that adds up what its workers take."""

    inner: Engine
    name: str = "metered"
    local: bool = False
    seconds: float = 0.0

    @property
    def workers(self) -> int:
        return self.inner.workers

    def run(self, task: Any, chunks: Iterable[Any]) -> Iterator[Any]:
        for seconds, result in self.inner.run(_MeteredTask(task), chunks):
            self.seconds += seconds
            yield result


def stream(source: str, output: str, workers: int) -> None:
    """What the measured process does; prints the CPU seconds of the chunks and of the driver."""
    from dialgauge.metrics import score_stream

    metered = _Metered(engine("processes", workers=workers))
    start = time.process_time()
    score_stream(source, METRICS, output, chunk_size=CHUNK, engine=metered)
    print(json.dumps([metered.seconds, time.process_time() - start]))


def run(progress: Progress | None = None) -> list[BenchResult]:
    """Every size with every number of workers; then what the largest took in memory, and how the cost grew."""
    if not Path("/proc/self/stat").exists():
        return [BenchResult.skipped("memory", "2 GiB", "needs /proc, as Linux has it")]
    runs: list[_Run] = []
    with tempfile.TemporaryDirectory(prefix="dialgauge-scale-") as folder:
        place = Path(folder)
        for number, size in enumerate(SIZES):
            _write_pairs(place / f"{size}.parquet", size)
            for workers in WORKERS:
                if progress:
                    progress(f"{size:,} pairs, {workers} workers", number, len(SIZES))
                again = _REPEATED if size <= _BASE else 1
                several = [_measure(place, f"{size}.parquet", size, workers) for _ in range(again)]
                runs.append(sorted(several, key=lambda one: one.chunks_cpu)[again // 2])
            (place / f"{size}.parquet").unlink()
    if progress:
        progress("done", len(SIZES), len(SIZES))
    return _results(runs)


def _results(runs: list[_Run]) -> list[BenchResult]:
    by_key = {(one.pairs, one.workers): one for one in runs}
    largest = by_key[max(SIZES), max(WORKERS)]
    base = by_key[min(_BASE, max(SIZES)), max(WORKERS)]
    table = [
        {
            "pairs": one.pairs,
            "workers": one.workers,
            "seconds": round(one.seconds, 2),
            "chunks_cpu_seconds": round(one.chunks_cpu, 3),
            "driver_cpu_seconds": round(one.driver_cpu, 3),
            "microseconds_per_pair": round(one.cost, 2),
            "microseconds_per_pair_of_chunks": round(one.least_cost, 2),
            "memory_mib": round(one.memory, 1),
        }
        for one in runs
    ]
    shared = {"metrics": list(METRICS), "chunk_size": CHUNK, "runs": table, "direction": "lower is better"}
    return [
        BenchResult(
            "memory",
            largest.memory / MEMORY_BAR,
            "2 GiB",
            largest.seconds,
            None,
            shared
            | {
                "bar": 1.0,
                "rss_mib": largest.memory,
                "workload": f"{largest.pairs:,} pairs, {largest.workers} workers: {largest.memory:,.0f} MiB at most in "
                "all processes; lower is better, the bar is 1",
            },
        ),
        BenchResult(
            "growth",
            largest.cost / base.least_cost,
            f"{base.pairs:,} pairs",
            largest.chunks_cpu + largest.driver_cpu,
            base.chunks_cpu,
            shared
            | {
                "bar": GROWTH_BAR,
                "cost": largest.cost,
                "base_cost": base.least_cost,
                "workload": f"CPU per pair: {largest.cost:.1f} µs of {largest.pairs:,} with the driver, "
                f"{base.least_cost:.1f} µs of {base.pairs:,} without; lower is better, the bar is {GROWTH_BAR}",
            },
        ),
    ]


def _write_pairs(path: Path, count: int) -> None:
    """Summaries of five systems beside the reference that they share: about 22 words, frequent ones more often."""
    rng = random.Random(_SEED)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(_VOCABULARY)]
    weights = [1 / (rank + 10) for rank in range(_VOCABULARY)]
    drawn = _draws(rng, words, weights)
    size, different = 250_000, min(count, _DIFFERENT)
    frames = []
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        for first in range(0, max(different, 1), size):
            rows = list(_rows(rng, drawn, first, min(first + size, different)))
            part = Path(folder) / f"{first}.parquet"
            schema = dict.fromkeys(("dialogue_id", "system", "summary", "reference"), pl.String)
            pl.DataFrame(rows, schema=schema, orient="row").write_parquet(part)
            frames.append(pl.scan_parquet(part))
        once = pl.concat(frames)
        again = [
            once.with_columns(pl.format(f"{turn}-{{}}", "dialogue_id").alias("dialogue_id"))
            for turn in range(1, -(-count // different))
        ]
        pl.concat([once, *again]).head(count).sink_parquet(path, row_group_size=100_000)


def _draws(rng: random.Random, words: list[str], weights: list[float]) -> Iterator[str]:
    cumulative = list(accumulate(weights))
    while True:
        yield from rng.choices(words, cum_weights=cumulative, k=10_000)


def _rows(rng: random.Random, drawn: Iterator[str], first: int, last: int) -> Iterator[tuple[str, str, str, str]]:
    reference: list[str] = []
    for number in range(first, last):
        dialogue, system = divmod(number, _SYSTEMS)
        if not reference or system == 0:
            reference = [next(drawn) for _ in range(rng.randint(15, 29))]
        summary = [next(drawn) if rng.random() < _CHANGED else word for word in reference]
        yield f"call-{dialogue:07d}", f"system-{system}", _sentence(summary), _sentence(reference)


def _sentence(words: list[str]) -> str:
    return f"{words[0].capitalize()} {' '.join(words[1:])}."


def _measure(folder: Path, name: str, pairs: int, workers: int) -> _Run:
    """Run in a process of its own, and look at it and its children again and again."""
    with tempfile.TemporaryDirectory(dir=folder) as output:
        arguments = [str(folder / name), f"{output}/scores", str(workers)]
        began = time.monotonic()
        process = subprocess.Popen([sys.executable, "-c", _CHILD, *arguments], stdout=subprocess.PIPE, text=True)
        memory = 0.0
        while process.poll() is None:
            memory = max(memory, _tree_memory(process.pid))
            time.sleep(_LOOK_EVERY if pairs <= _DIFFERENT else 10 * _LOOK_EVERY)
        seconds = time.monotonic() - began
        assert process.stdout is not None
        with process.stdout as said:
            lines = said.read().splitlines()
    if process.returncode or not lines:
        raise DialgaugeError(f"benchmark 'scale': the run of {pairs:,} pairs ended with exit code {process.returncode}")
    chunks, driver = json.loads(lines[-1])
    return _Run(pairs, workers, seconds, chunks, driver, memory)


def _tree_memory(root: int) -> float:
    """The resident memory of a process and all below it, in MiB; pages that they share are counted for each."""
    parents: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.name))
        pages[int(entry.name)] = int(fields[21])
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += pages.get(process, 0)
        waiting += parents.get(process, [])
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Two sizes beside each other, and how the larger compares with the bars."""
    small, large = map(int, sys.argv[1:3] or ("100000", "10000000"))
    found = []
    with tempfile.TemporaryDirectory(prefix="dialgauge-scale-") as folder:
        for size in (small, large):
            _write_pairs(Path(folder) / f"{size}.parquet", size)
            one = _measure(Path(folder), f"{size}.parquet", size, max(WORKERS))
            (Path(folder) / f"{size}.parquet").unlink()
            print(
                f"{size:>11,} pairs: {one.cost:.1f} µs of CPU a pair, {one.memory:,.0f} MiB, {one.seconds:.0f} s",
                flush=True,
            )
            found.append(one)
    growth = found[1].cost / found[0].cost
    print(f"growth {growth:.3f} (bar {GROWTH_BAR}), memory {found[1].memory:,.0f} MiB (bar {_LARGE_MEMORY_BAR:,.0f})")


if __name__ == "__main__":
    main()
