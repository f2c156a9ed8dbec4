"""Phrases that a sentence can lose and stay whole and true: candidates with the guards that refuse the others.

What is left must be grammatical (nothing that a verb, noun or adjective needs may go) and must follow from what was
there (nothing may go from below a negation, out of a condition, or from beside *all* and *only*).
"""

from dialgauge.perturb._deletions_entailed import is_no_longer_said
from dialgauge.perturb._deletions_joined import (
    BINDING_NOUNS,
    bound_attribute,
    bound_conjunct,
    is_argument,
    is_asked_for,
)
from dialgauge.perturb._deletions_limits import (
    follows_complement,
    has_person_before,
    is_list_of_examples,
    says_which,
)
from dialgauge.perturb._deletions_scope import (
    OF_WHAT,
)
from dialgauge.perturb._deletions_stretch import MARKS, WHEN, WHERE, Phrase, is_cut
from dialgauge.perturb._deletions_times import bound_time, has_others, is_future_by_time
from dialgauge.perturb._grammar import (
    SUBJECTS,
    base_form,
    finite_part,
    is_be,
    is_finite,
)
from dialgauge.perturb._guards import (
    CONDITIONS,
    Safe,
    ancestors,
    has_determiner,
    is_definite,
    lemma_of,
    noun_class,
    occurs_again,
    safe_ones,
)
from dialgauge.perturb._looking_back import referred_to
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._word_tables import negates, substitutes, word_map, word_set

#: Prepositions of phrases that can go, on verbs and on nouns; *of*, *to*, *between*, *than* and the rest bind too much.
_ON_VERBS = word_set("loose_prepositions")
_ON_NOUNS = frozenset(["about", "at", "for", "from", "in", "near", "on", "with"])
#: Verbs that need the phrase after them (*look at*, *deal with*).
_BINDING_VERBS = word_set("binding_verbs")
#: Verbs that need it even beside an object (*put it on hold*, *tell him about it*).
_BINDING_ANYWAY = word_set("binding_verbs_with_object")
#: After these a clause with *when*, *as*, *how* says what is known or said.
_OF_KNOWING = word_set("knowing_verbs")
_TELLING = frozenset(["ask", "inform", "let", "notify", "remind", "show", "tell", "update"])
#: Who is reached need not be told what about.
_REACHING = frozenset(["call", "contact", "email", "meet", "message", "phone", "ring", "text", "visit"])
#: Verbs that govern an infinitive: what the parser takes for a purpose is what is wanted, asked or tried.
_GOVERNING = word_set("governing_verbs")
_TIMED = word_set("timed_verbs")
#: Verbs of giving somebody something.
_GIVING = word_set("giving_verbs")
#: What is brought need not be brought somewhere: groups and places.
_BRINGING, _GOALS = frozenset(["bring", "deliver", "mail", "post"]), frozenset((14, 15))
#: Whom one finds or sees in a picture or a dream need not be there.
_PERCEIVING = frozenset(["find", "hear", "notice", "recognise", "recognize", "see", "spot", "watch"])
#: Of what there is so much is said behind it.
_AMOUNTS = frozenset(
    ["all", "anything", "enough", "everyone", "everything", "little", "lot", "more", "much", "nothing", "something"]
)
#: The supersenses of things, food, plants and possessions.
_GOODS = frozenset((6, 13, 20, 21))
#: The supersenses of food and of times.
_FOOD, _TIME = 13, 28
#: Words for several things taken together.
_TOGETHER = frozenset(["all", "altogether", "both", "each", "respectively", "together", "total"])
#: What stays as it is.
_LEAVING = frozenset(["keep", "leave", "remain", "stay"])
#: Verbs of moving somebody, and the prepositions of the way.
_LEADING = frozenset(["guide", "lead", "show", "take", "walk"])
_WAYS = frozenset(["around", "over", "round", "through"])
#: Verbs that say what something is taken for (*consider him as a friend*).
_TAKING_FOR = word_set("taking_for_verbs")
#: Adjectives that deny another one.
_DENYING_PREFIXES = ("un", "dis")


def dispensable(parsed: Parsed) -> Safe[Phrase]:
    """Every phrase of a text that can go."""
    candidates = [phrase for token in parsed.tokens if (phrase := _phrase(parsed, token))]
    return safe_ones(parsed, candidates, is_cut, _bound, is_no_longer_said, referred_to)


def _phrase(parsed: Parsed, token: Token) -> Phrase | None:
    """The phrase that hangs by this token, if it is of a kind that can go."""
    head = parsed.tokens[token.head]
    if token.left <= head.i <= token.right or token.sentence != head.sentence:
        return None
    first, last = token.left, token.right
    if token.dep == "conj":
        joint = parsed.tokens[first - 1] if first else None
        if joint is None or joint.dep != "cc" or joint.head != token.head:
            return None
        first -= 1
    elif token.dep not in ("prep", "npadvmod", "relcl", "acl", "advcl", "appos") and not _is_past(parsed, token):
        return None
    while last > first and parsed.tokens[last].pos == "PUNCT":
        last -= 1
    return first, last, token


def _is_past(parsed: Parsed, token: Token) -> bool:
    """*Two months ago*."""
    return token.dep == "advmod" and token.lower == "ago" and parsed.child(token, "npadvmod") is not None


def _bound(parsed: Parsed, phrase: Phrase) -> str:
    """What the rest of the sentence needs."""
    first, last, token = phrase
    if token.dep == "prep":
        return _bound_preposition(parsed, token)
    if token.dep in ("npadvmod", "advmod"):
        return bound_time(parsed, first, last, token)
    if token.dep == "conj":
        things = token.pos in ("NOUN", "PROPN", "NUM")
        if things and any(t.lower in _TOGETHER and t.sentence == token.sentence for t in parsed.tokens):
            return "one of several"  # "the cleaning and the chain, 55 in total"
        if parsed.tokens[first].lower in ("but", "yet"):
            return "beside a contrast"  # "comes after the cheap hours, but the time of the call decides"
        return bound_conjunct(parsed, first, last, token)
    if token.dep == "advcl":
        return _bound_clause(parsed, first, last, token)
    return bound_attribute(parsed, first, last, token)


def _bound_preposition(parsed: Parsed, token: Token) -> str:
    head, noun = parsed.tokens[token.head], parsed.child(token, "pobj", "pcomp")
    if token.lower == "because" and parsed.child(token, "pcomp") is not None:
        told = is_be(head) or any(map(is_finite, parsed.subtree(token)))
        return "" if head.pos == "VERB" and not told else "needed by its verb"  # because of the rain
    ends = all(t.pos == "PUNCT" for t in parsed.tokens[token.right + 1 :] if t.sentence == token.sentence)
    if is_list_of_examples(parsed, token) or (token.lower == "despite" and ends and head.pos in ("VERB", "AUX")):
        return ""
    if noun is None or token.pos not in ("ADP", "SCONJ"):
        return "a preposition without its noun"
    if token.tag == "RP":
        return "needed by its verb"  # "tries it on tomorrow": a particle
    if any(parsed.tokens[c].lower in ("that", "those") for c in noun.children):
        return "a limit"  # "at that hour it costs 150"
    described = any(parsed.tokens[c].dep == "amod" for c in noun.children)
    if token.lower == "in" and described and lemma_of(noun) in ("fashion", "manner", "way"):
        return "needed by its verb"  # "uses them in the wrong way"
    before = parsed.tokens[token.left - 1]
    if before.pos == "NOUN" and before.dep == "conj" and has_person_before(parsed, before):
        return "may be a verb"  # "informs the police and Callum rings on Friday"
    if noun.dep == "pcomp" and _is_given_what(parsed, token, head):
        return ""  # "sent Jay a tutorial on how to cook it"
    done = token.lower == "after" and noun.tag == "VBG" and finite_part(parsed, head) in (None, head)
    if noun.dep == "pcomp" and (not (done or token.lower in ("for", "by")) or parsed.child(head, "dobj") is None):
        return "needed by its verb"
    inner = parsed.child(noun, "prep")
    if inner is not None and noun.left == noun.i and inner.lower in ("of", "to"):
        return "a preposition of several words"  # in front of, with regard to
    timed = noun.entity in WHEN and token.lower != "about"  # not "complains about the boring Christmas"
    occasion = noun.tag in ("NN", "NNP") and all(parsed.tokens[c].dep == "poss" for c in noun.children)
    lasting = token.lower == "for" and (timed or noun_class(noun) == _TIME) and not occasion  # not "for his birthday"
    if lasting or (timed and token.lower == "on" and noun.lower.endswith("s")):
        return "says how long, or how often"  # "has lived here for six years", "works from home on Mondays"
    placed = noun.entity in WHERE and noun.pos == "PROPN"
    if token.lower == "by" and noun.i == token.i + 1 and noun.tag == "NN" and head.pos == "VERB":
        return "needed by its verb"  # "goes by car after all"
    target = parsed.child(head, "dobj") if head.pos == "VERB" else head if head.dep == "dobj" else None
    meal = token.lower == "for" and noun_class(noun) == _FOOD and target is not None and target.i < token.i
    meal = meal and target is not None and not is_person(parsed, target) and target.pos != "PRON"
    others = [t for t in parsed.tokens if t.sentence == token.sentence and t.lower == "for" and t.i != token.i]
    meal = meal and not others  # not "biscuits for breakfast, chips for lunch"
    if (
        noun.tag == "NN"
        and not timed
        and not meal  # "chooses white wine for dinner"
        and not has_determiner(parsed, noun)
        and not any(parsed.tokens[c].dep in ("amod", "compound", "nummod") for c in noun.children)
    ):
        return "a set phrase"  # in mind, on hold, by bus
    if token.lower in _WAYS and lemma_of(head) in _LEADING:
        return "needed by its verb"  # "shows them around the factory"
    if head.pos in ("VERB", "AUX"):
        return _bound_to_verb(parsed, token, head, timed=timed, placed=placed)
    if head.pos in ("NOUN", "PROPN"):
        return _bound_to_noun(parsed, token, head)
    if head.pos == "ADJ" and head.dep != "amod" and (timed or parsed.tokens[head.i - 1].pos != "NOUN"):
        if head.tag == "JJS" or any(parsed.tokens[c].tag == "RBS" for c in head.children):
            return "beside a superlative or a quantifier"  # "the most beneficial for her"
        denied = any(negates(head.lower, other.word) for other in substitutes("antonyms").get(head.lower, ()))
        if denied or head.lower.startswith(_DENYING_PREFIXES):
            return "under a negation"  # who is unimpressed with his defence may be impressed with the rest
        felt = token.lower not in ("of", "to") and token.lower in word_map("adjective_complements").get(head.lower, ())
        if felt or (timed and head.lower not in ("due", "old", "late", "early", "valid")):
            return ""
    return "needed by an adjective or adverb"


def _bound_to_verb(parsed: Parsed, token: Token, head: Token, *, timed: bool, placed: bool) -> str:
    lemma, noun = lemma_of(head), parsed.child(token, "pobj", "pcomp")
    target = parsed.child(head, "dobj", "nsubjpass")
    has_object = target is not None
    if token.lower in _WAYS and target is not None and target.dep == "nsubjpass":
        return "needed by its verb"  # "can be squeezed through the door"
    if target is not None and target.tag in ("WP", "WDT"):
        return "needed by its verb"  # "tell him who she got for the game"
    if token.lower == "with" and target is not None and noun is not None:
        somebody = target.i < token.i and is_person(parsed, target) and not is_person(parsed, noun)
        if target.dep == "nsubjpass" or (somebody and lemma not in ("assist", "help")):
            return "needed by its verb"  # "her face is covered with spots", "issues her with a receipt"
    if target is not None and target.lower in _AMOUNTS:
        return "beside a superlative or a quantifier"  # "has arranged everything for her"
    if target is not None and target.i == token.i - 1 and target.lower in ("one", "ones"):
        return "needed by its noun"  # "the hotel at the river, but he booked one in the woods"
    if lemma == "have" and target is not None and target.i == token.i - 1 and is_definite(parsed, target):
        return "needed by its verb"  # "has the bus at 10:25"
    if target is not None and says_which(parsed, token, target):
        return "needed by its noun"
    if target is not None and target.i == token.i - 1 and is_definite(parsed, target) and occurs_again(parsed, target):
        return "needed by its noun"  # "the village in the mountains", where there are two
    if token.lower == "to" and noun is not None and has_object and is_person(parsed, noun):
        sent = lemma in ("prefer", "compare", "get", "introduce", "lead", "bring", "take", "refer")
        alone = target is not None and target.dep == "nsubjpass" and not has_others(parsed, head, token)
        sent = (
            sent or alone or lemma in (_GIVING | _BINDING_ANYWAY) - _BRINGING
        )  # "will give it to Ann", "leaves it to Ann"
        sent = sent or (target is not None and (is_person(parsed, target) or target.lower in ("her", "him", "them")))
        return "needed by its verb" if sent else ""  # "refers her to Ann", "sends Bob to a doctor"
    if token.lower == "to" and has_object and lemma in _BRINGING and noun is not None:
        placed = noun.entity in WHERE or noun_class(noun) in _GOALS
        alone = token.i == head.i + 1 or head.dep in ("acl", "relcl")
        return "" if placed and not alone else "needed by its verb"  # "delivers two letters to his office"
    if token.lower == "as" and has_object and noun is not None and has_determiner(parsed, noun):
        return "needed by its verb" if lemma in _TAKING_FOR or lemma in _BINDING_ANYWAY else ""  # as a present
    if token.lower not in _ON_VERBS:
        return "a binding preposition"
    seen = target is not None and lemma in _PERCEIVING and is_person(parsed, target)
    if seen and token.lower in ("in", "on") and not timed:
        return "needed by its verb"  # "found him on a photo"
    clauses = (t for t in parsed.tokens[: token.i] if t.dep == "relcl" and token.i - 1 in (t.i, t.right))
    if token.lower == "with" and any(noun_class(parsed.tokens[t.head]) in OF_WHAT for t in clauses):
        return "needed by its noun"  # "the relationship she has with him"
    if lemma in ("be", "become", "seem", "feel"):
        complete = parsed.child(head, "acomp", "attr") is not None and parsed.child(head, "expl") is None
        # "Will be at Mary's place in an hour"
        there = [c for c in head.children if head.i < c < token.i and parsed.tokens[c].dep == "prep"]
        where = bool(there) and timed and parsed.child(parsed.tokens[there[0]], "pobj") is not None
        return "" if (complete and (timed or placed)) or where else "needed by its verb"
    # A particle alone completes nothing: "having grown up on a farm", "which runs out in June".
    said = [c for c in head.children if parsed.tokens[c].dep in ("acomp", "xcomp", "ccomp", "attr")]
    complete = has_object or any(c > head.i for c in said)  # not "she likes it, then she talks about it"
    complete = complete or (parsed.child(head, "prt") is not None and has_others(parsed, head, token))
    going = parsed.tokens[head.i - 1] if head.i else head
    if head.tag == "VBG" and going.i == head.head and lemma_of(going) == "go" and token.i == head.i + 1:
        return "" if token.lower in ("for", "in", "with") or timed else "needed by its verb"  # "goes shopping with her"
    if timed:
        if is_future_by_time(parsed, token.left, token.right, head):
            return "needed by its verb"
        bare = target is not None and target.dep == "nsubjpass" and not has_others(parsed, head, token)
        if bare and lemma in _BINDING_VERBS:
            return "needed by its verb"  # "was born in 1985"
        if token.i == head.i + 1 and token.lower in ("around", "by", "over") and not complete:
            return "needed by its verb"  # "will drop by next week": a particle
        alone = lemma in _BINDING_VERBS and not has_others(parsed, head, token)
        dated = head.dep == "acl" or (head.dep == "relcl" and head.tag != "VB")  # "an agreement to ship by May"
        helper = parsed.child(head, "aux")
        dated = dated or (head.tag == "VBG" and helper is not None and is_be(helper))  # "is landing at 3 pm"
        alone = not complete and (alone or (dated and not has_others(parsed, head, token)))
        beside = parsed.tokens[token.right + 1 : token.right + 2]
        if lemma in _BINDING_ANYWAY and any(t.dep == "prep" and t.sentence == token.sentence for t in beside):
            return "needed by its verb"  # "invites them for Friday at his uncle's"
        if lemma == "have" and target is not None and is_definite(parsed, target):
            return "needed by its verb"  # "has the bus at 10:25"
        return "needed by its verb" if lemma in _TIMED or alone else ""
    if not complete and follows_complement(parsed, token, head):
        return ""
    # "The class is held in room 4": a passive that says nothing by itself
    bare = target is not None and target.dep == "nsubjpass" and not has_others(parsed, head, token)
    helper = parsed.child(head, "auxpass")
    if (
        bare
        and helper is not None
        and helper.lower in ("is", "are", "'s")
        and token.lower in ("at", "in", "near", "on")
    ):
        return "needed by its verb"  # "the workshop is situated on the square": where it is, is what is said
    to = parsed.child(head, "dative")
    given = to is not None and target is not None and to.i < target.i < token.i and to.pos != "ADP"
    if given and target is not None and target.i + 1 == token.i:
        return ""  # "sends Ann an article about it"
    if not complete or lemma in (_BINDING_ANYWAY if has_object and not bare else _BINDING_VERBS):
        return "needed by its verb"
    if parsed.child(head, "prt") is not None and (token.lower == "with" or not has_object):
        return "needed by its verb"  # "broke up with her", "signs up for an interview"
    told = parsed.child(head, "dobj", "dative")
    asked = told is not None and is_person(parsed, told) and lemma not in _REACHING
    if token.lower == "about" and (asked or lemma in _TELLING):
        return "needed by its verb"  # "inquires Mary about the price"
    owned = parsed.child(head, "dobj") if lemma == "have" else None
    if owned is not None and is_person(parsed, owned):
        return "needed by its verb"  # "have the salesmen for a demonstration"
    if token.i < head.i:
        return "" if token.left == _first_of(parsed, token) else "before its verb"
    return ""


def _is_for_somebody(parsed: Parsed, phrase: Token, thing: Token) -> bool:
    """*Opens the door for Tom*, *borrows the book from Ann*: whom a thing is bought for or got from."""
    who, verb = parsed.child(phrase, "pobj"), parsed.tokens[thing.head]
    somebody = who is not None and (is_person(parsed, who) or who.entity == "PERSON")
    goods = thing.dep == "dobj" and thing.i == phrase.i - 1 and noun_class(thing) in _GOODS
    free = verb.pos == "VERB" and lemma_of(verb) not in _BINDING_ANYWAY | _GOVERNING
    return somebody and goods and free and phrase.lower in ("for", "from")


def _bound_to_noun(parsed: Parsed, token: Token, head: Token) -> str:
    if _is_for_somebody(parsed, token, head) and not occurs_again(parsed, head):
        return ""
    there = parsed.child(token, "pobj")
    travels = token.lower == "to" and there is not None and there.entity in WHERE and there.pos == "PROPN"
    if token.lower not in _ON_NOUNS and not travels:
        return "a binding preposition"  # but "two tickets to Rome"
    if lemma_of(head) in BINDING_NOUNS or head.pos == "PROPN" or occurs_again(parsed, head):
        return "needed by its noun"
    if (
        there is not None
        and there.entity in WHEN
        and is_future_by_time(parsed, token.left, token.right, parsed.tokens[head.head])
    ):
        return "needed by its verb"  # "are having a call in 15 minutes"
    if any(parsed.tokens[c].lower in ("enough", "many", "much") for c in head.children):
        return "needed by a measure"  # "has enough savings for eight months"
    if head.dep == "dobj" and lemma_of(parsed.tokens[head.head]) == "have" and is_definite(parsed, head):
        return "needed by its noun"  # "has the bus at 10:25"
    if head.dep == "attr" and parsed.child(parsed.tokens[head.head], "expl") is not None:
        return "needed by its noun"  # "there is a shop with Finnish food": that there is one says nothing
    if says_which(parsed, token, head):
        return "needed by its noun"
    if any(parsed.tokens[c].dep == "relcl" and c < token.i for c in head.children):
        return "needed by its noun"  # "the relationship she has with him"
    if has_person_before(parsed, head):
        return "may be a verb"  # "suggests Ann hunt for a job"
    if is_argument(parsed, token, head) or head.dep == "npadvmod":
        return "needed by its noun"  # "redoes it, this time in the booth"
    verb = next((t for t in ancestors(parsed, head) if t.pos == "VERB"), head)
    if lemma_of(verb) in _BINDING_ANYWAY and _ends(parsed, token, verb):
        return "needed by its verb"  # "derives much of it from experience", whatever the parser says
    described = has_determiner(parsed, head) or any(parsed.tokens[c].dep in ("amod", "compound") for c in head.children)
    if head.dep in SUBJECTS or head.dep == "conj" or any(parsed.tokens[c].dep == "conj" for c in head.children):
        return "needed by its noun"
    return "" if described else "needed by its noun"


def _is_given_what(parsed: Parsed, phrase: Token, head: Token) -> bool:
    """*Gives Ann instructions on how to cook it*: what something that somebody is given is about."""
    verb = head if head.pos == "VERB" else parsed.tokens[head.head]
    thing, to = parsed.child(verb, "dobj"), parsed.child(verb, "dative")
    beside = thing is not None and thing.i == phrase.i - 1 and not is_definite(parsed, thing)
    given = thing is not None and to is not None and to.pos != "ADP" and verb.i < to.i < thing.i
    return beside and given and phrase.lower in ("about", "on")


def _ends(parsed: Parsed, phrase: Token, verb: Token) -> bool:
    """Whether a phrase is the last of what belongs to a verb."""
    words = [t for t in parsed.subtree(verb) if t.pos != "PUNCT"]
    joint = next((c for c in verb.children if c > phrase.i and parsed.tokens[c].dep == "cc"), words[-1].i + 1)
    return phrase.right >= min(words[-1].i, joint - 1)  # "asks the waiter for a menu and orders"


def _bound_clause(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """Adverbial clauses: with *because*, *while*, *as* …, participles after a comma, and purposes of a complete
    clause."""
    head = parsed.tokens[token.head]
    opening = parsed.tokens[first].lower
    if opening == "even" and parsed.tokens[first + 1].lower in ("although", "though"):
        opening = "though"
    set_off = first > 0 and parsed.tokens[first - 1].text == ","
    if head.pos not in ("VERB", "AUX") or (
        lemma_of(head) in _OF_KNOWING | _TELLING and opening in ("when", "as", "how", "where", "that")
    ):
        return "says what is known"
    if opening in ("whereas", "whilst") or (opening == "while" and set_off):
        return "beside a contrast"  # "one was justified, whereas the other rested on a mistake"
    said = _is_present(parsed, token) or (token.tag == "VBG" and not _is_past_tense(parsed, head))
    if opening in ("after", "when", "whenever", "while") and said and not set_off:
        return "a condition"  # "they go wrong together when the power fails"
    past = opening == "before" and _is_past_tense(parsed, head) and _is_past_tense(parsed, token)
    coming = opening == "before" and head.dep in ("ROOT", "conj") and _comes(parsed, head)
    coming = coming and lemma_of(head) not in _GOVERNING  # not "needs time before she is ready"
    done = past or (coming and parsed.child(head, "dobj") is not None)
    conditions = CONDITIONS - {"before"} if done else CONDITIONS  # "fed the cat before she left"
    if opening in conditions or any(parsed.tokens[c].lower in conditions for c in token.children):
        return "a condition"
    if opening == "as" and lemma_of(head) in _LEAVING:
        return "needed by its verb"  # "is left as it is"
    if opening == "when" and any(
        parsed.tokens[c].lower == "to" and parsed.tokens[c].dep == "aux" for c in head.children
    ):
        return "a condition"  # "tells him to call when he arrives"
    comparing = any(
        parsed.tokens[c].lower in ("so", "as", "such", "too", "enough", "more", "less") for c in head.children
    )
    if comparing or any(t.lower in ("too", "enough", "such") for t in parsed.tokens[head.left : first]):
        return "needed by a measure"
    if opening in ("how", "that"):
        return "not a clause that can go"
    if opening == "to" and token.tag == "VB" and head.dep == "relcl":
        return "needed by its verb"  # "suggests Ann, who watches TV all day, to go out", without the commas
    if opening == "to" and token.tag == "VB":
        if token.lemma == "be" or parsed.child(token, "auxpass") is not None:
            return "says what is known"  # "finds the air to be bad": no purpose
        if base_form(parsed.tokens[first - 1].lower, "VERB") in _GOVERNING:
            return "needed by its verb"  # "visits him and volunteers to help", where the parser sees no verb
        target = parsed.child(head, "dobj", "nsubjpass")
        if target is not None and (
            is_asked_for(parsed, target) or (first == target.i + 1 and noun_class(target) in OF_WHAT)
        ):
            return "needed by its noun"  # "has reached the age to decide"
        behind = follows_complement(parsed, token, head) or parsed.tokens[first - 1].entity in WHEN
        moves = behind and lemma_of(head) == "go"  # "goes to the library to read"
        whole = moves or ((target is not None or behind) and lemma_of(head) not in _GOVERNING)
        return "" if whole else "needed by its verb"
    if is_be(head) and (
        opening == "when" or (opening == "while" and not set_off) or not parsed.child(head, "acomp", "attr", "prep")
    ):
        return "needed by its verb"  # "it was warm when she left", "perhaps it is because …"
    participle = token.tag == "VBG" or (token.tag == "VBN" and opening == "having")
    if opening in MARKS or done or (participle and (set_off or first == _first_of(parsed, token))):
        needed = parsed.child(head, "dobj", "acomp", "attr", "xcomp", "ccomp", "prep", "prt", "advmod", "nsubjpass")
        return "" if needed is not None or lemma_of(head) not in _BINDING_VERBS else "needed by its verb"
    return "not a clause that can go"


def _is_past_tense(parsed: Parsed, verb: Token) -> bool:
    finite = finite_part(parsed, verb)
    return finite is not None and finite.tag == "VBD"


def _comes(parsed: Parsed, verb: Token) -> bool:
    """*Will clean*, *cleans*; not *must clean*."""
    finite = finite_part(parsed, verb)
    return finite is not None and (finite.lower in ("will", "'ll") or (finite.i == verb.i and verb.tag == "VBZ"))


def _is_present(parsed: Parsed, verb: Token) -> bool:
    finite = finite_part(parsed, verb)
    return finite is not None and finite.tag in ("VBZ", "VBP")


def _first_of(parsed: Parsed, token: Token) -> int:
    start = parsed.sentences[token.sentence][0]
    return next(t.i for t in parsed.tokens if t.start >= start)
