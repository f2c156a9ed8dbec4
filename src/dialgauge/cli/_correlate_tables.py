"""Output of ``dialgauge correlate``: a table for each level and coefficient, or one JSON document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.cli._output import note, show
from dialgauge.errors import counted
from dialgauge.tables import Cell, Table, estimate_cell, matrix

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.metaeval import Correlations, HumanCeiling
    from dialgauge.metrics import Scores

#: For (level, coefficient, dimension), the metrics that are not significantly worse than the best.
Best = Mapping[tuple[str, str, str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Found:
    """The results that the command shows."""

    corpus: "Corpus"
    scores: "Scores"
    levels: Sequence[str]
    coefficients: Sequence[str]
    references: Sequence[str]
    aggregation: str
    invalid: int
    ceiling_aggregation: str
    result: "Correlations"
    ceiling: "HumanCeiling | None"
    best: Best
    effect: pl.DataFrame | None
    disattenuated: pl.DataFrame


def print_found(found: Found) -> None:
    """Print the tables, and notes about them on stderr."""
    for level in found.levels:
        for coefficient in found.coefficients:
            show(level_table(found, level, coefficient))
            _print_left_out(found, level, coefficient)
    _print_notes(found)


def level_table(found: Found, level: str, coefficient: str) -> Table:
    """Metrics × dimensions at a level, best first, with the human ceiling below."""
    from dialgauge.metaeval import COEFFICIENT_NAMES

    here = (pl.col("level") == level, pl.col("coefficient") == coefficient)
    part = found.result.frame.filter(*here)
    dimensions = part["dimension"].unique(maintain_order=True).to_list()
    heads, cells = _rows(found, part, dimensions, level, coefficient)
    ceiling = None if found.ceiling is None else found.ceiling.frame.filter(*here)
    if ceiling is not None and not ceiling.is_empty():
        values = {row["dimension"]: row for row in ceiling.iter_rows(named=True)}
        heads.append("human ceiling")
        cells.append([_cell(values[dimension], False, False) for dimension in dimensions])
        if ceiling["perfect"].is_not_null().any():
            heads.append("perfect metric")
            cells.append([_cell(_perfect(values[dimension]), False, False) for dimension in dimensions])
    systems, dialogues = len(found.result.systems), len(found.result.dialogues)
    what = "summaries each" if _over_items(found.result) else "systems"
    called = COEFFICIENT_NAMES[coefficient] if coefficient == "mean" else coefficient
    title = f"{called} at {level} level: {systems} {what}, {dialogues} dialogues"
    return matrix(title, ("metric", "dimension"), heads, dimensions, cells, kind="correlations")


def _perfect(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": row["perfect"], "low": row["perfect_low"], "high": row["perfect_high"]}


def _over_items(result: "Correlations") -> bool:
    """Whether variants of one system stand in the place of systems."""
    return all(name.startswith("item ") for name in result.systems)


def _print_left_out(found: Found, level: str, coefficient: str) -> None:
    part = found.result.frame.filter(pl.col("level") == level, pl.col("coefficient") == coefficient)
    for reason in part["reason"].drop_nulls().unique(maintain_order=True):
        names = part.filter(pl.col("reason") == reason)["metric"].unique(maintain_order=True)
        note(f"{', '.join(names) if len(names) <= 4 else f'{len(names)} metrics'}: {reason}")
    skipped = part.filter(pl.col("value").is_not_null())["skipped"].max()
    if isinstance(skipped, int) and skipped:
        why = "all systems are equal there, or fewer than three have values"
        note(f"up to {skipped} of {len(found.result.dialogues)} dialogues skipped per cell: {why}")


def _rows(
    found: Found, part: pl.DataFrame, dimensions: Sequence[str], level: str, coefficient: str
) -> tuple[list[str], list[list[Cell]]]:
    """The names of the metrics, best first, and their cells."""
    cells = {(row["metric"], row["dimension"]): row for row in part.iter_rows(named=True)}
    means = part.group_by("metric", maintain_order=True).agg(pl.col("value").mean())
    ranked = means.sort("value", descending=True, nulls_last=True, maintain_order=True)["metric"].to_list()
    leading = {dimension: found.best.get((level, coefficient, dimension), frozenset()) for dimension in dimensions}
    zero_matters = not coefficient.endswith("accuracy")
    lower = {name for name, way in found.scores.directions.items() if way == "lower"}
    turned = lower if found.result.settings["oriented"] else set()
    heads = [f"{name} ↓" if name in turned else name for name in ranked]
    return heads, [[_cell(cells[name, d], name in leading[d], zero_matters) for d in dimensions] for name in ranked]


def _cell(row: Mapping[str, Any], alike: bool, starred: bool) -> Cell:
    marks = ""
    if row["low"] is not None and row["value"] is not None:
        marks = ("*" if starred and (row["low"] > 0 or row["high"] < 0) else " ") + ("=" if alike else " ")
    return estimate_cell(row["value"], row["low"], row["high"], short=True, marks=marks, reason=row.get("reason"))


def _print_notes(found: Found) -> None:
    of_systems = set(found.result.frame["metric"]) - set(found.scores.metrics)
    if found.best and of_systems:
        note(f"{', '.join(sorted(of_systems))}: not in the significance test (=), which needs a value per summary")
    _print_reading(found.result)
    note(str(found.result.pairing))
    if found.invalid:
        note(f"skipped: {counted(found.invalid, 'rating')} off the scale")
    _print_references(found)
    other = found.ceiling_aggregation != found.aggregation
    apart = f", and for the human ceiling by {found.ceiling_aggregation}" if other else ""
    note(f"annotators are aggregated by {found.aggregation}{apart}")
    if found.corpus.info.ratings_origin == "constructed":
        note("these ratings were constructed by a program, not given by people")


def _print_reading(result: "Correlations") -> None:
    """Explain the order, the signs and the marks of the tables."""
    from dialgauge.metaeval import best_floor

    settings = result.settings
    note("metrics are sorted by their mean over the dimensions, best first")
    if result.frame.select((pl.col("oriented") & (pl.col("direction") == "lower")).any()).item():
        note("↓ lower is better: the sign is flipped, so that larger correlations are always better")
    elif not settings["oriented"]:
        note("raw sign: a lower-is-better metric should correlate negatively")
    if settings["resamples"]:
        over = "systems and inputs" if settings["resample"] == "both" else settings["resample"]
        note(
            f"[{settings['confidence']:.0%} interval, bootstrap over {over}], * excludes zero, "
            "= not significantly worse than the best of the column (all pairs of metrics tested at one error)"
        )
        units = len(result.dialogues if _over_items(result) else result.systems)
        if (floor := best_floor(units)) > 1 - settings["confidence"] and units > 1:
            note(f"=: {units} systems can never show that a metric is worse (no p-value is below {floor:.3g})")


def _print_references(found: Found) -> None:
    if found.references:
        included = found.result.settings["with_references"]
        named = ", ".join(found.references)
        note(f"references ({named}) {'count as systems' if included else 'are excluded'}")
    if found.effect is not None and found.effect["difference"].drop_nulls().len():
        row = found.effect.row(0, named=True)
        note(
            f"references matter most for {row['metric']} / {row['dimension']} ({row['level']} level): "
            f"{row['with']:.2f} with them, {row['without']:.2f} without"
        )


def as_json(found: Found) -> dict[str, Any]:
    """The same results as one JSON document."""
    result, pairing = found.result, found.result.pairing
    aggregated = {"aggregate": found.aggregation, "ceiling_aggregate": found.ceiling_aggregation}
    return {
        "corpus": found.corpus.info.name,
        "settings": {**result.settings, **aggregated},
        "systems": list(result.systems),
        "dialogues": len(result.dialogues),
        "pairing": {
            "paired": pairing.paired,
            "only_scores": pairing.only_scores.height,
            "only_ratings": pairing.only_ratings.height,
            "missing_scores": dict(pairing.missing_scores),
            "missing_ratings": dict(pairing.missing_ratings),
            "left_out": pairing.filtered.to_dicts(),
        },
        "correlations": result.frame.to_dicts(),
        "like_the_best": [
            {"level": level, "coefficient": coefficient, "dimension": dimension, "metrics": sorted(alike)}
            for (level, coefficient, dimension), alike in found.best.items()
        ],
        "human_ceiling": found.ceiling.frame.to_dicts() if found.ceiling else [],
        "disattenuated": found.disattenuated.to_dicts(),
        "reference_effect": found.effect.to_dicts() if found.effect is not None else [],
    }
