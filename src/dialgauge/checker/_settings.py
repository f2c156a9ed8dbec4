"""Settings of the training of a checker."""

from typing import Literal

from dialgauge.models import TrainingPlan
from dialgauge.settings import Several, setting

_PANEL = "Training"


class CheckerSettings(TrainingPlan):
    """How a checker is trained on the references of a corpus."""

    model: str = setting("embedded:smollm2", "Language model to adapt: embedded:NAME, folder:/path or a hub id.")
    start: Literal["shipped", "new"] = setting(
        "shipped", "Adapter to start from: the one of the package (not for commercial use), or a new one."
    )
    held_out: float = setting(0.2, "Share of dialogues that are held out to calibrate and to test.", gt=0, lt=1)
    checks: bool = setting(
        True, "Let the rule-based checks count, which need the parser, or not.", flag="--checks/--no-checks"
    )
    trusted: Several[str] = setting(
        (), "System whose summaries are taken as right, beside the references or instead of them."
    )
    ratings: str = setting(
        "consistency", "Dimension of ratings, where the corpus has them, that decide how much each part counts."
    )
    rank: int = setting(16, "Rank of a new adapter.", ge=1)
    examples: int = setting(8, "Summaries of a dialogue in an epoch, half of them wrong.", panel=_PANEL, ge=2)
    tokens: int = setting(2048, "Tokens in a micro-batch.", panel=_PANEL, ge=16)
    calls: float = setting(
        0.0,
        "Dialogues made like calls, for each dialogue of the corpus: joined, under roles, as spoken.",
        panel=_PANEL,
        ge=0,
    )
    epochs: int = setting(2, "Passes over the training data.", panel=_PANEL, ge=1)
    learning_rate: float = setting(
        5e-4, "Highest learning rate: it rises at first, then falls to zero.", panel=_PANEL, gt=0
    )
    vectors: str = setting("embedded:glove-50d", "Word vectors that find related words.", option=False)
