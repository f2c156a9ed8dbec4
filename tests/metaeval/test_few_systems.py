"""Two points always lie on a line: a coefficient of fewer than three has no value, and the reason is said."""

import numpy as np
import pytest

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.metaeval import (
    compare,
    correlate,
    correlation,
    correlation_matrix,
    human_ceiling,
    leaders,
    per_dialogue,
    permutation_test,
)
from dialgauge.metaeval._names import COEFFICIENTS
from tests.metaeval.metaeval_oracles import frame_of

BASE = ("pearson", "spearman", "kendall")


@pytest.mark.parametrize(("systems", "said"), [(1, "one system"), (2, "two systems")])
def test_so_few_systems_tell_nothing(made, systems, said):
    x, y, z = (matrix[:systems] for matrix in made())
    scores, ratings = frame_of({"a": x, "b": y}), frame_of({"quality": z})
    result = correlate(scores, ratings, coefficients=[*BASE, "mean"], resamples=20)
    assert result.frame.select("value", "low", "high", "p_value").null_count().row(0) == (result.frame.height,) * 4
    assert result.frame["reason"].unique().to_list() == [f"{said}: a correlation needs three"]
    assert leaders(result.frame, scores, ratings, directions={}, resamples=20).is_empty()
    compared = compare(scores, ratings, resamples=20).frame.row(0, named=True)
    assert (compared["value"], compared["difference"], compared["low"], compared["p_value"]) == (None,) * 4
    assert compared["reason"] == f"b: {said}: a correlation needs three"


def test_no_coefficient_orders_two_systems(made):
    x, _, z = (matrix[:2] for matrix in made())
    frame = correlate(
        frame_of({"a": x}), frame_of({"q": z}), levels="system", coefficients=COEFFICIENTS, resamples=20
    ).frame
    assert frame["value"].null_count() == len(COEFFICIENTS)
    assert frame["reason"].unique().to_list() == ["two systems: a correlation needs three"]


def test_all_summaries_together_and_pairs_within_dialogues_are_enough(made):
    """The points of the global level are the summaries; an accuracy counts the pairs of all dialogues."""
    x, _, z = (matrix[:2] for matrix in made())
    scores, ratings = frame_of({"a": x}), frame_of({"q": z})
    whole = correlate(scores, ratings, levels="global", coefficients="pearson", resamples=20).frame
    assert whole["value"][0] == pytest.approx(np.corrcoef(x.ravel(), z.ravel())[0, 1], abs=1e-12)
    pairs = correlate(scores, ratings, levels="summary", coefficients="pairwise_accuracy", resamples=20).frame
    assert pairs["value"][0] is not None
    two = correlate(frame_of({"a": x[:, 1:2]}), frame_of({"q": z[:, 1:2]}), levels="global", resamples=20).frame
    assert two["reason"].unique().to_list() == ["two summaries: a correlation needs three"]


def test_three_systems_have_a_value(made):
    x, _, z = (matrix[:3] for matrix in made())
    frame = correlate(frame_of({"a": x}), frame_of({"q": z}), levels="system", coefficients="pearson").frame
    expected = np.corrcoef(x.mean(axis=1), z.mean(axis=1))[0, 1]
    assert frame["value"][0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("coefficient", BASE)
def test_a_dialogue_of_two_systems_is_skipped(made, coefficient):
    x, y, z = made()
    x[2:, 4] = np.nan
    without = [np.delete(matrix, 4, axis=1) for matrix in (x, y, z)]
    assert np.isnan(per_dialogue(x, z, coefficient)[4])
    assert correlation(x, z, "summary", coefficient) == correlation(without[0], without[2], "summary", coefficient)
    frame = correlate(
        frame_of({"a": x}), frame_of({"q": z}), levels="summary", coefficients=coefficient, resamples=0
    ).frame
    assert frame["skipped"][0] == 2  # and the one where the ratings are constant
    one, other = (
        permutation_test(a, b, c, "summary", coefficient, "systems", resamples=50) for a, b, c in ((x, y, z), without)
    )
    np.testing.assert_allclose(one.differences, other.differences, atol=1e-12)


def test_systems_that_never_meet(made):
    """Each dialogue was rated for two of four systems: there is a value across systems, and none within dialogues."""
    x, _, z = (matrix[:4] for matrix in made())
    z[:2, ::2] = z[2:, 1::2] = np.nan
    frame = correlate(frame_of({"a": x}), frame_of({"q": z}), coefficients="pearson", resamples=20).frame
    reasons = {row["level"]: (row["value"] is None, row["reason"]) for row in frame.iter_rows(named=True)}
    said = "no dialogue has summaries of more than two systems: a correlation needs three"
    assert reasons["summary"] == (True, said)
    assert not reasons["system"][0]


def test_people_and_metrics_among_themselves(made):
    x, y, z = (matrix[:2] for matrix in made())
    people = {"ann": z, "ben": np.round(x)}
    ratings = ratings_frame(
        Rating(f"d{j}", f"s{i}", name, "q", float(value))
        for name, matrix in people.items()
        for (i, j), value in np.ndenumerate(matrix)
    )
    ceiling = human_ceiling(ratings, resamples=20).frame
    assert ceiling["value"].null_count() == ceiling.height
    assert ceiling["reason"].unique().to_list() == ["two systems: a correlation needs three"]
    assert np.isnan(correlation_matrix(frame_of({"a": x, "b": y})).values).all()
