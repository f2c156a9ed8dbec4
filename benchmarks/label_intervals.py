"""Do the intervals of AUC cover, and is a threshold without signal no better than chance? Simulated labels.

``python -m benchmarks.label_intervals`` prints the share of 95 % intervals over dialogues that hold the true AUC, for
numbers of systems and dialogues, true values and shares of good summaries (``--rounds`` studies each), and the mean
balanced accuracy of scores that know nothing.
"""

import argparse
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._clustered import auc_share, within_share
from dialgauge.metaeval._labels import fold_of
from dialgauge.metaeval._roc import Labelled, balanced_accuracy, best_threshold, class_counts
from dialgauge.ratings import ClusteredShare, share_interval

SYSTEMS, DIALOGUES, VALUES, GOOD = (4, 6, 14), (30, 100, 300), (0.5, 0.7, 0.9), (0.5, 0.8)
_MEASURES: dict[str, Callable[[Labelled], ClusteredShare]] = {"AUC": auc_share, "within a dialogue": within_share}
#: Summaries of the sample in which the true value is measured.
_LARGE = 200_000


def simulate(
    generator: np.random.Generator, dialogues: int, systems: int = 10, signal: float = 1.0, good: float = 0.5
) -> Labelled:
    """Items whose label and score share the difficulty of their dialogue; ``signal`` is how much the score knows.

    ``systems`` summarised each dialogue, and a share ``good`` of the summaries is good.
    """
    dialogue = np.repeat(np.arange(dialogues), systems)
    difficulty = generator.normal(0, 1, dialogues)[dialogue]
    quality = generator.normal(0, 1, len(dialogue))
    label = quality - difficulty + generator.normal(0, 0.5, len(dialogue)) > -1.5 * NormalDist().inv_cdf(good)
    score = signal * (quality - 0.7 * difficulty) + generator.normal(0, 1, len(dialogue))
    return Labelled(score, label, dialogue)


@cache
def signal_for(measure: str, value: float, systems: int, good: float) -> tuple[float, float]:
    """The signal that gives a value of the measure, and the value that it gives exactly."""
    if value == 0.5:
        return 0.0, 0.5
    low, high, found = 0.0, 40.0, (0.0, 0.5)
    for _ in range(18):
        signal = (low + high) / 2
        large = simulate(np.random.default_rng(99), _LARGE // systems, systems, signal, good)
        found = signal, _MEASURES[measure](large).value
        low, high = (signal, high) if found[1] < value else (low, signal)
    return found


def coverage(measure: str, value: float, systems: int, dialogues: int, good: float, rounds: int) -> float:
    """The share of intervals that hold the true value; studies without two classes of summaries do not count."""
    signal, truth = signal_for(measure, value, systems, good)
    held = counted = 0
    for number in range(rounds):
        items = simulate(np.random.default_rng([number, dialogues, systems]), dialogues, systems, signal, good)
        low, high = share_interval(_MEASURES[measure](items), 0.95)
        if low is not None and high is not None:
            counted += 1
            held += low <= truth <= high
    return held / counted


def grid(rounds: int) -> None:
    """The coverage of every case, as a table with a row per number of systems, share of good summaries and value."""
    heads = [f"{name}: {n}" for name in _MEASURES for n in DIALOGUES]
    print(f"| systems | good | AUC | {' | '.join(heads)} |")
    print("|---" * (3 + len(heads)) + "|", flush=True)
    for systems in SYSTEMS:
        for good in GOOD:
            for value in VALUES:
                row = [coverage(name, value, systems, n, good, rounds) for name in _MEASURES for n in DIALOGUES]
                shown = " | ".join(f"{held:.3f}".lstrip("0") for held in row)
                print(f"| {systems} | {good:.0%} | {value} | {shown} |", flush=True)


def accuracy_without_signal(rounds: int = 400) -> None:
    """Balanced accuracy of a threshold chosen on other dialogues, and of one chosen on the same, without any signal."""
    for dialogues in (10, 40):
        outside, inside = [], []
        for number in range(rounds):
            items = simulate(np.random.default_rng(number), dialogues, signal=0.0)
            folds = fold_of(dialogues, 5, number)[items.dialogue]
            predicted = np.zeros(len(folds), dtype=bool)
            for fold in range(5):
                here = folds == fold
                predicted[here] = items.score[here] >= best_threshold(items.score[~here], items.good[~here])
            outside.append(_accuracy(items, predicted))
            inside.append(_accuracy(items, items.score >= best_threshold(items.score, items.good)))
        print(
            f"no signal, {len(items.score)} items: threshold of other dialogues {np.nanmean(outside):.3f}, "
            f"of the same {np.nanmean(inside):.3f}",
            flush=True,
        )


def _accuracy(items: Labelled, predicted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    counts: FloatArray = class_counts(items, predicted).sum(axis=0)[None, :]
    return float(balanced_accuracy(counts)[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    accuracy_without_signal()
    grid(parser.parse_args().rounds)
