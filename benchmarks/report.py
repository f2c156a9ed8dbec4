"""What the page of a study of 100 dialogues, 14 systems and 32 metrics takes: CPU time to make it, and its size.

Nobody else is timed here: both numbers are held against their bars. Texts, scores and ratings are made up, the tables
are what the rooms make of them.
"""

import random
import statistics
import time

import numpy as np
import polars as pl

from benchmarks.timing import BenchResult
from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.metaeval import correlate, correlation_matrix, metric_pairs, trust
from dialgauge.metrics import Scores, all_metrics, parse_request
from dialgauge.progress import Progress
from dialgauge.ratings import aggregate, agreement, drift
from dialgauge.report import ReportData, render_report

#: Seconds of CPU and megabytes that a page of this size may take.
SECONDS_BAR, SIZE_BAR = 5.0, 5.0
DIALOGUES, SYSTEMS, METRICS = 100, 14, 32
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
_SEED = 20_261_115
_ROUNDS = 3
_RESAMPLES = 20
_COMPARED = 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def run(progress: Progress | None = None) -> list[BenchResult]:
    """All benchmarks of this suite; a ratio below 1 is within the bar."""
    if progress:
        progress("making up a study", 0, _ROUNDS + 1)
    data = made_report()
    seconds, page = [], ""
    for done in range(_ROUNDS):
        if progress:
            progress("rendering", done + 1, _ROUNDS + 1)
        start = time.process_time()
        page = render_report(data)
        seconds.append(time.process_time() - start)
    median, size = statistics.median(seconds), len(page.encode()) / 1e6
    texts = f"{DIALOGUES} dialogues × {SYSTEMS} systems × {METRICS} metrics × {len(DIMENSIONS)} dimensions, made up"
    return [
        BenchResult(
            "page, CPU time",
            median / SECONDS_BAR,
            f"bar of {SECONDS_BAR:g} s",
            median,
            SECONDS_BAR,
            {"texts": texts, "seconds": seconds},
        ),
        BenchResult(
            "page, size",
            size / SIZE_BAR,
            f"bar of {SIZE_BAR:g} MB",
            None,
            None,
            {"texts": texts, "megabytes": round(size, 3)},
        ),
    ]


def made_report(dialogues: int = DIALOGUES, systems: int = SYSTEMS, metrics: int = METRICS) -> ReportData:
    """The results of a made-up study of this size, with every table that a rated corpus has."""
    corpus = _corpus(dialogues, systems)
    scores = _scores(corpus, metrics)
    ratings = aggregate(corpus.ratings, "mean").wide()
    found = correlate(scores.frame, ratings, directions=scores.directions, oriented=True, resamples=_RESAMPLES)
    judging = found.frame.filter(
        pl.col("level") == "summary", pl.col("coefficient") == "pearson", pl.col("direction") != "none"
    )
    pairs = metric_pairs(
        judging, scores.frame, ratings, most=_COMPARED, directions=scores.directions, resamples=_RESAMPLES
    )
    return ReportData(
        "A made-up study",
        corpus,
        scores,
        found.frame,
        verdicts=trust(corpus, scores, resamples=_RESAMPLES, null_runs=0),
        ratings=ratings,
        agreement=agreement(corpus.ratings, ["krippendorff-alpha"], resamples=_RESAMPLES).frame,
        drift=drift(corpus.ratings).trends,
        between=correlation_matrix(scores.frame).frame,
        comparisons=pairs,
        settings={"seed": _SEED},
    )


def _corpus(dialogues: int, systems: int) -> Corpus:
    chance = random.Random(_SEED)
    words = ["".join(chance.choices(_LETTERS, k=chance.randint(2, 9))) for _ in range(4000)]

    def text(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most))).capitalize() + "."

    made_dialogues, summaries, ratings = [], [], []
    for d in range(dialogues):
        turns = tuple(Turn(name, text(4, 14)) for name in ("Ann", "Ben") * chance.randint(2, 8))
        made_dialogues.append(Dialogue(f"dialogue-{d:03}", turns, domain=f"domain {d % 5}"))
        for s in range(systems):
            name = f"system-{s:02}"
            summaries.append(Summary(f"dialogue-{d:03}", name, text(12, 40)))
            for dimension in DIMENSIONS:
                level = 1 + 4 * s / max(1, systems - 1) + chance.gauss(0, 1)
                for annotator in "123":
                    value = min(5, max(1, round(level + chance.gauss(0, 0.5))))
                    ratings.append(Rating(f"dialogue-{d:03}", name, annotator, dimension, value))
    return Corpus.build(made_dialogues, summaries, ratings)


def _scores(corpus: Corpus, metrics: int) -> Scores:
    """Scores that follow the ratings more or less, under the names and signatures of metrics that need no model."""
    known = [one for one in all_metrics().values() if one.level == "summary" and not one.models and not one.derived]
    requests = [parse_request(one.name) for one in known if one.extra is None][:metrics]
    rated = corpus.ratings.group_by(KEY, maintain_order=True).agg(pl.col("value").mean())
    generator = np.random.default_rng(_SEED)
    columns = {
        request.column: rated["value"] * (0.2 * i / metrics) + generator.normal(0, 1, rated.height)
        for i, request in enumerate(requests)
    }
    return Scores(
        rated.select(KEY).with_columns(**columns),
        {request.column: request.signature for request in requests},
        {request.column: request.metric.direction for request in requests},
    )
