"""``dialgauge correlate``: correlation of metrics with human ratings, with confidence intervals."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import HOW_TO_ADD, Format, Map, Reading, Source, load_corpus
from dialgauge.cli._judgements import has_judgements, low_agreement, note_models, note_same_names, print_evaluation
from dialgauge.cli._output import Json, note, print_json, progress_bar
from dialgauge.cli._scores_input import ScoresFile, load_scores
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval import CorrelationSettings, LabelSettings
from dialgauge.ratings import JudgementSettings, RatingPolicy

if TYPE_CHECKING:
    from dialgauge.cli._correlate_tables import Best
    from dialgauge.metaeval import JudgementEvaluation, MetricEvaluation


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("correlate")(correlate)


@with_options
def correlate(
    corpus: Source,
    scores: ScoresFile,
    settings: CorrelationSettings,
    policy: RatingPolicy,
    judgements: Annotated[JudgementSettings, Only("severities")],
    reading: Reading,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Correlate metrics with human ratings: metrics × dimensions, best first, with intervals and the human ceiling.

    [bold]dialgauge correlate study.jsonl scores.parquet --level summary -c kendall[/]

    Scores and ratings are paired by dialogue and system, never by row, within one role. [bold]*[/] marks an interval
    that excludes zero, [bold]=[/] a metric that is not significantly worse than the best one of its column
    (all pairs tested at one error, over systems).
    """
    from dialgauge.cli._correlate_tables import Found, as_json, print_found
    from dialgauge.metaeval import evaluate_judgements, evaluate_metrics
    from dialgauge.ratings import ordered_dimensions, with_judgements_as_ratings, with_ordered_ratings

    loaded = load_corpus(corpus, format, map, reading=reading)
    judgements_too = has_judgements(loaded)
    note_models(loaded)
    note_same_names(loaded)
    low = low_agreement(loaded.without_models(), policy)
    loaded = with_judgements_as_ratings(loaded, judgements)
    if loaded.ratings.is_empty():
        raise InputError(f"corpus {loaded.info.name!r} has no ratings to correlate with; {HOW_TO_ADD}")
    # Of the parts of a stream only what was rated is held in memory.
    table = load_scores(scores, only=None if judgements_too or not scores.is_dir() else loaded.ratings)
    judged = evaluate_judgements(loaded, table, settings.subset(LabelSettings), policy)
    for name in policy.dimensions or ():
        if name not in loaded.dimensions:
            raise UnknownNameError("dimension", name, loaded.dimensions)
    if ordered_dimensions(loaded, policy).dimensions == () or with_ordered_ratings(loaded, policy).ratings.is_empty():
        note(
            f"nothing to correlate with: classes without an order ({', '.join(policy.dimensions or loaded.dimensions)})"
        )
        if json:
            print_json({"judgements": _judgements_json(judged)})
        else:
            print_evaluation(judged)
            for text in low:
                note(text)
        return
    with progress_bar("correlating") as progress:
        made = evaluate_metrics(loaded, table, settings, policy, progress=progress)
    found = Found(
        corpus=loaded,
        scores=table,
        levels=made.correlations.frame["level"].unique(maintain_order=True).to_list(),
        coefficients=settings.coefficients,
        references=sorted(loaded.references["system"].unique()),
        aggregation=policy.aggregate,
        invalid=made.aggregated.invalid.height,
        ceiling_aggregation="mean" if policy.aggregate.startswith("annotator:") else policy.aggregate,
        result=made.correlations,
        ceiling=made.ceiling,
        best=_best(made),
        effect=made.references,
        disattenuated=made.disattenuated,
    )
    if json:
        print_json({**as_json(found), "judgements": _judgements_json(judged), "notes": [*made.notes, *low]})
    else:
        print_found(found)
        for text in made.notes:
            note(text)
        print_evaluation(judged)
        for text in low:
            note(text)


def _judgements_json(judged: "JudgementEvaluation") -> dict[str, list[dict[str, Any]]]:
    return {
        name: part.frame.to_dicts() if part is not None else []
        for name, part in (("labels", judged.labels), ("preferences", judged.preferences))
    }


def _best(made: "MetricEvaluation") -> "Best":
    columns = made.leaders.group_by("level", "coefficient", "dimension", maintain_order=True)
    return {(str(key[0]), str(key[1]), str(key[2])): frozenset(part["metric"]) for key, part in columns}
