"""Metrics with one value per system, such as corpus BLEU, beside the ratings of the system's summaries."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval._matrix import ScoreMatrix, check_numeric, with_defaults

#: What identifies a row of a frame of systems.
_SYSTEM_KEY = ("system", "variant", "role")


def split_metrics(
    scores: pl.DataFrame, systems: pl.DataFrame | None, metrics: Sequence[str] | None
) -> tuple[Sequence[str] | None, list[str]]:
    """Of the metrics asked for, those of the summaries (None: all of them) and those of the systems."""
    if systems is None or systems.is_empty() or isinstance(metrics, str):
        return metrics, []  # a bare string is refused where the summaries' metrics are
    if "system" not in systems.columns:
        raise InputError(f"systems: missing key column 'system'; found: {', '.join(systems.columns)}")
    present = [column for column in systems.columns if column not in _SYSTEM_KEY]
    own = [column for column in scores.columns if column not in KEY]
    twice = sorted(set(own) & set(present))
    if twice:
        raise InputError(f"metric {twice[0]!r} has values per summary and per system; rename one of them")
    if metrics is None:
        return own, present
    for name in metrics:
        if name not in own and name not in present:
            raise UnknownNameError("metric", name, [*own, *present])
    return [name for name in metrics if name in own], [name for name in present if name in metrics]


def system_matrix(matrix: ScoreMatrix, systems: pl.DataFrame, names: Sequence[str]) -> ScoreMatrix:
    """The same ratings beside these metrics; every cell of a system has its one value, and so has its mean."""
    for name in names:
        check_numeric(systems, name, "systems")
    keyed = with_defaults(systems).select(
        *(pl.col(part).cast(pl.String) for part in _SYSTEM_KEY), *(pl.col(name).cast(pl.Float64) for name in names)
    )
    here = keyed.filter(pl.col("role") == matrix.pairing.role, pl.col("variant") == matrix.pairing.variant)
    repeated = here.filter(~pl.col("system").is_first_distinct())
    if repeated.height:
        raise InputError(f"systems: several rows for the system {repeated['system'][0]!r}; there must be one")
    order = pl.DataFrame({"system": matrix.systems}, schema={"system": pl.String})
    placed = order.join(here, on="system", how="left", maintain_order="left")
    values = placed.select(names).fill_null(np.nan).to_numpy().T.reshape(len(names), len(order))
    refused = {name: why for name, why in matrix.refused.items() if name in matrix.dimensions}
    for name, row in zip(names, values, strict=True):
        if np.isinf(row).any():
            refused[name] = f"infinite values (first: {matrix.systems[int(np.isinf(row).argmax())]})"
        elif np.isnan(row).all():
            refused[name] = "no value for any of the paired systems"
    finite = np.where(np.array([name in refused for name in names])[:, None], np.nan, values)
    cube = np.repeat(finite[:, :, None], len(matrix.dialogues), axis=2)
    return replace(matrix, metrics=tuple(names), scores=cube, refused=refused)
