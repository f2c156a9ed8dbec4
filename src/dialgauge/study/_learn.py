"""The stage of a study that trains a metric on its ratings, and judges it on what it has not seen."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.files import write_text
from dialgauge.metaeval import human_ceiling
from dialgauge.metrics import Scores
from dialgauge.report import LearnedData
from dialgauge.study._context import Context
from dialgauge.study._sections import LearnSection
from dialgauge.study._sifted_ratings import Sifted, sift

if TYPE_CHECKING:
    from dialgauge.learn import Training

FOLDER, FACTS = "learned", "learned.json"
#: So many summaries are explained in the report: the worst and the best by what the metric says.
_EXPLAINED = 3


@dataclass(frozen=True, slots=True)
class LearnStage:
    """The stage, of a run under way."""

    context: Context
    wanted: LearnSection

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        settings = self.context.settings
        made = self.wanted.model_dump() | {
            "seed": settings.study.seed,
            "ratings": settings.ratings.model_dump(exclude={"dimensions"}),
            "resamples": settings.correlation.resamples,
        }
        self.context.ledger.run("learn", made, ["corpus", "scores"], [FOLDER, FACTS], self._make)
        return ["learn"]

    def _make(self) -> dict[str, Any]:
        folder, ratings = self.context.folder, self.context.settings.ratings
        sifted = sift(self.context.corpus.ratings, ratings.on_invalid, ratings.clean)
        # From the file, which holds no times: the card must be the same on every machine.
        scores = Scores.load(folder / "scores.parquet")
        facts = [self._train(sifted, scores, target) for target in self.wanted.targets]
        write_text(folder / FACTS, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
        return {"targets": self.wanted.targets}

    def _train(self, sifted: Sifted, scores: Scores, target: str) -> dict[str, Any]:
        from dialgauge.learn import contributions, permutation_importance, train

        wanted, settings, progress = self.wanted, self.context.settings, self.context.progress
        trained = train(
            replace(self.context.corpus, ratings=sifted.counted),
            scores,
            target,
            texts=wanted.texts,
            task=wanted.task,
            method=settings.ratings.aggregate,
            on_invalid=settings.ratings.on_invalid,
            learner=wanted.learner,
            split=wanted.split,
            resamples=settings.correlation.resamples,
            seed=settings.study.seed,
            progress=progress,
        )
        if sifted.noise.height:
            trained = _with_ceiling(trained, sifted.checked)
        trained = trained.save(self.context.folder / FOLDER / target)
        importance = permutation_importance(
            trained.data, trained.fitted.recipe, seed=settings.study.seed, progress=progress
        )
        said = trained.validation.predictions.sort("prediction", *KEY)
        shown = said.head(_EXPLAINED).vstack(said.tail(_EXPLAINED)).select(*KEY, "rating", "prediction")
        parts = contributions(trained.fitted, trained.data.keys, trained.data.X, trained.data.names)
        return {
            "card": trained.card.as_dict(),
            "scores": trained.validation.scores.to_dicts(),
            "calibration": trained.validation.calibration.to_dicts(),
            "importance": importance.to_dicts(),
            "contributions": shown.join(parts, on=list(KEY), how="left", maintain_order="left").to_dicts(),
        }


def _with_ceiling(trained: "Training", ratings: pl.DataFrame) -> "Training":
    """With the human ceiling of these ratings, in the place of that of the ratings that it was trained on.

    People are measured as they rated, as in the ranking of the metrics: cleaning takes out their disagreement, and
    would flatter them.
    """
    data, validation = trained.data, trained.validation
    own = ratings.filter(pl.col("dimension") == data.target.dimension).join(data.keys, on=list(KEY), how="semi")
    by_people = pl.col("by") == "human ceiling"
    rows = validation.scores.filter(by_people).select("by", "name", "measure", "level")
    made = human_ceiling(
        own,
        levels=rows["level"].unique().sort().to_list(),
        coefficients=rows["measure"].unique().sort().to_list(),
        on_invalid=data.target.on_invalid,
        resamples=validation.settings["resamples"],
        confidence=validation.settings["confidence"],
        seed=validation.settings["seed"],
        variant=data.keys["variant"][0],
    )
    found = made.frame.rename({"coefficient": "measure"})
    ceiling = rows.join(found, on=["measure", "level"], how="left", maintain_order="left")
    scores = pl.concat([validation.scores.filter(~by_people), ceiling.select(validation.scores.columns)])
    known = scores.drop("reason").filter(pl.col("value").is_not_null())
    return replace(
        trained,
        validation=replace(validation, scores=scores),
        card=replace(trained.card, scores=tuple(known.to_dicts())),
    )


def learned_results(folder: Path) -> LearnedData:
    """What the report shows: a card, validation, importance and explained summaries for each target."""
    return LearnedData(json.loads((folder / FACTS).read_text("utf-8")))
