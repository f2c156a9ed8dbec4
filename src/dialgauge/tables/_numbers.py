"""Numbers as cells and rows of tables: which are the best of a column, which have stars."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from dialgauge.tables._model import Cell, Column, Part, Row
from dialgauge.tables._texts import estimate, number


def estimate_cell(
    value: float | None,
    low: float | None,
    high: float | None,
    form: int | str = 2,
    *,
    between: str = " ",
    short: bool = False,
    marks: str = "",
    reason: str | None = None,
) -> Cell:
    """A cell with a number and its interval, and ``marks`` after them."""
    text = estimate(value, low, high, form, between=between, short=short)
    known = None if value is None or low is None or high is None else (low, high)
    return Cell((Part(text + marks, value=value, interval=known),), reason=reason or "")


def number_cell(value: float | None, form: int | str = 2, *, bold: bool = False, stars: str = "") -> Cell:
    """A cell with one number."""
    exact = value if value is not None and isfinite(value) else None
    return Cell((Part(number(value, form), bold, stars, exact),))


def stars_of(p_value: float | None) -> str:
    """Two stars up to 0.01, one up to 0.05."""
    if p_value is None or p_value > 0.05:
        return ""
    return "**" if p_value <= 0.01 else "*"


def best_of(values: Mapping[str, float | None], count: int, digits: int, *, lower: bool = False) -> set[str]:
    """The names of the ``count`` best values, with those that are printed like the last of them."""
    printed = {name: float(f"{value:.{digits}f}") for name, value in values.items() if value is not None}
    known = {name: -value if lower else value for name, value in printed.items()}
    if not known or count < 1:
        return set()
    bar = sorted(known.values(), reverse=True)[min(count, len(known)) - 1]
    return {name for name, value in known.items() if value >= bar}


def number_rows(
    names: Sequence[str],
    columns: Sequence[Column],
    value: Callable[[str, Column], float | None],
    *,
    best: int = 0,
    can_lead: Callable[[str, Column], bool] = lambda name, column: True,
    stars: Callable[[str, Column], str] = lambda name, column: "",
) -> tuple[Row, ...]:
    """Rows of one number per cell, with the decimals of their column.

    The ``best`` of each column that has a direction are bold, unless they cannot lead.
    """
    found = {column: {name: value(name, column) for name in names} for column in columns}
    bold = {
        column: set()
        if column.direction == "none"
        else best_of(
            {name: shown for name, shown in values.items() if can_lead(name, column)},
            best,
            column.digits,
            lower=column.direction == "lower",
        )
        for column, values in found.items()
    }
    return tuple(
        Row(
            name,
            tuple(
                number_cell(found[column][name], column.digits, bold=name in bold[column], stars=stars(name, column))
                for column in columns
            ),
        )
        for name in names
    )
