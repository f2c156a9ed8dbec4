"""``train_across``: one metric from several rated corpora, each of which is held out once to see what transfers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.errors import InputError, ParameterError
from dialgauge.learn._card import data_digest, feature_uses, made_with
from dialgauge.learn._claims import better_than_single, follows
from dialgauge.learn._corpora import Part, RatedCorpus, build_parts, pool
from dialgauge.learn._folder import Card
from dialgauge.learn._held_out_corpus import OWN, HeldOut, choose_recipe, hold_out, shuffles
from dialgauge.learn._learners import AUTO, Fitted, Recipe, candidates, find_learner
from dialgauge.learn._metric import save_trained
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._targets import Target
from dialgauge.learn._validation_scores import LEARNED, SCORES, SINGLE
from dialgauge.metaeval import Trust
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import chosen_pair, takes

#: One row of the scores: those of a validation, by the corpus that was held out.
ACROSS = pl.Schema([("corpus", pl.String()), *SCORES.items()])
CURVE = pl.Schema({"corpus": pl.String, "own": pl.Int64, "value": pl.Float64})
_HIDES = (
    "Each corpus was held out whole: the scores show how well the metric orders summaries of a corpus that it knows "
    "nothing of. Not validated on your data until it was: the level of its numbers is not that of your scale."
)


@dataclass(frozen=True, slots=True)
class Across:
    """A metric fitted to several corpora, and what it reaches in each when that one is held out.

    ``scores`` has rows as in :class:`Validation`, by held-out ``corpus``: the metric, the best single metric (chosen on
    the other corpora), their difference, the same learner trained inside the corpus with the split that was asked for,
    and one annotator. ``curve`` is the Pearson within dialogues with 0, 20, 50 … ratings of the held-out corpus added.
    ``left_out`` are features that are not computed alike in all corpora.
    """

    card: Card
    fitted: Fitted
    scores: pl.DataFrame
    curve: pl.DataFrame
    left_out: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def corpora(self) -> list[str]:
        """The corpora, in the order that they were given."""
        return list(self.scores["corpus"].unique(maintain_order=True))

    def of(self, corpus: str) -> pl.DataFrame:
        """The scores in one corpus."""
        return self.scores.filter(pl.col("corpus") == corpus)

    @property
    def claims(self) -> tuple[str, ...]:
        """What may be said of the metric in corpora that it was not trained on."""
        return across_claims(self.scores, self.settings)

    @property
    def verdict(self) -> Trust:
        """``use``: in every held-out corpus it follows the ratings and beats the single metric; ``care``: follows."""
        return across_verdict(self.scores, self.settings)

    def save(self, folder: Path | str) -> "Across":
        """Write the folder; the result has the card with the digests of its files."""
        return replace(self, card=save_trained(folder, self.card, self.fitted))


@takes(LearnSettings, RatingPolicy)
def train_across(
    corpora: Sequence[RatedCorpus],
    target: str,
    settings: LearnSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    name: str | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Across:
    """Train a metric on several rated corpora, and validate it by holding out each of them whole.

    Features are those that are computed alike in all corpora. Ratings are brought to 0–1 by their scale and to the same
    mean, and each corpus weighs the same. Every choice is made by leaving out another training corpus. Dialogues and
    summaries that the held-out corpus shares with others are not trained on. ``split`` says how the metric is compared
    with one that is trained inside the corpus.
    """
    asked, policy = chosen_pair("train_across", changes, (LearnSettings, settings), (RatingPolicy, policy))
    if asked.task != "numbers" or (asked.learner != AUTO and find_learner(asked.learner).fits == "classes"):
        raise ParameterError(
            "train_across", "learner", "one that predicts numbers: scales differ between corpora", asked.learner
        )
    parts, left_out = build_parts(corpora, target, asked, policy)
    goal = Target(target, parts[0].data.target.frame, "numbers", (0.0, 1.0), 0.0, 1.0, policy)
    recipes = candidates(asked.learner, goal, asked.seed)
    found: list[HeldOut] = []
    for number, part in enumerate(parts):
        if progress:
            progress(f"{target}: held out: {part.name}", number, len(parts))
        found.append(hold_out(parts, number, recipes, asked))
    fitted = _fit_all(parts, recipes, asked)
    done = {
        "confidence": asked.confidence,
        "null": shuffles(asked),
        "purged": {part.name: one.purged for part, one in zip(parts, found, strict=True)},
        "shared_systems": _shared_systems(parts),
    }
    rows = [{"corpus": part.name, **row} for part, one in zip(parts, found, strict=True) for row in one.rows]
    scores = pl.DataFrame(rows, schema=ACROSS)
    curve = pl.DataFrame([row for one in found for row in one.curve], schema=CURVE)
    card = _card(parts, fitted, scores, done, name or f"learned-{target}")
    return Across(card, fitted, scores, curve, tuple(left_out), done)


def _fit_all(parts: Sequence[Part], recipes: Sequence[Recipe], asked: LearnSettings) -> Fitted:
    rows = [np.arange(len(part.data.y)) for part in parts]
    recipe = choose_recipe(parts, rows, recipes, asked)
    whole = pool(parts, rows, asked.seed)
    return recipe.fit(whole.X, whole.y)


def _shared_systems(parts: Sequence[Part]) -> list[str]:
    names = [set(part.data.keys["system"].unique()) for part in parts]
    return sorted({name for i, own in enumerate(names) for other in names[:i] for name in own & other})


def _alpha(settings: dict[str, Any]) -> float:
    return max(1 - float(settings["confidence"]), 1 / (int(settings["null"]) + 1))


def across_verdict(scores: pl.DataFrame, settings: dict[str, Any]) -> Trust:
    """What follows from the scores in all held-out corpora together."""
    alpha = _alpha(settings)
    parts = [part for _, part in scores.group_by("corpus", maintain_order=True)]
    if not all(follows(part, "summary", alpha) for part in parts):
        return "do-not-use"
    return "use" if all(better_than_single(part, "summary", alpha) for part in parts) else "care"


def across_claims(scores: pl.DataFrame, settings: dict[str, Any]) -> tuple[str, ...]:
    """A sentence per held-out corpus, and what they have in common."""
    alpha, said = _alpha(settings), []
    for (corpus,), part in scores.group_by("corpus", maintain_order=True):
        row, single, own = (_pearson(part, by) for by in (LEARNED, SINGLE, OWN))
        if row is None or row["value"] is None:
            said.append(f"Nothing is said of {corpus}: {row['reason'] if row else 'not measured'}.")
            continue
        interval = "" if row["low"] is None else f" [{row['low']:.2f}, {row['high']:.2f}]"
        shown = "shown" if follows(part, "summary", alpha) else "not shown"
        reached = f"r {row['value']:.2f}{interval}"
        text = f"In {corpus}, held out, it is {shown} to follow the ratings within dialogues: {reached}"
        if single is not None and single["value"] is not None:
            better = "better than" if better_than_single(part, "summary", alpha) else "not shown to be better than"
            text += f"; {better} {single['name']} (r {single['value']:.2f})"
        if own is not None and own["value"] is not None:
            text += f"; trained on its own ratings, r {own['value']:.2f}"
        said.append(f"{text}.")
    if settings["shared_systems"]:
        said.append(
            f"Systems of several corpora: {', '.join(settings['shared_systems'])}; for them, only dialogues are new."
        )
    return tuple(said)


def _pearson(part: pl.DataFrame, by: str) -> dict[str, Any] | None:
    rows = part.filter(pl.col("by") == by, pl.col("measure") == "pearson", pl.col("level") == "summary")
    return rows.row(0, named=True) if rows.height else None


def _card(parts: Sequence[Part], fitted: Fitted, scores: pl.DataFrame, done: dict[str, Any], name: str) -> Card:
    target = parts[0].data.target
    if fitted.pipeline is None:
        raise InputError(f"dimension {target.dimension!r}: all ratings are the same, so there is nothing to learn")
    names = [part.name for part in parts]
    return Card(
        name=name,
        kind="features",
        target=target.dimension,
        intended_use=(
            f"Orders summaries by how people would rate their {target.dimension}, learned from {len(parts)} corpora "
            f"({', '.join(names)}). It says which summary is better, from 0 to 1, not which point of your scale it "
            "would get. Not for judging individual people, and not validated on your data until it was."
        ),
        features=feature_uses(parts[0].table, parts[0].data, fitted),
        scale={"minimum": 0.0, "maximum": 1.0},
        data={
            "corpora": names,
            "digests": [data_digest(part.data) for part in parts],
            "summaries": sum(part.data.keys.height for part in parts),
            "dialogues": sum(part.data.keys["dialogue_id"].n_unique() for part in parts),
            "aggregation": target.policy.aggregate,
        },
        split={"name": "corpus", "hides": _HIDES, **done},
        scores=tuple(scores.drop("reason").filter(pl.col("value").is_not_null()).to_dicts()),
        settings={
            "task": "numbers",
            "verdict": across_verdict(scores, done),
            "claims": list(across_claims(scores, done)),
            "interval": None,
            "made with": made_with(),
        },
    )
