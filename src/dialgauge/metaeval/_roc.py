"""How well scores distinguish two classes, as functions of how often each dialogue counts.

All ones is the data as it is; the counts of a draw of dialogues are a resample. Items of one dialogue are drawn
together, because they share its difficulty: intervals over single items are too narrow.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray, IntArray

#: How many weights of items are held at a time.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Labelled:
    """Items with a score and a label: ``good`` is the class that should score higher; ``dialogue`` is its number."""

    score: FloatArray
    good: BoolArray
    dialogue: IntArray

    @property
    def dialogues(self) -> int:
        """The number of dialogues."""
        return int(self.dialogue.max()) + 1 if len(self.dialogue) else 0

    def once(self) -> FloatArray:
        """The weights of the data as it is."""
        return np.ones((1, self.dialogues))


def draw_dialogues(dialogues: int, resamples: int, seed: int) -> FloatArray:
    """How often each dialogue is drawn (resamples × dialogues)."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(dialogues, np.full(dialogues, 1 / dialogues), size=resamples).astype(np.float64)


def auc(items: Labelled, weights: FloatArray) -> FloatArray:
    """The probability that a good item scores higher than a bad one, ties counting half; NaN with one class only."""
    order = np.argsort(items.score, kind="stable")
    starts = _starts(items.score[order])
    return _in_turns(weights, len(order), lambda part: _auc(part[:, items.dialogue[order]], items.good[order], starts))


def area(good: FloatArray, bad: FloatArray) -> float:
    """The AUC of two lists of scores; NaN without both."""
    if not len(good) or not len(bad):
        return float("nan")
    is_good = np.arange(len(good) + len(bad)) < len(good)
    items = Labelled(np.concatenate([good, bad]), is_good, np.zeros(len(is_good), dtype=np.intp))
    return float(auc(items, items.once())[0])


def _auc(weights: FloatArray, good: BoolArray, starts: IntArray) -> FloatArray:
    better, worse = (np.add.reduceat(weights * side, starts, axis=1) for side in (good, ~good))
    below = np.cumsum(worse, axis=1) - worse / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((better * below).sum(axis=1) / (better.sum(axis=1) * worse.sum(axis=1)))


def within_counts(items: Labelled) -> tuple[FloatArray, FloatArray]:
    """For each dialogue: pairs of a good and a bad item of it that are ordered rightly (ties: half), and all pairs."""
    order = np.lexsort((items.score, items.dialogue))
    dialogue, good, score = items.dialogue[order], items.good[order], items.score[order]
    starts = np.flatnonzero(np.append(True, (np.diff(dialogue) != 0) | (np.diff(score) != 0)))
    better, worse = (np.add.reduceat(side.astype(np.float64), starts) for side in (good, ~good))
    of_group = dialogue[starts]
    n = items.dialogues
    bad = np.bincount(of_group, worse, minlength=n)
    earlier = np.cumsum(bad) - bad
    below = np.cumsum(worse) - worse / 2 - earlier[of_group]
    return (
        np.asarray(np.bincount(of_group, better * below, minlength=n), dtype=np.float64),
        np.asarray(np.bincount(of_group, better, minlength=n) * bad, dtype=np.float64),
    )


def within_auc(items: Labelled, weights: FloatArray) -> FloatArray:
    """AUC over pairs of one dialogue: which of two summaries of this dialogue is the better one?"""
    wins, pairs = within_counts(items)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((weights @ wins) / (weights @ pairs))


def average_precision(items: Labelled, weights: FloatArray) -> FloatArray:
    """The mean precision over the good items, from the highest score down; equal scores come together."""
    order = np.argsort(-items.score, kind="stable")
    starts = _starts(items.score[order])
    good, dialogue = items.good[order], items.dialogue[order]

    def values(part: FloatArray) -> FloatArray:
        each = part[:, dialogue]
        hits = np.add.reduceat(each * good, starts, axis=1)
        seen = np.cumsum(np.add.reduceat(each, starts, axis=1), axis=1)
        found = np.cumsum(hits, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(seen > 0, found / seen, 0.0)
            return np.asarray((hits * precision).sum(axis=1) / found[:, -1])

    return _in_turns(weights, len(order), values)


def class_counts(items: Labelled, predicted: BoolArray) -> FloatArray:
    """For each dialogue: true positives, false negatives, false positives, true negatives."""
    cells = (items.good & predicted, items.good & ~predicted, ~items.good & predicted, ~items.good & ~predicted)
    return np.stack([np.bincount(items.dialogue, cell, minlength=items.dialogues) for cell in cells], axis=1)


def balanced_accuracy(counts: FloatArray) -> FloatArray:
    """The mean of the two classes' shares that were found; half for a constant prediction."""
    tp, fn, fp, tn = counts.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((tp / (tp + fn) + tn / (tn + fp)) / 2)


def matthews(counts: FloatArray) -> FloatArray:
    """Matthews' correlation coefficient; 0 where one of the four margins is empty."""
    tp, fn, fp, tn = counts.T
    under = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(under > 0, (tp * tn - fp * fn) / under, 0.0)


def best_threshold(score: FloatArray, good: BoolArray) -> float:
    """The threshold with the highest balanced accuracy: an item that reaches it is called good.

    Midway between two neighbouring scores; of equally good ones the middle one.
    """
    values, places = np.unique(score, return_inverse=True)
    better = np.bincount(places, good, minlength=len(values))
    worse = np.bincount(places, ~good, minlength=len(values))
    # Number of items of each class below each possible threshold; the first threshold is below everything.
    missed, refused = (np.append(0.0, np.cumsum(side)) for side in (better, worse))
    found = (1 - missed / max(better.sum(), 1)) + refused / max(worse.sum(), 1)
    best = np.flatnonzero(found >= found.max() - 1e-12)
    place = int(best[len(best) // 2])
    if place == 0:
        return float(values[0])
    if place == len(values):
        return float(np.nextafter(values[-1], np.inf))
    return float((values[place - 1] + values[place]) / 2)


def _starts(ordered: FloatArray) -> IntArray:
    """Where runs of equal scores begin."""
    return np.flatnonzero(np.append(True, np.diff(ordered) != 0))


def _in_turns(weights: FloatArray, items: int, values: object) -> FloatArray:
    step = max(1, _AT_ONCE // max(1, items))
    found = [values(weights[start : start + step]) for start in range(0, len(weights), step)]  # type: ignore[operator]
    return np.concatenate(found)
