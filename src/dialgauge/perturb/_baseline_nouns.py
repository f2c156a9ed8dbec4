"""Nouns: hyponyms and replace_nouns_pronouns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_contractions import is_or_has
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import base_form, finite_part, hyphenated, inflect, like, subject, verb_base
from dialgauge.perturb._parse import Chunk, Parsed, Token
from dialgauge.perturb._people import pronoun_of
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import substitutes

_SUBJECT, _OBJECT = ("nsubj", "nsubjpass"), ("dobj", "dative", "iobj")
#: What a pronoun cannot replace without changing the meaning of the sentence.
_UNTOUCHED = ("DATE", "TIME", "MONEY", "QUANTITY", "PERCENT", "CARDINAL", "ORDINAL")
_NEGATIVE = ("no", "neither", "every", "each", "any", "all", "both", "what", "which", "whose", "how", "many", "much")
_NO_OBJECT = ("go", "be", "become")
#: Verbs after which a clause without tense has a subject in the nominative (suggests that he go).
_SUBJUNCTIVE = ("suggest", "recommend", "insist", "demand", "propose", "request", "require", "advise")
_LONGEST_PHRASE = 8
_LETTERS = re.compile(r"[a-z]+")
PRONOUNS = frozenset(("he", "him", "she", "her", "it", "they", "them"))


def propose_hyponyms(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Replace each noun by a more specific one, if there is one."""
    table = substitutes("hyponyms")
    chosen: dict[str, str] = {}
    edits: list[Edit] = []
    for token in parsed.tokens:
        if token.tag not in ("NN", "NNS") or token.pos != "NOUN" or token.entity or not token.text.isalpha():
            continue
        lemma = token.lower if token.tag == "NN" else base_form(token.lower, "NOUN") or token.lemma.lower()
        if lemma not in table or not table[lemma] or hyphenated(parsed, token) or _in_compound(parsed, token):
            continue
        other = chosen.setdefault(lemma, rng.choice(table[lemma]))
        form = other if token.tag == "NN" else inflect(other, "NNS")
        if form:
            edits.append(Edit(token.start, token.end, like(token.text, form)))
    return edits or NotApplicable("no noun with a known hyponym")


def _in_compound(parsed: Parsed, token: Token) -> bool:
    return token.dep == "compound" or any(
        parsed.tokens[child].dep in ("compound", "nmod") or parsed.tokens[child].lower in ("mobile", "soft", "live")
        for child in token.children
        if child < token.i
    )


def check_hyponyms(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Every changed stretch must be a common noun, or the article before one."""
    nouns = [token for token in parsed.tokens if token.pos == "NOUN"]
    for edit in edits:
        touched = any(token.start < edit.end and edit.start < token.end for token in nouns)
        if not touched and original[edit.start : edit.end].lower() not in ("a", "an"):
            return f"{original[edit.start : edit.end]!r} is not a noun"
    return None


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase that a pronoun can stand for."""

    root: Token
    start: int
    end: int
    pronoun: str


def propose_pronouns(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, compat: str = "none"
) -> Sequence[Edit] | NotApplicable:
    """Replace each noun phrase that is a subject or an object by a pronoun."""
    if compat == "evaleval":
        return _as_published(parsed)
    phrases: list[_Phrase] = []
    for chunk in parsed.chunks:
        phrase = _phrase(parsed, chunk)
        if phrase and (not phrases or phrases[-1].end <= phrase.start):
            phrases.append(phrase)
    edits = [Edit(phrase.start, phrase.end, phrase.pronoun) for phrase in phrases]
    for phrase in phrases:
        if phrase.pronoun == "they":
            edits += _plural_verbs(parsed, phrase.root)
    kept = [edit for edit in edits if not any(_inside(edit, phrase) for phrase in phrases)]
    return list(dict.fromkeys(kept)) or NotApplicable("no noun phrase is a subject or an object")


def _inside(edit: Edit, phrase: _Phrase) -> bool:
    """Whether an edit of a verb lies in a phrase that is replaced as a whole."""
    return phrase.start <= edit.start and edit.end <= phrase.end and edit.replacement != phrase.pronoun


def _phrase(parsed: Parsed, chunk: Chunk) -> _Phrase | None:
    root = parsed.tokens[chunk.root]
    if root.pos not in ("NOUN", "PROPN") or root.dep not in _SUBJECT + _OBJECT or not root.unbroken:
        return None
    tokens = parsed.subtree(root)
    if len(tokens) > _LONGEST_PHRASE or root.entity in _UNTOUCHED or tokens[0].lower in _NEGATIVE:
        return None
    if tokens[0].dep in ("cc", "preconj", "punct", "advmod") or tokens[-1].pos == "PUNCT" or root.left > chunk.first:
        return None
    verb = parsed.tokens[root.head]
    if root.dep in _OBJECT and not _replaceable_object(parsed, root, verb):
        return None
    pronoun = pronoun_of(parsed, root, nominative=root.dep in _SUBJECT and _is_nominative(parsed, verb))
    if pronoun is None:
        return None
    if pronoun == "it" and root.dep in _SUBJECT:
        carrier = finite_part(parsed, verb) or verb
        if carrier.tag in ("VB", "VBP") or carrier.lower == "were":
            pronoun = "they"  # the writer took it for several (the police are …)
    return _Phrase(root, tokens[0].start, tokens[-1].end, pronoun)


def _is_nominative(parsed: Parsed, verb: Token) -> bool:
    """Whether the subject of this verb is he or him: *him* where the verb has no tense (for him to go, let him go)."""
    if verb.tag not in ("VB", "VBG") or finite_part(parsed, verb) is not None:
        return True
    return verb.tag == "VB" and (verb.dep == "ROOT" or parsed.tokens[verb.head].lemma in _SUBJUNCTIVE)


def _replaceable_object(parsed: Parsed, root: Token, verb: Token) -> bool:
    """An object that can be a pronoun where it stands: not after a particle (*pick up it*), nor beside another."""
    between = parsed.tokens[verb.i + 1 : root.left]
    if (
        verb.pos not in ("VERB", "AUX")
        or root.i < verb.i
        or verb.lemma in _NO_OBJECT
        or any(token.dep == "prt" for token in between)
    ):
        return False
    # Of two objects only the first: "gives them it" is not English.
    return not any(
        parsed.tokens[c].dep in _OBJECT and parsed.tokens[c].pos != "ADP" and c < root.i for c in verb.children
    )


def _plural_verbs(parsed: Parsed, root: Token) -> list[Edit]:
    """The verbs that agree with this subject, as *they* needs them."""
    edits: list[Edit] = []
    for token in parsed.tokens:
        if token.pos not in ("VERB", "AUX") or subject(parsed, token) is not root:
            continue
        if token.dep == "conj" and parsed.child(token, "aux", "auxpass") and token.tag == "VB":
            continue
        if token.lower in ("is", "was"):
            edits.append(Edit(token.start, token.end, "are" if token.lower == "is" else "were"))
        elif token.lower in ("'s", "has", "does"):
            plural = {"has": "have", "does": "do"}.get(token.lower)
            if plural is None:
                plural = "'ve" if is_or_has(parsed, token) == "has" else "'re"
            edits.append(Edit(token.start, token.end, plural))
        elif token.tag == "VBZ" and token.text.isalpha():
            edits.append(Edit(token.start, token.end, verb_base(token)))
    return edits


def _as_published(parsed: Parsed) -> Sequence[Edit] | NotApplicable:
    """What the published code does: a pronoun before each sentence that begins with a noun (or an article and a noun),
    and then the whole sentence once for every token that is left."""
    edits: list[Edit] = []
    led = False
    for number, (start, end) in enumerate(parsed.sentences):
        tokens = [token for token in parsed.tokens if token.sentence == number]
        pronoun, used = _leading_pronoun(tokens)
        led = led or bool(pronoun)
        copies = [parsed.text[start:end]] * (len(tokens) - used)
        edits.append(Edit(start, end, " ".join([*filter(None, [pronoun]), *copies])))
    return edits if led else NotApplicable("no sentence begins with a noun that the published code replaces")


def _leading_pronoun(tokens: Sequence[Token]) -> tuple[str, int]:
    if tokens and tokens[0].tag in ("NNS", "NNPS"):
        return "They", 1
    if len(tokens) > 1 and tokens[0].tag == "DT":
        if tokens[1].tag in ("NNS", "NNPS"):
            return "They", 2
        if tokens[1].tag == "NN":
            return "It", 2
    return "", 0


def check_pronouns(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """A pronoun must stand where a noun phrase stood."""
    added = any(PRONOUNS & set(_LETTERS.findall(edit.replacement.lower())) for edit in edits)
    return None if added else "no pronoun was added"


register(
    Perturbation(
        name="hyponyms",
        family="baseline",
        description="replaces nouns by more specific ones (vehicle → truck)",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=propose_hyponyms,
        validate=check_hyponyms,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer bought a phone in the store.", "The customer bought a smartphone in the bakery."),),
    ),
    Perturbation(
        name="replace_nouns_pronouns",
        version="2",
        family="baseline",
        description="replaces subjects and objects by pronouns, so that it is unclear who or what is meant",
        effects={"consistency": "preserves", "relevance": "degrades"},
        propose=propose_pronouns,
        validate=check_pronouns,
        needs=frozenset({"parse"}),
        citation=CITATION,
        options={
            "compat": Option(
                ("none", "evaleval"),
                "evaleval: what the published code does (a pronoun in front, then the sentence once per token), for "
                "comparison with human ratings of its results",
            )
        },
        examples=(("The agent refunds the order.", "They refund it."),),
    ),
)
