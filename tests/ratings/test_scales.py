"""Scales, and ratings held against them."""

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings import SCALES, Scale, find_scale, normalise, validate


def test_built_in_scales():
    assert SCALES["1-5"].points == (1, 2, 3, 4, 5)
    assert SCALES["1-7"].label(1) == "Extremely bad"
    assert SCALES["1-7"].label(7) == "Extremely good"
    assert SCALES["1-7"].label(8) is None
    assert SCALES["yes/no"].label(1) == "yes"
    assert SCALES["yes/no"].kind == "categorical"
    assert SCALES["0-2"].points == (0, 1, 2)
    assert SCALES["0-100"].points == ()
    assert SCALES["1-5"].unset == 0
    assert SCALES["0-2"].unset is None


@pytest.mark.parametrize(("name", "low", "high"), [("1-10", 1, 10), ("-2-2", -2, 2), ("1–5", 1, 5), ("0 - 3", 0, 3)])
def test_ranges_are_read(name, low, high):
    scale = find_scale(name)
    assert (scale.minimum, scale.maximum, scale.step) == (low, high, 1)


def test_declared_scales_come_first():
    own = Scale("1-5", 1, 5, step=0.5)
    assert find_scale("1-5", [own]) is own


def test_bad_scales():
    with pytest.raises(UnknownNameError, match="'A-B' with whole numbers"):
        find_scale("good or bad")
    with pytest.raises(InputError, match="lowest point must come first"):
        find_scale("5-1")
    with pytest.raises(ParameterError, match="'maximum'"):
        Scale("x", 2, 2)
    with pytest.raises(ParameterError, match="'step'"):
        Scale("x", 0, 1, step=0.3)
    with pytest.raises(ParameterError, match="'step'"):
        Scale("x", 0, 1, step=0)
    with pytest.raises(ParameterError, match="'labels' must be 3 names"):
        Scale("x", 0, 2, labels=("a", "b"))
    with pytest.raises(ParameterError, match="'kind'"):
        Scale("x", 0, 2, kind="nominal")  # type: ignore[arg-type]


def test_off_scale_values_are_listed_with_key_and_reason(rate):
    ratings = rate([[0, 4, 6], [2.5, None, 5]])
    checked = validate(ratings, on_invalid="keep")
    assert checked.ratings.equals(ratings)
    assert checked.invalid.select("dialogue_id", "annotator", "value", "problem").rows() == [
        ("d0", "a0", 0.0, "unset"),
        ("d0", "a2", 6.0, "off the scale"),
        ("d1", "a0", 2.5, "between two points"),
    ]
    assert checked.invalid["reason"][0] == "unset: 0 on a scale from 1 to 5 means that it was not rated"


def test_drop_and_error(rate):
    ratings = rate([[0, 4, 6], [2, None, 5]])
    dropped = validate(ratings, on_invalid="drop")
    assert dropped.ratings.height == ratings.height - 2 == 4
    assert dropped.invalid.height == 2
    with pytest.raises(InputError, match=r"2 bad rows\n.*\[d0 / s / a0 / relevance\] unset: 0 on a scale"):
        validate(ratings, on_invalid="error")
    assert validate(rate([[1, 5]]), on_invalid="error").invalid.is_empty()
    with pytest.raises(ParameterError, match="on_invalid"):
        validate(ratings, on_invalid="ignore")  # type: ignore[arg-type]


def test_zero_is_a_value_where_the_scale_has_it(rate):
    assert validate(rate([[0, 2]], scale="0-2")).invalid.is_empty()
    assert validate(rate([[0, 1]], scale="yes/no")).invalid.is_empty()
    assert validate(rate([[33.3, 0]], scale="0-100")).invalid.is_empty()


def test_ratings_without_a_scale_are_counted(rate):
    checked = validate(rate([[0, 17]], scale=None))
    assert checked.ratings.height == checked.unchecked == 2
    assert checked.invalid.is_empty()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_are_refused_with_their_key(rate, bad):
    with pytest.raises(InputError, match=r"\[d0 / s / a1 / relevance\] .*NaN or infinite"):
        validate(rate([[1, bad]]))


def test_text_and_duplicates_and_missing_columns_are_refused(rate):
    ratings = rate([[1, 2]])
    texts = ratings.with_columns(pl.Series("value", ["1", "good"]))
    with pytest.raises(InputError, match=r"\[d0 / s / a1 / relevance\] 'good': the value is a text"):
        validate(texts)
    with pytest.raises(InputError, match="column 'value' must be Float64; got Int64"):
        validate(ratings.with_columns(pl.col("value").cast(pl.Int64)))
    with pytest.raises(InputError, match=r"\[d0 / s / a0 / relevance\] 1.0: duplicate rating"):
        validate(pl.concat([ratings, ratings.head(1)]))
    with pytest.raises(InputError, match="missing column 'annotator'"):
        validate(ratings.drop("annotator"))


def test_a_rating_of_an_unknown_summary_is_refused_by_the_corpus(rate, corpus_of):
    corpus = corpus_of(rate([[1, 2]]))
    stray = ratings_frame([Rating("d9", "s", "a", "relevance", 3)])
    with pytest.raises(InputError, match=r"d9 .* rating of a summary that is not in the corpus"):
        type(corpus)(corpus.dialogues, corpus.summaries, stray)


def test_normalise(rate):
    both = pl.concat([rate([[1, 3, 5]]), rate([[0, 50, 100]], "fluency", "0-100")])
    result = normalise(both)
    assert result["value"].to_list() == [0, 0.5, 1, 0, 0.5, 1]
    assert set(result["scale"]) == {"0-1"}
    assert validate(result).invalid.is_empty()
    with pytest.raises(InputError, match="has no scale"):
        normalise(rate([[1]], scale=None))


@given(low=st.integers(-5, 5), points=st.integers(2, 12), data=st.data())
def test_every_point_is_valid_and_normalises_into_the_unit_interval(low, points, data):
    scale = Scale("own", low, low + points - 1)
    value = data.draw(st.sampled_from(scale.points))
    frame = ratings_frame([Rating("d", "s", "a", "x", value, scale="own")])
    assert validate(frame, scales=[scale]).invalid.is_empty()
    assert 0 <= normalise(frame, scales=[scale])["value"][0] <= 1
    outside = frame.with_columns(value=pl.lit(float(low + points)))
    assert validate(outside, scales=[scale]).invalid.height == 1
