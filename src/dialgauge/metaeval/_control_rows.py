"""The controls of a study as rows, measured like metrics and tested among themselves."""

from dataclasses import replace
from typing import Any

import numpy as np

from dialgauge.metaeval._cells import null
from dialgauge.metaeval._controls import PREFIX, SYSTEM_MEAN, system_means
from dialgauge.metaeval._decide import Decision, decide
from dialgauge.metaeval._matrix import ScoreMatrix
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._trust_values import TrustValues, trust_values


def control_rows(controls: ScoreMatrix, asked: TrustSettings) -> list[dict[str, Any]]:
    """A row per control and dimension. Controls do not count among the metrics that the verdict corrects for."""
    values = trust_values(controls, asked, None)
    decision = decide(controls.scores, controls.ratings, asked)
    rows = [
        _row(controls, k, d, values, decision, name.removeprefix(PREFIX))
        for k, name in enumerate(controls.metrics)
        for d in range(len(controls.dimensions))
    ]
    for d, dimension in enumerate(controls.dimensions):
        one = slice(d, d + 1)
        known = replace(
            controls,
            metrics=(SYSTEM_MEAN,),
            dimensions=(dimension,),
            scores=system_means(controls.ratings[one]),
            ratings=controls.ratings[one],
        )
        rows.append(_row(known, 0, 0, trust_values(known, asked, None), None, SYSTEM_MEAN))
    return rows


def _row(
    matrix: ScoreMatrix, k: int, d: int, values: TrustValues, decision: Decision | None, name: str
) -> dict[str, Any]:
    numbers = {
        "r": values.r.value,
        "low": values.r.low,
        "high": values.r.high,
        "c": values.cells.value,
        "r_system": values.r_system,
        "r_global": values.r_global.value,
    }
    if decision is None:  # a mean of the others falls as the rating rises: its cells mean nothing
        numbers["c"] = np.full_like(values.r.value, np.nan)
    else:
        numbers |= {"p_order": decision.p_order, "p_cells": decision.p_cells}
    refused = matrix.refused.get(matrix.metrics[k])
    constant = bool(np.isnan(values.r.value[k, d]) and np.isnan(values.cells.value[k, d]))
    return {
        "control": name,
        "dimension": matrix.dimensions[d],
        "reason": refused or ("does not vary within dialogues" if constant else None),
        **{column: null(float(array[k, d])) for column, array in numbers.items()},
    }
