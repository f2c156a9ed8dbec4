"""Learners: each fits and predicts in both tasks; the ordinal model against statsmodels, scikit-learn and mord."""

import numpy as np
import pytest

from dialgauge.errors import UnknownNameError
from dialgauge.learn import Recipe, find_learner
from dialgauge.learn._learners import LEARNERS, candidates
from dialgauge.learn._normal_scores import NormalScores
from dialgauge.learn._ordinal import ProportionalOdds
from tests.learn.learn_cases import made_data


def ordinal_rows(classes: int, rows: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(rows, 3))
    latent = x @ [1.0, -0.5, 0.0] + generator.logistic(size=rows)
    return x, np.searchsorted(np.linspace(-1.5, 1.5, classes - 1), latent)


def test_ordinal_is_the_proportional_odds_model() -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    x, y = ordinal_rows(4)
    ours = ProportionalOdds(alpha=0.0).fit(x, y)
    theirs = OrderedModel(y, x, distr="logit").fit(method="bfgs", disp=False, gtol=1e-8)
    assert ours.coef_ == pytest.approx(theirs.params[:3], abs=1e-4)
    assert ours.predict_proba(x) == pytest.approx(theirs.predict(x), abs=1e-4)
    assert ours.predict_proba(x).sum(axis=1) == pytest.approx(np.ones(len(x)))
    assert (np.diff(ours.theta_) > 0).all()


def test_ordinal_with_two_classes_is_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    x, y = ordinal_rows(2)
    ours = ProportionalOdds(alpha=2.0).fit(x, y)
    theirs = LogisticRegression(C=0.5, tol=1e-9, max_iter=1000).fit(x, y)
    assert ours.coef_ == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ours.theta_[0] == pytest.approx(-theirs.intercept_[0], abs=1e-4)


def test_ordinal_points_where_mord_points() -> None:
    mord = pytest.importorskip("mord")
    x, y = ordinal_rows(5)
    ours = ProportionalOdds(alpha=1.0).fit(x, y)
    theirs = mord.LogisticAT(alpha=1.0).fit(x, y)
    # Another loss over the same thresholds, and it predicts the median class: both agree nearly everywhere.
    cosine = ours.coef_ @ theirs.coef_ / np.linalg.norm(ours.coef_) / np.linalg.norm(theirs.coef_)
    assert cosine > 0.999
    median = (ours.predict_proba(x).cumsum(axis=1) < 0.5).sum(axis=1)
    assert (median == theirs.predict(x)).mean() > 0.9


def test_ordinal_gradient_is_the_slope_of_its_loss() -> None:
    from scipy.optimize import approx_fprime

    x, y = ordinal_rows(4, rows=50)
    model, point = ProportionalOdds(alpha=0.7), np.array([0.3, -0.2, 0.1, -1.0, 0.2, -0.3])
    _, slope = model._objective(point, x, y, 3)
    assert slope == pytest.approx(approx_fprime(point, lambda p: model._objective(p, x, y, 3)[0], 1e-7), abs=1e-3)


@pytest.mark.parametrize("task", ["numbers", "classes"])
@pytest.mark.parametrize("learner", [*LEARNERS, "blend"])
def test_every_learner(learner: str, task: str) -> None:
    data, _, target, _ = made_data(task=task)
    if learner == "blend":
        (recipe,) = (one.quicker(10) for one in candidates("auto", target, 0))
    else:
        recipe = Recipe.build(learner, target).quicker(20)
    x = data.X.copy()
    x[::7, 0] = np.nan  # missing values are filled from the training rows
    fitted = recipe.fit(x, data.y)
    numbers, classes = fitted.numbers(x), fitted.classes(x)
    assert ((numbers >= 1) & (numbers <= 5)).all()
    assert set(classes.tolist()) <= {1.0, 2.0, 3.0, 4.0, 5.0}
    assert np.corrcoef(numbers, data.y)[0, 1] > 0.5
    assert (recipe.fit(x, data.y).numbers(x) == numbers).all()


def test_normal_scores_are_those_of_ranks_and_end_with_training() -> None:
    from scipy.stats import norm, rankdata

    values = np.random.default_rng(3).exponential(size=(150, 2)).round(2)
    made = NormalScores().fit(values)
    wanted = norm.ppf((rankdata(values, axis=0) - 0.5) / 150)
    assert made.transform(values) == pytest.approx(wanted, abs=1e-12)
    beyond = made.transform(np.array([[-1e6, 0.0], [1e6, np.median(values[:, 1])]]))
    assert beyond[:, 0].tolist() == [wanted[:, 0].min(), wanted[:, 0].max()]
    long = np.random.default_rng(4).normal(size=(2000, 1))
    exact = norm.ppf((rankdata(long) - 0.5) / 2000)[:, None]
    assert np.abs(NormalScores().fit(long).transform(long) - exact).mean() < 0.01, "between the places that are kept"
    assert (NormalScores().fit(np.ones((9, 1))).transform(np.array([[5.0]])) == 0).all()


def test_an_outlier_decides_under_ridge_and_not_under_ranks() -> None:
    data, _, target, _ = made_data()
    off = data.X.copy()
    off[0, 0] *= 1000
    plain, ranked = (Recipe.build(name, target, settings={"alpha": 1.0}) for name in ("ridge", "rank-ridge"))
    moved = []
    for recipe in (plain, ranked):
        before, after = (recipe.fit(x, data.y).numbers(data.X[1:]) for x in (data.X, off))
        moved.append(float(np.abs(after - before).max()))
    assert moved[0] > 4 * moved[1]


def test_unknown_names() -> None:
    data, _, target, _ = made_data()
    with pytest.raises(UnknownNameError, match="did you mean 'ridge'"):
        find_learner("rigde")
    with pytest.raises(UnknownNameError, match="setting of learner 'ridge'"):
        Recipe.build("ridge", target, settings={"alhpa": 1})
    assert data.names == ("good", "noise-0", "noise-1")
