"""Removals: drop_phrases and drop_stopwords."""

from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import check_dropped, is_subsequence
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._deletions import dispensable
from dialgauge.perturb._deletions_scope import is_bare_without
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, glued
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import word_set

#: Tags of words that only look like function words: May, a will, Tom's.
_NAMING = ("POS", "NN", "NNS", "NNP", "NNPS")
#: Maximum share of the tokens to remove, by level.
_SHARES = {1: 0.2, 2: 0.3, 3: 0.4}
#: If no phrase is that short, the shortest one is removed, unless it exceeds this share.
_LARGEST_SHARE = 0.6
#: Function words. Negations and words that mean something in a call (call, name, back, first, last …) are not among
#: them.
STOP_WORDS = word_set("stopwords")
#: Words that compare, limit, doubt or offer a choice: without them something else is said.
_LIMITING = frozenset(
    [
        *("but", "could", "each", "either", "may", "might", "more", "most", "must", "only", "or", "other"),
        *("rather", "same", "should", "than", "too", "would"),
    ]
)
#: Prepositions that the nouns around them leave to be guessed; *before* and *until* are no such.
_EMPTY_PREPOSITIONS = frozenset(["about", "as", "at", "by", "for", "in", "into", "of", "on", "onto", "to", "with"])
#: What can be said of the subject of *be*.
_PREDICATES = ("acomp", "attr", "oprd")


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
    if not gone:
        first, last, _ = min(phrases, key=lambda phrase: (phrase[1] - phrase[0], phrase[0]))
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
    """Remove every function word except negations."""
    edits: list[Edit] = []
    content = 0
    for token in parsed.tokens:
        goes = (
            token.lower in STOP_WORDS
            and token.tag not in _NAMING
            and not _holds(parsed, token)
            and not _carries_meaning(parsed, token)
        )
        content += (token.lower not in STOP_WORDS or token.tag in _NAMING) and any(c.isalnum() for c in token.text)
        if goes:
            edits.append(Edit(token.start, token.end))
    if not edits:
        return NotApplicable("no stop word")
    return edits if content else NotApplicable("only stop words")


def _holds(parsed: Parsed, token: Token) -> bool:
    """Whether this word must stay: ``do`` in ``don't``, a word with a hyphen, capitals (US, IT)."""
    following = parsed.tokens[token.i + 1] if token.i + 1 < len(parsed.tokens) else None
    leaned_on = glued(parsed, token) and following is not None and following.lower not in STOP_WORDS
    hyphen = "-" in (parsed.text[token.start - 1 : token.start], parsed.text[token.end : token.end + 1])
    part = token.text[0].isalnum() and parsed.text[token.start - 1 : token.start].isalnum()  # "am" of "1am"
    acronym = len(token.text) > 1 and token.text.isupper() and not parsed.text.isupper()
    return leaned_on or hyphen or part or acronym


def _carries_meaning(parsed: Parsed, token: Token) -> bool:
    """Whether what is meant could not be guessed without this word: a limit, the verb itself (*has tea*), a particle
    (*falls out*), all that is said of somebody (*Tom is out*), what joins two clauses, or who is meant by one that is
    not the main one."""
    head = parsed.tokens[token.head]
    if token.lower in _LIMITING:
        return True
    if token.lemma in ("have", "do") and token.dep not in ("aux", "auxpass"):
        follows = parsed.child(token, "xcomp")
        return follows is None or parsed.child(follows, "aux") is None  # "has to go" is "go"
    if token.tag in ("PRP", "EX"):
        acts = token.dep in SUBJECTS and (head.dep != "ROOT" or parsed.child(token, "conj") is not None)
        after = token.dep == "pobj" and head.lower not in _EMPTY_PREPOSITIONS  # "turns Tom against him"
        return acts or after or token.dep in ("dobj", "dative")
    if token.tag in ("WP", "WRB") or token.dep == "mark":
        return token.lower != "that" and (token.tag != "WP" or head.dep in ("ccomp", "pcomp"))
    if token.dep == "cc":
        return opens_clause(parsed, token.i + 1)  # "Ray is gone and Ann knows"
    said = head.lemma == "be" and token.i > head.i and parsed.child(head, *_PREDICATES) is None
    if said and token.dep in ("advmod", "prep") and (token.left == token.right or token.pos == "ADP"):
        return True
    if token.pos in ("ADP", "SCONJ"):
        return token.lower not in _EMPTY_PREPOSITIONS or parsed.child(token, "pobj", "pcomp", "prep") is None
    return token.dep == "prt" or token.tag == "RP"


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
        version="14",
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
        version="3",
        family="baseline",
        description="removes function words except negations and those without which something else is said",
        # Readers recover most of the meaning: it is the language that breaks.
        effects={"consistency": "degrades-mildly", "relevance": "degrades-mildly", "fluency": "degrades"},
        propose=propose_stop_words,
        validate=check_stop_words,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The agent did not refund the order.", "Agent not refund order."),),
    ),
)
