"""Do the intervals of AUC cover, and is a threshold without signal no better than chance? Simulated labels.

``python -m benchmarks.label_intervals`` prints the share of 95 % intervals over dialogues (and over single items, for
comparison) that hold the true AUC, and the mean balanced accuracy of scores that know nothing.
"""

from statistics import NormalDist

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._labels import cluster_interval, fold_of
from dialgauge.metaeval._roc import (
    Labelled,
    auc,
    balanced_accuracy,
    best_threshold,
    class_counts,
    draw_dialogues,
    within_auc,
    within_counts,
)

_DIALOGUES, _ITEMS, _RESAMPLES = 50, 10, 400


def simulate(
    generator: np.random.Generator,
    dialogues: int,
    signal: float = 1.0,
    shared: float = 1.0,
    items: int = _ITEMS,
    prevalence: float = 0.5,
) -> Labelled:
    """Items whose label and score share the difficulty of their dialogue; ``signal`` is what the score knows beyond.

    ``items`` are the systems that summarised each dialogue, ``prevalence`` the share of good summaries.
    """
    dialogue = np.repeat(np.arange(dialogues), items)
    difficulty = generator.normal(0, shared, dialogues)[dialogue]
    quality = generator.normal(0, 1, len(dialogue))
    spread = np.sqrt(1 + shared**2 + 0.25)
    noise = generator.normal(0, 0.5, len(dialogue))
    good = quality - difficulty + noise > -spread * NormalDist().inv_cdf(prevalence)
    score = signal * quality - 0.7 * difficulty * bool(signal) + generator.normal(0, 1, len(dialogue))
    return Labelled(score, good, dialogue)


def coverage(rounds: int = 2500) -> None:
    """The share of intervals that hold the AUC of a very large sample."""
    large = simulate(np.random.default_rng(99), 60_000)
    for name, measure in (("AUC", auc), ("within-dialogue AUC", within_auc)):
        truth = float(measure(large, large.once())[0])
        held = np.zeros(2)
        for number in range(rounds):
            items = simulate(np.random.default_rng(number), _DIALOGUES)
            alone = Labelled(items.score, items.good, np.arange(len(items.score)))
            for place, drawn in enumerate((items, alone) if measure is auc else (items,)):
                values = measure(drawn, draw_dialogues(drawn.dialogues, _RESAMPLES, number))
                value = float(measure(drawn, drawn.once())[0])
                low, high = cluster_interval(value, values, drawn.dialogues, 0.95)
                held[place] += low <= truth <= high
        shown = f"over dialogues {held[0] / rounds:.3f}"
        shown += f", over items {held[1] / rounds:.3f}" if measure is auc else ""
        print(f"{name} {truth:.3f}: 95 % intervals {shown}", flush=True)


def grid(rounds: int = 600) -> None:
    """The same for numbers of systems and dialogues and for shares of good summaries, as a table."""
    print("| systems | dialogues | share good | AUC | within-dialogue AUC |")
    print("|---|---|---|---|---|")
    for items in (4, 12):
        for prevalence in (0.5, 0.8, 0.9):
            large = simulate(np.random.default_rng(99), 400_000 // items, items=items, prevalence=prevalence)
            truths = [float(measure(large, large.once())[0]) for measure in (auc, within_auc)]
            for dialogues in (25, 50, 200):
                held = [coverage_of(items, prevalence, dialogues, place, truths, rounds) for place in (0, 1)]
                print(f"| {items} | {dialogues} | {prevalence} | {held[0]:.3f} | {held[1]:.3f} |", flush=True)


def coverage_of(
    items: int, prevalence: float, dialogues: int, place: int, truths: list[float], rounds: int, resamples: int = 400
) -> float:
    """The share of intervals over dialogues that hold the true value of AUC (0) or of AUC within dialogues (1)."""
    measure = (auc, within_auc)[place]
    held = 0
    for number in range(rounds):
        drawn = simulate(np.random.default_rng(number), dialogues, items=items, prevalence=prevalence)
        values = measure(drawn, draw_dialogues(dialogues, resamples, number))
        clusters = int((within_counts(drawn)[1] > 0).sum()) if place else dialogues
        low, high = cluster_interval(float(measure(drawn, drawn.once())[0]), values, clusters, 0.95)
        held += bool(low <= truths[place] <= high)
    return held / rounds


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
            f"no signal, {dialogues * _ITEMS} items: threshold of other dialogues {np.nanmean(outside):.3f}, "
            f"of the same {np.nanmean(inside):.3f}",
            flush=True,
        )


def _accuracy(items: Labelled, predicted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    counts: FloatArray = class_counts(items, predicted).sum(axis=0)[None, :]
    return float(balanced_accuracy(counts)[0])


if __name__ == "__main__":
    coverage()
    grid()
    accuracy_without_signal()
