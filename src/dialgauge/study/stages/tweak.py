"""The tables of "Tweak to Trust" for the corpus of a study."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import model_validator

from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.files import write_text
from dialgauge.learn import LEARNERS, ConditionSettings, TableSettings
from dialgauge.metrics import Scores
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import Several, setting
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.variant_scores import SCORES
from dialgauge.study.stages.variants import PerturbationsSection, with_variants
from dialgauge.tables import render_table

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

FRAMES = {name: f"tweak-{name}.parquet" for name in ("ratings", "correlations", "accuracies")}
TABLES, FOLDER, TUNED = "tweak-tables.md", "tuned", "tweak-tuned.parquet"
_NEEDS = "[tweak_to_trust] in the study file"


class TweakSection(TableSettings):
    """``[tweak_to_trust]``: Tables 2 to 7 of the paper for this corpus, in its layout.

    Variants are those of ``[perturbations]`` and of the corpus, metrics those of ``[metrics]``. ``as_paper`` takes the
    paper's settings.
    Table 7 needs models and hours: ``tuned`` names the metrics to fine-tune for it, none by default, ``models``
    other weights, and ``epochs`` and ``limit`` make it shorter.
    """

    tuned: Several[str] = setting((), "Metric to fine-tune for Table 7, such as unieval or bartscore.", flag="--tuned")
    models: Several[str] = setting((), "Weights to fine-tune from, as METRIC=MODEL.", flag="--model")
    epochs: int | None = setting(None, "Table 7: passes over the training data (default: those of the metric).", ge=1)
    limit: int | None = setting(
        None, "Table 7: tokens of a text that are read (default: as many as the metric reads).", ge=10
    )

    @model_validator(mode="after")
    def _variants_are_made_elsewhere(self) -> "TweakSection":
        if "perturbations" in self.model_fields_set:
            raise ValueError('perturbations: name them in [perturbations], as use = ["baseline", "domain"]')
        return self


def _kind(name: str) -> TableKind:
    def make(run: FinishedRun, **options: Any) -> "Table":
        tables = _tables(run)
        if name not in tables:
            raise InputError(f"{run.folder}: no metric was fine-tuned; name some in [tweak_to_trust] tuned")
        return tables[name]

    return TableKind(f"tweak-{name}", make, ())


class TweakStage(Stage):
    """Repeats the procedure of the paper on the variants of this study."""

    name = "tweak-to-trust"
    sections = (Section("tweak_to_trust", TweakSection, "optional"),)
    inputs = ("corpus", "scores", "variants", "variant-scores")
    outputs = (*FRAMES.values(), TABLES, FOLDER, TUNED)
    tables = tuple(map(_kind, ("2", "3", "4", "5", "6", "7")))
    needs_ratings = True

    def check(self, context: Context) -> None:
        from dialgauge.learn import check_ratings, has_no_variants

        if not context.section(PerturbationsSection).use and has_no_variants(context.corpus):
            raise InputError('tweak_to_trust: the tables need variants: [perturbations] use = ["baseline", "domain"]')
        check_ratings(context.corpus, _asked(context), _policy(context))

    def settings(self, context: Context) -> Mapping[str, Any]:
        section = context.section(TweakSection)
        return _asked(context).model_dump(mode="json") | {
            "tuned": list(section.tuned),
            "models": list(section.models),
            **_shortened(section),
            "ratings": _policy(context).model_dump(mode="json"),
        }

    def files(self, context: Context) -> list[str]:
        return [*FRAMES.values(), TABLES] + ([FOLDER, TUNED] if context.section(TweakSection).tuned else [])

    def make(self, context: Context) -> Mapping[str, Any]:
        from dialgauge.learn import find_families
        from dialgauge.reproduce import tweak_results

        section, asked, policy = context.section(TweakSection), _asked(context), _policy(context)
        corpus, scores = context.corpus, context.scores
        if context.section(PerturbationsSection).use:
            corpus = with_variants(context.folder, corpus)
            made = Scores.load(context.folder / SCORES)
            scores = replace(scores, frame=pl.concat([scores.frame, made.frame], how="diagonal_relaxed"))
        augmented = find_families(corpus, asked.needed, made=True)
        found, trained = tweak_results(augmented, scores, asked, policy, progress=context.progress)
        for name, file in FRAMES.items():
            context.write(file, getattr(found, name))
        tables = list(found.tables().values())
        if section.tuned:
            tables.append(_tune(context, corpus))
        write_text(context.folder / TABLES, "\n".join(render_table(table, "markdown") for table in tables))
        return {"notes": list(trained.notes)}

    def modules(self, context: Context) -> Iterable[str]:
        names = context.section(TweakSection).classifiers
        return {module for name in names for module in LEARNERS.modules(LEARNERS.find(name))}

    def extras(self, settings: StudyFile) -> set[str]:
        return {"learn", "parser"}

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(TweakSection)
        how = f"{', '.join(wanted.dimensions)}; held out: {wanted.split}, {wanted.folds} folds"
        return {"Tweak to Trust": f"{how}; {'published means for unrated kinds' if wanted.priors else 'own ratings'}"}

    def panel(self, run: FinishedRun) -> "Panel":
        from dialgauge.report import plain_panel

        return plain_panel(
            "tweak-to-trust",
            "Tweak to Trust",
            "Tables 2 to 7 of Tweak to Trust, for this corpus",
            sentences=_SENTENCES,
            tables=list(_tables(run).values()),
        )


_SENTENCES = (
    "After Patel, Agrawal and Kumar (2024): how people rate perturbed summaries, how metrics agree with them there, "
    "and what classifiers learn from originals alone and with variants.",
    "Kinds of variants that nobody rated have the rating of their kind, so that ratings within a kind do not differ.",
)


def _tune(context: Context, corpus: Corpus) -> "Table":
    """Train for Table 7, and write what comes out."""
    from dialgauge.learn import run_tuning_table

    section, asked = context.section(TweakSection), _asked(context)
    tuned = run_tuning_table(
        corpus,
        context.folder / FOLDER,
        settings=asked.subset(ConditionSettings, conditions=("all",), **_shortened(section)),
        policy=_policy(context),
        metrics=section.tuned,
        targets=asked.dimensions,
        models=section.models,
        progress=context.progress,
    )
    context.write(TUNED, tuned.frame)
    return tuned.table()


def _shortened(section: TweakSection) -> dict[str, int]:
    """The settings of the training that were given; the others are those of the metric."""
    given = {"epochs": section.epochs, "limit": section.limit}
    return {name: value for name, value in given.items() if value is not None}


def _asked(context: Context) -> TableSettings:
    return context.asked(TableSettings, context.section(TweakSection))


def _policy(context: Context) -> RatingPolicy:
    return context.section(RatingPolicy).model_copy(update={"dimensions": None})


def _tables(run: FinishedRun) -> "dict[str, Table]":
    from dialgauge.learn import tuned_table
    from dialgauge.reproduce import TweakResults

    frames = {name: run.needed_table(f"tweak-{name}", _NEEDS) for name in FRAMES}
    tuned = run.table("tweak-tuned")
    rounding = run.stage(TweakStage.name)["settings"]["rounding"]
    return TweakResults(**frames, rounding=rounding).tables() | ({} if tuned is None else {"7": tuned_table(tuned)})
