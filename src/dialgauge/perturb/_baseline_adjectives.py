"""Adjectives: antonym_adjective and synonym_adjective."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from dialgauge.corpus import Dialogue
from dialgauge.perturb._adjective_forms import adjective_lemma, inflected
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import hyphenated, like, subject
from dialgauge.perturb._guards import (
    following,
    in_quotes,
    is_negated,
    lemma_of,
    noun_class,
    part_of_term,
    preceding,
    safe_ones,
)
from dialgauge.perturb._opposites import (
    OF_THINGS,
    OPPOSITE_GUARDS,
    unwanted,
)
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import COLLECTIVE, is_person, names_person
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._standing_alone import STANDING_GUARDS
from dialgauge.perturb._word_tables import (
    Substitute,
    negates,
    substitutes,
    supersense,
    takes_ending,
    word_map,
    word_set,
)

Table = Literal["antonyms", "synonyms"]
#: A noun phrase needs these (``next week``, ``the same one``, ``many people``).
NEEDED = word_set("needed_adjectives")
#: These say which one in a row or in time (``the current one``): their opposites are other things, not other qualities.
POINTING = word_set("pointing_adjectives")
#: Supersenses of nouns that name animals and persons.
_ANIMAL, _PERSON = 5, 18
#: Supersenses of acts, attributes, thoughts, events, feelings and states.
_HAPPENINGS = frozenset((4, 7, 9, 11, 12, 26))
#: Opposites of adjectives where they are said of somebody, and adjectives that then mean something else than of things.
_OF_PEOPLE = {"old": "young", "short": "tall", "big": "small", "large": "small"}
#: Adjectives of the highest degree: hardly any use of them has *very*, *too* or *a bit* before it.
_EXTREME = word_set("extreme_adjectives")
#: Verbs after which an adjective tells how something strikes the senses (*looks nice*).
_SEEMING = frozenset(["look", "smell", "sound", "taste"])
#: Words of degree that a noun cannot have (*spent too long planning*).
_DEGREES = frozenset(["as", "how", "so", "too"])
#: Adjectives of judgement, feeling, size, age and colour.
_QUALITIES = word_set("optional_adjectives")
#: Verbs after which an adjective says what somebody thinks of an object.
_FINDING = frozenset(["call", "consider", "feel", "find", "make", "think"])
#: Verbs that form one expression with the adjective after them.
_BECOMING = frozenset(["come", "fall", "get", "go", "keep", "make", "run", "stay", "turn"])
#: Endings of adjectives that relate a noun to something (*legal*, *domestic*).
RELATING = ("al", "ic", "an", "ar", "ary", "ese")
#: Persons who can be old: of others it may mean that they no longer are what they are called.
_ANYBODY = frozenset(["lady", "man", "people", "person", "woman"])
#: What an adjective is in a sentence, unless it stands for a noun (*the same*).
_ROLES = ("amod", "acomp", "conj", "oprd", "ROOT", "ccomp", "advcl", "relcl", "acl", "xcomp", "attr")


def is_adjective(parsed: Parsed, token: Token) -> bool:
    """Whether this word is an adjective by itself: of no name, in no compound with a hyphen."""
    return (
        token.pos == "ADJ"
        and token.tag in ("JJ", "JJR", "JJS")
        and token.dep in _ROLES
        and token.text.isalpha()
        and not token.entity
        and not hyphenated(parsed, token)
        and (token.text.islower() or parsed.sentences[token.sentence][0] == token.start)
    )


def _replace(table: Table) -> Callable[[Parsed, Dialogue | None, Random, int], Proposal | NotApplicable]:
    guards = [_needed, _fixed, _in_adverbial, part_of_term, in_quotes, _on_one_scale]
    opposite = (*OPPOSITE_GUARDS, *STANDING_GUARDS, _compared_later)
    guards += opposite if table == "antonyms" else [_denied, _said_of_a_clause, _done_by, _seeming, _how_much]

    def propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Proposal | NotApplicable:
        adjectives = [token for token in parsed.tokens if is_adjective(parsed, token)]
        if not adjectives:
            return NotApplicable("no adjective")
        known = [token for token in adjectives if substitutes(table).get(adjective_lemma(token))]
        safe = safe_ones(parsed, known, *guards, partial(_without_substitute, table=table))
        chosen: dict[str, str] = {}
        edits: list[Edit] = []
        kept = {_described_as(parsed, token) for token in known if token not in safe}
        # "watch their old photos and speak of their old love": both or none.
        twice = {adjective_lemma(token) for token in known if token not in safe} if table == "antonyms" else set()
        for token in safe:
            if _described_as(parsed, token) in kept or adjective_lemma(token) in twice:
                continue  # "went to a new restaurant; the food in the new restaurant"
            if table == "antonyms" and any(other not in safe for other in _said_with(parsed, token)):
                continue  # "inappropriate and wrong"
            options = _allowed(parsed, token, table)
            # The same adjective gets the same substitute throughout the text.
            other = chosen.setdefault(adjective_lemma(token), rng.choice(options))
            form = inflected(other if other in options else options[0], token)
            if form:
                edits.append(Edit(token.start, token.end, like(token.text, form)))
        if not edits:
            return safe.none_left(f"adjective with known {table}")
        return Proposal(edits, safe.notes())

    return propose


def _described_as(parsed: Parsed, token: Token) -> tuple[str, str]:
    """The adjective and the noun it stands before: two of them are one thing, and so are two that are said of one."""
    return adjective_lemma(token), lemma_of(parsed.tokens[token.head]) if token.dep == "amod" else ""


def _said_with(parsed: Parsed, token: Token) -> list[Token]:
    """The other adjectives of a row (*is inappropriate and wrong*, *a healthy and balanced diet*)."""
    row = [token]
    while row[0].dep == "conj":
        row.insert(0, parsed.tokens[row[0].head])
    for member in row:
        row += [parsed.tokens[c] for c in member.children if parsed.tokens[c].dep == "conj" and c != token.i]
    return [t for t in row if t.i != token.i and (t.pos == "ADJ" or t.tag == "VBN")]


def _needed(parsed: Parsed, token: Token) -> str:
    return "orders or points" if {token.lower, adjective_lemma(token)} & (NEEDED | POINTING) else ""


def _fixed(parsed: Parsed, token: Token) -> str:
    """Whether the adjective is part of a fixed phrase: measured (``two years old``), of a name, *good at*,
    *than usual*, *as soon as possible*, *in full*, *I'm afraid*, *make sure*, *fall asleep*."""
    before = preceding(parsed, token)
    if before is not None and (
        before.lower in ("than", "as", "when", "if", "where", "whenever", "wherever", "though")
        or (token.dep != "amod" and (before.pos == "ADP" or before.lower in ("'m", "am")))
    ):
        return "part of a fixed phrase"
    measured = any(parsed.tokens[c].dep == "npadvmod" for c in token.children)
    compound = token.dep in ("amod", "compound") and parsed.tokens[token.head].pos == "PROPN"
    after_noun = token.dep == "amod" and token.i > token.head  # "somebody willing to help"
    after = following(parsed, token)
    as_noun = (
        before is not None
        and (before.pos == "DET" or before.tag == "PRP$")
        and (after is None or after.pos not in ("NOUN", "PROPN", "ADJ", "CCONJ", "PUNCT", "VERB") or after.text == ".")
    )  # "the poor have", "has her usual."
    above = parsed.tokens[token.head]  # "cut it short", "have it ready"
    made_so = token.dep != "amod" and above.pos == "VERB" and lemma_of(above) not in _FINDING
    made_so = made_so and any(parsed.tokens[c].dep == "dobj" for c in above.children if c < token.i)
    skill = token.lower in ("good", "better", "best", "bad") and any(
        parsed.tokens[c].lower in ("at", "for", "with") for c in token.children
    )
    become = token.dep != "amod" and lemma_of(parsed.tokens[token.head]) in _BECOMING
    misread = token.tag != "JJ" and supersense(token.lower) is not None  # "a stranger passenger"
    degree = before is not None and before.tag in ("RBR", "RBS") and token.tag != "JJ"
    measured |= before is not None and before.pos == "NOUN" and before.head == token.i  # "butt ugly"
    fixed = (measured, compound, skill, degree, become, misread, after_noun, as_noun, made_so)
    return "part of a fixed phrase" if any(fixed) else ""


def _in_adverbial(parsed: Parsed, token: Token) -> str:
    """An adjective of a noun phrase that stands for an adverb (*took it the wrong way*), or that a word after it
    measures (*clean enough*)."""
    if any(parsed.tokens[c].lower == "enough" for c in token.children):
        return "measured by enough"
    noun = parsed.tokens[token.head]
    return "part of an adverbial" if token.dep == "amod" and (noun.dep == "npadvmod" or noun.lower == "way") else ""


def _on_one_scale(parsed: Parsed, token: Token) -> str:
    """Two adjectives of one scale in a sentence (*warm, hot and cold*; *the old or the new one*): one could take the
    place of the other."""
    mine = _scale(token)
    for other in parsed.tokens:
        nouns = {lemma_of(parsed.tokens[t.head]) for t in (token, other)}
        of_one_thing = token.dep == other.dep == "amod" and len(nouns) == 1  # "the old car … the new car"
        if (
            other.i == token.i
            or (other.sentence != token.sentence and not of_one_thing)
            or other.pos != "ADJ"
            or adjective_lemma(other) == adjective_lemma(token)
        ):
            continue
        if mine & _scale(other):
            return "beside another of its scale"
    return ""


def _compared_later(parsed: Parsed, token: Token) -> str:
    """*They are too small. She has no larger ones*: one of the two is more or less than the other."""
    others = [t for t in parsed.tokens if t.i != token.i and t.pos == "ADJ" and "JJR" in (t.tag, token.tag)]
    return "beside another of its scale" if any(_scale(token) & _scale(t) for t in others) else ""


def _scale(token: Token) -> frozenset[str]:
    lemma = adjective_lemma(token)
    return frozenset((lemma, *(s.word for s in substitutes("antonyms").get(lemma, ()))))


def _denied(parsed: Parsed, token: Token) -> str:
    """An adjective that is denied (*is not angry*): without a stronger one (*not furious*) less is denied."""
    denied = token.dep != "amod" and is_negated(parsed, parsed.tokens[token.head])
    return "under a negation" if denied else ""


def _said_of_a_clause(parsed: Parsed, token: Token) -> str:
    """What an act is has another sense than what a thing is (*sitting up all night was unattractive*)."""
    clause = token.dep != "amod" and parsed.child(parsed.tokens[token.head], "csubj", "csubjpass") is not None
    return "said of what somebody does" if clause else ""


def _done_by(parsed: Parsed, token: Token) -> str:
    """A participle that looks like an adjective: *the milk will be drunk by the guests*."""
    beside = (*token.children, *parsed.tokens[token.head].children)
    done = token.dep != "amod" and any(parsed.tokens[c].lower == "by" and c > token.i for c in beside)
    return "done by somebody" if done else ""


def _seeming(parsed: Parsed, token: Token) -> str:
    """What something looks or sounds like has another sense than what it is (*looks nice*: is well dressed)."""
    above = parsed.tokens[token.head]
    return "said of how something seems" if token.dep != "amod" and lemma_of(above) in _SEEMING else ""


def _how_much(parsed: Parsed, token: Token) -> str:
    """An adverb that the parser takes for an adjective of the next noun (*spent too long planning*)."""
    before, after = preceding(parsed, token), following(parsed, token)
    measures = token.lower == "extra" and after is not None and after.pos == "ADJ"  # "extra lean beef"
    measured = before is not None and before.lower in _DEGREES
    return "an adverb" if token.dep == "amod" and (measures or measured) else ""


def _too_much(parsed: Parsed, token: Token, other: str) -> bool:
    """Whether a word would have a degree that it does not take (*a very little bedroom*, *a lengthier slot*)."""
    return (other == "little" and parsed.child(token, "advmod") is not None) or (
        other == "lengthy" and token.tag != "JJ"
    )


def _as_strong(first: str, second: str) -> bool:
    """Whether two adjectives say the same degree: who is *furious* is more than *angry*."""
    return (first in _EXTREME) == (second in _EXTREME)


def _without_substitute(parsed: Parsed, token: Token, *, table: Table) -> str:
    return "" if _allowed(parsed, token, table) else "no substitute fits here"


def _allowed(parsed: Parsed, token: Token, table: Table) -> list[str]:
    """The substitutes that can stand where this adjective stands: by position, noun, complement and degree."""
    lemma, noun = adjective_lemma(token), _described(parsed, token)
    if table == "antonyms" and noun is None and lemma in OF_THINGS:
        return []  # "be relaxed and open"
    if table == "antonyms" and noun is not None and _is_living(parsed, noun):
        if lemma in ("old", "young") and names_person(noun) and lemma_of(noun) not in _ANYBODY:
            return []  # an old boss is a former one, and there are no old children
        if lemma in _OF_PEOPLE:
            return [] if _complements(parsed, token) else [_OF_PEOPLE[lemma]]
        if lemma in OF_THINGS:
            return []
    if table == "antonyms" and token.dep == "amod" and (_is_another(parsed, token) or not _has_degrees(lemma)):
        return []
    wanted = _complements(parsed, token)
    return [
        option.word
        for option in substitutes(table).get(lemma, ())
        if _fits(parsed, token, option)
        and (table == "antonyms" or (_as_strong(lemma, option.word) and not _too_much(parsed, token, option.word)))
        and not (table == "antonyms" and unwanted(parsed, token, option.word))
        and not (option.word in _EXTREME and any(parsed.tokens[c].lower == "very" for c in token.children))
        and _takes(option.word, wanted, unless_known=negates(lemma, option.word))
        and (token.tag == "JJ" or table == "antonyms" or (takes_ending(lemma) and takes_ending(option.word)))
    ]


def _takes(adjective: str, complements: frozenset[str], *, unless_known: bool) -> bool:
    """Whether an adjective can have these complements; one that is not in the table only if ``unless_known``."""
    known = word_map("adjective_complements").get(adjective)
    return unless_known if known is None and complements else complements <= (known or frozenset())


def _is_another(parsed: Parsed, token: Token) -> bool:
    """*A new phone*, *new clothes*, *the new one*: others than before, which *old ones* does not deny."""
    if adjective_lemma(token) != "new":
        return False
    noun, before = parsed.tokens[token.head], preceding(parsed, token)
    known = before is not None and (before.lower in ("the", "this", "that", "these", "those") or before.tag == "PRP$")
    happening = noun_class(noun) in _HAPPENINGS  # "the new changes"
    return token.dep == "amod" and (noun.lower in ("one", "ones") or not known or happening)


def _has_degrees(lemma: str) -> bool:
    """Whether an adjective says how much of a quality there is; *legal advice* is a kind of advice, and has no
    opposite."""
    return lemma in _QUALITIES or takes_ending(lemma) or not lemma.endswith(RELATING)


def _fits(parsed: Parsed, token: Token, option: Substitute) -> bool:
    attributive = token.dep == "amod"
    if token.dep == "conj" and parsed.tokens[token.head].dep == "amod":
        return option.position == "any"  # "a cheap and hard mattress"
    if option.position == "any":
        return True
    if option.position == "after a verb":
        return not attributive
    if option.position == "with a complement":
        return not attributive and bool(_complements(parsed, token))  # "had a happy childhood … was happy"
    if option.position == "said of a person":
        described = _described(parsed, token)
        return (
            not attributive
            and described is not None
            and (is_person(parsed, described) or described.lower in ("he", "she", "they", "i", "we", "you"))
        )
    noun, before = parsed.tokens[token.head], preceding(parsed, token)
    if not attributive or token.i > noun.i:
        return False
    if option.position == "after an article":
        return (
            noun.i == token.i + 1
            and before is not None
            and (before.lower in ("the", "this", "that") or before.tag == "PRP$")
        )
    return not option.supersenses or noun_class(noun) in option.supersenses


def _complements(parsed: Parsed, token: Token) -> frozenset[str]:
    """What an adjective binds: prepositions (*happy with*), *to* and *that*."""
    found: set[str] = set()
    for child in (parsed.tokens[c] for c in token.children if c > token.i):
        if child.dep == "prep" and child.lower != "than":
            found.add(child.lower)
        elif child.dep == "xcomp":
            found.add("to")
        elif child.dep == "ccomp":
            mark = parsed.child(child, "mark")
            found.add(mark.lower if mark is not None else "that")
    head = parsed.tokens[token.head]
    clause = parsed.child(head, "ccomp") if token.dep == "acomp" else None
    if clause is not None and clause.left == token.i + 1 and parsed.tokens[clause.left].lower == "that":
        found.add("that")  # "is angry that he left", whatever the parser hangs it on
    return frozenset(found)


def _described(parsed: Parsed, token: Token) -> Token | None:
    """The noun that an adjective describes."""
    head = parsed.tokens[token.head]
    return head if token.dep == "amod" else subject(parsed, head)


def _is_living(parsed: Parsed, noun: Token) -> bool:
    people = names_person(noun) or lemma_of(noun) in COLLECTIVE
    return people or noun.pos in ("PROPN", "PRON") or noun_class(noun) in (_PERSON, _ANIMAL)


def check_replaced(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Every changed stretch must hold an adjective, or the article before one."""
    adjectives = [token for token in parsed.tokens if token.pos == "ADJ"]
    for edit in edits:
        touched = any(token.start < edit.end and edit.start < token.end for token in adjectives)
        if not touched and original[edit.start : edit.end].lower() not in ("a", "an"):
            return f"{original[edit.start : edit.end]!r} is not an adjective"
    return None


register(
    Perturbation(
        name="antonym_adjective",
        version="11",
        family="baseline",
        description="replaces adjectives by their antonyms, in the same degree",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=_replace("antonyms"),
        validate=check_replaced,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer bought an expensive phone.", "The customer bought a cheap phone."),),
    ),
    Perturbation(
        name="synonym_adjective",
        version="8",
        family="baseline",
        description="replaces adjectives by synonyms, in the same degree",
        effects={"consistency": "preserves", "relevance": "preserves"},
        propose=_replace("synonyms"),
        validate=check_replaced,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer is glad about the extra fee.", "The customer is happy about the additional fee."),),
    ),
)
