"""Tweak to Trust (Patel, Agrawal and Kumar, 2024): what can be said of its tables without its calls.

Its calls, summaries and ratings are not public, so no table can be recomputed as it was. What is printed is compared
with itself: differences and sums with the cells that they were made from, claims of the text with the tables, means and
shares with the numbers of cases that they can come from. Where the user names a corpus (``embedded`` is one), what the
same procedure gives there stands below the printed Tables 2 to 6.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import polars as pl

from dialgauge.corpus import ORIGINAL, open_corpus
from dialgauge.learn import (
    PAPER_FEATURES,
    PRIORS_SCALE,
    AugmentationTables,
    TableSettings,
    add_variants,
    check_ratings,
    nearest_class,
)
from dialgauge.metrics import score
from dialgauge.perturb import PRIORS
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy, find_scale
from dialgauge.reproduce._papers import PAPERS, Paper
from dialgauge.reproduce._printed import Layout, LayoutRow, PaperCheck, PrintedTable, load_printed, printed_rows
from dialgauge.reproduce.papers.tweak_to_trust_checks import check_prints, find_defects
from dialgauge.reproduce.papers.tweak_to_trust_figures import make_figures
from dialgauge.reproduce.papers.tweak_to_trust_tables import (
    CLASSES,
    CONDITIONS,
    FAMILIES,
    PRINTED,
    RULES,
    SETS,
    TweakResults,
    classes_text,
    printed_labels,
    ratings_table,
    tweak_results,
)

_OPTIONS = TableSettings(priors=True, resamples=0)
#: As our tables have had it: the value that two of three annotators gave, or else the mean.
_POLICY = RatingPolicy(aggregate="majority-or-mean")


def compare_print() -> PaperCheck:
    """The print compared with itself, which needs no data."""
    printed = load_printed(PAPER.printed)
    return _checked(printed, tuple(_printed_layout(printed, name) for name in (*FAMILIES, "4", *CONDITIONS, "7")))


def recompute(data: str, progress: Progress) -> PaperCheck:
    """The print compared with itself, and the procedure on the corpus that ``data`` names."""
    printed = load_printed(PAPER.printed)
    results, accuracies = _procedure(data, progress)
    source = _source(accuracies)
    layouts = (
        *(_ratings_layout(printed, results, name) for name in FAMILIES),
        _layout_4(printed, results, source),
        *(_accuracy_layout(printed, name, accuracies, source) for name in CONDITIONS),
        _printed_layout(printed, "7"),
    )
    facts = {"corpus": accuracies.settings["corpus"], "notes": list(accuracies.notes)}
    return _checked(printed, layouts, facts)


def _checked(
    printed: Mapping[str, PrintedTable], layouts: tuple[Layout, ...], facts: Mapping[str, object] | None = None
) -> PaperCheck:
    checks = check_prints(printed, tweak_to_trust_accuracies())
    figures = make_figures(printed)
    return PaperCheck(PAPER.name, PAPER.title, checks, find_defects(printed), facts or {}, layouts, figures)


def _printed_layout(printed: Mapping[str, PrintedTable], name: str) -> Layout:
    """A table as it is printed."""
    if name in FAMILIES:
        rows = []
        for label in printed_labels(name):
            means = [PRIORS[label][dimension].mean for dimension in _OPTIONS.dimensions]
            classes = classes_text([nearest_class(mean, find_scale(PRIORS_SCALE)) for mean in means])
            rows.append(LayoutRow(label, True, (*means, None), (*(f"{mean:.2f}" for mean in means), classes)))
        title = f"mean ratings of summaries perturbed by the family {FAMILIES[name]} ({RULES['half-up']})"
        columns = (*(f"{dimension} mean" for dimension in _OPTIONS.dimensions), CLASSES)
        return Layout(name, title, columns, tuple(rows))
    table = printed[name]
    text = _TABLE_7 if name == "7" else ""
    return Layout(name, table.title, table.columns, printed_rows(table), text, _differences(table))


def tweak_to_trust_accuracies() -> pl.DataFrame:
    """The accuracies of Tables 5 and 6 from 0 to 1, in the columns of :attr:`AugmentationTables.frame`.

    Columns: condition, dimension, classifier, set, accuracy, difference (to the originals).
    """
    tables = load_printed(PAPER.printed)
    rows = []
    for (number, condition), dimension in product(CONDITIONS.items(), _OPTIONS.dimensions):
        table = tables[number]
        for classifier in table.rows:
            values = {
                ours: float(table.entries[classifier, f"{dimension}/{theirs}"].value) for theirs, ours in SETS.items()
            }
            rows += [
                {
                    "condition": condition,
                    "dimension": dimension,
                    "classifier": classifier,
                    "set": name,
                    "accuracy": value / 100,
                    "difference": None if name == ORIGINAL else (value - values[ORIGINAL]) / 100,
                }
                for name, value in values.items()
            ]
    return pl.DataFrame(rows)


def _procedure(data: str, progress: Progress) -> tuple[TweakResults, AugmentationTables]:
    """Variants of all summaries, scored by the metrics that need no model, correlated and trained on."""
    corpus = open_corpus(data)
    check_ratings(corpus, _OPTIONS, _POLICY)
    augmented = add_variants(corpus, _OPTIONS.perturbations, seed=_OPTIONS.seed, progress=progress)
    scores = score(augmented.corpus, PAPER_FEATURES, progress=progress)
    return tweak_results(augmented, scores, _OPTIONS, _POLICY, progress=progress)


def _ratings_layout(printed: Mapping[str, PrintedTable], found: TweakResults, name: str) -> Layout:
    """Tables 2 and 3: the printed means, and ours where variants of this corpus were rated."""
    known = _printed_layout(printed, name)
    table = ratings_table(found.ratings.filter(pl.col("ratings") > 0), name, found.rounding)
    if not table.rows:
        text = "Printed only: no variant of this corpus has a rating. These means stand in for them in Tables 4 to 6."
        return replace(known, text=text)
    above = tuple(replace(row, values=(*row.values, None), texts=(*row.texts, "")) for row in known.rows)
    ours = tuple(
        LayoutRow(row.name, False, tuple(c.parts[0].value for c in row.cells), tuple(c.text for c in row.cells))
        for row in table.rows
    )
    text = "Ours: the mean of all ratings of a kind on the scale of this corpus, and how many there are."
    return replace(known, columns=(*known.columns, "ratings"), rows=(*above, *ours), text=text)


def _layout_4(tables: Mapping[str, PrintedTable], found: TweakResults, source: str) -> Layout:
    known = _printed_layout(tables, "4")
    cells = {(row["metric"], row["dimension"], row["set"]): row for row in found.correlations.iter_rows(named=True)}
    rows = []
    for metric in dict.fromkeys(found.correlations["metric"]):
        values = []
        for column in known.columns:
            dimension, shown = column.split("/")
            theirs, *to_original = shown.split("-")
            cell = cells[metric, dimension, SETS[theirs]]
            values.append(cell["difference" if to_original else "value"])
        rows.append(_our_row(metric, values))
    text = f"{source} Metrics that need a model are printed only. The sign of TER is kept, as in the paper."
    return replace(known, rows=(*known.rows, *rows), text=text)


def _differences(printed: PrintedTable) -> frozenset[str]:
    return frozenset(column for column in printed.columns if column.endswith("-orig"))


def _accuracy_layout(tables: Mapping[str, PrintedTable], name: str, found: AugmentationTables, source: str) -> Layout:
    known = _printed_layout(tables, name)
    part = found.frame.filter(condition=CONDITIONS[name])
    cells = {(row["classifier"], row["dimension"], row["set"]): row for row in part.iter_rows(named=True)}
    rows = []
    for classifier in dict.fromkeys(part["classifier"]):
        values: list[float | None] = []
        for column in known.columns:
            dimension, shown = column.split("/")
            theirs, *to_original = shown.split("-")
            share = cells[classifier, dimension, SETS[theirs]]["difference" if to_original else "accuracy"]
            values.append(None if share is None else 100 * share)
        rows.append(_our_row(classifier, values))
    text = (
        f"{source} Whole dialogues are held out ({_OPTIONS.folds} folds), where the paper held out a random quarter of "
        "the summaries; features are the metrics of Table 4 that need no model. 'dialgauge train-tables' has all "
        "settings, intervals and --split random."
    )
    return replace(known, rows=(*known.rows, *rows), text=text)


def _our_row(name: str, values: list[float | None]) -> LayoutRow:
    texts = tuple("" if value is None else f"{value:.2f}" for value in values)
    return LayoutRow(name, False, tuple(values), texts)


def _source(found: AugmentationTables) -> str:
    """What our rows were computed from, in words."""
    constructed = found.settings["ratings_origin"] == "constructed"
    rated = ", whose ratings were constructed by a program" if constructed else ""
    kinds = found.types.filter(pl.col("origin") == "priors")["perturbation"].n_unique()
    variants = f"{kinds} kinds of perturbed summaries have the paper's mean ratings (Tables 2 and 3)"
    return f"Ours: the corpus {found.settings['corpus']}{rated}; {variants if kinds else 'all ratings are its own'}."


_TABLE_7 = (
    "Printed only: it needs the models of UniEval and BARTScore and a training run for each row. "
    "'dialgauge finetune-table --as-paper' makes the same table for a corpus of yours."
)

PAPER = Paper(
    "tweak-to-trust",
    "Tweak to Trust: Assessing the Reliability of Summarization Metrics in Contact Centers via Perturbed Summaries",
    "a corpus with ratings of consistency and relevance, as the paper's own data are not public",
    PRINTED,
    recompute,
    compare_print=compare_print,
)
PAPERS.add(PAPER)
