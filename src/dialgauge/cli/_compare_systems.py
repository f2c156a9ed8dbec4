"""``dialgauge compare-systems``: which system is better, by metrics and by people."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import Format, Map, Reading, Source, load_corpus
from dialgauge.cli._judgements import note_models
from dialgauge.cli._output import Json, note, print_json, progress_bar, show
from dialgauge.cli._pipes import from_pipe
from dialgauge.cli._scores_input import load_scores
from dialgauge.cli._settings import with_options
from dialgauge.metaeval import SystemComparisonSettings
from dialgauge.ratings import RatingPolicy


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("compare-systems")(compare_systems)


@with_options
def compare_systems(
    corpus: Source,
    settings: SystemComparisonSettings,
    policy: RatingPolicy,
    reading: Reading,
    scores: Annotated[
        Path | None,
        typer.Argument(
            help="Scores of its summaries, written by [bold]dialgauge score -o[/] ([bold]-[/]: standard input); not "
            "needed for ratings.",
            callback=from_pipe,
        ),
    ] = None,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Which system is better? Every two systems, compared by each rated dimension and each metric.

    [bold]dialgauge compare-systems calls.jsonl scores.parquet --system v1 --system v2[/]

    A paired test over dialogues, with interval, effect size and corrected p-value. For ratings there are two intervals:
    for these raters, and for other raters like them, who may prefer other systems. A last table says whether metric and
    people name the same system.
    """
    from dialgauge.metaeval import compare_systems as compare
    from dialgauge.report import pair_tables, same_winner_table

    loaded = load_corpus(corpus, format, map, reading=reading)
    note_models(loaded)
    table = None if scores is None else load_scores(scores)
    with progress_bar("comparing") as progress:
        found = compare(loaded, table, settings, policy, progress=progress)
    if json:
        print_json(
            {
                "corpus": loaded.info.name,
                "settings": dict(found.settings),
                "comparisons": found.frame.to_dicts(),
                "same_winner": found.agreement.to_dicts(),
            }
        )
        return
    made = [*pair_tables(found.frame, found.settings)]
    same = same_winner_table(found.agreement)
    if same is not None:
        made.append(same)
    for one in made:
        show(one)
    for text in dict.fromkeys(text for one in made for text in one.notes):
        note(text)
