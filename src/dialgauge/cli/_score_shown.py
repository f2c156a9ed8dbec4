"""What ``score`` prints of a corpus in memory and of a stream alike, and what it asks of systems to be compared."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dialgauge.cli._limits import system_names
from dialgauge.cli._output import note, show
from dialgauge.errors import InputError, UnknownNameError, counted
from dialgauge.metaeval import SystemComparisonSettings

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.metaeval import PartComparison, SystemComparison


def check_pairs(systems: Sequence[str], pairs: SystemComparisonSettings | None) -> None:
    """Before anything is scored: are there two systems, and is the baseline one of them?"""
    if pairs is None:
        return
    if pairs.baseline is not None and pairs.baseline not in systems:
        raise UnknownNameError("system", pairs.baseline, systems)
    if len(systems) < 2:
        raise InputError(f"--paired needs two systems; found: {', '.join(systems) or 'none'}")


def print_pairs(compared: "SystemComparison | PartComparison") -> None:
    """Print which systems differ."""
    from dialgauge.report import pair_tables

    made = pair_tables(compared.frame, compared.settings)
    for one in made:
        show(one)
    for text in dict.fromkeys(text for one in made for text in one.notes):
        note(text)


def written(rows: int, metrics: int) -> str:
    """How much was written."""
    return f"{counted(rows, 'row')} × {counted(metrics, 'metric')}"


def print_means(name: str, means: "pl.DataFrame") -> None:
    """Print the mean of each system by each metric."""
    from dialgauge.metrics import SYSTEM_KEY
    from dialgauge.tables import matrix, number_cell

    names = system_names(means)
    columns = [column for column in means.columns if column not in SYSTEM_KEY]
    cells = [[number_cell(value, ".4g") for value in means[column]] for column in columns]
    show(matrix(f"{name}: mean of each system", ("metric", "system"), columns, names, cells))
