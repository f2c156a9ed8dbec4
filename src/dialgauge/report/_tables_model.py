"""A table for a paper: names, columns in groups, numbers with stars, the best in bold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

#: A dash where there is no number.
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Part:
    """A number as it is shown."""

    text: str
    bold: bool = False
    stars: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number, or several that stand in one cell with a slash between them."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; those with one ``group`` stand under a common head."""

    name: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row; those with one ``group`` stand together, with its name before the first."""

    name: str
    cells: tuple[Cell, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A whole table. ``split`` is after how many columns it is better broken into a further one below."""

    kind: str
    corner: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str
    notes: tuple[str, ...] = field(default=())
    split: int | None = None


def number(value: float | None, digits: int) -> str:
    """So many decimals with a real minus sign, and no minus before zero."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")


def plain(text: str) -> Cell:
    """A cell that is neither bold nor starred."""
    return Cell((Part(text),))


def stars_of(p_value: float | None) -> str:
    """Two stars up to 0.01, one up to 0.05."""
    if p_value is None or p_value > 0.05:
        return ""
    return "**" if p_value <= 0.01 else "*"


def best_of(values: Mapping[str, float | None], count: int, digits: int, *, lower: bool = False) -> set[str]:
    """The names of the ``count`` best values; those that are printed like the last of them are in, too."""
    printed = {name: float(f"{value:.{digits}f}") for name, value in values.items() if value is not None}
    known = {name: -value if lower else value for name, value in printed.items()}
    if not known or count < 1:
        return set()
    bar = sorted(known.values(), reverse=True)[min(count, len(known)) - 1]
    return {name for name, value in known.items() if value >= bar}


def number_rows(
    names: Sequence[str],
    columns: Sequence[str],
    value: Callable[[str, str], float | None],
    digits: Callable[[str], int],
    bold: Callable[[str], set[str]],
    stars: Callable[[str, str], str] = lambda name, column: "",
) -> tuple[Row, ...]:
    """Rows of one number per cell."""
    best = {column: bold(column) for column in columns}
    return tuple(
        Row(
            name,
            tuple(
                Cell((Part(number(value(name, column), digits(column)), name in best[column], stars(name, column)),))
                for column in columns
            ),
        )
        for name in names
    )
