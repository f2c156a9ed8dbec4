"""English grammar that several perturbations share: inflection, finite verbs, subjects, letter case."""

from functools import lru_cache

from dialgauge.errors import MissingExtraError
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._word_tables import supersense, word_set

SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj", "csubjpass")
_BE_FINITE = frozenset(("is", "are", "am", "was", "were", "'s", "'re", "'m"))
#: Verbs after which a clause without tense has a subject in the nominative (suggests that he go).
SUBJUNCTIVE = ("suggest", "recommend", "insist", "demand", "propose", "request", "require", "advise")
#: Words that make a clause negative.
NEGATIONS = word_set("negations")


@lru_cache(maxsize=16384)
def inflect(lemma: str, tag: str) -> str | None:
    """The form of a word for a Penn tag (VBZ, VBD, NNS, JJR …), or None where it has none."""
    try:
        from lemminflect import getInflection
    except ImportError:
        raise MissingExtraError("a perturbation that inflects words", "parser") from None
    forms = getInflection(lemma, tag=tag)
    return str(forms[0]) if forms else None


@lru_cache(maxsize=16384)
def base_form(word: str, part: str) -> str | None:
    """The lemma of an inflected word that is a VERB, NOUN or ADJ (``hates`` → ``hate``, where parsers often fail)."""
    try:
        from lemminflect import getLemma
    except ImportError:
        raise MissingExtraError("a perturbation that inflects words", "parser") from None
    lemmas = getLemma(word, upos=part)
    return str(lemmas[0]) if lemmas else None


@lru_cache(maxsize=16384)
def is_in_dictionary(word: str) -> bool:
    """Whether the dictionary has this form as a noun, verb, adjective or adverb: names are mostly not there."""
    try:
        from lemminflect import getAllLemmas
    except ImportError:
        raise MissingExtraError("a perturbation that inflects words", "parser") from None
    return bool(getAllLemmas(word))


@lru_cache(maxsize=16384)
def can_be_verb(word: str) -> bool:
    """Whether the dictionary has this form as a verb; words that it does not have are none."""
    try:
        from lemminflect import getAllLemmas
    except ImportError:
        raise MissingExtraError("a perturbation that inflects words", "parser") from None
    return bool(getAllLemmas(word, upos="VERB"))


def verb_base(token: Token) -> str:
    """The infinitive of a verb."""
    return base_form(token.lower, "VERB") or token.lemma.lower()


def like(model: str, word: str) -> str:
    """The word in the letter case of the model: all capitals, a first capital, or as it is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def is_be(token: Token) -> bool:
    """Whether this is a finite form of *be*."""
    return token.lemma == "be" and token.lower in _BE_FINITE


def is_finite(token: Token) -> bool:
    """Whether a verb carries tense: a modal, or a present or past form."""
    return token.tag in ("MD", "VBZ", "VBP", "VBD")


def subject(parsed: Parsed, verb: Token) -> Token | None:
    """The subject of a verb, also one that it shares with the verb it is coordinated with."""
    seen = 0
    while seen <= len(parsed.tokens):
        if found := parsed.child(verb, *SUBJECTS):
            return found
        if verb.dep not in ("conj", "aux", "auxpass") or verb.head == verb.i:
            return None
        verb, seen = parsed.tokens[verb.head], seen + 1
    return None


def finite_part(parsed: Parsed, verb: Token) -> Token | None:
    """The word of a verb phrase that carries tense and agreement: its first auxiliary, or the verb itself."""
    for child in verb.children:
        token = parsed.tokens[child]
        if token.dep in ("aux", "auxpass") and token.i < verb.i:
            return token if is_finite(token) else None
    return verb if is_finite(verb) else None


def is_question(parsed: Parsed, sentence: int) -> bool:
    """Whether a sentence ends with a question mark."""
    start, end = parsed.sentences[sentence]
    return "?" in parsed.text[max(start, end - 3) : end]


def glued(parsed: Parsed, token: Token) -> bool:
    """Whether the next token stands at this one without a space, and is a word of its own (``do`` + ``n't``)."""
    if token.i + 1 >= len(parsed.tokens):
        return False
    following = parsed.tokens[token.i + 1]
    return following.start == token.end and any(c.isalnum() for c in following.text)


def hyphenated(parsed: Parsed, token: Token) -> bool:
    """Whether a hyphen or slash binds this token to a neighbour (``20-year-old``)."""
    text = parsed.text
    return text[token.start - 1 : token.start] in ("-", "/", "‑") or text[token.end : token.end + 1] in ("-", "/", "‑")


def looks_like_verb(parsed: Parsed, noun: Token) -> bool:
    """Whether a bare plural noun after *and*, *but* or a comma may be a verb that the parser did not recognise: *and
    offers him a job*, *but mistakes which one it is*."""
    before = parsed.tokens[noun.i - 1] if noun.i else None
    after = parsed.tokens[noun.i + 1] if noun.i + 1 < len(parsed.tokens) else None
    if noun.tag != "NNS" or before is None or after is None or not can_be_verb(noun.lower):
        return False
    if before.pos != "CCONJ" and before.text != "," and before.pos != "PROPN":
        return False
    if supersense(base_form(noun.lower, "NOUN") or noun.lower) is None:
        return True  # no noun at all
    return after.pos in ("DET", "PRON", "PROPN", "PART", "SCONJ", "ADV") or after.tag in ("IN", "RP", "WDT", "WRB")


def takes_nominative(parsed: Parsed, verb: Token) -> bool:
    """Whether the subject of this verb is he or him: *him* where the verb has no tense (for him to go, let him go)."""
    governor = parsed.tokens[verb.head].lemma.lower()
    if verb.dep == "ccomp" and governor in ("help", "let", "make", "watch") and verb.tag != "VBZ":
        return False
    infinitive = any(parsed.tokens[c].lower == "to" and parsed.tokens[c].dep == "aux" for c in verb.children)
    if infinitive:
        return False  # "waiting for them to be delivered"
    gerund = any(parsed.tokens[c].dep in ("aux", "auxpass") and parsed.tokens[c].tag == "VBG" for c in verb.children)
    if gerund and finite_part(parsed, verb) is None:
        return False  # "because of them being messed up"
    if verb.tag not in ("VB", "VBG") or finite_part(parsed, verb) is not None:
        return True
    full_clause = verb.dep in ("ROOT", "relcl")  # "every time they go"
    return verb.tag == "VB" and (full_clause or parsed.tokens[verb.head].lemma in SUBJUNCTIVE)
