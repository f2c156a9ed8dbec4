"""Who sees what, in which order. Pure functions of the seed: the same study gives every annotator the same work."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeVar

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one annotator reads at once: a dialogue (one role of it) and the items about it."""

    dialogue: int
    role: str
    items: tuple[int, ...]


def shuffled(things: Iterable[Thing], *key: object) -> list[Thing]:
    """The things in an order that depends on the key alone."""
    ordered = list(things)
    random.Random("|".join(map(str, key))).shuffle(ordered)
    return ordered


def share_out(
    bundles: Sequence[Bundle],
    annotators: Sequence[str],
    per_item: int | Literal["all"],
    seed: int,
    load: Mapping[str, int] | None = None,
) -> list[list[str]]:
    """For each bundle the annotators who get it.

    ``per_item`` of them, those with the fewest items so far (``load`` says what they already have), so that all end
    with the same number of items, plus or minus one bundle.
    """
    if per_item == "all":
        return [list(annotators) for _ in bundles]
    have = Counter(dict.fromkeys(annotators, 0))
    have.update(load or {})
    chosen = []
    for number, bundle in enumerate(bundles):
        ranked = sorted(shuffled(annotators, seed, "share", number), key=lambda name: have[name])
        takers = ranked[:per_item]
        chosen.append(sorted(takers, key=annotators.index))
        have.update(dict.fromkeys(takers, len(bundle.items)))
    return chosen


def choose_pairs(things: Sequence[int], wanted: int | None, *key: object) -> list[tuple[int, int]]:
    """All pairs, or ``wanted`` of them such that every thing takes part about equally often."""
    pairs = shuffled(combinations(things, 2), *key)
    if wanted is None or wanted >= len(pairs):
        return pairs
    taken: list[tuple[int, int]] = []
    count: Counter[int] = Counter()
    while len(taken) < wanted:
        best = min(pairs, key=lambda pair: count[pair[0]] + count[pair[1]])
        pairs.remove(best)
        taken.append(best)
        count.update(best)
    return taken


def choose_groups(things: Sequence[int], size: int, *key: object) -> list[tuple[int, ...]]:
    """Groups of ``size`` such that every thing is in two of them where there are more than one group's worth."""
    if len(things) <= size:
        return [tuple(things)]
    groups: list[tuple[int, ...]] = []
    for turn in range(2):
        order = shuffled(things, *key, turn)
        while order:
            group, order = order[:size], order[size:]
            # The last group is filled up with things of this turn's first groups.
            spare = [thing for thing in shuffled(things, *key, turn, "fill") if thing not in group]
            groups.append(tuple(group + spare[: size - len(group)]))
    return groups
