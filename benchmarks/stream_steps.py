"""What a stream takes besides scoring, for each pair: to describe its input, to resume, to merge, to compare systems.

    python -m benchmarks.stream_steps 100000 400000

CPU of one process. A finished run is repeated: its input is digested and cut, every part and record is read and
checked, sums are merged and the manifest is written. Systems are then compared from the parts with 1,000 resamples.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.scale import CHUNK, METRICS, _write_pairs
from dialgauge.engine import engine
from dialgauge.metaeval import compare_parts
from dialgauge.metrics import _stream, part_directions, part_files, score_stream

_RESAMPLES = 1000


class _Timed:
    """A function that adds up its CPU time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments: Any) -> Any:
        start = time.process_time()
        try:
            return self.function(*arguments)
        finally:
            self.seconds += time.process_time() - start


def measure(pairs: int) -> dict[str, float]:
    """Microseconds for each pair, by step."""
    with tempfile.TemporaryDirectory(prefix="dialgauge-steps-") as folder:
        source, output = Path(folder) / "pairs.parquet", str(Path(folder) / "scores")
        _write_pairs(source, pairs)
        score_stream(source, METRICS, output, chunk_size=CHUNK, engine=engine("processes"))
        checked, merged = _Timed(_stream._finished), _Timed(_stream._report)
        with patch.object(_stream, "_finished", checked), patch.object(_stream, "_report", merged):
            start = time.process_time()
            score_stream(source, METRICS, output, chunk_size=CHUNK)
            repeated = time.process_time() - start
        start = time.process_time()
        compare_parts(part_files(output)[0], resamples=_RESAMPLES, directions=part_directions(output))
        compared = time.process_time() - start
    steps = {
        "input": repeated - checked.seconds - merged.seconds,
        "resume": checked.seconds,
        "merge": merged.seconds,
        "compare": compared,
    }
    return {name: 1e6 * seconds / pairs for name, seconds in steps.items()}


def main() -> None:
    """A line for each size."""
    measure(CHUNK)  # loads what is needed
    for pairs in map(int, sys.argv[1:] or ("100000", "400000")):
        steps = ", ".join(f"{name} {value:.3f}" for name, value in measure(pairs).items())
        print(f"{pairs:>11,} pairs, µs of CPU each: {steps}", flush=True)


if __name__ == "__main__":
    main()
