"""What all studies of a comparison have in common: their cells, and where their scales begin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.errors import InputError
from dialgauge.reproduce._studies import CELL, StudyResults


@dataclass(frozen=True, slots=True)
class Shift:
    """Where the scale of a dimension begins, which is subtracted before CV*."""

    dimension: str
    lowest: float
    scale: str | None

    @property
    def assumed(self) -> bool:
        """Whether the start is assumed to be 0 because no scale is named."""
        return self.scale is None


class SharedCells:
    """The values of the shared cells, study by study."""

    def __init__(self, studies: Sequence[StudyResults], cells: Sequence[tuple[str, str, str]]) -> None:
        self.studies, self.cells = studies, cells
        # Equal means differ in the last bits when they are summed in another order: ties must stay ties.
        self._values = [{cell: round(value, 12) for cell, value in study.values().items()} for study in studies]
        self._widths = [
            {(row[0], row[1], row[2]): row[3] for row in study.frame.select(*CELL, "half_width").iter_rows()}
            for study in studies
        ]

    def values(self, cell: tuple[str, str, str], group: Sequence[int]) -> list[float]:
        return [self._values[i][cell] for i in group]

    def half_widths(self, cell: tuple[str, str, str], group: Sequence[int]) -> list[float]:
        return [self._widths[i][cell] for i in group]

    def groups(self) -> dict[str, list[int]]:
        return study_groups([study.name for study in self.studies])

    def blocks(self) -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
        """The cells by dimension and role."""
        for dimension, role in dict.fromkeys((cell[0], cell[1]) for cell in self.cells):
            yield dimension, role, [cell for cell in self.cells if cell[:2] == (dimension, role)]


def study_groups(names: Sequence[str]) -> dict[str, list[int]]:
    """The groups of studies that are compared, by name, with the places of their members; the original is first."""
    pairs = {f"{names[0]} vs {name}": [0, i] for i, name in enumerate(names[1:], start=1)}
    if len(names) == 2:
        return pairs
    return {"all studies": list(range(len(names))), **pairs, "reproductions": list(range(1, len(names)))}


def check_studies(studies: Sequence[StudyResults]) -> None:
    if len(studies) < 2:
        raise InputError(f"a comparison needs at least two studies; got {len(studies)}")
    names = [study.name for study in studies]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two studies are called {name!r}; give them different names")


def shared_cells(studies: Sequence[StudyResults]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The cells that all studies have, in the order of the original, and what is left out, in words."""
    left_out = []
    absent: dict[str, dict[str, None]] = {}
    for what in ("system", "dimension", "role"):
        lists: list[list[str]] = [getattr(study, f"{what}s") for study in studies]
        shared = set(lists[0]).intersection(*lists[1:])
        if not shared:
            found = "; ".join(f"{s.name}: {', '.join(names)}" for s, names in zip(studies, lists, strict=True))
            raise InputError(f"the studies share no {what}, so there is nothing to compare ({found})")
        absent[what] = dict.fromkeys(name for names in lists for name in names if name not in shared)
        for name in absent[what]:
            where = [s.name for s, names in zip(studies, lists, strict=True) if name not in names]
            left_out.append(f"{what} {name}: not in {', '.join(where)}")
    known = [study.values() for study in studies]
    first = studies[0]
    shared_cells = [
        (dimension, role, system)
        for dimension in first.dimensions
        for role in first.roles
        for system in first.systems
        if all((dimension, role, system) in values for values in known)
    ]
    if not shared_cells:
        raise InputError("the studies have no cell (dimension, role and system) in common")
    for cell in dict.fromkeys(cell for values in known for cell in values):
        lacking = [study.name for study, values in zip(studies, known, strict=True) if cell not in values]
        # A dimension, a role and a system may bear the same name, such as "overall".
        if lacking and not any(name in absent[what] for what, name in zip(CELL, cell, strict=True)):
            left_out.append(f"{' / '.join(cell)}: no value in {', '.join(lacking)}")
    return shared_cells, left_out


def shift_of(studies: Sequence[StudyResults], dimension: str) -> Shift:
    scales = {study.name: study.scale(dimension) for study in studies}
    named = {name: scale for name, scale in scales.items() if scale is not None}
    if len({(scale.minimum, scale.maximum) for scale in named.values()}) > 1:
        listed = ", ".join(f"{name}: {scale.name}" for name, scale in named.items())
        raise InputError(
            f"dimension {dimension!r} is on different scales ({listed}); normalise them to 0–1 (--normalise, or "
            "normalise = true in a study file)"
        )
    scale = next(iter(named.values()), None)
    lowest = 0.0 if scale is None else float(scale.minimum)
    for study in studies:
        below = study.frame.filter(
            (pl.col("dimension") == dimension) & (pl.col("value") < lowest - pl.col("half_width"))
        )
        if below.height:
            row = below.row(0, named=True)
            key = " / ".join(row[column] for column in CELL)
            raise InputError(
                f"study {study.name!r}: {key} is {row['value']:g}, below {lowest:g}, where "
                + ("a scale begins unless it is named" if scale is None else f"the scale {scale.name} begins")
                + '; give the scale of the values (--scale=-100-100, or scale = "-100-100" in a study file)'
            )
    return Shift(dimension, lowest, None if scale is None else scale.name)
