"""Metrics trained on the ratings of a study, and validated on held-out data."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.learn import LearnSettings
from dialgauge.metrics import Scores
from dialgauge.ratings import RatingPolicy
from dialgauge.settings import Several, setting
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind, check_dimensions
from dialgauge.study._study_file import StudyFile

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

FOLDER, FACTS = "learned", "learned.json"
#: So many summaries are explained in the report: the worst and the best by what the metric says.
_EXPLAINED = 3


class LearnSection(LearnSettings):
    """``[learn]``: metrics to train on the ratings (extra ``learn``), one for each dimension in ``targets``.

    ``split`` says what is held out to judge them, ``texts`` cheap features beside the scores of ``[metrics]``. Without
    ``resamples`` and ``confidence``, intervals are made as ``[correlation]`` says.
    """

    targets: Several[str] = setting(..., "Dimension to train a metric for.", flag="--target", min_length=1)


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
    needs_ratings = True

    def check(self, context: Context) -> None:
        check_dimensions("learn.targets", context.section(LearnSection).targets, context.corpus.dimensions)

    def settings(self, context: Context) -> Mapping[str, Any]:
        return _asked(context).model_dump(mode="json") | {
            "targets": list(context.section(LearnSection).targets),
            "ratings": _policy(context).model_dump(mode="json"),
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        # From the file, which holds no times: the card must be the same on every machine.
        scores = Scores.load(context.folder / "scores.parquet")
        targets = list(context.section(LearnSection).targets)
        context.write_json(FACTS, [_train(context, scores, target) for target in targets])
        return {"targets": targets}

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


def _train(context: Context, scores: Scores, target: str) -> dict[str, Any]:
    from dialgauge.learn import contributions, permutation_importance, train

    asked, progress = _asked(context), context.progress
    trained = train(context.corpus, scores, target, asked, _policy(context), progress=progress)
    trained = trained.save(context.folder / FOLDER / target)
    importance = permutation_importance(trained.data, trained.fitted.recipe, seed=asked.seed, progress=progress)
    said = trained.validation.predictions.sort("prediction", *KEY)
    shown = said.head(_EXPLAINED).vstack(said.tail(_EXPLAINED)).select(*KEY, "rating", "prediction")
    parts = contributions(trained.fitted, trained.data.keys, trained.data.X, trained.data.names)
    return {
        "card": trained.card.as_dict(),
        "scores": trained.validation.scores.to_dicts(),
        "verdict": trained.validation.verdict,
        "claims": list(trained.validation.claims),
        "copies": trained.validation.copies.height,
        "calibration": trained.validation.calibration.to_dicts(),
        "importance": importance.to_dicts(),
        "contributions": shown.join(parts, on=list(KEY), how="left", maintain_order="left").to_dicts(),
    }
