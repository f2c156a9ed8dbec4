"""All studies together: Kendall's W of the ranks of systems, and α over studies on the same summaries."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.ratings import krippendorff_alpha
from dialgauge.reproduce._sampling import SampledCells, percentiles
from dialgauge.reproduce._shared import SharedCells
from dialgauge.reproduce._studies import StudyResults

CONCORDANCE = pl.Schema(
    {
        "dimension": pl.String,
        "role": pl.String,
        "studies": pl.Int64,
        "systems": pl.Int64,
        "kendall_w": pl.Float64,
        "w_low": pl.Float64,
        "w_high": pl.Float64,
        "w_without_ties": pl.Float64,
        "w_note": pl.String,
        "items": pl.Int64,
        "alpha": pl.Float64,
        "alpha_note": pl.String,
    }
)
RANKS = pl.Schema(
    [("dimension", pl.String), ("role", pl.String), ("system", pl.String), ("ranks", pl.List(pl.Float64))]
)


def all_ranks(table: SharedCells) -> Iterator[dict[str, object]]:
    every = range(len(table.studies))
    for dimension, role, cells in table.blocks():
        ranks = _rank_matrix(np.array([table.values(cell, every) for cell in cells]))
        for cell, row in zip(cells, ranks.tolist(), strict=True):
            yield {"dimension": dimension, "role": role, "system": cell[2], "ranks": row}


def _rank_matrix(values: np.ndarray) -> np.ndarray:
    """Average ranks within each column, 1 for the highest value."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=0))


def concordance(table: SharedCells, sampled: SampledCells | None) -> Iterator[dict[str, object]]:
    every = range(len(table.studies))
    for dimension, role, cells in table.blocks():
        values = np.array([table.values(cell, every) for cell in cells])
        w, w_note = kendall_w(values)
        low, high = (None, None) if sampled is None or w is None else _sampled_w(sampled, cells)
        items, alpha, alpha_note = _alpha(table.studies, dimension, role)
        yield {
            "dimension": dimension,
            "role": role,
            "studies": len(table.studies),
            "systems": len(cells),
            "kendall_w": w,
            "w_low": low,
            "w_high": high,
            "w_without_ties": kendall_w(values, correct_ties=False)[0],
            "w_note": w_note,
            "items": items,
            "alpha": alpha,
            "alpha_note": alpha_note,
        }


def _sampled_w(sampled: SampledCells, cells: list[tuple[str, str, str]]) -> tuple[float | None, float | None]:
    from scipy.stats import rankdata

    drawn = np.stack([sampled.values(cells, study) for study in range(sampled.studies)], axis=2)
    _, n, m = drawn.shape
    totals = rankdata(drawn, axis=1).sum(axis=2)
    spread = ((totals - totals.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Σ t³ − t over ties of t values is Σ t² − 1 over the values themselves.
    equal = (drawn[:, :, None, :] == drawn[:, None, :, :]).sum(axis=2)
    ties = (equal**2 - 1).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return percentiles(12 * spread / (m**2 * (n**3 - n) - m * ties), sampled.confidence)


def kendall_w(values: np.ndarray, *, correct_ties: bool = True) -> tuple[float | None, str]:
    """Kendall's W of a matrix of systems × studies: 1 where all studies rank alike, 0 where the ranks cancel out.

    Equal values share the mean of their ranks, so that ties lower the largest sum of squares that can be reached; with
    ``correct_ties`` W is a share of that, without of what is reached without ties (so W of identical studies with ties
    is below 1). Gives (None, reason) where it is undefined.
    """
    n, m = values.shape
    if n < 2:
        return None, "one system cannot be ranked"
    ranks = _rank_matrix(values)
    totals = ranks.sum(axis=1)
    spread = float(((totals - totals.mean()) ** 2).sum())
    ties = 0
    for column in ranks.T:
        _, counts = np.unique(column, return_counts=True)
        ties += int((counts**3 - counts).sum())
    if m**2 * (n**3 - n) == m * ties:
        return None, "all systems are equal in every study"
    most = (m**2 * (n**3 - n) - m * ties * correct_ties) / 12
    return spread / most, ""


def _alpha(studies: Sequence[StudyResults], dimension: str, role: str) -> tuple[int | None, float | None, str]:
    """Krippendorff's α (interval) of the values per summary, with studies as annotators, on what all of them rated.

    Of several settings of one study only the first counts: settings share their ratings and would agree by design.
    """
    labs = list({study.setting_of or study.name: study for study in reversed(studies)}.values())[::-1]
    if len(labs) < 2:
        return None, None, "all results are settings of one study"
    key = [column for column in KEY if column != "role"]
    shared: pl.DataFrame | None = None
    for study in labs:
        if study.summaries is None:
            return None, None, f"{study.name} has no ratings"
        part = study.summaries.filter((pl.col("dimension") == dimension) & (pl.col("role") == role))
        part = part.select(*key, pl.col("value").alias(f"value of {study.name}"))
        shared = part if shared is None else shared.join(part, on=key, how="inner")
    assert shared is not None
    if shared.is_empty():
        return 0, None, "no summary was rated in all studies"
    alpha = krippendorff_alpha(shared.drop(key).to_numpy(), level="interval")
    return shared.height, alpha.value, alpha.reason or ""
