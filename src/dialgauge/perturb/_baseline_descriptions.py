"""drop_adjectives: adjectives without which what remains is true are removed."""

from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_adjectives import NEEDED, POINTING, RELATING, is_adjective
from dialgauge.perturb._baseline_verbs import CITATION
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import can_be_verb, hyphenated
from dialgauge.perturb._guards import (
    ancestors,
    has_determiner,
    in_comparison,
    in_condition,
    in_quotes,
    is_definite,
    lemma_of,
    noun_class,
    occurs_again,
    part_of_term,
    preceding,
    safe_ones,
    under_negation,
)
from dialgauge.perturb._opposites import tells_why, valence
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person, is_person_word, names_person
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import word_spans
from dialgauge.perturb._word_tables import substitutes, supersense, word_map, word_set

_OPTIONAL = word_set("optional_adjectives")
#: Nouns that say little without what follows *of*.
_MEASURES = word_set("binding_nouns")
_LONGEST_PHRASE = 5
#: Of a sentence of so few words, the adjective is the news.
_LEAST_SAID = 4
#: Supersenses of nouns that still tell something alone: acts, animals, things, words, events, food, groups, places,
#: objects, persons, weather, plants, possessions, substances; and those that do so where the reader knows which one.
#: What is so is told because something else is not, and how much of it there is.
_AS_IT_SHOULD_BE = frozenset(
    [
        *("additional", "correct", "dead", "entire", "extra", "full", "lower", "maximum", "minimum", "normal", "right"),
        *("standard", "total", "upper", "usual", "whole"),
    ]
)
#: With these there is another one, of before or after.
_OF_AGE = frozenset(["new", "old", "young"])
_CHANGING = frozenset(["change", "different", "exchange", "former", "instead", "previous", "replace", "swap", "unlike"])
#: Supersenses of what has a size: of other things, *a little* says how much.
_SMALL_OR_LARGE = frozenset((5, 6, 15, 17, 18, 20))
#: What is begun or founded, with these verbs.
_OPENING = frozenset(["begin", "found", "launch", "open", "start"])
#: The supersense of thoughts.
_THOUGHT = 9
#: The supersense of amounts.
_QUANTITY = 23
_TELLING = frozenset((4, 5, 6, 10, 11, 13, 14, 15, 17, 18, 19, 20, 21, 27))
#: The supersenses of acts and events.
_HAPPENING = frozenset((4, 11))
#: The supersenses of natural things and of weather.
_OF_NATURE = frozenset((17, 19))
#: Endings of adjectives.
_ENDINGS = ("able", "ary", "ed", "en", "ent", "ant", "ful", "ible", "ic", "ing", "ish", "ive", "less", "ous", "y")
_TELLING_IF_KNOWN = frozenset((9, 16, 22))
#: Words that dialogues are full of.
_SAYING_LITTLE = word_set("light_nouns")
_LESSENING = word_set("lessening_words")
_ATTITUDES = word_set("attitude_verbs")
_SEEKING = word_set("seeking_verbs")
#: What follows from something follows from how it is.
#: Verbs of what somebody takes a thing for.
_JUDGING = frozenset(["call", "consider", "doubt", "judge", "regard"])
_ANYBODY = frozenset(["all", "anybody", "anyone", "everybody", "everyone", "whoever"])
#: What stands before some of a kind.
_COUNTING = frozenset(["det", "poss", "nummod"])
#: Words for another one of the kind.
_ANOTHER = frozenset(["another", "one", "ones", "other", "others"])
_THROUGH = frozenset(["because", "despite", "due", "through"])
_CAUSING = frozenset(["cause", "explain", "lead", "result", "stem"])
_DEPENDING = frozenset(["depend", "hinge", "rely", "require"])
#: Who allows small pets need not allow pets.
_ALLOWING = frozenset(["accept", "allow", "forbid", "let", "permit"])
#: Adjectives after which it may be no such thing at all.
_DOUBTING = word_set("doubting_adjectives")


def propose_drop(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Proposal | NotApplicable:
    """Delete every optional adjective before a noun, with the adverbs and adjectives that depend on it."""
    before_nouns = [t for t in parsed.tokens if t.dep == "amod" and is_adjective(parsed, t) and t.lower not in NEEDED]
    safe = safe_ones(parsed, before_nouns, *_DROP_GUARDS)
    edits: list[Edit] = []
    for token in safe:
        noun, phrase = parsed.tokens[token.head], parsed.subtree(token)
        start, end = phrase[0].start, phrase[-1].end
        if noun.pos == "PROPN":
            start = parsed.tokens[phrase[0].i - 1].start  # "a heartbroken Colette" is Colette
        after, before = parsed.tokens[phrase[-1].i + 1], preceding(parsed, phrase[0])
        if after.text == "," and after.i < noun.i:
            end = after.end
        elif before is not None and before.text == "," and (not edits or edits[-1].end < before.end):
            start = before.start  # the adjective before the comma stays
        if not edits or edits[-1].end <= start:
            edits.append(Edit(start, end))
    return Proposal(edits, safe.notes()) if edits else safe.none_left("adjective before a noun")


def _separable(parsed: Parsed, token: Token) -> str:
    noun, phrase = parsed.tokens[token.head], parsed.subtree(token)
    named = (
        is_person(parsed, noun)
        and noun.pos == "PROPN"
        and parsed.tokens[token.left - 1].lower in ("a", "an", "the")
        and token.left > 0
    )
    if (
        (noun.pos != "NOUN" and not named)
        or token.right >= noun.i
        or not token.unbroken
        or len(phrase) > _LONGEST_PHRASE
    ):
        return "not before its noun"
    if any(t.pos == "DET" for t in parsed.tokens[token.i + 1 : noun.i]):
        return "not before its noun"  # "in full and half the ticket"
    owned = any(parsed.tokens[c].dep == "poss" and c > token.i for c in noun.children)  # "make sure Amy's drinking"
    several = noun.tag == "NNS" and any(parsed.tokens[c].lower in ("a", "an") for c in noun.children)
    if owned or several:
        return "not before its noun"  # "exiling a permanent triggers"
    if any(t.lower == "such" for t in parsed.tokens[max(token.left - 2, 0) : token.i]):
        return "not before its noun"  # "with such a vast audience"
    if token.left and parsed.tokens[token.left - 1].text in ("'s", "’s"):
        return "may be said of somebody"  # "he's surprised Ann never came"
    before = preceding(parsed, phrase[0])
    if before is not None and before.pos == "NOUN":
        return "part of a compound"  # "a brand new mat"
    if before is not None and before.pos == "ADJ" and before.head == token.head and before.lower not in _OPTIONAL:
        return "part of a compound"  # "a fair brown puppy"
    beside = parsed.tokens[phrase[-1].i + 1]  # "a new set-up centre"
    if beside.pos in ("ADJ", "VERB") and beside.lower.endswith("ed"):
        return "part of a compound"  # "green legged cocks"
    if beside.dep == "compound" or (token.lower not in _OPTIONAL and beside.pos == "ADJ"):
        return "part of a compound"  # "his rotatory cuff damage", "lactose free"
    return "joined by a hyphen" if any(hyphenated(parsed, part) for part in (*phrase, beside)) else ""


def _optional(parsed: Parsed, token: Token) -> str:
    """Adjectives of judgement, feeling, size, age, colour and the like can go; of the others those before one thing (*a
    costly hold* is a hold, *the soaked carpet* the carpet): of several, more would be meant without them."""
    words = [t for t in parsed.subtree(token) if t.pos == "ADJ"]
    if any(t.lower in ("most", "more", "least", "less") for t in parsed.subtree(token)):
        return "in a comparison"
    if is_person_word(token.lower):
        return "may be a noun or a verb"  # "his profile picture"
    noun = parsed.tokens[token.head]
    if is_definite(parsed, noun) and _has_counterpart(parsed, token):
        return "distinguishes two things"
    if any(t.lower in _AS_IT_SHOULD_BE for t in words):
        return "tells which one is meant"  # "does away with the minimum order"
    if token.tag == "JJ" and all(t.lower in _OPTIONAL for t in words):
        return ""
    if names_person(noun):
        return "tells which one is meant"  # "the retired teacher", "an expectant mother"
    if not _known_adjective(token.lower):
        return "may be a noun or a verb"  # "his sim card", "a pumpkin cake"
    owners = [parsed.tokens[c] for c in noun.children if c < noun.i]
    relating = token.lower.endswith(RELATING)  # "her interlibrary loan" is no loan, "a genetic panel" no panel
    known = any(t.lower in ("the", "this", "that") or t.dep == "poss" for t in owners) and noun.tag == "NN"
    single = known or (not relating and any(t.lower in ("a", "an") for t in owners))
    several = not relating and noun.tag == "NNS" and noun.dep == "dobj" and not any(t.dep == "det" for t in owners)
    participle = not known and token.lower.endswith(("ed", "ing", "en"))
    doubtful = any(t.lower in _DOUBTING | POINTING for t in words)
    if token.tag != "JJ" or not (single or several) or participle or doubtful or _lessened(parsed, noun):
        return "tells which one is meant"
    return ""


def _has_counterpart(parsed: Parsed, token: Token) -> bool:
    """*The old sofa*, *the new card, with a different number*: beside one that came after or before."""
    changing = {lemma_of(t) for t in parsed.tokens if t.i != token.i} & _CHANGING
    alone = token.lower == "old" and token.left == token.i  # not "the very old gate"
    return alone or (token.lower in _OF_AGE and bool(changing))


def _known_adjective(word: str) -> bool:
    """Whether a word is an adjective by the tables, or by its ending and no noun or verb besides (*an add sheet*)."""
    tables = (*(substitutes(table) for table in ("antonyms", "synonyms")), word_map("adjective_complements"))
    other = supersense(word) is not None or (can_be_verb(word) and not word.endswith("ed"))
    return any(word in table for table in tables) or (word.endswith(_ENDINGS) and not other)


def _says_how_it_acts(parsed: Parsed, token: Token) -> str:
    """*A slow cooker*, *a fast learner*: the adjective says how something is done by it, so that it is another thing
    without."""
    noun = lemma_of(parsed.tokens[token.head])
    stem = noun[:-2]
    acting = noun.endswith(("er", "or")) and any(can_be_verb(form) for form in (stem, f"{stem}e", stem[:-1]))
    return "part of a compound" if acting and not is_person_word(noun) else ""


def _of_a_kind(parsed: Parsed, token: Token) -> str:
    """Who likes honest people need not like people: what is liked, hated or preferred is a kind of thing, and so is
    what something is said of in general (*an attractive package sells*)."""
    noun = parsed.tokens[token.head]
    if any(parsed.tokens[c].dep == "conj" for c in noun.children):
        return "shares what follows"  # "the medical debate and the history of psychiatry"
    verbs = {t.lemma.lower() for t in ancestors(parsed, noun) if t.pos == "VERB"}
    sentence = [t.lower for t in parsed.tokens if t.sentence == noun.sentence]
    if "only" in sentence or any(t.lower in _ANYBODY for t in ancestors(parsed, noun)) or "prefer" in verbs:
        return "names a kind"  # "anyone ordering plain sleeves must take 500", "prefers the natural pearl"
    kind_of_people = noun.dep == "pobj" and noun.tag == "NNS" and parsed.tokens[noun.head].lower == "for"
    if kind_of_people and not is_definite(parsed, noun):
        return "names a kind"  # "a code for new customers"
    verb = parsed.tokens[noun.head]
    if noun.tag == "NNS" and noun.dep != "dobj" and not any(parsed.tokens[c].dep in _COUNTING for c in noun.children):
        return "names a kind"  # "keeps off soft floors", "has slow birds killed"
    passive = parsed.child(verb, "auxpass") if noun.dep == "nsubjpass" else None
    generic = noun.dep in ("nsubj", "nsubjpass") and (passive or verb).tag in ("VBZ", "VBP", "VB", "MD")
    return "names a kind" if (verbs & _ATTITUDES or generic) and not is_definite(parsed, noun) else ""


def _is_the_point(parsed: Parsed, token: Token) -> str:
    """*Believes in a healthy diet*, *finds happy students*: that it is good or bad is what is said of it."""
    judging = any(valence(t.lower) for t in parsed.subtree(token))
    noun = parsed.tokens[token.head]
    if any(t.dep == "advmod" for t in parsed.subtree(token)) and not is_definite(parsed, noun):
        return "says what is meant"  # "are experiencing very slow systems"
    manner = noun.dep == "pobj" and parsed.tokens[noun.head].lower == "in" and not is_definite(parsed, noun)
    if noun.dep in ("attr", "oprd") or any(lemma_of(t) in _JUDGING for t in ancestors(parsed, noun)):
        return "says what is meant"  # "considers it an average series"
    lacking = any(valence(t.lower) < 0 for t in parsed.subtree(token))  # "owned up to the broken shelf"
    judging = lacking or (judging and not is_definite(parsed, noun))
    return "says what is meant" if manner or judging else ""


def _is_a_reason(parsed: Parsed, token: Token) -> str:
    """*Due to the bad economy*, *ate raw bananas, so the doctor came*: it may be why the rest is so."""
    through = any(t.lower in _THROUGH or lemma_of(t) in _CAUSING for t in ancestors(parsed, token))
    later = any(t.sentence == token.sentence + 1 and t.lower in ("because", "reason") for t in parsed.tokens)
    return "gives a reason" if through or later or tells_why(parsed, token) else ""  # "It's because of the smoke"


def _wished_for(parsed: Parsed, token: Token) -> str:
    """*Hopes for an amicable split*, *needs a new hairstyle*: the adjective is what is wanted."""
    noun = parsed.tokens[token.head]
    for verb in ancestors(parsed, noun):
        looking = lemma_of(verb) == "look" and any(parsed.tokens[c].lower == "for" for c in verb.children)
        if verb.pos == "VERB" and (looking or lemma_of(verb) in _SEEKING or lemma_of(verb) in _ALLOWING):
            return "says what is wanted" if not is_definite(parsed, noun) else ""
    return ""


def _lessened(parsed: Parsed, noun: Token) -> bool:
    """Whether the sentence says that there is less of it (*reduce lost production*): then the adjective limits how
    much."""
    return any(t.lemma.lower() in _LESSENING for t in ancestors(parsed, noun))


def _says_something(parsed: Parsed, token: Token) -> str:
    """A noun that says nothing without its adjective: *had a day*, *in a way*, *is an idea*."""
    noun = parsed.tokens[token.head]
    if noun.pos == "PROPN":
        return under_negation(parsed, noun)  # "has not seen the new Harry Potter"
    kind = noun_class(noun)
    of = parsed.child(noun, "prep")
    measured = of is not None and of.lower == "of" and lemma_of(noun) in _MEASURES  # "a large amount of"
    if (
        measured
        or lemma_of(noun) in _SAYING_LITTLE
        or (of is not None and of.lower == "of" and not has_determiner(parsed, noun))
    ):
        return "the noun says nothing alone"  # "had a great time", "the new place", "cheap versions of it"
    if (
        noun.dep == "dobj"
        and parsed.tokens[noun.head].lemma.lower() in ("do", "make", "take", "give", "get")
        and kind in (4, 11, None)
    ):
        return "the noun says nothing alone"  # "did a good job"
    if (
        parsed.tokens[noun.head].lemma.lower() in ("have", "get")
        and noun.dep == "dobj"
        and not is_definite(parsed, noun)
    ):
        return "the noun says nothing alone"  # "has a flat tyre", "has simple lyrics"
    if noun.tag == "NN" and any(parsed.tokens[c].lower == "some" for c in noun.children):
        return "the noun says nothing alone"  # "some black dress"
    somebody = token.lower == "new" and (kind in _HAPPENING or names_person(noun))
    others = token.lower == "new" and noun.tag == "NNS" and not has_determiner(parsed, noun)  # "put on new clothes"
    others = others or (token.lower == "new" and is_definite(parsed, noun))  # "settled the new payment"
    if kind == _QUANTITY or somebody or others:
        return "the noun says nothing alone"  # "a manageable amount", "has a new boy", "the new arrival"
    if token.lower == "new" and lemma_of(parsed.tokens[noun.head]) in _OPENING:
        return "the noun says nothing alone"  # "starts a new school": who starts a school founds it
    thought = next((parsed.tokens[t.head] for t in ancestors(parsed, token) if t.lower in ("of", "about")), None)
    if thought is not None and noun_class(thought) == _THOUGHT:
        return "says what is meant"  # "likes the idea of a yellow ceiling"
    if token.lower == "little" and kind not in _SMALL_OR_LARGE:
        return "the noun says nothing alone"  # "a little plump", "a little money"
    counted = parsed.child(noun, "nummod")
    if counted is not None and is_definite(parsed, noun):
        return "part of a name"  # "the four great inventions"
    verb = parsed.tokens[noun.head]
    words = [t for t in parsed.tokens if t.sentence == token.sentence and t.pos not in ("PUNCT", "DET", "AUX")]
    bare = not has_determiner(parsed, noun)
    if noun.dep == "dobj" and bare and len(words) <= _LEAST_SAID and verb.dep == "ROOT":
        return "the noun says nothing alone"  # "Jenna wears black blouses"
    bare = noun.dep == "pobj" and not has_determiner(parsed, noun)
    if noun.text.isupper() or (bare and parsed.tokens[noun.head].lower in ("in", "of", "with")):
        return "the noun says nothing alone"  # "a high IQ", "live in difficult times", "with small dishes"
    unknown = kind is None and not noun.lower.endswith(("ness", "ity", "ion", "ment", "ance", "ence", "ism"))
    known = (
        is_definite(parsed, noun) or (noun.dep == "pobj" and parsed.tokens[noun.head].lower in ("about", "for", "of"))
    ) and (kind in _TELLING_IF_KNOWN)
    if noun.dep == "attr" or not (kind in _TELLING or unknown or known):
        return "the noun says nothing alone"
    if noun.tag == "NN" and not has_determiner(parsed, noun):
        return "the noun has no article"
    if kind in _OF_NATURE and any(parsed.tokens[c].lower in ("a", "an") for c in noun.children):
        return "the noun says nothing alone"  # "under a big sun": there is one, and only its look is new
    return ""


def _distinguishing(parsed: Parsed, token: Token) -> str:
    """An adjective that contrasts one thing with another: the noun or the opposite adjective occurs elsewhere."""
    noun = parsed.tokens[token.head]
    opposites = {s.word for s in substitutes("antonyms").get(token.lower, ())}
    if occurs_again(parsed, noun) or any(t.lower in opposites for t in parsed.tokens):
        return "distinguishes two things"
    better = any(t.tag == "JJR" and t.sentence == token.sentence and t.dep != "amod" for t in parsed.tokens)
    row = [*_row_of(parsed, noun), *(parsed.tokens[c] for c in noun.children)] if noun.dep == "conj" else []
    # "the red case has come and the grey one has not", "the other pair"
    better = better or any(
        t.lower in _ANOTHER and (t.pos in ("NOUN", "PRON", "ADJ") or t.dep == "dobj") for t in parsed.tokens
    )
    better = better or any(lemma_of(t) in ("color", "colour", "size") for t in parsed.tokens)
    if better or any(t.pos == "PROPN" and (t.i < noun.i or t.dep == "conj") for t in row):
        return "distinguishes two things"  # "the white skirt is better", "Uluru and the blue mountains"
    owned = any(parsed.tokens[c].dep == "poss" for c in noun.children)
    return "distinguishes two things" if owned and token.lower in ("old", "new") else ""


def _row_of(parsed: Parsed, noun: Token) -> list[Token]:
    """What stands before a noun in the row that it is joined to."""
    found = []
    while noun.dep == "conj":
        noun = parsed.tokens[noun.head]
        found.append(noun)
    return found


def _denied(parsed: Parsed, token: Token) -> str:
    """Below a negation a noun without its adjective claims more, unless the reader knows which one it is."""
    noun = parsed.tokens[token.head]
    if any(lemma_of(t) in _DEPENDING for t in ancestors(parsed, token)):
        return "a condition"  # "hinges on an early exit"
    indefinite = {"no", "any", "without", "every", "each", "all", "only"}
    if any(parsed.tokens[c].lower in indefinite for c in noun.children):
        return "under a negation"
    if under_negation(parsed, noun) or any(
        t.lower == "missing" and t.sentence == token.sentence for t in parsed.tokens
    ):
        return "under a negation"  # "thinks little of the top managers", "what is missing is a recent photo"
    if any(t.lower in ("too", "enough") and t.sentence == token.sentence for t in parsed.tokens):
        return "under a negation"  # "has too little room for a large household"
    before = parsed.tokens[noun.left - 1].lower if noun.left else ""
    kept_off = any(lemma_of(t) == "keep" for t in ancestors(parsed, noun))  # "should keep off soft floors"
    return "under a negation" if before == "without" or kept_off else ""


def _known_by_it(parsed: Parsed, token: Token) -> str:
    """*Stay in the shallow area*, *comes off with the fine grit*: without the adjective it may be another one."""
    known = any(parsed.tokens[c].lower == "the" for c in parsed.tokens[token.head].children)
    return "tells which one is meant" if known else ""


def check_dropped(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """What is left must be words of the original in their order (an article may have changed with its neighbour)."""
    return None if is_subsequence(result, original) else "words were changed, not only removed"


def is_subsequence(result: str, original: str) -> bool:
    """Whether the words of one text are words of the other in the same order, whatever the case; a counts as an."""

    def words(text: str) -> list[str]:
        lowered = (text[start:end].lower() for start, end in word_spans(text))
        return ["a" if word == "an" else word for word in lowered]

    rest = iter(words(original))
    return all(word in rest for word in words(result))


_DROP_GUARDS = (
    _separable, _optional, part_of_term, _says_how_it_acts, _says_something, _distinguishing, _of_a_kind, _is_the_point,
    _wished_for, _is_a_reason, _denied, _known_by_it, in_condition, in_comparison, in_quotes,
)  # fmt: skip

register(
    Perturbation(
        name="drop_adjectives",
        version="11",
        family="baseline",
        description="removes adjectives where what remains is true, and says less",
        # An adjective is one word of many, but often tells which one is meant.
        effects={"consistency": "preserves", "relevance": "degrades"},
        propose=propose_drop,
        validate=check_dropped,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(("The customer bought an expensive phone.", "The customer bought a phone."),),
    ),
)
