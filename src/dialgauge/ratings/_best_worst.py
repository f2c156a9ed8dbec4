"""Best-worst choices: scores of systems and summaries, and how reliable they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.errors import InputError
from dialgauge.ratings._alpha import alpha_statistic
from dialgauge.ratings._bootstrap import bootstrap_interval, ratio_intervals
from dialgauge.ratings._judgement_frames import alpha_of_answers, recurs
from dialgauge.ratings._measures import verdict
from dialgauge.ratings._settings import JudgementSettings
from dialgauge.settings import takes

SCORES = pl.Schema(
    {
        "dimension": pl.String,
        "system": pl.String,
        "shown": pl.Int64,
        "best": pl.Int64,
        "worst": pl.Int64,
        "score": pl.Float64,
        "score_low": pl.Float64,
        "score_high": pl.Float64,
    }
)
RELIABILITY = pl.Schema(
    {
        "dimension": pl.String,
        "questions": pl.Int64,
        "annotators": pl.Int64,
        "halves": pl.String,
        "correlation": pl.Float64,
        "reliability": pl.Float64,
        "alpha": pl.Float64,
        "alpha_low": pl.Float64,
        "alpha_high": pl.Float64,
        "verdict": pl.String,
        "note": pl.String,
        "remark": pl.String,
    }
)
_POINTS = {"best": 1.0, "worst": -1.0, "neither": 0.0}


@dataclass(frozen=True, slots=True)
class BestWorst:
    """``systems``: (best − worst) / times shown, from −1 to 1, with an interval over dialogues, the best first.

    ``reliability``, a row per dimension: the mean Pearson correlation of the systems' scores in two random halves of
    the answers, and what it stands for with all of them (Spearman and Brown). ``halves`` says what was halved: the
    annotators of each question, or, where each question has one, the questions (which mixes people and summaries).
    ``alpha`` is Krippendorff's α over best, worst and neither, ``verdict`` what it means in words. ``note`` says why
    there is no reliability, ``remark`` what else should be known.
    """

    systems: pl.DataFrame
    reliability: pl.DataFrame


@takes(JudgementSettings)
def best_worst_results(choices: pl.DataFrame, settings: JudgementSettings | None = None, **changes: Any) -> BestWorst:
    """Scores of systems from the best-worst choices of a corpus (``corpus.choices``)."""
    asked = JudgementSettings.chosen(settings, changes, "best_worst_results")
    if choices.is_empty():
        raise InputError("there are no best-worst choices")
    name = pl.when(pl.col("variant") == ORIGINAL).then("system").otherwise(pl.format("{}/{}", "system", "variant"))
    named = choices.with_columns(
        name.alias("item"),
        pl.col("choice").replace_strict(_POINTS, return_dtype=pl.Float64).alias("points"),
        pl.format("{} {}", "role", "tuple").alias("question"),
    ).sort("dimension", "dialogue_id", "question", "annotator", "item")
    systems, reliability = [], []
    for (dimension,), part in named.group_by("dimension", maintain_order=True):
        # Edited summaries that one dialogue has are no systems.
        single = part.with_columns(((pl.col("variant") != ORIGINAL) & ~recurs("item")).alias("single"))
        ranked = single.filter(~pl.col("single").any().over("dialogue_id", "question"))
        rows = _systems(ranked, asked) if ranked.height else []
        systems += [{"dimension": dimension, **row} for row in rows]
        reliability.append({"dimension": dimension, **_reliability(part, asked), "remark": _remark(part, rows)})
    return BestWorst(pl.DataFrame(systems, schema=SCORES), pl.DataFrame(reliability, schema=RELIABILITY))


def best_worst_ratings(choices: pl.DataFrame) -> pl.DataFrame:
    """The choices as values from −1 to 1: for each summary and annotator the mean of best (1), worst (−1) and 0."""
    points = pl.col("choice").replace_strict(_POINTS, return_dtype=pl.Float64)
    return choices.group_by(*KEY, "annotator", "dimension").agg(points.mean().alias("value")).sort(*KEY, "annotator")


def _systems(part: pl.DataFrame, asked: JudgementSettings) -> list[dict[str, Any]]:
    names, dialogues = sorted(part["item"].unique()), sorted(part["dialogue_id"].unique())
    points, shown = _tables(part, "dialogue_id", dialogues, names)
    ends = ratio_intervals(points, shown, asked)
    counts = {(item, choice): n for item, choice, n in part.group_by("item", "choice").len().iter_rows()}
    rows = []
    for i, name in enumerate(names):
        row = {"system": name, "shown": int(shown[:, i].sum()), "score": float(points[:, i].sum() / shown[:, i].sum())}
        row |= {choice: counts.get((name, choice), 0) for choice in ("best", "worst")}
        rows.append(row if ends is None else row | {"score_low": float(ends[0, i]), "score_high": float(ends[1, i])})
    return sorted(rows, key=lambda row: (-row["score"], row["system"]))


def _remark(part: pl.DataFrame, rows: Sequence[Mapping[str, Any]]) -> str | None:
    said = [f"nobody chose a {choice}" for choice in ("best", "worst") if not (part["choice"] == choice).any()]
    if any("score_low" in row and row["score_low"] == row["score_high"] for row in rows):
        said.append(
            "a system had the same choices in all dialogues, so its interval is a point and says nothing of others"
        )
    return "; ".join(said) or None


def _tables(part: pl.DataFrame, by: str, groups: list[str], names: list[str]) -> tuple[FloatArray, FloatArray]:
    """Points and times shown of each system (columns) in each group (rows)."""
    row, column = {name: i for i, name in enumerate(groups)}, {name: i for i, name in enumerate(names)}
    points, shown = np.zeros((len(row), len(column))), np.zeros((len(row), len(column)))
    for group, item, value in part.select(by, "item", "points").iter_rows():
        points[row[group], column[item]] += value
        shown[row[group], column[item]] += 1
    return points, shown


def _reliability(part: pl.DataFrame, asked: JudgementSettings) -> dict[str, Any]:
    question = pl.struct("dialogue_id", "question")
    sheets = part.select(question.rank("dense").alias("q"), "annotator").unique().sort("q", "annotator")
    several = bool((sheets.group_by("q").len()["len"] > 1).any())
    codes = part.select(question.rank("dense").cast(pl.Int64)).to_series().to_numpy() - 1
    sheet = part.select(pl.struct("dialogue_id", "question", "annotator").rank("dense").cast(pl.Int64)).to_series()
    halves = _halved(part, codes, sheet.to_numpy() - 1, several, asked)
    answers = part.select(
        "dialogue_id",
        "annotator",
        pl.format("{} {}", "question", "item").alias("unit"),
        pl.col("points").alias("value"),
    )
    given = alpha_of_answers(answers)
    statistic = alpha_statistic(given, "nominal")
    known = not np.isnan(statistic.value)
    interval = bootstrap_interval(statistic, given.clusters(("dialogue_id",)), asked)
    facts: dict[str, Any] = {
        "questions": int(codes.max()) + 1,
        "annotators": part["annotator"].n_unique(),
        "halves": "annotators of each question" if several else "questions",
        "alpha": statistic.value if known else None,
        "alpha_low": interval.low if known else None,
        "alpha_high": interval.high if known else None,
        "verdict": verdict("krippendorff-alpha", statistic.value if known else None),
    }
    defined = halves[~np.isnan(halves)]
    if part["item"].n_unique() < 3 or not len(defined):
        return facts | {"note": "fewer than three systems, or no two halves to compare"}
    r = float(defined.mean())
    return facts | {"correlation": r, "reliability": 2 * r / (1 + r) if r > -1 else None}


def _halved(
    part: pl.DataFrame, question: FloatArray, sheet: FloatArray, several: bool, asked: JudgementSettings
) -> FloatArray:
    """Pearson's r of the systems' scores in two random halves, for each split."""
    items = part.select(pl.col("item").rank("dense").cast(pl.Int64)).to_series().to_numpy() - 1
    points, n = part["points"].to_numpy(), int(items.max()) + 1
    generator = np.random.default_rng(asked.seed)
    found = []
    for _ in range(asked.splits):
        half = _random_half(generator, question, sheet, several)
        scores = []
        for side in (half, ~half):
            shown = np.bincount(items[side], minlength=n)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores.append(np.bincount(items[side], points[side], minlength=n) / shown)
        both = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
        x, y = (score[both] for score in scores)
        varies = len(x) > 2 and np.ptp(x) > 0 and np.ptp(y) > 0
        found.append(float(np.corrcoef(x, y)[0, 1]) if varies else np.nan)
    return np.array(found)


def _random_half(generator: np.random.Generator, question: FloatArray, sheet: FloatArray, several: bool) -> Any:
    """Which rows are in the first half: half of the sheets of each question, or half of the questions."""
    if not several:
        order = generator.permutation(int(question.max()) + 1)
        return order[question] * 2 < len(order)
    keys = generator.random(int(sheet.max()) + 1)
    owner = np.zeros(len(keys), dtype=np.int64)
    owner[sheet] = question
    order = np.lexsort((keys, owner))
    counts = np.bincount(owner)
    place = np.empty(len(keys), dtype=np.int64)
    place[order] = np.arange(len(keys)) - np.repeat(np.cumsum(counts) - counts, counts)
    # An odd one out goes to either half at random.
    extra = (generator.random(len(counts)) < 0.5)[owner]
    return (place < (counts[owner] + extra) // 2)[sheet]
