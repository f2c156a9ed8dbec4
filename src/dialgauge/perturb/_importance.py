"""The important sentences of a summary: those about the topic of the call.

The paper asks a language model in two stages (domain and its categories; call and sentences to at most two of them).
Offline the categories are those of the lexicon, recognised by keywords; without a match, the tf-idf cosine of each
sentence to the transcript is used.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_text import content_roots
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._lexicon import Category, lexicon, roots
from dialgauge.perturb._parse import Parsed

_MOST_CATEGORIES = 2
#: A sentence tells nothing new if the others hold this share of its content words.
_REPEATED = 0.99
#: How a call ended is important, whatever it was about.
_OUTCOME = re.compile(
    r"\b(?:(?:did|does|could|was|is|were) not (?:able to )?(?:resolve|solve|fix|help)|(?:un)?resolved?"
    r"|solved|refund(?:s|ed)|agree[sd]? to|promise[sd]? to|will (?!be (?:polite|kind)))\b",
    re.IGNORECASE,
)
#: What somebody does not take is a step on the way, if a later sentence says what is done instead.
_REFUSAL = re.compile(r"\b(?:decline|refuse|reject)(?:s|d|ed)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Importance:
    """The places of the important sentences, how they were found, and the categories of the call. ``telling`` are all
    that say something which no other says."""

    sentences: tuple[int, ...]
    telling: tuple[int, ...]
    method: Literal["categories", "tf-idf"]
    categories: tuple[str, ...] = ()


def important_sentences(parsed: Parsed, dialogue: Dialogue | None) -> Importance:
    """The sentences that share a category with the call; where none does, those at least as near to the transcript
    (tf-idf cosine) as the middle one. Without a transcript the summary itself stands for the call."""
    texts = [parsed.text[start:end] for start, end in parsed.sentences]
    call = dialogue.text if dialogue and dialogue.turns else parsed.text
    domain = lexicon().domain_of(dialogue, parsed.text)
    if domain is not None:
        categories = _best_categories(call, domain.categories)
        meeting = tuple(i for i, text in enumerate(texts) if _best_categories(text, domain.categories) & categories)
        if meeting:
            outcomes = {i for i, text in enumerate(texts) if tells_outcome(text)}
            chosen = sorted({*meeting, *outcomes})
            return Importance(*_telling(texts, chosen), "categories", tuple(sorted(categories)))
    scores = nearness(texts, dialogue)
    middle = sorted(scores)[len(scores) // 2] if len(scores) > 1 else 0.0
    chosen = [i for i, score in enumerate(scores) if score >= middle or tells_outcome(texts[i])]
    return Importance(*_telling(texts, chosen), "tf-idf")


def tells_outcome(sentence: str) -> bool:
    """Whether a sentence says how a conversation ended."""
    return _OUTCOME.search(sentence) is not None


def nearness(texts: list[str], dialogue: Dialogue | None) -> list[float]:
    """How near each text is to the transcript (tf-idf cosine), or to all of them where there is none."""
    return _cosines(texts, [turn.text for turn in dialogue.turns] if dialogue and dialogue.turns else texts)


def _telling(texts: Sequence[str], chosen: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those chosen without the sentences whose content the others repeat, those that hold hardly any beside the
    longest, and refusals before the outcome (all of them if none would be left); and all that tell something."""
    words = [{*content_roots(text)} for text in texts]
    least = max(map(len, words)) / 3

    def repeated(place: int) -> bool:
        others = set().union(*(found for i, found in enumerate(words) if i != place))
        return len(words[place] & others) >= _REPEATED * len(words[place])

    def step(place: int) -> bool:
        return _REFUSAL.search(texts[place]) is not None and any(map(tells_outcome, texts[place + 1 :]))

    telling = [i for i in range(len(texts)) if len(words[i]) > least and not repeated(i)]
    return tuple(i for i in chosen if i in telling and not step(i)) or tuple(telling) or tuple(chosen), tuple(telling)


def removal(parsed: Parsed, places: Sequence[int]) -> list[Edit]:
    """Edits that remove these sentences with their white space."""
    spans, gone = parsed.sentences, {*places}
    kept = [i for i in range(len(spans)) if i not in gone]
    edits: list[Edit] = []
    for place in sorted(gone):
        if place < kept[0]:  # before the first that stays: up to the next sentence
            edits.append(Edit(spans[place][0], spans[place + 1][0]))
        else:
            edits.append(Edit(spans[place - 1][1], spans[place][1]))
    return edits


def _best_categories(text: str, categories: tuple[Category, ...]) -> frozenset[str]:
    """At most two categories, by the number of different keywords in the text; ties go to the more frequent."""
    found = roots(text)
    counts = {c.name: (len(c.keywords & found.keys()), sum(found[k] for k in c.keywords)) for c in categories}
    ranked = sorted((name for name in counts if counts[name][0]), key=lambda n: (-counts[n][0], -counts[n][1], n))
    return frozenset(ranked[:_MOST_CATEGORIES])


def _cosines(texts: list[str], turns: list[str]) -> list[float]:
    """The cosine of each text to the whole of the turns; idf is counted over the turns."""
    documents = [Counter(content_roots(turn)) for turn in turns]
    frequency: Counter[str] = Counter(word for document in documents for word in document)
    total = len(documents)

    def weighted(counts: Counter[str]) -> dict[str, float]:
        return {word: n * math.log((1 + total) / (1 + frequency[word]) + 1) for word, n in counts.items()}

    whole = weighted(sum(documents, Counter[str]()))
    return [_cosine(weighted(Counter(content_roots(text))), whole) for text in texts]


def _cosine(first: dict[str, float], second: dict[str, float]) -> float:
    product = sum(value * second.get(word, 0.0) for word, value in first.items())
    norms = math.sqrt(sum(v * v for v in first.values())) * math.sqrt(sum(v * v for v in second.values()))
    return product / norms if norms else 0.0
