"""How summaries are perturbed: how many variants, and how a language model is asked for them."""

from typing import Literal

from dialgauge.settings import Settings, Several, setting

#: ``own`` prompts are checked by schema; ``paper`` is Table 1 of Tweak to Trust, with answers in plain words.
PromptSet = Literal["own", "paper"]

#: ``parse``: nothing is broken in a second parse. ``model``: the embedded language model finds the edit likely.
#: ``checks``: the checks of consistency do not belie what the kind declares.
Gate = Literal["parse", "model", "checks"]

_PANEL = "With a chat model"


class PerturbSettings(Settings):
    """How many variants are made of which summaries."""

    per_item: int = setting(1, "Number of different variants of each summary and kind.", short="-n", ge=1)
    seed: int = setting(0, "Random seed.", ge=0)
    include_references: bool = setting(False, "Perturb the references as well.")
    gate: Several[Gate] = setting(
        (), "Check that a variant must pass: a second parse, the embedded language model, the checks of consistency."
    )


class LlmSettings(Settings):
    """How a language model is asked for variants."""

    prompts: PromptSet = setting("own", "Prompts: our own, or those of Tweak to Trust.", panel=_PANEL)
    fallback: Literal["rules", "reject"] = setting(
        "rules",
        "What to do with an answer that stays wrong: let the rules do it, or leave the variant out.",
        panel=_PANEL,
    )
    content_retries: int = setting(2, "Number of complaints about a wrong answer.", option=False, ge=0)
    temperature: float = setting(0.7, "Temperature of the model.", option=False, ge=0)
    longest: int = setting(1024, "Maximum number of tokens of an answer.", option=False, ge=1)
