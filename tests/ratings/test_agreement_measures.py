"""Measures of agreement on matrices: textbook values, other implementations, and laws that must always hold."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.metrics import agreement as nltk_agreement, interval_distance
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings import cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement, verdict
from dialgauge.ratings._alpha import alpha_parts
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._frame import ratings_of_matrix
from dialgauge.ratings._leave_out import LeaveOneOut
from dialgauge.ratings._measures import measure_on
from dialgauge.ratings._pairs import pair_measure
from dialgauge.ratings._settings import MEASURES
from dialgauge.resampling import Intervals

LEVELS = ("nominal", "ordinal", "interval", "ratio")
_ = np.nan
#: Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example C: 12 units, 4 observers, with gaps.
TEXTBOOK = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T


def make_matrix(seed: int, units: int = 60, annotators: int = 4, points: int = 5, missing: float = 0.2) -> np.ndarray:
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, points + 1, size=(units, 1))
    noise = generator.integers(-1, 2, size=(units, annotators))
    matrix = np.clip(truth + noise, 1, points).astype(float)
    matrix[generator.random(matrix.shape) < missing] = np.nan
    return matrix


def make_statistic(matrix, measure, level, weights):
    return measure_on(ratings_of_matrix(matrix), measure, level, weights).statistic


matrices = st.builds(
    make_matrix,
    seed=st.integers(0, 10_000),
    units=st.integers(2, 25),
    annotators=st.integers(2, 5),
    points=st.integers(2, 7),
    missing=st.sampled_from([0.0, 0.2, 0.6]),
)


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_of_the_textbook(level, expected):
    assert krippendorff_alpha(TEXTBOOK, level).value == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_the_krippendorff_package(level, seed):
    matrix = make_matrix(seed)
    expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level)
    assert krippendorff_alpha(matrix, level).value == pytest.approx(expected, abs=1e-12)


def test_alpha_of_many_values_at_ratio_level():
    """More values than are worked on at once, against the definition written out over all pairs of ratings."""
    matrix = np.random.default_rng(1).random((200, 3)) * 100

    def distances(x, y):
        return ((x - y) / (x + y)) ** 2

    everything = matrix.ravel()
    n = everything.size
    observed = sum(distances(row[:, None], row[None, :]).sum() / 2 for row in matrix) / n
    expected = distances(everything[:, None], everything[None, :]).sum() / (n * (n - 1))
    assert krippendorff_alpha(matrix, "ratio").value == pytest.approx(1 - observed / expected, abs=1e-12)


def test_alpha_equals_nltk():
    matrix = make_matrix(3, missing=0)
    triples = [(f"a{a}", f"u{u}", matrix[u, a]) for u in range(len(matrix)) for a in range(matrix.shape[1])]
    task = nltk_agreement.AnnotationTask(triples, distance=interval_distance)
    assert krippendorff_alpha(matrix, "interval").value == pytest.approx(task.alpha(), abs=1e-10)


@pytest.mark.parametrize(("ours", "theirs"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")])
@pytest.mark.parametrize("seed", range(4))
def test_cohen_equals_scikit_learn(ours, theirs, seed):
    matrix = make_matrix(seed, annotators=3)
    labels = [1, 2, 3, 4, 5]
    pairs, shared = [], []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(matrix[:, [i, j]]).any(axis=1)
        shared.append(both.sum())
        pairs.append(cohen_kappa_score(matrix[both, i], matrix[both, j], weights=theirs, labels=labels))
    assert cohen_kappa(matrix[:, :2], ours).value == pytest.approx(pairs[0], abs=1e-12)
    assert cohen_kappa(matrix, ours).value == pytest.approx(np.average(pairs, weights=shared), abs=1e-12)


def test_cohen_weights_use_values_not_ranks():
    # Nobody gave a 2: scikit-learn left to itself would put 1 and 3 one step apart.
    pair = np.array([[1, 3], [3, 3], [5, 4], [1, 1], [4, 5], [3, 1]], dtype=float)
    whole = cohen_kappa_score(pair[:, 0], pair[:, 1], weights="linear", labels=[1, 2, 3, 4, 5])
    assert cohen_kappa(pair, "linear").value == pytest.approx(whole, abs=1e-12)
    assert whole != pytest.approx(cohen_kappa_score(pair[:, 0], pair[:, 1], weights="linear"))


@pytest.mark.parametrize("seed", range(4))
def test_fleiss_equals_statsmodels(seed):
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa as statsmodels_fleiss

    matrix = make_matrix(seed, missing=0)
    table, _values = aggregate_raters(matrix.astype(int))
    assert fleiss_kappa(matrix).value == pytest.approx(statsmodels_fleiss(table), abs=1e-12)


def test_fleiss_uses_the_commonest_number_of_ratings():
    matrix = make_matrix(0, missing=0)
    with_gaps = np.vstack([matrix, [[1, 2, np.nan, np.nan], [3, np.nan, np.nan, np.nan]]])
    assert fleiss_kappa(with_gaps).value == fleiss_kappa(matrix).value


def test_percent_agreement_counts_pairs():
    matrix = np.array([[1, 1, 2], [3, 3, 3], [1, np.nan, 2], [np.nan, np.nan, 5]])
    assert percent_agreement(matrix).value == pytest.approx((1 + 3 + 0) / (3 + 3 + 1))


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_correlation_between_annotators_equals_scipy(measure):
    matrix = make_matrix(2, annotators=3)
    expected, shared = [], []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(matrix[:, [i, j]]).any(axis=1)
        shared.append(both.sum())
        expected.append(getattr(stats, f"{measure}r")(matrix[both, i], matrix[both, j])[0])
    value = make_statistic(matrix, measure, "interval", "none")(np.ones((1, len(matrix))))[0]
    assert value == pytest.approx(np.average(expected, weights=shared), abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_weights_are_repetitions(measure, level, weights):
    """A resample given as counts has the value of the matrix in which the units are really repeated."""
    matrix = make_matrix(7, units=30, annotators=3)
    generator = np.random.default_rng(0)
    counts = np.stack([np.bincount(generator.integers(30, size=30), minlength=30) for _ in range(5)]).astype(float)
    together = make_statistic(matrix, measure, level, weights)(counts)
    for row, value in zip(counts, together, strict=True):
        repeated = np.repeat(matrix, row.astype(int), axis=0)
        # Which number of ratings is the commonest is a property of the data, not of the resample.
        if measure == "fleiss-kappa":
            sizes = (~np.isnan(matrix)).sum(axis=1)
            commonest = max(range(2, 4), key=lambda size: ((sizes == size).sum(), size))
            repeated = repeated[(~np.isnan(repeated)).sum(axis=1) == commonest]
        alone = make_statistic(repeated, measure, level, weights)(np.ones((1, len(repeated))))[0]
        assert value == pytest.approx(alone, abs=1e-10)


def test_interval_covers_and_is_seeded():
    matrix = make_matrix(4, units=200)
    statistic = make_statistic(matrix, "krippendorff-alpha", "interval", "none")
    clusters = np.arange(200)
    one = bootstrap_interval(statistic, clusters, Intervals(resamples=500, confidence=0.95, seed=1))
    assert one == bootstrap_interval(statistic, clusters, Intervals(resamples=500, confidence=0.95, seed=1))
    assert one != bootstrap_interval(statistic, clusters, Intervals(resamples=500, confidence=0.95, seed=2))
    assert one.low < krippendorff_alpha(matrix).value < one.high
    wide = bootstrap_interval(statistic, clusters, Intervals(resamples=500, confidence=0.99, seed=1))
    assert wide.low < one.low < one.high < wide.high


def test_intervals_hold_what_they_promise():
    """Of 200 data sets drawn from one population, 95 % intervals must hold its α about 190 times."""
    population = make_matrix(11, units=40_000, annotators=3, missing=0)
    truth = krippendorff_alpha(population).value
    generator = np.random.default_rng(5)
    held = 0
    for _round in range(200):
        matrix = population[generator.integers(len(population), size=80)]
        statistic = make_statistic(matrix, "krippendorff-alpha", "interval", "none")
        interval = bootstrap_interval(statistic, np.arange(80), Intervals(resamples=200, seed=_round))
        held += interval.low <= truth <= interval.high
    assert 176 <= held <= 199


def test_undefined_resamples_are_counted():
    matrix = np.array([[1, 1], [1, 1], [1, 1], [1, 2]], dtype=float)
    statistic = make_statistic(matrix, "krippendorff-alpha", "nominal", "none")
    interval = bootstrap_interval(statistic, np.arange(4), Intervals(resamples=1000, confidence=0.95, seed=0))
    # The one unit that differs is missed by a draw of four with probability (3/4)^4 = .316.
    assert 260 < interval.undefined < 370
    assert interval.low is not None


@pytest.mark.parametrize("measure", [krippendorff_alpha, cohen_kappa, fleiss_kappa])
@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([[3, 3], [3, 3]], "all ratings are equal"),
        ([[1], [2]], "only one annotator"),
        ([[1, np.nan], [2, np.nan]], "only one annotator"),
        ([[1, np.nan], [np.nan, 2]], "no two annotators"),
        ([[np.nan, np.nan]], "no ratings"),
    ],
)
def test_undefined_has_a_reason(measure, matrix, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = measure(np.array(matrix, dtype=float))
    assert result.value is None
    assert reason in result.reason


def test_bad_matrices_and_parameters():
    with pytest.raises(InputError, match="units × annotators"):
        krippendorff_alpha([1, 2, 3])
    with pytest.raises(InputError, match="finite"):
        krippendorff_alpha([[1, np.inf]])
    with pytest.raises(ParameterError, match="'level' must be"):
        krippendorff_alpha([[1, 2]], "metric")
    with pytest.raises(ParameterError, match="'weights' must be"):
        cohen_kappa([[1, 2]], "cubic")
    with pytest.raises(InputError, match="0 or more; got -1"):
        krippendorff_alpha([[-1, 2], [1, 1]], "ratio")
    with pytest.raises(ParameterError, match="resamples"):
        Intervals(resamples=-1)
    with pytest.raises(ParameterError, match="confidence"):
        Intervals(resamples=20, confidence=1.0)


@pytest.mark.parametrize(
    ("measure", "value", "word"),
    [
        ("krippendorff-alpha", 0.80, "reliable"),
        ("krippendorff-alpha", 0.7999, "tentative"),
        ("krippendorff-alpha", 0.667, "tentative"),
        ("krippendorff-alpha", 0.66, "not reliable"),
        ("cohen-kappa", -0.01, "poor"),
        ("cohen-kappa", 0.0, "slight"),
        ("cohen-kappa", 0.2, "slight"),
        ("fleiss-kappa", 0.21, "fair"),
        ("fleiss-kappa", 0.41, "moderate"),
        ("fleiss-kappa", 0.8, "substantial"),
        ("fleiss-kappa", 1.0, "almost perfect"),
        ("pearson", 0.9, None),
        ("cohen-kappa", None, None),
    ],
)
def test_verdict(measure, value, word):
    assert verdict(measure, value) == word


def test_verdict_of_an_unknown_measure():
    with pytest.raises(UnknownNameError, match="did you mean 'fleiss-kappa'"):
        verdict("fleis-kappa", 0.5)


@settings(deadline=None, max_examples=60)
@given(matrix=matrices, level=st.sampled_from(LEVELS), seed=st.integers(0, 99))
def test_order_of_units_and_annotators_does_not_matter(matrix, level, seed):
    generator = np.random.default_rng(seed)
    shuffled = matrix[generator.permutation(len(matrix))][:, generator.permutation(matrix.shape[1])]
    for one, other in (
        (krippendorff_alpha(matrix, level), krippendorff_alpha(shuffled, level)),
        (fleiss_kappa(matrix), fleiss_kappa(shuffled)),
        (cohen_kappa(matrix, "quadratic"), cohen_kappa(shuffled, "quadratic")),
        (percent_agreement(matrix), percent_agreement(shuffled)),
    ):
        assert (one.value is None) == (other.value is None)
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-9)
            assert one.value <= 1 + 1e-12


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(st.integers(1, 7), min_size=2, max_size=30).filter(lambda v: len(set(v)) > 1),
    annotators=st.integers(2, 5),
    level=st.sampled_from(LEVELS),
)
def test_perfect_agreement_is_one(values, annotators, level):
    matrix = np.repeat(np.array(values, dtype=float)[:, None], annotators, axis=1)
    assert krippendorff_alpha(matrix, level).value == 1
    assert cohen_kappa(matrix, "linear").value == pytest.approx(1)
    assert fleiss_kappa(matrix).value == pytest.approx(1)
    assert percent_agreement(matrix).value == 1


@settings(deadline=None, max_examples=40)
@given(matrix=matrices, factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_interval_alpha_ignores_unit_and_origin(matrix, factor, shift):
    one, other = krippendorff_alpha(matrix), krippendorff_alpha(matrix * factor + shift)
    assert (one.value is None) == (other.value is None)
    if one.value is not None:
        assert one.value == pytest.approx(other.value, abs=1e-8)


def make_crowd(seed: int, units: int = 400, workers: int = 60, per_unit: int = 4) -> np.ndarray:
    generator = np.random.default_rng(seed)
    matrix = np.full((units, workers), np.nan)
    truth = generator.integers(1, 6, size=units)
    for unit in range(units):
        who = generator.choice(workers, size=generator.integers(1, per_unit + 1), replace=False)
        matrix[unit, who] = np.clip(truth[unit] + generator.integers(-1, 2, size=len(who)), 1, 5)
    return matrix


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_a_crowd_equals_the_krippendorff_package(level):
    sliders = np.where(np.isnan(make_crowd(2, 40, 20)), np.nan, np.random.default_rng(0).random((40, 20)))
    for matrix in (make_crowd(1, 200, 30), sliders):
        expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level)
        assert krippendorff_alpha(matrix, level).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_without_an_annotator_is_that_of_the_others(level):
    for matrix in (make_matrix(3, missing=0.4), make_crowd(3, units=60, workers=8), make_crowd(4, 60, 8) + np.pi):
        values = LeaveOneOut(alpha_parts(ratings_of_matrix(matrix), level), matrix.shape[1]).values
        for column, value in enumerate(values):
            expected = krippendorff_alpha(np.delete(matrix, column, axis=1), level).value
            assert value == pytest.approx(expected, abs=1e-12)


def test_the_rise_without_an_annotator_is_that_of_each_resample():
    matrix = make_matrix(5, units=40, annotators=4, missing=0.3)
    left_out = LeaveOneOut(alpha_parts(ratings_of_matrix(matrix), "interval"), 4)
    counts = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=5).astype(float)
    for row, rise in zip(counts, left_out.rise(2)(counts), strict=True):
        repeated = np.repeat(matrix, row.astype(int), axis=0)
        expected = krippendorff_alpha(np.delete(repeated, 2, axis=1)).value - krippendorff_alpha(repeated).value
        assert rise == pytest.approx(expected, abs=1e-12)


def test_only_pairs_that_share_enough_units_count():
    matrix = make_crowd(6, units=600, workers=12)
    pairs = pair_measure(ratings_of_matrix(matrix), "cohen-kappa", "none", 20)
    values, shared = [], []
    for i in range(12):
        for j in range(i + 1, 12):
            both = ~np.isnan(matrix[:, [i, j]]).any(axis=1)
            if both.sum() >= 20:
                values.append(cohen_kappa_score(matrix[both, i], matrix[both, j]))
                shared.append(both.sum())
    assert 3 <= len(values) < pairs.met == 66
    assert pairs.counted == len(values)
    assert pairs.each == pytest.approx(values, abs=1e-12)
    assert pairs.statistic.value == pytest.approx(np.average(values, weights=shared), abs=1e-12)


def test_drawing_distinct_rows_is_drawing_units():
    """Of many units with few distinct rows, how often each row occurs is drawn: the same interval as unit by unit."""
    matrix = make_matrix(8, units=2000, annotators=3, missing=0)
    statistic = make_statistic(matrix, "krippendorff-alpha", "ordinal", "none")
    found = bootstrap_interval(statistic, np.arange(2000), Intervals(resamples=4000, seed=0))
    generator = np.random.default_rng(1)
    drawn = statistic(generator.multinomial(2000, np.full(2000, 1 / 2000), size=4000).astype(float))
    low, high = np.quantile(drawn, [0.025, 0.975])
    width = high - low
    assert found.low == pytest.approx(low, abs=0.06 * width)
    assert found.high == pytest.approx(high, abs=0.06 * width)
