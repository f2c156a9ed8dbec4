"""What is asked of metrics that learn from ratings: what they learn from, and what is held out to judge them."""

from typing import Literal

from pydantic import field_validator

from dialgauge.registry import completer
from dialgauge.resampling import Intervals
from dialgauge.settings import Several, refusing, setting

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


class LearnSettings(Intervals):
    """How a metric is trained on ratings, and what is held out to validate it."""

    learner: str = setting(
        "auto",
        "Learner: auto, ridge, ordinal, logistic, decision-tree, neighbours, svm, boosting, random-forest "
        "or extra-trees; settings may follow, as in ridge:alpha=100.",
        complete=completer("learner", auto="The best of a few, chosen inside the training part."),
    )
    split: str = setting(
        "both",
        "What is held out for validation: dialogues, systems, both or random, which hides a lot.",
        complete=completer("split"),
    )
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
            if name != AUTO:
                find_learner(name)
        return name

    @field_validator("split")
    @classmethod
    def _known_split(cls, name: str) -> str:
        from dialgauge.learn._splits import find_split

        with refusing():
            return find_split(name).name

    @field_validator("texts")
    @classmethod
    def _all_texts(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return TEXT_FEATURES if "all" in names else names
