"""A comparison of studies as plain data. Nothing is computed here but what is shown together."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from dialgauge.reproduce._compare import Comparison
from dialgauge.reproduce._conclusions import Conclusions
from dialgauge.reproduce._qra import QraLine, qra_view
from dialgauge.reproduce._systems import SystemComparison


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A comparison with optional parts: claims checked in the studies, and systems tested within them."""

    comparison: Comparison
    conclusions: Conclusions | None = None
    systems: Sequence[SystemComparison] = ()

    @property
    def qra(self) -> tuple[QraLine, ...]:
        """The view by type of result."""
        return qra_view(self.comparison, self.conclusions)


def comparison_json(report: ComparisonReport) -> dict[str, Any]:
    """Everything as plain data; what has no value is null, with the reason beside it."""
    comparison, conclusions = report.comparison, report.conclusions
    return {
        "studies": [
            {
                "name": study.name,
                "source": "printed" if study.summaries is None else "ratings",
                "systems": study.systems,
                "dimensions": study.dimensions,
                "roles": study.roles,
                "agreement": [{**asdict(agreed), "verdict": agreed.verdict} for agreed in study.agreement],
                "invalid": dict(study.invalid),
                "remarks": list(study.remarks),
            }
            for study in comparison.studies
        ],
        "over_correction": comparison.settings.over_correction,
        "shifts": [{**asdict(shift), "assumed": shift.assumed} for shift in comparison.shifts],
        "computed_dimensions": comparison.computed_dimensions,
        "left_out": list(comparison.left_out),
        "qra": [asdict(line) for line in report.qra],
        "spread": comparison.spread.to_dicts(),
        "cells": [
            row | {"values": dict(zip(comparison.members(row["studies"]), row["values"], strict=True))}
            for row in comparison.cells.iter_rows(named=True)
        ],
        "correlations": comparison.correlations.to_dicts(),
        "all_pairs": comparison.all_pairs.to_dicts(),
        "concordance": comparison.concordance.to_dicts(),
        "ranks": [
            row | {"ranks": dict(zip(comparison.names, row["ranks"], strict=True))}
            for row in comparison.ranks.iter_rows(named=True)
        ],
        "conclusions": None if conclusions is None else conclusions_json(conclusions),
        "systems": {tested.study: tested.frame.to_dicts() for tested in report.systems},
    }


def comparison_remarks(found: Mapping[str, Any], hint: str = "") -> list[str]:
    """What a reader of a comparison must know, in words, from what :func:`comparison_json` gives; ``hint`` says how to
    name a scale where none is named."""
    said = [f"{study['name']}: {line}" for study in found["studies"] for line in study["remarks"]]
    assumed = [shift["dimension"] for shift in found["shifts"] if shift["assumed"]]
    if assumed:
        said.append(f"No scale is named for {', '.join(assumed)}: assumed to begin at 0 for CV*{hint}.")
    shifted: dict[tuple[str, float], list[str]] = {}
    for shift in found["shifts"]:
        if shift["lowest"]:
            shifted.setdefault((shift["scale"], shift["lowest"]), []).append(shift["dimension"])
    for (scale, lowest), dimensions in shifted.items():
        said.append(f"{', '.join(dimensions)}: the scale {scale} begins at {lowest:g}, which is subtracted before CV*.")
    return said + [f"Left out: {line}." for line in found["left_out"]]


def conclusions_json(conclusions: Conclusions) -> list[dict[str, Any]]:
    """Each claim with its verdict over all reproductions and its row for every study."""
    return [
        {
            "id": claim.id,
            "text": claim.text,
            "overall": conclusions.overall(claim.id),
            "studies": conclusions.frame.filter(pl.col("claim") == claim.id).drop("claim").to_dicts(),
        }
        for claim in conclusions.claims
    ]
