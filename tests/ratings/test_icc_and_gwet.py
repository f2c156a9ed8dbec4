"""Intraclass correlations and Gwet's coefficients, against published values and those of other packages."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from benchmarks.alpha_intervals import Study, coverage
from dialgauge.errors import DialgaugeError
from dialgauge.ratings import agreement, gwet_ac1, gwet_ac2, intraclass_correlation, krippendorff_alpha
from dialgauge.ratings._icc import ICC_FORMS

#: Six targets by four judges (Shrout and Fleiss, 1979, Table 2).
JUDGES = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)


def test_the_example_of_shrout_and_fleiss() -> None:
    """Their Table 4 (two decimals), in the digits that pingouin 0.7.0 gives."""
    expected = (0.165742, 0.289764, 0.714841, 0.442797, 0.620051, 0.909316)
    found = [intraclass_correlation(JUDGES, form).value for form in ICC_FORMS]
    assert found == pytest.approx(expected, abs=1e-5)


def _with_gaps() -> np.ndarray:
    generator = np.random.default_rng(3)
    truth = generator.integers(1, 6, 40)[:, None]
    matrix = np.clip(truth + generator.integers(-1, 2, (40, 4)), 1, 5).astype(float)
    matrix[generator.random((40, 4)) < 0.25] = np.nan
    return matrix


def test_gwet_with_gaps_is_that_of_irrcac() -> None:
    """irrCAC 0.4.4 on the same ratings, with all five points of the scale as categories."""
    matrix, points = _with_gaps(), (1, 2, 3, 4, 5)
    assert gwet_ac1(matrix, points).value == pytest.approx(0.2703, abs=1e-4)
    for weights, expected in (("quadratic", 0.74405), ("ordinal", 0.68739), ("linear", 0.54329)):
        assert gwet_ac2(matrix, points, weights).value == pytest.approx(expected, abs=1e-4)  # type: ignore[arg-type]


def test_points_that_nobody_gave_change_chance() -> None:
    matrix = np.where(_with_gaps() > 4, 4, _with_gaps())
    four, seven = gwet_ac1(matrix).value, gwet_ac1(matrix, range(1, 8)).value
    assert four is not None
    assert seven is not None
    assert seven > four


def test_where_nearly_all_agree_on_one_end_ac_is_high_and_alpha_is_not() -> None:
    matrix = np.full((100, 2), 5.0)
    matrix[:4, 0], matrix[4:8, 1] = 4, 4
    ac, alpha = gwet_ac1(matrix, range(1, 6)).value, krippendorff_alpha(matrix).value
    assert ac is not None
    assert alpha is not None
    assert ac > 0.9 > 0.1 > alpha


def test_the_ratings_of_dialsummeval(study: Callable[..., pl.DataFrame]) -> None:
    """Values that irrCAC and pingouin give, too."""
    expected = {
        "coherence": (0.6096, 0.6127, 0.6275, 0.8259, 0.8348, 0.4985, 0.8109),
        "consistency": (0.8004, 0.8005, 0.8014, 0.9233, 0.9237, 0.6444, 0.8829),
        "fluency": (0.5315, 0.5324, 0.5353, 0.7735, 0.7756, 0.5171, 0.8813),
        "relevance": (0.5184, 0.5263, 0.5535, 0.7692, 0.7881, 0.1900, 0.5848),
    }
    measures = ("icc-1", "icc-a1", "icc-c1", "icc-ak", "icc-ck", "gwet-ac1", "gwet-ac2")
    found = agreement(study("reproduction", tuple(expected)), measures, by=["dimension"], resamples=0)
    for dimension, values in expected.items():
        got = [found.value(measure, dimension) for measure in measures]
        assert got == pytest.approx(values, abs=5e-5), dimension


def test_a_crowd_has_no_two_way_form(rate: Callable[..., pl.DataFrame]) -> None:
    ratings = rate([[1, 2, None], [None, 3, 3], [4, None, 5], [2, 2, None]])
    frame = agreement(ratings, ["icc-a1", "icc-1"], by=["dimension"], resamples=0).frame
    assert frame["value"].is_null().to_list() == [True, False]
    assert "icc-1 needs no such units" in frame["note"][0]


def test_intervals_and_words(rate: Callable[..., pl.DataFrame]) -> None:
    generator = np.random.default_rng(1)
    truth = generator.integers(1, 6, 60)
    columns = [[float(np.clip(t + generator.integers(-1, 2), 1, 5)) for _ in range(3)] for t in truth]
    frame = agreement(
        rate(columns), ["icc-a1", "gwet-ac2", "krippendorff-alpha"], by=["dimension"], resamples=200
    ).frame
    assert (frame["low"] < frame["value"]).all()
    assert (frame["value"] < frame["high"]).all()
    assert frame["verdict"].to_list()[0] in ("good", "moderate", "excellent")


def test_intervals_of_alpha_hold_the_truth() -> None:
    """A small case of benchmarks/alpha_intervals.py; 120 studies leave a standard error of .02."""
    held = coverage(Study(20), 120, 200)
    assert 0.88 < held["these raters"] < 1.0
    assert held["other raters"] > 0.95


def test_other_raters_make_a_wider_interval_that_says_so(rate: Callable[..., pl.DataFrame]) -> None:
    generator = np.random.default_rng(2)
    truth = generator.integers(1, 6, 60)
    columns = [[float(np.clip(t + generator.integers(-1, 2) - (r == 2), 1, 5)) for r in range(3)] for t in truth]
    ratings = rate(columns)
    fixed, others = (
        agreement(ratings, ["krippendorff-alpha"], by=["dimension"], resamples=200, raters=kind).frame.row(
            0, named=True
        )
        for kind in ("fixed", "random")
    )
    assert others["high"] - others["low"] > 1.5 * (fixed["high"] - fixed["low"])
    assert others["note"] == "interval for other raters, too"
    two = agreement(rate([row[:2] for row in columns]), ["krippendorff-alpha"], by=["dimension"], raters="random").frame
    assert two["low"][0] is None
    assert "three raters" in two["note"][0]


def test_unknown_forms_are_refused() -> None:
    with pytest.raises(DialgaugeError, match="icc-a1"):
        intraclass_correlation(JUDGES, "icc-a2")  # type: ignore[arg-type]
