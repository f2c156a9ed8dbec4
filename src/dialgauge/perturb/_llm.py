"""The second generator of the domain family: a language model behind a chat endpoint.

Every answer is validated like the results of the rules. An invalid one is returned twice with the complaint; then
the rules are used instead, or the variant is rejected. An unchanged text is never accepted.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

from dialgauge.models import BudgetError, ChatUsage, TokenPrice
from dialgauge.perturb._apply import Declined, Task, Variant, finish, hindrance, run_rules
from dialgauge.perturb._domain_text import edits_between
from dialgauge.perturb._lexicon import lexicon
from dialgauge.perturb._llm_chat import CUT, Chat, TypedChat, bare_text
from dialgauge.perturb._llm_paper import PAPER_CHECKS
from dialgauge.perturb._llm_prompts import OWN, PAPER, Entities, Message, Rewrite, rewrite_messages
from dialgauge.perturb._llm_stages import Stages, drawn_entities, drawn_sentences
from dialgauge.perturb._settings import LlmSettings
from dialgauge.progress import Progress

_STYLES = ("shorthand", "passive", "active")
#: Approximate number of characters per English token, for cost estimates.
_CHARACTERS_PER_TOKEN = 4
_ENTITY_ANSWER_TOKENS = 400
_CATEGORY_TOKENS = 300


@dataclass(frozen=True, slots=True)
class LlmEstimate:
    """Estimated requests of a run if every first answer is valid, and the maximum with all retries."""

    tasks: int
    calls: int
    tokens: int
    most_calls: int
    most_tokens: int
    cost: float | None


@dataclass(slots=True)
class _Attempt:
    """The state of one conversation about one task."""

    messages: list[Message]
    calls: int = 0
    tokens: int = 0
    complaint: str = ""


class LlmGenerator:
    """A generator for :func:`dialgauge.perturb.perturb` that uses a chat endpoint.

    Perturbations without a prompt (the baseline family) use their rules. Requests run in as many threads as
    the endpoint allows. When the budget is spent, finished variants are kept, the rest is declined with that reason
    and, because answers are cached, made by the next run. ``price`` is for the account of costs.
    """

    def __init__(self, chat: Chat, settings: LlmSettings | None = None, *, price: TokenPrice | None = None) -> None:
        self.settings, self.price = settings or LlmSettings(), price
        options = {"temperature": self.settings.temperature, "max_tokens": self.settings.longest}
        self._chat = TypedChat(chat, options)
        self._stages = Stages(self._chat)
        self._named: dict[str, Entities] = {}
        # The parser of the validators is not thread-safe.
        self._grammar = threading.Lock()
        self._outcomes = {"llm": 0, "rules": 0, "declined": 0}
        #: Number of variants declined because the budget was spent.
        self.unpaid = 0

    def __call__(
        self, tasks: Sequence[Task], progress: Progress | None = None
    ) -> Iterator[tuple[Task, Variant | Declined]]:
        """Make the variants; those of one summary and perturbation one after the other, so that none is made twice."""
        units: dict[tuple[object, ...], list[Task]] = {}
        for task in tasks:
            units.setdefault((task.key, task.request.perturbation.name), []).append(task)
        done = 0
        with ThreadPoolExecutor(max_workers=max(1, self._chat.chat.parallel)) as pool:
            waiting: set[Future[list[tuple[Task, Variant | Declined]]]] = {
                pool.submit(self._unit, unit) for unit in units.values()
            }
            try:
                while waiting:
                    finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for future in finished:
                        for task, outcome in future.result():
                            self._tally(outcome)
                            done += 1
                            if progress:
                                progress(task.request.label, done, len(tasks))
                            yield task, outcome
            finally:
                for future in waiting:
                    future.cancel()

    def estimate(self, tasks: Sequence[Task]) -> LlmEstimate:
        """Estimate the requests without sending any. Cached answers cost nothing."""
        asked: dict[tuple[object, ...], tuple[int, int, int]] = {}
        for task in tasks:
            name = task.request.perturbation.name
            if not can_ask(task) or hindrance(task):
                continue
            size = len(task.text) // _CHARACTERS_PER_TOKEN + 1
            source = len(task.dialogue.text) // _CHARACTERS_PER_TOKEN if task.dialogue else 0
            if name == "remove_important_sentence":
                asked |= _stage_questions(task, size, source)
            elif name == "change_perturbation":
                asked[task.key, name] = (1, self._prompt_tokens(task), _ENTITY_ANSWER_TOKENS)
            else:
                asked[task.key, task.request.label, task.draw] = (1, self._prompt_tokens(task), 2 * size)
        calls, read, written = (sum(counts[i] for counts in asked.values()) for i in range(3))
        tokens, most = read + written, 1 + self.settings.content_retries
        cost = (read * self.price.input + written * self.price.output) / 1e6 if self.price else None
        return LlmEstimate(len(tasks), calls, tokens, calls * most, tokens * most * 2, cost)

    @property
    def usage(self) -> ChatUsage:
        """The usage of the endpoint so far."""
        return self._chat.usage

    def account(self) -> dict[str, Any]:
        """Requests and costs so far, for the manifest of a run."""
        return {
            "model": self._chat.chat.model,
            "prompts": self.settings.prompts,
            "form": self._chat.form,
            **self.usage.account(self.price),
            "outcomes": dict(self._outcomes),
        }

    def _tally(self, outcome: Variant | Declined) -> None:
        kind = "declined" if isinstance(outcome, Declined) else outcome.provenance.generator.partition(":")[0]
        self._outcomes[kind] += 1

    def _prompt_tokens(self, task: Task) -> int:
        messages = rewrite_messages(task, self.settings.prompts, "shorthand")
        return sum(len(message["content"]) for message in messages) // _CHARACTERS_PER_TOKEN

    def _unit(self, tasks: Sequence[Task]) -> list[tuple[Task, Variant | Declined]]:
        taken: dict[str, set[str]] = {}
        outcomes: list[tuple[Task, Variant | Declined]] = []
        for task in tasks:
            seen = taken.setdefault(task.request.label, set())
            outcome = self._one(task, seen)
            if isinstance(outcome, Variant):
                seen.add(outcome.text)
            outcomes.append((task, outcome))
        return outcomes

    def _one(self, task: Task, taken: set[str]) -> Variant | Declined:
        if reason := hindrance(task):
            return Declined(reason)
        if not can_ask(task):
            with self._grammar:
                return run_rules(task, taken)
        try:
            return self._asked(task, taken)
        except BudgetError as error:
            with self._grammar:
                self.unpaid += 1
            return Declined(f"budget spent: {error}")

    def _asked(self, task: Task, taken: set[str]) -> Variant | Declined:
        name = task.request.perturbation.name
        makers: dict[str, Callable[[Task, _Attempt], Variant | Declined]] = {
            "change_perturbation": self._entities,
            "remove_important_sentence": self._sentences,
        }
        attempt = _Attempt(self._question(task))
        make = makers.get(name, self._rewrite)
        for _ in range(1 + self.settings.content_retries):
            outcome = make(task, attempt)
            if isinstance(outcome, Variant) and outcome.text not in taken:
                return self._with_notes(outcome, attempt)
            attempt.complaint = outcome.reason if isinstance(outcome, Declined) else "this variant already exists"
            if name == "remove_important_sentence":
                break  # its questions have been asked to the end; asking them again changes nothing
        return self._given_up(task, attempt, taken)

    def _question(self, task: Task) -> list[Message]:
        if task.request.perturbation.name == "remove_important_sentence":
            return []
        style = task.request.options.get("style", "any")
        chosen = task.random().choice(_STYLES) if style == "any" else style
        return rewrite_messages(task, self.settings.prompts, chosen)

    def _options(self, task: Task) -> dict[str, Any]:
        identity = json.dumps([task.seed, *task.key, task.draw]).encode()
        return {"seed": int.from_bytes(hashlib.sha256(identity).digest()[:4]) >> 1}

    def _rewrite(self, task: Task, attempt: _Attempt) -> Variant | Declined:
        plain = self.settings.prompts == "paper" and task.request.perturbation.name in PAPER
        if plain:
            raw = self._chat.ask_text(attempt.messages, **self._options(task))
            text, complaint = bare_text(raw.text), CUT if raw.cut else ""
        else:
            answer, raw, complaint = self._chat.ask(attempt.messages, Rewrite, **self._options(task))
            text = answer.summary if answer else ""
        outcome: Variant | Declined = (
            Declined(complaint)
            if complaint
            else self._rewritten(task, edits_between(task.text, text), printed_prompt=plain)
        )
        attempt.calls, attempt.tokens = attempt.calls + 1, attempt.tokens + raw.tokens
        if isinstance(outcome, Declined):
            self._complain(attempt, raw.text, outcome.reason)
        return outcome

    def _entities(self, task: Task, attempt: _Attempt) -> Variant | Declined:
        # One question serves all levels and draws of a summary, so its seed is that of the first draw.
        question = json.dumps(attempt.messages)
        answer = self._named.get(question)
        if answer is None:
            answer, raw, complaint = self._chat.ask(attempt.messages, Entities, **self._options(replace(task, draw=1)))
            attempt.calls, attempt.tokens = attempt.calls + 1, attempt.tokens + raw.tokens
            if answer is None:
                self._complain(attempt, raw.text, complaint)
                return Declined(complaint)
            self._named[question] = answer
        drawn = drawn_entities(task, answer)
        outcome = drawn if isinstance(drawn, Declined) else self._finished(task, drawn[0], drawn[1])
        if isinstance(outcome, Declined):
            self._complain(attempt, answer.model_dump_json(), outcome.reason)
        return outcome

    def _sentences(self, task: Task, attempt: _Attempt) -> Variant | Declined:
        found = self._stages.important(task)
        attempt.calls += found.calls
        if found.complaint:
            return Declined(found.complaint)
        drawn = drawn_sentences(task, found)
        return drawn if isinstance(drawn, Declined) else self._finished(task, drawn[0], drawn[1])

    def _finished(self, task: Task, edits: Any, notes: dict[str, Any] | None = None) -> Variant | Declined:
        with self._grammar:
            return finish(task, edits, generator=f"llm:{self._chat.chat.model}", notes=notes)

    def _rewritten(self, task: Task, edits: Any, *, printed_prompt: bool) -> Variant | Declined:
        """A text that the model wrote as a whole: nothing in it is tidied."""
        validate = PAPER_CHECKS.get(task.request.perturbation.name) if printed_prompt else None
        with self._grammar:
            return finish(task, edits, generator=f"llm:{self._chat.chat.model}", validate=validate, tidied=False)

    @staticmethod
    def _complain(attempt: _Attempt, text: str, reason: str) -> None:
        """Add the invalid answer and the complaint to the next request."""
        complaint = f"That answer cannot be used: {reason}. Answer again, in the same form."
        attempt.messages = [
            *attempt.messages,
            {"role": "assistant", "content": text},
            {"role": "user", "content": complaint},
        ]

    def _with_notes(self, variant: Variant, attempt: _Attempt) -> Variant:
        notes = dict(variant.provenance.notes) | {
            "prompts": self.settings.prompts,
            "calls": attempt.calls,
            "tokens": attempt.tokens,
        }
        return replace(variant, provenance=replace(variant.provenance, notes=notes))

    def _given_up(self, task: Task, attempt: _Attempt, taken: set[str]) -> Variant | Declined:
        if self.settings.fallback == "reject":
            return Declined(f"rejected: {attempt.complaint}")
        with self._grammar:
            outcome = run_rules(task, taken)
        if isinstance(outcome, Declined):
            return Declined(f"rejected: {attempt.complaint}; rules: {outcome.reason}")
        notes = dict(outcome.provenance.notes) | {"llm": f"rejected: {attempt.complaint}", "calls": attempt.calls}
        return replace(outcome, provenance=replace(outcome.provenance, notes=notes))


def _stage_questions(task: Task, size: int, source: int) -> dict[tuple[object, ...], tuple[int, int, int]]:
    """The questions of the two stages with their tokens, each under what it is shared by: domain, call, summary."""
    call = task.key[0]
    declared = task.dialogue.domain if task.dialogue else None
    known = declared in lexicon().domains
    questions: dict[tuple[object, ...], tuple[int, int, int]] = {
        # A domain that the model must name first may have categories of its own for each call.
        ("categories", declared if known else call): (1, _CATEGORY_TOKENS, _CATEGORY_TOKENS),
        ("call", call): (1, source, _CATEGORY_TOKENS),
        ("sentences", task.key): (1, size, _CATEGORY_TOKENS),
    }
    if not known:
        questions["domain", call] = (1, source, 0)
    return questions


def can_ask(task: Task) -> bool:
    """Whether there is a prompt for this perturbation."""
    name = task.request.perturbation.name
    return name in OWN or name == "remove_important_sentence"
