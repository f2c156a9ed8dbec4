"""Short forms: contractions and expansions."""

import re
from collections.abc import Callable, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import supersense

_NEGATED = {
    "is": "isn't",
    "are": "aren't",
    "was": "wasn't",
    "were": "weren't",
    "do": "don't",
    "does": "doesn't",
    "did": "didn't",
    "has": "hasn't",
    "have": "haven't",
    "had": "hadn't",
    "can": "can't",
    "could": "couldn't",
    "will": "won't",
    "would": "wouldn't",
    "should": "shouldn't",
    "must": "mustn't",
    "need": "needn't",
}
_SHORT = {"is": "'s", "are": "'re", "am": "'m", "will": "'ll", "would": "'d", "has": "'s", "have": "'ve", "had": "'d"}
#: Hosts that are contracted with each verb in writing; others ("there're", "that've") occur in speech only.
_FULL_SET = frozenset(["you", "we", "they", "i", "he", "she"])
_ALLOWED = {
    "'s": frozenset(["he", "she", "it", "there", "that", "who", "what", "where", "how", "here"]),
    "'m": frozenset(("i",)),
    "'re": frozenset(["you", "we", "they"]),
    "'ll": frozenset(["i", "you", "he", "she", "it", "we", "they", "that", "there"]),
    "'d": _FULL_SET,
    "'ve": frozenset(["i", "you", "we", "they"]),
}
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
#: Verbs without a passive: their participle after *'s* is a perfect, whatever the parser takes it for.
_NEVER_PASSIVE = frozenset(
    (
        *("appear", "arrive", "become", "come", "die", "disappear", "fall", "grow", "happen", "land", "occur", "rise"),
        *("sleep", "stay"),
    )
)
_PLACEHOLDER = re.compile(PLACEHOLDER)
_LETTERS = re.compile(r"[^\W_]")


def propose_contractions(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Contract every auxiliary with *not*, or with the pronoun before it."""
    edits: list[Edit] = []
    done = -1
    for token in parsed.tokens:
        if token.i <= done:
            continue
        if edit := _with_not(parsed, token):
            done = token.i + 1
            edits.append(edit)
        elif edit := _with_host(parsed, token):
            edits.append(edit)
    return edits or NotApplicable("no words that can be contracted")


def _with_not(parsed: Parsed, token: Token) -> Edit | None:
    """``does not`` → ``doesn't``; not after a subject that turned round, nor where the pronoun takes the verb."""
    if token.lower not in _NEGATED or token.pos not in ("AUX", "VERB") or token.i + 1 >= len(parsed.tokens):
        return None
    following = parsed.tokens[token.i + 1]
    if following.lower != "not" or (token.lower == "need" and token.tag != "MD"):
        return None
    if token.i + 2 < len(parsed.tokens) and parsed.tokens[token.i + 2].lower == "only":
        return None  # not only … but also
    short = _NEGATED[token.lower]
    if token.text.isupper() and following.text.isupper():
        return Edit(token.start, following.end, short.upper())
    return Edit(token.start, following.end, token.text[0] + short[1:])


def _with_host(parsed: Parsed, token: Token) -> Edit | None:
    """``he is`` → ``he's``, where something follows that the verb leans on, and *have* is no main verb."""
    if token.lower not in _SHORT or token.i == 0 or token.pos != "AUX" or token.i + 1 >= len(parsed.tokens):
        return None
    host, following = parsed.tokens[token.i - 1], parsed.tokens[token.i + 1]
    short = _SHORT[token.lower]
    if host.lower not in _ALLOWED[short] or host.sentence != token.sentence or token.start == host.end:
        return None
    if following.pos == "PUNCT" or following.sentence != token.sentence or following.lower in ("not", "n't"):
        return None
    if token.lemma == "have" and not _helps(parsed, token):
        return None
    if host.dep not in ("nsubj", "nsubjpass", "expl", "attr", "advmod") or host.i == token.head:
        return None
    if host.tag in ("WP", "WRB") and not _asks(parsed, token):
        return None
    shouted = token.text.isupper() and host.text.isupper() and (len(host.text) > 1 or len(token.text) > 2)
    return Edit(host.end, token.end, short.upper() if shouted and host.lower != "i" else short)


def _helps(parsed: Parsed, token: Token) -> bool:
    """Whether *have* is an auxiliary: a participle follows."""
    later = [other for other in parsed.tokens[token.i + 1 : token.i + 4] if other.pos != "ADV"]
    return token.dep == "aux" and bool(later) and later[0].tag in ("VBN", "VBD")


def _asks(parsed: Parsed, token: Token) -> bool:
    start, end = parsed.sentences[token.sentence]
    return parsed.text[end - 1 : end] == "?" and parsed.tokens[token.i - 1].start == start


def propose_expansions(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Expand every contraction; the meaning of *'s* and *'d* is read from the grammar."""
    edits = [edit for token in parsed.tokens if (edit := _expanded(parsed, token))]
    return edits or NotApplicable("no contraction of a verb or of not")


def _expanded(parsed: Parsed, token: Token) -> Edit | None:
    if not token.i or "'" not in token.lower:
        return None
    host = parsed.tokens[token.i - 1]
    if host.end != token.start:
        return None
    if token.lower == "n't":
        return _not_in_full(parsed, host, token)
    full = _verb_in_full(parsed, host, token)
    if full is None:
        return None
    shouted = len(host.text) > 1 and host.text.isupper() and token.text.isupper()
    return Edit(token.start, token.end, " " + (full.upper() if shouted else full))


def _not_in_full(parsed: Parsed, host: Token, token: Token) -> Edit | None:
    following = parsed.tokens[token.i + 1 : token.i + 2]
    if host.lower == "ai" or (following and following[0].dep in ("nsubj", "nsubjpass", "expl")):
        return None  # "didn't he" would have to turn round
    stem = _STEMS.get(host.lower, host.lower)
    full = "cannot" if stem == "can" else f"{stem} not"
    if host.text.isupper() and token.text.isupper():
        return Edit(host.start, token.end, full.upper())
    return Edit(host.start, token.end, host.text[0] + full[1:])


def _verb_in_full(parsed: Parsed, host: Token, token: Token) -> str | None:
    if token.lower in ("'re", "'m", "'ll", "'ve"):
        return {"'re": "are", "'m": "am", "'ll": "will", "'ve": "have"}[token.lower]
    if token.lower == "'s" and _is_doing(parsed, host, token):
        return "is"
    if token.lower == "'s" and token.tag != "POS":
        if host.lower == "let":
            return "us"
        return is_or_has(parsed, token) if token.pos in ("AUX", "VERB") else None
    if token.lower == "'d":
        return _had_or_would(parsed, token)
    return None


def _is_doing(parsed: Parsed, host: Token, token: Token) -> bool:
    """*#Person1#'s looking for a flat*, *Ben's sick and …*: behind a name the parser takes the verb for an owner's
    *'s*; not *#Person1#'s drawing of a cat*, *Ben's sick cat*."""
    after = parsed.tokens[token.i + 1 : token.i + 3]
    named = _PLACEHOLDER.fullmatch(host.text) is not None or (host.pos == "PROPN" and host.text[:1].isupper())
    if not named or len(after) < 2:
        return False
    doing = after[0].tag == "VBG" and after[1].pos in ("ADP", "ADV", "DET", "NUM", "PART", "PRON", "PROPN")
    quality = after[0].tag == "JJ" and supersense(after[0].lower) is None  # not "Mrs Quist's flat"
    being = quality and after[1].pos in ("PUNCT", "CCONJ", "SCONJ")
    return (doing and after[1].lower != "of") or (being and after[1].text not in (",", "-"))


def _verb_after(parsed: Parsed, token: Token) -> Token | None:
    """The verb that a short form belongs to: its head, if that follows, or else the next verb before any noun."""
    head = parsed.tokens[token.head]
    if head.i > token.i and head.pos in ("VERB", "AUX"):
        return head
    for other in parsed.tokens[token.i + 1 : token.i + 4]:
        if other.pos in ("VERB", "AUX"):
            return other
        if other.pos not in ("ADV", "PART"):
            return None
    return None


def is_or_has(parsed: Parsed, token: Token) -> str:
    """What *'s* stands for if it is not a genitive."""
    later = [other.lower for other in parsed.tokens[token.i + 1 : token.i + 4] if other.pos != "ADV"]
    if later and later[0] in ("been", "got", "had"):
        return "has"
    if later and later[0] in ("being", "to"):
        return "is"  # "he's being sent", "she's to apply"
    verb = _verb_after(parsed, token)
    if verb is None or verb.tag != "VBN":
        return "is"
    if parsed.child(verb, "dobj") is not None or verb.lemma in _NEVER_PASSIVE:
        return "has"
    if token.dep == "auxpass":
        return "is"
    passive = parsed.child(verb, "nsubjpass") is not None and parsed.child(verb, "auxpass") in (None, token)
    return "is" if passive else "has"


def _had_or_would(parsed: Parsed, token: Token) -> str | None:
    following = parsed.tokens[token.i + 1 : token.i + 2]
    if following and following[0].lower == "better":
        return "had"
    verb = _verb_after(parsed, token)
    if verb is None:
        return "would" if following and following[0].lower in ("rather", "sooner") else None
    if following and following[0].lower == "have" and verb.tag == "VBN":
        return "would"  # he'd have gone
    return "had" if verb.tag in ("VBN", "VBD") else "would"


def check_letters(longer: bool) -> Callable[[str, str, Sequence[Edit], Parsed, Dialogue | None], str | None]:
    """A validator: a contraction must shorten the text and an expansion lengthen it, and neither may touch numbers."""

    def check(
        original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
    ) -> str | None:
        before, after = len(_LETTERS.findall(original)), len(_LETTERS.findall(result))
        if (after > before) != longer or after == before:
            return f"{before} letters became {after}"
        return None

    return check


register(
    Perturbation(
        name="contractions",
        family="baseline",
        description="contracts words: it is → it's, does not → doesn't",
        effects={"consistency": "preserves", "relevance": "preserves"},
        propose=propose_contractions,
        validate=check_letters(longer=False),
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("It is late and the agent does not answer.", "It's late and the agent doesn't answer."),),
    ),
    Perturbation(
        name="expansions",
        version="4",
        family="baseline",
        description="expands contractions: it's → it is, he'd gone → he had gone, Ann's tired → Ann is tired",
        effects={"consistency": "preserves", "relevance": "preserves"},
        propose=propose_expansions,
        validate=check_letters(longer=True),
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("He's late and he'd already paid.", "He is late and he had already paid."),),
    ),
)
