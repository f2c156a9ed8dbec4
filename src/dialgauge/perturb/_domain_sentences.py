"""remove_important_sentence_n: exactly n important sentences are removed, and at least one sentence stays."""

import math
import re
from collections.abc import Sequence
from itertools import combinations

from dialgauge.corpus import Dialogue
from dialgauge.perturb._antecedents import lacks_antecedent
from dialgauge.perturb._domain_text import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._entities import draw_combination
from dialgauge.perturb._importance import Importance, important_sentences, removal
from dialgauge.perturb._left_behind import looks_back
from dialgauge.perturb._parse import Parsed, outline
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register

#: Who says a copied turn.
_LABEL = re.compile(r"[A-Z#][\w.#’' -]{0,30}:\s")
#: All sets of sentences are looked at where there are no more than so many, else as many at random.
_SETS = 200


def _propose(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, mode: str
) -> Proposal | NotApplicable:
    total = len(parsed.sentences)
    if level >= total:
        return NotApplicable(f"one sentence must stay, but the summary has {total}")
    importance = important_sentences(parsed, dialogue)
    if len(importance.sentences) < level:
        return NotApplicable(f"{len(importance.sentences)} of {total} sentences are important, fewer than {level}")
    texts = [parsed.text[start:end] for start, end in parsed.sentences]
    # Those that leave the rest whole; else, in a text of few sentences, others that tell something; but those of one
    # level would not be among those of the next.
    for places in (importance.sentences, importance.telling) if mode != "nested" else (importance.sentences,):
        if chosen := _drawn(places, texts, level, mode, rng):
            return Proposal(removal(parsed, chosen), _notes(importance))
    return NotApplicable("what is left would point back to a sentence that is gone")


def _drawn(places: Sequence[int], texts: Sequence[str], level: int, mode: str, rng: Random) -> Sequence[int]:
    """``level`` of the places that the rest can do without, each such set equally likely; none if there are none."""
    if mode == "nested":
        order = list(places)
        rng.shuffle(order)
        order.sort(key=lambda place: looks_back(texts, [place]))
        chosen = sorted(order[:level])
        return chosen if len(places) >= level and _can_go(texts, chosen) else ()
    if math.comb(len(places), level) <= _SETS:
        whole = [chosen for chosen in combinations(places, level) if _can_go(texts, chosen)]
        return rng.choice(whole) if whole else ()
    draws = ([places[i] for i in draw_combination(len(places), level, mode, rng)] for _ in range(_SETS))
    return next((chosen for chosen in draws if _can_go(texts, chosen)), ())


def _can_go(texts: Sequence[str], gone: Sequence[int]) -> bool:
    cut = any(texts[place].count('"') % 2 for place in gone)
    if cut or _loses_label(texts, gone) or looks_back(texts, gone):
        return False
    return not lacks_antecedent(texts, gone)


def _loses_label(texts: Sequence[str], gone: Sequence[int]) -> bool:
    """Whether the rest of a copied turn would stay without its *Agent:*, so that another one would say it."""
    behind = [texts[place + 1] for place in gone if place + 1 < len(texts) and place + 1 not in gone]
    labelled = any(_LABEL.match(texts[place]) for place in gone)
    return labelled and any(_LABEL.match(text) is None for text in behind)


def _notes(importance: Importance) -> dict[str, object]:
    notes: dict[str, object] = {"importance": importance.method, "important": list(importance.sentences)}
    if importance.categories:
        notes["categories"] = list(importance.categories)
    return notes


def _sentences(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in outline(text).sentences]


def _count(original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None) -> int:
    return len(parsed.sentences) - len(_sentences(result))


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """What is left are sentences of the original, word for word, in their order."""
    rest = iter(_sentences(original))
    for sentence in _sentences(result):
        if not any(sentence == other for other in rest):
            return f"{sentence[:60]!r} is not a sentence of the original, or not in its position"
    return None


REMOVE_IMPORTANT_SENTENCE = Perturbation(
    name="remove_important_sentence",
    version="6",
    family="domain",
    description="Removes exactly n of the sentences about the topic of the call",
    effects={"consistency": "preserves", "relevance": "degrades"},
    propose=_propose,
    validate=_validate,
    levels=(1, 2, 3, 4, 5, 6),
    numbered=True,
    count=_count,
    needs=frozenset({"lexicon"}),
    citation=CITATION,
    examples=(
        (
            "The bank cancelled the card that the cash machine had kept. The payment was refunded to the account. The "
            "agent was polite.",
            "The bank cancelled the card that the cash machine had kept. The agent was polite.",
        ),
    ),
    options={
        "mode": Option(
            ("uniform", "nested"),
            "uniform: every set of n sentences is equally likely; nested: remove_2 contains remove_1",
        )
    },
)
register(REMOVE_IMPORTANT_SENTENCE)
