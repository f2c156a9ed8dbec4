"""Trained metrics as metrics: ``learned:folder=…`` in ``dialgauge score``, computed from the scores of its features."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from zipfile import BadZipFile

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY
from dialgauge.errors import InputError, MissingExtraError, ModelError
from dialgauge.learn._archive import dump
from dialgauge.learn._features import UNSIGNED
from dialgauge.learn._folder import Card, Trained, folder_signature, load_trained, read_card, write_folder
from dialgauge.learn._folder_paths import CARD_FILE, find_folder, path_given
from dialgauge.learn._learners import Fitted, Recipe
from dialgauge.metrics import Derived, Metric, Parameter, Scores, Values, parse_request, register

if TYPE_CHECKING:
    from dialgauge.metrics import Job

Bound = Literal["low", "high"]
MODEL_FILE = "model.skops"
#: Our own types that a model file may contain, besides those that skops trusts.
_OURS = {"dialgauge.learn._normal_scores.NormalScores", "dialgauge.learn._ordinal.ProportionalOdds"}
#: Parts of scikit-learn's own estimators that skops does not list: trees, distances and containers, none runs code.
_PARTS_OF_SKLEARN = {
    "numpy.dtype",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
    "sklearn.utils._bunch.Bunch",
}


def save_trained(folder: Path | str, card: Card, fitted: Fitted) -> Card:
    """Write a fitted learner with its card. The recipe goes into the card's settings."""
    _need_skops()
    recipe = fitted.recipe
    settings = {**card.settings, "recipe": {**recipe.as_dict(), "levels": list(recipe.levels)}}
    complete = replace(card, kind="features", settings=settings)

    def write(place: Path) -> None:
        (place / MODEL_FILE).write_bytes(dump(fitted.pipeline))

    return write_folder(folder, complete, write)


def load_fitted(folder: Path, card: Card) -> Fitted:
    """The fitted learner of a folder whose card was read, that is, whose files were checked."""
    _need_skops()
    import skops.io

    path = folder / MODEL_FILE
    if MODEL_FILE not in card.files:
        raise InputError(f"{folder}: the card does not list {MODEL_FILE}")
    try:
        foreign = sorted(set(skops.io.get_untrusted_types(file=path)) - _OURS - _PARTS_OF_SKLEARN)
        if foreign:
            raise InputError(f"{path}: contains types that a trained metric does not need: {', '.join(foreign)}")
        pipeline = skops.io.load(path, trusted=sorted(_OURS | _PARTS_OF_SKLEARN))
    except (KeyError, TypeError, ValueError, OSError, BadZipFile) as error:
        raise InputError(f"{path}: cannot be read as a model: {type(error).__name__}: {error}") from error
    low, high = card.scale.get("minimum"), card.scale.get("maximum")
    try:
        made: dict[str, Any] = dict(card.settings["recipe"])
        recipe = Recipe(made["learner"], made["settings"], made["task"], tuple(made["levels"]), low, high, made["seed"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{folder / CARD_FILE}: the recipe is incomplete: {type(error).__name__}: {error}") from error
    return Fitted(recipe, pipeline)


def load_trained_features(folder: Path, card: Card) -> Trained:
    """A trained metric that combines the scores of other metrics."""
    fitted = load_fitted(folder, card)
    names = tuple(use.name for use in card.features)

    def combine(matrix: FloatArray) -> Values:
        # All summaries that no feature can score would get the same number.
        lost = np.flatnonzero(np.isnan(matrix).all(axis=1)) if len(matrix) else np.zeros(0, dtype=np.int64)
        numbers = fitted.numbers(matrix) if len(matrix) else np.zeros(0)
        numbers[lost] = np.nan
        notes = {
            int(i): f"{int(gaps)} of {len(names)} features have no value; the training median is used instead"
            for i, gaps in enumerate(np.isnan(matrix).sum(axis=1).tolist())
            if 0 < gaps < len(names)
        }
        return Values(numbers, dict.fromkeys(lost.tolist(), "no feature has a value"), notes)

    return Trained(card, names, combine)


def predict(folder: Path | str, scores: Scores) -> pl.DataFrame:
    """The key and ``prediction`` for every row of scores that include the features of a trained metric.

    ``low`` and ``high`` are where the mean rating of the summary would be in as many cases as the card says, for a new
    system like those of the training; null for a metric without such an interval. A missing feature, or one whose
    signature differs from the training, raises an error.
    """
    trained = load_trained(folder)
    for use in trained.card.features:
        if use.name not in scores.metrics:
            raise InputError(f"trained metric {trained.card.name!r}: its feature {use.name!r} is missing in the scores")
    for use in trained.card.features:
        check_signature(trained.card, use.name, use.signature, scores.signatures.get(use.name, f"{UNSIGNED}scores"))
    matrix = scores.frame.select(pl.col(trained.features).cast(pl.Float64)).to_numpy()
    numbers = trained.combine(matrix).numbers
    said: dict[str, FloatArray] = {"prediction": numbers}
    said.update(bounds_of(trained.card, numbers))
    return scores.frame.select(KEY).with_columns(
        pl.Series(name, values, dtype=pl.Float64, nan_to_null=True) for name, values in said.items()
    )


def check_signature(card: Card, name: str, trained_on: str, found: str) -> None:
    """Reject a feature that is not computed as in training; unsigned columns are checked by name only."""
    if trained_on.startswith(UNSIGNED) and found.startswith(UNSIGNED):
        return
    if trained_on != found:
        raise InputError(
            f"trained metric {card.name!r}: feature {name!r} differs from the training: it was {trained_on!r} "
            f"and is now {found!r}; score with the same version and models, or retrain"
        )


def _need_skops() -> None:
    for package in ("sklearn", "skops"):
        if find_spec(package) is None:
            raise MissingExtraError("a trained metric", "learn")


@lru_cache(maxsize=8)
def _loaded(folder: str, signature: str) -> Trained:
    return load_trained(folder)


def _trained(parameters: Mapping[str, str]) -> Trained:
    given = parameters["folder"]
    if not given:
        raise ModelError(
            "metric 'learned' needs a trained metric: learned:folder=PATH (create one with 'dialgauge train')"
        )
    folder = find_folder(given)
    read_card(folder)  # every time: the files may have changed since they were loaded
    return _loaded(str(folder), folder_signature(folder))


def _features(parameters: Mapping[str, str]) -> Sequence[str]:
    trained = _trained(parameters)
    for use in trained.card.features:
        if use.signature.startswith(UNSIGNED):
            raise InputError(
                f"trained metric {trained.card.name!r}: its feature {use.name!r} came from a table and is not a metric "
                "that can be computed; pass its values to dialgauge.learn.predict(folder, scores)"
            )
        check_signature(trained.card, use.name, use.signature, parse_request(use.name).signature)
    return trained.features


def _combine(matrix: FloatArray, parameters: Mapping[str, str]) -> Values:
    return _trained(parameters).combine(matrix)


def _signature(parameters: Mapping[str, str]) -> Mapping[str, str]:
    return {"folder": folder_signature(find_folder(parameters["folder"]))} if parameters["folder"] else {}


def _never(job: "Job", parameters: Mapping[str, str]) -> NoReturn:
    raise AssertionError("a derived metric is combined from others, never computed from a job")


def _bounded(side: Bound) -> Callable[[FloatArray, Mapping[str, str]], Values]:
    def combine(matrix: FloatArray, parameters: Mapping[str, str]) -> Values:
        trained = _trained(parameters)
        made, card = trained.combine(matrix), trained.card
        if interval_of(card) is None:
            raise ModelError(
                f"trained metric {card.name!r} has no interval for single summaries: these take at least three systems "
                "in training"
            )
        return replace(made, numbers=bounds_of(card, made.numbers)[side])

    return combine


def interval_of(card: Card) -> float | None:
    """The half width of the interval of a single summary; None where the card has none."""
    return (card.settings.get("interval") or {}).get("half_width")


def bounds_of(card: Card, numbers: FloatArray) -> dict[str, FloatArray]:
    """Where the mean rating of each summary would be, for a new system like those of the training; NaN if not known."""
    width = interval_of(card)
    distance = np.nan if width is None else width
    low, high = card.scale.get("minimum"), card.scale.get("maximum")
    return {
        "low": np.maximum(numbers - distance, -np.inf if low is None else low),
        "high": np.minimum(numbers + distance, np.inf if high is None else high),
    }


_DECLARED: Mapping[str, Any] = {
    "targets": ("none",),
    "range": (None, None),
    "citation": "Tweak to Trust (custom metrics from metric scores)",
    "compute": _never,
    "parameters": {
        "folder": Parameter(
            "", (), "the folder written by 'dialgauge train', or the name of a registered metric", path=path_given
        )
    },
    "extra": "learn",
    "itemwise_if": {"folder": ()},
}
_ENDS: Mapping[Bound, str] = {"low": "Lower", "high": "Upper"}
register(
    Metric(
        name="learned",
        family="learned",
        description="A metric trained on ratings by 'dialgauge train', computed from the scores of other metrics.",
        direction="higher",
        derived=Derived(_features, _combine, _signature),
        **_DECLARED,
    ),
    *(
        Metric(
            name=f"learned-{side}",
            family="learned-interval",
            description=f"{end} end of where a trained metric expects the mean rating of the summary.",
            direction="none",
            derived=Derived(_features, _bounded(side), _signature),
            **_DECLARED,
        )
        for side, end in _ENDS.items()
    ),
)
