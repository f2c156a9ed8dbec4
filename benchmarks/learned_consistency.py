"""What the parts of the metric ``consistency`` add to a metric trained on ratings of consistency (DialSummEval).

As in the suite ``learned``: every system is held out in turn, and the ratio is the summary-level Pearson. Three sets of
features: the published metrics with features of the texts, the parts of ``consistency`` alone, and both.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from benchmarks.learned import SEED, SPLIT, LearnedResult, data_folder
from benchmarks.timing import BenchResult
from dialgauge.checker import judge_many
from dialgauge.corpus import KEY, Corpus, read_dataset
from dialgauge.learn import TEXT_FEATURES, build_data, build_features, build_target, validate
from dialgauge.metrics import Scores
from dialgauge.progress import Progress

PARTS = ("worst", "mean", "likelihood", "checks")


def run(progress: Progress | None = None, *, resamples: int = 1000, seed: int = SEED) -> list[BenchResult]:
    """Judge all summaries, then train and validate with each set of features."""
    folder = data_folder()
    corpus = read_dataset("dialsummeval:reproduction", folder)
    published = Scores.load(folder / "metric_scores.csv")
    parts = Scores(parts_of(corpus), dict.fromkeys(PARTS, "consistency"), dict.fromkeys(PARTS, "higher"))
    both = replace(
        published,
        frame=published.frame.join(parts.frame, on=list(KEY)),
        signatures={**published.signatures, **parts.signatures},
        directions={**published.directions, **parts.directions},
    )
    sets: Mapping[str, tuple[Scores, tuple[str, ...]]] = {
        "published metrics": (published, tuple(TEXT_FEATURES)),
        "parts of consistency": (parts, ()),
        "both": (both, tuple(TEXT_FEATURES)),
    }
    target = build_target(corpus.ratings, "consistency", aggregate="majority-or-mean", on_invalid="keep")
    results: list[BenchResult] = []
    for name, (scores, texts) in sets.items():
        start = time.process_time()
        data = build_data(build_features(corpus, scores, texts=texts), target)
        made = validate(data, corpus.ratings, split=SPLIT, resamples=resamples, seed=seed, progress=progress)
        learned, single = made.value("pearson"), made.value("pearson", by="best single metric")
        detail = {"workload": f"{len(data.y):,} summaries, {len(data.names)} features", "hides": made.hides}
        results.append(LearnedResult.of(name, learned, single, time.process_time() - start, detail))
    return results


def parts_of(corpus: Corpus) -> pl.DataFrame:
    """The parts of ``consistency`` for every summary, with its key."""
    sources = {dialogue.id: dialogue.text for dialogue in corpus.iter_dialogues()}
    rows = corpus.summaries.select(*KEY, "text")
    groups = [
        (sources[str(key)], some["text"].to_list(), some.drop("text"))
        for (key,), some in rows.group_by("dialogue_id", maintain_order=True)
    ]
    judged = judge_many([(source, texts) for source, texts, _ in groups], parts=PARTS)
    frames = [
        keys.with_columns(pl.Series(part, [one.parts[part] for one in mine], pl.Float64) for part in PARTS)
        for (_, _, keys), mine in zip(groups, judged, strict=True)
    ]
    return pl.concat(frames)
