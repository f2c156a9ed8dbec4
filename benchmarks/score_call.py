"""What the most common call takes, from its start to its end: ``dialgauge score FILE`` on 500 pairs of one system.

    python -m benchmarks.score_call 9

CPU seconds of the process and all that it starts, as a table and with ``--json``; least, median and most of so many
runs of each, one after the other. The bar is 0.6 s.
"""

import csv
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.scale import _draws, _rows

PAIRS, BAR = 500, 0.6
METRICS = ("rouge", "chrf", "bleu")
_CODE = "import sys; sys.argv[0] = 'dialgauge'; from dialgauge.cli import main; main()"


def write_file(path: Path) -> None:
    """Pairs of summary and reference as CSV, drawn with a seed."""
    rng = random.Random(PAIRS)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(5_000)]
    rows = _rows(rng, _draws(rng, words, [1 / (rank + 10) for rank in range(len(words))]), 0, 5 * PAIRS)
    first = [row for row in rows if row[1] == "system-0"]
    with path.open("w", newline="") as lines:
        csv.writer(lines).writerows([("dialogue_id", "system", "summary", "reference"), *first])


def cpu_seconds(file: Path, *more: str) -> float:
    """CPU seconds of one call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    asked = [word for metric in METRICS for word in ("-m", metric)]
    command = [sys.executable, "-c", _CODE, "score", str(file), *asked, *more]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """A line for each way to print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    found: dict[str, list[float]] = {"table": [], "--json": []}
    with tempfile.TemporaryDirectory(prefix="dialgauge-call-") as folder:
        file = Path(folder) / "pairs.csv"
        write_file(file)
        cpu_seconds(file)  # compiles modules
        for _ in range(runs):
            for way, seconds in found.items():
                seconds.append(cpu_seconds(file, *([way] if way.startswith("-") else [])))
    for way, seconds in found.items():
        least, middle, most = min(seconds), statistics.median(seconds), max(seconds)
        print(f"{way:>7}: {least:.2f} s of CPU at least, {middle:.2f} in the median, {most:.2f} at most (bar {BAR})")


if __name__ == "__main__":
    main()
