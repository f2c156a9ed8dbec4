"""Learners by name: scikit-learn pipelines that fill, scale and fit, all three from the training rows only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.arrays import FloatArray
from dialgauge.errors import MissingExtraError, ParameterError, UnknownNameError
from dialgauge.learn._normal_scores import NormalScores
from dialgauge.learn._one_thread import one_thread
from dialgauge.learn._ordinal import ProportionalOdds
from dialgauge.learn._settings import Task
from dialgauge.learn._targets import Target, nearest
from dialgauge.registry import Registry

#: The mean of several learners.
AUTO = "auto"
#: The name of a mean of several recipes, such as that of ``auto``.
BLEND = "blend"
Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Learner:
    """A learner. ``make(task, settings, seed)`` returns a scikit-learn estimator.

    ``fits`` says what it learns from: the classes of the scale, numbers, or ``either`` (a classifier for classes, a
    regressor for numbers). ``grid`` lists the settings that a search tries, its default first. ``scaled`` features have
    mean 0 and variance 1 in the training rows; ``ranked`` ones are normal scores of their ranks there.
    """

    name: str
    description: str
    fits: str
    scaled: bool
    grid: tuple[Settings, ...]
    make: Callable[[Task, Settings, int], Any]
    ranked: bool = False


LEARNERS = Registry("learner", Learner, attrgetter("make"), hint="")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A learner with its settings, seed and target: everything needed to fit a model to training rows."""

    learner: str
    settings: Settings
    task: Task
    levels: tuple[float, ...]
    minimum: float | None = None
    maximum: float | None = None
    seed: int = 0

    @classmethod
    def build(cls, learner: str, target: Target, *, seed: int = 0, settings: Settings | None = None) -> "Recipe":
        """A recipe of a learner's specification, with its default settings or these."""
        chosen = find_learner(learner)
        values = dict(chosen.grid[0]) | dict(settings or {})
        for name in values:
            if name not in chosen.grid[0]:
                raise UnknownNameError(f"setting of learner {learner!r}", name, chosen.grid[0])
        return cls(chosen.name, values, target.task, target.levels, target.minimum, target.maximum, seed)

    @property
    def fits_classes(self) -> bool:
        """Whether the estimator learns from classes."""
        fits = "either" if self.learner == BLEND else find_learner(self.learner).fits
        return fits == "classes" or (fits == "either" and self.task == "classes")

    @classmethod
    def blend(cls, recipes: "Sequence[Recipe]") -> "Recipe":
        """The mean of several recipes for the same target: of their numbers, or of their probabilities of classes."""
        first = recipes[0]
        members = [{"learner": recipe.learner, "settings": dict(recipe.settings)} for recipe in recipes]
        return replace(first, learner=BLEND, settings={"members": members})

    def quicker(self, trees: int = 40) -> "Recipe":
        """The same recipe with fewer trees, for the comparisons inside a search."""
        return replace(self, settings=_with_fewer_trees(self.settings, trees))

    def fit(self, x: FloatArray, y: FloatArray) -> "Fitted":
        """Learn from these rows."""
        _need_sklearn()
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline

        task: Task = "classes" if self.fits_classes else "numbers"
        steps: list[tuple[str, Any]] = [("fill", SimpleImputer(strategy="median", keep_empty_features=True))]
        if self.learner == BLEND:
            steps.append(("learn", _voting(task, self.settings["members"], self.seed)))
        else:
            steps += _steps(self.learner, task, self.settings, self.seed)
        goal: NDArray[Any] = y
        if self.fits_classes:
            goal = np.searchsorted(np.array(self.levels), nearest(y, self.levels))
            if len(np.unique(goal)) < 2:
                return Fitted(self, None, float(self.levels[int(goal[0])]))
        with one_thread():
            return Fitted(self, Pipeline(steps).fit(x, goal))

    def as_dict(self) -> dict[str, Any]:
        """For cards and JSON."""
        return {"learner": self.learner, "settings": dict(self.settings), "task": self.task, "seed": self.seed}


def _with_fewer_trees(settings: Settings, trees: int) -> Settings:
    if "members" in settings:
        members = [
            {**member, "settings": _with_fewer_trees(member["settings"], trees)} for member in settings["members"]
        ]
        return {**settings, "members": members}
    return {**settings, "trees": trees} if settings.get("trees", 0) > trees else settings


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted pipeline. ``constant`` is used if the training rows were all of one class."""

    recipe: Recipe
    pipeline: Any
    constant: float = field(default=float("nan"))

    def numbers(self, x: FloatArray) -> FloatArray:
        """A number per row: the prediction of a regressor, or the expected value under a classifier's probabilities."""
        if self.pipeline is None:
            return np.full(len(x), self.constant)
        with one_thread():
            return self._numbers(x)

    def _numbers(self, x: FloatArray) -> FloatArray:
        recipe = self.recipe
        if not recipe.fits_classes:
            made = np.asarray(self.pipeline.predict(x), dtype=np.float64)
            low = -np.inf if recipe.minimum is None else recipe.minimum
            return np.clip(made, low, np.inf if recipe.maximum is None else recipe.maximum)
        points = np.array(recipe.levels)
        if not hasattr(self.pipeline, "predict_proba"):
            return np.asarray(points[self.pipeline.predict(x).astype(np.int64)])
        chances = self.pipeline.predict_proba(x)
        result: FloatArray = chances @ points[self.pipeline[-1].classes_.astype(np.int64)]
        return result

    def classes(self, x: FloatArray) -> FloatArray:
        """The class of each row: the prediction of a classifier, or the class nearest to a regressor's number."""
        if self.pipeline is not None and self.recipe.fits_classes:
            with one_thread():
                return np.asarray(np.array(self.recipe.levels)[self.pipeline.predict(x).astype(np.int64)])
        return nearest(self.numbers(x), self.recipe.levels)


def _steps(learner: str, task: Task, settings: Settings, seed: int) -> list[tuple[str, Any]]:
    from sklearn.preprocessing import StandardScaler

    chosen = find_learner(learner)
    prepare: list[tuple[str, Any]] = [("rank", NormalScores())] if chosen.ranked else []
    if chosen.scaled:
        prepare.append(("scale", StandardScaler()))
    return [*prepare, ("learn", chosen.make(task, settings, seed))]


def _voting(task: Task, members: Sequence[Mapping[str, Any]], seed: int) -> Any:
    from sklearn.ensemble import VotingClassifier, VotingRegressor
    from sklearn.pipeline import Pipeline

    parts = [
        (f"member-{i}", Pipeline(_steps(member["learner"], task, member["settings"], seed)))
        for i, member in enumerate(members)
    ]
    return VotingClassifier(parts, voting="soft") if task == "classes" else VotingRegressor(parts)


def find_learner(spec: str) -> Learner:
    """The learner of ``NAME[:SETTING=VALUE,…]``, as in ``ridge`` or ``ridge:alpha=100``.

    Given settings are fixed in all of its grid; the others are searched.
    """
    name, given = LEARNERS.read(spec, "setting")
    if name not in LEARNERS:
        raise UnknownNameError("learner", name, (*LEARNERS, AUTO))
    learner = LEARNERS[name]
    for setting in given:
        if setting not in learner.grid[0]:
            raise UnknownNameError(f"setting of learner {name!r}", setting, learner.grid[0])
    fixed = {setting: _value(learner, setting, text) for setting, text in given.items()}
    grid = [{**values, **fixed} for values in learner.grid]
    return replace(learner, grid=tuple(values for i, values in enumerate(grid) if values not in grid[:i]))


def _value(learner: Learner, setting: str, text: str) -> Any:
    """A setting that is given as text, of one of the types that the learner's grid has for it."""
    kinds = {type(values[setting]) for values in learner.grid}
    if type(None) in kinds and text == "none":
        return None
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                pass
    if str in kinds and text in {values[setting] for values in learner.grid}:
        return text
    known = " or ".join(repr(values[setting]) for values in learner.grid)
    raise ParameterError(f"learner {learner.name!r}", setting, f"a value such as {known}", text)


def candidates(learner: str, target: Target, seed: int) -> list[Recipe]:
    """The recipes of a search: the grid of one learner; with ``auto`` one, the mean of a linear learner and trees.

    Nothing is chosen among them: with few systems to choose on, a mean is as good as the best of them or better.
    """
    if learner != AUTO:
        return [Recipe.build(learner, target, seed=seed, settings=values) for values in find_learner(learner).grid]
    forests: tuple[tuple[str, Settings], ...] = (
        ("extra-trees", {"leaf": 3, "share": 0.33, "trees": 100}),
        ("extra-trees", {"leaf": 3, "share": 0.5, "trees": 100}),
    )
    chosen = (("rank-ridge", {}), *forests, ("boosting", {}))
    if target.task == "classes":
        chosen = (("logistic", {}), ("ordinal", {}), *forests)
    return [Recipe.blend([Recipe.build(name, target, seed=seed, settings=values) for name, values in chosen])]


def _need_sklearn() -> None:
    from importlib.util import find_spec

    if find_spec("sklearn") is None:
        raise MissingExtraError("training a metric", "learn")


def _tree(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if task == "classes" else DecisionTreeRegressor
    return kind(max_depth=settings["depth"], min_samples_leaf=settings["leaf"], random_state=seed)


def _forest(name: str) -> Callable[[Task, Settings, int], Any]:
    def make(task: Task, settings: Settings, seed: int) -> Any:
        from sklearn import ensemble

        kind = getattr(ensemble, name + ("Classifier" if task == "classes" else "Regressor"))
        return kind(
            n_estimators=settings["trees"],
            min_samples_leaf=settings["leaf"],
            max_features=settings["share"],
            random_state=seed,
        )

    return make


def _boosting(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    kind = GradientBoostingClassifier if task == "classes" else GradientBoostingRegressor
    return kind(
        n_estimators=settings["trees"],
        learning_rate=settings["rate"],
        max_depth=settings["depth"],
        subsample=0.7,
        max_features=0.33,
        min_samples_leaf=5,
        random_state=seed,
    )


def _logistic(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=settings["c"], max_iter=2000, random_state=seed)


def _ordinal(task: Task, settings: Settings, seed: int) -> Any:
    return ProportionalOdds(alpha=settings["alpha"])


def _ridge(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.linear_model import Ridge

    return Ridge(alpha=settings["alpha"])


def _neighbours(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    if settings["neighbours"] < 1:
        raise ParameterError("learner 'neighbours'", "neighbours", "at least 1", settings["neighbours"])
    kind = KNeighborsClassifier if task == "classes" else KNeighborsRegressor
    return kind(n_neighbors=settings["neighbours"])


def _svm(task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.svm import SVC, SVR

    return (SVC if task == "classes" else SVR)(C=settings["c"], gamma=settings["gamma"])


LEARNERS.add(
    Learner(
        "decision-tree",
        "A single decision tree.",
        "either",
        False,
        ({"depth": 5, "leaf": 5}, {"depth": 3, "leaf": 5}, {"depth": None, "leaf": 1}),
        _tree,
    ),
    Learner(
        "logistic",
        "Multinomial logistic regression; its number is the expected value of the classes.",
        "classes",
        True,
        ({"c": 0.1}, {"c": 0.01}, {"c": 1.0}),
        _logistic,
    ),
    Learner(
        "neighbours",
        "Nearest neighbours among the training summaries, on scaled features.",
        "either",
        True,
        ({"neighbours": 15}, {"neighbours": 5}, {"neighbours": 40}),
        _neighbours,
    ),
    Learner(
        "ordinal",
        "Proportional-odds ordinal regression (McCullagh 1980); its number is the expected value of the classes.",
        "classes",
        True,
        ({"alpha": 10.0}, {"alpha": 1.0}, {"alpha": 100.0}),
        _ordinal,
    ),
    Learner(
        "svm",
        "Support vector machine with a radial kernel.",
        "either",
        True,
        ({"c": 1.0, "gamma": "scale"}, {"c": 1.0, "gamma": 0.005}, {"c": 10.0, "gamma": 0.005}),
        _svm,
    ),
    Learner(
        "boosting",
        "Gradient-boosted shallow trees.",
        "either",
        False,
        ({"trees": 150, "rate": 0.05, "depth": 3}, {"trees": 300, "rate": 0.03, "depth": 2}),
        _boosting,
    ),
    Learner(
        "random-forest",
        "Average of trees on bootstrap resamples.",
        "either",
        False,
        ({"trees": 200, "leaf": 3, "share": 0.33}, {"trees": 200, "leaf": 8, "share": 0.7}),
        _forest("RandomForest"),
    ),
    Learner(
        "extra-trees",
        "Average of trees with random thresholds (Geurts et al. 2006).",
        "either",
        False,
        (
            {"trees": 200, "leaf": 3, "share": 0.33},
            {"trees": 200, "leaf": 5, "share": 0.7},
            {"trees": 200, "leaf": 10, "share": 1.0},
        ),
        _forest("ExtraTrees"),
    ),
    Learner(
        "ridge",
        "Linear least squares with a penalty.",
        "numbers",
        True,
        ({"alpha": 10.0}, {"alpha": 1.0}, {"alpha": 100.0}),
        _ridge,
    ),
    Learner(
        "rank-ridge",
        "Linear least squares with a penalty on the ranks of features (as normal scores), which no outlier decides.",
        "numbers",
        True,
        ({"alpha": 100.0}, {"alpha": 10.0}, {"alpha": 1000.0}),
        _ridge,
        ranked=True,
    ),
)
