"""Original and reproduction compared: how far apart the results of studies of the same systems are."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.metaeval import correlation
from dialgauge.ratings import krippendorff_alpha
from dialgauge.reproduce._cv import cv_star
from dialgauge.reproduce._intervals import cv_star_range, spearman_range
from dialgauge.reproduce._studies import CELL, OVERALL_DIMENSION, StudyResults

CELLS = pl.Schema(
    [
        ("studies", pl.String),
        ("dimension", pl.String),
        ("role", pl.String),
        ("system", pl.String),
        ("values", pl.List(pl.Float64)),
        ("mean", pl.Float64),
        ("cv_star", pl.Float64),
        ("low", pl.Float64),
        ("high", pl.Float64),
        ("note", pl.String),
    ]
)
SPREAD = pl.Schema(
    {
        "studies": pl.String,
        "dimension": pl.String,
        "role": pl.String,
        "cells": pl.Int64,
        "mean": pl.Float64,
        "median": pl.Float64,
        "largest": pl.Float64,
    }
)
CORRELATIONS = pl.Schema(
    {
        "study": pl.String,
        "dimension": pl.String,
        "role": pl.String,
        "systems": pl.Int64,
        "pearson": pl.Float64,
        "spearman": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "open": pl.Boolean,
        "sign_open": pl.Boolean,
        "kept": pl.Int64,
        "reversed": pl.Int64,
        "tied": pl.Int64,
        "note": pl.String,
    }
)
CONCORDANCE = pl.Schema(
    {
        "dimension": pl.String,
        "role": pl.String,
        "studies": pl.Int64,
        "systems": pl.Int64,
        "kendall_w": pl.Float64,
        "w_note": pl.String,
        "items": pl.Int64,
        "alpha": pl.Float64,
        "alpha_note": pl.String,
    }
)
RANKS = pl.Schema(
    [("dimension", pl.String), ("role", pl.String), ("system", pl.String), ("ranks", pl.List(pl.Float64))]
)


@dataclass(frozen=True, slots=True)
class Shift:
    """Where the scale of a dimension begins, which is subtracted before CV*."""

    dimension: str
    lowest: float
    scale: str | None

    @property
    def assumed(self) -> bool:
        """Whether the start is assumed to be 0 because no scale is named."""
        return self.scale is None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two or more studies of the same systems. The first study is the original.

    - ``cells``: CV* of each cell among the ``studies`` named (all of them, the original with each reproduction, the
      reproductions among themselves), with the range ``low``–``high`` that rounding leaves.
    - ``spread``: mean, median and largest CV* by dimension and role; null dimension and role: of all cells.
    - ``correlations``: each reproduction with the original over the systems of a dimension and role. ``low`` and
      ``high`` bound Spearman's ρ within rounding, ``open`` says that these differ, ``sign_open`` that not even the sign
      is known. ``kept``, ``reversed`` and ``tied`` count the pairs of systems by the change of their order.
    - ``concordance``: Kendall's W of the systems' ranks, and Krippendorff's α with studies as annotators where they
      rated the same summaries.
    - ``ranks``: the rank of each system in each study, 1 for the best.

    What not all studies have is in ``left_out``, in words.
    """

    studies: tuple[StudyResults, ...]
    shifts: tuple[Shift, ...]
    cells: pl.DataFrame
    spread: pl.DataFrame
    correlations: pl.DataFrame
    concordance: pl.DataFrame
    ranks: pl.DataFrame
    left_out: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The studies' names, the original first."""
        return tuple(study.name for study in self.studies)

    @property
    def groups(self) -> list[str]:
        """The groups of studies that CV* was computed for, the first over all studies."""
        return self.cells["studies"].unique(maintain_order=True).to_list()

    @property
    def computed_dimensions(self) -> list[str]:
        """The dimension "overall" where a study has it as the mean of the others, and it was not rated there."""
        adds = any(study.adds_overall for study in self.studies)
        return [shift.dimension for shift in self.shifts if adds and shift.dimension == OVERALL_DIMENSION]


def compare(studies: Sequence[StudyResults]) -> Comparison:
    """Compare studies of the same systems; the first is the original. They must share systems, dimensions and roles.

    Cells that a study lacks are left out and named. Studies on different scales are refused (normalise them), as are
    values below the start of their scale.
    """
    _check_studies(studies)
    cells, left_out = _shared_cells(studies)
    shifts = {dimension: _shift(studies, dimension) for dimension in dict.fromkeys(cell[0] for cell in cells)}
    table = _Table(studies, cells)
    frame = pl.DataFrame(list(_cells(table, shifts)), schema=CELLS)
    return Comparison(
        tuple(studies),
        tuple(shifts.values()),
        frame,
        _spread(frame),
        pl.DataFrame(list(_correlations(table)), schema=CORRELATIONS),
        pl.DataFrame(list(_concordance(table)), schema=CONCORDANCE),
        pl.DataFrame(list(_ranks(table)), schema=RANKS),
        tuple(left_out),
    )


class _Table:
    """The values of the shared cells, study by study."""

    def __init__(self, studies: Sequence[StudyResults], cells: Sequence[tuple[str, str, str]]) -> None:
        self.studies, self.cells = studies, cells
        # Equal means differ in the last bits when they are summed in another order: ties must stay ties.
        self._values = [{cell: round(value, 12) for cell, value in study.values().items()} for study in studies]
        self._widths = [
            {(row[0], row[1], row[2]): row[3] for row in study.frame.select(*CELL, "half_width").iter_rows()}
            for study in studies
        ]

    def values(self, cell: tuple[str, str, str], group: Sequence[int]) -> list[float]:
        return [self._values[i][cell] for i in group]

    def half_widths(self, cell: tuple[str, str, str], group: Sequence[int]) -> list[float]:
        return [self._widths[i][cell] for i in group]

    def groups(self) -> dict[str, list[int]]:
        names = [study.name for study in self.studies]
        pairs = {f"{names[0]} vs {name}": [0, i] for i, name in enumerate(names[1:], start=1)}
        if len(names) == 2:
            return pairs
        return {"all studies": list(range(len(names))), **pairs, "reproductions": list(range(1, len(names)))}

    def blocks(self) -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
        """The cells by dimension and role."""
        for dimension, role in dict.fromkeys((cell[0], cell[1]) for cell in self.cells):
            yield dimension, role, [cell for cell in self.cells if cell[:2] == (dimension, role)]


def _check_studies(studies: Sequence[StudyResults]) -> None:
    if len(studies) < 2:
        raise InputError(f"a comparison needs at least two studies; got {len(studies)}")
    names = [study.name for study in studies]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two studies are called {name!r}; give them different names")


def _shared_cells(studies: Sequence[StudyResults]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The cells that all studies have, in the order of the original, and what is left out, in words."""
    left_out = []
    absent: dict[str, dict[str, None]] = {}
    for what in ("system", "dimension", "role"):
        lists: list[list[str]] = [getattr(study, f"{what}s") for study in studies]
        shared = set(lists[0]).intersection(*lists[1:])
        if not shared:
            found = "; ".join(f"{s.name}: {', '.join(names)}" for s, names in zip(studies, lists, strict=True))
            raise InputError(f"the studies share no {what}, so there is nothing to compare ({found})")
        absent[what] = dict.fromkeys(name for names in lists for name in names if name not in shared)
        for name in absent[what]:
            where = [s.name for s, names in zip(studies, lists, strict=True) if name not in names]
            left_out.append(f"{what} {name}: not in {', '.join(where)}")
    known = [study.values() for study in studies]
    first = studies[0]
    shared_cells = [
        (dimension, role, system)
        for dimension in first.dimensions
        for role in first.roles
        for system in first.systems
        if all((dimension, role, system) in values for values in known)
    ]
    if not shared_cells:
        raise InputError("the studies have no cell (dimension, role and system) in common")
    for cell in dict.fromkeys(cell for values in known for cell in values):
        lacking = [study.name for study, values in zip(studies, known, strict=True) if cell not in values]
        # A dimension, a role and a system may bear the same name, such as "overall".
        if lacking and not any(name in absent[what] for what, name in zip(CELL, cell, strict=True)):
            left_out.append(f"{' / '.join(cell)}: no value in {', '.join(lacking)}")
    return shared_cells, left_out


def _shift(studies: Sequence[StudyResults], dimension: str) -> Shift:
    scales = {study.name: study.scale(dimension) for study in studies}
    named = {name: scale for name, scale in scales.items() if scale is not None}
    if len({(scale.minimum, scale.maximum) for scale in named.values()}) > 1:
        listed = ", ".join(f"{name}: {scale.name}" for name, scale in named.items())
        raise InputError(
            f"dimension {dimension!r} is on different scales ({listed}); normalise them to 0–1 (--normalise, or "
            "normalise = true in a study file)"
        )
    scale = next(iter(named.values()), None)
    lowest = 0.0 if scale is None else float(scale.minimum)
    for study in studies:
        below = study.frame.filter(
            (pl.col("dimension") == dimension) & (pl.col("value") < lowest - pl.col("half_width"))
        )
        if below.height:
            row = below.row(0, named=True)
            key = " / ".join(row[column] for column in CELL)
            raise InputError(
                f"study {study.name!r}: {key} is {row['value']:g}, below {lowest:g}, where "
                + ("a scale begins unless it is named" if scale is None else f"the scale {scale.name} begins")
                + '; give the scale of the values (--scale=-100-100, or scale = "-100-100" in a study file)'
            )
    return Shift(dimension, lowest, None if scale is None else scale.name)


def _cells(table: _Table, shifts: dict[str, Shift]) -> Iterator[dict[str, object]]:
    for label, group in table.groups().items():
        if len(group) < 2:
            continue
        for cell in table.cells:
            values, lowest = table.values(cell, group), shifts[cell[0]].lowest
            row: dict[str, object] = {"studies": label, **dict(zip(CELL, cell, strict=True)), "values": values}
            # Rounding can print a value just below the end of the scale: it stands for the end.
            values = [max(value, lowest) for value in values]
            if max(values) == lowest:
                yield row | {"mean": lowest, "note": f"all at {lowest:g}, the lowest point: CV* would divide by 0"}
                continue
            spread = cv_star_range(values, table.half_widths(cell, group), lowest=lowest)
            variation = cv_star(values, lowest=lowest)
            yield row | {
                "mean": variation.mean + lowest,
                "cv_star": variation.cv_star,
                "low": spread.low,
                "high": spread.high,
            }


def _spread(cells: pl.DataFrame) -> pl.DataFrame:
    known = cells.drop_nulls("cv_star")
    rows = []
    for (group,), part in known.group_by("studies", maintain_order=True):
        blocks = [((None, None), part), *part.group_by("dimension", "role", maintain_order=True)]
        for (dimension, role), block in blocks:
            values = block["cv_star"].to_list()
            rows.append((group, dimension, role, len(values), fmean(values), median(values), max(values)))
    return pl.DataFrame(rows, schema=SPREAD, orient="row")


def _correlations(table: _Table) -> Iterator[dict[str, object]]:
    for i, study in enumerate(table.studies[1:], start=1):
        for dimension, role, cells in table.blocks():
            pairs = [table.values(cell, (0, i)) for cell in cells]
            first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            widths = table.half_widths(cells[0], (0, i))
            yield {
                "study": study.name,
                "dimension": dimension,
                "role": role,
                "systems": len(cells),
                **_correlate(first, second, (widths[0] > 0, widths[1] > 0)),
                **_order(first, second),
            }


def _correlate(first: list[float], second: list[float], rounded: tuple[bool, bool]) -> dict[str, object]:
    if len(first) < 3:
        systems = "one system" if len(first) == 1 else "two systems"
        return {"note": f"{systems}: a correlation needs three"}
    columns = [[value] for value in first], [[value] for value in second]
    pearson, spearman = (correlation(*columns, "system", name) for name in ("pearson", "spearman"))
    span = spearman_range(first, second, rounded)
    note = "" if math.isfinite(spearman) else "all systems are equal in one study"
    if not math.isfinite(span.low):
        return {"note": note}
    return {
        "pearson": pearson if math.isfinite(pearson) else None,
        "spearman": spearman if math.isfinite(spearman) else None,
        "low": span.low,
        "high": span.high,
        "open": not span.is_point(),
        "sign_open": not span.has_one_sign(),
        "note": note,
    }


def _order(first: list[float], second: list[float]) -> dict[str, int]:
    """Whether each pair of systems keeps its order; a pair that is equal in either study is tied."""
    signs = [
        np.sign(first[a] - first[b]) * np.sign(second[a] - second[b])
        for a in range(len(first))
        for b in range(a + 1, len(first))
    ]
    return {"kept": signs.count(1), "reversed": signs.count(-1), "tied": signs.count(0)}


def _ranks(table: _Table) -> Iterator[dict[str, object]]:
    every = range(len(table.studies))
    for dimension, role, cells in table.blocks():
        ranks = _rank_matrix(np.array([table.values(cell, every) for cell in cells]))
        for cell, row in zip(cells, ranks.tolist(), strict=True):
            yield {"dimension": dimension, "role": role, "system": cell[2], "ranks": row}


def _rank_matrix(values: np.ndarray) -> np.ndarray:
    """Average ranks within each column, 1 for the highest value."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=0))


def _concordance(table: _Table) -> Iterator[dict[str, object]]:
    every = range(len(table.studies))
    for dimension, role, cells in table.blocks():
        w, w_note = kendall_w(np.array([table.values(cell, every) for cell in cells]))
        items, alpha, alpha_note = _alpha(table.studies, dimension, role)
        yield {
            "dimension": dimension,
            "role": role,
            "studies": len(table.studies),
            "systems": len(cells),
            "kendall_w": w,
            "w_note": w_note,
            "items": items,
            "alpha": alpha,
            "alpha_note": alpha_note,
        }


def kendall_w(values: np.ndarray) -> tuple[float | None, str]:
    """Kendall's W of a matrix of systems × studies, corrected for ties: 1 where all studies rank alike, 0 for none.

    Gives (None, reason) where it is undefined.
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
    most = (m**2 * (n**3 - n) - m * ties) / 12
    return (None, "all systems are equal in every study") if most == 0 else (spread / most, "")


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
