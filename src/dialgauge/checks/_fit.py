"""Learn the weights of the checks: who-did-what from references alone, the rest from right and wrong summaries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialgauge.checks._attribution import attribute
from dialgauge.checks._check import PARSER, VECTORS
from dialgauge.checks._compare import compare
from dialgauge.checks._source import prepare, turns_of
from dialgauge.checks._weights import FEATURES, Weights, default_weights
from dialgauge.corpus import Dialogue, Turn

Array = NDArray[np.float64]
#: Checks that are shown and not weighed: they rank rule-made errors well and everything else badly.
UNWEIGHED = ("word_absent", "value_elsewhere")


def attribution_features(
    pairs: Iterable[tuple[Dialogue | Sequence[Turn] | str, str]], *, parser: str = PARSER, vectors: str = VECTORS
) -> Array:
    """A row for each clause of these right summaries whose subject is a speaker."""
    rows = []
    for dialogue, summary in pairs:
        compared = compare(summary, prepare(turns_of(dialogue), vectors), parser, vectors)
        for clause in compared.claims.clauses:
            found = attribute(clause, compared.matches(clause.words), compared.source) if clause.words else None
            if found is not None:
                rows.append(found.features)
    return np.array(rows).reshape(len(rows), -1)


def fit_attribution(features: Array, *, ridge: float = 1.0, start: Weights | None = None) -> Weights:
    """Weights of who did what, from the clauses of right summaries.

    Swapping the subject of a clause with the other speaker turns every sign: each row is its own counterexample, and
    the regression has no intercept.
    """
    weights = _minimise(features, np.ones(len(features)), np.ones(len(features)), ridge, bounded=0)
    return replace(start or default_weights(), attribution=weights)


def fit_weights(
    features: Sequence[Mapping[str, float]],
    right: ArrayLike,
    counts: ArrayLike,
    *,
    ridge: float = 1.0,
    without: Sequence[str] = UNWEIGHED,
    start: Weights | None = None,
) -> Weights:
    """Weights of the checks from right (1) and wrong (0) summaries, each counted ``counts`` times.

    No weight may be positive. Both classes get the same total, so that probabilities are those of balanced classes.
    """
    labels, weight = np.asarray(right, dtype=np.float64), np.asarray(counts, dtype=np.float64).copy()
    for label in (0.0, 1.0):
        weight[labels == label] *= len(labels) / 2 / weight[labels == label].sum()
    names = [name for name in FEATURES if name.partition(":")[0] not in without]
    matrix = np.array([[one.get(name, 0.0) for name in names] + [1.0] for one in features])
    found = _minimise(matrix, labels, weight, ridge, bounded=len(names))
    kept = {name: round(float(value), 4) for name, value in zip(names, found, strict=False) if value < -5e-4}
    return replace(start or default_weights(), intercept=round(float(found[-1]), 4), features=kept)


def _minimise(matrix: Array, labels: Array, weight: Array, ridge: float, *, bounded: int) -> Array:
    """Logistic regression; the first ``bounded`` weights are at most 0 and shrunk."""
    from scipy.optimize import minimize

    signs = 2 * labels - 1
    size = matrix.shape[1]
    shrunk = np.ones(size) if not bounded else np.r_[np.ones(bounded), np.zeros(size - bounded)]

    def loss(weights: Array) -> tuple[float, Array]:
        margins = signs * (matrix @ weights)
        value = float(weight @ np.logaddexp(0, -margins)) + ridge / 2 * float(shrunk @ weights**2)
        slope = matrix.T @ (-weight * signs / (1 + np.exp(np.clip(margins, -500, 500)))) + ridge * shrunk * weights
        return value, slope

    limits = [(None, 0.0)] * bounded + [(None, None)] * (size - bounded)
    result: Array = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", bounds=limits).x
    return result
