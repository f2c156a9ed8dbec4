"""What is asked of metrics that learn from ratings: what they learn from, and what is held out to judge them."""

from typing import Literal

from pydantic import field_validator

from dialgauge.resampling import Intervals
from dialgauge.settings import Several, refusing, setting

#: What is held out: a random quarter of the summaries, whole dialogues, whole systems, or both at once.
Split = Literal["random", "dialogues", "systems", "both"]
Task = Literal["numbers", "classes"]

#: Cheap features of a summary and its dialogue, by the names that they have as metrics. No model, no reference.
TEXT_FEATURES = (
    "length",
    "sentences",
    "compression",
    "coverage",
    "density",
    "novel-1",
    "novel-2",
    "novel-3",
    "novel-4",
    "redundancy-1",
    "redundancy-2",
    "redundancy-3",
    "redundancy-l",
    "repetition-1",
    "repetition-2",
    "repetition-3",
    "rouge-1@source",
    "rouge-2@source",
    "rouge-l@source",
    "chrf@source",
)


def _complete_learner(incomplete: str) -> list[str]:
    from dialgauge.learn._learners import AUTO, LEARNERS

    return [name for name in (AUTO, *LEARNERS) if name.startswith(incomplete)]


class LearnSettings(Intervals):
    """How a metric is trained on ratings, and what is held out to validate it."""

    learner: str = setting(
        "auto",
        "Learner: auto, ridge, ordinal, logistic, decision-tree, neighbours, svm, boosting, random-forest "
        "or extra-trees.",
        complete=_complete_learner,
    )
    split: Split = setting("both", "What is held out for validation; random hides a lot.")
    task: Task = setting("numbers", "Learn ratings as numbers or as the classes of their scale.")
    metrics: Several[str] | None = setting(
        None, "Column of the scores to use as a feature (default: all).", flag="--metric", short="-m"
    )
    texts: Several[str] = setting((), "Cheap feature of the texts to add, such as coverage, or all.", flag="--text")
    folds: int = setting(5, "Number of groups that dialogues, or many systems, are split into.", ge=2)
    inner_folds: int = setting(3, "Number of folds for choices inside the training part.", ge=2)

    @field_validator("learner")
    @classmethod
    def _known_learner(cls, name: str) -> str:
        from dialgauge.learn._learners import AUTO, find_learner

        with refusing():
            return name if name == AUTO else find_learner(name).name

    @field_validator("texts")
    @classmethod
    def _all_texts(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return TEXT_FEATURES if "all" in names else names
