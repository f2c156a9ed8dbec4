"""Negation in turns, by their words: chats are not written so that a parser finds it."""

import re

#: Negations, as written in books and in chats ("dont", "don ' t"), and verbs that negate what follows.
_NEGATION = re.compile(
    r"\b(?:not|no|nope|nah|nay|never|none|nothing|nobody|no-one|nowhere|neither|nor|without|cannot|hardly|barely|unable|"
    r"unfortunately|impossible|refus\w*|declin\w*|fail\w*|forg[eo]t\w*|lack\w*|reject\w*|unless|instead|out\sof|(?:un)?till?|down|gone|broken|"
    r"(?:do|does|did|is|are|was|were|have|has|had|wo|would|could|should|ca|ai|must|need)n\s?['’]?\s?t"
    r")\b|n\s?['’]\s?t\b",
    re.IGNORECASE,
)
#: How somebody says no to a question or an offer.
_REFUSAL = re.compile(
    r"^\W*(?:(?:oh|well|hmm?|sorry|um+|uh|ah|haha|lol)\W+)*(?:no\b|nope|nah|not\b|i\s(?:can|do|wo|am)\s?n['’]?o?t|i['’]?m\s(?:sorry|afraid|not)|"
    r"sorry|unfortunately|i\s(?:can|do|wo)n\s?['’]\s?t|never)",
    re.IGNORECASE,
)
#: Negations of a summary; the verbs above are no negation there ("Tom refuses to pay" is not negated).
WORDS = frozenset(
    ("not", "n't", "n’t", "nt", "never", "no", "none", "nobody", "nothing", "cannot", "neither", "nor", "nowhere")
)


def has_negation(text: str) -> bool:
    """Whether anything in a text is negated."""
    return _NEGATION.search(text) is not None


def is_refusal(text: str) -> bool:
    """Whether a text begins with a no."""
    return _REFUSAL.match(text) is not None
