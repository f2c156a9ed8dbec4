"""Variance components and the plan made of them: against known values, and against simulated studies."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from benchmarks.plan import simulate
from dialgauge.corpus import Rating, embedded_corpus, ratings_frame
from dialgauge.errors import DialgaugeError
from dialgauge.ratings import ASSUMED, plan, variance_components
from dialgauge.ratings._design import Design, precision


def _made(values: np.ndarray) -> pl.DataFrame:
    """Ratings of systems × dialogues × raters; NaN where there is none."""
    return ratings_frame(
        Rating(f"d{d:02}", f"s{s}", f"r{r}", "quality", float(values[s, d, r]))
        for s, d, r in np.ndindex(values.shape)
        if not np.isnan(values[s, d, r])
    )


def _anova(values: np.ndarray) -> dict[str, float]:
    """The components of a complete design from its mean squares."""
    m, n, k = values.shape
    mean = values.mean()
    s, d, r = (values.mean(axis=axes) - mean for axes in ((1, 2), (0, 2), (0, 1)))
    sd = values.mean(axis=2) - mean - s[:, None] - d[None]
    sr = values.mean(axis=1) - mean - s[:, None] - r[None]
    dr = values.mean(axis=0) - mean - d[:, None] - r[None]
    e = values - mean - s[:, None, None] - d[None, :, None] - r[None, None] - sd[:, :, None] - sr[:, None] - dr[None]
    ms_e = (e**2).sum() / ((m - 1) * (n - 1) * (k - 1))
    ms_sd, ms_sr = k * (sd**2).sum() / ((m - 1) * (n - 1)), n * (sr**2).sum() / ((m - 1) * (k - 1))
    ms_s = n * k * (s**2).sum() / (m - 1)
    return {
        "s": (ms_s - ms_sd - ms_sr + ms_e) / (n * k),
        "sd": (ms_sd - ms_e) / k,
        "sr": (ms_sr - ms_e) / n,
        "e": ms_e,
    }


def _draw(v: dict[str, float], shape: tuple[int, int, int], seed: int = 0) -> np.ndarray:
    m, n, k = shape
    generator = np.random.default_rng(seed)
    axes = {
        "s": (m, 1, 1),
        "d": (1, n, 1),
        "r": (1, 1, k),
        "sd": (m, n, 1),
        "sr": (m, 1, k),
        "dr": (1, n, k),
        "e": shape,
    }
    return sum(np.sqrt(v[name]) * generator.standard_normal(size) for name, size in axes.items())  # type: ignore[return-value]


def test_complete_designs_have_the_components_of_the_analysis_of_variance() -> None:
    values = _draw(dict(ASSUMED["relevance"]), (4, 8, 5))
    found = variance_components(_made(values), "quality", resamples=0).values
    assert {name: found[name] for name in ("s", "sd", "sr", "e")} == pytest.approx(_anova(values))


def test_gaps_do_not_bias_the_components() -> None:
    truth = dict(ASSUMED["relevance"])
    found = []
    for seed in range(15):
        values = _draw(truth, (8, 40, 8), seed)
        values[:, np.random.default_rng(seed).random((40, 8)) < 0.5] = np.nan
        found.append(variance_components(_made(values), "quality", resamples=0).values)
    for name in ("sd", "sr", "e", "dr"):
        assert np.mean([each[name] for each in found]) == pytest.approx(truth[name], rel=0.12), name


def test_the_components_of_dialsummeval(study: Callable[..., pl.DataFrame]) -> None:
    ratings = study("reproduction", tuple(ASSUMED))
    for dimension, expected in ASSUMED.items():
        found = variance_components(ratings, dimension, resamples=0)
        assert found.values == pytest.approx(dict(expected), abs=0.004), dimension
    assert found.generalisability(100, 3)["relative"] == pytest.approx(0.82, abs=0.005)
    assert any("3 raters hardly tell" in note for note in found.notes)


def test_dialogues_for_a_power() -> None:
    """The numbers of the recipe: dialogues for power .8 with 1, 2, 3 and 5 raters."""
    expected = {
        ("coherence", 0.5): [31, 21, 18, 15],
        ("coherence", 0.2): [181, 119, 98, 81],
        ("consistency", 0.3): [168, 135, 125, 116],
        ("relevance", 0.3): [132, 96, 84, 75],
    }
    for (name, difference), dialogues in expected.items():
        assert plan(name, difference=difference).needed["dialogues"].to_list() == pytest.approx(dialogues, abs=1)


@pytest.mark.parametrize(
    ("claim", "design", "difference", "off"),
    [
        ("these-raters", Design(45, 3, 3), 0.3, 0.08),
        ("new-raters", Design(50, 10, 10), 0.5, 0.08),
        ("new-raters", Design(60, 3, 12), 0.5, 0.1),
    ],
)
def test_predicted_power_comes_true(claim: str, design: Design, difference: float, off: float) -> None:
    """A small case of benchmarks/plan.py; 400 studies leave a standard error of .025."""
    expected = precision(ASSUMED["coherence"], design, difference, claim, 0.95)  # type: ignore[arg-type]
    power, width = simulate(ASSUMED["coherence"], claim, design, difference, 400, 1)
    assert expected is not None
    assert abs(expected.power - power) < off
    assert expected.half_width == pytest.approx(width, rel=0.06)


def test_without_a_difference_the_power_is_the_error() -> None:
    for claim in ("these-raters", "new-raters"):
        found = precision(ASSUMED["coherence"], Design(60, 4, 4), 1e-9, claim, 0.95)  # type: ignore[arg-type]
        assert found is not None
        assert 0.03 < found.power < 0.06


def test_more_dialogues_do_not_replace_people() -> None:
    """For new raters, three people never reach what ten do, however many dialogues they rate."""
    found = plan("relevance", claim="new-raters", difference=0.6, raters=[1, 3, 20], dialogues=[1000])
    assert found.needed["dialogues"][0] is None
    assert found.needed["dialogues"][1] is None
    assert found.needed["dialogues"][2] is not None
    assert found.frame["power"][0] is None
    assert "20 raters per summary" in str(found)


def test_a_pilot_says_how_many_more_dialogues_tell_two_systems_apart() -> None:
    parts = variance_components(embedded_corpus().ratings, "fluency", resamples=40)
    found = plan(parts, systems=[2, 6], dialogues=[40], raters=[3], minutes=2.0, wage=30.0, metric_correlation=0.8)
    pair = found.pairs.filter(pl.col("system") == "careful", pl.col("other") == "rough").row(0, named=True)
    assert pair["more"] == 0
    close = found.pairs.filter(pl.col("system") == "lead-3", pl.col("other") == "longest-3").row(0, named=True)
    assert close["more"] == close["dialogues"] - 40 > 100
    assert abs(close["difference"]) < close["half_width"] < abs(pair["difference"]), (
        "the pilot shows one, not the other"
    )
    assert close["half_width"] == plan(parts, systems=[2], dialogues=[40], raters=[3]).frame["half_width"][0]
    first, second = found.frame.iter_rows(named=True)
    assert (first["ratings"], first["hours"], first["cost"]) == (240, 8.0, 240.0)
    assert first["careful_power"] <= first["power"]
    assert first["metric_r"] is None
    assert second["metric_low"] < second["metric_r"] < 0.8
    assert found.frame.equals(plan(parts, found.settings).frame)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: plan("coherance"), "coherence"),
        (lambda: plan({"sd": 0.1}), "'e'.*must be given"),
        (lambda: plan({"sd": 0.1, "e": 0.2, "x": 1.0}), "source of variance"),
        (lambda: plan({"sd": -0.1, "e": 0.2}), "0 or more"),
        (lambda: plan("coherence", difference=0.0), "difference"),
        (lambda: plan("coherence", dialogues=[1]), "between 2 and"),
        (lambda: variance_components(embedded_corpus().ratings, "fluencey"), "fluency"),
        (lambda: variance_components(_made(np.ones((2, 3, 1))), "quality"), "two raters"),
        (lambda: variance_components(_made(np.ones((1, 3, 2))), "quality"), "two systems"),
    ],
)
def test_what_cannot_be_planned(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(DialgaugeError, match=message):
        wrong()


@pytest.mark.parametrize("difference", np.linspace(0.5, 4, 12).tolist())
def test_the_power_of_large_differences_is_a_number(difference):
    """SciPy has no value for the noncentral t far on the wrong side: at some differences the power was NaN."""
    found = plan({"sd": 0.1, "e": 0.3}, difference=difference, dialogues=(200,), raters=(5,))
    assert found.frame["power"].to_list() == [pytest.approx(1)]
