"""Oracles written the slow way, and keyed frames from matrices."""

import numpy as np
import polars as pl
from scipy import stats

ORACLES = {
    "pearson": lambda x, z: stats.pearsonr(x, z)[0],
    "spearman": lambda x, z: stats.spearmanr(x, z)[0],
    "kendall": lambda x, z: stats.kendalltau(x, z)[0],
}


def slow_correlation(x: np.ndarray, z: np.ndarray, level: str, coefficient: str) -> float:
    """One coefficient by the book, with scipy and loops; NaN marks a missing cell."""
    oracle = ORACLES[coefficient]
    present = ~(np.isnan(x) | np.isnan(z))
    if level == "system":
        rows = present.any(axis=1)
        means = [[row[keep].mean() for row, keep in zip(a[rows], present[rows], strict=True)] for a in (x, z)]
        # For ranks, means that are equal have to be equal in floating point, too.
        return oracle(*(means if coefficient == "pearson" else np.round(means, 10)))
    if level == "global":
        return oracle(x[present], z[present])
    values = []
    for j in range(x.shape[1]):
        a, b = x[present[:, j], j], z[present[:, j], j]
        if len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0:
            values.append(oracle(a, b))
    return float(np.mean(values)) if values else float("nan")


def frame_of(matrices: dict[str, np.ndarray], *, seed: int | None = None) -> pl.DataFrame:
    """Matrices (systems × dialogues) as a keyed frame; with a seed, in shuffled row order."""
    m, n = next(iter(matrices.values())).shape
    frame = pl.DataFrame(
        {
            "dialogue_id": [f"d{j:03}" for _ in range(m) for j in range(n)],
            "system": [f"s{i:02}" for i in range(m) for _ in range(n)],
            "variant": "original",
            "role": "overall",
            **{name: pl.Series(matrix.ravel(), nan_to_null=True) for name, matrix in matrices.items()},
        }
    )
    return frame if seed is None else frame.sample(fraction=1, shuffle=True, seed=seed)
