"""``dialgauge train-tables``: the effect of training on variants (Tables 5 and 6 of "Tweak to Trust")."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import RawCsv, output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar, show, write_file
from dialgauge.cli._scores_input import load_scores
from dialgauge.cli._settings import Without, with_options
from dialgauge.errors import InputError
from dialgauge.learn import TableSettings
from dialgauge.ratings import RatingPolicy
from dialgauge.tables import number

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.learn import AugmentationTables, Augmented, TablesFolder
    from dialgauge.metrics import Scores

Features = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="Metric or family to use as a feature (default: BLEU, chrF, TER and ROUGE-L, compared with the reference "
        "and, except for TER, with the source). Repeatable.",
        autocompletion=complete_metric,
    ),
]
_FILES = "Files"
Output = Annotated[
    Path | None,
    output_option(
        "Folder for variants, scores and tables; rerun to resume.",
        rich_help_panel=_FILES,
    ),
]
GivenScores = Annotated[
    Path | None,
    typer.Option(
        help="Scores file whose columns are used as features instead; it must include the variants.",
        rich_help_panel=_FILES,
    ),
]
AugmentedFile = Annotated[
    Path | None,
    typer.Option(
        help="Write the corpus with its variants and their ratings, for [bold]dialgauge train[/].",
        rich_help_panel=_FILES,
    ),
]
Csv = Annotated[Path | None, typer.Option(help="Write every cell to a CSV file.", rich_help_panel=_FILES)]
Markdown = Annotated[Path | None, typer.Option(help="Write the tables as Markdown.", rich_help_panel=_FILES)]
Latex = Annotated[Path | None, typer.Option(help="Write the tables as LaTeX.", rich_help_panel=_FILES)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("train-tables")(train_tables)


@with_options
def train_tables(
    corpus: Source,
    settings: TableSettings,
    policy: Annotated[RatingPolicy, Without("dimensions")],
    output: Output = None,
    metric: Features = None,
    scores: GivenScores = None,
    augmented: AugmentedFile = None,
    csv: Csv = None,
    markdown: Markdown = None,
    latex: Latex = None,
    raw_csv: RawCsv = False,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Test whether quality classifiers fail on perturbed summaries, and whether training on variants helps.

    [bold]dialgauge train-tables embedded --priors -o tables --markdown tables.md[/]

    Repeats Tables 5 and 6 of Tweak to Trust (Patel, Agrawal and Kumar 2024). Metric scores are the features,
    the points of the rating scale the classes. Each classifier is trained on the originals, then on originals with
    domain variants, and tested on held-out originals and held-out variants of both families. The variants of a
    summary are always on its side of the split.
    """
    from dialgauge.learn import TablesFolder, augmentation_tables

    refuse_file(output)
    folder = TablesFolder(output)
    loaded = load_corpus(corpus, format, map)
    whole, table = _prepare(loaded, folder, settings, policy, metric, scores)
    with progress_bar("training") as progress:
        result = augmentation_tables(whole, table, settings, policy, progress=progress)
    if augmented is not None:
        _write_augmented(whole, settings, policy, augmented)
    _write(result, output, csv, markdown, latex, raw_csv)
    if json:
        print_json(result.as_dict())
        return
    _show(result)
    if folder.reused:
        note(f"reused from {output}: {'; '.join(folder.reused)}")


def _prepare(
    corpus: "Corpus",
    folder: "TablesFolder",
    options: TableSettings,
    policy: RatingPolicy,
    metric: list[str] | None,
    scores: Path | None,
) -> "tuple[Augmented, Scores]":
    """The corpus with variants, and the scores of all its summaries, computed or read from the file."""
    from dialgauge.learn import PAPER_FEATURES, check_ratings
    from dialgauge.metrics import parse_requests

    if scores is not None and metric:
        raise InputError("give either --metric or --scores, not both")
    check_ratings(corpus, options, policy)
    wanted = metric or PAPER_FEATURES
    given = None if scores is None else load_scores(scores, "--scores")
    parse_requests(wanted)
    references = options.include_references
    with progress_bar("variants") as progress:
        augmented = folder.variants(
            corpus,
            options.perturbations,
            needed=options.needed,
            include_references=references,
            seed=options.seed,
            progress=progress,
        )
    if given is not None:
        return augmented, given
    with progress_bar("scoring") as progress:
        return augmented, folder.scores(augmented.corpus, wanted, include_references=references, progress=progress)


def _write_augmented(whole: "Augmented", options: TableSettings, policy: RatingPolicy, path: Path) -> None:
    from dialgauge.corpus import write_corpus
    from dialgauge.learn import VariantSettings, assign_ratings

    corpus = assign_ratings(whole, options.dimensions, options.subset(VariantSettings), policy, seed=options.seed)
    write_corpus(corpus, path)
    note(f"wrote {path}: {corpus.summaries.height:,} summaries, {corpus.ratings.height:,} ratings")


def _write(
    result: "AugmentationTables",
    output: Path | None,
    csv: Path | None,
    markdown: Path | None,
    latex: Path | None,
    raw_csv: bool,
) -> None:
    from json import dumps

    from dialgauge.learn import tables_latex, tables_markdown
    from dialgauge.tables import csv_text

    wanted: list[tuple[Path | None, Callable[[], str]]] = [
        (csv, partial(csv_text, [result.frame.columns, *result.frame.rows()], escape_formulas=not raw_csv)),
        (markdown, partial(tables_markdown, result)),
        (latex, partial(tables_latex, result)),
        (output and output / "tables.json", partial(dumps, result.as_dict(), ensure_ascii=False, indent=2)),
    ]
    for path, make in wanted:
        if path is not None:
            write_file(path, make().rstrip("\n") + "\n")


def _show(result: "AugmentationTables") -> None:
    from dialgauge.learn import gaps, shown_tables
    from dialgauge.reproduce import tweak_to_trust_accuracies

    for table in shown_tables(result):
        show(table, compact=True)
    rows = [
        (by, row["dimension"], row["condition"], *_gap(row))
        for by, frame in (("here", result.gaps), ("the paper", gaps(tweak_to_trust_accuracies())))
        for row in frame.iter_rows(named=True)
    ]
    if not result.gaps.is_empty():
        heads = ("", "dimension", "trained on", "change before", "after", "narrower", "higher on variants")
        print_table("effect of training on variants", heads, rows, numeric=heads[3:])
    for text in result.notes:
        note(text)


def _gap(row: dict[str, float]) -> tuple[str, str, str, str]:
    return (
        number(row["before"], "+.1f", scale=100),
        number(row["after"], "+.1f", scale=100),
        f"{row['narrower']} of {row['comparisons']}",
        f"{row['higher']} of {row['comparisons']}",
    )
