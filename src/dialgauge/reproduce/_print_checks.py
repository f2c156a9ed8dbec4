"""Consistency checks of a printed table: stars, bold face and row names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialgauge.errors import ParameterError
from dialgauge.reproduce._printed import PrintedTable

#: ``*`` for p ≤ .05, ``**`` for p ≤ .01, as most tables of the field have it.
STARS = (0.05, 0.01)


@dataclass(frozen=True, slots=True)
class WrongStars:
    """A cell whose stars do not follow from its p-value."""

    row: str
    column: str
    printed: str
    p: float
    expected: int

    def __str__(self) -> str:
        return f"{self.row} {self.column}: printed {self.printed}, p = {self.p:.4f}, so {'*' * self.expected or 'none'}"


def stars_of(p: float, thresholds: Sequence[float] = STARS) -> int:
    """The number of stars of a p-value: one for each threshold that it does not exceed."""
    return sum(p <= threshold for threshold in thresholds)


def check_stars(
    table: PrintedTable, p_values: Mapping[tuple[str, str], float], thresholds: Sequence[float] = STARS
) -> list[WrongStars]:
    """The cells whose printed stars do not match the recomputed p-values.

    Only cells with a p-value are checked. ``thresholds`` are decreasing, starting with the one for a single star.
    """
    if list(thresholds) != sorted(thresholds, reverse=True) or not all(0 < t < 1 for t in thresholds):
        raise ParameterError("check_stars", "thresholds", "falling numbers between 0 and 1", tuple(thresholds))
    wrong = []
    for (row, column), printed in table.entries.items():
        p = p_values.get((row, column))
        if p is not None and stars_of(p, thresholds) != printed.stars:
            wrong.append(WrongStars(table.labels[row], column, str(printed), p, stars_of(p, thresholds)))
    return wrong


@dataclass(frozen=True, slots=True)
class WrongBold:
    """A cell that is in bold face and should not be, or should be and is not."""

    row: str
    column: str
    printed: str
    is_bold: bool
    rank: int

    def __str__(self) -> str:
        state = "bold" if self.is_bold else "not bold"
        return f"{self.row} {self.column}: {self.printed} is {state} and ranks {self.rank} in its column"


def check_bold(table: PrintedTable, best: int) -> list[WrongBold]:
    """The cells that contradict "the ``best`` highest of each column are in bold face", as far as ``table.bold`` goes.

    Cells that print the same value share a rank, so more than ``best`` cells may rightly be bold.
    """
    if best < 1:
        raise ParameterError("check_bold", "best", "1 or more", best)
    wrong = []
    for column, bold in table.bold.items():
        values = {row: table.entries[row, column].value for row in table.rows if (row, column) in table.entries}
        for row, value in values.items():
            rank = 1 + sum(other > value for other in values.values())
            if (rank <= best) != (row in bold):
                printed = str(table.entries[row, column])
                wrong.append(WrongBold(table.labels[row], column, printed, row in bold, rank))
    return wrong


def repeated_names(table: PrintedTable) -> list[str]:
    """The names that the table prints on more than one row, which readers cannot distinguish."""
    return [name for name, times in Counter(table.row_names.values()).items() if times > 1]
