"""Answers to the paper's own prompts, judged by content.

Those prompts say "rewrite": a model then rewords the whole summary, as in the paper's Table 8. What our own prompts
forbid (another tense, other words) is no fault there. What the perturbation is meant to do must still be in the answer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_text import content_roots, numbers, source_of, support
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._lexicon import root
from dialgauge.perturb._parse import Parsed, Token, outline, parse
from dialgauge.perturb._perturbation import Validate

#: A sentence is supported if at least this share of its content words is known.
_SUPPORTED = 0.6
#: A rewritten summary is still about the call if it keeps this share of the content words, and at least so many.
_SAME_CALL = 0.3
_FULL_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+")
_OBJECTS = ("dobj", "nsubjpass", "pobj")


def _demographic(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Particulars that are not in the transcript were added; the rest of the summary is still there."""
    known = source_of(original, dialogue)
    added = numbers(result) - numbers(known) or [name for name in _FULL_NAME.findall(result) if name not in known]
    if not added:
        return "no detail was added that is not in the transcript"
    if support(original, result) < _SUPPORTED:
        return "most of the summary is gone"
    return None


def _noise(original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None) -> str | None:
    """At least one sentence without support, and at least one that the transcript or the summary supports."""
    known = source_of(original, dialogue)
    shares = [support(result[start:end], known) for start, end in outline(result).sentences]
    if min(shares, default=1.0) >= _SUPPORTED:
        return "nothing was added that is not in the transcript"
    if max(shares) < _SUPPORTED:
        return "no sentence of the summary is left"
    return None


def _category(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """The object of what is done in the call is another one: the same verb has a noun that was not there before."""
    if support(result, original) < _SAME_CALL:
        return "the result is about another call"
    known = set(content_roots(source_of(original, dialogue)))
    done = {root(token.lemma.lower()) for token in parsed.tokens if token.pos == "VERB"}
    new = parse(result)
    objects = [token for token in _objects(new) if root(token.text.lower()) not in known]
    if not any(root(new.tokens[token.head].lemma.lower()) in done for token in objects):
        return "nothing that is done in the call has another object"
    lost = {root(token.text.lower()) for token in parsed.tokens if token.pos == "NOUN"} - set(content_roots(result))
    return None if lost else "the objects of the original are all still there"


def _objects(parsed: Parsed) -> Iterable[Token]:
    return (token for token in parsed.tokens if token.dep in _OBJECTS and token.pos in ("NOUN", "PROPN"))


#: For the prompts that lead to a summary in other words; the other four are checked as those of our own.
PAPER_CHECKS: Mapping[str, Validate] = {
    "demographic_change": _demographic,
    "noise_addition": _noise,
    "category_change": _category,
}
