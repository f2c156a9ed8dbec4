"""Splits by name, what each of them does not show, and a check that nothing leaks across them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError, ParameterError
from dialgauge.registry import Registry

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Training rows and test rows."""

    name: str
    train: IntArray
    test: IntArray


#: From keys, the number of folds and a seed to folds.
Cut = Callable[[pl.DataFrame, int, int], list[Fold]]


@dataclass(frozen=True, slots=True)
class Split:
    """A rule for what is held out, declared.

    ``hides`` says what its scores do not show. ``apart`` names the key columns whose values are never on both sides.
    ``cut`` makes the folds that a metric is validated on, ``cut_inside`` those in few groups that its settings are
    selected on; both depend on the keys and the seed, not on the order of the rows.
    """

    name: str
    description: str
    hides: str
    apart: tuple[str, ...]
    cut: Cut
    cut_inside: Cut


SPLITS = Registry("split", Split, attrgetter("cut"), hint="")
find_split = SPLITS.find


def make_folds(split: str, keys: pl.DataFrame, *, folds: int = 5, seed: int = 0) -> list[Fold]:
    """The folds of a split over the rows of ``keys`` (``dialogue_id`` and ``system``).

    ``random``: one fold, a quarter of the rows held out. ``dialogues``: ``folds`` groups of dialogues. ``systems``:
    each system by itself if there are at most 20, otherwise ``folds`` groups. ``both``: groups of dialogues × systems,
    trained on the rows that share neither. The folds depend on the seed and the keys, not on the order of the rows.
    """
    chosen = find_split(split)
    if folds < 2:
        raise ParameterError("make_folds", "folds", "at least 2", folds)
    made = chosen.cut(keys, folds, seed)
    check_folds(split, keys, made)
    return made


def folds_inside(split: str, keys: pl.DataFrame, folds: int, seed: int) -> list[Fold]:
    """Folds of the same rule in few groups, for model selection within a fold."""
    chosen = find_split(split)
    for column in chosen.apart:
        if keys[column].n_unique() < 2:
            what = _named(column)
            raise InputError(
                f"split {split!r}: with one {what} held out only {keys[column][0]!r} is left, but settings are "
                "selected "
                f"by leaving out another {what}: use at least three of them, or another split"
            )
    return chosen.cut_inside(keys, folds, seed)


def check_folds(split: str, keys: pl.DataFrame, folds: Sequence[Fold]) -> None:
    """Reject folds that share what their split separates, that share rows, or that have an empty side."""
    apart = find_split(split).apart
    for fold in folds:
        if not len(fold.train) or not len(fold.test):
            raise InputError(f"split {split!r}, fold {fold.name}: no rows are left to {_side(fold)}")
        if len(np.intersect1d(fold.train, fold.test)):
            raise InputError(f"split {split!r}, fold {fold.name}: a summary is on both sides")
        for column in apart:
            values = keys[column].to_numpy()
            shared = np.intersect1d(values[fold.train], values[fold.test])
            if len(shared):
                raise InputError(
                    f"split {split!r}, fold {fold.name}: train and test share {len(shared)} {_named(column)}s "
                    f"(first: {shared[0]}); separate them, or use the split 'random'"
                )


def _named(column: str) -> str:
    return "dialogue" if column == "dialogue_id" else "system"


def _side(fold: Fold) -> str:
    return "train on" if not len(fold.train) else "test on"


def _random(keys: pl.DataFrame, folds: int, seed: int) -> list[Fold]:
    order = keys.with_row_index("row").sort(*(column for column in keys.columns))["row"].to_numpy().astype(np.int64)
    shuffled = order[np.random.default_rng([seed, 11]).permutation(len(order))]
    held = max(1, round(len(order) * 0.25))
    return [Fold("held-out quarter", np.sort(shuffled[held:]), np.sort(shuffled[:held]))]


def _random_inside(keys: pl.DataFrame, folds: int, seed: int) -> list[Fold]:
    rows = np.arange(keys.height)
    return _cut(rows, _shuffled_groups(rows, folds, seed))


def _dialogues(keys: pl.DataFrame, folds: int, seed: int) -> list[Fold]:
    dialogues = keys["dialogue_id"].to_numpy()
    return _cut(dialogues, _groups("dialogues", dialogues, folds, seed, folds))


def _systems(keys: pl.DataFrame, folds: int, seed: int, most_alone: int = 20) -> list[Fold]:
    systems = keys["system"].to_numpy()
    return _cut(systems, _groups("systems", systems, folds, seed, most_alone))


def _both(keys: pl.DataFrame, folds: int, seed: int, most_alone: int = 20) -> list[Fold]:
    dialogues, systems = keys["dialogue_id"].to_numpy(), keys["system"].to_numpy()
    dialogue_groups = _groups("dialogues", dialogues, folds, seed, folds)
    made = []
    for name, held_systems in _groups("systems", systems, folds, seed, most_alone).items():
        of_system = np.isin(systems, held_systems)
        for other, held_dialogues in dialogue_groups.items():
            of_dialogue = np.isin(dialogues, held_dialogues)
            test = np.flatnonzero(of_system & of_dialogue)
            if len(test):
                made.append(Fold(f"{name} × {other}", np.flatnonzero(~of_system & ~of_dialogue), test))
    return made


def _groups(what: str, values: NDArray[Any], folds: int, seed: int, singles: int) -> dict[str, NDArray[Any]]:
    names = np.unique(values)
    if len(names) < 2:
        raise InputError(
            f"leaving {what} out needs at least two of them; found {len(names)} ({', '.join(names)}): use another split"
        )
    if what == "systems" and len(names) <= singles:
        return {str(name): np.array([name], dtype=object) for name in names}
    return _shuffled_groups(names, min(folds, len(names)), seed, what)


def _shuffled_groups(names: NDArray[Any], folds: int, seed: int, what: str = "rows") -> dict[str, NDArray[Any]]:
    stream = {"rows": 12, "dialogues": 13, "systems": 14}[what]
    order = np.random.default_rng([seed, stream]).permutation(len(names))
    return {f"{what} {i + 1}": names[np.sort(part)] for i, part in enumerate(np.array_split(order, folds))}


def _cut(values: NDArray[Any], groups: Mapping[str, NDArray[Any]]) -> list[Fold]:
    made = []
    for name, members in groups.items():
        held = np.isin(values, members)
        made.append(Fold(name, np.flatnonzero(~held), np.flatnonzero(held)))
    return made


SPLITS.add(
    Split(
        "random",
        "A quarter of the summaries is held out.",
        "Summaries of the same dialogue, and of the same system, are on both sides: the scores show how well the "
        "metric fills gaps in these ratings, and are too optimistic for new dialogues or new systems.",
        (),
        _random,
        _random_inside,
    ),
    Split(
        "dialogues",
        "Dialogues are held out, a group at a time.",
        "Every system is on both sides: the scores show how well the metric works on new dialogues of known "
        "systems, not on a new system.",
        ("dialogue_id",),
        _dialogues,
        _dialogues,
    ),
    Split(
        "systems",
        "Systems are held out, one at a time if there are at most 20.",
        "Every dialogue is on both sides, summarised by other systems: the scores show how well the metric works on a "
        "new system, not on new dialogues ('both' holds out both at once).",
        ("system",),
        _systems,
        lambda keys, folds, seed: _systems(keys, folds, seed, folds),
    ),
    Split(
        "both",
        "Dialogues and systems are held out together.",
        "Nothing of the held-out dialogues or systems is in training; the annotators are the same.",
        ("dialogue_id", "system"),
        _both,
        lambda keys, folds, seed: _both(keys, folds, seed, folds),
    ),
)
