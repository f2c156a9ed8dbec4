"""Metrics against labels: does a score distinguish good from bad summaries, or one class from the others?"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.corpus import KEY
from dialgauge.errors import UnknownNameError
from dialgauge.metaeval._calibration import calibration
from dialgauge.metaeval._clustered import auc_share, chance_p_values, within_share
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._matrix import with_defaults
from dialgauge.metaeval._roc import (
    Labelled,
    average_precision,
    balanced_accuracy,
    best_threshold,
    class_counts,
    draw_dialogues,
    matthews,
    within_counts,
)
from dialgauge.metaeval._settings import LabelSettings
from dialgauge.ratings import ClusteredShare, share_interval
from dialgauge.settings import takes

_MEASURES = ("auc", "within_auc", "balanced_accuracy", "mcc", "average_precision")
LABELS = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "items": pl.Int64,
        "good": pl.Int64,
        "dialogues": pl.Int64,
        **{f"{name}{end}": pl.Float64 for name in _MEASURES for end in ("", "_low", "_high")},
        "p_chance": pl.Float64,
        "mixed_dialogues": pl.Int64,
        "threshold": pl.Float64,
        "threshold_low": pl.Float64,
        "threshold_high": pl.Float64,
        "brier": pl.Float64,
        "calibration_error": pl.Float64,
        "calibration_floor": pl.Float64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class LabelEvaluation:
    """How well metrics tell good from bad summaries: a row per metric and dimension, the best first.

    ``auc`` is the probability that a good summary scores higher than a bad one; ``within_auc`` the same for two
    summaries of one dialogue, over the ``mixed_dialogues`` that have both. ``balanced_accuracy`` and ``mcc`` use a
    threshold that is chosen on other dialogues: ``threshold`` is its median over folds, from ``threshold_low`` to
    ``threshold_high``. Every measure has an interval over dialogues. ``calibration_error`` is to be compared with
    ``calibration_floor``, which a perfect forecaster would have with as many items. ``note`` says why a value is null.
    ``p_chance`` is the p-value of AUC (within dialogues where there is one) against chance, one half, at one error for
    all metrics and dimensions of the table: of many metrics that know nothing, the best has an interval above one half.
    The dimensions in ``classes`` are classes without an order: there "good" means a summary of this class, an AUC below
    one half that such summaries score lower, and the metrics furthest from one half come first.
    """

    frame: pl.DataFrame
    settings: LabelSettings
    classes: frozenset[str] = frozenset()

    def sentences(self, *, of_classes: bool = False) -> list[str]:
        """For each dimension, the metric that tells right from wrong best (or one class from the others), in words.

        ``of_classes`` asks for classes alone, on which there is no verdict.
        """
        said = []
        asked = pl.col("dimension").is_in(list(self.classes)) if of_classes else pl.lit(True)
        for (name,), part in self.frame.filter(asked).group_by("dimension", maintain_order=True):
            known, dimension = part.drop_nulls("auc"), str(name)
            of_class = dimension in self.classes
            said.append(
                _sentence(dimension, of_class, known.to_dicts(), self.settings) if known.height else _none(part)
            )
        return said


def _none(part: pl.DataFrame) -> str:
    return f"{part['dimension'][0]}: no metric has an AUC ({part['note'][0]})."


def _sentence(dimension: str, of_class: bool, rows: Sequence[Mapping[str, Any]], asked: LabelSettings) -> str:
    told = "this class from the others" if of_class else "right from wrong"
    row, among = shown_or_closest(rows, _either if of_class else _first, asked)
    inside = row["within_auc"] is not None
    name = "within_auc" if inside else "auc"
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    span = "" if low is None else f" [{low:.2f}, {high:.2f}]"
    where = " within a dialogue" if inside else ""
    if among is None:
        closest = f"{row['metric']} comes closest, AUC {value:.2f}{span}{where}"
        return f"{dimension}: no metric is shown to tell {told} better than chance; {closest}."
    lower = "; its summaries score lower" if value < 0.5 else ""
    return f"{dimension}: {row['metric']} tells {told} best{among}, with AUC {value:.2f}{span}{where}{lower}."


def shown_or_closest(
    rows: Sequence[Mapping[str, Any]], share: Callable[[Mapping[str, Any]], float], asked: LabelSettings
) -> tuple[Mapping[str, Any], str | None]:
    """The best metric that is shown to be better than chance and among which it is, in words; or the best, and None.

    The best of all may have scores of so few dialogues that nothing is shown, where another has enough. Without
    resamples nothing is tested. ``rows`` has the best first.
    """
    error = 1 - asked.confidence
    for place, row in enumerate(rows):
        if share(row) > 0.5 and (row["p_chance"] is None or row["p_chance"] < error):
            return row, "" if place == 0 else " of those shown to be better than chance"
    return rows[0], None


@takes(LabelSettings)
def evaluate_labels(
    scores: pl.DataFrame,
    labels: pl.DataFrame,
    settings: LabelSettings | None = None,
    *,
    directions: Mapping[str, str] | None = None,
    classes: Collection[str] = (),
    **changes: Any,
) -> LabelEvaluation:
    """How well each metric tells good from bad summaries.

    ``scores`` has the key columns and a column per metric; ``labels`` the key columns and a column per dimension, true
    for good, false for bad, null for neither. They are joined by key; every variant of a summary is an item.
    ``directions`` says of which metrics ``"lower"`` values are better: their sign is turned. ``classes`` are columns of
    which nobody says that they are good: a metric may tell such a class by high scores or by low ones.
    """
    asked = LabelSettings.chosen(settings, changes, "evaluate_labels")
    scores, labels = with_defaults(scores), with_defaults(labels)
    metrics = [name for name in scores.columns if name not in KEY]
    for name in asked.metrics or ():
        if name not in metrics:
            raise UnknownNameError("metric", name, metrics)
    both = scores.join(labels, on=list(KEY), how="inner", suffix=" label").sort(KEY)
    numbers = both["dialogue_id"].unique().sort()
    rows, tested = [], list[tuple[dict[str, Any], ClusteredShare]]()
    for dimension in (name for name in labels.columns if name not in KEY):
        column = f"{dimension} label" if dimension in metrics else dimension
        found = []
        for metric in asked.metrics or metrics:
            part = both.filter(
                pl.col(metric).is_not_null() & pl.col(metric).is_not_nan() & pl.col(column).is_not_null()
            )
            sign = -1.0 if (directions or {}).get(metric) == "lower" else 1.0
            items = Labelled(
                sign * part[metric].cast(pl.Float64).to_numpy(),
                part[column].cast(pl.Boolean).to_numpy(),
                np.unique(part["dialogue_id"].to_numpy(), return_inverse=True)[1].astype(np.int64),
            )
            row = {"metric": metric, "dimension": dimension, **_measure(items, asked, sign, dimension in classes)}
            found.append(row)
            if row.get("auc") is not None:
                share = within_share(items) if row.get("within_auc") is not None else auc_share(items)
                places = numbers.search_sorted(part["dialogue_id"].unique().sort()).to_numpy()
                tested.append((row, share.placed(places)))
        rows += sorted(found, key=_either if dimension in classes else _first, reverse=True)
    add_chance(tested, len(numbers), asked)
    return LabelEvaluation(pl.DataFrame(rows, schema=LABELS), asked, frozenset(classes))


def add_chance(tested: Sequence[tuple[dict[str, Any], ClusteredShare]], dialogues: int, asked: LabelSettings) -> None:
    """Add to each row the p-value of its share against chance, at one error for all rows."""
    if not tested or not asked.resamples:
        return
    values = chance_p_values([share for _, share in tested], dialogues, asked.resamples, asked.seed)
    for (row, _), value in zip(tested, values, strict=True):
        row["p_chance"] = float(value)


def _first(row: Mapping[str, Any]) -> float:
    value = row.get("within_auc")
    return float(row.get("auc") or 0.0) if value is None else float(value)


def _either(row: Mapping[str, Any]) -> float:
    """How well a metric tells a class, by high scores or by low ones; 0 where that is not known."""
    return 0.0 if row.get("auc") is None else 0.5 + abs(_first(row) - 0.5)


def _turned(items: Labelled) -> Labelled:
    return Labelled(-items.score, items.good, items.dialogue)


def _measure(items: Labelled, asked: LabelSettings, sign: float, of_class: bool) -> dict[str, Any]:
    """All measures; of a class, those that need a side to be good take the one on which its scores are."""
    good, n = int(items.good.sum()), len(items.score)
    facts: dict[str, Any] = {"items": n, "good": good, "dialogues": items.dialogues}
    if good in (0, n):
        return facts | {"note": "no summary is labelled" if not n else "all summaries have the same label"}
    draws = draw_dialogues(items.dialogues, asked.resamples, asked.seed) if asked.resamples else None
    pairs = within_counts(items)[1]
    facts |= {"mixed_dialogues": int((pairs > 0).sum())}
    for name, share in (("auc", auc_share(items)), ("within_auc", within_share(items))):
        facts |= share_facts(name, share, asked)
    if of_class and auc_share(items).value < 0.5:
        items, sign = _turned(items), -sign
    drawn = None if draws is None else average_precision(items, draws)
    facts |= _with_interval("average_precision", average_precision(items, items.once()), drawn, items.dialogues, asked)
    note = None if pairs.any() else "no dialogue has both good and bad summaries"
    if items.dialogues < asked.folds:
        return facts | {"note": note or f"fewer than {asked.folds} dialogues: no threshold from other dialogues"}
    return facts | _by_threshold(items, draws, asked, sign, of_class) | {"note": note}


def _by_threshold(
    items: Labelled, draws: FloatArray | None, asked: LabelSettings, sign: float, of_class: bool
) -> dict[str, Any]:
    """What needs a threshold or a curve, both of which are fitted on other dialogues, as is the side of a class."""
    folds = fold_of(items.dialogues, asked.folds, asked.seed)[items.dialogue]
    predicted, chosen = np.zeros(len(items.score), dtype=bool), []
    for fold in range(asked.folds):
        here = folds == fold
        if not here.any() or len(np.unique(items.good[~here])) < 2:
            continue
        others = Labelled(items.score[~here], items.good[~here], items.dialogue[~here])
        turn = -1.0 if of_class and auc_share(others).value < 0.5 else 1.0
        threshold = best_threshold(turn * others.score, others.good)
        chosen.append(sign * turn * threshold)
        predicted[here] = turn * items.score[here] >= threshold
    counts = class_counts(items, predicted)
    facts: dict[str, Any] = {}
    for name, measure in (("balanced_accuracy", balanced_accuracy), ("mcc", matthews)):
        drawn = None if draws is None else measure(draws @ counts)
        facts |= _with_interval(name, measure(counts.sum(axis=0)[None, :]), drawn, items.dialogues, asked)
    fitted = calibration(items, folds, asked.seed)
    return facts | {
        "threshold": float(np.median(chosen)),
        "threshold_low": float(min(chosen)),
        "threshold_high": float(max(chosen)),
        "brier": fitted.brier,
        "calibration_error": fitted.error,
        "calibration_floor": fitted.floor,
    }


def share_facts(name: str, share: ClusteredShare, asked: LabelSettings) -> dict[str, Any]:
    """A share with its interval; nothing where it is not defined."""
    if np.isnan(share.value):
        return {}
    if not asked.resamples:
        return {name: share.value}
    low, high = share_interval(share, asked.confidence)
    return {name: share.value, f"{name}_low": low, f"{name}_high": high}


def fold_of(dialogues: int, folds: int, seed: int) -> IntArray:
    """The fold of each dialogue: equally many in each, at random."""
    places = np.random.default_rng(seed).permutation(dialogues) % folds
    return np.asarray(places, dtype=np.int64)


def cluster_interval(
    value: float, drawn: FloatArray, clusters: int, confidence: float, lowest: float = 0.0
) -> tuple[float, float]:
    """Student's t around the logit of a value between ``lowest`` and 1, with the spread of its resamples over clusters.

    Percentiles of few clusters are too narrow, most of all where few summaries are bad: of 95 % intervals for 25
    dialogues as few as 85 % hold the truth. On the logit resamples are nearly symmetric, and no end leaves the range.
    Where all clusters are at one end, resamples do not differ: the interval goes as far as would give that by chance.
    """
    from scipy.special import expit, logit, stdtrit

    kept = drawn[~np.isnan(drawn)]
    edge = 1 / (20 * max(clusters, 1))
    share = (value - lowest) / (1 - lowest)
    if clusters < 3 or len(kept) < 2 or not edge < share < 1 - edge or np.ptp(kept) == 0:
        low, high = percentile_interval(drawn, confidence)
        chance = lowest + (1 - lowest) * ((1 - confidence) / 2) ** (1 / max(clusters, 1))
        if share >= 1 - edge:
            return min(low, chance), high
        return (low, max(high, lowest + 1 - chance)) if share <= edge else (low, high)
    spread = float(logit(np.clip((kept - lowest) / (1 - lowest), edge, 1 - edge)).std(ddof=1))
    reach = float(stdtrit(clusters - 1, (1 + confidence) / 2)) * spread * np.sqrt(clusters / (clusters - 1))
    low, high = (float(lowest + (1 - lowest) * expit(logit(share) + side * reach)) for side in (-1, 1))
    return low, high


def _with_interval(
    name: str, value: FloatArray, drawn: FloatArray | None, dialogues: int, asked: LabelSettings
) -> dict[str, Any]:
    if np.isnan(value[0]):
        return {}
    low, high = None, None
    if drawn is not None:
        lowest = -1.0 if name == "mcc" else 0.0
        low, high = cluster_interval(float(value[0]), drawn, dialogues, asked.confidence, lowest)
    ends = {f"{name}_low": low, f"{name}_high": high}
    return {name: float(value[0]), **{key: None if end is None or np.isnan(end) else end for key, end in ends.items()}}
