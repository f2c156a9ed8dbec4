"""What a perfect metric could reach: the estimate from raters alone, against a metric that knows the truth."""

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Rating, embedded_corpus, ratings_frame
from dialgauge.metaeval import evaluate_metrics, human_ceiling, trust
from dialgauge.metaeval._perfect import disattenuated
from dialgauge.metrics import score


def _world(systems: int, dialogues: int, raters: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """True quality of systems × dialogues, and ratings from 1 to 5 of systems × dialogues × raters."""
    draw = np.random.default_rng(seed).standard_normal
    quality = 0.7 * draw((systems, 1)) + 0.4 * draw((1, dialogues)) + 0.6 * draw((systems, dialogues))
    liking, severity = 0.3 * draw((systems, 1, raters)), 0.3 * draw((1, 1, raters))
    felt = 3.3 + quality[:, :, None] + liking + severity + 0.7 * draw((systems, dialogues, raters))
    return quality, np.clip(np.round(felt), 1, 5)


def _frame(ratings: np.ndarray) -> pl.DataFrame:
    return ratings_frame(
        Rating(f"d{d:03}", f"s{s:02}", f"r{r}", "quality", float(ratings[s, d, r]), scale="1-5")
        for s, d, r in np.ndindex(ratings.shape)
    )


def _within(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(x.T, y.T, strict=True)]))


def test_the_estimate_is_what_an_oracle_reaches() -> None:
    off = []
    for seed in range(6):
        quality, ratings = _world(14, 40, 3, seed)
        mean = ratings.mean(axis=2)
        frame = human_ceiling(
            _frame(ratings), resamples=0, levels=("summary", "system"), coefficients=("pearson",)
        ).frame
        found = dict(frame.select("level", "perfect").iter_rows())
        system = float(np.corrcoef(quality.mean(axis=1), mean.mean(axis=1))[0, 1])
        off.append((found["summary"] - _within(quality, mean), found["system"] - system))
        one_against_rest = dict(frame.select("level", "value").iter_rows())
        assert one_against_rest["summary"] < found["summary"] - 0.1, "what was shown before is far below"
    assert np.abs(np.mean(off, axis=0)) == pytest.approx([0, 0], abs=0.03)


def test_raters_who_agree_on_nothing_leave_nothing_to_reach() -> None:
    noise = np.random.default_rng(1).integers(1, 6, (8, 30, 3)).astype(float)
    frame = human_ceiling(_frame(noise), resamples=0, levels=("summary",), coefficients=("pearson",)).frame
    assert frame["perfect"][0] is None or frame["perfect"][0] < 0.4


def test_only_pearson_against_means_and_models() -> None:
    ratings = embedded_corpus().ratings

    def perfect(level: str, coefficient: str, **changes: str) -> float | None:
        asked = {"levels": (level,), "coefficients": (coefficient,), "resamples": 0, "dimensions": ("fluency",)}
        return human_ceiling(ratings, **asked, **changes).perfect("fluency", level, coefficient)  # type: ignore[arg-type]

    assert perfect("summary", "kendall") is None
    assert perfect("summary", "pearson", aggregate="median") is None
    assert perfect("system", "pearson", aggregate="model") is None
    by_model = perfect("summary", "pearson", aggregate="model")
    assert by_model is not None
    assert 0.7 < by_model < 1


def test_correlations_without_noise_and_their_intervals() -> None:
    arrays = [np.array([value]) for value in (0.6, 0.5, 0.68, 0.8, 0.7, 0.9)]
    found = disattenuated(tuple(arrays[:3]), tuple(arrays[3:]))  # type: ignore[arg-type]
    assert found.value[0] == pytest.approx(0.75)
    assert found.low[0] < 0.5 / 0.8 < 0.68 / 0.8 < found.high[0], "wider than with a known ceiling"
    capped = disattenuated(tuple(arrays[3:]), tuple(arrays[:3]))  # type: ignore[arg-type]
    assert capped.value[0] == capped.high[0] == 1


def test_evaluation_and_verdict_have_both_numbers() -> None:
    corpus = embedded_corpus()
    scores = score(corpus, ["rouge-1", "length"])
    asked = {"dimensions": ("relevance",), "resamples": 50}
    made = evaluate_metrics(corpus, scores, levels=("summary",), coefficients=("pearson",), **asked)
    row = made.disattenuated.filter(pl.col("metric") == "rouge-1").row(0, named=True)
    assert row["value"] == pytest.approx(row["r"] / row["perfect"])
    assert row["low"] < row["value"] < row["high"]
    found = trust(corpus, scores, null_runs=0, **asked)
    summed = found.dimensions.row(0, named=True)
    assert summed["ceiling"] < summed["new_rater"] + 0.2
    assert summed["perfect"] > summed["new_rater"]
    verdict = found.row("rouge-1", "relevance")
    assert verdict.r_true == pytest.approx(verdict.r / summed["perfect"])  # type: ignore[operator]
