"""What is asked of summarizers: how dialogues are shown to a model, how it writes, and how one is fine-tuned."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from pydantic import field_validator, model_validator

from dialgauge.corpus import OVERALL
from dialgauge.errors import ParameterError
from dialgauge.models import ChatSettings, TrainingPlan
from dialgauge.settings import Settings, Several, paper_setting, refusing, setting

if TYPE_CHECKING:
    from dialgauge.corpus import Dialogue

#: What stands between the turns of a dialogue.
JOINTS: Mapping[str, str] = {"line": "\n", "space": " "}
#: How the best epoch is chosen on the development set.
BestBy = Literal["rouge", "psentscore", "loss"]
SetName = Literal["full", "filtered", "subsampled"]
#: Zhou, Ringeval and Portet (2024): all pairs; those with an affective word on both sides; as many, drawn at random.
SETS: tuple[SetName, ...] = get_args(SetName)


#: Zhou, Ringeval and Portet (2024), section 5.2, for BART-Large. Three epochs, our default, take a fifth of the time;
#: what that costs in quality was not measured.
PAPER_SUMMARIZER: Mapping[str, Any] = {"epochs": 15, "learning_rate": 5e-5}


class Reading(Settings):
    """How a dialogue is shown to a model: what leads it, what stands between turns, and how a role is asked for."""

    prefix: str = setting("", 'Prefix of the input, such as "summarize: " for T5.')
    joint: Literal["line", "space"] = setting("line", "Separator of turns.")
    roles: Literal["turns", "mark"] = setting(
        "turns",
        "With a role: show the turns of the role alone, or all turns led by the role in brackets (for a model that was "
        "fine-tuned so).",
    )
    window: int | None = setting(None, "Input window in tokens (default: the model's maximum).")

    def head(self, role: str) -> str:
        """What stands before the turns."""
        return self.prefix + (f"[{role}] " if self.roles == "mark" and role != OVERALL else "")

    def shown(self, dialogue: "Dialogue", role: str) -> "Dialogue":
        """The turns that the model sees."""
        return dialogue.side(role) if self.roles == "turns" else dialogue

    def text(self, dialogue: "Dialogue", role: str = OVERALL) -> str:
        """The whole dialogue as one input, however long."""
        return self.head(role) + JOINTS[self.joint].join(map(str, self.shown(dialogue, role).turns))


class GenerationSettings(Settings):
    """How a model writes.

    What a checkpoint brings along for these is not used, so that all models write by the same rules; its other
    settings, such as the token that a text must begin with, are.
    """

    beams: int = setting(4, "Number of beams; 1 is greedy.", ge=1)
    longest: int = setting(128, "Maximum number of tokens of a summary.", ge=1)
    shortest: int = setting(0, "Minimum number of tokens of a summary.", ge=0)
    length_penalty: float = setting(1.0, "Above 1, longer texts are preferred among the beams.")
    no_repeat: int = setting(
        0,
        "Do not repeat any N consecutive tokens; 0 for no such rule (otherwise, a name of N tokens occurs at most "
        "once).",
        ge=0,
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.shortest > self.longest:
            with refusing():
                raise ParameterError("summaries", "shortest", f"at most longest={self.longest}", self.shortest)
        return self


class FinetuneSettings(TrainingPlan):
    """Everything that changes the result of a fine-tuning but the data and the model to start from.

    What is longer than ``source_length`` or ``target_length`` is cut and counted. ``best_by`` says which epoch is kept:
    the one with the best ``rouge`` (mean of ROUGE-1, -2 and -L) or ``psentscore`` (the concordance of affect in
    dialogue and summary) of what it writes for the development set, or the lowest ``loss`` on it. ``generation`` is how
    it writes there: greedy search is quick and ranks epochs well enough. A dialogue that is too long is read in parts
    there, not cut.
    """

    learning_rate: float = setting(
        5e-5, "Peak learning rate; use about 5e-4 for a model from scratch.", panel="Training", gt=0
    )
    batch_tokens: int = setting(4096, "Tokens per micro-batch, including padding.", panel="Training", ge=1)
    source_length: int = setting(1024, "Maximum number of dialogue tokens read in training.", panel="Training", ge=4)
    target_length: int = setting(128, "Maximum number of reference tokens used in training.", panel="Training", ge=4)
    label_smoothing: float = setting(0.1, "Label smoothing.", panel="Training", ge=0, lt=1)
    best_by: BestBy = setting("rouge", "Criterion for the best epoch on dev.", panel="Training")
    as_paper: bool = paper_setting("Learning rate and epochs of the PSentScore paper: 5e-5, 15.")
    reading: Reading = setting(Reading(), "How dialogues are shown to the model.", option=False)
    generation: GenerationSettings = setting(
        GenerationSettings(beams=1), "How the model writes for the development set.", option=False
    )

    published = PAPER_SUMMARIZER

    def as_dict(self) -> dict[str, object]:
        """For a card: the plan of the training, and the rest."""
        plan = set(TrainingPlan.model_fields)
        return {**self.model_dump(exclude=plan), "plan": self.model_dump(include=plan)}


class SetsSettings(Settings):
    """What is made of a corpus: which training sets, for which role, written and measured how."""

    sets: Several[Literal["full", "filtered", "subsampled", "all"]] = setting(
        ("full",),
        "Training set: filtered has an affective word in dialogue and reference, subsampled the same number at random.",
        min_length=1,
    )
    role: str = setting(OVERALL, "Role whose references are used for training.")
    bertscore: str | None = setting("embedded:minilm", "BERTScore encoder for the table.")
    vocabulary: int = setting(8000, "Maximum number of word pieces of a model from scratch.", ge=1)
    window: int = setting(1024, "Number of tokens that a model from scratch can read.", option=False, ge=1)
    writing: GenerationSettings = setting(
        GenerationSettings(), "How the test split is summarized at the end.", option=False
    )
    writing_tokens: int | None = setting(
        None, "Tokens of a batch when writing (default: what suits the device).", option=False
    )
    resumable: bool = setting(True, "Keep the state of a training after each epoch.", option=False)

    @field_validator("sets")
    @classmethod
    def _all_sets(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return SETS if "all" in names else names


class SummarizeSettings(ChatSettings):
    """For which roles systems write, what becomes of summaries that are there, and what chat models may be asked."""

    roles: Several[str] = setting((OVERALL,), "Role to summarize, such as agent.", flag="--role", min_length=1)
    replace: bool = setting(False, "Replace existing summaries of a system.")
    batch_tokens: int | None = setting(
        None, "Tokens in a batch of a model (default: what suits the device).", panel="With models", ge=1
    )


class AttentionSettings(Settings):
    """What is mapped of a model's attention."""

    layer: int | None = setting(None, "Decoder layer, counted from 1 (default: the last).")
    head: int | None = setting(None, "Attention head of that layer, counted from 1 (default: the last).")
    prefix: str = setting("", 'Prefix of the input, such as "summarize: " for T5.')
    window: int | None = setting(None, "Input window in tokens (default: the model's maximum).", ge=4)
