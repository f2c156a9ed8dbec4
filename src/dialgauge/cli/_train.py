"""``dialgauge train``: train a metric on your ratings."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_dimension
from dialgauge.cli._corpus_input import Format, Map, Reading, Source, load_corpus
from dialgauge.cli._judgements import note_models
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar
from dialgauge.cli._scores_input import ScoresFile, load_scores
from dialgauge.cli._settings import Without, with_options
from dialgauge.cli._train_across import further_corpora, train_on_several
from dialgauge.errors import InputError, counted
from dialgauge.learn import LearnSettings
from dialgauge.progress import Progress
from dialgauge.ratings import RatingPolicy
from dialgauge.tables import interval, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from dialgauge.learn import Across, Selection, Training

#: The measure that is left without the means of systems.
_WITHIN = "pearson within systems"
#: How the verdicts are said.
LEVELS = {"use": "use", "care": "use with care", "do-not-use": "do not use"}
Output = Annotated[Path | None, output_option("Folder to write the trained metric to.")]
Name = Annotated[
    str | None,
    typer.Option(help="Save the metric under this name; use it as [bold]-m learned:folder=NAME[/]."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="RUN|CORPUS=SCORES",
        help="Another rated corpus to learn from: a finished run, or a corpus and its scores; each is held out once.",
    ),
]
Select = Annotated[
    bool, typer.Option("--select", help="Also find the cheapest set of features that is nearly as good.")
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("train")(train)


@with_options
def train(
    corpus: Source,
    scores: ScoresFile,
    target: Annotated[
        str,
        typer.Option("--target", "-t", help="Rated dimension to predict.", autocompletion=complete_dimension),
    ],
    settings: LearnSettings,
    policy: Annotated[RatingPolicy, Without("dimensions")],
    reading: Reading,
    output: Output = None,
    name: Name = None,
    also: Also = None,
    select: Select = False,
    importance: Annotated[bool, typer.Option("--importance", help="Also show which features matter.")] = False,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Train a metric on ratings, from the scores of other metrics, and validate it on held-out summaries.

    [bold]dialgauge train calls.jsonl scores.parquet --target consistency --split both -o my-metric[/]

    It is compared with the best of its feature metrics (chosen inside the folds), the same procedure on shuffled
    ratings, and the human ceiling. What may be said of it is printed, and nothing stronger. With
    [bold]--also other.jsonl=other.parquet[/] it learns from several corpora, and is judged in each by what it learnt
    from the others. Score with it:
    [bold]dialgauge score new.jsonl -m learned:folder=my-metric[/]
    """
    from dialgauge.learn import named_folder, refuse_foreign, train as train_metric

    if output is not None and name is not None:
        raise InputError("give either --output or --name, not both")
    refuse_file(output)
    folder = named_folder(name) if name else output
    if folder is not None:
        refuse_foreign(folder)
    loaded, table = load_corpus(corpus, format, map, reading=reading), load_scores(scores)
    note_models(loaded)
    if also:
        if importance or select:
            raise InputError("--importance and --select are for one corpus; leave out --also")
        called = name or (output.name if output else None)
        first = Path(corpus).stem, loaded, table
        train_on_several(first, further_corpora(also), target, settings, policy, folder, called, json)
        return
    with progress_bar("training") as progress:
        trained = train_metric(
            loaded, table, target, settings, policy, name=name or (output.name if output else None), progress=progress
        )
        report = _explain(trained, importance, select, settings.seed, progress)
    if folder is not None:
        report = replace(report, training=trained.save(folder))
    if json:
        print_json(_as_json(report, folder))
        return
    _show(report)
    if folder is not None:
        note(f"wrote {folder}; score with it: dialgauge score CORPUS -m learned:folder={name or folder}")


@dataclass(frozen=True, slots=True)
class _Report:
    """The results that the command shows."""

    training: "Training"
    importance: "pl.DataFrame | None"
    selection: "Selection | None"


def _explain(trained: "Training", importance: bool, select: bool, seed: int, progress: Progress) -> _Report:
    """The trained metric with feature importance and feature selection, if requested."""
    from dialgauge.learn import permutation_importance, select_features

    data, recipe, seconds = trained.data, trained.fitted.recipe, trained.table.seconds
    return _Report(
        trained,
        permutation_importance(data, recipe, seed=seed, progress=progress) if importance else None,
        select_features(data, recipe, seconds, seed=seed, progress=progress) if select else None,
    )


def metric_as_json(made: "Training | Across", folder: Path | None) -> dict[str, Any]:
    """What was trained, on what, and where it is."""
    return {
        "name": made.card.name,
        "target": made.card.target,
        "folder": None if folder is None else str(folder),
        "learner": made.fitted.recipe.as_dict(),
        "split": dict(made.card.split),
        "data": dict(made.card.data),
        "features": [use.name for use in made.card.features],
    }


def _as_json(report: _Report, folder: Path | None) -> dict[str, Any]:
    made, validation = report.training, report.training.validation
    selection = report.selection
    return {
        **metric_as_json(made, folder),
        "missing": _missing(made),
        "verdict": validation.verdict,
        "claims": list(validation.claims),
        "interval": None if validation.intervals is None else validation.intervals.as_dict(),
        "copies": validation.copies.to_dicts(),
        "scores": validation.scores.to_dicts(),
        "calibration": validation.calibration.to_dicts(),
        "chosen": validation.chosen.to_dicts(),
        "importance": None if report.importance is None else report.importance.to_dicts(),
        "selection": None
        if selection is None
        else {"chosen": list(selection.chosen), "unknown": list(selection.unknown), "sets": selection.frame.to_dicts()},
    }


def _missing(made: "Training") -> dict[str, int]:
    """Number of missing values per feature."""
    return {use.name: use.missing for use in made.card.features if use.missing}


def _show(report: _Report) -> None:
    _show_scores(report.training)
    _show_remarks(report.training)
    if report.importance is not None:
        ranked = report.importance.select("feature", "drop").head(15).iter_rows()
        rows = [(name, f"{drop:.4f}") for name, drop in ranked]
        print_table("feature importance: loss when a feature is shuffled", ("feature", "loss"), rows, numeric=["loss"])
    if report.selection is not None:
        _show_selection(report.selection)


def _show_scores(made: "Training") -> None:
    """Pearson's r of everything that is compared, at both levels; then how far predictions are off."""
    from dialgauge.learn import find_split

    card, validation = made.card, made.validation
    title = f"{card.name}: {card.target}, {card.data['summaries']:,} summaries, split {validation.split!r}"
    level = f"{100 * validation.settings['confidence']:g} %"
    known = {
        (row["by"], row["measure"], row["level"]): row
        for row in validation.scores.iter_rows(named=True)
        if row["value"] is not None
    }

    def cell(by: str, measure: str, where: str = "summary") -> str:
        row = known.get((by, measure, where))
        return "–" if row is None else _with_interval(row)

    rows: list[tuple[str, ...]] = []
    for by, name in dict.fromkeys((row["by"], row["name"]) for row in known.values() if row["measure"] == "pearson"):
        said = by if by == name else f"{by} ({name})"
        rows.append((said, *(cell(by, "pearson", where) for where in ("summary", "system"))))
        if (by, _WITHIN, "summary") in known:
            rows.append((f"{by}, among summaries of one system", cell(by, _WITHIN), ""))
    if rows:
        apart = "system" in find_split(validation.split).apart
        within = "within dialogues" if apart else "within dialogues and systems"
        print_table(title, (f"Pearson's r [{level}]", within, "of systems"), rows)
    measures = list(dict.fromkeys(key[1] for key in known if key[0] == "mean predictor"))
    off = [(by, *(cell(by, name) for name in measures)) for by in ("learned", "mean predictor")]
    print_table("" if rows else title, (f"of summaries [{level}]", *measures), off)
    note("Spearman, Kendall and their mean: --json")


def _with_interval(row: "Mapping[str, Any]") -> str:
    value = number(row["value"], 2)
    return value if row["low"] is None else f"{value} [{interval(row['low'], row['high'], 2, between=', ')}]"


def _show_remarks(made: "Training") -> None:
    """Note the parts of the metric, the limits of its split, and missing values."""
    recipe, validation = made.fitted.recipe, made.validation
    parts = recipe.settings.get("members", [{"learner": recipe.learner, "settings": recipe.settings}])
    note(("the mean of " if len(parts) > 1 else "") + ", ".join(map(_describe_part, parts)))
    for claim in validation.claims:
        note(claim)
    note(f"verdict: {LEVELS[validation.verdict]}")
    if (found := validation.intervals) is not None:
        note(
            f"single summaries: prediction ± {found.half_width:.2f} should hold {found.level:.0%} of mean ratings; on "
            f"held-out systems it held {found.coverage:.0%}, least for {found.worst} ({found.worst_coverage:.0%})"
        )
    if copied := validation.settings["copied_texts"]:
        together = validation.settings["held_out_together"]
        apart = f"; held out together: {'; '.join(together)}" if together else ""
        note(f"{counted(copied, 'text')} by several systems: never on both sides{apart}")
    note(validation.hides)
    missing = _missing(made)
    if missing:
        shown = ", ".join(f"{feature} ({count})" for feature, count in missing.items())
        note(f"missing values, filled with the median of the training rows: {shown}")


def _show_selection(selection: "Selection") -> None:
    sets = [
        (row["features"], f"{row['seconds']:.2f}", f"{row['value']:.3f}", f"{row['error']:.3f}", _mark(row))
        for row in selection.frame.iter_rows(named=True)
    ]
    heads = ("features", "seconds", selection.objective, "error", "")
    print_table("feature sets, cheapest first", heads, sets, numeric=heads[:4])
    note(f"chosen: {', '.join(selection.chosen)}")


def _describe_part(part: "Mapping[str, Any]") -> str:
    settings = ", ".join(f"{name} {value}" for name, value in part["settings"].items())
    return f"{part['learner']} ({settings})"


def _mark(row: dict[str, Any]) -> str:
    if row["chosen"]:
        return "chosen"
    return "within one standard error of the best" if row["within"] else ""
