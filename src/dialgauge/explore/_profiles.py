"""What the pages of a metric and of a system show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.errors import DialgaugeError
from dialgauge.explore._data import RunData
from dialgauge.explore._queries import Answer, disagreements
from dialgauge.metrics import parse_request

_QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
_WORST = 3


@dataclass(frozen=True, slots=True)
class MetricView:
    """A metric: what it is, its values, its correlation with ratings, and the worst disagreements."""

    name: str
    description: str
    direction: str
    signature: str
    citation: str
    left_out: str | None
    failures: int
    quantiles: tuple[float | None, ...]
    correlations: tuple[Mapping[str, Any], ...]
    systems: tuple[tuple[str, float | None], ...]
    verdicts: tuple[tuple[str, str, str | None, float | None], ...]
    worst: Mapping[str, Answer]

    def agreement(self) -> dict[tuple[str, str], dict[str, Mapping[str, Any]]]:
        """Level and coefficient → dimension → the correlation."""
        found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        for row in self.correlations:
            found.setdefault((row["level"], row["coefficient"]), {})[row["dimension"]] = row
        return found


@dataclass(frozen=True, slots=True)
class SystemView:
    """A system: how many summaries it wrote, and its mean by each dimension and metric with its place among systems.

    ``ratings`` and ``scores`` have name, mean, rank (1 is best; None for a descriptive metric) and how many
    systems have one.
    """

    name: str
    kind: str
    summaries: int
    dialogues: int
    ratings: tuple[tuple[str, float | None, int | None, int], ...]
    scores: tuple[tuple[str, float | None, int | None, int], ...]


def metric_view(data: RunData, name: str) -> MetricView:
    """Everything about a metric."""
    whole = {**data.scores.left_out, **dict.fromkeys([*data.metrics, *_system_metrics(data)])}
    data.require("metric", name, whole)
    try:
        declared = parse_request(name).metric
        description, citation = declared.description, declared.citation
    except DialgaugeError:  # a metric of a plug-in, or of a user's own table
        description, citation = "", ""
    values = data.originals[name] if name in data.metrics else pl.Series(dtype=pl.Float64)
    failures = data.scores.failures.filter(pl.col("metric") == name, pl.col("dialogue_id").is_not_null())
    judged = name in data.judging and data.ratings is not None
    return MetricView(
        name,
        description,
        data.scores.directions.get(name, "none"),
        data.scores.signatures.get(name, ""),
        citation,
        whole[name],
        failures.height,
        tuple(values.quantile(share, "linear") for share in _QUANTILES) if name in data.metrics else (),
        _correlations(data, name),
        tuple(_means(data.scores.means(), name)),
        tuple(_verdicts(data, name)),
        {dimension: _head(disagreements(data, name, dimension)) for dimension in data.dimensions} if judged else {},
    )


def _correlations(data: RunData, name: str) -> tuple[Mapping[str, Any], ...]:
    if data.correlations is None:
        return ()
    rows = data.correlations.filter(pl.col("metric") == name).sort("dimension", "level", "coefficient")
    return tuple(rows.iter_rows(named=True))


def _system_metrics(data: RunData) -> list[str]:
    return [column for column in data.scores.systems.columns if column not in ("system", "variant", "role")]


def _means(means: pl.DataFrame, name: str) -> list[tuple[str, float | None]]:
    if name not in means.columns:
        return []
    rows = means.filter(pl.col("variant") == ORIGINAL).sort(name, descending=True, nulls_last=True)
    return [
        (f"{row['system']}" + ("" if row["role"] == "overall" else f", {row['role']}"), row[name])
        for row in rows.iter_rows(named=True)
    ]


def _verdicts(data: RunData, name: str) -> list[tuple[str, str, str | None, float | None]]:
    if data.changes is None:
        return []
    changes = dict(data.changes.filter(pl.col("metric") == name).select("perturbation", "change").iter_rows())
    return [
        (label, effect, data.verdicts.get((name, label)), changes.get(label)) for label, effect in data.expected.items()
    ]


def _head(answer: Answer) -> Answer:
    return Answer(answer.sentence, answer.frame.head(_WORST), answer.columns)


def system_view(data: RunData, name: str) -> SystemView:
    """Everything about a system."""
    data.require("system", name, data.systems)
    rows = data.summaries.filter(pl.col("system") == name)
    scores = data.scores.means().filter(pl.col("variant") == ORIGINAL)
    return SystemView(
        name,
        rows["kind"][0],
        rows.height,
        rows["dialogue_id"].n_unique(),
        _places(_rated(data), data.dimensions, name, {}),
        _places(scores, [*data.metrics, *_system_metrics(data)], name, data.scores.directions),
    )


def _rated(data: RunData) -> pl.DataFrame:
    if data.ratings is None:
        return pl.DataFrame(schema={"system": pl.String})
    return data.ratings.filter(pl.col("variant") == ORIGINAL)


def _places(
    frame: pl.DataFrame, names: list[str], system: str, directions: Mapping[str, str]
) -> tuple[tuple[str, float | None, int | None, int], ...]:
    means = frame.group_by("system").agg(pl.col(names).mean()) if names else frame
    found: list[tuple[str, float | None, int | None, int]] = []
    for name in names:
        direction = directions.get(name, "higher")
        known = means.select("system", name).drop_nulls()
        own = known.filter(pl.col("system") == system)[name].to_list()
        if not own:
            found.append((name, None, None, known.height))
            continue
        better = known.filter(pl.col(name) < own[0] if direction == "lower" else pl.col(name) > own[0]).height
        found.append((name, own[0], None if direction == "none" else better + 1, known.height))
    return tuple(found)


def system_table(data: RunData) -> list[tuple[str, str, int, dict[str, float | None]]]:
    """A row per system: its name, kind, number of summaries, and mean rating by dimension."""
    counts = data.summaries.group_by("system", "kind").len("summaries")
    rated = _rated(data)
    means = (
        {
            row["system"]: row
            for row in rated.group_by("system").agg(pl.col(data.dimensions).mean()).iter_rows(named=True)
        }
        if data.dimensions
        else {}
    )
    sizes = {system: (kind, size) for system, kind, size in counts.iter_rows()}
    return [
        (name, *sizes[name], {dimension: means.get(name, {}).get(dimension) for dimension in data.dimensions})
        for name in data.systems
    ]


def metric_table(data: RunData) -> list[tuple[str, str, str, dict[str, float | None]]]:
    """A row per metric: its name, direction, why it was left out, and its correlation with each dimension.

    The correlation is that of the report's verdict.
    """
    found = data.correlations
    agreed: dict[str, dict[str, float | None]] = {}
    if found is not None and found.height:
        level, coefficient = table_coefficient(found)
        for row in found.filter(pl.col("level") == level, pl.col("coefficient") == coefficient).iter_rows(named=True):
            agreed.setdefault(row["metric"], {})[row["dimension"]] = row["value"]
    left_out = data.scores.left_out
    names = [*data.metrics, *_system_metrics(data), *left_out]
    return [
        (name, data.scores.directions.get(name, "none"), left_out.get(name, ""), agreed.get(name, {})) for name in names
    ]


def table_coefficient(correlations: pl.DataFrame) -> tuple[str, str]:
    """The level and coefficient of the overview of metrics: those of the report's verdict."""
    from dialgauge.metaeval import headline  # here: the start of the server needs no correlation

    return headline(correlations)
