"""Ratings, where a corpus has them, decide how much the parts of a checker count; systems are held out in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.checker._combination import Combination, Scale
from dialgauge.corpus import KEY, Corpus

#: With fewer rated summaries of held-out dialogues, or of fewer systems, the usual weights stay.
_FEWEST_SUMMARIES, _FEWEST_SYSTEMS = 20, 3
#: The usual weights count as much as this many summaries.
_USUAL = 20.0
_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Rated:
    """A summary of a held-out dialogue, its parts, and its mean rating."""

    dialogue: str
    system: str
    text: str
    rating: float


def rated_summaries(corpus: Corpus, dimension: str, dialogues: Sequence[str]) -> list[Rated]:
    """The rated summaries of these dialogues."""
    wanted = (pl.col("dimension") == dimension) & pl.col("dialogue_id").is_in(list(dialogues))
    means = corpus.ratings.filter(wanted).group_by(KEY, maintain_order=True).agg(pl.col("value").mean())
    rows = corpus.summaries.join(means.drop_nulls("value"), on=list(KEY), how="inner", maintain_order="left")
    return [
        Rated(row["dialogue_id"], row["system"], " ".join(row["text"].split()), float(row["value"]))
        for row in rows.iter_rows(named=True)
        if row["text"].strip()
    ]


def fit_to_ratings(
    combination: Combination, rated: Sequence[Rated], parts: Sequence[Mapping[str, float]]
) -> tuple[Combination, dict[str, Any]]:
    """The combination with weights that fit the ratings, if that predicts systems better that were left out.

    Weights are never negative and stay near the usual ones where few summaries are rated. Also says what was found.
    """
    systems = sorted({one.system for one in rated})
    found: dict[str, Any] = {"summaries": len(rated), "systems": len(systems), "used": False}
    ratings = np.array([one.rating for one in rated], dtype=np.float64)
    if len(rated) < _FEWEST_SUMMARIES or len(systems) < _FEWEST_SYSTEMS or ratings.std() == 0:
        return combination, found
    names = list(combination.parts)
    scales = [combination.parts[name] for name in names]
    design = np.array([[(p[n] - s.centre) / s.spread for n, s in zip(names, scales, strict=True)] for p in parts])
    usual = np.array([scale.weight for scale in scales])
    wanted = (ratings - ratings.mean()) / ratings.std()
    predicted = np.zeros(len(rated))
    for system in systems:
        out = np.array([one.system == system for one in rated])
        predicted[out] = design[out] @ _fitted(design[~out], wanted[~out], usual)
    fitted = _fitted(design, wanted, usual)
    found |= {"r": _correlation(predicted, wanted), "r_usual": _correlation(design @ usual, wanted)}
    if not fitted.max() > 0 or not found["r"] > found["r_usual"]:
        return combination, found
    weights = fitted / fitted.max()
    chosen = {
        name: Scale(scale.centre, scale.spread, round(float(weight), 4))
        for name, scale, weight in zip(names, scales, weights, strict=True)
    }
    return Combination(chosen, combination.slope, combination.intercept), found | {"used": True}


def _fitted(design: FloatArray, wanted: FloatArray, usual: FloatArray) -> FloatArray:
    """Weights of at least 0 by least squares, drawn to the usual ones (coordinate descent)."""
    centred, target = design - design.mean(axis=0), wanted - wanted.mean()
    total = centred @ usual
    usual = usual * max(float(total @ target) / max(float(total @ total), 1e-12), 0.0)
    weights = usual.copy()
    squares = (centred**2).sum(axis=0) + _USUAL
    for _ in range(_ROUNDS):
        for place in range(len(weights)):
            rest = target - centred @ weights + centred[:, place] * weights[place]
            weights[place] = max((centred[:, place] @ rest + _USUAL * usual[place]) / squares[place], 0.0)
    return weights


def _correlation(first: FloatArray, second: FloatArray) -> float:
    if first.std() == 0 or second.std() == 0:
        return 0.0
    return round(float(np.corrcoef(first, second)[0, 1]), 4)
