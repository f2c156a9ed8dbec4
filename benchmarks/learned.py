"""How good metrics are that were trained on the published scores and ratings of DialSummEval, each system held out.

The ratio is the summary-level Pearson of the predictions: within each dialogue over its 14 systems (the reference is
one of them, as in the published study), then averaged. Every choice is made without the held-out system, texts of
held-out summaries are not trained on under another name, and predictions are taken minus the mean of their training.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.timing import BenchResult
from dialgauge.corpus import read_dataset
from dialgauge.errors import InputError
from dialgauge.learn import TEXT_FEATURES, build_data, build_features, build_target, validate
from dialgauge.metrics import Scores
from dialgauge.progress import Progress

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
SPLIT = "systems"
SEED = 0


@dataclass(frozen=True, slots=True)
class LearnedResult(BenchResult):
    """The correlation of a trained metric with its interval, beside the best single metric's."""

    low: float | None = None
    high: float | None = None
    best_single: float | None = None
    best_single_name: str = ""

    @classmethod
    def of(
        cls, name: str, learned: Mapping[str, Any], single: Mapping[str, Any], seconds: float, detail: dict[str, Any]
    ) -> "LearnedResult":
        """From two rows of a validation: the trained metric, and the single metric beside it."""
        return cls(
            name=name,
            ratio=learned["value"],
            peer=single["name"],
            seconds=seconds,
            peer_seconds=None,
            detail=detail,
            low=learned["low"],
            high=learned["high"],
            best_single=single["value"],
            best_single_name=single["name"],
        )


def run(
    progress: Progress | None = None,
    *,
    dimensions: Sequence[str] = DIMENSIONS,
    resamples: int = 1000,
    null: int = 20,
    seed: int = SEED,
) -> list[BenchResult]:
    """Train and validate a metric per dimension."""
    folder = data_folder()
    corpus = read_dataset("dialsummeval:reproduction", folder)
    table = build_features(corpus, Scores.load(folder / "metric_scores.csv"), texts=TEXT_FEATURES)
    results: list[BenchResult] = []
    for dimension in dimensions:
        start = time.process_time()
        # The published study averaged the zeros that its tool saved where nobody rated: the bar is set on the same.
        target = build_target(corpus.ratings, dimension, aggregate="majority-or-mean", on_invalid="keep")
        data = build_data(table, target)
        how: dict[str, Any] = {"split": SPLIT, "resamples": resamples, "null": null, "seed": seed, "interval": 0.9}
        made = validate(data, corpus.ratings, progress=progress, **how)
        learned = made.value("pearson")
        single = made.value("pearson", by="best single metric in hindsight")
        inside = made.value("pearson", by="best single metric")
        ceiling = made.value("pearson", by="human ceiling")
        detail = {
            "workload": f"{len(data.y):,} summaries, {len(data.names)} features, split {SPLIT!r}; "
            f"95 % interval {learned['low']:.3f}–{learned['high']:.3f}; best single metric {single['value']:.3f}",
            "system_level": made.value("pearson", "system")["value"],
            "within_systems": made.value("pearson within systems")["value"],
            "best_single_inside": f"{inside['name']} {inside['value']:.3f}",
            "claims": made.claims,
            "copies": {name: made.settings[name] for name in ("copied_texts", "purged_rows", "held_out_together")},
            "p": learned["p"],
            "interval": None if made.intervals is None else made.intervals.as_dict(),
            "hides": made.hides,
            "human_ceiling": ceiling["value"],
            "chosen": made.chosen.group_by("learner", "settings").len().sort("len", "settings").to_dicts(),
        }
        results.append(LearnedResult.of(dimension, learned, single, time.process_time() - start, detail))
    return results


def data_folder() -> Path:
    """The DialSummEval folder of the study data that DIALGAUGE_DATA points to."""
    folder = Path(os.environ.get("DIALGAUGE_DATA", "../shared/data")) / "dialsummeval"
    if not (folder / "metric_scores.csv").is_file():
        raise InputError(f"benchmark suite 'learned': no DialSummEval in {folder}; set DIALGAUGE_DATA to its parent")
    return folder
