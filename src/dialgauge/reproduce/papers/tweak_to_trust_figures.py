"""Figures of Tweak to Trust: the printed numbers of Tables 2 to 6."""

from collections.abc import Iterator, Mapping
from itertools import product

from dialgauge.perturb import PRIORS
from dialgauge.reproduce._paper_figures import change_figure, ranks_figure
from dialgauge.reproduce._printed import PrintedTable
from dialgauge.reproduce.papers.tweak_to_trust_checks import LOWER
from dialgauge.reproduce.papers.tweak_to_trust_tables import CONDITIONS, SETS
from dialgauge.web import Figure

_DIMENSIONS = ("consistency", "relevance")
_SIGNS = "By the printed correlations; those of TER with their sign turned, because a lower TER is better."


def make_figures(printed: Mapping[str, PrintedTable]) -> tuple[Figure, ...]:
    """How metrics rank on the three sets, what people thought of each kind of perturbation, and which gaps narrow."""
    means = {label: (known["consistency"].mean, known["relevance"].mean) for label, known in PRIORS.items()}
    return (
        *(_ranks(printed["4"], dimension) for dimension in _DIMENSIONS),
        change_figure("Mean ratings of perturbed summaries", ("consistency", "relevance"), means),
        *(_gaps(printed, dimension) for dimension in _DIMENSIONS),
    )


def _ranks(table: PrintedTable, dimension: str) -> Figure:
    values = {}
    for row, label in table.labels.items():
        first, our, baseline = (
            _cell(table, row, f"{dimension}/{name}") for name in ("orig", "our-orig", "baseline-orig")
        )
        sign = -1 if row in LOWER else 1
        values[label] = (sign * first, sign * round(first + our, 2), sign * round(first + baseline, 2))
    return ranks_figure(f"Metrics by agreement with {dimension}", tuple(SETS), values, _SIGNS)


def _gaps(printed: Mapping[str, PrintedTable], dimension: str) -> Figure:
    gaps: dict[str, tuple[float, float]] = {}
    for (row, label), theirs in product(printed["5"].labels.items(), ("our", "baseline")):
        before, after = _changes(printed, row, dimension, theirs)
        gaps[f"{theirs}: {label}"] = (before, after)
    title = f"Accuracy on perturbed summaries minus that on originals, {dimension}"
    return change_figure(title, ("Table 5", "Table 6"), gaps)


def _changes(printed: Mapping[str, PrintedTable], row: str, dimension: str, theirs: str) -> Iterator[float]:
    for name in CONDITIONS:
        table = printed[name]
        yield round(_cell(table, row, f"{dimension}/{theirs}") - _cell(table, row, f"{dimension}/orig"), 2)


def _cell(table: PrintedTable, row: str, column: str) -> float:
    return float(table.entries[row, column].value)
