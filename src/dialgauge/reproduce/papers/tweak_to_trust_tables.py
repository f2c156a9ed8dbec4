"""Tables 2 to 6 of Tweak to Trust for another corpus, in the paper's layout: its rows, columns, order and digits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.learn import (
    AugmentationTables,
    Augmented,
    Rounding,
    TableSettings,
    augmentation_tables,
)
from dialgauge.metaeval import perturbed_correlations
from dialgauge.metrics import Scores
from dialgauge.perturb import PRIORS, parse_requests
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy, aggregate
from dialgauge.reproduce._printed import load_printed
from dialgauge.tables import Cell, Column, Part, Row, Table, number, text_cell

PRINTED = "tweak_to_trust.toml"
#: What was trained on, by the table that shows it.
CONDITIONS: Mapping[str, str] = {"5": ORIGINAL, "6": "original+domain"}
#: Our names of the sets, by those of the paper.
SETS: Mapping[str, str] = {"orig": ORIGINAL, "our": "domain", "baseline": "baseline"}
#: The family of perturbations in Tables 2 and 3.
FAMILIES: Mapping[str, str] = {"2": "baseline", "3": "domain"}
#: The end of a label of the family baseline that imitates the code of its authors.
_IMITATED = ":compat=evaleval"
_STAND_INS = (
    "In brackets: published means, moved from their seven points to this scale, for kinds that nobody rated here."
)
#: The column of the classes that means are rounded to, and how halves are rounded.
CLASSES = "class"
RULES: Mapping[Rounding, str] = {
    "half-up": "class: the mean rounded, halves up",
    "half-even": "class: the mean rounded, halves to the even class",
    "none": "class: the mean itself",
}
#: The number of metrics side by side in Table 4.
_ACROSS = 6


@dataclass(frozen=True, slots=True)
class TweakResults:
    """What the procedure of the paper gives on a corpus.

    ``ratings`` has a row per dimension and kind of perturbation (Tables 2 and 3), ``correlations`` one per metric,
    dimension and set (Table 4), ``accuracies`` one per condition, dimension, classifier and set (Tables 5 and 6).
    ``rounding`` is how a mean rating became a class.
    """

    ratings: pl.DataFrame
    correlations: pl.DataFrame
    accuracies: pl.DataFrame
    rounding: Rounding = "half-up"

    def tables(self) -> dict[str, Table]:
        """Tables 2 to 6, by their numbers."""
        return {
            **{name: ratings_table(self.ratings, name, self.rounding) for name in FAMILIES},
            "4": correlations_table(self.correlations),
            **{name: accuracies_table(self.accuracies, name) for name in CONDITIONS},
        }


def tweak_results(
    augmented: Augmented,
    scores: Scores,
    settings: TableSettings,
    policy: RatingPolicy,
    *,
    progress: Progress | None = None,
) -> tuple[TweakResults, AugmentationTables]:
    """The procedure of the paper on a corpus with variants and the scores of all its summaries."""
    means = {label: {name: prior.mean for name, prior in known.items()} for label, known in PRIORS.items()}
    means |= {f"{label}{_IMITATED}": known for label, known in means.items()}
    correlations = perturbed_correlations(
        scores.frame,
        aggregate(augmented.corpus.ratings, settings=policy).wide(),
        augmented.families,
        priors=means if settings.priors else None,
        dimensions=settings.dimensions,
        progress=progress,
    )
    trained = augmentation_tables(augmented, scores, settings, policy, progress=progress)
    return TweakResults(trained.types, correlations.frame, trained.frame, settings.rounding), trained


def ratings_table(ratings: pl.DataFrame, name: str, rounding: Rounding = "half-up") -> Table:
    """Mean ratings of the kinds of variants, in the printed order, with the classes that they are rounded to and how
    many were rated.

    Where nobody rated a kind here, the published mean that stands in for it is in brackets.
    """
    part = ratings.filter(pl.col("family") == FAMILIES[name])
    dimensions = list(dict.fromkeys(ratings["dimension"]))
    found = {(row["perturbation"], row["dimension"]): row for row in part.iter_rows(named=True)}
    labels = sorted(dict.fromkeys(part["perturbation"]), key=_printed_place)
    rows = []
    for label in labels:
        cells = [found.get((label, dimension)) for dimension in dimensions]
        counts = [cell["ratings"] for cell in cells if cell]
        bare = label.removesuffix(_IMITATED)
        shown = label if bare != label and bare in labels else bare
        classes = classes_text([cell["assigned"] if cell else None for cell in cells])
        rows.append(Row(shown, (*map(_rating, cells), text_cell(classes), _value(max(counts), 0))))
    means = tuple(Column(f"{dimension} mean") for dimension in dimensions)
    columns = (*means, Column(CLASSES, numeric=False), Column("ratings", digits=0))
    title = f"Table {name}: mean ratings of summaries perturbed by the family {FAMILIES[name]} ({RULES[rounding]})"
    notes = (
        *([_STAND_INS] if _any_unrated(part) else []),
        *(["Perturbed as by the code of Sai et al. (2021): compat=evaleval."] if _all_imitated(labels) else []),
    )
    return Table(f"table-{name}", "Perturbation Type", columns, tuple(rows), title=title, notes=notes)


def classes_text(classes: Sequence[float | None]) -> str:
    """The class on each dimension, in one cell: *5 / 6*."""
    return " / ".join("–" if value is None else f"{value:g}" for value in classes)


def _all_imitated(labels: Sequence[str]) -> bool:
    return bool(labels) and all(label.endswith(_IMITATED) for label in labels)


def printed_labels(name: str) -> list[str]:
    """The kinds of perturbation in Table 2 or 3, as printed."""
    return [label for label in PRIORS if parse_requests([label])[0].perturbation.family == FAMILIES[name]]


def _printed_place(label: str) -> int:
    """Where a kind stands in the print; kinds that are not there come last, in their own order."""
    known = list(PRIORS)
    return known.index(bare) if (bare := label.partition(":")[0]) in known else len(known)


def _any_unrated(part: pl.DataFrame) -> bool:
    return part.filter(pl.col("ratings") == 0).height > 0


def _rating(cell: Mapping[str, Any] | None) -> Cell:
    if cell is None:
        return _value(None, 2)
    shown = _value(cell["mean"], 2)
    return shown if cell["ratings"] else Cell((Part(f"({shown.text})", value=cell["mean"]),))


def correlations_table(correlations: pl.DataFrame) -> Table:
    """A column per metric, six side by side; for each dimension the originals and the differences to them."""
    printed = load_printed(PRINTED)["4"]
    found = {(row["metric"], row["dimension"], row["set"]): row for row in correlations.iter_rows(named=True)}
    metrics = list(dict.fromkeys(correlations["metric"]))
    rank = {name: place for place, name in enumerate(printed.rows)}
    metrics.sort(key=lambda name: rank.get(name, len(rank)))  # others follow, in their own order
    rows = []
    for dimension in dict.fromkeys(correlations["dimension"]):
        for theirs, ours in SETS.items():
            column = "value" if theirs == "orig" else "difference"
            cells = [found.get((metric, dimension, ours)) for metric in metrics]
            shown = tuple(_value(None if cell is None else cell[column], 2) for cell in cells)
            if any(cell is not None for cell in cells):
                rows.append(Row(theirs if theirs == "orig" else f"{theirs} - orig", shown, dimension.capitalize()))
    columns = tuple(Column(printed.row_names.get(name, name)) for name in metrics)
    title = "Table 4: mean of Pearson, Spearman and Kendall on originals, and its change on perturbed summaries"
    return Table("table-4", "set", columns, tuple(rows), title=title, grouping="dimension", split=_ACROSS)


def accuracies_table(accuracies: pl.DataFrame, name: str) -> Table:
    """A row per dimension and classifier: accuracy in per cent on each set, and the differences to the originals."""
    printed = load_printed(PRINTED)[name]
    part = accuracies.filter(pl.col("condition") == CONDITIONS[name])
    found = {(row["dimension"], row["classifier"], row["set"]): row for row in part.iter_rows(named=True)}
    columns = [column.split("/")[1] for column in printed.columns[: len(printed.columns) // 2]]
    rows = []
    for dimension, classifier in dict.fromkeys((dimension, classifier) for dimension, classifier, _ in found):
        cells = []
        for column in columns:
            theirs, *to_original = column.split("-")
            cell = found.get((dimension, classifier, SETS[theirs]))
            value = None if cell is None else cell["difference" if to_original else "accuracy"]
            cells.append(_value(value, 2, scale=100))
        rows.append(Row(printed.row_names.get(classifier, classifier), tuple(cells), dimension.capitalize()))
    title = f"Table {name}: accuracy in %, trained on {CONDITIONS[name]}"
    made = tuple(Column(column) for column in columns)
    return Table(f"table-{name}", "classifier", made, tuple(rows), title=title, grouping="dimension")


def _value(value: float | None, digits: int, *, scale: int = 1) -> Cell:
    return Cell((Part("" if value is None else number(value, digits, scale=scale), value=value),))
