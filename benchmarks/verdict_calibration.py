"""How often the verdict names a metric of noise, and how often it finds a true one: simulated, and on real ratings.

    python -m benchmarks.verdict_calibration --results FILE --seconds 300
    python -m benchmarks.verdict_calibration --results FILE --page benchmarks/VERDICT.md

The first line works through the cells that FILE does not have yet and stops after so many seconds of CPU; run it again
to continue. The second writes the page from what there is.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.corpus import KEY, Corpus, Dialogue, Rating, Summary, Turn
from dialgauge.metaeval import Level, TrustSettings, coefficient_parts, decide, trust, undominated
from dialgauge.metrics import Scores

FloatArray = NDArray[np.float64]

SIZES = tuple((m, n) for m in (2, 3, 4, 6, 14) for n in (20, 40, 100))
#: What the noise looks like; see :func:`noise`.
SHAPES = {
    "system effects": "systems differ (sd .5 beside 1 within)",
    "no system effects": "systems are alike",
    "dialogue effects": "dialogues differ much (sd 2)",
    "skewed": "log-normal scores and ratings",
    "ordinal": "one rating of 1 to 3",
    "missing cells": "15 % of summaries missing, and 5 % of ratings",
    "Kendall": "system effects; Kendall's τ",
}
#: Not in the mean: what the rule would get wrong with dialogues shuffled alone, and other coefficients.
FURTHER = {
    "large system effects": "systems differ (sd 1.5)",
    "slopes": "systems react differently to the length of a dialogue, in scores and ratings alike",
    "Spearman": "system effects; Spearman's ρ",
    "mean": "system effects; mean of the three coefficients",
    "accuracy": "system effects; pairwise accuracy",
    "whole systems": "ten of the 30 metrics have one value per system (from five systems on they are judged)",
    "system level": "system effects; Pearson's r of systems' means",
    "global level": "system effects; Pearson's r over all summaries",
}
COEFFICIENTS = {"Kendall": "kendall", "Spearman": "spearman", "mean": "mean", "accuracy": "pairwise_accuracy"}
LEVELS: dict[str, Level] = {"system level": "system", "global level": "global"}
#: What is shuffled in real ratings.
SHUFFLED = {"permuted": "systems and dialogues", "systems permuted": "systems"}
#: Levels and coefficients whose marks are simulated.
MARKED: tuple[tuple[Level, str], ...] = (
    ("summary", "pearson"),
    ("summary", "kendall"),
    ("summary", "pairwise_accuracy"),
    ("system", "pearson"),
    ("system", "kendall"),
    ("global", "pearson"),
)
DIMENSIONS, METRICS, FEW = 4, 30, 5
#: Shuffles of a decision where they are random: enough for an exact test at .05.
RESAMPLES = 200
STUDIES, FURTHER_STUDIES, REAL_STUDIES = 600, 300, 1000
#: Another number draws other studies: the rule was chosen on those of 1, the page shows those of 2.
DRAW = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of study: which question, what the data look like, how many systems and dialogues."""

    question: str
    shape: str
    systems: int
    dialogues: int
    r: float = 0.0

    @property
    def key(self) -> str:
        """A name that a results file knows it by."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def generator(self) -> np.random.Generator:
        """Each cell has random numbers of its own."""
        return np.random.default_rng([DRAW, *self.key.encode()])


@dataclass(frozen=True, slots=True)
class Study:
    """Scores, ratings and what is known of each dialogue."""

    scores: FloatArray
    ratings: FloatArray
    covariates: FloatArray


def layered(generator: np.random.Generator, count: int, m: int, n: int, system: float, dialogue: float) -> FloatArray:
    """Matrices with effects of systems and of dialogues beside cells of sd 1."""
    return (
        generator.normal(size=(count, m, n))
        + system * generator.normal(size=(count, m, 1))
        + dialogue * generator.normal(size=(count, 1, n))
    )


def rated(generator: np.random.Generator, quality: FloatArray, shape: str) -> FloatArray:
    """What raters say: the mean of three on 1 to 5, or as the shape has it."""
    if shape == "skewed":
        return np.asarray(np.exp(quality))
    if shape == "ordinal":
        return np.clip(np.round(2 + quality), 1, 3)
    heard = quality + 0.6 * generator.normal(size=(3, *quality.shape))
    return np.asarray(np.clip(np.round(3 + heard), 1, 5).mean(axis=0))


def noise(generator: np.random.Generator, cell: Cell) -> Study:
    """A study whose metrics have nothing to do with the ratings, except the first one where the cell has an r."""
    m, n, shape = cell.systems, cell.dialogues, cell.shape
    system = {"no system effects": 0.0, "large system effects": 1.5}.get(shape, 0.5)
    dialogue = 2.0 if shape == "dialogue effects" else 0.5
    scores = layered(generator, METRICS, m, n, system, dialogue)
    quality = layered(generator, DIMENSIONS, m, n, system, dialogue)
    length = generator.normal(size=n)
    if cell.r:
        scores[0] = cell.r * quality[0] + np.sqrt(1 - cell.r**2) * scores[0]
    if shape == "slopes":
        scores += generator.normal(size=(METRICS, m, 1)) * length
        quality += generator.normal(size=(DIMENSIONS, m, 1)) * length
    ratings = rated(generator, quality, shape)
    if shape == "skewed":
        scores = np.exp(scores)
    if shape == "whole systems":
        scores[:METRICS:3] = scores[:METRICS:3].mean(axis=2, keepdims=True) if m >= 5 else np.nan
    if shape == "missing cells":
        scores[:, generator.random((m, n)) < 0.15] = np.nan
        ratings[:, np.isnan(scores[0])] = np.nan
        ratings[generator.random(ratings.shape) < 0.05] = np.nan
    turns = generator.poisson(12, size=n).astype(np.float64)
    return Study(scores, ratings, np.stack([length, turns]))


def settings(cell: Cell) -> TrustSettings:
    """How the decision of a cell is made."""
    coefficient = COEFFICIENTS.get(cell.shape, "pearson")
    level = LEVELS.get(cell.shape, "summary")
    return TrustSettings(resamples=RESAMPLES, coefficient=coefficient, level=level, null_runs=0)


def named(study: Study, asked: TrustSettings) -> NDArray[np.bool_]:
    """Metrics × dimensions that the rule names."""
    order, cells = decide(study.scores, study.ratings, asked, study.covariates).shown(1 - asked.confidence)
    return np.asarray(order | cells)


def simulate_noise(cell: Cell, studies: int) -> dict[str, float]:
    """The share of studies in which some metric of noise is named, among 30 metrics and among the first five."""
    generator, asked = cell.generator, settings(cell)
    among: dict[int, int] = {METRICS: 0, FEW: 0}
    for _ in range(studies):
        study = noise(generator, cell)
        for count in among:
            part = Study(study.scores[:count], study.ratings, study.covariates)
            among[count] += bool(named(part, asked).any())
    return {f"{count} metrics": hits / studies for count, hits in among.items()}


def simulate_power(cell: Cell, studies: int) -> dict[str, float]:
    """The share of studies that name the one true metric, and of those that name another one beside it."""
    generator, asked = cell.generator, settings(cell)
    found = others = 0
    for _ in range(studies):
        shown = named(noise(generator, cell), asked)
        found += bool(shown[0, 0])
        shown[0, 0] = False
        others += bool(shown.any())
    return {"named": found / studies, "noise named": others / studies}


def alike(generator: np.random.Generator, cell: Cell) -> tuple[Study, FloatArray]:
    """A study of 15 metrics and the r of each: all the same (``equal``, ``noise``), or one has ``r`` and others .3."""
    m, n = cell.systems, cell.dialogues
    quality = layered(generator, 1, m, n, 0.5, 0.5)
    strength = np.full(15, 0.3 if cell.shape == "one better" else cell.r)
    strength[0] = cell.r
    own = layered(generator, 15, m, n, 0.5, 0.5)
    scores = strength[:, None, None] * quality + np.sqrt(1 - strength**2)[:, None, None] * own
    return Study(scores, rated(generator, quality, ""), np.zeros((0, n))), strength


def simulate_best(cell: Cell, studies: int) -> dict[str, float]:
    """How often the best of the named metrics is missing from the set of those not significantly worse."""
    generator, asked = cell.generator, settings(cell)
    lost = counted = size = 0
    for _ in range(studies):
        study, strength = alike(generator, cell)
        shown = np.flatnonzero(named(study, asked)[:, 0])
        if not len(shown):
            continue
        views = coefficient_parts(study.scores[shown], study.ratings, asked.level, asked.coefficient)
        kept = undominated([view[:, 0] for view in views], 0.05, 1000, 0)
        best = strength[shown] == strength[shown].max()
        lost += not kept[best].all()
        size += int(kept.sum())
        counted += 1
    return {"best missing": lost / max(counted, 1), "size of the set": size / max(counted, 1), "of named": counted}


def simulate_marks(cell: Cell, studies: int) -> dict[str, float]:
    """The same for the marks in a table of correlations, among all its metrics, by level and coefficient."""
    generator = cell.generator
    lost = dict.fromkeys(MARKED, 0)
    for _ in range(studies):
        study, strength = alike(generator, cell)
        best = strength == strength.max()
        for level, coefficient in MARKED:
            views = coefficient_parts(study.scores, study.ratings, level, coefficient)
            kept = undominated([view[:, 0] for view in views], 0.05, RESAMPLES, 0)
            lost[level, coefficient] += not kept[best].all()
    return {f"{level} {coefficient}": count / studies for (level, coefficient), count in lost.items()}


def permuted(cell: Cell, studies: int, data: Path) -> dict[str, float]:
    """DialSummEval with its ratings shuffled over systems, and over dialogues or not, on random parts of it."""
    generator, asked = cell.generator, settings(cell)
    scores, ratings = dialsummeval(data)
    hits = 0
    for _ in range(studies):
        rows = generator.permutation(scores.shape[1])[: cell.systems]
        columns = generator.permutation(scores.shape[2])[: cell.dialogues]
        beside = generator.permutation(columns) if cell.shape == "permuted" else columns
        moved = ratings[:, generator.permutation(rows)][:, :, beside]
        part = Study(scores[:, rows][:, :, columns], moved, generator.normal(size=(2, cell.dialogues)))
        hits += bool(named(part, asked).any())
    return {"named": hits / studies}


def dialsummeval(data: Path) -> tuple[FloatArray, FloatArray]:
    """Scores (metrics × systems × dialogues) and mean ratings of the reproduction, without the reference."""
    scores = pl.read_csv(
        data / "metric_scores.csv", schema_overrides={"dialogue_id": pl.String}, infer_schema_length=None
    )
    raters = pl.read_ndjson(data / "human_reproduction.jsonl").with_columns(pl.col("dialogue_id").cast(pl.String))
    dimensions = ["coherence", "consistency", "fluency", "relevance"]
    ratings = raters.group_by("dialogue_id", "system").agg(pl.col(dimensions).mean())
    both = scores.join(ratings, on=["dialogue_id", "system"]).sort("system", "dialogue_id")
    both = both.filter(~pl.col("system").str.to_lowercase().str.contains("reference"))
    m, n = both["system"].n_unique(), both["dialogue_id"].n_unique()
    metrics = [name for name in scores.columns if name not in ("dialogue_id", "system", "variant", "role")]

    def cube(names: list[str]) -> FloatArray:
        return both.select(pl.col(names).cast(pl.Float64)).fill_null(np.nan).to_numpy().T.reshape(len(names), m, n)

    return cube(metrics), cube(dimensions)


def measure_time(cell: Cell, studies: int) -> dict[str, float]:
    """CPU seconds of the whole verdict with its defaults (1,000 resamples, 200 null runs), the best of some."""
    generator = cell.generator
    study, m, n = noise(generator, cell), cell.systems, cell.dialogues
    places = [(i, j) for i in range(m) for j in range(n)]
    dialogues = [Dialogue(f"d{j}", (Turn("A", "some words of a call"),)) for j in range(n)]
    summaries = [Summary(f"d{j}", f"s{i}", "word " * int(generator.integers(3, 30))) for i, j in places]
    ratings = [
        Rating(f"d{j}", f"s{i}", f"r{k}", f"dimension {d}", float(study.ratings[d, i, j] + generator.normal()))
        for i, j in places
        for k in range(3)
        for d in range(DIMENSIONS)
    ]
    corpus = Corpus.build(dialogues, summaries, ratings)
    keys = [(f"d{j}", f"s{i}", "original", "overall") for i, j in places]
    frame = pl.DataFrame(keys, schema=dict.fromkeys(KEY, pl.String), orient="row")
    names = [f"metric {k}" for k in range(METRICS)]
    frame = frame.with_columns(pl.Series(name, x.ravel()) for name, x in zip(names, study.scores, strict=True))
    scores = Scores(frame, dict.fromkeys(names, "made"), dict.fromkeys(names, "higher"))
    took = []
    for _ in range(studies):
        before = time.process_time()
        trust(corpus, scores)
        took.append(time.process_time() - before)
    return {"CPU seconds": min(took)}


def cells() -> Iterator[tuple[Cell, int]]:
    """Every cell, with the number of studies that are simulated of it."""
    for r, sizes in ((0.5, ((6, 40), (4, 40), (2, 100), (3, 40), (14, 20))), (0.7, ((2, 40), (14, 100), (6, 20)))):
        yield from ((Cell("power", "system effects", *size, r), FURTHER_STUDIES) for size in sizes)
    for shape in SHUFFLED:
        for size in ((4, 40), (4, 100), (6, 40), (6, 100), (13, 40), (13, 100)):
            yield Cell("DialSummEval", shape, *size), REAL_STUDIES
    for shape, r in (("equal", 0.5), ("one better", 0.8)):
        for size in ((6, 40), (14, 40), (14, 100)):
            yield Cell("best", shape, *size, r), FURTHER_STUDIES
    for shape, r in (("noise", 0.0), ("equal", 0.5), ("one better", 0.8)):
        yield from (
            (Cell("marks", shape, *size, r), FURTHER_STUDIES) for size in ((6, 40), (10, 40), (14, 40), (14, 100))
        )
    yield Cell("time", "system effects", 14, 100), 3
    for shape in SHAPES:
        for size in SIZES:
            yield Cell("noise", shape, *size), STUDIES
    for shape in FURTHER:
        for m in (2, 3, 4, 6, 14):
            yield Cell("noise", shape, m, 40), FURTHER_STUDIES


def run(results: Path, seconds: float, data: Path | None) -> None:
    """Work through the cells that are not in the file yet."""
    results.parent.mkdir(parents=True, exist_ok=True)
    done = {row["key"] for row in read(results)}
    for cell, studies in cells():
        if cell.key in done or (cell.question == "DialSummEval" and data is None):
            continue
        before = time.process_time()
        if before > seconds:
            print("stopped: run again to continue")
            return
        simulate = {
            "noise": simulate_noise,
            "power": simulate_power,
            "best": simulate_best,
            "marks": simulate_marks,
            "time": measure_time,
        }
        if cell.question == "DialSummEval":
            assert data is not None
            found = permuted(cell, studies, data)
        else:
            found = simulate[cell.question](cell, studies)
        took = time.process_time() - before
        row = {"key": cell.key, **asdict(cell), "studies": studies, "cpu_seconds": round(took, 2), "found": found}
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(cell, studies, found, f"{took:.1f} s", flush=True)


def read(results: Path) -> list[dict[str, object]]:
    """The rows of a results file."""
    if not results.exists():
        return []
    return [json.loads(line) for line in results.read_text("utf-8").splitlines() if line.strip()]


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("build/verdict_calibration.jsonl"))
    parser.add_argument("--seconds", type=float, default=600, help="CPU seconds after which no new cell is begun")
    parser.add_argument("--data", type=Path, help="folder of DialSummEval")
    parser.add_argument("--page", type=Path, help="write this page instead of running")
    given = parser.parse_args()
    if given.page:
        from benchmarks.verdict_page import page

        today = datetime.now(tz=UTC).date().isoformat()
        given.page.write_text(page(read(given.results), _machine(), today), encoding="utf-8")
    else:
        run(given.results, given.seconds, given.data)


if __name__ == "__main__":
    main()
