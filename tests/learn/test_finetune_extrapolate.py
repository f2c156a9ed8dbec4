"""Ratings for variants that nobody rated: the mean of their kind, rounded by a declared rule."""

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, ParameterError
from dialgauge.learn import extrapolate
from dialgauge.learn._extrapolate import nearest_class
from dialgauge.ratings import SCALES

SEVEN, FIVE = SCALES["1-7"], SCALES["1-5"]


def _variants(**counts: int) -> pl.DataFrame:
    rows = [(f"d{i}", "s", label, "overall") for label, count in counts.items() for i in range(count)]
    return pl.DataFrame(rows, schema=list(KEY), orient="row")


def _rated(*rows: tuple[str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(
        [(dialogue, "s", variant, "overall", value) for dialogue, variant, value in rows],
        schema=[*KEY, "value"],
        orient="row",
    )


@pytest.mark.parametrize(
    ("value", "rounding", "expected"),
    [(4.5, "half-up", 5), (4.5, "half-even", 4), (5.5, "half-even", 6), (4.49, "half-up", 4), (4.5, "none", 4.5)],
)
def test_a_half_goes_where_the_rule_says(value: float, rounding: str, expected: float) -> None:
    assert nearest_class(value, SEVEN, rounding) == expected  # type: ignore[arg-type]


@given(st.floats(1, 7), st.sampled_from(["half-up", "half-even"]))
def test_a_class_is_a_point_of_the_scale_and_no_other_is_nearer(value: float, rounding: str) -> None:
    found = nearest_class(value, SEVEN, rounding)  # type: ignore[arg-type]
    assert found in SEVEN.points
    assert abs(found - value) <= 0.5


def test_rated_variants_keep_their_rating_and_the_others_get_the_class_of_their_kind() -> None:
    ratings = _rated(("d0", "typos", 4), ("d1", "typos", 5), ("d0", "jumble", 2))
    found = extrapolate(_variants(typos=4, jumble=2, hyponyms=3), ratings, FIVE)
    values = {(row[0], row[2]): (row[4], row[5]) for row in found.frame.iter_rows()}
    assert values["d0", "typos"] == (4, "given")
    assert values["d2", "typos"] == values["d3", "typos"] == (5, "extrapolated")  # 4.5, half up
    assert values["d1", "jumble"] == (2, "extrapolated")
    assert found.without == ("hyponyms",)
    assert found.frame.height == 6


def test_the_second_draw_of_a_kind_is_of_that_kind() -> None:
    variants = pl.concat([_variants(typos=1), _variants(**{"typos#2": 1})])
    found = extrapolate(variants, _rated(("d0", "typos", 3)), FIVE)
    assert found.frame["value"].to_list() == [3, 3]


def test_priors_are_stretched_to_the_scale_and_stand_behind_ratings() -> None:
    variants = _variants(typos=2, jumble=1)
    found = extrapolate(variants, _rated(("d0", "typos", 2)), FIVE, priors={"typos": 7.0, "jumble": 4.0})
    values = {(row[0], row[2]): (row[4], row[5]) for row in found.frame.iter_rows()}
    assert values["d1", "typos"] == (2, "extrapolated")
    assert values["d0", "jumble"] == (3, "priors")  # the middle of 1-7 is the middle of 1-5


def test_annotated_looks_at_so_many_ratings_only_and_assigns_the_rest() -> None:
    variants = _variants(typos=40)
    ratings = _rated(*((f"d{i}", "typos", 1 + i % 5) for i in range(40)))
    found = extrapolate(variants, ratings, FIVE, annotated=25, seed=3)
    assert found.frame["origin"].value_counts().sort("origin").rows() == [("extrapolated", 15), ("given", 25)]
    assert found.types["ratings"].to_list() == [25]
    again = extrapolate(variants.reverse(), ratings.reverse(), FIVE, annotated=25, seed=3)
    assert again.frame.equals(found.frame)
    assert not extrapolate(variants, ratings, FIVE, annotated=25, seed=4).frame.equals(found.frame)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="rounding"):
        extrapolate(_variants(typos=1), _rated(), FIVE, rounding="up")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="annotated"):
        extrapolate(_variants(typos=1), _rated(), FIVE, annotated=0)
    with pytest.raises(InputError, match=r"variant=typos.* 6 is off the scale '1-5'"):
        extrapolate(_variants(typos=1), _rated(("d0", "typos", 6)), FIVE)
