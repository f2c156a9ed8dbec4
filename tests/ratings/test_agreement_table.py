"""The agreement table: its groups, its settings, its notes."""

import numpy as np
import polars as pl
import pytest

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings import MEASURES, agreement, krippendorff_alpha


@pytest.fixture
def ratings() -> pl.DataFrame:
    generator = np.random.default_rng(0)
    rows = []
    for dialogue in range(20):
        for system in "AB":
            for dimension in ("fluency", "relevance"):
                truth = generator.integers(1, 6)
                for annotator in ("x", "y", "z"):
                    value = float(np.clip(truth + generator.integers(-1, 2), 1, 5))
                    rows.append(Rating(f"d{dialogue}", system, annotator, dimension, value, scale="1-5"))
    return ratings_frame(rows)


def test_rows_of_every_scope(ratings):
    result = agreement(ratings, by=("overall", "dimension", "pair", "system"), resamples=50)
    counts = dict(result.frame.group_by("scope").len().iter_rows())
    assert counts == {"overall": 6, "dimension": 2 * 6, "pair": 2 * 3 * 6, "system": 2 * 2 * 6}
    assert set(result.frame.filter(pl.col("scope") == "pair")["group"]) == {"x × y", "x × z", "y × z"}
    assert result.frame["value"].null_count() == 0
    assert (result.frame["low"] <= result.frame["high"]).all()
    units = result.frame.filter(pl.col("measure") == "krippendorff-alpha").unique("scope").sort("scope")
    assert units.select("scope", "units", "ratings").rows() == [
        ("dimension", 40, 120),
        ("overall", 80, 240),
        ("pair", 40, 80),
        ("system", 20, 60),
    ]


def test_values_are_those_of_the_matrix(ratings):
    one = ratings.filter(pl.col("dimension") == "fluency").sort("dialogue_id", "system", "annotator")
    matrix = one["value"].to_numpy().reshape(-1, 3)
    result = agreement(ratings, level="interval", resamples=0)
    assert result.value("krippendorff-alpha", "fluency") == krippendorff_alpha(matrix, "interval").value
    assert result.frame["low"].null_count() == result.frame.height
    with pytest.raises(UnknownNameError, match="unknown agreement"):
        result.value("krippendorff-alpha", "coherence")


def test_order_of_rows_does_not_matter_and_seed_does(ratings):
    one = agreement(ratings, resamples=100, seed=3)
    shuffled = agreement(ratings.sample(fraction=1, shuffle=True, seed=1), resamples=100, seed=3)
    assert one.frame.equals(shuffled.frame)
    assert not one.frame.equals(agreement(ratings, resamples=100, seed=4).frame)


def test_drawing_dialogues_is_drawing_fewer_things(ratings):
    # Two systems get the same rating: the 40 units are 20 independent ones, and the interval must say so.
    same = pl.concat(
        [ratings.filter(pl.col("system") == "A").with_columns(system=pl.lit(name)) for name in ("A", "B", "C", "D")]
    )
    by_summary = agreement(same, ["percent-agreement"], resample="summary", resamples=2000).frame
    by_dialogue = agreement(same, ["percent-agreement"], resample="dialogue", resamples=2000).frame
    widths = [(frame["high"] - frame["low"])[0] for frame in (by_summary, by_dialogue)]
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.15)


@pytest.mark.parametrize(
    ("scale", "level", "weights"),
    [("1-5", "ordinal", "quadratic"), ("0-100", "interval", "quadratic"), ("yes/no", "nominal", "unweighted")],
)
def test_settings_follow_the_scale(rate, scale, level, weights):
    result = agreement(rate([[1, 1], [0, 1], [1, 0], [0, 0]], scale=scale), resamples=0, on_invalid="keep").frame
    settings = dict(result.filter(pl.col("scope") == "dimension").select("measure", "setting").iter_rows())
    assert (settings["krippendorff-alpha"], settings["cohen-kappa"], settings["fleiss-kappa"]) == (level, weights, None)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[3, 3, 3], [3, 3, 3]], "all ratings are equal"),
        ([[3], [4]], "only one annotator"),
        ([[3, None], [None, 4]], "no two annotators rated the same unit"),
        ([[None, None]], "no ratings"),
    ],
)
def test_undefined_is_null_with_a_reason(rate, rows, reason):
    result = agreement(rate(rows), resamples=20).frame
    without_share = result.filter(pl.col("measure") != "percent-agreement")
    assert without_share["value"].null_count() == without_share.height
    assert without_share["note"].str.contains(reason).all()


def test_a_constant_annotator_has_no_correlation(rate):
    result = agreement(rate([[1, 3, 1], [2, 3, 2], [3, 3, 4]]), ["pearson"], resamples=0).frame
    assert result["value"][0] == pytest.approx(np.corrcoef([1, 2, 3], [1, 2, 4])[0, 1])
    assert result["note"][0] == "2 of 3 pairs of annotators have no value and are left out"
    alone = agreement(rate([[1, 3], [2, 3]]), ["pearson"], resamples=0).frame
    assert alone["note"][0] == "in every pair, one annotator gave the same value to all units"


def test_mixed_scales_have_no_agreement(rate):
    mixed = pl.concat([rate([[1, 2], [3, 3]]), rate([[10, 20], [30, 40]], "fluency", "0-100")])
    result = agreement(mixed, ["krippendorff-alpha"], resamples=0)
    assert result.value("krippendorff-alpha") is None
    assert "different scales (0-100, 1-5)" in result.frame["note"][0]
    assert result.value("krippendorff-alpha", "fluency") is not None


def test_unset_values_are_left_out_and_listed(rate):
    ratings = rate([[1, 1, 0], [5, 5, 5], [3, 3, 4]])
    dropped = agreement(ratings, ["krippendorff-alpha"], resamples=0)
    kept = agreement(ratings, ["krippendorff-alpha"], resamples=0, on_invalid="keep")
    assert (dropped.frame["ratings"][0], kept.frame["ratings"][0]) == (8, 9)
    assert dropped.invalid.height == kept.invalid.height == 1
    with pytest.raises(InputError, match="unset"):
        agreement(ratings, on_invalid="error")


def test_sentences_are_units_and_their_summary_is_drawn(rate):
    ratings = rate([[0, 0], [1, 2], [2, 2], [1, 1]], scale="0-2", sentences=True)
    result = agreement(ratings, ["krippendorff-alpha"], resamples=50).frame
    assert result["units"][0] == 4
    assert result["low"][0] is None  # one summary: there is nothing to draw from


def test_bad_parameters(ratings):
    with pytest.raises(UnknownNameError, match="did you mean 'cohen-kappa'"):
        agreement(ratings, ["cohens-kappa"])
    with pytest.raises(UnknownNameError, match="unknown by 'annotator'"):
        agreement(ratings, by=["annotator"])
    with pytest.raises(UnknownNameError, match="unknown resample 'row'"):
        agreement(ratings, resample="row")
    with pytest.raises(UnknownNameError, match="did you mean 'fluency'"):
        agreement(ratings, MEASURES, dimensions=["fluncy"])


def test_a_crowd_has_no_kappa_but_alpha():
    """Where hardly any two workers share twenty units, the mean over pairs would mislead: null, and why."""
    generator = np.random.default_rng(0)
    rows = []
    for unit in range(300):
        truth = generator.integers(1, 6)
        for worker in generator.choice(40, size=3, replace=False):
            value = float(np.clip(truth + generator.integers(-1, 2), 1, 5))
            rows.append(Rating(f"d{unit:03}", "s", f"w{worker:02}", "fluency", value, scale="1-5"))
    result = agreement(ratings_frame(rows), resamples=20)
    for measure in ("cohen-kappa", "pearson", "spearman"):
        assert result.value(measure, "fluency") is None
    assert result.value("krippendorff-alpha", "fluency") > 0.7
    note = result.frame.filter(measure="cohen-kappa", scope="dimension")["note"][0]
    assert note.startswith("only 0 of ")
    assert note.endswith("pairs of annotators share 20 units or more; Krippendorff's α uses all ratings")
    assert agreement(ratings_frame(rows), ["cohen-kappa"], minimum_shared=2, resamples=0).value("cohen-kappa") < 0.7


def test_fleiss_keeps_the_number_of_ratings_after_cleaning(ratings):
    from dialgauge.ratings import majority_noise_removal

    cleaned = majority_noise_removal(ratings).ratings
    after = agreement(cleaned, ["fleiss-kappa"], resamples=0, before_cleaning=ratings).frame
    alone = agreement(cleaned, ["fleiss-kappa"], resamples=0).frame
    full = cleaned.drop_nulls("value").group_by("dialogue_id", "system", "dimension").len().filter(pl.col("len") == 3)
    assert after["units"][0] == full.height
    assert alone["value"][0] == 1 > after["value"][0]
