"""Verbs: add_negation and subject_verb_dis."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dialgauge.corpus import Dialogue
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import (
    NEGATIONS,
    SUBJECTS,
    SUBJUNCTIVE,
    base_form,
    finite_part,
    inflect,
    is_be,
    is_question,
    like,
    subject,
    verb_base,
)
from dialgauge.perturb._guards import lemma_of, noun_class
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import COLLECTIVE
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register

CITATION = "Sai et al. 2021. Perturbation CheckLists for Evaluating NLG Evaluation Metrics. EMNLP"
#: The supersense of groups.
_GROUP = 14
_NOT = re.compile(r"\b(?:not|cannot)\b", re.IGNORECASE)
_CLAUSES = ("ROOT", "conj", "ccomp", "advcl", "relcl", "parataxis")
_MAIN = ("ROOT", "conj")
#: Adverbs that do not stand beside *not*.
_BESIDE_NOT = frozenset(["also", "already", "even", "still"])
#: Last words of a clause that leaves out what was said before it, and how long such a clause is.
_ELLIPTIC, _SHORT = (
    frozenset(["are", "did", "do", "does", "has", "have", "is", "n't", "n’t", "not", "was", "were", "will"]),
    6,
)
#: What opens a reason: denied, it would be none.
_REASONS = frozenset(["as", "because", "cause", "cos", "since"])
#: What nobody could fail to do.
_UNWILLED = frozenset(["accidentally", "inadvertently", "mistakenly", "unintentionally", "unknowingly", "unwittingly"])
#: What limits an amount.
_BOUNDS = frozenset([("up", "to"), ("at", "least"), ("at", "most"), ("more", "than"), ("less", "than")])
_OTHER_BE = {"is": "are", "are": "is", "am": "is", "was": "were", "were": "was"}
_OTHER_AUXILIARY = {"has": "have", "have": "has", "does": "do", "do": "does"}


def propose_negation(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Negate a clause of ``level`` sentences, chosen at random: the main one, or else the first that can be."""
    sentences: dict[int, list[Token]] = {}
    for token in parsed.tokens:
        if token.pos in ("VERB", "AUX") and token.dep in _CLAUSES:
            sentences.setdefault(token.sentence, []).append(token)
    possible: dict[int, list[Edit]] = {}
    main: set[int] = set()
    for number, verbs in sentences.items():
        if is_question(parsed, number):
            continue
        for verb in sorted(verbs, key=lambda v: (_CLAUSES.index(v.dep), v.i)):
            if edits := _negated(parsed, verb):
                possible[number] = edits
                main |= {number} if verb.dep in _MAIN else set()
                break
    if len(possible) < level:
        return NotApplicable(_too_few(len(possible), level, "sentence", "can be negated"))
    order = sorted(possible)
    rng.shuffle(order)
    order.sort(key=lambda number: number not in main)
    return [edit for number in order[:level] for edit in possible[number]]


def _negated(parsed: Parsed, verb: Token) -> list[Edit]:
    """The edits that negate the clause of this verb, or none where it is negated already or has no finite verb."""
    if _in_question(parsed, verb) or _is_measured(parsed, verb) or _is_looked_back_to(parsed, verb):
        return []
    if _gives_reason(parsed, verb) or _describes_one_of_many(parsed, verb):
        return []
    if any(parsed.tokens[c].lower in _UNWILLED for c in verb.children):
        return []  # "unintentionally gave it away"
    carrier = finite_part(parsed, verb) or verb
    near = [t.lower for t in parsed.tokens[max(carrier.i - 1, 0) : carrier.i + 2]]
    if _BESIDE_NOT & {*near} or _is_left_out_later(parsed, verb):
        return []  # "is still to follow", "also has a date"
    if any(a.lower in ("and", "but") and b.lower == "not" for a, b in pairwise(parsed.tokens[verb.i + 1 :])):
        return []  # "will be cut, and not until July": said beside what is affirmed
    what = parsed.child(verb, "dobj")
    some = _some_to_any(parsed, verb)
    if some and what is not None and any(parsed.tokens[c].dep == "conj" for c in what.children):
        return []  # "buys some paper and five stamps"
    negated = _with_not(parsed, verb)
    return [*negated, *some] if negated else []


def _is_left_out_later(parsed: Parsed, verb: Token) -> bool:
    """*Others have Friday free, but they don't*: what is left out there would be denied twice."""
    words = [t.lower for t in parsed.tokens if t.sentence == verb.sentence and t.i > verb.i and t.pos != "PUNCT"]
    joint = max((place for place, word in enumerate(words) if word in ("but", "while", "whereas")), default=None)
    return joint is not None and bool(words) and words[-1] in _ELLIPTIC and len(words) - joint <= _SHORT


def _gives_reason(parsed: Parsed, verb: Token) -> bool:
    """*Stays at home because he must study*: because he must not study, nobody stays."""
    mark = parsed.child(verb, "mark")
    return verb.dep == "advcl" and mark is not None and mark.lower in _REASONS


def _describes_one_of_many(parsed: Parsed, verb: Token) -> bool:
    """*A book that she wants*: there may be one that she does not want as well."""
    noun = parsed.tokens[verb.head]
    return verb.dep == "relcl" and any(parsed.tokens[c].lower in ("a", "an", "some") for c in noun.children)


def _is_measured(parsed: Parsed, verb: Token) -> bool:
    """*Takes up to 40 minutes*: not up to 40 is fewer still."""
    words = [t.lower for t in parsed.tokens[verb.i + 1 : verb.right + 1]]
    return any(pair in _BOUNDS for pair in pairwise(words))


def _is_looked_back_to(parsed: Parsed, verb: Token) -> bool:
    """*Proposed to close it, which was accepted*: the clause is true only of what was done."""
    behind = pairwise(parsed.tokens[verb.i + 1 : verb.right + 1])
    return any(comma.text == "," and which.lower == "which" for comma, which in behind)


def _some_to_any(parsed: Parsed, verb: Token) -> list[Edit]:
    """*Will buy some* → *will not buy any*."""
    what = parsed.child(verb, "dobj")
    some = what if what is None or what.lower == "some" else parsed.child(what, "det")
    right = some is not None and some.lower == "some" and some.i > verb.i
    return [Edit(some.start, some.end, "any")] if some is not None and right else []


def _with_not(parsed: Parsed, verb: Token) -> list[Edit]:
    if any(parsed.tokens[child].lower in NEGATIONS for child in _near(parsed, verb)):
        return []
    carrier = finite_part(parsed, verb)
    if carrier is None:
        return _negated_bare(parsed, verb)
    if carrier is not verb or is_be(carrier):
        if not is_be(carrier) and carrier.tag != "MD" and carrier.dep not in ("aux", "auxpass"):
            return []
        following = [token for token in parsed.tokens[carrier.i + 1 : carrier.i + 4] if token.pos != "ADV"][:1]
        if following and following[0].dep in ("nsubj", "nsubjpass", "expl"):  # inverted
            return []
        if carrier.lemma == "have" and (not following or following[0].tag not in ("VBN", "VBD")):
            return []  # has something done
        return [Edit(carrier.end, carrier.end, "not" if carrier.lower == "can" else " not")]
    before = parsed.tokens[verb.i - 1].lower if verb.i else ""
    if before in ("only", "just"):
        return []  # "only does not need a plumber"
    doer = subject(parsed, verb)
    if verb.tag == "MD" or doer is None or (verb.tag == "VBP" and doer.lower in ("this", "that") and doer.tag == "DT"):
        return []  # "before that start date" is a phrase, whatever the tagger thinks
    base = verb_base(verb)
    # "Overslept" is a past form, whatever the tagger thinks; "put" may be one.
    past = verb.lower == inflect(base, "VBD") != base
    support = "did" if past else {"VBZ": "does", "VBP": "do", "VBD": "did"}[verb.tag]
    return [Edit(verb.start, verb.end, like(verb.text, f"{support} not {base}"))]


def _in_question(parsed: Parsed, verb: Token) -> bool:
    """Whether the clause is an embedded question (*what it is*, *if he comes*): its negation asks something else."""
    first = parsed.tokens[verb.left]
    asks = first.tag in ("WP", "WDT", "WRB", "WP$") or first.lower in ("if", "whether")
    return (verb.dep == "ccomp" and asks) or any(parsed.tokens[c].lower == "whether" for c in verb.children)


def _negated_bare(parsed: Parsed, verb: Token) -> list[Edit]:
    """A verb without tense: an order (``Call back.``), or a past form that the tagger took for a participle."""
    if verb.dep != "ROOT" or any(parsed.tokens[c].dep in ("aux", "auxpass") for c in verb.children):
        return []
    if verb.lemma.lower() == "let":
        return []  # "let me look" asks nobody
    if verb.tag == "VBN" and subject(parsed, verb) is not None and _has_complement(parsed, verb):
        base = base_form(verb.lower, "VERB")
        if base and inflect(base, "VBD") == verb.lower:
            return [Edit(verb.start, verb.end, like(verb.text, f"did not {base}"))]
    if verb.tag == "VB" and parsed.child(verb, *SUBJECTS) is not None:  # a present form that looks like an infinitive
        return [Edit(verb.start, verb.end, f"do not {verb.text}")]
    if verb.tag == "VB":
        first = parsed.sentences[verb.sentence][0] == verb.start
        rest = verb.text[:1].lower() + verb.text[1:] if first else verb.text
        return [Edit(verb.start, verb.end, like(verb.text, f"do not {rest}"))]
    return []


def _has_complement(parsed: Parsed, verb: Token) -> bool:
    """Whether something follows a verb; *Photo needed* is a passive."""
    return any(c > verb.i and parsed.tokens[c].pos != "PUNCT" for c in verb.children)


def _near(parsed: Parsed, verb: Token) -> list[int]:
    """The words that can negate a clause: what hangs on its verb, and on its subject and object."""
    near = list(verb.children)
    for child in verb.children:
        if parsed.tokens[child].dep in ("nsubj", "nsubjpass", "dobj", "attr", "expl", "aux"):
            near += parsed.tokens[child].children
    return near


def check_negation(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """There must be one more *not* for each edit that is about it (others only mend a capital)."""
    added = len(_NOT.findall(result)) - len(_NOT.findall(original))
    wanted = sum("not" in edit.replacement.lower() for edit in edits)
    return None if added == wanted >= 1 else f"{added} negations were added instead of {wanted}"


def propose_disagreement(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Change the number of ``level`` verbs so that they disagree with their subjects."""
    found: list[tuple[bool, Edit]] = []
    for token in parsed.tokens:
        other = _other_number(parsed, token)
        if other is not None and other != token.lower:
            found.append((token.dep == "conj", Edit(token.start, token.end, like(token.text, other))))
    if len(found) < level:
        return NotApplicable(_too_few(len(found), level, "verb", "agrees visibly with its subject"))
    rng.shuffle(found)
    # Verbs that share the subject of another come last: parsers are less sure of it.
    found.sort(key=lambda entry: entry[0])
    return [edit for _, edit in found[:level]]


def _other_number(parsed: Parsed, token: Token) -> str | None:
    """The other form of a verb that shows the number of its subject, or None where it shows none."""
    doer = subject(parsed, token)
    if token.pos not in ("VERB", "AUX") or not token.text.isalpha() or doer is None or not _agrees(parsed, token, doer):
        return None
    if token.dep == "ccomp" and parsed.tokens[token.head].lemma in SUBJUNCTIVE:
        return None  # "suggests Kate send it" is English
    if doer.pos == "NOUN" and (noun_class(doer) == _GROUP or lemma_of(doer) in COLLECTIVE):
        return None  # "the class are invited" is English as well
    if token.lower in _OTHER_BE:
        return _OTHER_BE[token.lower]
    if token.tag not in ("VBZ", "VBP") or token.lower == "'s":
        return None
    if token.lower in _OTHER_AUXILIARY:
        return _OTHER_AUXILIARY[token.lower]
    base = verb_base(token)
    return base if token.tag == "VBZ" else inflect(base, "VBZ")


def _agrees(parsed: Parsed, verb: Token, doer: Token) -> bool:
    """Whether verb and subject agree now, as far as the forms tell: changing a wrong form would mend it."""
    joined = any(parsed.tokens[c].dep == "conj" for c in doer.children)
    several = joined or doer.tag in ("NNS", "NNPS") or doer.lower in ("they", "we", "you", "these", "those")
    single = not joined and (doer.tag in ("NN", "NNP") or doer.lower in ("he", "she", "it", "this"))
    if verb.lower in ("is", "was", "has", "does") or verb.tag == "VBZ":
        return not several
    return not (single and (verb.lower in ("are", "were") or (verb.tag == "VBP" and verb.lower != "am")))


def check_disagreement(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Only single verbs may have changed, each to another form of itself."""
    tokens = {(token.start, token.end): token for token in parsed.tokens}
    for edit in edits:
        token = tokens.get((edit.start, edit.end))
        if token is None or token.pos not in ("VERB", "AUX") or not edit.replacement.isalpha():
            return f"{original[edit.start : edit.end]!r} → {edit.replacement!r} is not a change of a verb's number"
    return None


def _too_few(found: int, wanted: int, what: str, which: str) -> str:
    if wanted == 1 or not found:
        return f"no {what} {which}"
    return f"fewer than {wanted} {what}s for this level"


register(
    Perturbation(
        name="add_negation",
        version="7",
        family="baseline",
        description="negates a clause, the main one where it can: 'not' after the auxiliary, or do-support",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=propose_negation,
        validate=check_negation,
        levels=(1, 2, 3),
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The agent refunds the order.", "The agent does not refund the order."),),
    ),
    Perturbation(
        name="subject_verb_dis",
        version="3",
        family="baseline",
        description="breaks subject-verb agreement",
        effects={"consistency": "preserves", "relevance": "preserves", "fluency": "degrades"},
        propose=propose_disagreement,
        validate=check_disagreement,
        levels=(1, 2, 3),
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The agent refunds the order.", "The agent refund the order."),),
    ),
)
