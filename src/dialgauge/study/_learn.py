"""The stage of a study that trains a metric on its ratings, and judges it on what it has not seen."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialgauge.corpus import KEY
from dialgauge.files import write_text
from dialgauge.learn import LearnSettings
from dialgauge.metrics import Scores
from dialgauge.ratings import RatingPolicy
from dialgauge.report import LearnedData
from dialgauge.study._context import Context
from dialgauge.study._sections import LearnSection

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
        made = self._asked.model_dump(mode="json") | {
            "targets": list(self.wanted.targets),
            "ratings": self._policy.model_dump(mode="json"),
        }
        self.context.ledger.run("learn", made, ["corpus", "scores"], [FOLDER, FACTS], self._make)
        return ["learn"]

    @property
    def _asked(self) -> LearnSettings:
        """What ``[learn]`` does not say of seed and intervals is as in ``[study]`` and ``[correlation]``."""
        settings = self.context.settings
        correlation = settings.correlation
        shared = {
            "seed": settings.study.seed,
            "resamples": correlation.resamples,
            "confidence": correlation.confidence,
        }
        given = self.wanted.model_dump(include=self.wanted.model_fields_set - {"targets"})
        return LearnSettings(**shared | given)

    @property
    def _policy(self) -> RatingPolicy:
        return RatingPolicy(**self.context.settings.ratings.model_dump(exclude={"dimensions"}))

    def _make(self) -> dict[str, Any]:
        folder = self.context.folder
        # From the file, which holds no times: the card must be the same on every machine.
        scores = Scores.load(folder / "scores.parquet")
        facts = [self._train(scores, target) for target in self.wanted.targets]
        write_text(folder / FACTS, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
        return {"targets": list(self.wanted.targets)}

    def _train(self, scores: Scores, target: str) -> dict[str, Any]:
        from dialgauge.learn import contributions, permutation_importance, train

        asked, progress = self._asked, self.context.progress
        trained = train(self.context.corpus, scores, target, asked, self._policy, progress=progress)
        trained = trained.save(self.context.folder / FOLDER / target)
        importance = permutation_importance(trained.data, trained.fitted.recipe, seed=asked.seed, progress=progress)
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
