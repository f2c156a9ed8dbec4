"""``dialgauge correlate``: which metric agrees with people, and how surely."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import HOW_TO_ADD, Format, Map, Source, load_corpus
from dialgauge.cli._options import Aggregate, Confidence, Resamples, Seed
from dialgauge.cli._output import Json, print_json, progress_bar
from dialgauge.cli._scores_input import ScoresFile, load_scores
from dialgauge.errors import InputError
from dialgauge.progress import Progress

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.cli._correlate_tables import Best, Found
    from dialgauge.corpus import Corpus
    from dialgauge.metaeval import Correlations, HumanCeiling
    from dialgauge.metrics import Scores

Levels = Annotated[
    list[str] | None,
    typer.Option("--level", "-l", help="system, summary or global; repeat for several. Default: system, summary."),
]
Coefficients = Annotated[
    list[str] | None,
    typer.Option(
        "--coefficient",
        "-c",
        help="pearson (default), spearman, kendall, mean, pairwise_accuracy or soft_pairwise_accuracy.",
    ),
]
Dimensions = Annotated[
    list[str] | None, typer.Option("--dimension", "-d", help="Only this dimension; repeat for several.")
]
#: Options that say yes or no have a panel of their own: their names are long, and would leave no room to the others.
_PANEL = "References and signs"
WithReferences = Annotated[
    bool,
    typer.Option(
        "--with-references/--without-references",
        help="Count the references as systems, or leave them out.",
        rich_help_panel=_PANEL,
    ),
]
Oriented = Annotated[
    bool,
    typer.Option(
        "--oriented/--raw-sign",
        help="Turn the sign of metrics where lower is better, or keep it.",
        rich_help_panel=_PANEL,
    ),
]
Role = Annotated[
    str | None,
    typer.Option(help="Whose summaries, where a corpus has them by role. Default: the only one, or overall."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("correlate")(correlate)


def correlate(
    corpus: Source,
    scores: ScoresFile,
    level: Levels = None,
    coefficient: Coefficients = None,
    dimension: Dimensions = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Only this metric; repeat.")] = None,
    with_references: WithReferences = False,
    oriented: Oriented = True,
    role: Role = None,
    aggregation: Aggregate = "mean",
    resample: Annotated[str, typer.Option(help="What a new study would draw anew: systems, inputs or both.")] = "both",
    resamples: Resamples = 1000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
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
    from dialgauge.cli._correlate_tables import as_json, print_found

    loaded, table = load_corpus(corpus, format, map), load_scores(scores)
    if loaded.ratings.is_empty():
        raise InputError(f"corpus {loaded.info.name!r} has no ratings: nothing to correlate with; {HOW_TO_ADD}")
    question = _Question(
        corpus=loaded,
        scores=table,
        levels=tuple(level or ("system", "summary")),
        coefficients=tuple(coefficient or ("pearson",)),
        dimensions=dimension,
        metrics=metric,
        with_references=with_references,
        oriented=oriented,
        role=role,
        aggregation=aggregation,
        drawn={"resamples": resamples, "resample": resample, "confidence": confidence, "seed": seed},
    )
    with progress_bar("correlating") as progress:
        found = question.answer(progress)
    if json:
        print_json(as_json(found))
    else:
        print_found(found)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is correlated with what, and how; ``drawn`` is how intervals and tests are resampled."""

    corpus: "Corpus"
    scores: "Scores"
    levels: Sequence[str]
    coefficients: Sequence[str]
    dimensions: Sequence[str] | None
    metrics: Sequence[str] | None
    with_references: bool
    oriented: bool
    role: str | None
    aggregation: str
    drawn: dict[str, Any]

    def answer(self, progress: Progress) -> "Found":
        """Correlations, what people reach, who leads, and what the references change."""
        from dialgauge.cli._correlate_tables import Found
        from dialgauge.ratings import aggregate

        aggregated = aggregate(self.corpus.ratings, self.aggregation, dimensions=self.dimensions)
        ratings = aggregated.wide()
        # The others against one chosen annotator are no ceiling of anything: there they count by their mean.
        method = "mean" if self.aggregation.startswith("annotator:") else self.aggregation
        result = self._correlations(ratings, progress)
        role = result.settings["role"]
        return Found(
            corpus=self.corpus,
            scores=self.scores,
            levels=self.levels,
            coefficients=self.coefficients,
            references=self._references,
            aggregation=self.aggregation,
            invalid=aggregated.invalid.height,
            ceiling_aggregation=method,
            result=result,
            ceiling=self._ceiling(method, role),
            best=self._best(result, ratings, role, progress),
            effect=self._reference_effect(result, ratings, role),
        )

    @property
    def _references(self) -> list[str]:
        return sorted(self.corpus.references["system"].unique())

    @property
    def _shared(self) -> dict[str, Any]:
        """Whose ratings take part."""
        return {
            "dimensions": self.dimensions,
            "references": self._references,
            "with_references": self.with_references,
        }

    @property
    def _turned(self) -> dict[str, Any]:
        """Which metrics take part, and with which sign."""
        return {
            "metrics": self.metrics,
            "directions": self.scores.directions,
            "oriented": self.oriented,
            "systems": self.scores.systems,
        }

    def _correlations(self, ratings: "pl.DataFrame", progress: Progress) -> "Correlations":
        from dialgauge.metaeval import correlate

        return correlate(
            self.scores.frame,
            ratings,
            levels=self.levels,
            coefficients=self.coefficients,
            role=self.role,
            progress=progress,
            **self._shared,
            **self.drawn,
            **self._turned,
        )

    def _ceiling(self, method: str, role: str) -> "HumanCeiling | None":
        """How far people agree with each other, by the coefficients that there are for that."""
        from dialgauge.metaeval import human_ceiling

        among = [name for name in self.coefficients if not name.endswith("accuracy")]
        if not among:
            return None
        return human_ceiling(
            self.corpus.ratings,
            levels=self.levels,
            coefficients=among,
            method=method,
            role=role,
            **self._shared,
            **self.drawn,
        )

    def _best(self, result: "Correlations", ratings: "pl.DataFrame", role: str, progress: Progress) -> "Best":
        """The leaders of each column; with raw signs there is no best."""
        from dialgauge.metaeval import leaders

        if not self.oriented:
            return {}
        alike = leaders(
            result.frame,
            self.scores.frame,
            ratings,
            metrics=self.scores.metrics,
            directions=self.scores.directions,
            role=role,
            progress=progress,
            **self._shared,
            **self.drawn,
        )
        columns = alike.group_by("level", "coefficient", "dimension", maintain_order=True)
        return {(str(key[0]), str(key[1]), str(key[2])): frozenset(part["metric"]) for key, part in columns}

    def _reference_effect(self, result: "Correlations", ratings: "pl.DataFrame", role: str) -> "pl.DataFrame | None":
        """What the references change, where they were scored and rated."""
        from dialgauge.metaeval import reference_effect

        rated = set(result.systems if self.with_references else ratings["system"]) & set(self.scores.frame["system"])
        if not rated & set(self._references):
            return None
        return reference_effect(
            self.scores.frame,
            ratings,
            references=self._references,
            levels=self.levels,
            coefficients=self.coefficients,
            dimensions=self.dimensions,
            role=role,
            **self._turned,
        )
