"""``dialgauge robustness``: which metrics detect degraded summaries and stay stable under rewrites."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_metric, complete_perturbation
from dialgauge.cli._corpus_input import Format, Map, Reading, Source, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, progress_bar
from dialgauge.cli._scores_input import load_scores
from dialgauge.cli._settings import Without, with_options
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import RobustnessSettings
from dialgauge.perturb import PerturbSettings
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.metrics import Scores
    from dialgauge.report import RobustnessData
    from dialgauge.study import VariantAnalysis

GivenScores = Annotated[
    Path | None,
    typer.Argument(help="Scores of originals and variants, if available ([bold]dialgauge score -o[/])."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="Metric, family or [bold]all[/] (repeatable). With SCORES: use only these columns.",
        autocompletion=complete_metric,
    ),
]
Perturbations = Annotated[
    list[str] | None,
    typer.Option(
        "--perturbation",
        "-p",
        help="Perturbation: a name, [bold]baseline[/], [bold]domain[/] or [bold]all[/] (repeatable). "
        "Omit it if the corpus has variants.",
        autocompletion=complete_perturbation,
    ),
]
Output = Annotated[
    Path | None,
    output_option("Write corpus, scores, tables and robustness.html to this folder."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("robustness")(robustness)


@with_options
def robustness(
    corpus: Source,
    settings: RobustnessSettings,
    policy: Annotated[RatingPolicy, Without("dimensions")],
    making: Annotated[PerturbSettings, Without("per_item", "seed", "include_references")],
    reading: Reading,
    scores: GivenScores = None,
    metric: Metrics = None,
    perturbation: Perturbations = None,
    texts: Annotated[bool, typer.Option("--texts", help="Show the texts of the worst failures.")] = False,
    output: Output = None,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Perturb summaries and test which metrics react: a matrix of verdicts and a trust card per metric.

    [bold]dialgauge robustness embedded -m rouge -m chrf -m ter -p baseline --seed 1[/]

    A trustworthy metric lowers its score when a summary is degraded and keeps it when the summary is merely
    rewritten. Perturbs, scores and analyses in one step, or analyses a corpus with variants, with or without scores.
    """
    from dialgauge.cli._robustness_tables import as_json, print_robustness
    from dialgauge.report import RobustnessData
    from dialgauge.study import analyse_variants

    refuse_file(output)
    loaded = load_corpus(corpus, format, map, reading=reading)
    with progress_bar("robustness") as progress:
        asked = making.model_copy(update={"seed": settings.seed})
        perturbed, declined, table = _variants_and_scores(loaded, scores, metric, perturbation, asked, progress)
        columns = _columns(table, metric) if scores else None
        analysis = analyse_variants(perturbed, table, settings, policy, metrics=columns, progress=progress)
    found = analysis.correlations.frame if analysis.correlations else None
    data = RobustnessData(perturbed, analysis.robustness.tables(), analysis.robustness.settings, found, declined)
    if output is not None:
        _write(data, analysis, table, output)
    if json:
        print_json(as_json(data))
    else:
        print_robustness(data, with_texts=texts)


def _variants_and_scores(
    corpus: "Corpus",
    scores: Path | None,
    metrics: list[str] | None,
    perturbations: list[str] | None,
    settings: PerturbSettings,
    progress: Progress,
) -> "tuple[Corpus, pl.DataFrame | None, Scores]":
    """The corpus with variants, the declined perturbations and the scores; whatever is not given is computed."""
    from dialgauge.corpus import ORIGINAL
    from dialgauge.metrics import score
    from dialgauge.perturb import perturb

    if settings.gate and not perturbations:
        raise InputError("--gate needs -p: gates check variants while they are made, not those that a corpus has")
    if scores is not None:
        if perturbations:
            raise InputError("give either SCORES of existing variants or -p for new variants, not both")
        return corpus, None, load_scores(scores)
    if not metrics:
        raise InputError("no metrics given: select metrics with -m ('dialgauge metrics' lists them), or give SCORES")
    declined = None
    if perturbations:
        made = perturb(corpus, perturbations, settings, progress=progress)
        corpus, declined = made.corpus, made.declined
    if not (corpus.summaries["variant"] != ORIGINAL).any():
        raise InputError(
            f"corpus {corpus.info.name!r} has no variants: select perturbations with -p ('dialgauge perturbations' "
            "lists them)" + (f"; all {declined.height} attempts were declined" if declined is not None else "")
        )
    return corpus, declined, score(corpus, metrics, progress=progress)


def _columns(scores: "Scores", wanted: Sequence[str] | None) -> list[str] | None:
    for name in wanted or ():
        if name not in scores.metrics:
            raise UnknownNameError("metric in these scores", name, scores.metrics)
    return list(wanted) if wanted else None


def _write(data: "RobustnessData", analysis: "VariantAnalysis", scores: "Scores", folder: Path) -> None:
    from dialgauge.corpus import write_corpus
    from dialgauge.files import atomic_file, write_text
    from dialgauge.report import render_robustness
    from dialgauge.study import write_analysis

    folder.mkdir(parents=True, exist_ok=True)
    write_corpus(data.corpus, folder / "corpus")
    scores.save(folder / "scores.parquet")
    write_analysis(analysis, folder)
    if data.declined is not None:
        with atomic_file(folder / "declined.parquet") as temporary:
            data.declined.write_parquet(temporary)
    write_text(folder / "robustness.html", render_robustness(data, f"Robustness of metrics on {data.corpus.info.name}"))
    note(f"wrote corpus, scores, tables and report: {folder / 'robustness.html'}")
