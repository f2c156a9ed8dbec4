"""Letters and marks: typos and remove_punct. They work in any language."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.language import UNSPACED
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import ABBREVIATED, PLACEHOLDER, Span

#: Share of the words that get a typo, by level; at least one does.
_RATES = {1: 0.05, 2: 0.1, 3: 0.2}
_SHORTEST_WORD = 4
#: Marks that belong to a word or number when both neighbours do.
_INNER = frozenset("'’-‐‑.,:/@&_")
#: Texts that keep their marks: placeholders, titles, abbreviations with points, percentages, addresses.
_WHOLE = re.compile(rf"(?:{PLACEHOLDER})(?:['’](?=\w))?|{ABBREVIATED.pattern}|(?<=\d)%|https?://\S+\w|@(?=\w)|#(?=\w)")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def propose_typos(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    """Swap two neighbouring letters inside words of four or more letters; the first and the last letter stay."""
    text = parsed.text
    words = [word for word in parsed.words if _takes_typo(text, word)]
    if not words:
        return NotApplicable("no word of four or more letters with two that can be swapped")
    rng.shuffle(words)
    count = max(1, round(_RATES[level] * len(parsed.words)))
    chosen = [rng.choice(list(_swaps(text, word))) for word in words[:count]]
    return [Edit(i, i + 2, text[i + 1] + text[i]) for i in chosen]


def _takes_typo(text: str, span: Span) -> bool:
    start, end = span
    if end - start < _SHORTEST_WORD or not text[start:end].isalpha() or text[start - 1 : start] in ("@", "#", "/"):
        return False
    return next(_swaps(text, span), None) is not None


def _swaps(text: str, span: Span) -> Iterator[int]:
    """Where the first of two letters stands that can be swapped."""
    return (i for i in range(span[0] + 1, span[1] - 2) if _can_swap(text[i], text[i + 1]))


def _can_swap(first: str, second: str) -> bool:
    return first.lower() != second.lower() and first.isupper() == second.isupper()


def check_typos(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Words of the same length with the same letters, in the same places."""
    if len(result) != len(original):
        return "the length changed"
    for start, end in parsed.words:
        before, after = original[start:end], result[start:end]
        if before != after and sorted(before) != sorted(after):
            return f"{before!r} became {after!r}"
    return None


def propose_no_marks(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, inside: str = "keep"
) -> Sequence[Edit] | NotApplicable:
    """Remove punctuation; a mark between two words without a space becomes a space."""
    text = parsed.text
    whole = [] if inside == "remove" else [match.span() for match in _WHOLE.finditer(text)]
    kept = {i for start, end in whole for i in range(start, end)}
    edits: list[Edit] = []
    position = 0
    while position < len(text):
        end = position
        while end < len(text) and end not in kept and unicodedata.category(text[end])[0] == "P":
            end += 1
        if end > position:
            edit = _without_mark(text, position, end, inside == "keep")
            edits += [edit] if edit else []
        position = max(end, position + 1)
    return edits or NotApplicable("no punctuation that can be removed")


def _without_mark(text: str, start: int, end: int, keep_inside: bool) -> Edit | None:
    before, after = text[start - 1 : start], text[end : end + 1]
    if not (before.isalnum() and after.isalnum()):
        return Edit(start, end)
    if text[start:end] == "–" and before.isdigit() and after.isdigit():
        return None if keep_inside else Edit(start, end, " ")
    if end == start + 1 and text[start] in _INNER:
        return None if keep_inside else Edit(start, end)
    unspaced = _UNSPACED.match(before) or _UNSPACED.match(after)
    return Edit(start, end, "" if unspaced else " ")


def check_no_marks(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Letters and digits must be the same, in the same order."""
    before, after = ("".join(c for c in text if c.isalnum()) for text in (original, result))
    return None if before == after else "more than punctuation was changed"


register(
    Perturbation(
        name="typos",
        family="baseline",
        description="swaps letters inside 5, 10 or 20 % of the words",
        effects={"consistency": "preserves", "relevance": "preserves", "fluency": "degrades"},
        propose=propose_typos,
        validate=check_typos,
        levels=(1, 2, 3),
        citation=CITATION,
        tidy=False,
        examples=(("The agent refunds the order.", "The agnet refunds the order."),),
    ),
    Perturbation(
        name="remove_punct",
        family="baseline",
        description="removes punctuation, except inside words and numbers",
        effects={"consistency": "preserves", "relevance": "preserves", "fluency": "degrades"},
        propose=propose_no_marks,
        validate=check_no_marks,
        citation=CITATION,
        options={"inside": Option(("keep", "remove"), "remove: also remove marks inside words and numbers")},
        examples=(("Sadly, the agent can't refund $1,234.50.", "Sadly the agent can't refund $1,234.50"),),
    ),
)
