"""hyponyms: common nouns become narrower ones."""

import re
from collections.abc import Mapping, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._entity_names import WORKS
from dialgauge.perturb._grammar import (
    base_form,
    hyphenated,
    inflect,
    like,
    subject,
)
from dialgauge.perturb._guards import (
    following,
    has_determiner,
    in_quotes,
    is_definite,
    lemma_of,
    noun_class,
    preceding,
    safe_ones,
    under_negation,
)
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import is_term, substitutes, word_map, word_set

_JUDGING = word_set("optional_adjectives")
_NUMBERED = word_set("needed_adjectives")
_LIGHT = word_set("light_verbs")
#: Nouns that mean something else than their first sense more often than not.
_AMBIGUOUS = word_set("ambiguous_nouns", "wordnet")
_MASS = word_set("mass_nouns")
#: Supersenses of acts, attributes, thoughts, feelings and states.
_DEEDS = frozenset((4, 7, 9, 12, 26))
#: The supersense of things that people make.
_THING = 6
#: The supersense of persons.
_PERSON = 18
#: A title in quotation marks.
_TITLE = re.compile(r"[\"“]|(?<!\w)['‘][A-Z0-9]")
#: Prepositions of phrases that may not fit a narrower word.
_TELLING = frozenset(["about", "as", "for", "including", "of", "with"])
_TELLING_OF_DEEDS = _TELLING | {"to"}
_TELLING_OF_PERSONS = _TELLING | {"at", "from", "in"}
#: The supersense of groups (*a meeting with Ruth*, who is hardly met at a seminar).
_GATHERING = 14
_SEXED = word_set("male") | word_set("female")
#: What follows a noun that is described, whatever the parser hangs it on.
_DESCRIBING = frozenset(
    ["about", "called", "for", "named", "of", "on", "that", "where", "which", "who", "whose", "with"]
)
#: Verbs that say of their subject how it is or what it can do.
_BEING = frozenset(
    ["'s", "be", "become", "contain", "cost", "have", "look", "need", "say", "seem", "smell", "sound", "tell"]
)
#: Words of a text that speaks of kinds.
_KINDS = frozenset(["brand", "breed", "kind", "model", "sort", "type"])
#: Marks and subjects of what holds in general.
_GENERAL = frozenset(["can", "must", "ought", "should"])
_ANYBODY = frozenset(["everybody", "everyone", "one", "people", "you"])


def propose_hyponyms(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Proposal | NotApplicable:
    """Replace each noun by a more specific one that nobody spoke of, if there is one. The table has narrower words of
    the sense that a noun mostly has, which people use nearly as they use the noun (no *atoll*, no *tandem*)."""
    table = substitutes("hyponyms")
    known = [t for t in parsed.tokens if table.get(_noun_lemma(t)) and _noun_lemma(t) not in _AMBIGUOUS]
    in_text = {lemma for t in parsed.tokens for lemma in (t.lower, lemma_of(t), base_form(t.lower, "NOUN") or "")}
    said = set(re.findall(r"[a-z]+", f"{parsed.text}\n{dialogue.text if dialogue else ''}".lower()))
    new = {
        lemma: [
            s.word
            for s in table[lemma]
            if not {s.word, inflect(s.word, "NNS")} & said
            and (lemma not in _SEXED or s.word in _SEXED)
            and not s.word.endswith(lemma)  # "the club" is short for the nightclub
        ]
        for lemma in map(_noun_lemma, known)
    }
    safe = safe_ones(
        parsed,
        known,
        _in_title,
        _in_compound,
        _clashes,
        _bare,
        _still_true,
        _told_before,
        _several_of_them,
        _called_by_title,
        _in_general,
        _said_how_it_is,
        _kind_is_told,
        lambda _, t: "told more closely elsewhere" if _mates(t) & in_text else "",
        in_quotes,
        lambda _, t: "" if _narrower(parsed, t, new) else "no narrower word that is not said in the dialogue",
    )
    chosen: dict[str, str] = {}
    edits: list[Edit] = []
    refused = {_noun_lemma(token) for token in known if token not in safe}
    for token in safe:
        lemma = _noun_lemma(token)
        # Where one mention of a thing cannot be replaced, the others stay as well; two nouns never become one.
        free = [word for word in _narrower(parsed, token, new) if word not in chosen.values()]
        if lemma in refused or (lemma not in chosen and not free):
            continue
        other = chosen.setdefault(lemma, rng.choice(free)) if free else chosen[lemma]
        form = other if token.tag == "NN" else inflect(other, "NNS")
        if form:
            edits.append(Edit(token.start, token.end, like(token.text, form)))
    return Proposal(edits, safe.notes()) if edits else safe.none_left("noun with a known hyponym")


def _called_by_title(parsed: Parsed, token: Token) -> str:
    """A certain work (*they admire the movie*), or one whose title stands in the text: who knows it knows its kind."""
    known = _noun_lemma(token) in WORKS | {"music"} and (is_definite(parsed, token) or _TITLE.search(parsed.text))
    return "told more closely elsewhere" if known else ""


def _in_general(parsed: Parsed, token: Token) -> str:
    """*Dogs bark*, *has to agree to dogs*, *people should eat vegetables*: what holds of all is odd of one kind, unless
    somebody does something with some of them (*buys flowers*)."""
    beside = {parsed.tokens[c].lower for c in token.children}
    if beside & {"any", "each", "every", "all", "no"}:
        return "said in general"
    if token.tag != "NNS" or has_determiner(parsed, token) or any(parsed.tokens[c].tag == "CD" for c in token.children):
        return ""
    first = parsed.tokens[token.head] if token.dep == "conj" else token
    verb = parsed.tokens[first.head]
    if first.dep != "dobj" or verb.pos != "VERB":
        return "said in general"
    marks = {parsed.tokens[c].lower for c in verb.children if parsed.tokens[c].dep == "aux"}
    doer = subject(parsed, verb)
    return "said in general" if marks & _GENERAL or (doer is not None and doer.lower in _ANYBODY) else ""


def _said_how_it_is(parsed: Parsed, token: Token) -> str:
    """*The flat has a good view*, *a house with a common hall*, *the car that he sold*: what is said of it may not fit
    the narrower word."""
    after = following(parsed, token)
    if after is not None and after.lower in _DESCRIBING:
        return "described too closely"
    verb = parsed.tokens[token.head]
    told = token.dep == "nsubj" and (lemma_of(verb) in _BEING or verb.pos == "AUX")
    return "described too closely" if told else ""


def _kind_is_told(parsed: Parsed, token: Token) -> str:
    """*Cars … rents a Pinto*, *the flat … a huge living room*, *fish … an aquarium*: other words of the text show
    which kind it is, or that it is not the narrower one."""
    words = {word for t in parsed.tokens for word in (t.lower, lemma_of(t))}
    if words & (_KINDS | word_map("kinds_told").get(_noun_lemma(token), frozenset())):
        return "told more closely elsewhere"
    for t in parsed.tokens:
        after = following(parsed, t)
        if t.lower in ("a", "an") and after is not None and after.pos == "PROPN" and after.dep != "compound":
            return "told more closely elsewhere"
    return ""


def _mates(token: Token) -> set[str]:
    """All kinds of a thing that the table has: where one is named (*flowers … roses*), another one contradicts it."""
    return {substitute.word for substitute in substitutes("hyponyms")[_noun_lemma(token)]}


def _several_of_them(parsed: Parsed, token: Token) -> str:
    """*Has many relatives*, of whom hardly all are of one kind."""
    beside = {parsed.tokens[c].lower for c in token.children}
    many = beside & {"all", "few", "lots", "many", "most", "other", "several"}
    return "described too closely" if many and noun_class(token) == _PERSON else ""


def _narrower(parsed: Parsed, token: Token, new: Mapping[str, Sequence[str]]) -> list[str]:
    """The substitutes that can stand here: without an article those that need none, in the plural those that have
    one."""
    options = new[_noun_lemma(token)]
    indefinite = any(parsed.tokens[c].lower in ("a", "an", "another", "each", "every", "one") for c in token.children)
    if token.tag == "NNS" or indefinite:
        return [word for word in options if word not in _MASS]  # "rugbies", "a diabetes"
    return list(options) if has_determiner(parsed, token) else [word for word in options if word in _MASS]


def _still_true(parsed: Parsed, token: Token) -> str:
    """Who has no vehicle has no truck."""
    if is_definite(parsed, token):
        return ""
    none = any(parsed.tokens[c].lower in ("no", "any") for c in token.children)
    return "under a negation" if none or under_negation(parsed, token) else ""


def _told_before(parsed: Parsed, token: Token) -> str:
    """*His mistake*, *the trip*: what somebody did or thinks is what the rest of the text tells of, and hardly fits a
    narrower word."""
    return "told elsewhere" if noun_class(token) in _DEEDS and is_definite(parsed, token) else ""


def _noun_lemma(token: Token) -> str:
    """The lemma of a common noun that is a word of its own, else nothing."""
    if token.tag not in ("NN", "NNS") or token.pos != "NOUN" or token.entity or not token.text.isalpha():
        return ""
    return token.lower if token.tag == "NN" else base_form(token.lower, "NOUN") or lemma_of(token)


def _in_title(parsed: Parsed, token: Token) -> str:
    """*Suits are on the air*: a capital within a sentence."""
    within = parsed.sentences[token.sentence][0] != token.start
    return "part of a name" if within and token.text[0].isupper() else ""


def _in_compound(parsed: Parsed, token: Token) -> str:
    """A noun beside a noun is a compound, whatever the parser says."""
    before, after = preceding(parsed, token), following(parsed, token)
    beside = [t for t in (before, after) if t is not None and t.pos in ("NOUN", "PROPN", "NUM") and t.tag != "CD"]
    named = after is not None and after.pos == "PROPN" and after.dep == "appos"
    if after is not None and after.pos == "ADJ" and after.tag == "JJ" and not after.children:
        end = following(parsed, after)
        if end is None or end.pos in ("PUNCT", "ADP", "CCONJ"):
            return "part of a compound"  # "the street fair,", where the parser takes *fair* for an adjective
    compound = (
        token.dep == "compound"
        or hyphenated(parsed, token)
        or any(parsed.tokens[child].dep in ("compound", "nmod") for child in token.children if child < token.i)
    )
    return "part of a compound" if compound or (beside and not named) else ""


def _clashes(parsed: Parsed, token: Token) -> str:
    """An adjective, owner or *of* phrase that may not fit the narrower noun; those that only judge always fit."""
    said = parsed.tokens[token.head] if token.dep == "nsubj" else None
    if any(t.lower in ("one", "ones") and parsed.child(t, "amod") is not None for t in parsed.tokens):
        return "described too closely"  # "prefers a restaurant, so she invites him to the Georgian one"
    kind = parsed.child(said, "attr") if said is not None and lemma_of(said) == "be" else None
    if kind is not None and kind.pos == "PROPN":
        return "described too closely"  # "their dog is a Saint Bernard"
    owner = parsed.child(token, "poss")
    if owner is not None and owner.pos == "NOUN" and (owner.tag == "NNS" or noun_class(token) != _THING):
        return "described too closely"  # "a dancers' school", "the parents' meeting"
    counted = any(parsed.tokens[c].tag == "CD" or parsed.tokens[c].lower == "both" for c in token.children)
    if counted and noun_class(token) == _GATHERING:
        return "described too closely"  # "the two parties" of a contract
    for child in (parsed.tokens[c] for c in token.children):
        if child.dep == "amod" and is_term(child.lower, _noun_lemma(token)):
            return "part of a term"  # "red wine", "soft drinks"
        if child.dep == "amod" and child.lower not in _JUDGING and child.lower not in _NUMBERED:
            return "described too closely"
        deed, person = noun_class(token) in (*_DEEDS, _GATHERING), noun_class(token) == _PERSON
        telling = _TELLING_OF_DEEDS if deed else _TELLING_OF_PERSONS if person else _TELLING
        if child.dep in ("acl", "relcl", "appos") or (child.dep == "prep" and child.lower in telling):
            return "described too closely"
    return ""


def _bare(parsed: Parsed, token: Token) -> str:
    """*By car*, *as a present*, *did a job*: a set phrase, unless the noun is one without articles."""
    where = parsed.tokens[token.head].lower if token.dep == "pobj" else ""
    before = preceding(parsed, token)
    if where in ("as", "like") or (
        where in ("at", "to") and token.tag == "NNS" and before is not None and before.lower == "the"
    ):
        return "a set phrase"  # "goes to the movies"
    verb = lemma_of(parsed.tokens[token.head])
    light = verb in _LIGHT and noun_class(token) in _DEEDS
    if token.dep == "dobj" and (light or verb in ("do", "make")):
        return "a set phrase"  # "make a trip", "makes a good present"
    if where == "by" and has_determiner(parsed, token) and before is not None and before.lower == "the":
        return "a set phrase"  # "measure by the book"
    if where == "for" and not has_determiner(parsed, token):
        return "a set phrase"  # "meet for coffee"
    after = following(parsed, token)
    if after is not None and ((after.tag == "POS" and token.tag == "NNS") or after.pos == "DET"):
        return "a set phrase"  # "children's stories"; "helps her book a ticket", whatever the tagger says
    if token.dep == "attr" and not any(parsed.tokens[c].lower == "there" for c in parsed.tokens[token.head].children):
        return "says what something is"
    lonely = token.tag == "NN" and not has_determiner(parsed, token) and _noun_lemma(token) not in _MASS
    return "a set phrase" if lonely else ""


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


register(
    Perturbation(
        name="hyponyms",
        version="10",
        family="baseline",
        description="replaces nouns by more specific ones (vehicle → truck)",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=propose_hyponyms,
        validate=check_hyponyms,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer left a computer in the church.", "The customer left a laptop in the chapel."),),
    ),
)
