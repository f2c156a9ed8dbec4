"""``dialgauge correlate``: which metric agrees with people, and how surely."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._output import Json, note, print_json, print_numbers, progress_bar

if TYPE_CHECKING:
    from dialgauge.metaeval import Correlations, HumanCeiling


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("correlate")(correlate)


def correlate(
    corpus: Source,
    scores: Annotated[
        Path, typer.Argument(help="Scores of its summaries, as [bold]dialgauge score -o[/] writes them, or a CSV.")
    ],
    level: Annotated[
        list[str] | None,
        typer.Option("--level", "-l", help="system, summary or global; repeat for several. Default: system, summary."),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            "-c",
            help="pearson (default), spearman, kendall, mean, pairwise_accuracy or soft_pairwise_accuracy.",
        ),
    ] = None,
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", "-d", help="Only this dimension; repeat for several.")
    ] = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Only this metric; repeat.")] = None,
    with_references: Annotated[
        bool,
        typer.Option(
            "--with-references/--without-references", help="Count the references as systems, or leave them out."
        ),
    ] = False,
    oriented: Annotated[
        bool,
        typer.Option("--oriented/--raw-sign", help="Turn the sign of metrics where lower is better, or keep it."),
    ] = True,
    role: Annotated[
        str | None,
        typer.Option(help="Whose summaries, where a corpus has them by role. Default: the only one, or overall."),
    ] = None,
    aggregation: Annotated[
        str,
        typer.Option(
            "--aggregate",
            help="How several annotators become one value: mean, median, majority, majority-or-mean, annotator:NAME.",
        ),
    ] = "mean",
    resample: Annotated[str, typer.Option(help="What a new study would draw anew: systems, inputs or both.")] = "both",
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples; 0 for no intervals.")] = 1000,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Correlate metrics with human ratings: metrics × dimensions, best first, with intervals and the human ceiling.

    [bold]dialgauge correlate study.jsonl scores.parquet --level summary -c kendall[/]

    Scores and ratings are paired by dialogue and system, never by row, within one role. [bold]*[/] marks an interval
    that excludes zero, [bold]=[/] a metric that a permutation test over systems cannot tell from the best one of its
    column.
    """
    from dialgauge.errors import InputError
    from dialgauge.metaeval import correlate as correlate_frames
    from dialgauge.metaeval import human_ceiling, leaders
    from dialgauge.metaeval import reference_effect as effect_of_references
    from dialgauge.metrics import Scores
    from dialgauge.ratings import aggregate

    loaded, table = load_corpus(corpus, format, map), Scores.load(scores)
    if loaded.ratings.is_empty():
        raise InputError(f"corpus {loaded.info.name!r} has no ratings: there is nothing to correlate with")
    aggregated = aggregate(loaded.ratings, aggregation, dimensions=dimension)
    references = sorted(loaded.references["system"].unique())
    levels, coefficients = tuple(level or ("system", "summary")), tuple(coefficient or ("pearson",))
    shared: dict[str, Any] = {"dimensions": dimension, "references": references, "with_references": with_references}
    drawn: dict[str, Any] = {"resamples": resamples, "resample": resample, "confidence": confidence, "seed": seed}
    turned: dict[str, Any] = {
        "metrics": metric,
        "directions": table.directions,
        "oriented": oriented,
        "systems": table.systems,
    }
    ratings = aggregated.wide()
    # The others against one chosen annotator are no ceiling of anything: there they count by their mean.
    method = "mean" if aggregation.startswith("annotator:") else aggregation
    with progress_bar("correlating") as progress:
        result = correlate_frames(
            table.frame,
            ratings,
            levels=levels,
            coefficients=coefficients,
            role=role,
            progress=progress,
            **shared,
            **drawn,
            **turned,
        )
        shared["role"] = result.settings["role"]
        among = [name for name in coefficients if not name.endswith("accuracy")]
        ceiling = None
        if among:
            ceiling = human_ceiling(loaded.ratings, levels=levels, coefficients=among, method=method, **shared, **drawn)
        best: Best = {}
        if oriented:
            who: dict[str, Any] = {"metrics": table.metrics, "directions": table.directions}
            best = _by_column(leaders(result.frame, table.frame, ratings, progress=progress, **who, **shared, **drawn))
    rated = set(result.systems if with_references else ratings["system"]) & set(table.frame["system"])
    effect = None
    if rated & set(references):
        effect = effect_of_references(
            table.frame,
            ratings,
            references=references,
            levels=levels,
            coefficients=coefficients,
            dimensions=dimension,
            role=shared["role"],
            **turned,
        )
    if json:
        used = {"aggregate": aggregation, "ceiling_aggregate": method}
        print_json(_document(loaded.info.name, result, used, ceiling, effect, best))
        return
    for one_level in levels:
        for one in coefficients:
            _print(_Table(result, ceiling, one_level, one, best, table.directions, oriented, confidence))
    of_systems = set(result.frame["metric"]) - set(table.metrics)
    if best and of_systems:
        note(f"{', '.join(sorted(of_systems))}: no part in the test behind =, which needs a value per summary")
    _print_notes(result, references, with_references, aggregated.invalid.height, effect)
    apart = f", in the human ceiling by {method}" if method != aggregation else ""
    note(f"annotators are aggregated by {aggregation}{apart}")
    if loaded.info.ratings_origin == "constructed":
        note("these ratings were constructed by a program, not given by people")


#: For (level, coefficient, dimension), the metrics that cannot be told from the best one, with it.
Best = Mapping[tuple[str, str, str], frozenset[str]]


def _by_column(alike: pl.DataFrame) -> Best:
    groups = alike.group_by("level", "coefficient", "dimension", maintain_order=True)
    return {(str(key[0]), str(key[1]), str(key[2])): frozenset(part["metric"]) for key, part in groups}


@dataclass(frozen=True, slots=True)
class _Table:
    """One table of the output: a level and a coefficient."""

    result: "Correlations"
    ceiling: "HumanCeiling | None"
    level: str
    coefficient: str
    best: Best
    directions: Mapping[str, str]
    oriented: bool
    confidence: float


def _print(table: _Table) -> None:
    part = table.result.frame.filter(pl.col("level") == table.level, pl.col("coefficient") == table.coefficient)
    dimensions = part["dimension"].unique(maintain_order=True).to_list()
    cells = {(row["metric"], row["dimension"]): row for row in part.iter_rows(named=True)}
    means = part.group_by("metric", maintain_order=True).agg(pl.col("value").mean())
    ranked = means.sort("value", descending=True, nulls_last=True, maintain_order=True)["metric"]
    zero_matters = not table.coefficient.endswith("accuracy")
    heads, texts = [], []
    for name in ranked:
        heads.append(f"{name} ↓" if table.oriented and table.directions.get(name) == "lower" else name)
        alike = [
            name in table.best.get((table.level, table.coefficient, dimension), frozenset()) for dimension in dimensions
        ]
        texts.append([_cell(cells[name, d], like, zero_matters) for d, like in zip(dimensions, alike, strict=True)])
    if table.ceiling is not None:
        values = table.ceiling.frame.filter(pl.col("level") == table.level, pl.col("coefficient") == table.coefficient)
        found = {row["dimension"]: row for row in values.iter_rows(named=True)}
        heads.append("human ceiling")
        texts.append([_cell(found[dimension], False, False) for dimension in dimensions])
    systems, dialogues = len(table.result.systems), len(table.result.dialogues)
    title = f"{table.coefficient} at {table.level} level: {systems} systems, {dialogues} dialogues"
    print_numbers(title, ("metric", "dimension"), heads, dimensions, texts)
    for reason in part["reason"].drop_nulls().unique(maintain_order=True):
        names = part.filter(pl.col("reason") == reason)["metric"].unique(maintain_order=True)
        note(f"{', '.join(names) if len(names) <= 4 else f'{len(names)} metrics'}: {reason}")
    skipped = part["skipped"].max()
    if isinstance(skipped, int) and skipped:
        note(f"up to {skipped} of {dialogues} dialogues skipped per cell: all systems are equal there")


def _cell(row: Mapping[str, Any], alike: bool, starred: bool) -> str:
    if row["value"] is None:
        return "–"
    text = _short(row["value"])
    if row["low"] is not None:
        text += f" [{_short(row['low'])} {_short(row['high'])}]"
        star = starred and (row["low"] > 0 or row["high"] < 0)
        text += ("*" if star else " ") + ("=" if alike else " ")
    return text


def _short(value: float) -> str:
    """Two decimals without the leading zero: .93, −.07, 1.00."""
    text = f"{abs(value):.2f}"
    sign = "-" if value < 0 and text != "0.00" else ""
    return sign + (text[1:] if text.startswith("0") else text)


def _print_notes(
    result: "Correlations", references: Sequence[str], included: bool, invalid: int, effect: pl.DataFrame | None
) -> None:
    settings = result.settings
    note("best first by the mean of the dimensions")
    if result.frame.select((pl.col("oriented") & (pl.col("direction") == "lower")).any()).item():
        note("↓ better when lower: the sign is turned, so that larger correlations are better everywhere")
    elif not settings["oriented"]:
        note("raw sign: a metric that is better when lower should correlate negatively")
    if settings["resamples"]:
        over = "systems and inputs" if settings["resample"] == "both" else settings["resample"]
        note(
            f"[{settings['confidence']:.0%} interval, bootstrap over {over}], * excludes zero, "
            "= not distinguishable from the best of the column (permutation over systems, Benjamini–Hochberg)"
        )
    note(str(result.pairing))
    if invalid:
        note(f"{invalid} ratings off their scale were left out")
    if references:
        named = ", ".join(references)
        note(f"references ({named}) {'count as systems' if included else 'are left out'}")
    if effect is not None and effect["difference"].drop_nulls().len():
        row = effect.row(0, named=True)
        note(
            f"references matter most for {row['metric']} / {row['dimension']} ({row['level']} level): "
            f"{row['with']:.2f} with them, {row['without']:.2f} without"
        )


def _document(
    name: str,
    result: "Correlations",
    aggregated: Mapping[str, str],
    ceiling: "HumanCeiling | None",
    effect: pl.DataFrame | None,
    best: Best,
) -> dict[str, Any]:
    pairing = result.pairing
    return {
        "corpus": name,
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
            for (level, coefficient, dimension), alike in best.items()
        ],
        "human_ceiling": ceiling.frame.to_dicts() if ceiling else [],
        "reference_effect": effect.to_dicts() if effect is not None else [],
    }
