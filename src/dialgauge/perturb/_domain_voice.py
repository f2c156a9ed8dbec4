"""Active to passive and back, clause by clause, where the grammar is simple enough to be sure."""

import re
from collections.abc import Sequence

from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import glued, inflect, is_in_dictionary, is_question, like, verb_base
from dialgauge.perturb._guards import has_determiner, lemma_of, noun_class
from dialgauge.perturb._lexicon import word_list
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_first_name, is_person
from dialgauge.perturb._spans import PLACEHOLDER, copies_turns
from dialgauge.perturb._voice_guards import (
    REFLEXIVE,
    governs_clause,
    has_aside,
    holds_two_names,
    is_crowded_behind,
    is_cut_short,
    is_general,
    is_more_than_doer,
    is_no_doer,
    is_out_of_number,
    is_run_on,
    is_torn_apart,
    is_written_to,
    leans_on_passive,
    may_be_another,
    reaches_person,
    tears_marks,
    without_mark,
)
from dialgauge.perturb._word_tables import word_set

_NOMINATIVE = {"him": "he", "her": "she", "them": "they", "me": "I", "us": "we"}
_OBJECTIVE = {nominative.lower(): objective for objective, nominative in _NOMINATIVE.items()}
#: Verbs whose passive is odd or wrong, and reflexives and reciprocals that cannot become subjects.
_NO_PASSIVE = word_list("no_passive")
_NO_SUBJECT = word_list("no_subject")
#: What may stand before the subject; a participle there ("After losing …,") would lose the one it is about.
_BEFORE_SUBJECT = frozenset({"cc", "mark", "punct", "advmod", "aux", "neg", "preconj"})
_PARTICLES = word_list("particles")
_LONGEST_OBJECT, _LONGEST_SUBJECT = 14, 8
_QUANTIFIERS = frozenset(
    [
        "some",
        "any",
        "one",
        "none",
        "all",
        "most",
        "more",
        "another",
        "others",
        "much",
        "many",
        "lots",
        "lot",
        "both",
        "something",
        "anything",
        "everything",
        "nothing",
    ]
)
#: Verbs of giving somebody something.
_GIVING = word_set("giving_verbs")
#: The supersenses of places, and of parts of the body.
_PLACE, _BODY = 15, 8
#: Supersenses of animals, groups and people.
_LIVING = frozenset((5, 14, 18))
#: What somebody bears is not born; the dictionary has *waked*.
_PARTICIPLES = {"born": "borne", "waked": "woken"}
#: Who acts, as entities.
_ACTORS = frozenset({"PERSON", "ORG", "NORP", "GPE"})
#: With these there is one.
_SINGLE = frozenset({"a", "an", "another", "each", "every", "this", "that"})
_QUOTES = frozenset(('"', "“", "”", "``", "''", "«", "»"))
_MEASURES = frozenset({"CARDINAL", "DATE", "MONEY", "PERCENT", "QUANTITY", "TIME"})
_POSSESSIVES = frozenset({"his", "her", "hers", "their", "its", "my", "our", "your"})
#: Adverbs that can stand behind the doer: *by Ann again*.
_ANYWHERE = frozenset(
    [
        "again",
        "already",
        "also",
        "here",
        "instead",
        "later",
        "now",
        "online",
        "soon",
        "there",
        "today",
        "tomorrow",
        "too",
    ]
)


def to_passive(parsed: Parsed) -> list[Edit]:
    """``The agent cancelled the card`` → ``The card was cancelled by the agent``, wherever it can be done safely."""
    edits: list[Edit] = []
    if copies_turns(parsed.text):
        return edits
    for verb in parsed.tokens:
        subject, target = parsed.child(verb, "nsubj"), parsed.child(verb, "dobj")
        if verb.pos == "VERB" and subject and target and _can_be_passive(parsed, verb, subject, target):
            edits += _apart(_passive_edits(parsed, verb, subject, target), edits)
    return edits


def to_active(parsed: Parsed) -> list[Edit]:
    """``The card was cancelled by the agent`` → ``The agent cancelled the card``; needs the agent to be named."""
    edits: list[Edit] = []
    for verb in parsed.tokens:
        by, subject = parsed.child(verb, "agent"), parsed.child(verb, "nsubjpass")
        doer = parsed.child(by, "pobj") if by else None
        if (
            verb.pos == "VERB"
            and by
            and doer
            and subject
            and _can_act(parsed, doer)
            and _can_be_active(parsed, verb, subject, by)
        ):
            edits += _apart(_active_edits(parsed, verb, subject, by, doer), edits)
    return edits


def _apart(edits: list[Edit], others: list[Edit]) -> list[Edit]:
    """The edits of a clause, or none if the clause lies within one that is turned already."""
    if not edits:
        return edits
    first, last = edits[0].start, edits[-1].end
    return edits if all(other.end <= first or last <= other.start for other in others) else []


def _can_be_passive(parsed: Parsed, verb: Token, subject: Token, target: Token) -> bool:
    children = [parsed.tokens[c] for c in verb.children]
    whole, object_ = parsed.subtree(subject), parsed.subtree(target)
    # "introduces the tour and how they run it": the second object is a clause, which would stay behind.
    shared = any(
        c.dep == "conj" and (not parsed.child(c, "nsubj", "nsubjpass") or parsed.tokens[c.left].tag in ("WRB", "WP"))
        for c in children
    )
    following = parsed.tokens[object_[-1].i + 1].lower if object_[-1].i + 1 < len(parsed.tokens) else ""
    before = [c for c in children if c.i < whole[0].i and c.dep not in _BEFORE_SUBJECT]
    between = [t for t in parsed.tokens[whole[-1].i + 1 : verb.i] if t.dep not in ("aux", "neg")]
    start_of_object = object_[0].i
    particles = parsed.tokens[verb.i + 1 : start_of_object]
    return (
        verb.dep in ("ROOT", "conj", "advcl")
        and not any(c.dep == "neg" and c.lower == "never" for c in children)
        and verb_base(verb) not in _NO_PASSIVE
        and not is_question(parsed, verb.sentence)
        and not shared
        and not between and not before and not is_out_of_number(verb, subject)
        and following not in _PARTICLES and following != "by"
        and not any(parsed.tokens[c].dep == "conj" for c in target.children)
        and subject.unbroken and target.unbroken
        and whole[-1].i < verb.i < start_of_object
        and all(t.dep == "prt" for t in particles)
        and not any(c.dep in ("dative", "xcomp", "ccomp", "oprd") for c in children)
        and not any(c.dep == "advcl" and c.i > verb.i and not parsed.child(c, "nsubj", "nsubjpass") for c in children)
        and not any(REFLEXIVE.search(t.lower) for t in whole)
        and not (target.pos == "PRON" and any(t.dep == "poss" for t in whole))  # "Bob's boss scolded him"
        and not any(reaches_person(parsed, t) for t in object_)
        and not _has_second_object(parsed, verb, target)
        and following not in ("beyond", "from", "like", "of", "with", "without")
        and not _is_misread(parsed, verb, subject, target)
        and not governs_clause(parsed, verb) and not is_torn_apart(parsed, verb, target)
        and not is_written_to(parsed, verb, target)
        and not tears_marks(parsed, whole) and not tears_marks(parsed, object_)
        and not is_crowded_behind(parsed, object_[-1]) and not may_be_another(parsed, subject, target)
        and target.lower not in _NO_SUBJECT and subject.lower not in _NO_SUBJECT
        and subject.tag not in ("WP", "WDT") and subject.lower != "it"
        and _can_lead(parsed, target, object_) and not _is_unsure(parsed, verb, whole[0], object_[-1])
        and not _has_loose_end(parsed, verb, target, object_[-1])
        and len(object_) <= _LONGEST_OBJECT and len(whole) <= _LONGEST_SUBJECT
        and not any(t.dep in ("relcl", "acl", "advcl") for t in whole)
        and not glued(parsed, verb) and not any(glued(parsed, t) for t in parsed.tokens[whole[-1].i : verb.i])
    )  # fmt: skip


def _can_lead(parsed: Parsed, target: Token, object_: Sequence[Token]) -> bool:
    """Whether an object can become the subject: no part of a phrase (*gives birth*, *car pool*), no measure (*weighs 50
    kilos*), no *some* alone, nothing that is said of it (*the hotel booked for May*), and nobody before what they do or
    get (*helps Ann book a flight*)."""
    alone = all(parsed.tokens[c].i > target.i for c in target.children)
    if alone and (target.tag == "NN" or noun_class(target) == _BODY):
        return False  # "their house changes hands"
    if (
        target.pos == "DET"
        or target.lower in _QUANTIFIERS
        or any(t.entity in _MEASURES or t.pos == "NUM" for t in object_)
    ):
        return False
    if target.pos not in ("NOUN", "PROPN", "PRON") or (target.pos == "PROPN" and target.text.islower()):
        return False  # "keep fighting", "go dutch"
    if any(t.pos == "CCONJ" or t.lower in ("as", "each") for t in object_):
        return False  # "a glass of lemonade, wings and ribs": one or several?
    if any(t.lower in _POSSESSIVES or t.dep in ("acl", "relcl") or t.tag in ("WP", "WRB", "WDT") for t in object_):
        return False
    text = parsed.text[object_[0].start : object_[-1].end]
    first = object_[0]
    named = is_first_name(first.text) or not first.text[0].isalpha()
    owner = len(object_) > 1 and object_[1].tag == "POS"
    whole_name = re.fullmatch(rf"(?:{PLACEHOLDER})|[A-Z][\w.]*(?: [A-Z][\w.]*)?", text) is not None
    return text.count("#") % 2 == 0 and (not named or owner or whole_name)


def _is_unsure(parsed: Parsed, verb: Token, first: Token, last: Token) -> bool:
    """Whether the clause may be another than the parser thinks: in quotes, after a name that may be its subject or its
    object (*tells Ann Bob missed the bus*), with a form of another tense, or before a verb that shares the subject."""
    sentence = [t for t in parsed.tokens if t.sentence == verb.sentence]
    quoted = sum(t.text in _QUOTES for t in sentence if t.i < verb.i) > 0
    before = parsed.tokens[first.i - 1] if first.i and parsed.tokens[first.i - 1].sentence == verb.sentence else None
    crowded = before is not None and (before.pos == "PROPN" or (not before.text[0].isalpha() and "#" in before.text))
    who = parsed.child(verb, "nsubj")
    several = who is not None and (_is_plural(parsed, who) or who.lower in ("i", "you"))
    unchanging = several and verb.tag == "VBD" and verb.lower == verb_base(verb)  # "when they set up a channel"
    present = verb.tag in ("VBP", "VBZ") and verb.lower != inflect(verb_base(verb), verb.tag)
    sharing = any(
        t.i > last.i
        and t.dep == "conj"
        and t.tag in ("VBZ", "VBD", "VBP")
        and not parsed.child(t, "nsubj", "nsubjpass")
        for t in sentence
    )
    subject = parsed.tokens[first.i : verb.i]
    timed = any(t.lower in ("yesterday", "today", "tomorrow") or t.entity in ("DATE", "TIME") for t in subject)
    return quoted or crowded or unchanging or present or sharing or timed or subject[-1].tag == "POS"


def _has_loose_end(parsed: Parsed, verb: Token, target: Token, last: Token) -> bool:
    """Whether what follows the object would be torn from it (*invitations to the wedding*) or must stand before the
    verb (*speaks French well*)."""
    following = parsed.tokens[last.i + 1] if last.i + 1 < len(parsed.tokens) else None
    if following is not None and following.lower in ("to", "for", "about", "on", "in", "at"):
        noun = parsed.child(following, "pobj")
        timed = noun is not None and noun.entity in ("DATE", "TIME")
        somebody = noun is not None and (is_person(parsed, noun) or noun.pos == "PRON")
        about_things = not (is_person(parsed, target) or target.pos == "PRON")
        if about_things and not timed and not (following.lower in ("to", "for") and somebody):
            return True
    after = [parsed.tokens[c] for c in verb.children if c > last.i and parsed.tokens[c].dep == "advmod"]
    return any(t.tag in ("RB", "RBR", "RBS") and t.lower not in _ANYWHERE for t in after)


def _has_second_object(parsed: Parsed, verb: Token, target: Token) -> bool:
    """*Wires him some money*, *asks a policeman the way*, *sends Logan pictures*: the passive has no place for the
    second one."""
    beside = [t for t in parsed.subtree(target) if t.dep in ("compound", "nmod", "poss") and t.i < target.i]
    first = parsed.subtree(target)[0]
    given = target.pos == "NOUN" and first.pos == "PROPN" and parsed.tokens[first.i + 1].tag != "POS"
    if given and lemma_of(verb) in _GIVING:
        return True  # "gave Jarod protein", whoever Jarod is
    if target.pos == "NOUN" and any(
        (is_first_name(t.text) or not t.text[0].isalpha()) and parsed.tokens[t.i + 1].tag != "POS" for t in beside
    ):
        return True
    return any(
        parsed.tokens[c].dep == "dobj" or (parsed.tokens[c].dep == "npadvmod" and not parsed.tokens[c].entity)
        for c in verb.children
        if c > target.i
    )


def _is_misread(parsed: Parsed, verb: Token, subject: Token, target: Token) -> bool:
    """*Finds the taste nauseating*, *is heavy and climbing builds muscles*: what belongs elsewhere in the phrase."""
    last = parsed.subtree(target)[-1]
    judged = last.i > target.i and (
        last.pos in ("ADJ", "ADP", "ADV") or last.tag == "VBG" or last.lower.endswith("ing")
    )
    joined = [t for t in parsed.subtree(subject) if t.pos == "ADJ" and (t.dep == "conj" or t.i + 1 == subject.left)]
    after_and = any(t.pos == "CCONJ" for t in parsed.subtree(subject)) and any(
        t.pos == "ADJ" and parsed.tokens[t.i + 1].pos == "CCONJ" for t in parsed.subtree(subject)
    )
    return judged or bool(joined) or after_and


def _passive_edits(parsed: Parsed, verb: Token, subject: Token, target: Token) -> list[Edit]:
    # A regular past form is its own participle, and keeps the spelling of the text ("cancelled").
    # So do those that never change ("quit", "put").
    regular = verb.tag in ("VBD", "VBN") and (verb.lower.endswith("ed") or verb.lower == verb_base(verb))
    participle = verb.lower if regular else inflect(verb_base(verb), "VBN")
    participle = _PARTICIPLES.get(participle or "", participle)
    if participle is not None and " " not in verb.text:
        participle = participle.replace(" ", "")  # the dictionary has "proof read"
    auxiliaries = [parsed.tokens[c] for c in verb.children if parsed.tokens[c].dep == "aux"]
    plural = _is_plural(parsed, target)
    changed = _passive_verb(verb, auxiliaries, plural, participle)
    if participle is None or changed is None:
        return []
    whole, object_ = parsed.subtree(subject), parsed.subtree(target)
    first = _phrase(parsed, target, _NOMINATIVE)
    doer = _decapitalised(parsed, subject, _OBJECTIVE)
    if parsed.text[object_[-1].end :].startswith("."):
        doer = doer.removesuffix(".")  # "by the U.S." at the end of a sentence has one full stop
    after = parsed.text[object_[-1].end : object_[-1].end + 1]
    if after == " " and ", " in doer and any(t.dep == "appos" for t in whole):
        doer += ","  # "by Ann, his mother, because …"
    return [
        Edit(whole[0].start, whole[-1].end, _at_start(parsed, whole[0], first)),
        *changed,
        Edit(object_[0].start, object_[-1].end, f"by {doer}"),
    ]


def _passive_verb(verb: Token, auxiliaries: list[Token], plural: bool, participle: str | None) -> list[Edit] | None:
    """Edits on auxiliaries and verb; None for forms that are left alone."""
    last = auxiliaries[-1] if auxiliaries else None
    if last is None and verb.tag in ("VBD", "VBZ", "VBP"):
        be = ("were" if plural else "was") if verb.tag == "VBD" else ("are" if plural else "is")
        return [Edit(verb.start, verb.end, f"{be} {participle}")]
    if last is not None and len(auxiliaries) == 1 and last.tag == "MD" and verb.tag == "VB":
        return [Edit(verb.start, verb.end, f"be {participle}")]
    if (
        last is not None
        and len(auxiliaries) == 1
        and last.lower in ("has", "have", "had")
        and verb.tag in ("VBN", "VBD")
    ):
        have = "had" if last.lower == "had" else "have" if plural else "has"
        return [Edit(last.start, last.end, have), Edit(verb.start, verb.end, f"been {participle}")]
    return None


def _can_be_active(parsed: Parsed, verb: Token, subject: Token, by: Token) -> bool:
    children = [parsed.tokens[c] for c in verb.children]
    whole = parsed.subtree(subject)
    between = [t for t in parsed.tokens[whole[-1].i + 1 : verb.i] if t.dep not in ("aux", "auxpass", "neg")]
    return (
        by.unbroken and subject.unbroken and whole[-1].i < verb.i < by.i and not between
        and not any(t.tag in ("WP", "WDT", "WP$", "WRB") for t in whole) and subject.lower not in _NO_SUBJECT
        and not is_question(parsed, verb.sentence)
        and not any(c.dep == "conj" and not parsed.child(c, "nsubj", "nsubjpass") for c in children)
        and len(parsed.subtree(by)) <= _LONGEST_OBJECT
        and not any(t.tag == "PRP$" for t in (*whole, *parsed.subtree(by)))
        and not holds_two_names(whole) and not governs_clause(parsed, verb) and not is_more_than_doer(parsed, by)
        and not any(glued(parsed, t) for t in parsed.tokens[whole[-1].i : verb.i])
        and not any(c.dep == "prep" and not c.children for c in children)  # "is looked after by", "was pointed at by"
        and not has_aside(parsed, by) and not has_aside(parsed, subject)
        and not is_cut_short(parsed, by) and not is_general(parsed, subject, by)
        and not is_no_doer(parsed, verb, subject, by)
        and not leans_on_passive(parsed, verb, by) and not is_run_on(parsed, whole[0])
    )  # fmt: skip


def _active_edits(parsed: Parsed, verb: Token, subject: Token, by: Token, doer: Token) -> list[Edit]:
    auxiliaries = [parsed.tokens[c] for c in verb.children if parsed.tokens[c].dep in ("aux", "auxpass")]
    negated = parsed.child(verb, "neg") is not None
    form = _active_verb(verb, auxiliaries, _is_plural(parsed, doer), negated)
    if form is None:
        return []
    whole, agent = parsed.subtree(subject), without_mark(parsed.subtree(by))
    object_ = _decapitalised(parsed, subject, _OBJECTIVE)
    return [
        Edit(whole[0].start, whole[-1].end, _at_start(parsed, whole[0], _phrase(parsed, doer, _NOMINATIVE))),
        Edit(auxiliaries[0].start, verb.end, f"{form} {object_}"),
        Edit(agent[0].start, agent[-1].end),
    ]


def _active_verb(verb: Token, auxiliaries: list[Token], plural: bool, negated: bool) -> str | None:
    words = [token.lower for token in auxiliaries]
    base = verb_base(verb)
    if negated:
        return None
    if words in (["was"], ["were"]):
        return verb.lower if verb.lower.endswith("ed") else inflect(base, "VBD")
    if words in (["is"], ["are"]):
        return base if plural else inflect(base, "VBZ")
    if len(words) == 2 and words[1] == "been":
        return f"{'had' if words[0] == 'had' else 'have' if plural else 'has'} {verb.lower}"
    if len(words) == 2 and words[1] == "be" and auxiliaries[0].tag == "MD":
        return f"{auxiliaries[0].text} {base}"
    return None


def _at_start(parsed: Parsed, first: Token, phrase: str) -> str:
    """The phrase with a capital where the word it comes before began a sentence."""
    begins = any(start == first.start for start, _ in parsed.sentences)
    return like(first.text[0], phrase) if begins else phrase


def _can_act(parsed: Parsed, doer: Token) -> bool:
    """Whether a phrase after *by* names who did it, not how or until when: ``by the agent``, not ``by email``."""
    if doer.entity in ("DATE", "TIME", "CARDINAL", "MONEY", "QUANTITY") or noun_class(doer) == _PLACE:
        return False  # "is located by the park"
    place = parsed.child(doer, "prep")
    if place is not None and place.lower not in ("of", "from", "about"):
        return False  # "bitten by a dog on the leg": not a dog on the leg
    behind = parsed.tokens[parsed.subtree(doer)[-1].i + 1 :][:1]
    # "Invited by Ann to dinner": a name alone takes no phrase with it
    named = doer.pos == "PROPN" and parsed.child(doer, "conj") is None
    apart = named and any(parsed.tokens[t.head].pos == "VERB" and t.head < doer.i for t in behind)
    if not apart and any(t.pos == "ADP" and t.sentence == doer.sentence and not _is_timed(parsed, t) for t in behind):
        return False  # "organised by Ann and others from her course"
    # What a margin, a toy or the 9th "does" is a measure, a means or a time.
    living = is_person(parsed, doer) or noun_class(doer) in _LIVING or doer.lower == "people"
    determined = doer.pos in ("PROPN", "PRON") or doer.tag == "NNS" or has_determiner(parsed, doer)
    return determined and (living or doer.entity in _ACTORS)


def _is_timed(parsed: Parsed, preposition: Token) -> bool:
    noun = parsed.child(preposition, "pobj")
    return noun is not None and noun.entity in ("DATE", "TIME")


def _is_plural(parsed: Parsed, head: Token) -> bool:
    if any(parsed.tokens[c].lower in _SINGLE for c in head.children):
        return False  # "a vlogmas", whatever the tagger thinks
    coordinated = any(parsed.tokens[c].dep == "conj" for c in head.children)
    several = ("they", "them", "we", "us", "you", "both", "people", "police")
    return coordinated or head.tag in ("NNS", "NNPS") or head.lower in several


def _phrase(parsed: Parsed, head: Token, pronouns: dict[str, str]) -> str:
    stretch = without_mark(parsed.subtree(head))
    text = parsed.text[stretch[0].start : stretch[-1].end]
    return pronouns.get(text.lower(), text)


def _decapitalised(parsed: Parsed, head: Token, pronouns: dict[str, str]) -> str:
    """The phrase for the middle of a sentence: its first word loses a capital that only the sentence gave it."""
    first = parsed.subtree(head)[0]
    phrase = _phrase(parsed, head, pronouns)
    keeps = (
        first.pos == "PROPN"
        or first.entity in ("PERSON", "ORG", "GPE", "NORP")
        or first.text == "I"
        or first.text[1:2].isupper()
        or (first.pos in ("ADJ", "ADV", "NOUN", "VERB", "X") and not is_in_dictionary(first.lower))
    )
    return phrase if keeps else phrase[:1].lower() + phrase[1:]
