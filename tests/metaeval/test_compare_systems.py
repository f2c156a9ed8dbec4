"""Which system is better: the paired test, the two intervals of ratings, and whether metric and people agree."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.corpus import Corpus, embedded_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import compare_systems
from dialgauge.metaeval._rater_interval import over_dialogues, over_raters
from dialgauge.metrics import Scores, score


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return embedded_corpus()


@pytest.fixture(scope="module")
def scores(corpus: Corpus) -> Scores:
    return score(corpus, ["rouge-1", "ter", "length"])


def test_a_pair_is_the_paired_t_interval_and_counts_wins(corpus: Corpus, scores: Scores) -> None:
    found = compare_systems(corpus, scores, systems=["careful", "glib"])
    row = found.frame.row(by_predicate=pl.col("name") == "rouge-1", named=True)
    wide = scores.frame.pivot("system", index="dialogue_id", values="rouge-1")
    differences = (wide["careful"] - wide["glib"]).to_numpy()
    expected = stats.ttest_1samp(differences, 0).confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert row["effect"] == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert row["wins"] == (differences > 0).sum()
    assert row["wins"] + row["ties"] + row["losses"] == len(differences)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=0.003)
    assert found.settings["pairs"] == 1
    assert row["p_corrected"] == row["p_value"]


def test_lower_is_better_and_descriptive_metrics_name_the_right_system(corpus: Corpus, scores: Scores) -> None:
    frame = compare_systems(corpus, scores, systems=["careful", "glib"]).frame
    better = dict(frame.filter(kind="metric").select("name", "better").iter_rows())
    assert better == {"rouge-1": "glib", "ter": "glib", "length": None}
    ter = frame.row(by_predicate=pl.col("name") == "ter", named=True)
    assert ter["difference"] > 0
    assert ter["wins"] < ter["losses"]
    turned = compare_systems(corpus, systems=["careful", "glib"], lower_is_better="consistency").frame
    assert turned.row(by_predicate=pl.col("name") == "consistency", named=True)["better"] == "glib"


def test_metric_and_people_can_name_opposite_systems(corpus: Corpus, scores: Scores) -> None:
    found = compare_systems(corpus, scores, systems=["careful", "glib"]).agreement
    said = dict(found.filter(metric="rouge-1").select("dimension", "agree").iter_rows())
    assert said == {"coherence": "no", "consistency": "no", "fluency": "metric only", "relevance": "no"}


def test_holm_is_over_the_pairs_of_each_measure(corpus: Corpus) -> None:
    three = compare_systems(corpus, systems=["careful", "glib", "rough"]).frame
    raw = compare_systems(corpus, systems=["careful", "glib", "rough"], correction="none").frame
    assert three.height == 3 * 4
    assert raw["p_corrected"].to_list() == raw["p_value"].to_list()
    for part in three.partition_by("name"):
        assert part["p_corrected"].min() == pytest.approx(3 * part["p_value"].min())


def test_the_interval_for_other_raters_is_the_analysis_of_variance_of_a_complete_table() -> None:
    generator = np.random.default_rng(5)
    one, other = generator.normal(size=(4, 12)), generator.normal(size=(4, 12))
    d = one - other
    by_dialogue, by_rater = d.mean(0).var(ddof=1) / 12, d.mean(1).var(ddof=1) / 4
    left = d - d.mean(0) - d.mean(1, keepdims=True) + d.mean()
    error = (left**2).sum() / (3 * 11) / 48
    quantiles = stats.t.ppf(0.975, [11, 3])
    wide = (by_dialogue * quantiles[0] + by_rater * quantiles[1]) / (by_dialogue + by_rater)
    half = wide * np.sqrt(max(by_dialogue, by_rater, by_dialogue + by_rater - error))
    found = over_raters(one, other, 0.95)
    assert (found.value, found.high - found.value, found.units) == pytest.approx((d.mean(), half, 4))
    again = over_raters(one, other, 1 - found.p_value)  # at this confidence the interval just reaches zero
    assert min(abs(again.low), abs(again.high)) < 1e-9


def test_raters_who_prefer_a_system_widen_only_the_interval_for_other_raters() -> None:
    generator = np.random.default_rng(1)
    taste = np.array([[1.5], [0.0], [0.2]])
    one, other = generator.normal(size=(3, 100)) + taste, generator.normal(size=(3, 100))
    these = over_dialogues((one - other).mean(axis=0), 0.95)
    others = over_raters(one, other, 0.95)
    assert these.low > 0
    assert others.low < 0 < others.high


def test_missing_ratings_of_a_crowd_still_give_an_interval() -> None:
    generator = np.random.default_rng(2)
    one, other = generator.normal(size=(2, 30, 60)) + np.array([2.0, 0.0])[:, None, None]
    drop = np.argsort(generator.random((2, 30, 60)), axis=1) >= 3
    one[drop[0]], other[drop[1]] = np.nan, np.nan  # three of thirty raters each, not the same for both systems
    found = over_raters(one, other, 0.95)
    assert found.low > 1.2
    assert found.high < 2.8
    assert found.units == 30


def test_one_rater_says_nothing_about_others() -> None:
    found = over_raters(np.ones((1, 5)), np.zeros((1, 5)), 0.95)
    assert found.value == 1.0
    assert np.isnan([found.low, found.high, found.p_value]).all()


def test_equal_values_are_no_difference() -> None:
    found = over_raters(np.full((3, 10), 2.0), np.full((3, 10), 2.0), 0.95)
    assert (found.value, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"systems": ["careful"]}, InputError, "needs two systems; there is one, 'careful'"),
        ({"systems": ["carefull", "glib"]}, UnknownNameError, "did you mean 'careful'"),
        ({"metrics": ["rogue-1"]}, UnknownNameError, "did you mean 'rouge-1'"),
    ],
)
def test_bad_input(
    corpus: Corpus, scores: Scores, changes: dict[str, list[str]], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        compare_systems(corpus, scores, **changes)
