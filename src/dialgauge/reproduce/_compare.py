"""Original and reproduction compared: how far apart the results of studies of the same systems are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np
import polars as pl

from dialgauge.reproduce._concordance import CONCORDANCE, RANKS, all_ranks, concordance
from dialgauge.reproduce._cv import cv_star
from dialgauge.reproduce._intervals import cv_star_range
from dialgauge.reproduce._orders import CORRELATIONS, all_correlations
from dialgauge.reproduce._sampling import SampledCells, percentiles, row_cv_star, sample_cells
from dialgauge.reproduce._settings import ComparisonSettings
from dialgauge.reproduce._shared import SharedCells, Shift, check_studies, shared_cells, shift_of, study_groups
from dialgauge.reproduce._studies import CELL, OVERALL_DIMENSION, StudyResults
from dialgauge.settings import takes

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
        ("interval_low", pl.Float64),
        ("interval_high", pl.Float64),
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two or more studies of the same systems. The first study is the original.

    - ``cells``: CV* of each cell among the ``studies`` named (all of them, the original with each reproduction, the
      reproductions among themselves), with the range ``low``–``high`` that rounding leaves.
    - ``spread``: mean, median and largest CV* by dimension and role; null dimension and role: of all cells.
    - ``correlations``: each reproduction with the original over the systems of a dimension and role. ``low`` and
      ``high`` bound Spearman's ρ within rounding, ``open`` says that these differ, ``sign_open`` that not even the sign
      is known. ``kept``, ``reversed`` and ``tied`` count the pairs of systems by the change of their order.
    - ``concordance``: Kendall's W of the systems' ranks, with (``kendall_w``) and without correction for ties, and
      Krippendorff's α with studies as annotators where they rated the same summaries.
    - ``all_pairs``: the correlations of each study with each ``other`` one.
    - ``ranks``: the rank of each system in each study, 1 for the best.

    Where all studies have ratings, ``interval_low``, ``pearson_low``, ``spearman_low``, ``w_low`` and their other ends
    are percentiles over drawn dialogues. What not all studies have is in ``left_out``, in words.
    """

    studies: tuple[StudyResults, ...]
    shifts: tuple[Shift, ...]
    cells: pl.DataFrame
    spread: pl.DataFrame
    correlations: pl.DataFrame
    concordance: pl.DataFrame
    ranks: pl.DataFrame
    left_out: tuple[str, ...]
    all_pairs: pl.DataFrame
    settings: ComparisonSettings

    @property
    def names(self) -> tuple[str, ...]:
        """The studies' names, the original first."""
        return tuple(study.name for study in self.studies)

    @property
    def groups(self) -> list[str]:
        """The groups of studies that CV* was computed for, the first over all studies."""
        return self.cells["studies"].unique(maintain_order=True).to_list()

    def members(self, group: str) -> tuple[str, ...]:
        """The names of the studies in a group."""
        return tuple(self.names[place] for place in study_groups(self.names)[group])

    @property
    def computed_dimensions(self) -> list[str]:
        """The dimension "overall" where a study has it as the mean of the others, and it was not rated there."""
        adds = any(study.adds_overall for study in self.studies)
        return [shift.dimension for shift in self.shifts if adds and shift.dimension == OVERALL_DIMENSION]


@takes(ComparisonSettings)
def compare(studies: Sequence[StudyResults], settings: ComparisonSettings | None = None, **changes: Any) -> Comparison:
    """Compare studies of the same systems; the first is the original. They must share systems, dimensions and roles.

    Cells that a study lacks are left out and named. Studies on different scales are refused (normalise them), as are
    values below the start of their scale.
    """
    asked = ComparisonSettings.chosen(settings, changes, "compare")
    check_studies(studies)
    cells, left_out = shared_cells(studies)
    shifts = {dimension: shift_of(studies, dimension) for dimension in dict.fromkeys(cell[0] for cell in cells)}
    table = SharedCells(studies, cells)
    sampled = sample_cells(studies, cells, asked)
    frame = pl.DataFrame(list(_cells(table, shifts, sampled, asked.over_correction)), schema=CELLS)
    pairs = pl.DataFrame(list(all_correlations(table, sampled)), schema=CORRELATIONS)
    return Comparison(
        tuple(studies),
        tuple(shifts.values()),
        frame,
        _spread(frame),
        pairs.filter(pl.col("other") == studies[0].name).drop("other"),
        pl.DataFrame(list(concordance(table, sampled)), schema=CONCORDANCE),
        pl.DataFrame(list(all_ranks(table)), schema=RANKS),
        tuple(left_out),
        pairs,
        asked,
    )


def _cells(
    table: SharedCells, shifts: dict[str, Shift], sampled: SampledCells | None, over_correction: bool
) -> Iterator[dict[str, object]]:
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
            widths = table.half_widths(cell, group)
            spread = cv_star_range(values, widths, lowest=lowest, over_correction=over_correction)
            variation = cv_star(values, lowest=lowest, over_correction=over_correction)
            yield row | {
                "mean": variation.mean + lowest,
                "cv_star": variation.cv_star,
                "low": spread.low,
                "high": spread.high,
                **_sampled(sampled, cell, group, lowest, over_correction),
            }


def _sampled(
    sampled: SampledCells | None, cell: tuple[str, str, str], group: Sequence[int], lowest: float, over_correction: bool
) -> dict[str, object]:
    """The interval of CV* over drawn dialogues."""
    if sampled is None:
        return {}
    drawn = np.concatenate([sampled.values([cell], study) for study in group], axis=1)
    low, high = percentiles(row_cv_star(drawn - lowest, over_correction), sampled.confidence)
    return {"interval_low": low, "interval_high": high}


def _spread(cells: pl.DataFrame) -> pl.DataFrame:
    known = cells.drop_nulls("cv_star")
    rows = []
    for (group,), part in known.group_by("studies", maintain_order=True):
        blocks = [((None, None), part), *part.group_by("dimension", "role", maintain_order=True)]
        for (dimension, role), block in blocks:
            values = block["cv_star"].to_list()
            rows.append((group, dimension, role, len(values), fmean(values), median(values), max(values)))
    return pl.DataFrame(rows, schema=SPREAD, orient="row")
