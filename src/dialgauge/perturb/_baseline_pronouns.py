"""replace_nouns_pronouns: subjects and objects become pronouns."""

import re
from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_contractions import is_or_has
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import (
    SUBJECTS,
    can_be_verb,
    finite_part,
    hyphenated,
    is_finite,
    looks_like_verb,
    takes_nominative,
    verb_base,
)
from dialgauge.perturb._guards import (
    ancestors,
    following,
    has_determiner,
    in_quotes,
    is_definite,
    noun_class,
    preceding,
)
from dialgauge.perturb._parse import Chunk, Parsed, Token
from dialgauge.perturb._people import is_first_name, is_person, names_person, people_of, pronoun_of
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._pronoun_guards import unfit
from dialgauge.perturb._pronoun_referents import Phrase, one_referent_each
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import word_set

_SUBJECT, _OBJECT = ("nsubj", "nsubjpass"), ("dobj", "dative", "iobj")
#: What a pronoun cannot replace without changing the meaning of the sentence.
_UNTOUCHED = ("DATE", "TIME", "MONEY", "QUANTITY", "PERCENT", "CARDINAL", "ORDINAL")
_NEGATIVE = (
    *("no", "neither", "every", "each", "any", "all", "both", "what", "which", "whose", "how", "many", "much"),
    *("few", "fewer", "less", "little", "more", "most"),
)
_NO_OBJECT = ("go", "be", "become")
_LONGEST_PHRASE = 8
_PLACEHOLDER = re.compile(PLACEHOLDER)
_LETTERS = re.compile(r"[a-z]+")
#: Verbs that say little themselves: with a noun that is no thing they are one expression (*give rise*, *take a look*).
_LIGHT = word_set("light_verbs")
#: Verbs that need the phrase after their object.
_BINDING = word_set("binding_verbs_with_object")
#: Supersenses of groups and amounts.
_AMOUNTS = frozenset((14, 23))
#: Verbs that keep the person to whom something is said.
_TELLING = frozenset(["promise", "remind", "show", "teach", "tell", "wish"])
#: Supersenses of things, animals, food, places, people and groups.
_THINGS = frozenset((5, 6, 13, 14, 15, 17, 18, 20, 21, 27))
#: Supersenses of states and times.
_STATES = frozenset((26, 28))
#: Supersenses of thoughts and feelings.
_THOUGHTS = frozenset((9, 12))
#: Verbs whose *it* stands for the clause after them.
_OF_IT = frozenset(["appear", "come", "emerge", "follow", "happen", "occur", "seem"])
PRONOUNS = frozenset(("he", "him", "she", "her", "it", "they", "them"))


def propose_pronouns(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    """Replace noun phrases that are subjects or objects by pronouns, as far as each pronoun can mean only one."""
    people = people_of(dialogue)
    found: list[Phrase] = []
    for chunk in parsed.chunks:
        phrase = _phrase(parsed, chunk, people)
        if phrase and (not found or found[-1].end <= phrase.start):
            found.append(phrase)
    phrases = one_referent_each(parsed, found, people)
    if found and not phrases:
        return NotApplicable("no noun phrase whose pronoun could mean nobody else")
    edits = [Edit(phrase.start, phrase.end, phrase.pronoun) for phrase in phrases]
    for phrase in phrases:
        if phrase.pronoun == "they":
            edits += _plural_verbs(parsed, phrase.root)
    kept = [edit for edit in edits if not any(_inside(edit, phrase) for phrase in phrases)]
    return list(dict.fromkeys(kept)) or NotApplicable("no noun phrase is a subject or an object")


def _inside(edit: Edit, phrase: Phrase) -> bool:
    """Whether an edit of a verb lies in a phrase that is replaced as a whole."""
    return phrase.start <= edit.start and edit.end <= phrase.end and edit.replacement != phrase.pronoun


def _phrase(parsed: Parsed, chunk: Chunk, people: frozenset[str]) -> Phrase | None:
    root = parsed.tokens[chunk.root]
    if root.pos not in ("NOUN", "PROPN") or root.dep not in _SUBJECT + _OBJECT or not root.unbroken:
        return None
    tokens = parsed.subtree(root)
    if len(tokens) > _LONGEST_PHRASE or root.entity in _UNTOUCHED or tokens[0].lower in _NEGATIVE:
        return None
    if root.lower == "way" or any(t.lower in ("same", "such") for t in tokens):
        return None  # "drives the wrong way", "wears the same clothes as"
    if tokens[0].dep in ("cc", "preconj", "punct", "advmod") or tokens[-1].pos == "PUNCT" or root.left > chunk.first:
        return None
    verb = parsed.tokens[root.head]
    if in_quotes(parsed, root) or verb.sentence != root.sentence or _misread(parsed, root, tokens):
        return None
    if root.dep in _OBJECT and not _replaceable_object(parsed, root, verb):
        return None
    if root.dep in _SUBJECT and not (verb.pos in ("VERB", "AUX") and _agreeing(parsed, root)):
        return None
    if root.pos == "NOUN" and root.left == root.i and verb.tag == "VB" and verb.dep == "ccomp":
        return None  # "make ends meet"
    if root.dep in _SUBJECT and verb_base(verb) in _OF_IT and parsed.child(verb, "ccomp") is not None:
        return None  # "the problem came that they had no money": with "it" nothing would have come
    if root.dep in _SUBJECT and verb.lemma == "be" and parsed.child(root, "relcl") is not None:
        return None  # "the strange thing that he noticed was …": "it" would look at what follows
    if sum(parsed.tokens[c].dep in _SUBJECT for c in verb.children) > 1:
        return None  # "has found the dress Adie wants": the parser saw no relative clause
    opens = root.dep in _SUBJECT and tokens[0].start == parsed.sentences[root.sentence][0]
    nominative = opens or (root.dep in _SUBJECT and takes_nominative(parsed, verb))
    pronoun = pronoun_of(parsed, root, nominative, people)
    if pronoun is None or unfit(parsed, root, pronoun):
        return None
    if pronoun == "it" and root.dep in _SUBJECT:
        carrier = finite_part(parsed, verb) or verb
        if not takes_nominative(parsed, verb):
            return Phrase(root, tokens[0].start, tokens[-1].end, pronoun)
        if root.left == root.i and root.tag == "NN" and carrier.tag in ("VB", "VBP"):
            return None  # "suit hire": no verb
        if carrier.tag in ("VB", "VBP") or carrier.lower == "were":
            pronoun = "they"  # the writer took it for several (the police are …)
    return Phrase(root, tokens[0].start, tokens[-1].end, pronoun)


def _misread(parsed: Parsed, root: Token, tokens: Sequence[Token]) -> bool:
    """Whether the phrase is hardly what the parser takes it for: a speaker beside a noun, a noun before the subject of
    its own clause (*the shipment he can provide*), an unknown word without an article."""
    if any(t.dep == "compound" and _PLACEHOLDER.fullmatch(t.text) for t in tokens):
        return True  # "tells #Person1# mountain biking is a sport"
    if any((t.pos == "CCONJ" and t.lower != "and") or _is_cut_verb(parsed, t) for t in tokens):
        return True  # "the meal for Ann but Ann has finished", "Ann's a doctor and Ann likes it"
    before, after = preceding(parsed, tokens[0]), following(parsed, tokens[-1])
    if _beside_its_noun(parsed, root, tokens) or (before is not None and before.lower in ("being", "been")):
        return True  # "being a woman helps"
    if any(t.dep == "prt" for t in tokens) or tokens[-1].tag == "POS" or root.lower in ("one", "ones"):
        return True  # "pick Ann and Kate up", "Frank's getting married", "another one"
    if (
        _joined_by_mistake(parsed, root, tokens)
        or any(looks_like_verb(parsed, t) for t in tokens)
        or (root.pos == "PROPN" and (parsed.child(root, "acl") or _has_part(parsed, root)))
    ):
        return True  # "buys a laptop and bargains with Ann", "suggests Ann preparing for the exam", "Mars without air"
    relation = root.lower in ("mother", "father", "sister", "brother")
    if after is not None and after.text == "," and any(t.dep == "relcl" for t in tokens):
        return True  # "the teacher who is young, speaks clearly and gives no homework"
    if after is not None and (after.lower == "'s" or (after.lower == "in" and relation)):
        return root.dep != "poss"  # "Theo's going", "her mother in law"
    if before is not None and before.text == "," and before.i and parsed.tokens[before.i - 1].pos in ("PROPN", "NOUN"):
        return True  # "Emily, Kate and Marta"
    parts = [parsed.tokens[c] for c in root.children]
    if any(part.dep == "appos" or (part.dep == "cc" and part.lower != "and") for part in parts):
        return True
    part = parsed.child(root, "prep")
    whole = parsed.child(part, "pobj") if part is not None and part.lower == "of" else None
    if whole is not None and (noun_class(root) in _AMOUNTS or (_of_people(whole) and not names_person(root))):
        return True  # "the majority of people"
    if root.lower in ("lot", "deal", "bit") or any(hyphenated(parsed, token) for token in tokens):
        return True
    if (
        after is not None
        and after.dep in ("nsubj", "nsubjpass", "det", "poss")
        and after.pos in ("PROPN", "PRON", "NOUN", "DET")
        and root.dep in _SUBJECT
    ):
        return True
    return root.tag == "NN" and len(tokens) == 1 and noun_class(root) is None


def _beside_its_noun(parsed: Parsed, root: Token, tokens: Sequence[Token]) -> bool:
    """Whether the parser cut a phrase too short or too long: *as penance Jonah collects her*, *the last group meetup*,
    *several solutions which failed and*."""
    after = following(parsed, tokens[-1])
    thing = root.pos == "NOUN" and not names_person(root)
    cut = thing and root.dep in _OBJECT and after is not None and after.tag in ("NN", "NNS") and after.i == root.i + 1
    beside = [t for t in tokens if t.dep == "compound"]
    common = (
        root.pos == "PROPN"
        and is_first_name(root.text)
        and any(t.pos == "NOUN" and not names_person(t) for t in beside)
    )
    named = root.pos == "NOUN" and any(t.pos == "PROPN" and is_first_name(t.text) for t in beside)
    return cut or common or named or tokens[-1].pos == "CCONJ"


def _has_part(parsed: Parsed, name: Token) -> bool:
    """Whether a phrase belongs to a name, as it does to no person's."""
    return not _PLACEHOLDER.fullmatch(name.text) and parsed.child(name, "prep") is not None


def _of_people(noun: Token) -> bool:
    return names_person(noun) or noun.lower == "people"


def _joined_by_mistake(parsed: Parsed, root: Token, tokens: Sequence[Token]) -> bool:
    """Whether *and* joins two clauses rather than two nouns: *has his number and Ann will call*."""
    if parsed.child(root, "cc") is None:
        return False
    other = parsed.child(root, "conj")
    if other is None or is_person(parsed, root) != is_person(parsed, other) or other.tag.startswith("VB"):
        return True  # "filling the form and paying"
    verb = parsed.tokens[root.head]
    after = following(parsed, tokens[-1])
    bare = other.left == other.i and has_determiner(parsed, root) and other.tag == "NN" and can_be_verb(other.lower)
    if root.dep in _OBJECT and (bare or (after is not None and is_finite(after))):
        return True  # "start the program and type", "bend his neck and light does not trouble him"
    opens = tokens[0].start == parsed.sentences[root.sentence][0]
    return root.dep in _SUBJECT and not opens and (finite_part(parsed, verb) or verb).tag == "VBZ"


def _replaceable_object(parsed: Parsed, root: Token, verb: Token) -> bool:
    """An object that can be a pronoun where it stands: not after a particle (*pick up it*), nor beside another."""
    between = parsed.tokens[verb.i + 1 : root.left]
    lemma = verb_base(verb)
    known = is_definite(parsed, root) or root.pos == "PROPN"
    phrase = parsed.child(root, "prep")
    if phrase is not None and (lemma in _BINDING if phrase.lower != "of" else lemma in _LIGHT):
        return False  # "attributes the power to steroids", "takes the place of the old boss"
    if root.left == root.i and root.pos == "NOUN":
        return False  # "make ends meet", "work overtime", "talk dates": a bare noun is often part of the verb
    if noun_class(root) in _THOUGHTS and parsed.child(root, "poss") is not None:
        return False  # "changes her mind", "lost his temper"
    if noun_class(root) in _STATES and not known:
        return False  # "runs a high fever", "spent a week together"
    after = following(parsed, parsed.tokens[root.right])
    if after is not None and after.pos in ("DET", "NUM") and not is_person(parsed, root):
        return False  # "write a paper a hundred pages long"
    joined = parsed.child(root, "conj")
    if joined is not None and parsed.text[root.end : root.end + 1] == ",":
        return False  # "his character, his experience and …"
    if lemma in _TELLING or (lemma in _LIGHT and (noun_class(root) not in _THINGS or not known)):
        return False  # "told them about it" needs the whole, "takes a look" is no taking
    if verb.tag in ("VBD", "VBZ", "VBP", "VBN") and _shared_subject(parsed, verb) is None:
        return False  # "swapped digits": the parser took an adjective for a verb
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
    if _is_several(parsed, root):
        return edits
    for token in parsed.tokens:
        if token.pos not in ("VERB", "AUX") or _shared_subject(parsed, token) is not root:
            continue
        before = preceding(parsed, token)
        if before is not None and before.pos == "PROPN" and not root.left <= before.i <= root.right:
            continue  # somebody else stands right before it
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


def _shared_subject(parsed: Parsed, verb: Token) -> Token | None:
    """The subject of a verb. A finite verb that is joined to one without tense (*wants to go but loses*) has the
    subject
    of the next finite verb above."""
    finite = verb.tag in ("VBZ", "VBP", "VBD", "MD")
    seen = 0
    while seen <= len(parsed.tokens):
        found = parsed.child(verb, *SUBJECTS)
        if found is not None and (seen == 0 or not finite or finite_part(parsed, verb) is not None):
            return found
        joined = verb.dep in ("conj", "aux", "auxpass") or (finite and seen > 0 and finite_part(parsed, verb) is None)
        if not joined or verb.head == verb.i:
            return None
        verb, seen = parsed.tokens[verb.head], seen + 1
    return None


def _is_several(parsed: Parsed, root: Token) -> bool:
    """Whether a noun stands in the plural; a name in *-en* or *-s* that the parser takes for one has a verb in the
    singular."""
    carrier = finite_part(parsed, parsed.tokens[root.head])
    singular = carrier is not None and (carrier.tag == "VBZ" or carrier.lower == "was")
    return root.tag in ("NNS", "NNPS") and not (singular and root.dep in _SUBJECT)


def _is_cut_verb(parsed: Parsed, token: Token) -> bool:
    """*Tom's under stress*: an *'s* that the parser takes for an owner's and that is a verb, so that the rest of the
    sentence is misread."""
    after = following(parsed, token)
    return token.tag == "POS" and after is not None and after.pos in ("ADP", "ADV", "DET", "PRON", "VERB", "SCONJ")


def _agreeing(parsed: Parsed, root: Token) -> bool:
    """Whether the verbs of this subject can be found: none of its sentence looks like a noun (*Ann contacts Tom*)."""
    if _is_several(parsed, root) or any(parsed.tokens[c].dep == "conj" for c in root.children):
        return True  # several: their verbs stay as they are
    verb = parsed.tokens[root.head]
    if any(_is_cut_verb(parsed, t) for t in parsed.tokens if t.sentence == root.sentence):
        return False
    stretch = [t for t in parsed.tokens[root.i + 1 : verb.right + 1] if t.sentence == root.sentence]
    above = parsed.tokens[verb.head]
    if verb.dep == "ccomp" and above.i > verb.i and above.tag == "VBZ" and parsed.child(above, *SUBJECTS) is None:
        return False  # "goes to the gym, shoots some scenes"
    if any(_may_share(parsed, t, root) for t in stretch):
        return False  # "thinks that the date is late and requests another": who requests, the parser cannot tell
    return not any(
        t.tag == "NNS"
        and (
            looks_like_verb(parsed, t)
            or _may_be_joined_verb(parsed, t)
            or (t.dep in ("conj", "ROOT", "dep", "appos") and parsed.tokens[t.head].pos == "VERB")
        )
        for t in stretch
    )


def _may_be_joined_verb(parsed: Parsed, noun: Token) -> bool:
    """*Sends a parcel of books and charges ten euros*: a verb that the parser takes for another thing."""
    before, after = preceding(parsed, noun), following(parsed, noun)
    joined = before is not None and before.dep == "cc" and can_be_verb(noun.lower)
    return joined and after is not None and after.pos in ("ADP", "DET", "NUM", "PRON", "PROPN")


def _may_share(parsed: Parsed, verb: Token, root: Token) -> bool:
    """A finite verb after *and* without a subject of its own, which the parser gives to somebody else."""
    carrier = finite_part(parsed, verb) if verb.pos in ("VERB", "AUX") else None
    finite = verb.tag == "VBZ" or (carrier is not None and carrier.tag == "VBZ")
    if not finite or parsed.child(verb, *SUBJECTS) is not None or verb.dep in ("aux", "auxpass", "relcl"):
        return False
    if verb.dep != "conj":
        before = preceding(parsed, parsed.tokens[verb.left])
        return verb.head != verb.i and before is not None and before.text == ","  # "admits it, logs the case, promises"
    doer = _shared_subject(parsed, verb)
    if doer is None or doer is not root:
        return doer is not None
    own = parsed.tokens[root.head]
    if any(t.dep == "relcl" and finite_part(parsed, t) is not None for t in parsed.tokens[own.i : verb.i]):
        return True  # "likes the teacher who is young, speaks clearly and gives no homework"
    if root.pos != "PROPN" and not names_person(root):
        return False  # what becomes "it" keeps its verbs
    return any(t.tag == "VBZ" and t.i < root.i for t in ancestors(parsed, own))  # "asks where she goes and explains"


def check_pronouns(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """A pronoun must stand where a noun phrase stood."""
    added = any(PRONOUNS & set(_LETTERS.findall(edit.replacement.lower())) for edit in edits)
    return None if added else "no pronoun was added"


register(
    Perturbation(
        name="replace_nouns_pronouns",
        version="13",
        family="baseline",
        description="replaces subjects and objects by pronouns, so that the text names less",
        effects={"consistency": "preserves", "relevance": "degrades"},
        propose=propose_pronouns,
        validate=check_pronouns,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The agent refunds the order.", "They refund the order."),),
    ),
)
