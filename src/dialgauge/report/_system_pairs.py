"""Which system is better: tables of paired comparisons, for the console, papers and the report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.errors import counted
from dialgauge.metaeval import NEITHER
from dialgauge.report._content import listed
from dialgauge.report._panel import Panel
from dialgauge.report._tables import chosen
from dialgauge.tables import Cell, Column, Row, Table, estimate_cell, interval, number, number_cell, text_cell

#: What the correction of p-values is called.
_CORRECTIONS = {"holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg", "none": "no correction"}
_UNPAIRED = (
    "Unpaired: fewer than half of the dialogues of either system have both, so means over all dialogues of each are "
    "compared by Welch's t-test. Effect: in pooled standard deviations."
)
#: How the answer to "do metric and people name the same system?" is shown, in the order of the table.
_AGREE = {
    "yes": "same system",
    "no": "opposite systems",
    "people only": "only people",
    "metric only": "only the metric",
    NEITHER: "neither",
}


#: More pairs than these in one table nobody reads, and a page with all pairs of 100 systems has 60 MB.
_MOST_PAIRS = 500


def pair_tables(
    frame: pl.DataFrame, settings: Mapping[str, Any], names: Sequence[str] = (), most: int | None = None
) -> list[Table]:
    """A table for each dimension, then for each metric; one table of each kind where there are only two systems.

    A table of more pairs than ``most`` has those whose systems are nearest to each other in the order of their means.
    """
    wanted = frame.filter(pl.col("name").is_in(names)) if names else frame
    pairs = frame.select("system", "other").unique().height
    made = []
    for kind in ("dimension", "metric"):
        rows = wanted.filter(pl.col("kind") == kind)
        if pairs == 1:
            parts = [(f"by each {kind}", rows)] if rows.height else []
        else:
            parts = [(f"by {name} ({kind})", part) for (name,), part in rows.group_by("name", maintain_order=True)]
        for said, part in parts:
            near, note = _nearest(part, pairs, most)
            made.append(_pair_table(f"which system is better, {said}", near, kind, settings, pairs, note))
    return made


def paired_systems_table(
    frame: pl.DataFrame, settings: Mapping[str, Any], *, metrics: Sequence[str] = (), digits: int = 2
) -> Table:
    """The table for papers: all comparisons of these metrics or dimensions (default: the dimensions), in groups."""
    known = frame["name"].unique(maintain_order=True).to_list()
    rated = frame.filter(pl.col("kind") == "dimension")["name"].unique(maintain_order=True).to_list()
    names = chosen(known, metrics) if metrics else rated or known
    rows = tuple(
        Row(f"{row['system']} − {row['other']}", tuple(_cells(row, True, False, f"+.{digits}f")), group=name)
        for name in names
        for row in frame.filter(pl.col("name") == name).to_dicts()
    )
    pairs = frame.select("system", "other").unique().height
    notes = _notes(settings, bool(rated), pairs)
    notes += _limits(frame.filter(pl.col("name").is_in(names)).to_dicts())
    return Table("paired-systems", "systems", tuple(_heads(True)), rows, "", tuple(notes), grouping="by")


def _heads(people: bool, in_memory: bool = True) -> list[Column]:
    differences = [Column("difference"), Column("other raters")] if people else [Column("difference")]
    single = [Column("effect"), Column("won/tied/lost")] if in_memory else []
    return [*differences, Column("p"), *single, Column("better", numeric=False)]


def _nearest(rows: pl.DataFrame, pairs: int, most: int | None) -> tuple[pl.DataFrame, list[str]]:
    """Pairs of systems that follow each other in the order of their means, as many as fit; and what is left out."""
    if most is None or pairs <= most:
        return rows, []
    sides = (rows.select("system", "mean"), rows.select(pl.col("other").alias("system"), mean="other_mean"))
    # Sorted before they are summed: threads add in any order, and rounding must not decide between equal means.
    by_system = pl.concat(sides).group_by("system").agg(pl.col("mean").sort().mean())
    means = by_system.sort("mean", "system", nulls_last=True)
    place = {name: number for number, name in enumerate(means["system"])}
    apart = (pl.col("system").replace_strict(place) - pl.col("other").replace_strict(place)).abs()
    placed = rows.with_columns(apart.alias("apart"))
    reach = max(k for k in range(1, len(place)) if k == 1 or sum(len(place) - step for step in range(1, k + 1)) <= most)
    note = f"Of {pairs:,} pairs, those of systems at most {reach} places apart; system-comparisons.parquet has all."
    return placed.filter(pl.col("apart") <= reach).drop("apart"), [note]


def _pair_table(
    title: str, rows: pl.DataFrame, kind: str, settings: Mapping[str, Any], pairs: int, notes: Sequence[str] = ()
) -> Table:
    people = kind == "dimension"
    shown = rows.to_dicts()
    one_pair = pairs == 1
    heads = _heads(people, _in_memory(settings))
    if one_pair:
        heads = [Column(str(shown[0]["system"])), Column(str(shown[0]["other"])), *heads]
    body = tuple(
        Row(
            row["name"] if one_pair else f"{row['system']} − {row['other']}",
            tuple(_cells(row, people, one_pair, "+.2f" if people else "+.3g", _in_memory(settings))),
        )
        for row in shown
    )
    return Table(
        "paired-systems",
        kind if one_pair else "systems",
        tuple(heads),
        body,
        title=title,
        notes=(*_notes(settings, people, pairs), *_limits(shown), *notes),
    )


def _in_memory(settings: Mapping[str, Any]) -> bool:
    """Whether single dialogues were compared; of parts there are only sums over resampled ones."""
    return "draws" not in settings


def _cells(row: Mapping[str, Any], people: bool, one_pair: bool, form: str, in_memory: bool = True) -> list[Cell]:
    cells = []
    if one_pair:
        cells += [number_cell(row["mean"], ".3g"), number_cell(row["other_mean"], ".3g")]
    cells.append(estimate_cell(row["difference"], row["low"], row["high"], form, between=", ", reason=row["reason"]))
    if people:
        cells.append(text_cell(interval(row["low_other_raters"], row["high_other_raters"], form, between=", ")))
    cells.append(number_cell(row["p_corrected"], ".2g"))
    if in_memory:
        counts = "unpaired" if _is_unpaired(row) else f"{row['wins']}/{row['ties']}/{row['losses']}"
        cells += [number_cell(row["effect"], "+.2f"), text_cell(counts)]
    return [*cells, text_cell(_better(row))]


def _limits(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What has to be said of pairs that share few dialogues or none."""
    said = [_UNPAIRED] if any(map(_is_unpaired, rows)) else []
    missing = Counter(row["reason"] for row in rows if row["p_value"] is None and row["reason"])
    return said + [f"{counted(number_of, 'pair')} without a test: {reason}." for reason, number_of in missing.items()]


def _is_unpaired(row: Mapping[str, Any]) -> bool:
    """Whether two systems have their values on different dialogues; older runs do not say."""
    return row.get("design") == "unpaired"


def _better(row: Mapping[str, Any]) -> str:
    if row["better"] is None or row["p_value"] is None:
        return "–"
    if row["better"] == NEITHER:
        return "not shown"
    if row["better_other_raters"] == NEITHER:
        return f"{row['better']}, for these raters"
    return str(row["better"])


def _notes(settings: Mapping[str, Any], people: bool, pairs: int) -> list[str]:
    correction = _CORRECTIONS[settings["correction"]]
    over = f", {correction} over {pairs} pairs" if pairs > 1 else ""
    tested = (
        f"the two systems swapped within dialogues{over}. Effect: the difference in standard deviations of differences"
    )
    if not _in_memory(settings):
        tested = f"from {settings['resamples']:,} resamples of the dialogues, the same for both{over}"
    notes = [f"Difference: mean over dialogues, with {settings['confidence']:.0%} interval. p: {tested}."]
    if people:
        notes.append(
            "The first interval holds for these raters; the second, for other raters, is for further people like them, "
            "who may like other systems."
        )
    return notes


def same_winner_table(agreement: pl.DataFrame) -> Table | None:
    """How often metric and people name the same system; None where there is nothing to compare."""
    if agreement.is_empty():
        return None
    pairs = agreement.select("system", "other").unique().height
    dimensions = agreement["dimension"].unique(maintain_order=True).to_list()
    groups = agreement.group_by("metric", "dimension", maintain_order=True)
    counts = {key: dict(part["agree"].value_counts().iter_rows()) for key, part in groups}
    metrics = agreement["metric"].unique(maintain_order=True).to_list()
    if pairs == 1:
        body = tuple(
            Row(metric, tuple(text_cell(_AGREE[next(iter(counts[metric, one]))]) for one in dimensions))
            for metric in metrics
        )
        note = "Whether metric and people show the same of the two systems to be better."
    else:
        body = tuple(
            Row(metric, tuple(text_cell(_counted(counts[metric, one])) for one in dimensions)) for metric in metrics
        )
        note = (
            f"Of {pairs} pairs of systems: how often metric and people name the same, of those for which both "
            "show one to be better; +N: further pairs for which only people do."
        )
    columns = tuple(Column(name, numeric=False) for name in dimensions)
    return Table(
        "same-winner", "metric", columns, body, title="do metric and people name the same system?", notes=(note,)
    )


def _counted(found: Mapping[str, int]) -> str:
    both = found.get("yes", 0) + found.get("no", 0)
    alone = found.get("people only", 0)
    return f"{found.get('yes', 0)} of {both}" + (f", +{alone}" if alone else "")


def better_sentences(frame: pl.DataFrame) -> list[str]:
    """For two systems, what people say in one sentence per outcome; empty for more systems."""
    if frame.select("system", "other").unique().height != 1:
        return []
    rows = frame.filter(pl.col("kind") == "dimension").to_dicts()
    said: dict[str, list[str]] = {}
    for row in rows:
        amount = "" if row["difference"] is None else f" ({_amount(row)})"
        said.setdefault(_better(row), []).append(f"{row['name']}{amount}")
    sentences = []
    for better, where in said.items():
        if better == "–":
            reason = next(row["reason"] for row in rows if _better(row) == "–")
            sentences.append(f"Nothing can be said for {listed(where)}: {reason or 'its values cannot be tested'}.")
        elif better == "not shown":
            sentences.append(f"No difference is shown for {listed(where)}.")
        else:
            system, _, limit = better.partition(", ")
            sentences.append(
                f"People find {system} better for {listed(where)}{', ' + limit + ' only' if limit else ''}."
            )
    return sentences


def _amount(row: Mapping[str, Any]) -> str:
    low, high, value = row["low"], row["high"], row["difference"]
    if value is not None and value < 0 and low is not None:
        low, high, value = -high, -low, -value
    return f"by {number(value)}" + (f", {interval(low, high, between=' to ')}" if low is not None else "")


def _without(table: Table, said: Sequence[str]) -> Table:
    return replace(table, notes=tuple(note for note in table.notes if note not in said))


def system_pairs_panel(frame: pl.DataFrame, agreement: pl.DataFrame, settings: Mapping[str, Any]) -> Panel:
    """The section on which system is better."""
    tables = pair_tables(frame, settings, most=_MOST_PAIRS)
    people = [table for table in tables if "(dimension)" in table.title or "dimension" in (table.corner or "")]
    # What holds for all tables stands above them, and not in each of them again.
    said = (people or tables)[0].notes if tables else ()
    shown = {
        "pairs_said": better_sentences(frame),
        "pairs_notes": said,
        "pairs_people": [_without(table, said) for table in people],
        "pairs_metrics": [_without(table, said) for table in tables if table not in people],
        "pairs_same": same_winner_table(agreement),
    }
    formula = (
        "which system is better",
        "Paired test over dialogues: the two values of a dialogue are swapped. Interval for these raters: Student's t "
        "over dialogues. For other raters: the variance between raters is added, with Cochran's quantile.",
        "Clark 1973; Cochran 1951",
    )
    return Panel((("pairs-of-systems", "Which system is better"),), "system_pairs.html", 78, shown, formulas=(formula,))
