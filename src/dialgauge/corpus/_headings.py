"""Where the headings of a table are: below a title or notes, and in one row or in two."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.corpus._names import USES, is_dimension, normalised
from dialgauge.corpus._scale_ends import best_end
from dialgauge.corpus._values import TICKS, as_number

Cells = Sequence[str | None]
#: Rows below the heading that explain it, as survey tools export them.
EXPLAINING_ROWS = 2
#: How many rows are looked at for headings.
LOOKED_AT = 20
_LONGEST = 300
#: What survey tools write below a question that has one answer.
_ANSWERED = frozenset({"response", "open_ended_response", "responses"})


@dataclass(frozen=True, slots=True)
class Headings:
    """The row with the headings and the first row of data, counted from 0; ``names`` where two rows make them."""

    row: int = 0
    data: int = 1
    names: tuple[str, ...] | None = None

    def note(self) -> str | None:
        """What had to be assumed."""
        if self.names:
            return f"the headings are in rows {self.row + 1} {'to' if self.data - self.row > 2 else 'and'} {self.data}"
        return f"the headings are in row {self.row + 1}; what is above them is not data" if self.row else None


def find_headings(rows: Sequence[Cells]) -> Headings:
    """The headings of a table of which these are the first rows; the first row where nothing says otherwise."""
    width = max((_filled(row) for row in rows[1:]), default=0)
    weighed = _below_weights(rows, width)
    if weighed is not None:
        return Headings(weighed, weighed + 1)
    row = 0
    while row < len(rows) - 1 and _is_title(rows[row], rows[row + 1], width):
        row += 1
    if row and not _are_names(rows[row], width) and not _is_grouped(rows[row:]):
        row = 0
    levels = _levels(rows[row:])
    if levels is not None:
        return Headings(row, row + levels[0], levels[1])
    if row + 2 < len(rows):
        names = _two_rows(rows[row], rows[row + 1], rows[row + 2 :])
        if names is not None:
            return Headings(row, row + 2, names)
    return Headings(row, row + 1)


def _below_weights(rows: Sequence[Cells], width: int) -> int | None:
    """The row of names below others that hold gaps and numbers: the weights of a scorecard's criteria."""
    for place, row in enumerate(rows[:LOOKED_AT]):
        if _filled(row) * 10 >= width * 8 and _are_names(row, width):
            above = [cell.strip() for other in rows[:place] for cell in other if cell]
            return place if any(as_number(cell) is not None for cell in above) else None
        if _filled(row) * 10 >= width * 8:
            return None
    return None


def _is_grouped(rows: Sequence[Cells]) -> bool:
    """Whether a first row with gaps groups the names below it, as merged cells are saved."""
    return len(rows) > 2 and _two_rows(rows[0], rows[1], rows[2:]) is not None


def _levels(rows: Sequence[Cells]) -> tuple[int, tuple[str, ...]] | None:
    """How many rows of headings there are where the last names the columns that those above leave empty, and the names.

    So pandas writes a table whose columns have levels; the first cell of each row names the level.
    """
    for count in (2, 3):
        if len(rows) <= count + 1:
            return None
        width = max(map(len, rows[: count + 1]))
        cells = [[(cell or "").strip() for cell in row] + [""] * (width - len(row)) for row in rows[: count + 1]]
        last = {place for place, cell in enumerate(cells[count]) if cell}
        above = [{place for place, cell in enumerate(row) if cell and place} for row in cells[:count]]
        whole = len(set(map(frozenset, above))) == 1 and 0 in last and above[0] | last == set(range(width))
        if whole and above[0] and not above[0] & last and _hold_answers(sorted(above[0]), rows[count + 1 :]):
            names = [
                cells[count][place] or " ".join(dict.fromkeys(row[place] for row in cells[:count]))
                for place in range(width)
            ]
            return count + 1, tuple(names)
    return None


def _filled(row: Cells) -> int:
    return sum(bool(cell and cell.strip()) for cell in row)


def _is_title(row: Cells, below: Cells, width: int) -> bool:
    """Whether a row is empty, or has one or two texts at its start where the table is wider, or few above a gap."""
    filled = [place for place, cell in enumerate(row) if cell and cell.strip()]
    # Headings may have no name for the first column.
    alone = bool(filled) and len(filled) < width and not _filled(below) and (filled[0] == 0 or len(filled) == 1)
    return not filled or alone or (filled[-1] < 2 and len(filled) * 2 < width)


def _are_names(row: Cells, width: int) -> bool:
    names = [cell.strip() for cell in row if cell and cell.strip()]
    return (
        len(names) * 10 >= width * 6
        and len(set(names)) * 10 >= len(names) * 7
        and not any(as_number(name) is not None or len(name) > _LONGEST for name in names)
    )


def _two_rows(top: Cells, below: Cells, data: Sequence[Cells]) -> tuple[str, ...] | None:
    """The names that a row of groups and a row of parts make together; None where the second row is data."""
    parts = [(cell or "").strip() for cell in below]
    groups = [(cell or "").strip() for cell in top] + [""] * (len(parts) - len(top))
    first = next((place for place, group in enumerate(groups) if group), 0)
    open_places = [place for place, part in enumerate(parts) if part and not groups[place] and place > first]
    said = [part for part in parts if part]
    if not said or any(_is_answer(part) or len(part) > _LONGEST for part in said):
        return None
    named = [group for group in groups if group]
    repeated = len(set(named)) < len(named) and _hold_answers([p for p, group in enumerate(groups) if group], data)
    if repeated and len(said) == len(parts) and len({*zip(groups, parts, strict=False)}) == len(parts):
        return tuple(_joined(group, part) for group, part in zip(groups, parts, strict=False))
    answered = [place for place, part in enumerate(parts) if normalised(part) in _ANSWERED]
    alone = len(set(parts)) == len(said) == len(parts)
    told = alone and _only_explains(groups, named, data)
    if not answered and not told and not (open_places and _hold_answers(open_places, data)):
        return None
    names, group = [], ""
    for place, part in enumerate(parts):
        starts = bool(groups[place])
        group = groups[place] if starts else group
        if alone and (scale := _scale_told(group)) is not None:
            names.append(_with_scale(part, scale) if _are_within(scale.low, scale.high, place, data) else part)
            continue
        spans = starts and place + 1 < len(parts) and not groups[place + 1] and bool(parts[place + 1])
        inside = spans or (not starts and bool(part))
        names.append(_joined(group, part) if inside and part else groups[place] or part)
    return tuple(names)


def _hold_answers(places: Sequence[int], data: Sequence[Cells]) -> bool:
    cells = [row[place].strip() for row in data for place in places if place < len(row) and row[place]]  # type: ignore[union-attr]
    return bool(cells) and sum(map(_is_answer, cells)) * 2 > len(cells)


#: "Scores 1-5 (5 = excellent)": a heading above others that explains how they are answered.
_RANGE = re.compile(r"(?<![\d.,])(-?\d{1,3})\s*(?:-|–|—|to|bis|à|a|hasta|\.{2,}|…)\s*(\d{1,3})(?![\d.,]\d)")


@dataclass(frozen=True, slots=True)
class _Scale:
    low: int
    high: int
    turned: bool  # whether the lowest point is the best


def _scale_told(group: str) -> _Scale | None:
    """The scale that a heading explains."""
    found = _RANGE.search(group)
    if found is None or int(found[1]) >= int(found[2]):
        return None
    return _Scale(int(found[1]), int(found[2]), best_end(group) == "lower")


def _with_scale(part: str, scale: _Scale) -> str:
    """A heading with its scale. A name that is no known dimension may be a person's: only its direction is said."""
    best = [f"{scale.low} = best"] if scale.turned else []
    told = [f"{scale.low}-{scale.high}", *best] if is_dimension(normalised(part)) else best
    return f"{part} ({'; '.join(told)})" if told else part


def _only_explains(groups: Sequence[str], named: Sequence[str], data: Sequence[Cells]) -> bool:
    """Whether all that a first row says is how some of the columns below are answered."""
    few = 0 < len(named) * 2 <= len(groups) and all(_scale_told(group) is not None for group in named)
    return few and _hold_answers([place for place, group in enumerate(groups) if group], data)


def _are_within(low: int, high: int, place: int, data: Sequence[Cells]) -> bool:
    """Whether most cells of a column are numbers, and all of these are points of a scale."""
    cells = [(row[place] or "").strip() for row in data if place < len(row)]
    numbers = [number for cell in cells if cell and (number := as_number(cell)) is not None]
    return 2 * len(numbers) > sum(map(bool, cells)) and all(low <= number <= high for number in numbers)


def _is_answer(cell: str) -> bool:
    return as_number(cell) is not None or cell.lower() in TICKS


def _joined(group: str, part: str) -> str:
    if normalised(part) in _ANSWERED or not group:
        return group or part
    if is_dimension(normalised(part)) and len(group.split()) > 3:
        return f"{group} [{part}]"  # a question above the things that it asks about
    return f"{group} {part}"


#: Names of what there is one of in a row.
_OF_ROWS = frozenset(
    name for use in ("dialogue_id", "dialogue", "system", "summary", "reference", "annotator") for name in USES[use]
)


def distinct_names(names: Sequence[str | None]) -> list[str]:
    """Names of columns, each once: one that stands there several times is numbered, as blocks of columns have them.

    Of keys and texts, the first keeps its name: it is the one that counts.
    """
    given = [(name or "").strip() or f"unnamed_{place}" for place, name in enumerate(names)]
    times = Counter(given)
    numbered = [
        name
        if times[name] == 1 or (normalised(name) in _OF_ROWS and name not in given[:place])
        else f"{name}_{given[:place].count(name) + 1}"
        for place, name in enumerate(given)
    ]
    return [name if name not in numbered[:place] else f"{name}_column_{place}" for place, name in enumerate(numbered)]
