"""Tables of results in the layout of the papers that they continue: correlations, systems, agreement."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metrics import SYSTEM_KEY, Scores
from dialgauge.tables import Column, Row, Table, interval, number_cell, number_rows, stars_of, text_cell

_SHORT = {"system": "sys", "summary": "sum", "global": "glob"}
#: How a coefficient is called in a caption, and what is measured by it.
_COEFFICIENTS = {
    "pearson": "Correlation (Pearson's r)",
    "spearman": "Correlation (Spearman's ρ)",
    "kendall": "Correlation (Kendall's τ)",
    "mean": "Correlation (mean of Pearson's r, Spearman's ρ and Kendall's τ)",
    "pairwise_accuracy": "Agreement (share of pairs in the same order)",
    "soft_pairwise_accuracy": "Agreement (soft share of pairs in the same order)",
}
#: From this number of metrics on, five are bold.
_MANY = 15
#: What the papers show beside the ratings of systems.
_USUAL = ("rouge-1", "rouge-2", "rouge-l")


def correlation_table(
    correlations: pl.DataFrame,
    *,
    coefficient: str | None = None,
    metrics: Sequence[str] = (),
    best: int | None = None,
    digits: int = 2,
) -> Table:
    """Metrics × dimensions at each level, as Table 1 of Re-DialSummEval: stars at system level, the best bold.

    ``coefficient`` is Pearson's, or else the first that was computed. ``best`` is five, as there, where there are many
    metrics, and one where there are fewer than fifteen.
    """
    known = correlations["coefficient"].unique(maintain_order=True).to_list()
    if coefficient is None:
        coefficient = "pearson" if "pearson" in known or not known else str(known[0])
    if coefficient not in known:
        raise UnknownNameError("coefficient of this run", coefficient, known)
    rows = correlations.filter(coefficient=coefficient)
    names = chosen(rows["metric"].unique(maintain_order=True).to_list(), metrics)
    rows = rows.filter(pl.col("metric").is_in(names))
    levels = {short: level for level, short in _SHORT.items() if level in set(rows["level"])}
    cells = {(row["metric"], row["dimension"], _SHORT[row["level"]]): row for row in rows.iter_rows(named=True)}
    columns = tuple(
        Column(short, dimension, digits=digits, direction="higher")
        for dimension in rows["dimension"].unique(maintain_order=True)
        for short in levels
    )

    def found(name: str, column: Column) -> Mapping[str, Any]:
        return cells.get((name, column.group, column.name), {})

    def judges(name: str, column: Column) -> bool:
        # Descriptive metrics, and those that correlate negatively, cannot be the best.
        return found(name, column).get("direction") != "none" and (found(name, column).get("value") or 0.0) > 0

    valued = any(row["value"] is not None for row in cells.values())
    bold = (5 if len(names) >= _MANY else 1) if best is None else best
    bold = bold if valued else 0
    ways = {row["metric"]: row["direction"] for row in cells.values()}
    lowered = sorted(name for name, way in ways.items() if way == "lower")
    notes = [] if valued else [f"No values: {reason}." for reason in _reasons(rows)]
    if valued and "sys" in levels and any(row["p_value"] is not None for row in cells.values()):
        notes.append("Stars: correlation across systems significant at p ≤ 0.05 (*), p ≤ 0.01 (**).")
    notes += describing([name for name in names if ways[name] == "none"], bold)
    if lowered:
        notes.append(f"Negated, because lower is better: {', '.join(lowered)}.")
    return Table(
        "correlations",
        "metric",
        columns,
        number_rows(
            names,
            columns,
            lambda name, column: found(name, column).get("value"),
            best=bold,
            can_lead=judges,
            stars=lambda name, column: stars_of(found(name, column).get("p_value")),
        ),
        f"{_COEFFICIENTS[coefficient]} of metrics with ratings, across "
        f"{' and '.join(_words(level) for level in levels.values())}. {best_words(bold, 'column')}",
        tuple(notes),
    )


def system_table(
    ratings: pl.DataFrame | None,
    scores: Scores,
    *,
    metrics: Sequence[str] = (),
    best: int | None = None,
    digits: int = 3,
) -> Table:
    """Mean ratings and scores of each system, as Table 2 of Re-DialSummEval: the two best of each column bold.

    With two systems it is one, with a single system none: bold marks a difference.
    """
    means = scores.means()
    known = [name for name in means.columns if name not in SYSTEM_KEY]
    shown = chosen(known, metrics) if metrics else [name for name in _USUAL if name in known] or known[:3]
    dimensions: list[str] = []
    frame = means.select(*SYSTEM_KEY, *(pl.col(name).alias(f"metric:{name}") for name in shown))
    if ratings is not None:
        dimensions = [name for name in ratings.columns if name not in KEY]
        rated = ratings.group_by(SYSTEM_KEY).agg(pl.col(name).mean().alias(f"rating:{name}") for name in dimensions)
        frame = rated.join(frame, on=list(SYSTEM_KEY), how="full", coalesce=True)
    frame = frame.sort(SYSTEM_KEY)
    names = [
        " / ".join(part for part in row if part not in ("original", "overall"))
        for row in frame.select(SYSTEM_KEY).iter_rows()
    ]
    columns = (
        *(Column(name, "rating", digits=digits, direction="higher") for name in dimensions),
        *(Column(name, "metric", digits=digits, direction=scores.directions.get(name, "higher")) for name in shown),
    )
    values = {column: dict(zip(names, frame[f"{column.group}:{column.name}"], strict=True)) for column in columns}
    bold = min(2, len(names) - 1) if best is None else best
    return Table(
        "systems",
        "system",
        columns,
        number_rows(names, columns, lambda name, column: values[column][name], best=bold),
        f"Mean {'ratings and scores' if dimensions else 'scores'} of each system. {best_words(bold, 'column')}",
        tuple(describing([column.name for column in columns if column.direction == "none"], bold)),
    )


def agreement_table(agreement: pl.DataFrame, *, removed: int = 0, cleaning: str = "none", digits: int = 2) -> Table:
    """How many ratings there are and how far annotators agree, as Table 3 of Re-DialSummEval."""
    rows = agreement.filter(pl.col("scope").is_in(["overall", "dimension"]))
    if rows.is_empty():
        raise InputError("the run has no agreement: there are no ratings, or no summary was rated twice")
    found = {row["dimension"] or "all": row for row in rows.iter_rows(named=True)}
    names = [name for name in found if name != "all"] + [name for name in found if name == "all"]
    measured = [found[name] for name in names]
    lines = {
        "ratings": [number_cell(row["ratings"], 0) for row in measured],
        "rated summaries": [number_cell(row["units"], 0) for row in measured],
        "annotators": [number_cell(row["annotators"], 0) for row in measured],
        "Krippendorff's α": [number_cell(row["value"], digits) for row in measured],
        "interval": [text_cell(interval(row["low"], row["high"], digits, between=" to ")) for row in measured],
    }
    notes = []
    if cleaning != "none":
        notes.append(f"Agreement is on the ratings as given; {cleaning} then removed {removed} of them.")
    return Table(
        "agreement",
        "",
        tuple(Column(name) for name in names),
        tuple(Row(name, tuple(cells)) for name, cells in lines.items()),
        "Ratings, and the agreement of the annotators.",
        tuple(notes),
    )


def chosen(known: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The requested names, in their order; all of them if none were requested."""
    for name in wanted:
        if name not in known:
            raise UnknownNameError("metric of this run", name, known)
    return list(dict.fromkeys(wanted)) or list(known)


def _reasons(rows: pl.DataFrame) -> list[str]:
    return rows["reason"].drop_nulls().unique(maintain_order=True).to_list()


def _words(level: str) -> str:
    return {"system": "systems (sys)", "summary": "summaries of a dialogue (sum)", "global": "all summaries (glob)"}[
        level
    ]


def describing(names: Sequence[str], best: int) -> list[str]:
    """The note about descriptive metrics, which are never bold because higher is neither better nor worse."""
    return [f"Never bold (descriptive metrics): {', '.join(names)}."] if names and best > 0 else []


def best_words(best: int, of: str) -> str:
    if best < 1:
        return ""
    return f"Bold: the best of each {of}." if best == 1 else f"Bold: the {best} best of each {of}."
