"""A corpus folder whose tables stand in any order: what a pair costs as the folder grows, and beside ordered tables.

    python -m benchmarks.any_order 20000 80000

Four summaries and a reference for each dialogue; every table is shuffled on its own. CPU seconds are those of the
driver and all its workers.
"""

import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

import polars as pl

from dialgauge.corpus import Corpus, write_corpus

METRICS = ("rouge-1", "rouge-1-p@source")
#: What a pair may cost in the larger folder, and in a shuffled one beside an ordered one.
GROWTH_BAR, SHUFFLED_BAR = 1.10, 1.25
_SYSTEMS, _SEED, _VOCABULARY, _WORDS, _TURN_WORDS = 4, 20_261_116, 20_000, 30, 50
_CHILD = (
    "import sys; from dialgauge.metrics import score_stream; from dialgauge.engine import engine; "
    "report = score_stream(sys.argv[1], sys.argv[3:], sys.argv[2], engine=engine('processes', workers=2)); "
    "print(report.rows)"
)


def write_folder(folder: Path, dialogues: int, order: Literal["ordered", "shuffled"]) -> None:
    """A corpus folder of this many dialogues."""
    rng = random.Random(_SEED)
    words = [f"w{number}" for number in range(_VOCABULARY)]

    def text(count: int) -> str:
        return " ".join(rng.choices(words, k=count))

    ids = [f"call-{number:08d}" for number in range(dialogues)]
    turns = [[{"speaker": who, "role": None, "text": text(_TURN_WORDS)} for who in "ABAB"] for _ in ids]
    rows = [(name, f"s{k}", "system" if k else "reference", text(_WORDS)) for name in ids for k in range(_SYSTEMS + 1)]
    summaries = pl.DataFrame(rows, schema=["dialogue_id", "system", "kind", "text"], orient="row")
    empty = Corpus()
    turned = {"turns": empty.dialogues.schema["turns"]}
    tables = {
        "dialogues": pl.DataFrame({"dialogue_id": ids, "turns": turns}, schema_overrides=turned),
        "summaries": summaries,
    }
    write_corpus(empty, folder)
    for seed, (name, frame) in enumerate(tables.items(), start=1):
        if order == "shuffled":
            frame = frame.sample(fraction=1.0, shuffle=True, seed=seed)
        frame.write_parquet(folder / f"{name}.parquet")


def microseconds(dialogues: int, order: Literal["ordered", "shuffled"]) -> float:
    """CPU of a pair, layout, start of workers and everything else included."""
    with tempfile.TemporaryDirectory(prefix="dialgauge-order-") as place:
        folder = Path(place) / "corpus"
        write_folder(folder, dialogues, order)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(folder), str(Path(place) / "scores"), *METRICS],
            check=True,
            capture_output=True,
            text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    pairs = int(done.stdout.split()[-1])
    return 1e6 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / pairs


def main() -> None:
    """The table, and how it compares with the bars."""
    small, large = map(int, sys.argv[1:3] or ("20000", "80000"))
    found = {(size, order): microseconds(size, order) for size in (small, large) for order in ("ordered", "shuffled")}
    for (size, order), cost in found.items():
        print(f"{size:>9,} dialogues, {order}: {cost:6.1f} µs of CPU a pair", flush=True)
    growth = found[large, "shuffled"] / found[small, "shuffled"]
    beside = found[large, "shuffled"] / found[large, "ordered"]
    print(f"growth {growth:.2f} (bar {GROWTH_BAR}), beside ordered {beside:.2f} (bar {SHUFFLED_BAR})")


if __name__ == "__main__":
    main()
