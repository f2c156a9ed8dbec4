"""Cleaning and aggregation."""

import statistics

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings import aggregate, majority_noise_removal

values = st.one_of(st.none(), st.integers(1, 5).map(float))
tables = st.lists(st.lists(values, min_size=4, max_size=4), min_size=1, max_size=8)


def frame_of(rows):
    return ratings_frame(
        Rating(f"d{unit}", "s", f"a{annotator}", "relevance", value, scale="1-5")
        for unit, row in enumerate(rows)
        for annotator, value in enumerate(row)
    )


def rows_of(ratings):
    wide = ratings.pivot("annotator", index="dialogue_id", values="value")
    return [list(row[1:]) for row in wide.rows()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([4, 4, 2], [4, 4, None]),
        ([4, 4, 4], [4, 4, 4]),
        ([1, 2, 3], [1, 2, 3]),
        ([4, 4, None], [4, 4, None]),
        ([4, 5, None], [4, 5, None]),
        ([1, 1, 2, 2], [1, 1, 2, 2]),
        ([1, 1, 2, 3], [1, 1, 2, 3]),
        ([1, 1, 1, 3], [1, 1, 1, None]),
        ([1, 1, 1, 2, 3], [1, 1, 1, None, None]),
    ],
)
def test_noise_removal(rate, before, after):
    cleaned = majority_noise_removal(rate([before]))
    assert rows_of(cleaned.ratings) == [after]
    assert cleaned.removed.height == after.count(None) - before.count(None)
    given_before = len(before) - before.count(None)
    assert cleaned.counts.row(0) == (
        "relevance",
        given_before,
        cleaned.removed.height,
        given_before - cleaned.removed.height,
    )


def test_noise_removal_says_what_it_took(rate):
    removed = majority_noise_removal(rate([[4, 4, 2]])).removed
    assert removed.select("dialogue_id", "annotator", "value", "majority").rows() == [("d0", "a2", 2.0, 4.0)]


@settings(deadline=None)
@given(tables)
def test_cleaning_twice_is_cleaning_once(rows):
    once = majority_noise_removal(frame_of(rows))
    twice = majority_noise_removal(once.ratings)
    assert twice.removed.is_empty()
    assert twice.ratings.equals(once.ratings)


@pytest.mark.parametrize(
    ("method", "options", "row", "expected"),
    [
        ("majority-or-mean", {}, [4, 4, 1], 4),
        ("majority-or-mean", {}, [1, 2, 5], 8 / 3),
        ("majority-or-mean", {}, [3, 5, None], 4),
        ("majority-or-mean", {}, [1, 1, 2, 2], 1.5),
        ("majority-or-mean", {}, [1, 1, 2, 2, 5], 2.2),
        ("majority-or-mean", {}, [2, None, None], 2),
        ("mean", {}, [1, 2, 5], 8 / 3),
        ("median", {}, [1, 2, 5], 2),
        ("majority", {"ties": "lowest"}, [1, 1, 3, 3, 5], 1),
        ("majority", {"ties": "highest"}, [1, 1, 3, 3, 5], 3),
        ("majority", {"ties": "mean"}, [1, 1, 3, 3, 5], 2),
        ("majority", {"ties": "null"}, [1, 1, 3, 3, 5], None),
        ("majority", {"ties": "null"}, [1, 1, 3], 1),
        ("annotator:a1", {}, [1, 2, 5], 2),
    ],
)
def test_methods(rate, method, options, row, expected):
    result = aggregate(rate([row]), method, **options)
    assert result.frame["value"][0] == (pytest.approx(expected) if expected is not None else None)
    assert (result.frame["reason"][0] == "the vote is tied") == (expected is None)


@settings(deadline=None)
@given(tables, st.sampled_from(["majority-or-mean", "mean", "median", "majority", "annotator:a1"]), st.randoms())
def test_aggregates_stay_within_their_inputs_whatever_the_order(rows, method, random):
    ratings = frame_of(rows)
    result = aggregate(ratings, method, ties="mean").frame
    shuffled = ratings[random.sample(range(ratings.height), ratings.height)]
    assert aggregate(shuffled, method, ties="mean").frame.equals(result)
    for row, value, reason in zip(rows, result.sort("dialogue_id")["value"], result["reason"], strict=True):
        present = [v for v in ([row[1]] if method == "annotator:a1" else row) if v is not None]
        if not present:
            assert value is None
            assert reason == "no valid rating"
        else:
            assert min(present) - 1e-9 <= value <= max(present) + 1e-9
            if method in ("mean", "median"):
                assert value == pytest.approx(getattr(statistics, method)(present))


def test_unset_values_are_never_averaged_silently(rate):
    ratings = rate([[0, 4, 5]])
    dropped, kept = aggregate(ratings, "mean"), aggregate(ratings, "mean", on_invalid="keep")
    assert dropped.frame["value"][0] == 4.5
    assert kept.frame["value"][0] == 3
    assert dropped.invalid["problem"].to_list() == kept.invalid["problem"].to_list() == ["unset"]
    with pytest.raises(InputError, match="unset"):
        aggregate(ratings, on_invalid="error")
    only = aggregate(rate([[0, 0, 0]]))
    assert only.frame.select("value", "ratings", "reason").row(0) == (None, 0, "no valid rating")


def test_sentences_become_summaries(rate):
    result = aggregate(rate([[2, 2, 0], [0, 1, 2], [1, 1, None]], scale="0-2", sentences=True), "majority-or-mean")
    assert result.frame.select("value", "ratings", "sentences").rows() == [(pytest.approx((2 + 1 + 1) / 3), 8, 3)]
    both = pl.concat([rate([[1, 2]], sentences=True), rate([[3, 3], [3, 3]])])
    with pytest.raises(InputError, match=r"\[d1 / s / relevance\] was rated as a whole and by sentence"):
        aggregate(both)


def test_normalised_and_overall(rate):
    mixed = pl.concat([rate([[1, 5], [5, 5]]), rate([[100, 100], [50, None]], "fluency", "0-100")])
    result = aggregate(mixed, "mean", normalised=True, overall=True)
    assert result.wide().select("dialogue_id", "fluency", "overall", "relevance").rows() == [
        ("d0", 1, 0.75, 0.5),
        ("d1", 0.5, 0.75, 1),
    ]
    with pytest.raises(InputError, match="different scales"):
        aggregate(mixed, "mean", overall=True)
    gap = pl.concat([rate([[1, 5]]), rate([[None, None]], "fluency")])
    row = aggregate(gap, overall=True).frame.filter(pl.col("dimension") == "overall").row(0, named=True)
    assert (row["value"], row["reason"]) == (None, "no value for fluency")
    with pytest.raises(InputError, match="already called 'overall'"):
        aggregate(rate([[1]], "overall"), overall=True)


def test_mixed_scales_in_a_dimension_are_refused(rate):
    mixed = pl.concat([rate([[1, 2]]), rate([[1, 2], [40, 60]], scale="0-100").filter(pl.col("dialogue_id") == "d1")])
    with pytest.raises(InputError, match="dimension 'relevance': ratings on different scales"):
        aggregate(mixed)


def test_views_and_choice_of_dimensions(rate):
    both = pl.concat([rate([[1, 2], [5, 5]]), rate([[4, 4], [0, 2]], "fluency")])
    result = aggregate(both, "mean")
    assert result.dimensions == ["fluency", "relevance"]
    assert result.system_means().rows() == [("s", "original", "overall", 3, 3.25)]
    one = aggregate(both, "mean", dimensions=["relevance"])
    assert one.dimensions == ["relevance"]
    assert one.invalid.is_empty()
    assert result.invalid.height == 1


def test_bad_parameters(rate):
    with pytest.raises(UnknownNameError, match="did you mean 'majority'"):
        aggregate(rate([[1]]), "majorty")
    with pytest.raises(UnknownNameError, match="unknown annotator 'expert'"):
        aggregate(rate([[1]]), "annotator:expert")
    with pytest.raises(UnknownNameError, match="unknown tie 'first'"):
        aggregate(rate([[1]]), "majority", ties="first")
    with pytest.raises(UnknownNameError, match="unknown dimension"):
        aggregate(rate([[1]]), dimensions=["fluencey"])
