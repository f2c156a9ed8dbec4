"""Which metrics follow the ratings of [Re] DialSummEval: those that run here, beside the 32 published ones.

    python benchmarks/dialsummeval_metrics.py --data DIALSUMMEVAL -m rouge -m bertscore -m lmscore-hyp

scores all 1,400 summaries (values of models are kept in the cache, so a stopped run goes on), correlates them with the
ratings of the reproduction, paired by key, and prints a Markdown table with Pearson's r at both levels. References are
among the systems and unset ratings are kept, as in the print; metrics where lower is better are turned round.
"""

import argparse
import sys
from pathlib import Path

import polars as pl

from dialgauge.corpus import read_dataset
from dialgauge.metaeval import correlate
from dialgauge.metrics import score
from dialgauge.ratings import aggregate

_DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
_LEVELS = ("system", "summary")
#: Published columns where lower is better.
_LOWER = ("ppl",)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="the folder of DialSummEval")
    parser.add_argument("-m", "--metric", action="append", required=True, help="a metric or family; repeat for several")
    return parser.parse_args()


def _rows(name: str, frame: pl.DataFrame, turned: set[str], ratings: pl.DataFrame) -> list[str]:
    """The lines of the table for these scores."""
    found = correlate(frame, ratings, levels=_LEVELS, coefficients="pearson", resamples=0).frame
    values = {(r["metric"], r["level"], r["dimension"]): r["value"] for r in found.iter_rows(named=True)}
    lines = []
    for metric in found["metric"].unique(maintain_order=True):
        sign = -1 if metric in turned else 1
        cells = [values[metric, level, dimension] for level in _LEVELS for dimension in _DIMENSIONS]
        shown = ["–" if cell is None else f"{sign * cell:.2f}".replace("-", "−") for cell in cells]
        lines.append(f"| {metric} | {name} | {' | '.join(shown)} |")
    return lines


def main() -> None:
    """Score, correlate, print."""
    arguments = _arguments()
    corpus = read_dataset("dialsummeval:reproduction", arguments.data)
    ratings = aggregate(corpus.ratings, "majority-or-mean", on_invalid="keep").wide()
    scores = score(
        corpus,
        arguments.metric,
        include_references=True,
        progress=lambda what, done, total: print(f"\r{what} ({done}/{total})\033[K", end="", file=sys.stderr),
    )
    print(file=sys.stderr)
    heads = [f"{dimension}, {level}" for level in _LEVELS for dimension in _DIMENSIONS]
    print(f"| metric | scored | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
    lower = {name for name, direction in scores.directions.items() if direction == "lower"}
    print("\n".join(_rows("here", scores.frame, lower, ratings)))
    published = pl.read_csv(arguments.data / "metric_scores.csv", schema_overrides={"dialogue_id": pl.String})
    print("\n".join(_rows("published", published, set(_LOWER), ratings)))
    print(f"seconds: { ({name: round(value, 1) for name, value in scores.seconds.items()}) }", file=sys.stderr)


if __name__ == "__main__":
    main()
