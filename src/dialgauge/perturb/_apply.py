"""Apply a request to a text: the steps shared by all generators, which give a variant or a reason."""

import hashlib
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dialgauge.corpus import ORIGINAL, OVERALL, Dialogue
from dialgauge.perturb._bank import Bank, embedded_bank
from dialgauge.perturb._domain_text import edits_between
from dialgauge.perturb._edits import Draft, Edit
from dialgauge.perturb._evaleval import published
from dialgauge.perturb._gates import stopped
from dialgauge.perturb._language import foreign
from dialgauge.perturb._parse import Parsed, outline, parse
from dialgauge.perturb._perturbation import (
    NotApplicable,
    PerturbationRequest,
    Proposal,
    Random,
    Validate,
    no_complaint,
    variant_name,
)
from dialgauge.perturb._provenance import Provenance
from dialgauge.perturb._settings import Gate
from dialgauge.perturb._spans import has_words
from dialgauge.perturb._tidy import tidy

#: Number of further draws if one gave an existing text.
_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Task:
    """One variant to be made: the request, the text, its dialogue, its key and the seed; the gates that it must pass,
    and the sentences that other summaries of its corpus can lend (default: those of the embedded corpus)."""

    request: PerturbationRequest
    text: str
    dialogue: Dialogue | None
    key: tuple[str, str, str, str]
    seed: int
    draw: int = 1
    gates: tuple[Gate, ...] = ()
    bank: Bank | None = field(default=None, compare=False, repr=False)

    @property
    def claims_fluency(self) -> bool:
        """Whether the language is to stay as good as it was."""
        return "fluency" not in self.request.perturbation.effects

    @property
    def variant(self) -> str:
        """The name of the variant in the corpus."""
        return variant_name(self.request.label, self.draw)

    @property
    def parsed(self) -> Parsed:
        """The text as its perturbation needs it: parsed, or only split into words and sentences."""
        return parse(self.text) if self.needs_parser else outline(self.text)

    @property
    def as_published(self) -> bool:
        """Whether the published code is to be imitated instead of our rules."""
        return self.request.options.get("compat") == "evaleval"

    @property
    def needs_parser(self) -> bool:
        """Whether the text must be parsed, which only works for English."""
        return self.as_published or "parse" in self.request.perturbation.needs

    def random(self, attempt: int = 0) -> Random:
        """The random state: the same for the same seed, name, version and key, whatever else is done. The level is
        left out, so that a higher level can build on a lower one."""
        declared = self.request.perturbation
        identity = [self.seed, declared.name, declared.version, *self.key, self.draw, attempt]
        return random.Random(hashlib.sha256(json.dumps(identity).encode()).digest())


@dataclass(frozen=True, slots=True)
class Variant:
    """A perturbed text, with the edits that made it and its provenance."""

    text: str
    edits: tuple[Edit, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Declined:
    """No variant, and why."""

    reason: str


def hindrance(task: Task) -> str | None:
    """Why this task cannot be tried at all: no words, an unsupported language, no transcript."""
    needs = task.request.perturbation.needs
    if not has_words(task.text):
        return "the text has no words"
    if task.needs_parser:
        language = foreign(task.text, task.dialogue.language if task.dialogue else None)
        if language:
            return f"the parser supports English only; the text is {language}"
    if "transcript" in needs and (task.dialogue is None or not task.dialogue.turns):
        return "the dialogue has no transcript"
    return None


def run_rules(task: Task, taken: Collection[str] = ()) -> Variant | Declined:
    """Apply the perturbation's own rules to the text; try another draw if the result is ``taken`` or stopped by a
    gate."""
    if reason := hindrance(task):
        return Declined(reason)
    outcome: Variant | Declined = Declined("")
    refused: dict[str, str] = {}
    for attempt in range(_ATTEMPTS):
        proposal = _proposed(task, attempt)
        if isinstance(proposal, NotApplicable):
            return Declined(proposal.reason)
        if isinstance(proposal, str):
            outcome = finish(task, edits_between(task.text, proposal), validate=no_complaint, tidied=False)
        elif isinstance(proposal, Proposal):
            outcome = finish(task, proposal.edits, notes=proposal.notes)
        else:
            outcome = finish(task, proposal)
        if isinstance(outcome, Variant):
            if outcome.text not in refused and outcome.text not in taken:
                reason, found = stopped(task, outcome)
                if not reason:
                    return replace(outcome, provenance=outcome.provenance.noting(found)) if found else outcome
                refused[outcome.text] = reason
            outcome = Declined(next(iter(refused.values()), "no further distinct variant"))
    return outcome


def _proposed(task: Task, attempt: int) -> str | Sequence[Edit] | Proposal | NotApplicable:
    """What our rules propose, or the whole text that the published code makes."""
    request = task.request
    if task.as_published:
        return published(task, attempt)
    options: dict[str, Any] = {name: value for name, value in request.options.items() if name != "compat"}
    if "corpus" in request.perturbation.needs:
        options["bank"] = task.bank if task.bank is not None else embedded_bank()
    return request.perturbation.propose(task.parsed, task.dialogue, task.random(attempt), request.level, **options)


def finish(
    task: Task,
    edits: Sequence[Edit],
    *,
    generator: str = "rules",
    notes: Mapping[str, Any] | None = None,
    validate: Validate | None = None,
    tidied: bool | None = None,
) -> Variant | Declined:
    """Apply edits, tidy around them, reject results equal to the input, validate, and record the provenance.

    ``validate`` and ``tidied`` are for texts that are not ours, instead of what the perturbation declares.
    """
    declared, parsed = task.request.perturbation, task.parsed
    draft = Draft(task.text, edits)
    if declared.tidy if tidied is None else tidied:
        tidy(draft, parsed)
    result, final = draft.result, draft.edits
    if result == task.text:
        return Declined("the result equals the input")
    if not has_words(result):
        return Declined("the result would be empty")
    if complaint := (validate or declared.validate)(task.text, result, final, parsed, task.dialogue):
        return Declined(f"not valid: {complaint}")
    if (
        declared.count
        and validate is None
        and (n := declared.count(task.text, result, final, parsed, task.dialogue)) != task.request.level
    ):
        return Declined(f"not valid: {n} changes instead of {task.request.level}")
    provenance = Provenance(
        parent=task.key,
        name=declared.name,
        version=declared.version,
        label=task.request.label,
        level=task.request.level,
        draw=task.draw,
        seed=task.seed,
        edits=tuple(final),
        generator=generator,
        parser=parsed.parser,
        options=task.request.options,
        notes=notes or {},
    )
    return Variant(result, tuple(final), provenance)


def perturb_text(
    text: str, name: str, *, seed: int = 0, dialogue: Dialogue | None = None, draw: int = 1
) -> Variant | Declined:
    """Apply one perturbation (``add_negation``, ``typos_2``, ``jumble:scope=sentence``) to one text.

    The random state depends on the key of the dialogue, which may be empty.
    """
    from dialgauge.errors import ParameterError
    from dialgauge.perturb._registry import parse_requests

    requests = parse_requests([name])
    if len(requests) != 1:
        raise ParameterError("perturb_text", "name", "one perturbation (and, if it is numbered, its level)", name)
    key = (dialogue.id if dialogue else "", "", ORIGINAL, OVERALL)
    return run_rules(Task(requests[0], text, dialogue, key, seed, draw))
