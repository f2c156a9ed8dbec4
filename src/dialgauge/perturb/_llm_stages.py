"""Entities and important sentences named by a model; the draw among them is ours, as with the rules."""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from dialgauge.perturb._apply import Declined, Task
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._entities import draw_combination
from dialgauge.perturb._importance import removal
from dialgauge.perturb._lexicon import lexicon
from dialgauge.perturb._llm_chat import TypedChat
from dialgauge.perturb._llm_prompts import (
    CALL_QUESTION,
    CATEGORIES_QUESTION,
    DOMAIN_QUESTION,
    SENTENCES_QUESTION,
    CallCategories,
    DomainCategories,
    DomainName,
    Entities,
    EntityAnswer,
    SentenceCategories,
    stage_messages,
)
from dialgauge.perturb._parse import outline

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Found:
    """The important sentences by their places, the categories of the call, and how many questions it took."""

    sentences: tuple[int, ...]
    categories: tuple[str, ...] = ()
    domain: str = ""
    calls: int = 0
    complaint: str = ""


class Stages:
    """The paper's two stages. Repeated questions are answered from the endpoint's cache or from this object."""

    def __init__(self, chat: TypedChat) -> None:
        self._chat = chat
        self._answers: dict[str, Any] = {}
        self._lock = threading.Lock()

    def important(self, task: Task) -> Found:
        """Domain, its categories, those of the call, those of each sentence; important are sentences that meet it."""
        call = task.dialogue.text if task.dialogue else task.text
        texts = [task.text[start:end] for start, end in outline(task.text).sentences]
        calls = 0
        declared = task.dialogue.domain if task.dialogue else None
        domain = declared if declared in lexicon().domains else None
        if domain is None:
            named = self._ask(DOMAIN_QUESTION, DomainName, call=call)
            calls += 1
            if isinstance(named, str):
                return Found((), calls=calls, complaint=named)
            domain = named.domain
        kinds = self._ask(CATEGORIES_QUESTION, DomainCategories, industry=domain)
        calls += 1
        if isinstance(kinds, str):
            return Found((), calls=calls, complaint=kinds)
        listed = "\n".join(f"- {kind.name}: {kind.description}" for kind in kinds.categories)
        numbered = "\n".join(f"{place}. {text}" for place, text in enumerate(texts, 1))
        of_call = self._ask(CALL_QUESTION, CallCategories, categories=listed, call=call)
        of_sentences = self._ask(SENTENCES_QUESTION, SentenceCategories, categories=listed, sentences=numbered)
        calls += 2
        if isinstance(of_call, str) or isinstance(of_sentences, str):
            complaint = of_call if isinstance(of_call, str) else str(of_sentences)
            return Found((), calls=calls, complaint=complaint)
        if len(of_sentences.sentences) != len(texts):
            complaint = f"{len(of_sentences.sentences)} sentences were categorised, but the summary has {len(texts)}"
            return Found((), calls=calls, complaint=complaint)
        wanted = {name.strip().lower() for name in of_call.categories}
        meeting = tuple(
            place
            for place, names in enumerate(of_sentences.sentences)
            if wanted & {name.strip().lower() for name in names[:2]}
        )
        return Found(meeting, tuple(of_call.categories), domain, calls)

    def _ask(self, question: str, kind: type[Model], **parts: str) -> Model | str:
        """The answer, or after two complaints the last complaint."""
        messages = stage_messages(question, **parts)
        key = repr(messages)
        with self._lock:
            if key in self._answers:
                known: Model = self._answers[key]
                return known
        complaint = ""
        for _ in range(3):
            answer, raw, complaint = self._chat.ask(messages, kind)
            if answer is not None:
                with self._lock:
                    self._answers[key] = answer
                return answer
            messages = [
                *messages,
                {"role": "assistant", "content": raw.text},
                {"role": "user", "content": f"That answer cannot be used: {complaint}. Answer again."},
            ]
        return complaint


def drawn_entities(task: Task, answer: Entities) -> tuple[list[Edit], dict[str, Any]] | Declined:
    """Edits for ``level`` of the entities that the model named and that occur in the summary."""
    usable: list[tuple[EntityAnswer, list[tuple[int, int]]]] = []
    covered: list[tuple[int, int]] = []
    for entity in sorted(answer.entities, key=lambda entity: -len(entity.text)):
        if entity.replacement.lower() == entity.text.lower():
            continue
        pattern = rf"(?<![\w-]){re.escape(entity.text)}(?![\w-])"
        spans = [match.span() for match in re.finditer(pattern, task.text) if _free(match.span(), covered)]
        if spans:
            usable.append((entity, spans))
            covered += spans
    usable.sort(key=lambda entry: entry[1][0])
    level = task.request.level
    if len(usable) < level:
        return Declined(f"{len(usable)} of the entities occur literally in the summary; {level} are needed")
    mode = task.request.options.get("mode", "uniform")
    chosen = [usable[i] for i in draw_combination(len(usable), level, mode, task.random())]
    edits = [Edit(*span, entity.replacement) for entity, spans in chosen for span in spans]
    notes = [{"kind": e.kind, "from": e.text, "to": e.replacement, "source": e.source} for e, _ in chosen]
    return edits, {"entities": notes}


def _free(span: tuple[int, int], covered: Sequence[tuple[int, int]]) -> bool:
    return all(span[1] <= start or end <= span[0] for start, end in covered)


def drawn_sentences(task: Task, found: Found) -> tuple[list[Edit], dict[str, Any]] | Declined:
    """Edits that remove ``level`` of the important sentences."""
    parsed = outline(task.text)
    total, level = len(parsed.sentences), task.request.level
    if level >= total:
        return Declined(f"one sentence must stay, but the summary has {total}")
    if len(found.sentences) < level:
        return Declined(f"{len(found.sentences)} of {total} sentences are important, fewer than {level}")
    mode = task.request.options.get("mode", "uniform")
    places = [found.sentences[i] for i in draw_combination(len(found.sentences), level, mode, task.random())]
    notes = {
        "importance": "llm",
        "important": list(found.sentences),
        "categories": list(found.categories),
        "domain": found.domain,
    }
    return removal(parsed, places), notes
