"""Tables of variants, affect, learned metrics and reproductions, in the layout of the papers that they continue."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metrics import Scores
from dialgauge.report._tables import best_words, chosen
from dialgauge.tables import Cell, Column, Row, Table, number_cell, number_rows, stars_of, text_cell

_CARD = ("sensitivity", "stability", "robustness")
#: The measures of a PSentScore, and which values are better.
_MEASURES = {"spearman": "higher", "ccc": "higher", "mae": "lower"}
_PARTS = {"all": "PSentScore", "positive": "PSentScore (positive)", "negative": "PSentScore (negative)"}
_USUAL = ("rouge-1", "rouge-2", "rouge-l", "bertscore-f1")
#: Metrics in one block of Table 4 of "Tweak to Trust".
_BLOCK = 6


def robustness_table(cards: pl.DataFrame, *, metrics: Sequence[str] = (), best: int = 1, digits: int = 2) -> Table:
    """Trust cards: how well each metric reacts to degrading perturbations, and how stable it is under the others."""
    names = chosen(cards["metric"].unique(maintain_order=True).to_list(), metrics)
    dimensions = cards["dimension"].unique(maintain_order=True).to_list()
    cells = {(row["metric"], row["dimension"]): row for row in cards.iter_rows(named=True)}
    columns = tuple(
        Column(measure, dimension, digits=digits, direction="higher") for dimension in dimensions for measure in _CARD
    )
    return Table(
        "robustness",
        "metric",
        columns,
        number_rows(
            names,
            columns,
            lambda name, column: cells.get((name, column.group), {}).get(column.name),
            best=best,
        ),
        "Robustness of metrics: sensitivity to degrading perturbations, stability under meaning-preserving ones, and "
        f"both together. {best_words(best, 'column')}",
    )


def perturbation_table(changes: pl.DataFrame, *, metrics: Sequence[str] = (), digits: int = 2) -> Table:
    """Perturbations × metrics: how much each metric moves, in units of the spread between systems."""
    names = chosen(changes["metric"].unique(maintain_order=True).to_list(), metrics)
    cells = {(row["perturbation"], row["metric"]): row for row in changes.iter_rows(named=True)}
    columns = tuple(Column(name, digits=digits) for name in names)
    return Table(
        "perturbations",
        "perturbation",
        columns,
        number_rows(
            changes["perturbation"].unique(maintain_order=True).to_list(),
            columns,
            lambda name, column: cells.get((name, column.name), {}).get("change"),
            stars=lambda name, column: stars_of(cells.get((name, column.name), {}).get("p_sign_corrected")),
        ),
        "Mean change of metrics under perturbations, in standard deviations between systems; negative is worse.",
        ("Stars: sign test over dialogues, corrected, p ≤ 0.05 (*), p ≤ 0.01 (**).",),
        split=_BLOCK,
    )


def perturbed_correlation_table(found: pl.DataFrame, *, metrics: Sequence[str] = (), digits: int = 2) -> Table:
    """Correlation on originals and its change on variants, as Table 4 of "Tweak to Trust": six metrics to a block."""
    if found.is_empty():
        raise InputError(
            "the run has no correlations on variants, because they have no ratings; set perturbations.priors = true to "
            "use published means"
        )
    names = chosen(found["metric"].unique(maintain_order=True).to_list(), metrics)
    cells = {(row["dimension"], row["set"], row["metric"]): row for row in found.iter_rows(named=True)}
    rows = []
    for dimension in found["dimension"].unique(maintain_order=True):
        for part in found["set"].unique(maintain_order=True):
            original = part == "original"
            key = "value" if original else "difference"
            shown = tuple(number_cell(cells.get((dimension, part, name), {}).get(key), digits) for name in names)
            rows.append(Row("original" if original else f"{part} − original", shown, dimension))
    return Table(
        "perturbed-correlations",
        "",
        tuple(Column(name) for name in names),
        tuple(rows),
        "Correlation of metrics with ratings (mean of Pearson, Spearman and Kendall) on original summaries, and how it "
        "changes on perturbed ones.",
        ("Signs are raw: for lower-is-better metrics, a good correlation is negative.",),
        split=_BLOCK,
    )


def affect_table(
    found: pl.DataFrame,
    scores: Scores,
    *,
    side: str = "",
    metrics: Sequence[str] = (),
    best: int = 1,
    digits: int = 3,
) -> Table:
    """Systems with metrics and PSentScores (Spearman / CCC / MAE), as Table 5 of the PSentScore paper."""
    sides = found["side"].unique(maintain_order=True).to_list()
    if side not in sides:
        raise UnknownNameError("role of this run", side, [one for one in sides if one])
    rows = found.filter(pl.col("kind") != "control", side=side)
    cells = {(row["name"], row["part"]): row for row in rows.iter_rows(named=True)}
    names = rows["name"].unique(maintain_order=True).to_list()
    systems = rows.filter(kind="system")["name"].unique(maintain_order=True).to_list()
    parts = [part for part in _PARTS if part in set(rows["part"])]
    means = scores.means().filter(variant="original", role="overall")
    known = [name for name in means.columns if name in scores.directions]
    shown = chosen(known, metrics) if metrics else [name for name in _USUAL if name in known]
    values = {name: dict(zip(means["system"], means[name], strict=True)) for name in shown}
    scored = [Column(name, digits=digits, direction=scores.directions[name]) for name in shown]
    measured = [
        Column(measure, part, digits=digits, direction=direction)
        for part in parts
        for measure, direction in _MEASURES.items()
    ]

    def value(name: str, column: Column) -> float | None:
        if column.group:
            return cells.get((name, column.group), {}).get(column.name)
        return values[column.name].get(name)

    def joined(row: Row) -> Row:
        """The measures of a part in one cell."""
        numbers = [cell.parts[0] for cell in row.cells[len(shown) :]]
        of_parts = (Cell(tuple(numbers[i : i + len(_MEASURES)])) for i in range(0, len(numbers), len(_MEASURES)))
        return Row(row.name, (*row.cells[: len(shown)], *of_parts))

    body = number_rows(names, [*scored, *measured], value, best=best, can_lead=lambda name, column: name in systems)
    counts = (number_cell(max(rows.filter(part=part)["dialogues"]), 0) for part in parts)
    return Table(
        "affect",
        "system",
        (*scored, *(Column(_PARTS[part], digits=digits) for part in parts)),
        (Row("# dialogues", (*(text_cell("") for _ in shown), *counts)), *map(joined, body)),
        f"Scores, and whether the sentiment of {f'the {side}' if side else 'the dialogues'} survives in the summaries. "
        f"PSentScore: Spearman (↑) / CCC (↑) / MAE (↓). {best_words(best, 'column')}",
    )


def reproduction_table(found: pl.DataFrame, names: tuple[str, str], *, digits: int = 2) -> Table:
    """Systems with their results in the original and in the study that repeats it, and CV*, for each dimension."""
    roles = found["role"].n_unique() > 1
    blocks = list(found.select("dimension", "role").unique(maintain_order=True).iter_rows())
    cells = {(row["dimension"], row["role"], row["system"]): row for row in found.iter_rows(named=True)}
    heads = {"original": names[0], "reproduction": names[1], "cv_star": "CV*"}
    rows = [
        Row(
            system,
            tuple(number_cell(cells.get((*block, system), {}).get(key), digits) for block in blocks for key in heads),
        )
        for system in found["system"].unique(maintain_order=True)
    ]
    return Table(
        "reproduction",
        "system",
        tuple(Column(name, ", ".join(block) if roles else block[0]) for block in blocks for name in heads.values()),
        tuple(rows),
        f"Mean ratings of each system in {names[0]} and in {names[1]}, and the coefficient of variation CV* between "
        "them (0: identical results).",
        split=2 * len(heads),
    )


def learned_table(trained: Sequence[Mapping[str, Any]], *, level: str = "summary", digits: int = 2) -> Table:
    """Metrics trained on the ratings, on held-out summaries, next to the baselines."""
    rows, measures, splits = [], dict[str, None](), dict[str, None]()
    for one in trained:
        for score in one["scores"]:
            if score["level"] == level and score["value"] is not None:
                measures.setdefault(score["measure"])
        splits.setdefault(str(one["card"]["split"].get("name", "")))
    if not measures:
        levels = sorted({score["level"] for one in trained for score in one["scores"]})
        raise UnknownNameError("level of the learned metrics", level, levels)
    for one in trained:
        by: dict[str, dict[str, Any]] = {}
        for score in one["scores"]:
            if score["level"] == level:
                by.setdefault(score["by"], {"name": score["name"]})[score["measure"]] = score
        for kind, found in by.items():
            name = kind if found["name"] in (kind, "one annotator") else f"{kind} ({found['name']})"
            shown = tuple(number_cell((found.get(measure) or {}).get("value"), digits) for measure in measures)
            rows.append(Row(name, shown, one["card"]["target"]))
    return Table(
        "learned",
        "",
        tuple(Column(measure) for measure in measures),
        tuple(rows),
        f"Metrics trained on ratings, on held-out data (held out: {', '.join(splits)}), at {level} level.",
    )
