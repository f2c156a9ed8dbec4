"""Validation: leaks are caught, measures equal scikit-learn's, bad input is refused, seeds decide everything."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.learn import Data, Fold, LeakError, Predicted, Recipe, build_data, build_features, build_target, validate
from dialgauge.learn._learners import candidates
from dialgauge.learn._procedure import check_leaks, procedure
from dialgauge.learn._splits import make_folds
from dialgauge.learn._validation_scores import best_single, class_measures
from dialgauge.metrics import Scores
from tests.learn.learn_cases import made_corpus, made_data, made_scores


def linear(data: Data, x: np.ndarray, train: np.ndarray, test: np.ndarray) -> Predicted:
    fitted = Recipe.build("ridge", data.target).fit(x[train], data.y[train])
    return Predicted(fitted.numbers(x[test]), fitted.classes(x[test]))


def scaled_on_everything(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
    """The scaling sees the held-out system."""
    from sklearn.linear_model import Ridge

    x = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    numbers = Ridge(alpha=10.0).fit(x[train], data.y[train]).predict(x[test])
    return Predicted(numbers, data.target.classes(numbers))


def clipped_on_everything(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
    """Feature values become ranks among all rows, held-out ones included."""
    x = np.argsort(np.argsort(data.X, axis=0), axis=0).astype(float)
    return linear(data, x, train, test)


def selected_on_everything(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
    """The selection of the feature looks at held-out ratings."""
    strength = [abs(np.corrcoef(column, data.y)[0, 1]) for column in data.X.T]
    weights = np.array(strength) / sum(strength)
    return linear(data, data.X * np.round(weights, 12)[None, :] @ np.ones((3, 3)), train, test)


def encoded_systems(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
    """A feature that holds the mean rating of each system, the held-out one's too."""
    systems = data.keys["system"].to_numpy()
    means = {name: data.y[systems == name].mean() for name in np.unique(systems)}
    x = np.column_stack([data.X, [means[name] for name in systems]])
    return linear(data, x, train, test)


LEAKS = (clipped_on_everything, selected_on_everything, encoded_systems)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_planted_leak_is_caught(leak: object) -> None:
    data, _, _, corpus = made_data()
    with pytest.raises(LeakError, match=r"held out|held-out"):
        validate(data, corpus.ratings, run=leak, split="systems", resamples=0, null=0)  # type: ignore[arg-type]


def test_scaling_over_held_out_rows_is_caught() -> None:
    data, _, _, corpus = made_data()
    with pytest.raises(LeakError, match="features of other held-out summaries"):
        validate(data, corpus.ratings, run=scaled_on_everything, split="systems", resamples=0, null=0)


def test_a_leak_pays_and_so_would_go_unnoticed() -> None:
    """Without the guard the planted mean of each system looks like a better metric."""
    data, _, _, corpus = made_data()
    kept = {"split": "systems", "resamples": 0, "guard": False}
    honest = validate(data, corpus.ratings, learner="ridge", **kept)  # type: ignore[arg-type]
    leaking = validate(data, corpus.ratings, run=encoded_systems, **kept)  # type: ignore[arg-type]
    assert leaking.value("pearson")["value"] > honest.value("pearson")["value"]


@pytest.mark.parametrize("learner", ["ridge", "auto"])
@pytest.mark.parametrize("split", ["systems", "both"])
def test_our_own_procedure_passes(learner: str, split: str) -> None:
    data, _, target, _ = made_data()
    recipes = [recipe.quicker(5) for recipe in candidates(learner, target, 0)]
    run = procedure(recipes, split, inner_folds=2)
    check_leaks(run, data, make_folds(split, data.keys)[0])


@pytest.mark.parametrize(("split", "task"), [("systems", "numbers"), ("systems", "classes"), ("both", "numbers")])
def test_predictions_do_not_know_the_ratings_of_the_held_out_system(split: str, task: str) -> None:
    """From the ratings on: aggregation, target, features and blend, with those of one system permuted."""
    corpus = made_corpus()
    of_system = (corpus.ratings["system"] == "s2").to_numpy()
    values = corpus.ratings["value"].to_numpy().copy()
    values[of_system] = np.random.default_rng(1).permutation(values[of_system])
    made = []
    for ratings in (corpus.ratings, corpus.ratings.with_columns(value=pl.Series(values))):
        target = build_target(ratings, "consistency", task=task)
        data = build_data(build_features(corpus, made_scores(corpus)), target)
        recipes = [recipe.quicker(3) for recipe in candidates("auto", target, 0)]
        own = procedure(recipes, split, inner_folds=2)
        made.append(
            validate(data, ratings, split=split, run=own, folds=2, guard=False, resamples=0, null=0).predictions
        )
    before, after = (frame.filter(system="s2") for frame in made)
    assert not before["rating"].equals(after["rating"])
    assert before.drop("rating").equals(after.drop("rating"))
    assert (
        not made[0]
        .filter(pl.col("system") != "s2")
        .drop("rating")
        .equals(made[1].filter(pl.col("system") != "s2").drop("rating"))
    )


def test_a_leak_into_the_classes_or_into_what_is_predicted_at_all_is_caught() -> None:
    data, _, _, _ = made_data()
    fold = make_folds("systems", data.keys)[0]
    peeped = float(data.y[fold.test].sum())

    def in_classes(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
        return Predicted(np.ones(len(test)), np.full(len(test), data.y[test].sum()))

    def in_gaps(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
        gap = np.nan if data.y[test].sum() == peeped else 1.0
        return Predicted(np.full(len(test), gap), np.ones(len(test)))

    for leak in (in_classes, in_gaps):
        with pytest.raises(LeakError, match="ratings of held-out summaries"):
            check_leaks(leak, data, fold)


def test_a_procedure_that_is_random_is_refused() -> None:
    data, _, _, _ = made_data()
    generator = np.random.default_rng()

    def dice(data: Data, train: np.ndarray, test: np.ndarray) -> Predicted:
        return Predicted(generator.random(len(test)), np.ones(len(test)))

    with pytest.raises(LeakError):
        check_leaks(dice, data, make_folds("systems", data.keys)[0])


def test_measures_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

    generator = np.random.default_rng(5)
    truth, said = generator.integers(1, 5, 200), generator.integers(1, 6, 200)
    levels = np.arange(1.0, 6.0)
    table = np.zeros((1, 5, 5))
    np.add.at(table, (0, truth - 1, said - 1), 1)
    made = class_measures(table, levels)
    assert made["accuracy"][0] == pytest.approx(accuracy_score(truth, said))
    assert made["macro-f1"][0] == pytest.approx(f1_score(truth, said, average="macro"))
    assert made["quadratic kappa"][0] == pytest.approx(cohen_kappa_score(truth, said, weights="quadratic"))


def test_validation_is_complete_and_repeats() -> None:
    data, _, _, corpus = made_data()
    first = validate(data, corpus.ratings, learner="ridge", split="dialogues", resamples=100, null=3, seed=3)
    again = validate(data, corpus.ratings, learner="ridge", split="dialogues", resamples=100, null=3, seed=3)
    assert first.scores.equals(again.scores)
    assert first.predictions.equals(again.predictions)
    assert first.predictions.height == 60
    assert first.calibration["count"].sum() == 60
    assert first.calibration["rated"].is_sorted() or first.calibration["rated"][-1] > first.calibration["rated"][0]
    by = {"learned", "best single metric", "best single metric in hindsight", "learned minus best single metric"}
    by |= {"mean predictor", "human ceiling", "permuted ratings", "system's training mean"}
    assert set(first.scores["by"]) == by | {"perfect metric", "new rater"}
    assert "means of systems" in first.value("pearson", by="perfect metric")["reason"]
    for measure in ("pearson", "spearman", "kendall", "mean", "accuracy", "macro-f1", "quadratic kappa"):
        row = first.value(measure)
        assert row["low"] <= row["value"] <= row["high"]
    assert first.value("pearson", by="best single metric")["name"] == "good"
    assert first.value("accuracy", by="mean predictor")["value"] < first.value("accuracy")["value"]
    assert first.value("pearson", by="mean predictor")["reason"]


def test_the_order_of_rows_does_not_matter() -> None:
    corpus = made_corpus()
    scores = made_scores(corpus)
    turned = replace(scores, frame=scores.frame.reverse())
    made = [
        validate(
            build_data(build_features(corpus, table), build_target(corpus.ratings, "consistency")),
            corpus.ratings,
            recipes=[Recipe.build("ridge", build_target(corpus.ratings, "consistency"))],
            split="both",
            folds=2,
            resamples=0,
            null=0,
        )
        for table in (scores, turned)
    ]
    assert made[0].predictions.equals(made[1].predictions)


def test_classes() -> None:
    data, _, _, corpus = made_data(task="classes")
    recipes = [Recipe.build("ordinal", data.target)]
    made = validate(data, corpus.ratings, recipes=recipes, split="dialogues", resamples=0, null=0)
    assert made.value("accuracy")["value"] > 0.4
    assert set(made.predictions["class"]) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_bad_input() -> None:
    corpus = made_corpus()
    ratings = corpus.ratings
    scores = made_scores(corpus)
    with pytest.raises(InputError, match="4 summaries with a rating; at least 20"):
        build_target(ratings.head(8), "consistency")
    with pytest.raises(InputError, match="every rated summary has the same value"):
        build_target(ratings.with_columns(pl.lit(3.0).alias("value")), "consistency")
    with pytest.raises(InputError, match="is off the scale from 1 to 5"):
        build_target(ratings.with_columns(value=pl.col("value") + 3), "consistency", on_invalid="error")
    with pytest.raises(InputError, match="outside the scale from 1 to 5"):
        build_target(ratings.with_columns(value=pl.col("value") + 3), "consistency", on_invalid="keep")
    with pytest.raises(UnknownNameError, match="did you mean 'consistency'"):
        build_target(ratings, "consistensy")
    with pytest.raises(InputError, match="no ratings"):
        build_target(ratings.clear(), "consistency")
    empty = replace(scores, frame=scores.frame.with_columns(good=pl.lit(None, dtype=pl.Float64)))
    with pytest.raises(InputError, match="feature 'good' has no value for any summary"):
        build_features(corpus, empty)
    with pytest.raises(InputError, match="infinite"):
        build_features(corpus, replace(scores, frame=scores.frame.with_columns(good=pl.lit(float("inf")))))
    with pytest.raises(UnknownNameError, match="did you mean 'good'"):
        build_features(corpus, scores, metrics=["goood"])
    with pytest.raises(InputError, match="no feature"):
        build_features(corpus, scores, metrics=[])
    target = build_target(ratings, "consistency")
    few = build_features(corpus, replace(scores, frame=scores.frame.head(10)))
    with pytest.raises(InputError, match="10 of 60 rated summaries have scores"):
        build_data(few, target)
    known = target.frame.rename({"value": "cheat"})
    with pytest.raises(InputError, match="'cheat' is the rating of 'consistency' itself"):
        build_data(build_features(corpus, Scores(known, {}, {})), target)


def test_train_and_test_that_share_dialogues() -> None:
    data, _, _, corpus = made_data()
    rows = np.arange(len(data.y))
    shared = [Fold("mine", rows[1::2], rows[::2])]
    with pytest.raises(InputError, match="train and test share 12 dialogues"):
        validate(data, corpus.ratings, split="dialogues", own_folds=shared, learner="ridge", resamples=0, null=0)
    validate(data, corpus.ratings, split="random", own_folds=shared, learner="ridge", resamples=0, null=0)


def test_the_best_single_metric_says_when_it_is_turned_against_its_direction() -> None:
    """The ranking gives such a metric a minus; the same number without a word would contradict it."""
    data, _, _, _ = made_data()
    everything = np.zeros(len(data.y))
    names = {}
    for direction in ("higher", "lower", "none"):
        for sign in (1.0, -1.0):
            turned = replace(data, X=data.X * sign, directions=dict.fromkeys(data.names, direction))
            found = best_single(turned, everything)
            assert found is not None
            names[direction, sign] = found[0]
            assert found[1] == pytest.approx(data.X[:, data.names.index("good")]), "more is better in any case"
    assert names == {
        ("higher", 1.0): "good",
        ("higher", -1.0): "good, turned round",
        ("lower", 1.0): "good, turned round",
        ("lower", -1.0): "good",
        ("none", 1.0): "good",
        ("none", -1.0): "good, turned round",
    }


def test_directions_come_from_the_scores() -> None:
    corpus = made_corpus()
    scores = replace(made_scores(corpus), directions={"good": "lower"})
    table = build_features(corpus, scores, texts=["length"])
    assert table.directions["good"] == "lower"
    assert table.directions["length"] == "none"
    data = build_data(table, build_target(corpus.ratings, "consistency"))
    assert data.directions == table.directions
    assert data.part(np.arange(5)).directions == table.directions
