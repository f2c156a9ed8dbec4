"""System-level metrics of a streamed corpus: sums of each part, and the values that the sums of all parts give."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from dialgauge.metrics._computing import Computing
from dialgauge.metrics._metric import MetricRequest
from dialgauge.metrics._plan import ScoringPlan
from dialgauge.metrics._registry import parse_request
from dialgauge.metrics._scores import SYSTEM_KEY
from dialgauge.metrics._stream_source import Loaded

#: A system (its key), and the sums of each column.
Totals = list[list[Any]]
_NOTHING = "no summary of the system can be scored"


def part_totals(loaded: Loaded, columns: Sequence[str], include_references: bool) -> Totals:
    """For each system of a part the sums of what these metrics count."""
    requests = [request for request in map(parse_request, columns) if not _blind(request, loaded)]
    plan = ScoringPlan(loaded.corpus, include_references, Computing(None))
    found: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for request in requests:
        assert request.metric.sums is not None
        counted = loaded.keyed(plan.counts(request, request.metric.sums))
        for key, rows in counted.partition_by(SYSTEM_KEY, as_dict=True).items():
            sums = np.add.reduce(np.array(rows["numbers"].to_list()), axis=0)
            found.setdefault(key, {})[request.column] = sums.tolist()
    return [[list(key), sums] for key, sums in sorted(found.items())]


def _blind(request: MetricRequest, loaded: Loaded) -> bool:
    return request.target in ("reference", "both") and loaded.corpus.references.is_empty()


def values_of(
    records: Iterable[Mapping[str, Any]], columns: Sequence[str]
) -> dict[tuple[str, ...], dict[str, float | None]]:
    """The values of each system from the sums of all parts, the same in whatever parts the summaries are."""
    several: dict[tuple[str, ...], dict[str, list[list[float]]]] = {}
    for record in records:
        for key, sums in record.get("totals", ()):
            for column, numbers in sums.items():
                several.setdefault(tuple(key), {}).setdefault(column, []).append(numbers)
    return {
        key: {column: _value(parse_request(column), parts[column]) for column in columns if column in parts}
        for key, parts in several.items()
    }


def _value(request: MetricRequest, parts: Sequence[Sequence[float]]) -> float | None:
    assert request.metric.sums is not None
    scored, *sums = (math.fsum(numbers) for numbers in zip(*parts, strict=True))
    if not scored:
        return None
    value = float(request.metric.sums.values(np.array([sums]), request.parameters)[0])
    return None if math.isnan(value) else value


def unscored(means: pl.DataFrame, columns: Sequence[str]) -> dict[tuple[str, str], int]:
    """How many systems have no value, by metric and reason."""
    counts = {(column, _NOTHING): means[column].null_count() for column in columns}
    return {key: count for key, count in counts.items() if count}
