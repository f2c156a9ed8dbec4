"""Table 7 of "Tweak to Trust" in one go: metrics × dimensions × conditions, tested on one mixed set."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL, Corpus
from dialgauge.files import write_text
from dialgauge.learn._augment import add_variants, has_no_variants
from dialgauge.learn._conditions import Conditions, run_conditions
from dialgauge.learn._settings import CONDITIONS, ConditionSettings, TuningGrid, fine_tunable
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import chosen_pair, takes
from dialgauge.tables import Cell, Column, Part, Row, Table, number, render_table

#: What the rows are called in the paper.
PRINTED_NAMES: Mapping[str, str] = {
    "out-of-the-box": "Out Of Box",
    "original": "Original",
    "original+baseline": "Original with Baseline Perturbation",
    "original+domain": "Original with Our Perturbation",
}


@dataclass(frozen=True, slots=True)
class TuningTable:
    """The results of each metric and dimension, by their names in the grid."""

    parts: Mapping[tuple[str, str], Conditions]

    @property
    def frame(self) -> pl.DataFrame:
        """All rows of all parts, with the columns ``metric`` and ``target`` before those of :class:`Conditions`."""
        return pl.concat(
            part.frame.select(pl.lit(metric).alias("metric"), pl.lit(target).alias("target"), pl.all())
            for (metric, target), part in self.parts.items()
        )

    def table(self, tested: str = "all") -> Table:
        """In the layout of the paper."""
        return tuned_table(self.frame, tested)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "parts": [
                {"metric": metric, "target": target, **part.as_dict()} for (metric, target), part in self.parts.items()
            ]
        }


def tuned_table(frame: pl.DataFrame, tested: str = "all") -> Table:
    """A row per condition, a column per metric and dimension, four decimals, as in the paper."""
    found = {
        (row["metric"], row["target"], row["condition"]): row
        for row in frame.filter(pl.col("set") == tested).iter_rows(named=True)
    }
    cells = list(dict.fromkeys((metric, target) for metric, target, _ in found))
    rows = [
        Row(PRINTED_NAMES[condition], tuple(_cell(found.get((*key, condition))) for key in cells))
        for condition in CONDITIONS
        if any((*key, condition) in found for key in cells)
    ]
    columns = tuple(Column(target, metric, digits=4, direction="higher") for metric, target in cells)
    mixed = "originals and variants" if tested == "all" else tested
    title = f"Table 7: mean of Pearson, Spearman and Kendall with the ratings, on held-out {mixed}"
    return Table("tuned", "trained on", columns, tuple(rows), title=title)


def _cell(row: Mapping[str, Any] | None) -> Cell:
    value = None if row is None else row["value"]
    bounds = None if row is None or row["low"] is None else (row["low"], row["high"])
    return Cell((Part(number(value, 4), value=value, interval=bounds),))


@takes(TuningGrid, ConditionSettings, RatingPolicy)
def run_tuning_table(
    corpus: Corpus,
    folder: Path | str,
    grid: TuningGrid | None = None,
    settings: ConditionSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> TuningTable:
    """Train every metric of the grid for every dimension under all conditions, and test all on the same dialogues.

    Each cell is a subfolder (``unieval/consistency``) with its trained metrics; the table is written beside them. Call
    it again with the same arguments to resume after an interruption.
    """
    trained = {name: value for name, value in changes.items() if name in ConditionSettings.model_fields}
    others = {name: value for name, value in changes.items() if name not in trained}
    grid, policy = chosen_pair("run_tuning_table", others, (TuningGrid, grid), (RatingPolicy, policy))
    cells = _cells(grid, settings, trained)
    folder = Path(folder)
    first = next(iter(cells.values()))
    needed = {family for name in first.conditions for family in CONDITIONS[name]} - {ORIGINAL}
    if needed and has_no_variants(corpus):
        made = add_variants(corpus, first.perturbations, needed=sorted(needed), seed=first.seed, progress=progress)
        corpus = made.corpus
    parts = {
        (metric, target): run_conditions(
            corpus, folder / metric / target, chosen, policy, progress=_named(progress, f"{metric}, {target}")
        )
        for (metric, target), chosen in cells.items()
    }
    result = TuningTable(parts)
    write_text(
        folder / "table.json", json.dumps(result.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    )
    write_text(folder / "table.md", render_table(result.table(), "markdown"))
    return result


def _cells(
    grid: TuningGrid, settings: ConditionSettings | None, changes: Mapping[str, Any]
) -> dict[tuple[str, str], ConditionSettings]:
    """The settings of each cell, all checked before anything is trained."""
    given = settings.model_fields_set if settings else frozenset()
    usual: dict[str, Any] = {} if "conditions" in given else {"conditions": ("all",)}
    cells = {}
    for metric, target in product(grid.metrics, grid.targets):
        model = grid.model_of(metric)
        named = {} if model is None else {"model": model}
        mine = {"target": target, "metric": fine_tunable(metric, target), **named}
        cells[metric, target] = ConditionSettings.chosen(settings, {**usual, **changes, **mine}, "run_tuning_table")
    return cells


def _named(progress: Progress | None, cell: str) -> Callable[[str, int, int], None] | None:
    if progress is None:
        return None
    return lambda what, done, total: progress(f"{cell}: {what}", done, total)
