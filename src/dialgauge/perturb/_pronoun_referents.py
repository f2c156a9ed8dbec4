"""Which noun phrases may become pronouns together: within a sentence and its neighbours one pronoun means one thing.

A pronoun that could also be read as somebody else makes the summary say something else, not only less.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dialgauge.perturb._grammar import SUBJECTS, finite_part
from dialgauge.perturb._guards import is_definite, lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_first_name, is_person, pronoun_of
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import word_set

_PLACEHOLDER = re.compile(PLACEHOLDER)

#: The forms that one pronoun has.
_FORMS = {
    "he": frozenset(["he", "him", "his", "himself"]),
    "she": frozenset(["she", "her", "hers", "herself"]),
    "it": frozenset(["it", "its", "itself"]),
    "they": frozenset(["they", "them", "their", "theirs", "themselves"]),
}
_FORM_OF = {form: name for name, forms in _FORMS.items() for form in forms}
#: *They* and its forms, as *he* and *she* have them.
_LIKE_THEY = {
    "he": {"they": "he", "them": "him", "their": "his"},
    "she": {"they": "she", "them": "her", "their": "her"},
}
_OWNER = {"he": "his", "she": "her", "it": "its", "they": "their"}
#: Somebody whose sex the text need not say, and more than one.
_SINGLE, _SEVERAL = "single", "several"
_MASCULINE, _FEMININE = word_set("first_names_masculine"), word_set("first_names_feminine")
#: Where a noun stands that a pronoun can look back to.
_ROLES = frozenset([*SUBJECTS, "dobj", "dative", "pobj", "attr", "conj", "poss", "appos"])
_PLACES = frozenset(["GPE", "LOC", "FAC", "ORG", "NORP", "PRODUCT"])
_TIMES = frozenset(["DATE", "TIME", "MONEY", "QUANTITY", "PERCENT", "CARDINAL", "ORDINAL"])


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase that a pronoun can stand for."""

    root: Token
    start: int
    end: int
    pronoun: str

    def holds(self, token: Token) -> bool:
        """Whether a token is part of it."""
        return self.start <= token.start and token.end <= self.end


@dataclass(frozen=True, slots=True)
class _Mention:
    """A noun that a pronoun may look back to, by which names it goes, and which pronouns could mean it."""

    token: Token
    names: frozenset[str]
    slots: frozenset[str]
    #: What describes a thing: *a short course* may be *the course*, and is no *long course*.
    marks: frozenset[str] = frozenset()
    joined_people: bool = False
    is_somebody: bool = False

    def same(self, other: "_Mention") -> bool:
        return bool(self.names & other.names) and (self.marks <= other.marks or other.marks <= self.marks)


class _Text:
    """The nouns and pronouns of a text, and the phrases that were let through so far."""

    def __init__(self, parsed: Parsed, people: frozenset[str]) -> None:
        self.parsed = parsed
        self.mentions = [_mention(parsed, token, people) for token in parsed.tokens if _can_be_meant(parsed, token)]
        self.pronouns = [t for t in parsed.tokens if t.lower in _FORM_OF and t.pos in ("PRON", "DET")]
        self.kept: list[tuple[Phrase, _Mention]] = []

    def of(self, phrase: Phrase, people: frozenset[str]) -> _Mention:
        return _mention(self.parsed, phrase.root, people)

    def standing(self) -> Iterable[_Mention]:
        """The nouns outside of what has become a pronoun."""
        return (m for m in self.mentions if not any(phrase.holds(m.token) for phrase, _ in self.kept))


def one_referent_each(parsed: Parsed, phrases: Sequence[Phrase], people: frozenset[str]) -> list[Phrase]:
    """The phrases whose pronouns can mean nobody else. The mentions of one referent in a sentence go together: all of
    them become pronouns or none does."""
    text = _Text(parsed, people)
    named = [(phrase, text.of(phrase, people)) for phrase in phrases]
    waiting = [(phrase, one) for phrase, one in named if one.is_somebody or _was_just_named(text, phrase, one)]
    while waiting:
        first, mention = waiting[0]
        group = [
            (phrase, other)
            for phrase, other in waiting
            if phrase.root.sentence == first.root.sentence and (other is mention or other.same(mention))
        ]
        waiting = [entry for entry in waiting if entry not in group]
        owning = [(phrase, mention) for phrase in _owners(text, first, mention)]
        agreeing = _agreeing(text, sorted(group + owning, key=lambda entry: entry[0].start))
        if agreeing and _is_clear(text, agreeing):
            text.kept += agreeing
            waiting = [(p, m) for p, m in waiting if not any(p.holds(other.root) for other, _ in owning)]
    return sorted((phrase for phrase, _ in text.kept), key=lambda phrase: phrase.start)


def _was_just_named(text: _Text, phrase: Phrase, mention: _Mention) -> bool:
    """Whether a thing is one that the reader knows (*a test … the test has ended*): it was named in this sentence or
    the one before, and no other thing since. *It* for what is named only there says nothing (*likes the food*), and
    *find an apartment* or *shift the blame* means none in particular."""
    if phrase.root.pos != "PROPN" and not is_definite(text.parsed, phrase.root):
        return False
    slot = _slot(phrase, mention)
    before = [m for m in text.mentions if m.token.start < phrase.start and slot in m.slots]
    return bool(before) and before[-1].same(mention) and phrase.root.sentence - before[-1].token.sentence <= 1


def _owners(text: _Text, phrase: Phrase, mention: _Mention) -> Iterable[Phrase]:
    """The same referent as an owner in the sentence: *Ann reads in Ann's room*."""
    for token in text.parsed.tokens:
        alone = token.dep == "poss" and not any(text.parsed.tokens[c].dep != "case" for c in token.children)
        if token.sentence == phrase.root.sentence and alone and token.text in mention.names and token.pos == "PROPN":
            mark = text.parsed.tokens[token.i + 1]
            if mark.tag == "POS" and mark.start == token.end:
                yield Phrase(token, token.start, mark.end, _OWNER[_FORM_OF[phrase.pronoun]])


def _can_be_meant(parsed: Parsed, token: Token) -> bool:
    """A noun of its own; a first name also where the parser takes it for part of another word (*Anna suspects*)."""
    if token.entity in _TIMES or token.pos not in ("NOUN", "PROPN"):
        return False
    part = token.dep == "compound" and parsed.tokens[token.head].pos == "PROPN"
    if _PLACEHOLDER.fullmatch(token.text):
        return True  # also where the parser makes it a part of "interviews"
    return token.dep in _ROLES or (token.pos == "PROPN" and is_first_name(token.text) and not part)


def _mention(parsed: Parsed, token: Token, people: frozenset[str]) -> _Mention:
    parts = [parsed.tokens[c] for c in token.children if parsed.tokens[c].dep in ("compound", "conj")]
    named = token.pos == "PROPN" or is_person(parsed, token, people)
    names = {token.text, *(p.text for p in parts if p.dep == "compound")} if named else {lemma_of(token)}
    pronoun = pronoun_of(parsed, token, True, people)
    joined = any(p.dep == "conj" for p in parts) and any(t.dep == "cc" for t in parsed.subtree(token))
    several = joined or token.tag in ("NNS", "NNPS") or (pronoun == "they" and not is_person(parsed, token, people))
    if several:
        person = is_person(parsed, token, people)
        whole = " ".join(t.lower for t in parsed.subtree(token)) if joined else f"several {lemma_of(token)}"
        slots = {_SEVERAL}
        return _Mention(
            token, frozenset({whole}), frozenset(slots), joined_people=joined and person, is_somebody=person
        )
    if pronoun in ("he", "she"):
        slots = {pronoun, _SINGLE}
    elif pronoun == "they":
        slots = {_SINGLE, *_genders(names)}
    elif pronoun is None and (token.entity not in _PLACES or (token.entity == "ORG" and token.dep in SUBJECTS)):
        slots = {_SINGLE, "it", *_genders(names)}  # may be somebody or something
    else:
        slots = {"it"}
    described = [c for c in token.children if parsed.tokens[c].dep in ("amod", "compound", "poss")]
    marks = frozenset(parsed.tokens[c].lower for c in described if token.pos == "NOUN")
    return _Mention(token, frozenset(names), frozenset(slots), marks, is_somebody=_SINGLE in slots)


def _genders(names: Iterable[str]) -> set[str]:
    """Of which sex somebody may be, by the first name."""
    masculine, feminine = not _MASCULINE.isdisjoint(names), not _FEMININE.isdisjoint(names)
    if masculine == feminine:
        return {"he", "she"}
    return {"he"} if masculine else {"she"}


def _slot(phrase: Phrase, mention: _Mention) -> str:
    form = _FORM_OF[phrase.pronoun]
    return form if form != "they" else _SEVERAL if _SEVERAL in mention.slots else _SINGLE


def _agreeing(text: _Text, group: Sequence[tuple[Phrase, _Mention]]) -> list[tuple[Phrase, _Mention]]:
    """The group with the pronoun that the text itself has for somebody (*Megan … because she*): *he* or *she* where
    nobody else can be meant, nothing where it is not clear who is."""
    mention = group[0][1]
    if _SINGLE in mention.slots and any(_has_plural_verb(text, phrase) for phrase, _ in group):
        return []
    if _SINGLE not in mention.slots or _slot(*group[0]) != _SINGLE:
        return list(group)
    personal = [t for t in text.pronouns if _FORM_OF[t.lower] in ("he", "she") and not _is_taken(text, t, mention)]
    own = {_FORM_OF[t.lower] for t in personal} & mention.slots
    others = [m for m in text.mentions if not m.same(mention)]
    if own and _PLACEHOLDER.fullmatch(group[0][0].root.text) and any(m.is_somebody for m in others):
        return []  # "#Person1# invites Jack and his wife": nothing shows that #Person1# is a man
    if not own:
        orphaned = any(
            not any(_FORM_OF[t.lower] in m.slots and m.token.start < t.start for m in others) for t in personal
        )
        if orphaned:
            return []  # "Liam is impressed. She wants to read it": the writer means Liam
        return _by_name(text, group, others)
    (pronoun, *more) = sorted(own)
    known = not {"he", "she"} <= mention.slots  # by the name; then who may be of either sex is no rival
    rivals = [m for m in others if pronoun in m.slots]
    if more or any(not (known and {"he", "she"} <= m.slots) or _is_nearer(m, mention, personal) for m in rivals):
        return []
    return [] if _is_already_another(text, mention, pronoun) else _as(pronoun, group)


def _is_already_another(text: _Text, mention: _Mention, pronoun: str) -> bool:
    """*Isaiah is ill. He stays in bed. Tom will call him*: before somebody is named, the pronoun stands for one who
    was named earlier."""
    first = next(m.token for m in text.mentions if m.same(mention))
    earlier = [t for t in text.pronouns if _FORM_OF[t.lower] == pronoun and t.start < first.start]
    return any(m.is_somebody and m.token.start < t.start for t in earlier for m in text.mentions)


def _has_plural_verb(text: _Text, phrase: Phrase) -> bool:
    """*Susan haven't seen it*, *#Person1#and Frank notice it*: a slip of the writer, or one of two."""
    if phrase.root.dep not in SUBJECTS or phrase.root.pos != "PROPN":
        return False
    carrier = finite_part(text.parsed, text.parsed.tokens[phrase.root.head])
    return carrier is not None and (carrier.tag == "VBP" or carrier.lower in ("are", "were", "have", "do"))


def _is_nearer(other: _Mention, mention: _Mention, personal: Sequence[Token]) -> bool:
    """*Jan's shift is cancelled and she is free, but Anna works*: another is named before a pronoun of the
    sentence, and this one only behind it."""
    return any(
        other.token.sentence == t.sentence == mention.token.sentence
        and other.token.start < t.start < mention.token.start
        for t in personal
    )


def _as(pronoun: str, group: Sequence[tuple[Phrase, _Mention]]) -> list[tuple[Phrase, _Mention]]:
    return [(replace(phrase, pronoun=_LIKE_THEY[pronoun][phrase.pronoun]), one) for phrase, one in group]


def _by_name(
    text: _Text, group: Sequence[tuple[Phrase, _Mention]], others: Sequence[_Mention]
) -> list[tuple[Phrase, _Mention]]:
    """The group as *he* or *she* where the first name says which: *they* would be taken for several people. Nothing
    where the text has that pronoun for somebody else."""
    (pronoun, *more) = sorted(group[0][1].slots & {"he", "she"}) or ("they",)
    if more or pronoun == "they":
        place = group[0][0].root.sentence
        if _is_name(group[0][0].root):
            return []  # "Ivana knows the fault": "they" would be several
        acting = [m for m in text.mentions if m.token.dep in SUBJECTS and m.is_somebody]
        again = any(m.same(group[0][1]) and m.token.sentence == place + 1 for m in acting)
        beside = any(m in others and m.token.sentence == place and _is_joined(text, m.token) for m in acting)
        if again or beside:
            return []  # "they tell Ann. The agent also says", "they agree, and Ann refuses": "they" would be others
        near = [t for t in text.pronouns if _FORM_OF[t.lower] in ("he", "she") and abs(t.sentence - place) <= 1]
        unnamed = _PLACEHOLDER.fullmatch(group[0][0].root.text) is not None
        # "The agent wants Tom to notice him": "they" would be others.
        return [] if near and not unnamed else list(group)
    used = any(_FORM_OF[t.lower] == pronoun for t in text.pronouns)
    if (used and any(pronoun in m.slots for m in others)) or _is_spoken_of_otherwise(text, group[0][1], pronoun):
        return []
    return _as(pronoun, group)


def _is_joined(text: _Text, doer: Token) -> bool:
    """Whether somebody is the subject of a clause behind *and*, *but* or a comma."""
    return text.parsed.tokens[doer.head].dep in ("conj", "ROOT")


def _is_spoken_of_otherwise(text: _Text, mention: _Mention, pronoun: str) -> bool:
    """*Muriel sent Namir a menu that his trainer wrote*: beside a name stands the pronoun of the other sex, which may
    mean just this person, whatever the first name says."""
    beside = {m.token.sentence for m in text.mentions if m.same(mention)}
    return any(t.sentence in beside and _FORM_OF[t.lower] in {"he", "she"} - {pronoun} for t in text.pronouns)


def _is_name(token: Token) -> bool:
    return token.pos == "PROPN" and not _PLACEHOLDER.fullmatch(token.text)


def _is_taken(text: _Text, pronoun: Token, mention: _Mention) -> bool:
    """Whether the last one named before a pronoun is somebody else of just this sex: *asks Brian about his life*."""
    before = [
        m
        for m in text.mentions
        if m.token.sentence == pronoun.sentence and m.token.start < pronoun.start and _SINGLE in m.slots
    ]
    genders = before[-1].slots & {"he", "she"} if before else frozenset()
    unknown = {"he", "she"} <= mention.slots  # "Anna tells Emma that she …" may be either
    return unknown and bool(before) and not before[-1].same(mention) and genders == {_FORM_OF[pronoun.lower]}


def _is_clear(text: _Text, group: Sequence[tuple[Phrase, _Mention]]) -> bool:
    mention, sentence = group[0][1], group[0][0].root.sentence
    replaced = [phrase for phrase, _ in group]
    if any(
        t.sentence == sentence
        and (mention.is_somebody or t.start > replaced[0].start)
        and mention.names & {t.text, lemma_of(t)}
        and not any(phrase.holds(t) for phrase in replaced)
        for t in text.parsed.tokens
    ):
        return False  # "they like studying in #Person2#'s free time"
    led = False
    for phrase, one in group:
        if _meets_another(text, phrase, one) or _rivals(text, phrase, one, led=led):
            return False
        led = led or phrase.root.dep in SUBJECTS
    return True


def _meets_another(text: _Text, phrase: Phrase, mention: _Mention) -> bool:
    """Whether the same pronoun stands for another: one that was put in anywhere, or one of the text nearby, unless only
    this referent can be meant by it."""
    form, slot = _FORM_OF[phrase.pronoun], _slot(phrase, mention)
    if any(_FORM_OF[other.pronoun] == form and not m.same(mention) for other, m in text.kept):
        return True
    if slot == _SINGLE and any(_FORM_OF[t.lower] == form for t in text.pronouns):
        return True  # "they" of the text are several
    if slot in ("he", "she") and any(_is_named_they(other, m) for other, m in text.kept):
        return True  # "Miles needs it. Tim tries": "they" beside "he" would be several
    if slot in ("he", "she") and any(_may_hold(text, other, slot) for other, m in text.kept if m.joined_people):
        return True  # "they celebrate. She is busy": one of them?
    near = [t for t in text.pronouns if _FORM_OF[t.lower] == form and abs(t.sentence - phrase.root.sentence) <= 1]
    if slot == _SEVERAL and any(t.start < phrase.start and t.sentence == phrase.root.sentence for t in near):
        return True  # "they stay in because Kay and Jo are busy": these need not be all of them
    if mention.token.dep in SUBJECTS and mention.joined_people:
        near = [
            t for t in near if t.start < phrase.start
        ]  # "Ann and Bob met. They talked": what follows means the same
    if not near or slot in ("he", "she"):
        return False
    around = [m for m in text.standing() if abs(m.token.sentence - phrase.root.sentence) <= 1]
    return any(slot in m.slots and not m.same(mention) and not phrase.holds(m.token) for m in around) or (
        slot == _SEVERAL and _are_two(m for m in around if not phrase.holds(m.token))
    )


def _is_named_they(phrase: Phrase, mention: _Mention) -> bool:
    """Whether *they* stands for one person with a name."""
    named = phrase.root.pos == "PROPN" or phrase.root.entity == "PERSON"
    one = named and not mention.joined_people and not _PLACEHOLDER.fullmatch(phrase.root.text)
    return one and _FORM_OF[phrase.pronoun] == "they"


def _may_hold(text: _Text, phrase: Phrase, pronoun: str) -> bool:
    """Whether one of those who became *they* together may be meant by *he* or *she*."""
    inside = [t for t in text.parsed.tokens if phrase.holds(t) and t.pos == "PROPN"]
    return any(pronoun in _genders([t.text]) for t in inside)


def _rivals(text: _Text, phrase: Phrase, mention: _Mention, *, led: bool) -> bool:
    """Whether something else stands before, in this sentence or the last one, that the pronoun could mean. Who does
    something to them is somebody else (*Ivo asks them*); what is the subject of a sentence stays the topic (*they tell
    Ann that they come*)."""
    slot = _slot(phrase, mention)
    people = [t for t in text.pronouns if _FORM_OF[t.lower] in ("he", "she")]
    people += [other.root for other, _ in text.kept if _FORM_OF[other.pronoun] in ("he", "she")]
    if slot in (_SINGLE, _SEVERAL) and any(
        t.start < phrase.start and phrase.root.sentence - t.sentence <= 1 for t in people
    ):
        return True  # "she tells Ivo that she cannot come. They will go alone": both of them?
    before = [
        m
        for m in text.standing()
        if m.token.start < phrase.start
        and phrase.root.sentence - m.token.sentence <= 1
        and not m.same(mention)
        and not (phrase.root.dep not in SUBJECTS and m.token.dep in SUBJECTS and m.token.head == phrase.root.head)
        and not (led and m.token.sentence == phrase.root.sentence and m.token.dep not in SUBJECTS)
    ]
    if slot == _SINGLE:
        return any(m.slots & {_SINGLE, _SEVERAL} for m in before)
    if slot == _SEVERAL:
        return any(_SEVERAL in m.slots for m in before) or _are_two(before)
    return any(slot in m.slots for m in before)


def _are_two(mentions: Iterable[_Mention]) -> bool:
    """Whether at least two people are named, who are *they* together."""
    single = [m for m in mentions if _SINGLE in m.slots]
    return any(not m.same(single[0]) for m in single[1:])
