"""Annotators who drift, and annotators who stand apart."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from scipy import stats

from dialgauge.corpus import Rating, ratings_frame
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings import drift, outliers


def make(seed=0, dialogues=40, systems=5, slope=0.0, spread=0.7, timed=False, annotators=("x", "y", "z")):
    """Ratings on a 0-100 scale in which the first annotator moves by ``slope`` from the first to the last dialogue."""
    generator = np.random.default_rng(seed)
    start = datetime(2024, 1, 1)
    rows = []
    for d in range(dialogues):
        for s in range(systems):
            truth = generator.normal(50, 10)
            for a, name in enumerate(annotators):
                moved = slope * d / (dialogues - 1) if a == 0 else 0.0
                value = truth + moved + generator.normal(0, spread)
                time = start + timedelta(minutes=d * systems + s) if timed else None
                rows.append(Rating(f"d{d:03}", f"s{s}", name, "fluency", value, scale="0-100", time=time))
    return ratings_frame(rows)


def test_residuals_by_hand(rate):
    # Three dialogues, two blocks: the first holds dialogues 0 and 1.
    result = drift(rate([[5, 3, 1], [4, 4, 4], [1, 5, 3]]), blocks=2)
    mine = result.blocks.filter(pl.col("annotator") == "a0")
    assert mine["residual"].to_list() == [pytest.approx((3 + 0) / 2), pytest.approx(-3)]
    assert mine["ratings"].to_list() == [2, 1]
    assert result.order == "the order of the table; the ratings have no times"


def test_drift_is_found_and_its_size_is_right():
    result = drift(make(slope=8))
    assert result.trends.filter("drifts")["annotator"].to_list()[0] == "x"
    change, low, high = result.trends.select("change", "low", "high").row(0)
    assert low < 8 < high
    assert change == pytest.approx(8, abs=0.5)
    mirrored = result.trends.filter(pl.col("annotator") == "y")["change"][0]
    assert mirrored == pytest.approx(-4, abs=0.5)
    assert result.drifting["annotator"][0] == "x"


def test_trend_equals_clustered_regression():
    ratings = make(seed=3, slope=2)
    others = pl.col("value").sum().over("dialogue_id", "system") - pl.col("value")
    mine = ratings.with_columns(residual=pl.col("value") - others / 2).filter(pl.col("annotator") == "x")
    place = mine["dialogue_id"].str.slice(1).cast(pl.Int64).to_numpy() / 39
    import statsmodels.api as sm  # half a second, and for this test only

    model = sm.OLS(mine["residual"].to_numpy(), sm.add_constant(place))
    clusters = mine["dialogue_id"].rank("dense").to_numpy()
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True, "use_correction": False})
    row = drift(ratings).trends.filter(pl.col("annotator") == "x").row(0, named=True)
    assert row["change"] == pytest.approx(fit.params[1], abs=1e-10)
    error = fit.bse[1] * np.sqrt(40 / 39)
    assert row["high"] - row["change"] == pytest.approx(stats.t.ppf(0.975, 39) * error, rel=1e-9)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["change"]) / error, 39), rel=1e-9)


def test_steady_annotators_are_rarely_flagged():
    flagged = sum(drift(make(seed), minimum_change=0).drifting.height > 0 for seed in range(100))
    assert flagged <= 12  # 5 % of the families by Holm's correction, and chance


def test_small_changes_are_not_worth_a_flag():
    ratings = make(slope=3, spread=0.3)  # 3 of 100 points: significant, and nothing
    assert drift(ratings).drifting.is_empty()
    assert drift(ratings, minimum_change=0.01).drifting.height > 0


def test_order_of_work_by_time_frame_and_list():
    ratings = make(slope=8, timed=True)
    shuffled = ratings.sample(fraction=1, shuffle=True, seed=0)
    by_time = drift(shuffled)
    assert by_time.order == "the time of each rating"
    assert by_time.trends["change"][0] == pytest.approx(8, abs=0.6)
    assert abs(drift(shuffled, order="frame").trends["change"][0]) < 6
    names = sorted(ratings["dialogue_id"].unique())
    given = drift(shuffled, order=names)
    assert given.order == "the order given"
    backwards = drift(shuffled, order=names[::-1])
    assert backwards.trends["change"][0] == pytest.approx(-given.trends["change"][0], abs=1e-9)


def test_bad_orders(rate):
    ratings = rate([[1, 2], [3, 4], [1, 1]])
    with pytest.raises(InputError, match="does not name dialogue 'd1' \\(2 missing\\)"):
        drift(ratings, order=["d0"])
    with pytest.raises(InputError, match="names a dialogue twice"):
        drift(ratings, order=["d0", "d0", "d1", "d2"])
    with pytest.raises(InputError, match="6 ratings without a time"):
        drift(ratings, order="time")
    with pytest.raises(UnknownNameError, match="unknown order 'date'; known: frame, time"):
        drift(ratings, order="date")
    with pytest.raises(ParameterError, match="'blocks'"):
        drift(ratings, blocks=1)


@pytest.mark.parametrize(
    ("rows", "note"),
    [([[1], [2], [3]], "no unit was rated by another"), ([[1, 2], [3, 3]], "fewer than three dialogues")],
)
def test_too_little_to_say(rate, rows, note):
    trends = drift(rate(rows)).trends
    assert trends["change"].null_count() == trends.height
    assert trends["note"].str.contains(note).all()
    assert not trends["drifts"].any()


def test_perfect_agreement_does_not_drift(rate):
    trends = drift(rate([[i % 5 + 1] * 3 for i in range(20)])).trends
    assert trends["change"].to_list() == [0, 0, 0]
    assert trends["p_value"].to_list() == [1, 1, 1]


def test_an_outlier_is_found():
    ratings = make(spread=4)
    random = np.random.default_rng(1).uniform(20, 80, ratings.height)
    is_x = pl.col("annotator") == "x"
    spoilt = ratings.with_columns(pl.when(is_x).then(pl.Series(random)).otherwise("value").alias("value"))
    result = outliers(spoilt, resamples=200)
    assert result.flagged["annotator"].to_list() == ["x"]
    row = result.frame.filter(is_x).row(0, named=True)
    assert abs(row["correlation"]) < 0.3
    assert row["alpha_without"] > 0.7 > row["alpha"]
    assert outliers(ratings, resamples=200).flagged.is_empty()


def test_bias_is_the_mean_residual(rate):
    frame = outliers(rate([[5, 3, 3], [4, 2, 2], [3, 1, 1]]), resamples=50).frame
    assert frame["bias"].to_list() == [2, -1, -1]
    assert frame["distance"].to_list() == [2, 1, 1]
    assert frame["alpha_without"][0] == 1


def test_outliers_need_three_annotators_and_one_scale(rate):
    frame = outliers(rate([[5, 3], [4, 2]])).frame
    assert frame["note"].to_list() == ["fewer than three annotators"] * 2
    mixed = rate([[5, 3, 1], [4, 2, 1]]).with_columns(
        scale=pl.when(pl.col("annotator") == "a0").then(pl.lit("1-5")).otherwise(pl.lit("1-7"))
    )
    assert outliers(mixed).frame["note"].str.contains("different scales").all()
    assert drift(mixed).trends["note"].str.contains("different scales").all()
    with pytest.raises(ParameterError, match="minimum_rise"):
        outliers(mixed, minimum_rise=-1)


def test_a_crowd_of_which_one_answers_at_random():
    """With more than ten annotators only possible outliers have an interval."""
    generator = np.random.default_rng(0)
    rows = []
    for unit in range(240):
        truth = generator.integers(1, 6)
        for name in generator.choice(12, size=3, replace=False):
            value = generator.integers(1, 6) if name == 7 else np.clip(truth + generator.integers(-1, 2), 1, 5)
            rows.append(Rating(f"d{unit:03}", "s", f"w{name:02}", "fluency", float(value), scale="1-5"))
    frame = outliers(ratings_frame(rows), minimum_rise=0.05, resamples=200)
    assert frame.flagged["annotator"].to_list() == ["w07"]
    assert frame.frame.filter(pl.col("low").is_not_null())["annotator"].to_list() == ["w07"]
    assert frame.frame["alpha_without"].null_count() == 0
    assert drift(ratings_frame(rows)).trends.height == 12
