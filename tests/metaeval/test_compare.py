"""Comparing metrics, significance groups, the human ceiling and correlation matrices."""

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval import (
    adjust_p_values,
    compare,
    correlation_matrix,
    human_ceiling,
    permutation_test,
    significance_groups,
)
from dialgauge.metaeval._compare import TESTS
from tests.metaeval.metaeval_oracles import frame_of, slow_correlation


@pytest.fixture
def study(made):
    """Two good metrics that are nearly the same, and a poor one."""
    x, _, z = made(m=14, n=30, seed=5)
    generator = np.random.default_rng(6)
    poor = generator.normal(size=z.shape) + generator.normal(size=(14, 1))
    scores = frame_of({"poor": poor, "good": x, "twin": x + 0.05 * generator.normal(size=x.shape)})
    return scores, frame_of({"quality": z}), (poor, x, z)


@pytest.mark.parametrize("test", TESTS)
def test_every_test_finds_the_poor_metric_and_not_the_twin(study, test):
    scores, ratings, _ = study
    frame = compare(scores, ratings, test=test, resamples=500).frame
    p = {(row["metric"], row["other"]): row["p_value"] for row in frame.iter_rows(named=True)}
    assert p["poor", "good"] < 0.05
    assert p["good", "twin"] > 0.05
    assert frame["test"].unique().to_list() == ["williams" if test == "auto" else test]


def test_rows_hold_what_they_say(study):
    scores, ratings, (poor, good, z) = study
    frame = compare(scores, ratings, level="summary", coefficient="kendall", resamples=200, seed=3).frame
    row = frame.filter(pl.col("metric") == "poor", pl.col("other") == "good").row(0, named=True)
    assert row["value"] == pytest.approx(slow_correlation(poor, z, "summary", "kendall"), abs=1e-12)
    assert row["difference"] == row["value"] - row["other_value"]
    assert row["low"] < row["difference"] < row["high"] < 0
    expected = permutation_test(poor, good, z, "summary", "kendall", resamples=200, seed=3)
    assert row["p_value"] == expected.p_value
    np.testing.assert_allclose(frame["p_holm"], adjust_p_values(frame["p_value"].to_list(), "holm"))


def test_lower_metrics_are_turned_before_they_are_compared(study):
    scores, ratings, _ = study
    negated = scores.with_columns(-pl.col("good"))
    plain = compare(scores, ratings, pairs=[("good", "poor")], resamples=50).frame
    turned = compare(negated, ratings, pairs=[("good", "poor")], directions={"good": "lower"}, resamples=50).frame
    assert turned.equals(plain)


def test_tests_that_do_not_exist_say_so(study):
    scores, ratings, _ = study
    williams = compare(scores, ratings, test="williams", level="summary", resamples=20).frame
    assert williams["p_value"].null_count() == williams.height
    assert "system level" in williams["reason"][0]
    everywhere = compare(scores, ratings, test="permutation-systems", level="global", resamples=20).frame
    assert "test='bootstrap'" in everywhere["reason"][0]
    few = compare(scores.filter(pl.col("system") < "s03"), ratings, test="williams", resamples=20).frame
    assert few["p_value"].null_count() == few.height
    assert few["reason"].null_count() == 0


def test_compare_bad_input(study):
    scores, ratings, _ = study
    with pytest.raises(UnknownNameError, match="unknown metric 'best'"):
        compare(scores, ratings, pairs=[("good", "best")])
    with pytest.raises(InputError, match="needs two metrics"):
        compare(scores.select("dialogue_id", "system", "good"), ratings)
    with pytest.raises(UnknownNameError, match="unknown test"):
        compare(scores, ratings, test="t-test")


def test_significance_groups(study):
    scores, ratings, _ = study
    groups = significance_groups(compare(scores, ratings, resamples=500))
    found = dict(groups.frame.select("metric", "group").iter_rows())
    assert found["good"] == found["twin"] == 1
    assert found["poor"] == 2
    assert groups.describe("quality")[1] == "group 2: poor"
    assert "not distinguishable from it: " in groups.describe("quality")[0]
    with pytest.raises(InputError, match="all pairs"):
        significance_groups(compare(scores, ratings, pairs=[("poor", "good"), ("poor", "twin")], resamples=20))
    with pytest.raises(ParameterError, match="correction"):
        significance_groups(compare(scores, ratings, resamples=20), correction="bonferroni")


def test_metrics_without_a_value_are_in_no_group(study):
    scores, ratings, _ = study
    broken = scores.with_columns(pl.lit(1.0).alias("flat"))
    comparisons = compare(broken, ratings, resamples=50)
    assert comparisons.frame.filter(pl.col("other") == "flat")["reason"].unique().to_list() == [
        "flat: the metric is constant"
    ]
    assert significance_groups(comparisons).untested == ("flat",)


def test_a_test_needs_resamples(study):
    scores, ratings, _ = study
    with pytest.raises(ParameterError, match="'resamples' must be at least 20: a test needs them"):
        compare(scores, ratings, resamples=0)


def _ratings(matrices: dict[str, np.ndarray], dimension: str = "quality") -> pl.DataFrame:
    return ratings_frame(
        Rating(f"d{j:03}", f"s{i:02}", annotator, dimension, float(matrix[i, j]), scale="1-5")
        for annotator, matrix in matrices.items()
        for i in range(matrix.shape[0])
        for j in range(matrix.shape[1])
        if not np.isnan(matrix[i, j])
    )


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_ceiling_is_each_annotator_against_the_mean_of_the_others(missing):
    generator = np.random.default_rng(0)
    base = generator.integers(1, 6, size=(6, 10)).astype(float)
    people = {}
    for name in "abc":
        rating = np.clip(base + generator.integers(-1, 2, size=base.shape), 1, 5)
        rating[generator.random(base.shape) < missing] = np.nan
        people[name] = rating
    result = human_ceiling(_ratings(people), resamples=100)
    with np.errstate(invalid="ignore"):
        for level in ("system", "summary"):
            expected = []
            for name in people:
                others = np.stack([people[other] for other in people if other != name])
                known = ~np.isnan(others).all(axis=0)
                mean = np.where(
                    known, np.nansum(others, axis=0) / np.maximum((~np.isnan(others)).sum(axis=0), 1), np.nan
                )
                expected.append(slow_correlation(people[name], mean, level, "pearson"))
            assert result.value("quality", level, "pearson") == pytest.approx(np.mean(expected), abs=1e-12)
            each = result.annotators.filter(pl.col("level") == level, pl.col("coefficient") == "pearson")
            np.testing.assert_allclose(each["value"], expected, atol=1e-12)
    row = result.frame.row(0, named=True)
    assert row["low"] <= row["value"] <= row["high"]
    assert row["annotators"] == 3


def test_ceiling_needs_two_annotators():
    lone = _ratings({"a": np.array([[1.0, 2.0], [3.0, 4.0]])})
    row = human_ceiling(lone).frame.row(0, named=True)
    assert row["value"] is None
    assert row["reason"] == "fewer than two annotators"
    flat = human_ceiling(_ratings({"a": np.full((3, 2), 4.0), "b": np.full((3, 2), 4.0)}), resamples=20).frame
    assert flat["value"].null_count() == flat.height
    assert "vary" in flat["reason"][0]
    with pytest.raises(UnknownNameError, match="dimension"):
        human_ceiling(lone, dimensions=["fluency"])


def test_ceiling_leaves_references_out():
    generator = np.random.default_rng(3)
    people = {name: generator.integers(1, 6, size=(5, 6)).astype(float) for name in "ab"}
    without = human_ceiling(_ratings(people), references=["s00"], resamples=0)
    fewer = human_ceiling(_ratings(people).filter(pl.col("system") != "s00"), resamples=0)
    assert without.frame.equals(fewer.frame)


def test_correlation_matrix_puts_relatives_together(made):
    x, _, _ = made(m=10, n=20)
    noise = np.random.default_rng(8).normal(size=x.shape)
    frame = frame_of({"x": x, "noise": noise, "x2": x * 2 + 0.01 * noise, "minus-x": -x, "flat": np.ones_like(x)})
    matrix = correlation_matrix(frame)
    assert matrix.values[matrix.names.index("x"), matrix.names.index("minus-x")] == pytest.approx(-1)
    np.testing.assert_array_equal(matrix.values, matrix.values.T)
    clusters = dict(zip(matrix.names, matrix.clusters, strict=True))
    assert clusters["x"] == clusters["x2"] == clusters["minus-x"] != clusters["noise"]
    positions = sorted(matrix.names.index(name) for name in ("x", "x2", "minus-x"))
    assert positions[2] - positions[0] == 2
    assert list(matrix.clusters) == sorted(matrix.clusters)
    assert matrix.frame["flat"].null_count() == 5
    assert correlation_matrix(frame, columns=["x", "x2"]).clusters == (1, 1)
    with pytest.raises(ParameterError, match="threshold"):
        correlation_matrix(frame, threshold=2)


def test_the_global_level_and_pairwise_accuracy_are_compared_by_the_bootstrap(study):
    scores, ratings, _ = study
    for level, coefficient in (
        ("global", "pearson"),
        ("summary", "pairwise_accuracy"),
        ("system", "pairwise_accuracy"),
    ):
        frame = compare(scores, ratings, level=level, coefficient=coefficient, resamples=200).frame
        assert frame["test"].unique().to_list() == ["bootstrap"]
        p = {(row["metric"], row["other"]): row["p_value"] for row in frame.iter_rows(named=True)}
        assert p["good", "twin"] > 0.05
        assert p["poor", "good"] < 0.1
    refused = compare(scores, ratings, test="permutation-systems", coefficient="pairwise_accuracy", resamples=20).frame
    assert "use test='bootstrap'" in refused["reason"][0]


def test_few_systems_cannot_decide_and_that_is_said(study):
    scores, ratings, _ = study
    few = scores.filter(pl.col("system") < "s04")
    frame = compare(few, ratings, level="summary", resamples=100).frame
    assert frame["floor"].unique().to_list() == [2 / 16]
    assert frame["reason"][0] == "no difference can be significant with 4 systems: no p-value is below 0.125"
    assert compare(scores, ratings, level="summary", resamples=100).frame["reason"].null_count() == frame.height


def test_how_dialogues_differ_does_not_matter_to_a_test_within_them(study):
    """Neither how hard a dialogue is for a metric nor how widely it spreads there."""
    _, _, (poor, good, z) = study
    generator = np.random.default_rng(0)
    spread, hard = generator.gamma(2, 2, size=(1, 30)), 10 * generator.normal(size=(1, 30))
    plain, moved = (
        permutation_test(poor, other, z, "summary", "pearson", resamples=200) for other in (good, good * spread + hard)
    )
    np.testing.assert_allclose(moved.differences, plain.differences, atol=1e-9)
    published = permutation_test(poor, good * spread + hard, z, "summary", "pearson", resamples=200, scale="matrix")
    assert np.abs(published.differences - plain.differences).max() > 0.1
