"""Metrics trained on the judgements of a study, and validated on held-out data."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import field_validator

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.learn import LearnSettings
from dialgauge.metrics import Scores
from dialgauge.ratings import JudgementSettings, RatingPolicy, with_judgements_as_ratings
from dialgauge.settings import Several, refusing, setting
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._rated_corpus import parted, rated_corpus, rated_digest, rated_paths
from dialgauge.study._stage import GivenPath, Section, Stage, TableKind, WrongKeyError, check_dimensions, check_path
from dialgauge.study._study_file import StudyFile

if TYPE_CHECKING:
    from dialgauge.learn import RatedCorpus
    from dialgauge.report import Panel
    from dialgauge.tables import Table

FOLDER, FACTS = "learned", "learned.json"
#: So many summaries are explained in the report: the worst and the best by what the metric says.
_EXPLAINED = 3


class LearnSection(LearnSettings):
    """``[learn]``: metrics to train on the judgements (extra ``learn``), one for each dimension in ``targets``.

    Of preferences it learns the share of its comparisons that a summary wins, of best-worst choices its points.

    ``split`` says what is held out to judge them, ``texts`` cheap features beside the scores of ``[metrics]``. ``also``
    names further rated corpora: a second metric for each target learns from all, and is judged in each corpus by what
    it learnt from the others. Without ``resamples`` and ``confidence``, intervals are made as ``[correlation]`` says.
    """

    targets: Several[str] = setting(..., "Dimension to train a metric for.", flag="--target", min_length=1)
    also: Several[str] = setting(
        (), "Another rated corpus to learn from: the folder of a finished run, or CORPUS=SCORES.", flag="--also"
    )

    @field_validator("also")
    @classmethod
    def _two_parts(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        with refusing():
            for one in given:
                parted(one)
        return given


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import learned_table

    found = run.document(FACTS)
    if found is None:
        raise InputError(f"{run.folder}: the run has no {FACTS}; it needs [learn] in the study file")
    return learned_table(found, **options)


class LearnStage(Stage):
    """Trains a metric for each target, and validates it on held-out dialogues or systems."""

    name = "learn"
    sections = (Section("learn", LearnSection, "optional"),)
    inputs = ("corpus", "scores")
    outputs = (FOLDER, FACTS)
    tables = (TableKind("learned", _table, ("level", "digits")),)

    def check(self, context: Context) -> None:
        from dialgauge.learn import corpus_to_learn

        targets, judged = context.section(LearnSection).targets, _judged(context)
        check_dimensions("learn.targets", targets, judged.dimensions)
        for target in targets:
            try:
                corpus_to_learn(judged, target, _policy(context))
            except InputError as error:
                raise WrongKeyError("learn.targets", str(error)) from error

    def settings(self, context: Context) -> Mapping[str, Any]:
        wanted = context.section(LearnSection)
        further: dict[str, Any] = {}
        if wanted.also:
            for path in (path for given in wanted.also for path in rated_paths(given, context.home)):
                check_path("learn.also", path)
            contents = [rated_digest(given, context.home) for given in wanted.also]
            further = {"also": list(wanted.also), "content": contents}
        return (
            _asked(context).model_dump(mode="json")
            | further
            | {
                "targets": list(wanted.targets),
                "ratings": _policy(context).model_dump(mode="json"),
                "severities": context.section(JudgementSettings).severities,
            }
        )

    def make(self, context: Context) -> Mapping[str, Any]:
        # From the file, which holds no times: the card must be the same on every machine.
        scores = Scores.load(context.folder / "scores.parquet")
        targets = list(context.section(LearnSection).targets)
        others = [rated_corpus(given, context.home) for given in context.section(LearnSection).also]
        context.write_json(FACTS, [_train(context, scores, target, others) for target in targets])
        return {"targets": targets}

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        for given in settings.section(LearnSection).also:
            yield from ((("learn", "also"), given, path) for path in rated_paths(given, home))

    def extras(self, settings: StudyFile) -> set[str]:
        return {"learn"}

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(LearnSection)
        texts = f"; text features: {', '.join(wanted.texts)}" if wanted.texts else ""
        how = f"learner {wanted.learner}; held out: {wanted.split}; {wanted.task}{texts}"
        return {"learned metrics": f"{', '.join(wanted.targets)}; {how}"}

    def panel(self, run: FinishedRun) -> "Panel":
        from dialgauge.report import LearnedData, learned_panel

        return learned_panel(LearnedData(run.document(FACTS)), run.corpus)


def _asked(context: Context) -> LearnSettings:
    return context.asked(LearnSettings, context.section(LearnSection))


def _policy(context: Context) -> RatingPolicy:
    return context.section(RatingPolicy).model_copy(update={"dimensions": None})


def _judged(context: Context) -> Corpus:
    """What people said, as ratings: penalties of marks are weighted as ``[judgements]`` says."""
    return with_judgements_as_ratings(context.corpus.without_models(), context.section(JudgementSettings))


def _train(context: Context, scores: Scores, target: str, others: "Sequence[RatedCorpus]") -> dict[str, Any]:
    from dialgauge.learn import contributions, permutation_importance, train

    asked, progress = _asked(context), context.progress
    trained = train(_judged(context), scores, target, asked, _policy(context), progress=progress)
    trained = trained.save(context.folder / FOLDER / target)
    importance = permutation_importance(trained.data, trained.fitted.recipe, seed=asked.seed, progress=progress)
    said = trained.validation.predictions.sort("prediction", *KEY)
    shown = said.head(_EXPLAINED).vstack(said.tail(_EXPLAINED)).select(*KEY, "rating", "prediction")
    parts = contributions(trained.fitted, trained.data.keys, trained.data.X, trained.data.names)
    across = {"across": _across(context, scores, target, others)} if others else {}
    return across | {
        "card": trained.card.as_dict(),
        "scores": trained.validation.scores.to_dicts(),
        "verdict": trained.validation.verdict,
        "claims": list(trained.validation.claims),
        "copies": trained.validation.copies.height,
        "calibration": trained.validation.calibration.to_dicts(),
        "importance": importance.to_dicts(),
        "contributions": shown.join(parts, on=list(KEY), how="left", maintain_order="left").to_dicts(),
    }


def _across(context: Context, scores: Scores, target: str, others: "Sequence[RatedCorpus]") -> dict[str, Any]:
    """The metric that learns from all corpora, and what it reaches in each when that one is held out."""
    from dialgauge.learn import RatedCorpus, train_across

    corpora = [RatedCorpus(context.study.name, _judged(context), scores), *others]
    asked = _asked(context).model_copy(update={"task": "numbers"})
    made = train_across(corpora, target, asked, _policy(context), name=f"{target}-across", progress=context.progress)
    made = made.save(context.folder / FOLDER / f"{target}-across")
    return {
        "card": made.card.as_dict(),
        "scores": made.scores.to_dicts(),
        "curve": made.curve.to_dicts(),
        "verdict": made.verdict,
        "claims": list(made.claims),
    }
