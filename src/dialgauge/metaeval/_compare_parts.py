"""``compare_parts``: systems and metrics of a score table that is larger than memory, from sums of its parts."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval._compare_systems import SYSTEM_COMPARISON, judged_pairs, only_role
from dialgauge.metaeval._draws import bootstrap_weights
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._pairs import FEWEST
from dialgauge.metaeval._part_sums import PartSums, merged_sums
from dialgauge.metaeval._settings import SystemComparisonSettings
from dialgauge.metaeval._system_draws import ACROSS_SYSTEMS
from dialgauge.metrics import parquet_shape, parquet_values
from dialgauge.settings import takes

#: One row of :attr:`PartComparison.systems`.
SYSTEM_MEANS = pl.Schema(
    {
        "metric": pl.String,
        "system": pl.String,
        "mean": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "dialogues": pl.Int64,
    }
)
#: One row of :attr:`PartComparison.correlations`.
METRIC_CORRELATIONS = pl.Schema(
    {
        "coefficient": pl.String,
        "metric": pl.String,
        "other": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class PartComparison:
    """Systems and metrics, compared on all summaries of a streamed corpus.

    ``systems`` has the mean of each system by each metric with its interval over dialogues; ``frame`` the difference of
    every two systems with its interval and p-value, as :class:`SystemComparison` has it; ``correlations`` Pearson's r,
    Spearman's rho and Kendall's tau-b of the systems' means by every two metrics, for new systems and dialogues.
    ``settings`` says how dialogues were drawn.
    """

    systems: pl.DataFrame
    frame: pl.DataFrame
    correlations: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SumPart:
    """The sums of one part; the work of one worker at a time."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...] | None
    role: str
    asked: SystemComparisonSettings

    def setup(self) -> None:
        """Nothing to load."""

    def __call__(self, file: str) -> PartSums:
        wanted = (pl.col("role") == self.role) & (pl.col("variant") == self.asked.variant)
        rows = parquet_values(file, [pl.col(name) for name in (*KEY, *self.metrics)]).filter(wanted)
        if self.systems is not None:
            rows = rows.filter(pl.col("system").is_in(self.systems))
        return PartSums.of(rows, self.metrics, self.asked.resamples, self.asked.seed)


@takes(SystemComparisonSettings)
def compare_parts(
    files: Sequence[Path | str],
    settings: SystemComparisonSettings | None = None,
    *,
    directions: Mapping[str, str] | None = None,
    run: Callable[[Any, Iterable[str]], Iterable[PartSums]] = map,
    **changes: Any,
) -> PartComparison:
    """Compare systems and metrics on the Parquet parts of a table of scores, one part at a time.

    Memory depends on resamples, systems and metrics, not on summaries. Dialogues are resampled by Poisson numbers that
    depend on their names alone, and sums are exact: any cut into parts and any number of workers (``run`` maps a
    function over files, as an engine's ``run`` does) give the same numbers to the last bit. p-values are those of a
    normal distribution with the spread of the resamples, which takes a hundred dialogues or more; of fewer, use
    :func:`compare_systems`. ``directions`` says of each metric which way is better: higher, lower or none.
    """
    asked = SystemComparisonSettings.chosen(settings, changes, "compare_parts")
    names = [str(file) for file in files]
    if not names:
        raise InputError("there are no parts to compare systems by")
    metrics, role = _chosen(names, asked)
    sums = merged_sums(run(_SumPart(tuple(metrics), asked.systems, role, asked), names))
    systems = () if sums is None else sums.systems
    for name in (*(asked.systems or ()), *((asked.baseline,) if asked.baseline else ())):
        if name not in systems:
            raise UnknownNameError("system", name, systems)
    if sums is None or len(systems) < 2:
        raise InputError(f"a comparison needs two systems; found: {', '.join(systems) or 'none'}")
    means = sums.means
    used = asked.model_dump(mode="json") | {"systems": list(systems), "pairs": len(_couples(sums, asked))}
    return PartComparison(
        _system_means(sums, means, asked),
        _pairs(sums, means, directions or {}, asked),
        _correlations(sums, means, asked),
        used | {"draws": "poisson"},
    )


def _chosen(files: list[str], asked: SystemComparisonSettings) -> tuple[list[str], str]:
    """The metrics and the role that are compared."""
    known = [name for name in parquet_shape(files[0])[1] if name not in KEY]
    for name in asked.metrics or ():
        if name not in known:
            raise UnknownNameError("metric", name, known)
    metrics = list(asked.metrics or known)
    if asked.role is not None:
        return metrics, asked.role
    roles = {role for file in files for role in parquet_values(file, [pl.col("role").unique()])["role"]}
    return metrics, only_role(roles)


def _couples(sums: PartSums, asked: SystemComparisonSettings) -> list[tuple[int, int]]:
    every = combinations(range(len(sums.systems)), 2)
    if asked.baseline is None:
        return list(every)
    base = sums.systems.index(asked.baseline)
    return [pair for pair in every if base in pair]


def _system_means(sums: PartSums, means: FloatArray, asked: SystemComparisonSettings) -> pl.DataFrame:
    rows = []
    for c, metric in enumerate(sums.metrics):
        for s, system in enumerate(sums.systems):
            low, high = percentile_interval(means[1:, s, c], asked.confidence)
            rows.append((metric, system, means[0, s, c], low, high, int(sums.count[0, s, c])))
    return pl.DataFrame(rows, schema=SYSTEM_MEANS, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


def _pairs(
    sums: PartSums, means: FloatArray, directions: Mapping[str, str], asked: SystemComparisonSettings
) -> pl.DataFrame:
    from scipy.special import erfc

    rows = []
    for c, metric in enumerate(sums.metrics):
        for s, t in _couples(sums, asked):
            drawn = means[:, s, c] - means[:, t, c]
            known = drawn[1:][~np.isnan(drawn[1:])]
            low, high = percentile_interval(known, asked.confidence)
            spread = float(known.std(ddof=1)) if len(known) > 1 else 0.0
            p = float(erfc(abs(drawn[0]) / spread / math.sqrt(2))) if spread else float(drawn[0] == 0)
            rows.append(
                {
                    "kind": "metric",
                    "name": metric,
                    "direction": directions.get(metric, "none"),
                    "system": sums.systems[s],
                    "other": sums.systems[t],
                    "mean": means[0, s, c],
                    "other_mean": means[0, t, c],
                    "difference": drawn[0],
                    "low": low,
                    "high": high,
                    "p_value": p,
                    "dialogues": int(min(sums.count[0, s, c], sums.count[0, t, c])),
                }
            )
    frame = pl.DataFrame(rows, schema=SYSTEM_COMPARISON).with_columns(pl.col(pl.Float64).fill_nan(None))
    return judged_pairs(frame, asked)


def _correlations(sums: PartSums, means: FloatArray, asked: SystemComparisonSettings) -> pl.DataFrame:
    if len(sums.systems) < FEWEST:
        return pl.DataFrame(schema=METRIC_CORRELATIONS)
    drawn = bootstrap_weights(len(sums.systems), 1, asked.resamples, "systems", asked.seed).systems
    weights = np.vstack([np.ones((1, len(sums.systems))), drawn])
    rows = []
    for coefficient, correlated in ACROSS_SYSTEMS.items():
        for first, second in combinations(range(len(sums.metrics)), 2):
            values = correlated(means[:, :, first], means[:, :, second], weights)
            low, high = percentile_interval(values[1:], asked.confidence)
            rows.append((coefficient, sums.metrics[first], sums.metrics[second], values[0], low, high))
    made = pl.DataFrame(rows, schema=METRIC_CORRELATIONS, orient="row")
    return made.with_columns(pl.col(pl.Float64).fill_nan(None))
