"""What the report says of a study that repeats another: both side by side, and whether it comes out the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import polars as pl
from markupsafe import Markup

from dialgauge.errors import counted
from dialgauge.report._content import Estimate
from dialgauge.report._panel import Panel
from dialgauge.reproduce import comparison_remarks, show_span
from dialgauge.tables import number
from dialgauge.web import Figure, dot, drawing, line, linear, rounded, short, slug, text, ticks, vertical_grid

_LABELS, _PLOT, _VALUES = 120, 250, 48
_WIDTH = _LABELS + _PLOT + _VALUES
#: Where the second name of the key begins: both have the same room, also in the larger letters of a phone.
_HALF = (_LABELS + _PLOT) / 2
#: Measures of agreement as people write them.
_MEASURES = {"cohen-kappa": "Cohen's κ", "fleiss-kappa": "Fleiss' κ", "krippendorff-alpha": "Krippendorff's α"}
_ROW, _TOP, _BOTTOM = 20, 30, 24
#: What the order of the systems is called when at least this share of their pairs keeps it.
_ORDERS = ((1.0, "the same"), (0.9, "nearly the same"), (0.75, "much the same"), (0.5, "only partly the same"))
_CLAIMS = {"confirmed": "right", "partly": "faint", "not confirmed": "bad"}

#: For the appendix: name, formula or rule, and source.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "CV*",
        "100 · (1 + 1/4n) · (s / c₄(n)) / x̄ of the results of n studies, after the lowest point of the scale is taken "
        "off; 0 for identical results.",
        "Belz, Popović and Mille 2022",
    ),
    (
        "α between studies",
        "Krippendorff's α (interval) with each study as one annotator of the summaries that both rated.",
        "Krippendorff 2011",
    ),
)


@dataclass(frozen=True, slots=True)
class ReproductionData:
    """``table`` has a row per dimension, role and system with the results of both studies, their difference, CV* and
    ranks; ``comparison`` is what :func:`dialgauge.reproduce.comparison_json` gives, the original first."""

    table: pl.DataFrame
    comparison: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system in both studies; ``moved`` is up, down, or empty where its rank is the same.

    ``numbers`` are those of ``cells``, for the CSV of the table; the interval of CV* is what rounding leaves of it.
    """

    system: str
    numbers: tuple[float | None, ...]
    cells: tuple[str, ...]
    cv_star: Estimate
    note: str
    ranks: tuple[str, str]
    change: str
    moved: str


@dataclass(frozen=True, slots=True)
class Block:
    """The systems of one dimension and role, and how far the two studies agree on them; ``numbers`` are those of
    ``cells``, for the CSV of the table."""

    title: str
    cells: tuple[str, ...]
    numbers: tuple[float | None, ...]
    rounding: str
    note: str
    rows: tuple[SystemRow, ...]
    figure: Figure


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim with what each study makes of it: verdict in words, its kind for the style sheet, parts that hold."""

    text: str
    studies: tuple[tuple[str, str, str], ...]
    differences: tuple[str, str]
    note: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The section as the page shows it. ``names`` are those of the original and of the study itself."""

    names: tuple[str, str]
    lead: str
    sentences: tuple[str, ...]
    blocks: tuple[Block, ...]
    claims: tuple[ClaimRow, ...]
    agreement: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]

    @property
    def printed(self) -> bool:
        """Whether rounding of printed results leaves a CV* open."""
        return any(row.cv_star.low is not None for block in self.blocks for row in block.rows)

    @property
    def rounded(self) -> bool:
        """Whether rounding of printed results leaves a correlation open."""
        return any(block.rounding for block in self.blocks)

    @property
    def figures(self) -> list[Figure]:
        """The figure of each block."""
        return [block.figure for block in self.blocks]


def reproduction_panel(data: ReproductionData) -> Panel:
    """The section on the study that this one repeats."""
    found = reproduction_section(data)
    anchors = (("reproduction", "Reproduction"),)
    return Panel(anchors, "reproduction.html", 40, {"reproduction": found}, found.figures, formulas=_FORMULAS)


def reproduction_section(data: ReproductionData) -> Reproduction:
    """What the template shows."""
    found = data.comparison
    first, second = (study["name"] for study in found["studies"])
    roles = len({row["role"] for row in found["correlations"]}) > 1
    blocks = [
        _block(part, row, data, (first, second), roles)
        for row in found["correlations"]
        for part in [data.table.filter(dimension=row["dimension"], role=row["role"])]
    ]
    return Reproduction(
        (first, second),
        _lead(found, first),
        tuple(_sentences(data, first, roles)),
        tuple(blocks),
        tuple(_claim(one) for one in found["conclusions"] or ()),
        tuple((study["name"], _agreement(study)) for study in found["studies"]),
        tuple(comparison_remarks(found)),
    )


def _title(row: Mapping[str, Any], roles: bool) -> str:
    """The role is named where the studies are compared in several."""
    return f"{row['dimension']}, {row['role']}" if roles else str(row["dimension"])


def _block(
    part: pl.DataFrame, row: Mapping[str, Any], data: ReproductionData, names: tuple[str, str], roles: bool
) -> Block:
    here = {"dimension": row["dimension"], "role": row["role"]}
    between = _of(data.comparison["concordance"], here)
    spread = _of(data.comparison["spread"], here)
    difference, cv_star, alpha = fmean(part["difference"]), spread.get("mean"), between.get("alpha")
    cells = (
        str(row["systems"]),
        number(row["pearson"]),
        number(row["spearman"]),
        f"{row['kept']} / {row['reversed']} / {row['tied']}",
        number(difference, "+.2f"),
        number(cv_star),
        number(alpha),
    )
    ranked = part.sort("original", "system", descending=[True, False])
    return Block(
        _title(row, roles),
        cells,
        (row["systems"], row["pearson"], row["spearman"], None, difference, cv_star, alpha),
        show_span(row["low"], row["high"]),
        "; ".join(filter(None, (row["note"], between.get("alpha_note")))),
        tuple(_row(one) for one in ranked.iter_rows(named=True)),
        _figure(_title(row, roles), ranked, names),
    )


def _of(rows: Sequence[Mapping[str, Any]], here: Mapping[str, str | None]) -> Mapping[str, Any]:
    return next((row for row in rows if all(row[key] == value for key, value in here.items())), {})


def _row(row: Mapping[str, Any]) -> SystemRow:
    change, ends = row["rank_change"], (row["cv_star_low"], row["cv_star_high"])
    return SystemRow(
        row["system"],
        (row["original"], row["reproduction"], row["difference"]),
        (number(row["original"]), number(row["reproduction"]), number(row["difference"], "+.2f")),
        Estimate("CV*", row["cv_star"], *(ends if show_span(*ends) else (None, None))),
        row["note"] or "",
        (f"{row['rank_original']:g}", f"{row['rank_reproduction']:g}"),
        f"{change:+g}".replace("-", "−") if change else "0",
        "up" if change > 0 else "down" if change < 0 else "",
    )


def _figure(title: str, ranked: pl.DataFrame, names: tuple[str, str]) -> Figure:
    """A line per system from its result in the original (open) to that in the study itself (filled)."""
    values = [*ranked["original"], *ranked["reproduction"]]
    pad = (max(values) - min(values)) * 0.04 or 0.5
    low, high = min(values) - pad, max(values) + pad
    height = _TOP + _ROW * ranked.height + _BOTTOM
    x = linear(low, high, _LABELS + 6, _LABELS + _PLOT - 6)
    parts: list[Markup] = [
        dot(5, 11, 4.2, "first"),
        text(14, 15, short(names[0], 20), "tick"),
        dot(_HALF + 5, 11, 4.2, "second"),
        text(_HALF + 14, 15, short(names[1], 20), "tick"),
        text(_WIDTH, 15, "change", "tick", "end"),
    ]
    parts += vertical_grid(x, ticks(low, high), _TOP - 4, height - _BOTTOM)
    for i, row in enumerate(ranked.iter_rows(named=True)):
        y, one, other = _TOP + _ROW * i + _ROW / 2, row["original"], row["reproduction"]
        said = f"{row['system']}: {number(one)} in {names[0]}, {number(other)} in {names[1]}"
        parts.append(text(_LABELS - 8, y + 4, short(row["system"], 17), anchor="end"))
        parts.append(line(x(one), y, x(other), y, f"change {'down' if other < one else 'up'}"))
        parts += [dot(x(one), y, 4.2, "first", said), dot(x(other), y, 4.2, "second", said)]
        parts.append(text(_WIDTH, y + 4, number(row["difference"], "+.2f"), "number", "end"))
    label = f"{title}: mean rating of each system in {names[0]} and in {names[1]}, and the change"
    columns = ("system", *names, "difference", "CV*", "rank change")
    rows = [
        (row["system"], *(rounded(row[key]) for key in ("original", "reproduction", "difference", "cv_star")),
         row["rank_change"])
        for row in ranked.iter_rows(named=True)
    ]  # fmt: skip
    return Figure(f"reproduction-{slug(title)}", title, drawing("plot", _WIDTH, height, label, parts), columns, rows)


def _ordered(found: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The dimensions and roles whose pairs of systems count: a mean of dimensions does not count beside them."""
    # Runs that were made before comparisons named them have no such key: there every dimension counts.
    computed = found.get("computed_dimensions", ())
    return [row for row in found["correlations"] if row["dimension"] not in computed] or found["correlations"]


def _pairs(found: Mapping[str, Any]) -> tuple[int, int, int]:
    """How many pairs of systems keep their order, of how many that both studies tell apart, and how many they do
    not."""
    kept, turned, tied = (sum(row[key] for row in _ordered(found)) for key in ("kept", "reversed", "tied"))
    return kept, kept + turned, tied


def _lead(found: Mapping[str, Any], original: str) -> str:
    """The verdict: on the claims where there are any, else on the order of the systems."""
    verdicts = [claim["overall"] for claim in found["conclusions"] or ()]
    confirmed, partly = verdicts.count("confirmed"), verdicts.count("partly")
    if verdicts:
        if confirmed == len(verdicts):
            said = "the claim of {} holds" if confirmed == 1 else f"all {confirmed} claims of {{}} hold"
            return f"Confirmed: {said.format(original)} here."
        said = f"{confirmed} of {counted(len(verdicts), 'claim')} of {original} hold here"
        said += f", {partly} in part" if partly else ""
        return f"Partly confirmed: {said}." if confirmed or partly else f"Not confirmed: {said}."
    kept, pairs, _ = _pairs(found)
    if not pairs:
        return f"No two systems are told apart both here and in {original}, so there is no order to compare."
    word = next((word for share, word in _ORDERS if kept >= share * pairs), "not the same")
    return f"The order of the systems is {word} as in {original}."


def _sentences(data: ReproductionData, original: str, roles: bool) -> list[str]:
    found = data.comparison
    kept, pairs, tied = _pairs(found)
    said = []
    if pairs:
        share = f"{kept} of {counted(pairs, 'pair')} of systems ({kept / pairs:.0%}) keep their order"
        said.append(f"{share}{_over(found)}{f', and {tied} more are tied' if tied else ''}.")
    said += _leaders(data, roles)
    said.append(_level(data.table, original, roles))
    whole = _of(found["spread"], {"dimension": None, "role": None})
    if whole:
        mean, largest = number(whole["mean"]), number(whole["largest"])
        said.append(f"CV* is {mean} on average and {largest} at most (0: identical results).")
    known = [row["alpha"] for row in found["concordance"] if row["alpha"] is not None]
    if known:
        said.append(f"On the summaries that both rated, α between the studies is {number(fmean(known))} on average.")
    return said


def _over(found: Mapping[str, Any]) -> str:
    """Over what pairs are counted, where it is more than one dimension and role."""
    rows = _ordered(found)
    sizes = [(len({row[key] for row in rows}), key) for key in ("dimension", "role")]
    several = [counted(count, key) for count, key in sizes if count > 1]
    return f", over {' and '.join(several)}" if several else ""


def _level(table: pl.DataFrame, original: str, roles: bool) -> str:
    """Whether raters were stricter or milder than those of the original."""
    means = table.group_by("dimension", "role", maintain_order=True).agg(pl.col("difference").mean())
    low, high = (means.sort("difference", maintain_order=True).row(i, named=True) for i in (0, -1))
    said = [f"{number(row['difference'], '+.2f')} ({_title(row, roles)})" for row in (low, high)]
    span = said[0] if means.height == 1 else " to ".join(said)
    return f"Against {original}, mean results move by {span}."


def _leaders(data: ReproductionData, roles: bool) -> list[str]:
    """Where another system came out best."""
    others, same = [], 0
    for (dimension, role), part in data.table.group_by("dimension", "role", maintain_order=True):
        if part.height < 2:
            continue
        first, second = (
            part.filter(pl.col(key) == pl.col(key).min())["system"].to_list()
            for key in ("rank_original", "rank_reproduction")
        )
        if first == second:
            same += 1
        else:
            where = _title({"dimension": dimension, "role": role}, roles)
            others.append(f"for {where}, {' and '.join(second)} instead of {' and '.join(first)}")
    if not others:
        return ["The best system is the same throughout."] if same else []
    return [f"Another system comes out best {'; '.join(others)}."]


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
        (number(studies[0]["difference"], "+.2f"), number(studies[1]["difference"], "+.2f")),
        "; ".join(dict.fromkeys(row["note"] for row in studies if row["note"])),
    )


def _agreement(study: Mapping[str, Any]) -> str:
    said = [
        f"{_MEASURES.get(one['measure'], one['measure'])} {number(one['value'])}"
        + (f" ({one['verdict'] or one['note']})" if one["verdict"] or one["note"] else "")
        for one in study["agreement"]
    ]
    return "; ".join(said) or "not reported"
