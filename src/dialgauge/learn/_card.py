"""``train``: from a corpus with ratings and scores to a trained metric with its card."""

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.learn._features import FeatureTable, build_features
from dialgauge.learn._folder import Card, FeatureUse
from dialgauge.learn._learners import Fitted, candidates
from dialgauge.learn._metric import save_trained
from dialgauge.learn._procedure import Data, Trial, search
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._targets import build_target, corpus_to_learn
from dialgauge.learn._validate import Validation, build_data, validate
from dialgauge.metrics import Scores
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import chosen_pair, takes


@dataclass(frozen=True, slots=True)
class Training:
    """A metric fitted to all rated summaries, its results on held-out ones, and what was tried."""

    card: Card
    fitted: Fitted
    validation: Validation
    trials: tuple[Trial, ...]
    table: FeatureTable
    data: Data

    def save(self, folder: Path | str) -> "Training":
        """Write the folder; the result has the card with the digests of its files."""
        card = save_trained(folder, self.card, self.fitted)
        return Training(card, self.fitted, self.validation, self.trials, self.table, self.data)


@with_bar
@takes(LearnSettings, RatingPolicy)
def train(
    corpus: Corpus,
    scores: Scores,
    target: str,
    settings: LearnSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Training:
    """Train a metric that predicts the ratings of one dimension from metric scores, and validate it on held-out data.

    The ratings are treated by ``policy``. ``metrics`` are columns of the scores (default: all), ``texts`` further
    cheap features (such as :data:`TEXT_FEATURES`). ``learner`` names one of :data:`LEARNERS`, whose settings are
    searched, or ``"auto"``. ``split`` says what is held out in the validation: ``dialogues``, ``systems``, ``both``, or
    ``random`` (a quarter held out, as in the paper). The metric itself is then fitted to all rated summaries.
    ``dialgauge train`` and ``[learn]`` of a study file call this function.
    """
    asked, policy = chosen_pair("train", changes, (LearnSettings, settings), (RatingPolicy, policy))
    corpus = corpus_to_learn(corpus, target, policy)
    goal = build_target(corpus.ratings, target, policy, task=asked.task)
    table = build_features(corpus, scores, metrics=asked.metrics, texts=asked.texts)
    data = build_data(table, goal)
    validation = validate(data, corpus.ratings, asked, progress=progress)
    recipes = candidates(asked.learner, goal, asked.seed)
    trials = search(data, recipes, asked.split, folds=asked.inner_folds, seed=asked.seed)
    fitted = trials[0].recipe.fit(data.X, data.y)
    if fitted.pipeline is None:
        raise InputError(f"dimension {target!r}: all ratings round to one class, so there is nothing to learn")
    card = _card(corpus, table, data, fitted, validation, name or f"learned-{target}")
    return Training(card, fitted, validation, tuple(trials), table, data)


def _card(corpus: Corpus, table: FeatureTable, data: Data, fitted: Fitted, validation: Validation, name: str) -> Card:
    target = data.target
    systems = data.keys["system"].unique().sort().to_list()
    return Card(
        name=name,
        kind="features",
        target=target.dimension,
        intended_use=(
            f"Predicts {_predicted(corpus, target.dimension)}, for summaries, dialogues and rating instructions like "
            f"those of {corpus.info.name!r}. Not for judging individual people, and not for texts of another kind or "
            "language unless validated there."
        ),
        features=feature_uses(table, data, fitted),
        scale={"minimum": target.minimum, "maximum": target.maximum},
        data={
            "corpus": corpus.info.name,
            "digest": data_digest(data),
            "summaries": data.keys.height,
            "dialogues": data.keys["dialogue_id"].n_unique(),
            "systems": systems,
            "aggregation": target.policy.aggregate,
            "cleaning": target.policy.clean,
            "off the scale": target.policy.on_invalid,
        },
        split={"name": validation.split, "hides": validation.hides, **validation.settings},
        scores=tuple(validation.scores.drop("reason").filter(pl.col("value").is_not_null()).to_dicts()),
        settings={
            "task": target.task,
            "verdict": validation.verdict,
            "claims": list(validation.claims),
            "interval": None if validation.intervals is None else validation.intervals.as_dict(),
            "made with": made_with(),
        },
    )


def _predicted(corpus: Corpus, dimension: str) -> str:
    scales = corpus.ratings.filter(pl.col("dimension") == dimension)["scale"].unique().to_list()
    if dimension in corpus.preferences["dimension"] and scales == ["0-1"]:
        return f"which share of its comparisons by {dimension} a summary would win"
    return f"how people would rate the {dimension} of a summary"


def feature_uses(table: FeatureTable, data: Data, fitted: Fitted) -> tuple[FeatureUse, ...]:
    """The features as the metric was trained on them."""
    fill = fitted.pipeline.named_steps["fill"].statistics_
    share = data.keys.height / max(table.frame.height, 1)
    return tuple(
        FeatureUse(
            name=feature,
            signature=table.signatures[feature],
            missing=int(np.isnan(data.X[:, i]).sum()),
            fill=None if np.isnan(fill[i]) else float(fill[i]),
            seconds=table.seconds[feature] * share if feature in table.seconds else None,
        )
        for i, feature in enumerate(data.names)
    )


def data_digest(data: Data) -> str:
    """A fingerprint of keys, features and ratings, the same on every machine."""
    sha = hashlib.sha256(repr((data.names, data.target.dimension)).encode())
    for key in data.keys.select(KEY).iter_rows():
        sha.update(repr(key).encode())
    sha.update(np.ascontiguousarray(data.X, dtype="<f8").tobytes())
    sha.update(np.ascontiguousarray(data.y, dtype="<f8").tobytes())
    return sha.hexdigest()


def made_with() -> dict[str, Any]:
    """The versions that a metric was trained with."""
    packages = {name: version(name) for name in ("dialgauge", "scikit-learn", "skops", "numpy")}
    return {"python": platform.python_version(), **packages}
