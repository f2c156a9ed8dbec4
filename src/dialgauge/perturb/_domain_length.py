"""length_reduction and length_increase: shorter and longer, with the same numbers, names and negations."""

import re
from collections.abc import Callable, Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_style import is_dispensable, without_space
from dialgauge.perturb._domain_text import (
    CITATION,
    FUNCTION_WORDS,
    lost_facts,
    names,
    negations,
    new_facts,
    numbers,
    word_count,
)
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._grammar import NEGATIONS, hyphenated
from dialgauge.perturb._lexicon import word_list
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register

#: The bounds on the ratio of words that the validators require, and those that the rules aim for.
_SHORTER, _LONGER = 0.90, 1.15
_AIM_SHORTER, _AIM_LONGER = 0.80, 1.25

_WORDY = tuple(
    (re.compile(rf"\b{long}\b", re.IGNORECASE), short)
    for long, short in (
        ("in order to", "to"),
        ("due to the fact that", "because"),
        ("as a result of", "from"),
        ("at this point in time", "now"),
        ("in the meantime", "meanwhile"),
        ("a large number of", "many"),
        ("with regard to", "about"),
        ("is able to", "can"),
        ("was able to", "could"),
        ("in addition to", "besides"),
        ("as well as", "and"),
        ("prior to", "before"),
        ("free of charge", "free"),
        ("at no cost", "free"),
        ("as soon as", "once"),
        ("rather than", "not"),
    )
    if short != "not"
)
_FILLERS = word_list("fillers")
_EVALUATIVE = word_list("evaluative")
#: A passage of only these (and grammar) describes emotions or behaviour, not facts.
_NO_FACT = FUNCTION_WORDS | _FILLERS | _EVALUATIVE | word_list("feelings")
#: Verbs that say nothing without the phrase of place that follows ("put the bill on hold").
_NEED_A_PLACE = word_list("need_a_place")
_PREPOSITIONS = word_list("adjunct_prepositions")
_MARKS = frozenset(["although", "though", "while", "as", "since", "when", "once", "so"])
#: Words that open a clause without which the sentence says something else.
_PROTECTED = NEGATIONS | {"if", "unless", "until", "only", "except", "but"}


def _propose_reduction(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    text = parsed.text
    total = word_count(text)
    edits: list[Edit] = []
    for tier in (_wordy, _asides, _fillers, _clauses, _adjuncts, _telegraphic):
        found = list(tier(parsed))
        rng.shuffle(found)
        for edit in found:
            if word_count(apply_edits(text, edits)) < _AIM_SHORTER * total:
                break
            if all(edit.end <= other.start or other.end <= edit.start for other in edits):
                edits.append(edit)
    ratio = word_count(apply_edits(text, edits)) / total
    if ratio >= _SHORTER:
        return NotApplicable(
            f"only {1 - ratio:.0%} of the words can be removed without losing numbers, names or main clauses"
        )
    return edits


def _wordy(parsed: Parsed) -> Iterator[Edit]:
    for pattern, short in _WORDY:
        for match in pattern.finditer(parsed.text):
            yield Edit(*match.span(), short.capitalize() if match.group()[0].isupper() else short)


def _fillers(parsed: Parsed) -> Iterator[Edit]:
    for token in parsed.tokens:
        evaluative = token.lower in _EVALUATIVE and token.dep == "amod" and token.head == token.i + 1
        if evaluative and not token.children and not hyphenated(parsed, token):
            yield Edit(token.start, token.end)
        if token.lower in _FILLERS and token.dep == "advmod" and not token.children and not hyphenated(parsed, token):
            following = parsed.tokens[token.i + 1].lower if token.i + 1 < len(parsed.tokens) else ""
            before = parsed.tokens[token.i - 1].lower if token.i else ""
            # "not only … but also", and "first … then" without an "and".
            joins = before == "but" if token.lower == "also" else token.lower == "then" and before != "and"
            if following not in ("than", "as", "if", "though", "that") and not joins:
                yield _with_commas(parsed, token.start, token.end)


def _asides(parsed: Parsed) -> Iterator[Edit]:
    """Brackets, appositions and clauses with *which* or *who* that stand between commas."""
    for match in re.finditer(r"\s*\([^()]*\)", parsed.text):
        if not _holds_facts(parsed, *match.span()):
            yield Edit(*match.span())
    for token in parsed.tokens:
        if token.dep in ("appos", "relcl") and _detached(parsed, token):
            yield from _dropped(parsed, token)


def _clauses(parsed: Parsed) -> Iterator[Edit]:
    """Participles and adverbial clauses set off by a comma: ``…, leaving far happier than he came``."""
    for token in parsed.tokens:
        if token.dep in ("advcl", "acl") and token.pos in ("VERB", "AUX", "ADJ"):
            first = parsed.subtree(token)[0]
            if _detached(parsed, token) and (token.tag == "VBG" or first.lower in _MARKS):
                yield from _dropped(parsed, token)


def _adjuncts(parsed: Parsed) -> Iterator[Edit]:
    """Phrases of place, time and manner that hang on a verb which has its object, or that open a sentence."""
    for token in parsed.tokens:
        if token.dep != "prep" or token.lower not in _PREPOSITIONS:
            continue
        head = parsed.tokens[token.head]
        complete = parsed.child(head, "dobj", "nsubjpass", "acomp") is not None
        if head.pos not in ("VERB", "AUX") or head.lemma in _NEED_A_PLACE or head.dep in ("relcl", "acl"):
            continue
        if complete or _detached(parsed, token):
            yield from _dropped(parsed, token)


def _telegraphic(parsed: Parsed) -> Iterator[Edit]:
    """Articles and helping verbs, as in notes: nothing of the content goes."""
    return (without_space(parsed, token) for token in parsed.tokens if is_dispensable(parsed, token))


def _dropped(parsed: Parsed, token: Token) -> Iterator[Edit]:
    stretch = parsed.subtree(token)
    start, end = stretch[0].start, stretch[-1].end
    inside_one = all(t.sentence == token.sentence for t in stretch)
    if token.unbroken and inside_one and not _holds_facts(parsed, start, end) and stretch[-1].text not in ".;:":
        yield _with_commas(parsed, start, end)


def _holds_facts(parsed: Parsed, start: int, end: int) -> bool:
    """Whether a passage has facts, not only emotions or behaviour; facts must not be lost."""
    text = parsed.text[start:end]
    words = {word.lower() for word in re.findall(r"[^\W_]+(?:['’]t)?", text)}
    return bool(numbers(text) or words & names(parsed) or words & _PROTECTED or words - _NO_FACT)


def _detached(parsed: Parsed, token: Token) -> bool:
    """Whether a comma (or the start of the sentence) sets this phrase off from what comes before."""
    first, last = parsed.subtree(token)[0], parsed.subtree(token)[-1]
    before = parsed.text[: first.start].rstrip()
    after = parsed.text[last.end : last.end + 1]
    opens = any(start == first.start for start, _ in parsed.sentences)
    return (before.endswith(",") and after in (",", ".", ";")) or (opens and after == ",")


def _with_commas(parsed: Parsed, start: int, end: int) -> Edit:
    """The stretch with the comma that belongs to it: both where it stands between two, the one after at the start."""
    text = parsed.text
    before = re.search(r",\s*$", text[:start])
    after = re.match(r",", text[end:])
    opens = any(s == start for s, _ in parsed.sentences)
    if opens:
        lead = re.match(r",?\s*", text[end:])
        return Edit(start, end + (lead.end() if lead else 0))
    if before and after:
        return Edit(before.start(), end + 1)
    if before and re.match(r"[.;!?]", text[end:]):
        return Edit(before.start(), end)
    return Edit(start, end)


#: Plain words and their long-winded forms. None adds or takes away anything.
_EXPANSIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bbecause(?! of)\b", "due to the fact that"),
        (r"\b[Bb]ecause of\b", "as a consequence of"),
        (r"\balthough\b", "in spite of the fact that"),
        (r"\bif\b(?! not)", "in the event that"),
        (r"\bsoon\b(?! as)", "in the near future"),
        (r"\bwithin (?=(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|forty)\b)", "within a period of "),
        (r"\bnow\b", "at this point in time"),
        (r"\b(?<![-\w])so that\b", "in such a way that"),
        (r"\bby (?=(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b)", "by no later than "),
        (r"\buntil\b", "up until"),
        (r"\binstead of\b", "in place of"),
        (r"\bwants to\b", "has the wish to"),
        (r"\bwanted to\b", "had the wish to"),
        (r"\bagreed to\b", "declared agreement to"),
        (r"\bbut\b(?= (?:he|she|they|it|the)\b)", "but at the same time"),
        (r"\bThe (customer|caller|client|user)\b", r"The \1 in this conversation"),
        (r"\bThe (agent|representative|adviser|advisor)\b", r"The \1 in this conversation"),
    )
)
_FIRST_LEADS = ("In the conversation that is summarised here, ", "As far as this conversation is concerned, ")
_NEXT_LEADS = (
    "In addition to this, ",
    "As the conversation furthermore shows, ",
    "Beyond what has been said so far, ",
    "It should also be mentioned that ",
    "As can be seen from the conversation, ",
    "It is likewise worth noting that ",
)
_CLOSINGS = (
    "This sums up what was said in the course of the conversation.",
    "With this, the main points of the conversation have been set out.",
)
_FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})


def _propose_increase(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit]:
    text = parsed.text
    total = word_count(text)
    edits: list[Edit] = []
    steps: list[Callable[[], Iterator[Edit]]] = [
        lambda: _expanded(text),
        lambda: _leads(parsed, rng),
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


def _expanded(text: str) -> Iterator[Edit]:
    for pattern, replacement in _EXPANSIONS:
        match = pattern.search(text)
        if match:
            long = match.expand(replacement)
            yield Edit(*match.span(), long[0].upper() + long[1:] if match.group()[0].isupper() else long)


def _leads(parsed: Parsed, rng: Random) -> Iterator[Edit]:
    """An empty introduction for each sentence that is one: it has a subject and a finite verb."""
    following = rng.sample(_NEXT_LEADS, len(_NEXT_LEADS))
    for place, (start, _) in enumerate(parsed.sentences):
        tokens = [token for token in parsed.tokens if token.sentence == place]
        whole = any(t.dep in ("nsubj", "nsubjpass", "expl") for t in tokens) and any(t.tag in _FINITE for t in tokens)
        if not tokens or not whole or tokens[0].tag in ("VB", "UH") or tokens[0].lower in ("and", "but", "so", "or"):
            continue
        lead = rng.choice(_FIRST_LEADS) if place == 0 else following[place % len(following)]
        opens_with_phrase = tokens[0].dep not in ("nsubj", "nsubjpass", "det", "compound", "poss", "amod", "expl")
        if lead.endswith("that ") and opens_with_phrase:
            lead = "In addition to this, "
        first = tokens[0]
        name = (
            first.pos == "PROPN"
            or first.entity
            or first.text == "I"
            or first.text[1:2].isupper()
            or not first.text[0].isalpha()
        )
        yield Edit(start, start + 1, lead + (parsed.text[start] if name else parsed.text[start].lower()))


def _closing(parsed: Parsed, rng: Random) -> Iterator[Edit]:
    end = parsed.sentences[-1][1]
    stop = "" if parsed.text[end - 1] in '.!?…"”)' else "."
    yield Edit(end, end, f"{stop} {rng.choice(_CLOSINGS)}")


def _validate_reduction(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    ratio = word_count(result) / max(word_count(original), 1)
    if ratio >= _SHORTER:
        return f"the result has {ratio:.0%} of the words; it must have less than {_SHORTER:.0%}"
    return lost_facts(original, result, parsed) or new_facts(original, result) or _negated(original, result)


def _validate_increase(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    ratio = word_count(result) / max(word_count(original), 1)
    if ratio <= _LONGER:
        return f"the result has {ratio:.0%} of the words; it must have more than {_LONGER:.0%}"
    return lost_facts(original, result, parsed) or new_facts(original, result) or _negated(original, result)


def _negated(original: str, result: str) -> str | None:
    before, after = negations(original), negations(result)
    return (
        None
        if abs(before - after) <= 1 and (before == 0) <= (after <= 1)
        else f"negations went from {before} to {after}"
    )


LENGTH_REDUCTION = Perturbation(
    name="length_reduction",
    family="domain",
    description="Removes wordy phrases, asides without facts, fillers and articles; keeps every fact",
    effects={"consistency": "preserves", "relevance": "preserves"},
    propose=_propose_reduction,
    validate=_validate_reduction,
    needs=frozenset({"parse"}),
    version="2",
    citation=CITATION,
    examples=(
        (
            "The agent, who was very polite, cancelled the card in the afternoon.",
            "The agent cancelled the card in the afternoon.",
        ),
    ),
)
LENGTH_INCREASE = Perturbation(
    name="length_increase",
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
register(LENGTH_REDUCTION, LENGTH_INCREASE)
