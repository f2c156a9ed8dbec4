"""Tables of results in the layout of the papers that they continue: correlations, systems, agreement."""

from collections.abc import Sequence

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metrics import SYSTEM_KEY, Scores
from dialgauge.report._tables_model import (
    NOTHING,
    Column,
    PaperTable,
    Row,
    best_of,
    number,
    number_rows,
    plain,
    stars_of,
)

_SHORT = {"system": "sys", "summary": "sum", "global": "glob"}
_COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
#: So many metrics are many.
_MANY = 15
#: What the papers show beside the ratings of systems.
_USUAL = ("rouge-1", "rouge-2", "rouge-l")


def correlation_table(
    correlations: pl.DataFrame,
    *,
    coefficient: str = "pearson",
    metrics: Sequence[str] = (),
    best: int | None = None,
    digits: int = 2,
) -> PaperTable:
    """Metrics × dimensions at each level, as Table 1 of Re-DialSummEval: stars at system level, the best bold.

    ``best`` is five, as there, where there are many metrics, and one where there are fewer than fifteen.
    """
    known = correlations["coefficient"].unique().to_list()
    if coefficient not in known:
        raise UnknownNameError("coefficient of this run", coefficient, known)
    rows = correlations.filter(coefficient=coefficient)
    names = chosen(rows["metric"].unique(maintain_order=True).to_list(), metrics)
    rows = rows.filter(pl.col("metric").is_in(names))
    cells = {(row["metric"], row["dimension"], row["level"]): row for row in rows.iter_rows(named=True)}
    levels = [level for level in _SHORT if level in set(rows["level"])]
    heads = {
        f"{dimension}/{level}": (dimension, level)
        for dimension in rows["dimension"].unique(maintain_order=True)
        for level in levels
    }

    valued = any(row["value"] is not None for row in cells.values())
    bold = (5 if len(names) >= _MANY else 1) if best is None else best
    bold = bold if valued else 0

    def judged(column: str) -> set[str]:
        # What does not claim to judge, or judges the wrong way round, cannot be the best judge.
        found = [cells[name, *heads[column]] for name in names if (name, *heads[column]) in cells]
        right = [row for row in found if row["direction"] != "none" and (row["value"] or 0.0) > 0]
        return best_of({row["metric"]: row["value"] for row in right}, bold, digits)

    ways = {row["metric"]: row["direction"] for row in cells.values()}
    lowered = sorted(name for name, way in ways.items() if way == "lower")
    notes = [] if valued else [f"No values: {reason}." for reason in _reasons(rows)]
    if valued and "system" in levels:
        notes.append("Stars: p ≤ 0.05 (*), p ≤ 0.01 (**) of no correlation between systems.")
    notes += describing([name for name in names if ways[name] == "none"], bold)
    if lowered:
        notes.append(f"Negated, because lower is better: {', '.join(lowered)}.")
    return PaperTable(
        "correlations",
        "metric",
        tuple(Column(_SHORT[level], dimension) for dimension, level in heads.values()),
        number_rows(
            names,
            list(heads),
            lambda name, column: cells.get((name, *heads[column]), {}).get("value"),
            lambda column: digits,
            judged,
            lambda name, column: stars_of(cells.get((name, *heads[column]), {}).get("p_value")),
        ),
        f"Correlation ({_COEFFICIENTS[coefficient]}) of metrics with ratings, across "
        f"{' and '.join(_words(level) for level in levels)}. {best_words(bold, 'column')}",
        tuple(notes),
    )


def system_table(
    ratings: pl.DataFrame | None,
    scores: Scores,
    *,
    metrics: Sequence[str] = (),
    best: int | None = None,
    digits: int = 3,
) -> PaperTable:
    """Mean ratings and scores of each system, as Table 2 of Re-DialSummEval: the two best of each column bold.

    Of two systems it is one, and of a single one none: where all are bold, nothing is said.
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
    columns = [f"rating:{name}" for name in dimensions] + [f"metric:{name}" for name in shown]
    values = {column: dict(zip(names, frame[column].to_list(), strict=True)) for column in columns}
    ways = {column: scores.directions.get(column.removeprefix("metric:"), "higher") for column in columns}

    bold = min(2, len(names) - 1) if best is None else best

    def leading(column: str) -> set[str]:
        return set() if ways[column] == "none" else best_of(values[column], bold, digits, lower=ways[column] == "lower")

    groups = ("rating", "metric") if dimensions else ("metric", "metric")
    return PaperTable(
        "systems",
        "system",
        tuple(Column(name, groups[0]) for name in dimensions) + tuple(Column(name, groups[1]) for name in shown),
        number_rows(names, columns, lambda name, column: values[column][name], lambda column: digits, leading),
        f"Mean {'ratings and scores' if dimensions else 'scores'} of each system. {best_words(bold, 'column')}",
        tuple(describing([name for name in shown if ways[f"metric:{name}"] == "none"], bold)),
    )


def agreement_table(
    agreement: pl.DataFrame, *, removed: int = 0, cleaning: str = "none", digits: int = 2
) -> PaperTable:
    """How many ratings there are and how far annotators agree, as Table 3 of Re-DialSummEval."""
    rows = agreement.filter(pl.col("scope").is_in(["overall", "dimension"]))
    if rows.is_empty():
        raise InputError("the run measured no agreement: nobody rated, or nothing was rated twice")
    found = {row["dimension"] or "all": row for row in rows.iter_rows(named=True)}
    names = [name for name in found if name != "all"] + [name for name in found if name == "all"]
    interval = [
        NOTHING
        if found[name]["low"] is None
        else f"{number(found[name]['low'], digits)} to {number(found[name]['high'], digits)}"
        for name in names
    ]
    lines: dict[str, list[str]] = {
        "ratings": [str(found[name]["ratings"]) for name in names],
        "rated summaries": [str(found[name]["units"]) for name in names],
        "annotators": [str(found[name]["annotators"]) for name in names],
        "Krippendorff's α": [number(found[name]["value"], digits) for name in names],
        "interval": interval,
    }
    notes = []
    if cleaning != "none":
        notes.append(f"Agreement is that of the ratings as given; {cleaning} then took out {removed} of them.")
    return PaperTable(
        "agreement",
        "",
        tuple(Column(name) for name in names),
        tuple(Row(name, tuple(plain(text) for text in texts)) for name, texts in lines.items()),
        "Ratings, and the agreement of the annotators.",
        tuple(notes),
    )


def chosen(known: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The names asked for, in their order; all of them where nothing was asked for."""
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
    """The note about metrics that are never bold, because more of them is neither better nor worse."""
    return [f"Never bold, because they only describe: {', '.join(names)}."] if names and best > 0 else []


def best_words(best: int, of: str) -> str:
    if best < 1:
        return ""
    return f"Bold: the best of each {of}." if best == 1 else f"Bold: the {best} best of each {of}."
