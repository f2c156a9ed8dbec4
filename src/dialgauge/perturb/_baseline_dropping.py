"""Removals: drop_phrases and drop_stopwords."""

from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import check_dropped, is_subsequence
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._deletions import dispensable
from dialgauge.perturb._deletions_scope import is_bare_without
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._stop_words import can_go, is_stop_word

#: Maximum share of the tokens to remove, by level.
_SHARES = {1: 0.2, 2: 0.3, 3: 0.4}
#: If no phrase is that short, the shortest one is removed, unless it exceeds this share.
_LARGEST_SHARE = 0.6

#: Nobody misses less than this.
_SMALLEST_SHARE = 1 / 16


def propose_phrases(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Proposal | NotApplicable:
    """Remove whole phrases, chosen at random, up to the share of the tokens for this level."""
    words = sum(token.pos not in ("PUNCT", "SPACE") for token in parsed.tokens)
    budget = _SHARES[level] * words
    found = dispensable(parsed)
    phrases = list(found)
    if not phrases:
        return found.none_left("phrase")
    rng.shuffle(phrases)
    gone: set[int] = set()
    for first, last, token in phrases:
        span = set(range(first, last + 1))
        if not span & gone and len(gone) + len(span) <= budget and not is_bare_without(parsed, gone, token):
            gone |= span
    if len(gone) < _SMALLEST_SHARE * words:
        missed = [p for p in phrases if p[1] - p[0] + 1 >= _SMALLEST_SHARE * words]
        if not missed:
            return NotApplicable("what can go is too little of the text")
        first, last, _ = min(missed, key=lambda phrase: (phrase[1] - phrase[0], phrase[0]))
        gone = set(range(first, last + 1))
        if len(gone) > _LARGEST_SHARE * words:
            return NotApplicable(f"every phrase is longer than {_LARGEST_SHARE:.0%} of the text")
    return Proposal(cut(parsed, sorted(gone)), found.notes())


def cut(parsed: Parsed, places: Sequence[int]) -> list[Edit]:
    """Deletions of these tokens, with the commas that belong to them."""
    return _merged([_without(parsed, first, last) for first, last in _runs(places)])


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place - 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def _without(parsed: Parsed, first: int, last: int) -> Edit:
    """A deletion that includes the commas around the phrase."""
    tokens = parsed.tokens
    start, end = tokens[first].start, tokens[last].end
    if (
        end == parsed.sentences[tokens[last].sentence][1]
        and tokens[last].text.endswith(".")
        and len(tokens[last].text) > 1
    ):
        end -= 1  # the point of "p.m." closes the sentence as well
    before = tokens[first - 1] if first else None
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if before is not None and after is not None and after.text == "." and before.text.endswith("."):
        return Edit(start, after.end)  # "at Jarvis St. for a beer.": one point is enough
    begins = tokens[first].start == parsed.sentences[tokens[first].sentence][0]
    opened = (
        tokens[first].dep == "mark"
        and tokens[tokens[tokens[first].head].head].i > last
        and before is not None
        and before.pos in ("VERB", "AUX", "SCONJ", "CCONJ", "PUNCT")
    )  # "he said if it rains, …"; not "asks the manager if needed, the policy stays"
    if (begins or (opened and before is not None and before.text != ",")) and after is not None and after.text == ",":
        return Edit(start, after.end)
    if before is not None and before.text == "," and before.sentence == tokens[first].sentence:
        if end < tokens[last].end or after is None or after.text in (".", "!", "?", ";", ":"):
            return Edit(before.start, end)
        if after.text == ",":
            return Edit(before.start, after.start if opens_clause(parsed, last + 2) else after.end)
        if tokens[first].dep not in ("mark", "advmod") and parsed.text[start:end].count(",") == 0:
            return Edit(before.start, end)
    return Edit(start, end)


def opens_clause(parsed: Parsed, place: int) -> bool:
    """Whether a subject begins here, so that the comma before it closes what stands in front of the clause: *annoyed at
    a move to Monday, when she works, she …*."""
    return any(t.left == place and t.dep in SUBJECTS for t in parsed.tokens[place : place + 8])


def _merged(deletions: Sequence[Edit]) -> list[Edit]:
    """Deletions that claim the same comma, as one."""
    merged: list[Edit] = []
    for edit in deletions:
        if merged and edit.start <= merged[-1].end:
            merged[-1] = Edit(merged[-1].start, max(edit.end, merged[-1].end))
        else:
            merged.append(edit)
    return merged


def propose_stop_words(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Remove the function words without which the same is understood."""
    if not any(any(c.isalnum() for c in token.text) and not is_stop_word(token) for token in parsed.tokens):
        return NotApplicable("only stop words")
    edits = [Edit(token.start, token.end) for token in parsed.tokens if can_go(parsed, token)]
    return edits or NotApplicable("no stop word that can go")


def check_stop_words(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Words may only have been removed, and no negation among them."""
    lost = [t.text for t in parsed.tokens if t.lower in NEGATIONS and t.lower not in result.lower().replace("’", "'")]
    if lost:
        return f"the negation {lost[0]!r} was lost"
    return None if _parts_of(result, original) else "words were changed, not only removed"


def _parts_of(result: str, original: str) -> bool:
    """As :func:`is_subsequence`, where a clitic may have left its host (``he's`` → nothing, ``who's`` → ``who``)."""
    return is_subsequence(result.replace("'", " ").replace("’", " "), original.replace("'", " ").replace("’", " "))


register(
    Perturbation(
        name="drop_phrases",
        version="18",
        family="baseline",
        description="removes phrases and clauses that the rest can do without, up to 20, 30 or 40 % of the words; where"
        " each is longer, the shortest (up to 60 %)",
        # What is left follows from what was there; that something is missing lowers relevance alone.
        effects={"consistency": "preserves", "relevance": "degrades"},
        propose=propose_phrases,
        validate=check_dropped,
        levels=(1, 2, 3),
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(
            (
                "The customer called on Monday about a broken phone because the agent had not answered.",
                "The customer called about a broken phone because the agent had not answered.",
            ),
        ),
    ),
    Perturbation(
        name="drop_stopwords",
        version="5",
        family="baseline",
        description="removes articles, auxiliaries, copulas and other function words without which the same is"
        " understood",
        # Readers recover most of the meaning: it is the language that breaks.
        effects={"consistency": "degrades-mildly", "relevance": "degrades-mildly", "fluency": "degrades"},
        propose=propose_stop_words,
        validate=check_stop_words,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The agent did not refund the order.", "Agent not refund order."),),
    ),
)
