"""The model of the raters: what it finds where the truth is known, and what it says where there is nothing."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from benchmarks.raters import World, measure, simulate
from dialgauge.errors import DialgaugeError
from dialgauge.metaeval import human_ceiling
from dialgauge.ratings import aggregate, rater_model


@pytest.fixture(scope="module")
def spammed() -> dict[str, float]:
    return measure(World(spammers=0.4), 2, ("mean", "dawid-skene", "model"))


def test_with_spammers_the_model_finds_what_the_mean_does_not(spammed: dict[str, float]) -> None:
    assert spammed["model"] > 0.85 > 0.70 > spammed["mean"]
    assert spammed["dawid-skene"] > spammed["mean"] + 0.05


def test_spammers_are_found_and_nobody_else_is_accused(spammed: dict[str, float]) -> None:
    assert spammed["spammer AUC"] >= 0.98
    assert spammed["found"] >= 0.9
    assert spammed["accused"] == 0
    assert spammed["severity r"] > 0.95
    assert spammed["90 % interval of severity holds"] > 0.85


def test_severity_is_taken_out_and_honest_raters_lose_nothing() -> None:
    severe = measure(World(), 1, ("mean", "model"))
    assert severe["model"] > severe["mean"] + 0.03
    assert 0.85 < severe["90 % interval holds"] < 0.95
    clean = measure(World(severity=0.0), 1, ("mean", "model"))
    assert clean["model"] > clean["mean"] - 0.002


def test_ratings_without_any_signal_have_values_near_their_mean() -> None:
    """Pure noise: no item is told from another, whatever the model."""
    noise = simulate(World(items=300, raters=10, spammers=1.0), 3)
    found = rater_model(noise.ratings)
    assert found.spammers == [], "where nobody agrees with anybody, nobody can be accused"
    assert "do not agree beyond chance" in found.notes[0]
    twice = pl.concat([noise.ratings, noise.ratings.with_columns(dimension=pl.lit("other"))])
    pooled = rater_model(twice).raters.filter(pl.col("dimension").is_null())
    assert pooled.height == 10
    assert pooled["spammer"].is_null().all(), "nor by several such dimensions together"
    spread = found.items["value"].std()
    assert isinstance(spread, float)
    assert spread < 0.6 * float(aggregate(noise.ratings).frame["value"].std())  # type: ignore[arg-type]


def test_a_rater_who_reads_the_scale_backwards_is_named() -> None:
    made = simulate(World(items=200, raters=6, severity=0.2), 4)
    turned = made.ratings.with_columns(
        pl.when(pl.col("annotator") == "0002").then(6 - pl.col("value")).otherwise("value").alias("value")
    )
    found = rater_model(turned)
    assert found.raters.filter(pl.col("flag") == "backwards")["annotator"].to_list() == ["0002"]
    assert any("0002 seem to read the scale backwards" in note for note in found.notes)
    r = np.corrcoef(found.items.sort("dialogue_id")["value"], made.quality)[0, 1]
    assert r > np.corrcoef(aggregate(turned).frame.sort("dialogue_id")["value"], made.quality)[0, 1] + 0.05


def test_raters_who_share_no_items_are_said_to_be_incomparable() -> None:
    made = simulate(World(items=60, raters=4, each=2), 5).ratings
    halves = made.with_columns(
        pl.when(pl.col("dialogue_id") < "0000030")
        .then(pl.format("a{}", "annotator"))
        .otherwise(pl.format("b{}", "annotator"))
        .alias("annotator")
    )
    found = rater_model(halves)
    assert found.raters["group"].n_unique() == 2
    assert any("share no items" in note for note in found.notes)


@pytest.mark.parametrize("method", ["model", "dawid-skene", "mace"])
def test_aggregation_by_a_model_is_the_same_whatever_the_order(method: str) -> None:
    made = simulate(World(items=40, raters=5), 6).ratings
    result = aggregate(made, method).frame
    assert aggregate(made.sample(fraction=1.0, shuffle=True, seed=1), method).frame.equals(result)
    assert result["sd"].is_not_null().all()
    assert result["value"].is_between(1, 5).all()
    assert aggregate(made).frame["sd"].is_null().all()


def test_labels_are_labels() -> None:
    """On a categorical scale the value is a label, and raters who are right more often count for more.

    The shares are those that crowd-kit 1.4.2 finds in the same labels (MACE: variational, ten restarts).
    """
    generator = np.random.default_rng(7)
    truth = generator.integers(2, size=300)
    made = simulate(World(items=300, raters=5, each=5), 7).ratings.sort("dialogue_id", "annotator")
    right = generator.random((300, 5)) < np.array([0.95, 0.85, 0.75, 0.75, 0.5])
    labels = np.where(right, truth[:, None], 1 - truth[:, None]).ravel()
    yes_no = made.with_columns(pl.Series("value", labels.astype(float)), pl.lit("yes/no").alias("scale"))
    found = rater_model(yes_no)
    assert set(found.items["value"].unique()) == {0.0, 1.0}
    model = (aggregate(yes_no, "model").frame.sort("dialogue_id")["value"].to_numpy() == truth).mean()
    vote = (aggregate(yes_no, "majority").frame.sort("dialogue_id")["value"].to_numpy() == truth).mean()
    assert model > 0.955 > 0.93 > vote
    knows = rater_model(yes_no, kind="mace").raters.sort("annotator")["reliability"].to_list()
    assert knows == pytest.approx([0.925, 0.751, 0.461, 0.514, 0.128], abs=0.03)
    often_right = found.raters.sort("annotator")["reliability"].to_list()
    assert often_right == pytest.approx([0.965, 0.873, 0.731, 0.753, 0.563], abs=0.02)


def test_sliders_and_constant_ratings() -> None:
    made = simulate(World(items=80, raters=4, severity=0.0), 8)
    noise = np.random.default_rng(1).uniform(-4, 4, made.ratings.height)
    slider = made.ratings.with_columns(
        (pl.col("value") * 20 - 10 + pl.Series(noise)).alias("value"), pl.lit("0-100").alias("scale")
    )
    values = aggregate(slider, "model").frame.sort("dialogue_id")["value"]
    assert np.corrcoef(values, made.quality)[0, 1] > 0.85
    same = rater_model(made.ratings.with_columns(pl.lit(3.0).alias("value")))
    assert same.items["value"].unique().to_list() == [3.0]
    assert "nothing can be said of the raters" in same.notes[0]
    assert same.spammers == []


def test_bad_requests_are_refused_by_name() -> None:
    made = simulate(World(items=10, raters=4), 9).ratings
    with pytest.raises(DialgaugeError, match="ordinal"):
        rater_model(made, kind="ordnal")
    with pytest.raises(DialgaugeError, match="dawid-skene"):
        aggregate(made, "dawid-skeen")


def test_on_real_raters_the_model_stays_close_to_the_mean(study: Callable[..., pl.DataFrame]) -> None:
    """DialSummEval: three trained raters who all rated all. The model is no better there, and says so."""
    ratings = study("reproduction", ("consistency",))
    found = rater_model(ratings)
    assert found.spammers == []
    assert "the mean is as good and simpler" in found.notes[0]
    mean = aggregate(ratings).frame
    both = mean.join(found.items, on=["dialogue_id", "system"], suffix="_model")
    assert np.corrcoef(both["value"], both["value_model"])[0, 1] > 0.98


def test_what_a_perfect_metric_reaches_on_dialsummeval(study: Callable[..., pl.DataFrame]) -> None:
    """Relevance: one against the rest says .60, and a perfect metric reaches .88."""
    found = human_ceiling(study("reproduction"), resamples=0, levels=("summary", "system"), coefficients=("pearson",))
    expected = {"coherence": (0.921, 0.961), "fluency": (0.885, 0.927), "relevance": (0.879, 0.911)}
    for dimension, values in expected.items():
        got = [found.perfect(dimension, level, "pearson") for level in ("summary", "system")]
        assert got == pytest.approx(values, abs=0.004), dimension
