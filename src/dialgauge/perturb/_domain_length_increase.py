"""length_increase: longer, with the same numbers, names and negations."""

import re
from collections.abc import Callable, Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._domain_length import negated
from dialgauge.perturb._domain_text import CITATION, lost_facts, new_facts, word_count
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._grammar import base_form, is_in_dictionary
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_first_name, people_of
from dialgauge.perturb._perturbation import Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import copies_turns

#: The bound on the ratio of words that the validator requires, and what the rules aim for.
_LONGER, _AIM_LONGER = 1.15, 1.25

_UNIT_OF_TIME = "(?:minute|hour|day|week|month|year)"
#: Plain words and their long-winded forms. None adds or takes away anything.
_EXPANSIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bbecause(?! of)\b", "due to the fact that"),
        (r"\b[Bb]ecause of\b", "on account of"),
        (r"\balthough\b", "in spite of the fact that"),
        # not in "asks if", "if need be", "if so"
        (
            r"(?<=[,.] )[Ii]f\b(?= (?:[^\W\d_]+ ){2})(?! (?:not|need be|so|any|at all|\w+(?:ary|ible))\b)",
            "in the event that",
        ),
        (r"\bsoon\b(?! as)", "in the near future"),
        (rf"\bwithin (?=(?:\d+|{'|'.join(NUMBER_WORDS)}) (?:\w+ )?{_UNIT_OF_TIME}s?\b)", "within a period of "),
        (
            r"(?<!\bfrom )(?<!\bby )(?<!\bright )(?<!\bjust )(?<!\buntil )\bnow\b(?! on\b| that\b)",
            "at this point in time",
        ),
        (r"\binstead of\b", "in place of"),
        (r"\bwants to\b", "has the wish to"),
        (r"\bwanted to\b", "had the wish to"),
        (r"\bbut\b(?= (?:he|she|they|it|the)\b)", "but on the other hand"),
        (r"\bThe (customer|caller|client|user)\b(?!['’])", r"The \1 in this conversation"),
        (r"\bThe (agent|representative|adviser|advisor)\b(?!['’])", r"The \1 in this conversation"),
    )
)
_FIRST_LEADS = ("According to the conversation that is summarised here, ", "As far as this conversation shows, ")
_NEXT_LEADS = (
    "In addition to this, ",
    "As the conversation furthermore shows, ",
    "It should also be mentioned that ",
    "As can be seen from the conversation, ",
    "It is likewise worth noting that ",
)
_CLOSINGS = (
    "This was said in the course of the conversation.",
    "So much can be taken from the conversation.",
)
#: A sentence that begins so looks back already.
_TYING = frozenset(["and", "but", "so", "or", "then", "also", "finally", "however", "still", "later", "afterwards"])
#: *That worked*: nor does one that speaks of the last one.
_BACK = frozenset(["that", "these", "this", "those"])
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
#: Parts of speech that are no names, whatever name they open; of those whose words are in the dictionary.
_CLOSED, _OPEN = frozenset({"ADP", "AUX", "CCONJ", "DET", "NUM", "PRON", "SCONJ"}), frozenset({"ADV", "VERB"})


def _propose_increase(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit]:
    text = parsed.text
    total = word_count(text)
    edits: list[Edit] = []
    steps: list[Callable[[], Iterator[Edit]]] = [
        lambda: _expanded(parsed),
        lambda: _leads(parsed, people_of(dialogue), rng),
        lambda: _closing(parsed, rng),
    ]
    for step in steps:
        found = list(step())
        rng.shuffle(found)
        for edit in found:
            if word_count(apply_edits(text, edits)) > _AIM_LONGER * total:
                break
            if all(edit.end <= other.start or other.end <= edit.start for other in edits):
                edits.append(edit)
    return edits


def _expanded(parsed: Parsed) -> Iterator[Edit]:
    inside = {token.end for token in parsed.tokens if token.dep == "compound"}  # "The client manager"
    for pattern, replacement in _EXPANSIONS:
        match = pattern.search(parsed.text)
        if match and match.end() not in inside:
            long = match.expand(replacement)
            yield Edit(*match.span(), long[0].upper() + long[1:] if match.group()[0].isupper() else long)


def _leads(parsed: Parsed, known: frozenset[str], rng: Random) -> Iterator[Edit]:
    """An empty introduction for each sentence that is one: it has a subject and a finite verb."""
    following = rng.sample(_NEXT_LEADS, len(_NEXT_LEADS))
    if copies_turns(parsed.text):
        return  # "As far as this conversation shows, Agent: Hello"
    for place, (start, _) in enumerate(parsed.sentences):
        tokens = [token for token in parsed.tokens if token.sentence == place]
        whole = any(t.dep in ("nsubj", "nsubjpass", "expl") for t in tokens) and any(t.tag in _FINITE for t in tokens)
        if (
            not tokens
            or not whole
            or tokens[0].tag in ("VB", "UH")
            or tokens[0].lower in _TYING
            or tokens[0].lower in _BACK
        ):
            continue
        lead = rng.choice(_FIRST_LEADS) if place == 0 else following[place % len(following)]
        first = tokens[0]
        name = _is_name(first, tokens, known)
        opens_with_phrase = first.dep not in ("nsubj", "nsubjpass", "det", "compound", "poss", "amod", "expl")
        if lead.endswith("that ") and (opens_with_phrase or (first.pos == "PROPN" and not name)):
            lead = "In addition to this, "
        if first.lower == "according":
            lead = _FIRST_LEADS[1]
        yield Edit(start, start + 1, lead + (parsed.text[start] if name else parsed.text[start].lower()))


def _is_name(first: Token, tokens: Sequence[Token], known: frozenset[str]) -> bool:
    """Whether the first word of a sentence keeps its capital: *Ann*, *I*, *NASA*; not *The* of a name, nor *Stung*."""
    if first.text == "I" or first.text[1:2].isupper() or not first.text[0].isalpha():
        return True
    if is_first_name(first.text) or first.lower in known:
        return True
    if first.pos in _CLOSED:
        return False
    if not is_in_dictionary(first.lower):
        return True
    if first.pos in _OPEN:
        return False
    form_of_verb = first.lower != (base_form(first.lower, "VERB") or first.lower)
    if first.pos == "PROPN" and not first.entity and form_of_verb:
        return False
    named = any(t.pos == "PROPN" and t.i == first.i + 1 and first.dep == "compound" for t in tokens)
    return first.pos == "PROPN" or bool(first.entity) or named


def _closing(parsed: Parsed, rng: Random) -> Iterator[Edit]:
    end = parsed.sentences[-1][1]
    stop = "" if parsed.text[end - 1] in '.!?…"”)' else "."
    yield Edit(end, end, f"{stop} {rng.choice(_CLOSINGS)}")


def _validate_increase(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    ratio = word_count(result) / max(word_count(original), 1)
    if ratio <= _LONGER:
        return f"the result has {ratio:.0%} of the words; it must have more than {_LONGER:.0%}"
    return lost_facts(original, result, parsed) or new_facts(original, result) or negated(original, result)


LENGTH_INCREASE = Perturbation(
    name="length_increase",
    version="7",
    family="domain",
    description="Uses more words for the same content; adds nothing",
    effects={"consistency": "preserves", "relevance": "preserves"},
    propose=_propose_increase,
    validate=_validate_increase,
    needs=frozenset({"parse"}),
    citation=CITATION,
    examples=(
        (
            "The customer wanted to cancel the card because it was lost.",
            "The customer in this conversation had the wish to cancel the card because it was lost.",
        ),
    ),
)
register(LENGTH_INCREASE)
