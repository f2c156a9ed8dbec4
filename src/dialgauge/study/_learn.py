"""The stage of a study that trains a metric on its ratings, and judges it on what it has not seen."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dialgauge.corpus import KEY, Corpus
from dialgauge.files import write_text
from dialgauge.metrics import Scores
from dialgauge.progress import Progress
from dialgauge.report import LearnedData
from dialgauge.study._file import LearnSection, StudyFile
from dialgauge.study._sifted_ratings import sift
from dialgauge.study._stages import Ledger

FOLDER, FACTS = "learned", "learned.json"
#: So many summaries are explained in the report: the worst and the best by what the metric says.
_EXPLAINED = 3


@dataclass(frozen=True, slots=True)
class LearnStage:
    """What this stage needs of a pipeline."""

    settings: StudyFile
    wanted: LearnSection
    folder: Path
    ledger: Ledger
    progress: Progress
    load_corpus: Callable[[], Corpus]

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        made = self.wanted.model_dump() | {
            "seed": self.settings.study.seed,
            "ratings": self.settings.ratings.model_dump(exclude={"dimensions"}),
            "resamples": self.settings.correlation.resamples,
        }
        self.ledger.run("learn", made, ["corpus", "scores"], [FOLDER, FACTS], self._make)
        return ["learn"]

    def _make(self) -> dict[str, Any]:
        corpus, ratings = self.load_corpus(), self.settings.ratings
        corpus = replace(corpus, ratings=sift(corpus.ratings, ratings.on_invalid, ratings.clean).counted)
        # From the file, which holds no times: the card must be the same on every machine.
        scores = Scores.load(self.folder / "scores.parquet")
        facts = [self._train(corpus, scores, target) for target in self.wanted.targets]
        write_text(self.folder / FACTS, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
        return {"targets": self.wanted.targets}

    def _train(self, corpus: Corpus, scores: Scores, target: str) -> dict[str, Any]:
        from dialgauge.learn import contributions, permutation_importance, train

        wanted, settings = self.wanted, self.settings
        trained = train(
            corpus,
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
            progress=self.progress,
        ).save(self.folder / FOLDER / target)
        importance = permutation_importance(
            trained.data, trained.fitted.recipe, seed=settings.study.seed, progress=self.progress
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


def learned_results(folder: Path) -> LearnedData:
    """What the report shows: a card, validation, importance and explained summaries for each target."""
    return LearnedData(json.loads((folder / FACTS).read_text("utf-8")))
