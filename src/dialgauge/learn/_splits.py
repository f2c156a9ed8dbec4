"""Splits by name, what each of them hides, and the guard that nothing crosses them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.learn._settings import Split

SPLITS: tuple[Split, ...] = get_args(Split)
IntArray = NDArray[np.int64]

#: What the scores of each split do not tell.
HIDES: Mapping[str, str] = {
    "random": "Summaries of the same dialogue, and of the same system, are on both sides: the scores say how well the "
    "metric fills gaps in these ratings, and are too good for new dialogues or new systems.",
    "dialogues": "Every system is on both sides: the scores say how the metric does on new dialogues of systems that "
    "it knows, not on a new system.",
    "systems": "Every dialogue is on both sides, summarised by other systems: the scores say how the metric does on a "
    "new system, not on new dialogues ('both' holds out the two at once).",
    "both": "Nothing of the held-out dialogues or systems is in training; the annotators are the same.",
}
#: What must not be on both sides.
_APART: Mapping[str, tuple[str, ...]] = {
    "random": (),
    "dialogues": ("dialogue_id",),
    "systems": ("system",),
    "both": ("dialogue_id", "system"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Rows to learn from and rows to be judged on."""

    name: str
    train: IntArray
    test: IntArray


def make_folds(split: str, keys: pl.DataFrame, *, folds: int = 5, seed: int = 0) -> list[Fold]:
    """The folds of a split over the rows of ``keys`` (``dialogue_id`` and ``system``).

    ``random``: one fold, a quarter of the rows held out. ``dialogues``: ``folds`` groups of dialogues. ``systems``:
    each system by itself where there are at most 20, else ``folds`` groups. ``both``: groups of dialogues × systems,
    trained on the rows that share neither. The folds depend on the seed and the keys, not on the order of the rows.
    """
    if split not in SPLITS:
        raise UnknownNameError("split", split, SPLITS)
    if folds < 2:
        raise ParameterError("make_folds", "folds", "at least 2", folds)
    made = _random(keys, seed) if split == "random" else _grouped(split, keys, folds, seed)
    check_folds(split, keys, made)
    return made


def folds_inside(split: str, keys: pl.DataFrame, folds: int, seed: int) -> list[Fold]:
    """Folds of the same rule in few groups, for the choices that are made inside a fold."""
    for column in _APART[split]:
        if keys[column].n_unique() < 2:
            what = _named(column)
            raise InputError(
                f"split {split!r}: with one {what} held out only {keys[column][0]!r} is left, and settings are chosen "
                f"by leaving out another {what}: take at least three of them, or another split"
            )
    if split == "random":
        return _cut(np.arange(keys.height), _shuffled_groups(np.arange(keys.height), folds, seed))
    return _grouped(split, keys, folds, seed, most_systems=folds)


def check_folds(split: str, keys: pl.DataFrame, folds: Sequence[Fold]) -> None:
    """Refuse folds that share what their split keeps apart, that share rows, or that have an empty side."""
    if split not in SPLITS:
        raise UnknownNameError("split", split, SPLITS)
    for fold in folds:
        if not len(fold.train) or not len(fold.test):
            raise InputError(f"split {split!r}, fold {fold.name}: nothing is left to {_side(fold)}")
        if len(np.intersect1d(fold.train, fold.test)):
            raise InputError(f"split {split!r}, fold {fold.name}: a summary is on both sides")
        for column in _APART[split]:
            values = keys[column].to_numpy()
            shared = np.intersect1d(values[fold.train], values[fold.test])
            if len(shared):
                raise InputError(
                    f"split {split!r}, fold {fold.name}: train and test share {len(shared)} {_named(column)}s "
                    f"(first: {shared[0]}); keep them apart, or ask for the split 'random' by name"
                )


def _named(column: str) -> str:
    return "dialogue" if column == "dialogue_id" else "system"


def _side(fold: Fold) -> str:
    return "train on" if not len(fold.train) else "test on"


def _random(keys: pl.DataFrame, seed: int) -> list[Fold]:
    order = keys.with_row_index("row").sort(*(column for column in keys.columns))["row"].to_numpy().astype(np.int64)
    shuffled = order[np.random.default_rng([seed, 11]).permutation(len(order))]
    held = max(1, round(len(order) * 0.25))
    return [Fold("held-out quarter", np.sort(shuffled[held:]), np.sort(shuffled[:held]))]


def _grouped(split: str, keys: pl.DataFrame, folds: int, seed: int, most_systems: int = 20) -> list[Fold]:
    dialogues, systems = keys["dialogue_id"].to_numpy(), keys["system"].to_numpy()
    dialogue_groups = _groups("dialogues", dialogues, folds, seed, folds)
    if split == "dialogues":
        return _cut(dialogues, dialogue_groups)
    system_groups = _groups("systems", systems, folds, seed, most_systems)
    if split == "systems":
        return _cut(systems, system_groups)
    made = []
    for name, held_systems in system_groups.items():
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
            f"leaving {what} out needs at least two of them; there is {len(names)} ({', '.join(names)}): "
            "take another split"
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
