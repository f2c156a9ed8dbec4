"""Metrics against preferences: does the summary that people prefer score higher?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.corpus import KEY
from dialgauge.errors import UnknownNameError
from dialgauge.metaeval._labels import add_chance, fold_of, share_facts, shown_or_closest
from dialgauge.metaeval._matrix import with_defaults
from dialgauge.metaeval._settings import LabelSettings
from dialgauge.ratings import ClusteredShare, ratio_share
from dialgauge.settings import takes

PREFERENCE_ACCURACY = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "preferences": pl.Int64,
        "ties": pl.Int64,
        "dialogues": pl.Int64,
        "accuracy": pl.Float64,
        "accuracy_low": pl.Float64,
        "accuracy_high": pl.Float64,
        "with_ties": pl.Float64,
        "with_ties_low": pl.Float64,
        "with_ties_high": pl.Float64,
        "epsilon": pl.Float64,
        "p_chance": pl.Float64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class PreferenceAccuracy:
    """How often metrics agree with preferences: a row per metric and dimension, the best first.

    ``accuracy`` is the share of decided preferences whose winner scores higher, equal scores counting half: .5 is
    chance. ``with_ties`` is the share of all preferences, ties included, that the metric gets right when it calls a
    difference of up to ``epsilon`` a tie; epsilon is chosen on other dialogues (shown: the median over folds).
    Intervals are over dialogues. ``p_chance`` is the p-value of the accuracy against chance, one half, at one error for
    all metrics and dimensions of the table.
    """

    frame: pl.DataFrame
    settings: LabelSettings

    def sentences(self) -> list[str]:
        """For each dimension, the metric that agrees best with the preferences, in words."""
        said = []
        for (dimension,), part in self.frame.group_by("dimension", maintain_order=True):
            known = part.drop_nulls("accuracy")
            if known.is_empty():
                said.append(f"{dimension}: no metric can be compared with the preferences ({part['note'][0]}).")
                continue
            row, among = shown_or_closest(known.to_dicts(), lambda row: float(row["accuracy"]), self.settings)
            span = "" if row["accuracy_low"] is None else f" [{row['accuracy_low']:.0%}, {row['accuracy_high']:.0%}]"
            if among is None:
                closest = f"{row['metric']} comes closest, with {row['accuracy']:.0%}{span}"
                said.append(f"{dimension}: no metric is shown to agree with preferences better than chance; {closest}.")
                continue
            said.append(
                f"{dimension}: {row['metric']} agrees best{among} with {row['accuracy']:.0%}{span} of the preferences."
            )
        return said


@takes(LabelSettings)
def preference_accuracy(
    scores: pl.DataFrame,
    preferences: pl.DataFrame,
    settings: LabelSettings | None = None,
    *,
    directions: Mapping[str, str] | None = None,
    **changes: Any,
) -> PreferenceAccuracy:
    """How often the preferred summary scores higher, for each metric and each dimension of the preferences."""
    asked = LabelSettings.chosen(settings, changes, "preference_accuracy")
    scores = with_defaults(scores)
    metrics = [name for name in scores.columns if name not in KEY]
    for name in asked.metrics or ():
        if name not in metrics:
            raise UnknownNameError("metric", name, metrics)
    wanted = list(asked.metrics or metrics)
    joined = preferences.sort("dialogue_id", "system_a", "system_b", "annotator")
    for side in ("a", "b"):
        values = scores.select(
            "dialogue_id",
            pl.col("system").alias(f"system_{side}"),
            pl.col("variant").alias(f"variant_{side}"),
            "role",
            *(pl.col(name).cast(pl.Float64).fill_nan(None).alias(f"{name} {side}") for name in wanted),
        )
        on = ["dialogue_id", f"system_{side}", f"variant_{side}", "role"]
        joined = joined.join(values, on=on, how="left", maintain_order="left")
    numbers = joined["dialogue_id"].unique().sort()
    rows, tested = [], list[tuple[dict[str, Any], ClusteredShare]]()
    for (dimension,), part in joined.sort("dimension", maintain_order=True).group_by("dimension", maintain_order=True):
        found = []
        for metric in wanted:
            sign = -1.0 if (directions or {}).get(metric) == "lower" else 1.0
            known = part.filter(pl.col(f"{metric} a").is_not_null() & pl.col(f"{metric} b").is_not_null())
            row, share = _measure(known, metric, sign, asked)
            found.append({"metric": metric, "dimension": dimension, **row})
            if share is not None:
                places = numbers.search_sorted(known["dialogue_id"].unique().sort()).to_numpy()
                tested.append((found[-1], share.placed(places)))
        rows += sorted(found, key=lambda row: -(row.get("accuracy") or 0.0))
    add_chance(tested, len(numbers), asked)
    return PreferenceAccuracy(pl.DataFrame(rows, schema=PREFERENCE_ACCURACY), asked)


def _measure(
    part: pl.DataFrame, metric: str, sign: float, asked: LabelSettings
) -> tuple[dict[str, Any], ClusteredShare | None]:
    """The facts of a metric, and its share of preferences that it agrees with."""
    gap = sign * (part[f"{metric} a"] - part[f"{metric} b"]).to_numpy()
    winner = part["winner"].replace_strict({"a": 1, "b": -1, "tie": 0}, return_dtype=pl.Int64).to_numpy()
    dialogue = np.unique(part["dialogue_id"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    n = int(dialogue.max()) + 1 if len(dialogue) else 0
    decided = winner != 0
    facts: dict[str, Any] = {"preferences": int(decided.sum()), "ties": int((~decided).sum()), "dialogues": n}
    if not decided.any():
        return facts | {"note": "no decided preference has scores for both summaries"}, None
    accuracy = _share(_right(gap[decided], winner[decided], 0.0), dialogue[decided], n)
    facts |= share_facts("accuracy", accuracy, asked)
    if decided.all() or n < asked.folds:
        return facts, accuracy
    folds = fold_of(n, asked.folds, asked.seed)[dialogue]
    hits, chosen = np.zeros(len(gap)), []
    for fold in range(asked.folds):
        here = folds == fold
        epsilon = _best_epsilon(gap[~here], winner[~here])
        chosen.append(epsilon)
        hits[here] = _right(gap[here], winner[here], epsilon, with_ties=True)
    facts |= share_facts("with_ties", _share(hits, dialogue, n), asked)
    return facts | {"epsilon": float(np.median(chosen))}, accuracy


def _right(gap: FloatArray, winner: IntArray, epsilon: float, *, with_ties: bool = False) -> FloatArray:
    """Whether each preference is met: 1, 0, or ½ for equal scores where the metric may not call a tie."""
    if with_ties:
        called = np.where(np.abs(gap) <= epsilon, 0, np.sign(gap))
        return np.asarray(called == winner, dtype=np.float64)
    return np.asarray((np.sign(gap) * winner + 1) / 2)


def _best_epsilon(gap: FloatArray, winner: IntArray) -> float:
    """The largest difference to be called a tie that gets most preferences right; −1 where calling none is best."""
    size = np.abs(gap)
    order = np.argsort(size, kind="stable")
    tied = (winner == 0)[order]
    met = (np.sign(gap) == winner)[order] & ~tied
    called = np.append(0, np.cumsum(tied))
    left = met.sum() - np.append(0, np.cumsum(met))
    values = np.append(-1.0, size[order])
    # Equal differences are all called ties or none: only the last of a run counts.
    last = np.append(np.diff(values) != 0, True)
    right = np.where(last, called + left, -1)
    return float(values[int(np.argmax(right))])


def _share(right: FloatArray, dialogue: IntArray, n: int) -> ClusteredShare:
    counts = np.bincount(dialogue, minlength=n).astype(np.float64)
    return ratio_share(np.bincount(dialogue, right, minlength=n).astype(np.float64), counts)
