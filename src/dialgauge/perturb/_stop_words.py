"""Which function words may go from a text: articles, auxiliaries and copulas, and those pronouns, prepositions and
conjunctions without which the same is understood. Whatever is not named here stays."""

from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, glued
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._word_tables import word_set

#: Function words. Negations and words that mean something in a call (call, name, back, first, last …) are not among
#: them.
STOP_WORDS = word_set("stopwords")
#: Tags of words that only look like function words: May, a will, Tom's.
_NAMING = ("POS", "NN", "NNS", "NNP", "NNPS")
_NOUNS = ("NOUN", "PROPN")
#: Kinds of entities that are no names, so that function words in them are no part of a name.
_TIMES = ("DATE", "TIME")
_NO_NAMES = frozenset(["", *_TIMES, "MONEY", "QUANTITY", "PERCENT", "CARDINAL", "ORDINAL"])
_FILLERS = frozenset(["also", "really", "then", "very"])
_DURATIONS = frozenset(
    ["second", "minute", "hour", "day", "night", "week", "weekend", "month", "year", "while", "time"]
)
#: *A few* is more than *few*.
_SOME_WITH_ARTICLE = frozenset(["bit", "couple", "few", "little", "lot"])
#: Verbs after which a place or a matter needs no preposition to be understood, as it can be no object.
_MOTIONS = frozenset(["come", "drive", "fly", "go", "head", "return", "rush", "travel", "walk"])
_MATTERS = {
    "about": frozenset(["ask", "chat", "complain", "know", "learn", "talk", "tell", "think", "worry"]),
    "with": frozenset(["agree", "chat", "talk"]),
}
_MASCULINE, _FEMININE = word_set("first_names_masculine"), word_set("first_names_feminine")
_HE, _SHE = frozenset(["he", "his"]), frozenset(["she", "her"])
_THEY = frozenset(["they", "their"])


def is_stop_word(token: Token) -> bool:
    """Whether this is a function word by its form and tag."""
    return token.lower in STOP_WORDS and token.tag not in _NAMING


def can_go(parsed: Parsed, token: Token) -> bool:
    """Whether the same is understood without this function word."""
    if not is_stop_word(token) or _is_held(parsed, token) or _is_in_name(parsed, token):
        return False
    if token.lower in ("a", "an", "the"):
        return _is_mere_article(parsed, token)
    if token.lower in _FILLERS:
        return token.dep == "advmod" and not _is_negated(parsed, token)
    if token.lower in ("some", "any"):
        return token.dep == "det" and parsed.tokens[token.head].dep in ("dobj", "pobj")
    if token.pos == "AUX":
        return _is_mere_auxiliary(parsed, token)
    if token.tag == "TO":
        verb = parsed.tokens[token.head]
        governor = parsed.tokens[verb.head]
        return verb.dep in ("xcomp", "ccomp") and governor.pos == "VERB" and governor.lemma != "have"
    if token.tag in ("PRP", "PRP$"):
        return _is_understood(parsed, token)
    if token.lower == "that":
        beside_name = token.i > 0 and _is_name(parsed.tokens[token.i - 1])
        # Not "finds that Tom is a thief", "tells Ann that Tom left".
        opens = token.dep == "mark" and parsed.tokens[token.head].lemma != "be" and not beside_name
        return opens or (token.tag == "WDT" and token.dep == "dobj")
    if token.lower == "and":
        return _joins_plainly(parsed, token)
    return token.dep == "prep" and _is_mere_preposition(parsed, token)


def _is_held(parsed: Parsed, token: Token) -> bool:
    """Whether this word must stay: ``do`` in ``don't``, a word with a hyphen, capitals (US, IT)."""
    following = parsed.tokens[token.i + 1] if token.i + 1 < len(parsed.tokens) else None
    leaned_on = glued(parsed, token) and following is not None and following.lower not in STOP_WORDS
    hyphen = "-" in (parsed.text[token.start - 1 : token.start], parsed.text[token.end : token.end + 1])
    part = token.text[0].isalnum() and parsed.text[token.start - 1 : token.start].isalnum()  # "am" of "1am"
    acronym = len(token.text) > 1 and token.text.isupper() and not parsed.text.isupper()
    return leaned_on or hyphen or part or acronym


def _is_in_name(parsed: Parsed, token: Token) -> bool:
    """*Will got stuck*, *Gone with the Wind*, *"To be or not to be"*: part of a name, a title or a quotation."""
    begins = token.start == parsed.sentences[token.sentence][0]
    if token.text[0].isupper() and not begins:
        return token.text != "I"
    if begins and token.tag == "MD":
        return not parsed.text[slice(*parsed.sentences[token.sentence])].rstrip().endswith("?")
    before = parsed.text[: token.start]
    if before.count('"') % 2 or before.count("“") > before.count("”"):
        return True
    inside = any(e.start < token.start < e.end and e.label not in _NO_NAMES for e in parsed.entities)
    return (inside and token.pos in ("ADP", "DET", "CCONJ")) or _follows_title_word(parsed, token)


def _follows_title_word(parsed: Parsed, token: Token) -> bool:
    """Whether only function words stand between this one and words with capitals on either side, the first of which is
    no name and begins no sentence: *watch Gone with the Wind*."""
    first, last = token.i, token.i
    while first and parsed.tokens[first].lower in STOP_WORDS:
        first -= 1
    while last + 1 < len(parsed.tokens) and parsed.tokens[last].lower in STOP_WORDS:
        last += 1
    before, after = parsed.tokens[first], parsed.tokens[last]
    opens = before.start == parsed.sentences[before.sentence][0]
    return before.text[0].isupper() and after.text[0].isupper() and not opens and before.pos not in _NOUNS


def _is_negated(parsed: Parsed, token: Token) -> bool:
    """*Not really*, *not very*: without the adverb more is denied."""
    return any(t.sentence == token.sentence and t.lower in NEGATIONS for t in parsed.tokens)


def _is_mere_article(parsed: Parsed, token: Token) -> bool:
    """An article but for *a few*, *twice a week* and *in a week*."""
    following = parsed.tokens[min(token.i + 1, len(parsed.tokens) - 1)]
    measures = token.lower != "the" and parsed.tokens[token.head].lemma in _DURATIONS
    return token.dep == "det" and following.lower not in _SOME_WITH_ARTICLE and not measures


def _is_mere_auxiliary(parsed: Parsed, token: Token) -> bool:
    """Forms of *be*, *do*, *have* and *will* that only make a tense or join what is said to the subject. Those of the
    passive stay (*Tom was called*), as do *has been to* and *wants to be*."""
    if token.tag == "MD":
        return token.lower in ("will", "'ll", "shall")
    if token.dep == "aux":
        between = parsed.tokens[token.i + 1 : parsed.tokens[token.head].i]
        causes = token.lemma == "have" and any(t.pos in (*_NOUNS, "PRON") for t in between)  # "had it corrected"
        if token.tag == "VB":
            return _is_future(parsed, parsed.tokens[token.head])
        return not causes and (token.lemma in ("be", "do", "have") or token.lower in ("'s", "'ve", "'d"))
    if token.dep == "auxpass" or (token.lemma != "be" and token.lower not in ("'s", "'re", "'m")):
        return False
    following = parsed.tokens[min(token.i + 1, len(parsed.tokens) - 1)]
    if following.lower == "like":
        return False  # "they are like parents"
    if token.tag == "VBN":
        return following.lower not in ("to", "there")
    return token.tag not in ("VB", "VBG") or _is_future(parsed, token)


def _is_future(parsed: Parsed, verb: Token) -> bool:
    """Whether *will* stands before this verb."""
    return any(parsed.tokens[c].dep == "aux" and parsed.tokens[c].lower in ("will", "'ll") for c in verb.children)


def _is_understood(parsed: Parsed, token: Token) -> bool:
    """Whether a pronoun means the subject that is in the reader's mind: that of the sentence before where it opens
    one, that of its own sentence where it owns something; and nobody else who is named since could be meant."""
    if token.lower == "i":
        return token.dep == "nsubj" and parsed.tokens[token.head].dep == "ROOT"
    opens = token.dep in SUBJECTS and token.start == parsed.sentences[token.sentence][0]
    if not ((opens and parsed.child(token, "conj") is None) or _owns_alone(parsed, token)):
        return False
    subject = _subject_of(parsed, token.sentence - opens)
    if subject is None or subject.i > token.i or not _can_mean(parsed, subject, token):
        return False
    others = (
        t for t in parsed.tokens[: token.i] if t.sentence == subject.sentence and t.i not in _row(parsed, subject)
    )
    return not any(_can_mean(parsed, other, token) or (other.tag == "PRP" and other.lower != "it") for other in others)


def _owns_alone(parsed: Parsed, token: Token) -> bool:
    """*Her nail*; not *her and her sister's costume*, *his own car*."""
    noun = parsed.tokens[token.head]
    following = parsed.tokens[min(token.i + 1, len(parsed.tokens) - 1)]
    joined = noun.dep == "conj" or parsed.child(noun, "conj", "cc") is not None or following.dep == "cc"
    joined = joined or parsed.tokens[token.i - 1].dep == "cc"
    return token.tag == "PRP$" and not joined and following.lower != "own"


def _subject_of(parsed: Parsed, sentence: int) -> Token | None:
    """The subject of the main verb of a sentence."""
    return next(
        (
            t
            for t in parsed.tokens
            if t.sentence == sentence and t.dep in SUBJECTS and parsed.tokens[t.head].dep == "ROOT"
        ),
        None,
    )


def _row(parsed: Parsed, token: Token) -> range:
    """The places of a phrase with all that is joined to it."""
    return range(token.left, token.right + 1)


def _can_mean(parsed: Parsed, other: Token, pronoun: Token) -> bool:
    """Whether *he*, *she* or *they* (and what is theirs) can be this person."""
    if other.pos not in _NOUNS or not (is_person(parsed, other) or other.text.startswith("#") or other.pos == "PROPN"):
        return False
    several = parsed.child(other, "conj") is not None or other.tag in ("NNS", "NNPS")
    if pronoun.lower in _THEY:
        return several
    if pronoun.lower in _HE:
        return not several and other.text not in _FEMININE - _MASCULINE
    return pronoun.lower in _SHE and not several and other.text not in _MASCULINE - _FEMININE


def _joins_plainly(parsed: Parsed, token: Token) -> bool:
    """*And* behind the comma of a row, or between two things that the same one does; not *mom and Cheryl*."""
    head = parsed.tokens[token.head]
    joined = next((parsed.tokens[c] for c in head.children if c > token.i and parsed.tokens[c].dep == "conj"), None)
    if token.dep != "cc" or joined is None or parsed.child(joined, *SUBJECTS) is not None:
        return False
    nested = any(t.pos in ("VERB", "AUX") for t in parsed.tokens[head.i + 1 : token.i])  # "says they are out and asks"
    alike = joined.pos == head.pos == "VERB" and joined.tag == head.tag and joined.tag in ("VBZ", "VBD")
    finite = alike and joined.i - token.i == 1 and not nested
    listed = parsed.tokens[token.i - 1].text == "," and head.pos in (*_NOUNS, "ADJ") and joined.pos == head.pos
    return finite or listed


def _is_mere_preposition(parsed: Parsed, token: Token) -> bool:
    """*On Monday*, *at 5*, *the end of the year*, *go to Rome*, *talk about it*, *meet her in the park*: what follows
    can be no object, no second name and nothing that is said of the subject."""
    head, noun = parsed.tokens[token.head], parsed.child(token, "pobj")
    if noun is None or noun.tag in ("PRP", "DT", "WP", "WDT", "EX") or parsed.child(noun, "relcl", "acl") is not None:
        return False
    if head.lemma == "be":
        return False
    if noun.entity in _TIMES:
        aged = noun.lemma in _DURATIONS or parsed.child(noun, "poss") is not None  # "in a week", "in her thirties"
        return token.lower in ("at", "on") or (token.lower == "in" and not aged)
    if _is_name(parsed.tokens[token.i - 1]) and _is_name(parsed.tokens[noun.left]):
        return False
    if token.lower == "of":
        apposed = noun.pos == "PROPN" or is_person(parsed, head) or head.lower == "kind"
        return head.pos in ("NOUN", "ADJ") and head.i == token.i - 1 and not apposed
    if head.pos != "VERB" or (is_person(parsed, noun) and token.lower != "with"):
        return False
    if token.lower == "to":
        return head.lemma in _MOTIONS and noun.pos in _NOUNS
    if token.lower in _MATTERS:
        before = parsed.tokens[token.i - 1]
        follows = before.i == head.i or (before.head == head.i and before.dep in ("dobj", "dative"))
        return follows and head.lemma in _MATTERS[token.lower] and noun.pos in _NOUNS
    placed = token.lower in ("in", "at") and noun.pos == "NOUN" and noun.lemma != "price"
    return placed and parsed.child(head, "dobj") is not None


def _is_name(token: Token) -> bool:
    return token.pos == "PROPN" or token.text.startswith("#")
