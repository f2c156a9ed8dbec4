"""What a page shows of studies that repeat another: each beside the original, and whether it comes out the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from markupsafe import Markup

from dialgauge.reproduce._compare_render import comparison_remarks
from dialgauge.reproduce._compare_tables import agreement_table, test_tables
from dialgauge.reproduce._qra import show_span
from dialgauge.reproduce._section_words import lead, sentences
from dialgauge.tables import Table, estimate, number
from dialgauge.web import Figure, dot, drawing, line, linear, rounded, short, slug, text, ticks, vertical_grid

_LABELS, _PLOT, _VALUES = 120, 250, 48
_WIDTH = _LABELS + _PLOT + _VALUES
#: Where the second name of the key begins: both have the same room, also in the larger letters of a phone.
_HALF = (_LABELS + _PLOT) / 2
_ROW, _TOP, _BOTTOM = 20, 30, 24
#: Measures of agreement as people write them.
_MEASURES = {"cohen-kappa": "Cohen's κ", "fleiss-kappa": "Fleiss' κ", "krippendorff-alpha": "Krippendorff's α"}
#: How verdicts are coloured.
_CLAIMS = {"confirmed": "right", "partly": "faint", "not confirmed": "bad"}


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system in the original and in a reproduction. ``spread`` is CV*, with both ends of the range that rounding
    leaves of it where they differ, or of its interval where both studies have ratings; ``places`` are the ranks."""

    system: str
    original: float
    reproduction: float
    spread: tuple[float | None, ...]
    note: str
    places: tuple[float, float]

    @property
    def difference(self) -> float:
        """Above 0 where the reproduction gives more."""
        return self.reproduction - self.original

    @property
    def rise(self) -> float:
        """By how many ranks it comes out better than in the original."""
        return self.places[0] - self.places[1]

    @property
    def numbers(self) -> tuple[float, ...]:
        """Those of :attr:`cells`, for the CSV of the table."""
        return self.original, self.reproduction, self.difference

    @property
    def cells(self) -> tuple[str, ...]:
        """Both results and their difference."""
        return number(self.original), number(self.reproduction), number(self.difference, "+.2f")

    @property
    def cv_star(self) -> str:
        """CV*, with its range in brackets."""
        value, low, high = (*self.spread, None, None)[:3]
        return estimate(value, low, high, between=", ")

    @property
    def ranks(self) -> tuple[str, str]:
        """Both ranks; a shared one has a half."""
        return f"{self.places[0]:g}", f"{self.places[1]:g}"

    @property
    def change(self) -> str:
        """The change of rank with its sign."""
        return f"{self.rise:+g}".replace("-", "−") if self.rise else "0"

    @property
    def moved(self) -> str:
        """Up, down, or empty where the rank is the same."""
        return "up" if self.rise > 0 else "down" if self.rise < 0 else ""


@dataclass(frozen=True, slots=True)
class Block:
    """The systems of one dimension and role in the original and in one reproduction (``names``), and how far the two
    agree on them; ``numbers`` are those of ``cells``, for the CSV of the table."""

    title: str
    names: tuple[str, str]
    cells: tuple[str, ...]
    numbers: tuple[float | None, ...]
    rounding: str
    note: str
    rows: tuple[SystemRow, ...]
    figure: Figure

    @property
    def level(self) -> float:
        """The mean difference of its systems."""
        return fmean(row.difference for row in self.rows)

    def best(self, study: int) -> list[str]:
        """The systems that come first in the original (0) or in the reproduction (1)."""
        first = min(row.places[study] for row in self.rows)
        return sorted(row.system for row in self.rows if row.places[study] == first)


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with what each study makes of it (verdict in words, its kind for the style sheet, parts that hold), and
    what all reproductions together make of it."""

    text: str
    studies: tuple[tuple[str, str, str], ...]
    overall: tuple[str, str]
    differences: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class ComparisonSection:
    """The section as a page shows it. ``names`` are those of the original and of its reproductions."""

    names: tuple[str, ...]
    lead: str
    sentences: tuple[str, ...]
    blocks: tuple[Block, ...]
    claims: tuple[ClaimRow, ...]
    agreement: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    #: How far they agree by type of result (I to IV), and systems tested within the studies.
    types: Table
    tests: tuple[Table, ...]
    #: Whether CV* has intervals over dialogues, which it has where all studies have ratings.
    drawn: bool

    @property
    def several(self) -> bool:
        """Whether there is more than one reproduction."""
        return len(self.names) > 2

    @property
    def printed(self) -> bool:
        """Whether rounding of printed results leaves a CV* open."""
        return any(len(row.spread) > 1 for block in self.blocks for row in block.rows)

    @property
    def rounded(self) -> bool:
        """Whether rounding of printed results leaves a correlation open."""
        return any(block.rounding for block in self.blocks)

    @property
    def figures(self) -> list[Figure]:
        """The figure of each block."""
        return [block.figure for block in self.blocks]


def comparison_section(found: Mapping[str, Any]) -> ComparisonSection:
    """What the template shows, from what :func:`dialgauge.reproduce.comparison_json` gives."""
    names = tuple(study["name"] for study in found["studies"])
    blocks = tuple(_block(row, found, names) for row in found["correlations"])
    return ComparisonSection(
        names,
        lead(found, names[0]),
        tuple(sentences(found, blocks, names)),
        blocks,
        tuple(_claim(one) for one in found["conclusions"] or ()),
        tuple((study["name"], _agreement(study)) for study in found["studies"]),
        tuple(comparison_remarks(found)),
        agreement_table(found["qra"]),
        tuple(test_tables(found["systems"])),
        any(cell["interval_low"] is not None for cell in found["cells"]),
    )


def _block(row: Mapping[str, Any], found: Mapping[str, Any], names: Sequence[str]) -> Block:
    """A row of the correlations with what else is known of its study, dimension and role."""
    here = {"dimension": row["dimension"], "role": row["role"]}
    pair = (names[0], row["study"])
    together = here | {"studies": " vs ".join(pair)}
    # α is that of all studies, so it says nothing of one pair among several.
    between = _first(found["concordance"], here) if len(names) == 2 else {}
    spread = _first(found["spread"], together)
    ranks = {one["system"]: one["ranks"] for one in _all(found["ranks"], here)}
    rows = [_row(cell, pair, ranks[cell["system"]]) for cell in _all(found["cells"], together)]
    rows.sort(key=lambda one: (-one.original, one.system))
    difference, cv_star, alpha = fmean(one.difference for one in rows), spread.get("mean"), between.get("alpha")
    cells = (
        str(row["systems"]),
        estimate(row["pearson"], row["pearson_low"], row["pearson_high"], between=", "),
        estimate(row["spearman"], row["spearman_low"], row["spearman_high"], between=", "),
        f"{row['kept']} / {row['reversed']} / {row['tied']}",
        number(difference, "+.2f"),
        number(cv_star),
        number(alpha),
    )
    title = _title(row, found, names)
    return Block(
        title,
        pair,
        cells,
        (row["systems"], row["pearson"], row["spearman"], None, difference, cv_star, alpha),
        show_span(row["low"], row["high"]),
        "; ".join(filter(None, (row["note"], between.get("alpha_note")))),
        tuple(rows),
        _figure(title, rows, pair),
    )


def _title(row: Mapping[str, Any], found: Mapping[str, Any], names: Sequence[str]) -> str:
    """The study and the role are named where there are several."""
    roles = len({one["role"] for one in found["correlations"]}) > 1
    parts = ([row["study"]] if len(names) > 2 else []) + [row["dimension"]] + ([row["role"]] if roles else [])
    return ", ".join(parts)


def _all(rows: Sequence[Mapping[str, Any]], here: Mapping[str, str]) -> list[Mapping[str, Any]]:
    return [row for row in rows if all(row[key] == value for key, value in here.items())]


def _first(rows: Sequence[Mapping[str, Any]], here: Mapping[str, str]) -> Mapping[str, Any]:
    return next(iter(_all(rows, here)), {})


def _row(cell: Mapping[str, Any], pair: tuple[str, str], ranks: Mapping[str, float]) -> SystemRow:
    original, reproduction = (cell["values"][name] for name in pair)
    ranges = ((cell[f"{name}low"], cell[f"{name}high"]) for name in ("", "interval_"))
    ends: tuple[float, ...] = next((ends for ends in ranges if show_span(*ends)), ())
    places = (ranks[pair[0]], ranks[pair[1]])
    return SystemRow(cell["system"], original, reproduction, (cell["cv_star"], *ends), cell["note"] or "", places)


def _figure(title: str, rows: Sequence[SystemRow], names: tuple[str, str]) -> Figure:
    """A line per system from its result in the original (open) to that in the reproduction (filled)."""
    values = [value for row in rows for value in (row.original, row.reproduction)]
    pad = (max(values) - min(values)) * 0.04 or 0.5
    low, high = min(values) - pad, max(values) + pad
    height = _TOP + _ROW * len(rows) + _BOTTOM
    x = linear(low, high, _LABELS + 6, _LABELS + _PLOT - 6)
    parts: list[Markup] = [
        dot(5, 11, 4.2, "first"),
        text(14, 15, short(names[0], 20), "tick"),
        dot(_HALF + 5, 11, 4.2, "second"),
        text(_HALF + 14, 15, short(names[1], 20), "tick"),
        text(_WIDTH, 15, "change", "tick", "end"),
        *vertical_grid(x, ticks(low, high), _TOP - 4, height - _BOTTOM),
    ]
    for i, row in enumerate(rows):
        y, one, other = _TOP + _ROW * i + _ROW / 2, row.original, row.reproduction
        said = f"{row.system}: {number(one)} in {names[0]}, {number(other)} in {names[1]}"
        parts.append(text(_LABELS - 8, y + 4, short(row.system, 17), anchor="end"))
        parts.append(line(x(one), y, x(other), y, f"change {'down' if other < one else 'up'}"))
        parts += [dot(x(one), y, 4.2, "first", said), dot(x(other), y, 4.2, "second", said)]
        parts.append(text(_WIDTH, y + 4, row.cells[-1], "number", "end"))
    label = f"{title}: mean rating of each system in {names[0]} and in {names[1]}, and the change"
    columns = ("system", *names, "difference", "CV*", "rank change")
    data = [(row.system, *map(rounded, (*row.numbers, row.spread[0])), row.rise) for row in rows]
    svg = drawing("plot", _WIDTH, height, label, parts)
    return Figure(f"reproduction-{slug(title)}", title, svg, columns, data, kind="changes")


def _claim(claim: Mapping[str, Any]) -> ClaimRow:
    studies = claim["studies"]
    return ClaimRow(
        claim["text"],
        tuple(
            (
                row["verdict"] + (" ?" if row["open"] else ""),
                _CLAIMS[row["verdict"]],
                f"parts: {row['holds']} of {row['parts']}",
            )
            for row in studies
        ),
        (claim["overall"], _CLAIMS[claim["overall"]]),
        tuple(number(row["difference"], "+.2f") for row in studies),
        "; ".join(dict.fromkeys(row["note"] for row in studies if row["note"])),
    )


def _agreement(study: Mapping[str, Any]) -> str:
    said = [
        f"{_MEASURES.get(one['measure'], one['measure'])} {number(one['value'])}"
        + (f" ({one['verdict'] or one['note']})" if one["verdict"] or one["note"] else "")
        for one in study["agreement"]
    ]
    return "; ".join(said) or "not reported"
