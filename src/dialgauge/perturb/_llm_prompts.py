"""Prompts for a language model: those of the paper, and our own with a schema for the answer."""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dialgauge.perturb._apply import Task
from dialgauge.perturb._settings import PromptSet

Message = dict[str, str]

#: The prompts of Table 1 of Patel, Agrawal and Kumar 2024 (Tweak to Trust), quoted for reproduction, word for word.
#: The entity and sentence perturbations have none there; our own are used for them.
PAPER = {
    "writing_style": (
        "Rewrite the summary and change the style to one of {shorthand, passive voice, active voice}, keeping the "
        "meaning same"
    ),
    "speaker_switch": (
        "Rewrite the summary, after randomly change the speaker 'customer' and 'agent' from the summary."
    ),
    "demographic_change": "Rewrite summary after adding the demographic information wherever possible.",
    "noise_addition": ("Rewrite the summary after adding some random noise sentences related to summary in the output"),
    "length_reduction": "Reduce the summary keeping the summary to be same.",
    "length_increase": "Make the summary longer in length, keeping the information same",
    "category_change": ("Rewrite the summary after changing the domain or category or vertical of the given summary."),
}

#: Our own: one task each, with the rules that the validator checks.
OWN = {
    "writing_style": (
        "Rewrite the summary in this style: {style}. Keep every fact, number, name, date and negation. Change the "
        "wording clearly; add and leave out nothing."
    ),
    "speaker_switch": (
        "Swap the two sides of the conversation everywhere in the summary: wherever the customer (or caller, user, "
        "client, or a customer's name) stands, put the agent (or the agent's name), and the other way round, with "
        "pronouns to match. Change nothing else: every other word stays as it is."
    ),
    "demographic_change": (
        "Insert invented demographic particulars (a name, date of birth, address, phone or identity number) into the "
        "summary, in brackets behind the words they belong to. They must not occur in the transcript. Keep every word "
        "of the summary as it is."
    ),
    "noise_addition": (
        "Insert exactly {level} sentence(s) into the summary that would be plausible in a call of this kind but that "
        "the transcript does not support. Keep every word of the summary as it is."
    ),
    "length_reduction": (
        "Shorten the summary to about three quarters of its words. Keep every number, name, date and negation and the "
        "meaning; add nothing."
    ),
    "length_increase": (
        "Make the summary about a third longer in words without adding any information: only wordier phrasing. Keep "
        "every number, name, date and negation."
    ),
    "category_change": (
        "Rewrite the summary as if the call belonged to another industry (for example a hotel reservation instead of a "
        "trip): replace the nouns of its domain by those of the other. Keep the structure of the sentences and all "
        "numbers."
    ),
    "change_perturbation": (
        "List the entities of the summary (amounts, dates, times, numbers, identifiers, names, places, organisations, "
        "roles, products), each exactly as it is written there. For each give a replacement of the same kind that "
        "fits the grammar of its place but makes the summary wrong. Set source to intrinsic if the replacement occurs "
        "in the transcript, else to extrinsic."
    ),
}
_STYLE_WORDS = {"shorthand": "shorthand", "passive": "passive voice", "active": "active voice"}
#: Those whose rules refer to the transcript.
_READ_TRANSCRIPT = frozenset({"demographic_change", "noise_addition", "speaker_switch", "change_perturbation"})
_SYSTEM = "You edit summaries of conversations for a test of metrics. Follow the task exactly."


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Rewrite(_Answer):
    """A whole summary, rewritten."""

    summary: str = Field(min_length=1)


class EntityAnswer(_Answer):
    """One entity of the summary and what to put in its place."""

    text: str = Field(min_length=1)
    kind: str
    replacement: str = Field(min_length=1)
    source: Literal["intrinsic", "extrinsic"]


class Entities(_Answer):
    """The entities of a summary."""

    entities: list[EntityAnswer]


class CategoryAnswer(_Answer):
    """A kind of call."""

    name: str = Field(min_length=1)
    description: str


class DomainCategories(_Answer):
    """Stage 1: what a domain is, and the kinds of calls its contact centre gets."""

    description: str
    categories: list[CategoryAnswer] = Field(min_length=2)


class DomainName(_Answer):
    """Stage 2: the domain of a call."""

    domain: str = Field(min_length=1)


class CallCategories(_Answer):
    """Stage 2: the at most two kinds that a call belongs to."""

    categories: list[str] = Field(min_length=1, max_length=2)


class SentenceCategories(_Answer):
    """Stage 2: for each sentence, in order, at most two kinds."""

    sentences: list[list[str]]


def rewrite_messages(task: Task, prompts: PromptSet, style: str) -> list[Message]:
    """The question for a perturbation that gives a whole text (or, for entities, a list)."""
    name = task.request.perturbation.name
    words = {"style": _STYLE_WORDS.get(style, style), "level": task.request.level}
    if prompts == "paper" and name in PAPER:
        return [{"role": "user", "content": f"{_printed(name, task)}\n\n{task.text}"}]
    parts = [f"Task: {OWN[name].format(**words)}"]
    if name in _READ_TRANSCRIPT and task.dialogue is not None:
        parts.append(f"Transcript:\n{task.dialogue.text}")
    key = 'a list "entities"' if name == "change_perturbation" else 'the key "summary"'
    parts += [f"Summary:\n{task.text}", f"Answer with a JSON object with {key}."]
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


def _printed(name: str, task: Task) -> str:
    """The prompt as printed, braces included: the model chooses the style, unless one was asked for."""
    style = _STYLE_WORDS.get(task.request.options.get("style", "any"))
    return re.sub(r"\{.*\}", f"{{{style}}}", PAPER[name]) if style else PAPER[name]


def stage_messages(question: str, **parts: str) -> list[Message]:
    """A question of the two stages that find the important sentences, with what it is about."""
    content = "\n\n".join([question, *(f"{name.capitalize()}:\n{text}" for name, text in parts.items())])
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": content}]


DOMAIN_QUESTION = 'Which industry does this call belong to? Answer with a JSON object with the key "domain".'
CATEGORIES_QUESTION = (
    "Describe this industry in a sentence, then list four to eight categories of calls that its contact centre gets, "
    'each with a description. Answer with a JSON object with "description" and "categories" (objects with "name" and '
    '"description").'
)
CALL_QUESTION = (
    "To which of these categories does the call belong? At most two, by name. Answer with a JSON object with the key "
    '"categories".'
)
SENTENCES_QUESTION = (
    "To which of these categories does each numbered sentence of the summary belong? At most two each, by name, or "
    'none. Answer with a JSON object with "sentences": a list, in order, of lists of names.'
)
