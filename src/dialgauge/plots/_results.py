"""Figures of single results, for charts: the same kinds as in the report, made from what a function returns."""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.metaeval import (
    COEFFICIENT_NAMES,
    Correlations,
    MetricEvaluation,
    Robustness,
    SystemComparison,
    Verdicts,
)
from dialgauge.metrics import Scores
from dialgauge.ratings import Agreement
from dialgauge.report import corpus_figures, verdict_figures
from dialgauge.web import Figure, slug

_NO_PICTURE = Markup("")


def figures_of_result(result: object) -> list[Figure]:
    """The figures of a corpus, of scores, or of another result."""
    for kind, draw in _DRAWN.items():
        if isinstance(result, kind):
            return draw(result)
    known = ", ".join(kind.__name__ for kind in _DRAWN)
    raise InputError(f"no chart of a {type(result).__name__}; there are charts of a run folder, StudyRun, {known}")


def _figure(name: str, title: str, kind: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Figure:
    return Figure(name, title, _NO_PICTURE, tuple(columns), rows, kind=kind)


def _scores(scores: Scores) -> list[Figure]:
    """The spread of each metric over the summaries of each system."""
    found = []
    for metric in scores.metrics:
        if metric not in scores.frame.columns:
            continue
        value = pl.col(metric)
        quartiles = [value.quantile(share, "linear").alias(f"{share}") for share in (0.25, 0.5, 0.75)]
        spread = scores.frame.filter(value.is_not_null()).group_by("system", maintain_order=True)
        rows = spread.agg(value.min().alias("low"), *quartiles, value.max().alias("high")).rows()
        columns = ("system", "low", "first quartile", "median", "third quartile", "high")
        found.append(_figure(f"scores-{slug(metric)}", metric, "boxes", columns, rows))
    return found


def _correlations(found: Correlations) -> list[Figure]:
    """For each level and coefficient: values with intervals, dimensions in colours."""
    figures = []
    for (level, coefficient), part in found.frame.group_by("level", "coefficient", maintain_order=True):
        shown = part.filter(pl.col("value").is_not_null())
        rows = shown.select("metric", "value", "low", "high", "dimension").rows()
        name, title = f"correlations-{level}-{coefficient}", f"{_called(str(coefficient))}, {level} level"
        figures.append(_figure(name, title, "points", ("metric", "correlation", "low", "high", "dimension"), rows))
    return figures


def _called(coefficient: str) -> str:
    name = COEFFICIENT_NAMES[coefficient]
    return name[0].upper() + name[1:]


def _agreement(found: Agreement) -> list[Figure]:
    figures = []
    by = found.frame.filter(pl.col("scope") == "dimension", pl.col("value").is_not_null())
    for (measure,), part in by.group_by("measure", maintain_order=True):
        rows = part.select("dimension", "value", "low", "high").rows()
        figures.append(
            _figure(f"agreement-{measure}", str(measure), "points", ("dimension", "agreement", "low", "high"), rows)
        )
    return figures


def _systems(found: SystemComparison) -> list[Figure]:
    """The difference of every two systems with its interval, by each metric and dimension."""
    figures = []
    pair = pl.format("{} − {}", "system", "other").alias("pair")
    for (name,), part in found.frame.group_by("name", maintain_order=True):
        rows = part.select(pair, "difference", "low", "high").rows()
        columns = ("systems", "difference", "low", "high")
        figures.append(_figure(f"systems-{slug(str(name))}", str(name), "points", columns, rows))
    return figures


def _robustness(found: Robustness) -> list[Figure]:
    """The mean change of each metric under each perturbation, in units."""
    wide = found.changes.filter(pl.col("change").is_not_null()).pivot(
        "perturbation", index="metric", values="change", aggregate_function="first"
    )
    title = "Change of each metric under each perturbation"
    return [_figure("robustness", title, "matrix", wide.columns, wide.rows())]


_DRAWN: dict[type, Callable[[Any], list[Figure]]] = {
    Agreement: _agreement,
    Corpus: corpus_figures,
    Correlations: _correlations,
    MetricEvaluation: lambda found: _correlations(found.correlations),
    Robustness: _robustness,
    Scores: _scores,
    SystemComparison: _systems,
    Verdicts: verdict_figures,
}
