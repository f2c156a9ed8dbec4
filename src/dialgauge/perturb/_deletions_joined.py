"""What stands after *and* or *but*, and what describes a noun: whether the rest is whole without it."""

from dialgauge.perturb._grammar import SUBJECTS, can_be_verb, finite_part, is_be
from dialgauge.perturb._guards import is_negated, lemma_of, noun_class, occurs_again
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._word_tables import word_set

#: Words that look back to two things.
_OF_TWO = frozenset(["both", "each", "former", "latter", "respectively"])

#: What opens another member of a row, or another clause.
_OPENING = ("DET", "NOUN", "PROPN", "PRON", "ADJ", "ADV", "NUM")
#: Words that say that something else follows.
_BEFORE_ANOTHER = frozenset(["first", "initially", "originally"])

#: Supersenses of attributes, thoughts and times: what they are of must be said.
_OF_WHAT = frozenset((7, 9, 28))
#: Supersenses of things, animals, food, places, people and groups.
_THINGS = frozenset((5, 6, 13, 14, 15, 17, 18, 20, 21, 27))
_THOUGHT = 9
_MEASURES = frozenset(["CARDINAL", "DATE", "MONEY", "PERCENT", "QUANTITY", "TIME"])
#: Verbs that say little themselves.
_LIGHT = word_set("light_verbs")
#: Nouns that need the phrase after them (*a lot of*).
BINDING_NOUNS = word_set("binding_nouns")
#: Nouns that a clause says the content of.
_CONTENT = frozenset(["belief", "condition", "event", "fact", "fear", "hope", "idea", "news", "sense", "view"])


def beside_clause(parsed: Parsed, last: int, token: Token) -> bool:
    """*She irons, because the last time he did it, he burnt it*, *Ann hates it, Bob tries it, but Tom does not*: two
    clauses with a comma between them, which would be left without a word that joins them."""
    head = parsed.tokens[token.head]
    before_main = head.dep == "ccomp" and head.head > last
    behind = any(
        parsed.tokens[c].dep == "ccomp" and c < head.i and parsed.child(parsed.tokens[c], *SUBJECTS) is not None
        for c in head.children
    )
    own = parsed.child(token, *SUBJECTS) is not None
    return before_main if token.dep == "advcl" else behind and own


def leaves_loose_end(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """Whether what stands before or behind a phrase needs it."""
    after = parsed.tokens[last + 1] if last + 1 < len(parsed.tokens) else None
    return (
        _is_stranding(parsed, first, after, token)
        or _lacks_verb_behind(parsed, last, token)
        or _opens_aside(parsed, after, token)
    )


def _is_stranding(parsed: Parsed, first: int, after: Token | None, token: Token) -> bool:
    """*Looked like from the seventies*, *as he was leaving completely wasted*: a preposition before the phrase, or a
    word behind it, would be left without what it belongs to."""
    before = parsed.tokens[first - 1] if first else None
    if before is not None and before.dep == "prep" and not before.children:
        return True
    if after is None or after.sentence != token.sentence:
        return False
    return token.dep == "advcl" and token.i < after.i and after.pos in ("ADV", "ADJ", "VERB")


def _lacks_verb_behind(parsed: Parsed, last: int, token: Token) -> bool:
    """*Flowers and cosmetics, eg. Rose lipstick*: what the parser takes for the next sentence has no verb, so that it
    belongs to the end of this one."""
    behind = [t for t in parsed.tokens if t.sentence == token.sentence + 1]
    ends = not any(t.sentence == token.sentence and t.pos != "PUNCT" for t in parsed.tokens[last + 1 :])
    return ends and bool(behind) and not any(t.pos in ("VERB", "AUX") for t in behind)


def _opens_aside(parsed: Parsed, after: Token | None, token: Token) -> bool:
    """*Decide on it before the start, which is best*: *which* may mean all that stands before, with this phrase."""
    behind = parsed.tokens[after.i + 1 : after.i + 2] if after is not None and after.text == "," else ()
    return parsed.tokens[token.head].pos in ("VERB", "AUX") and any(t.lower == "which" for t in behind)


def is_argument(parsed: Parsed, phrase: Token, noun: Token) -> bool:
    """*Her care with the puppies*, *having second thoughts about it*, *Muslims and people in other faiths*: a phrase
    that says what somebody's doing or thought is about, or that belongs to the second of two nouns."""
    owned = parsed.child(noun, "poss") is not None and noun_class(noun) not in _THINGS
    owned = owned and phrase.lower in ("about", "for", "from", "on", "with")
    verb = parsed.tokens[noun.head]
    bare = noun_class(noun) == _THOUGHT and parsed.child(noun, "det", "poss") is None
    done = can_be_verb(lemma_of(noun)) and phrase.lower in ("at", "for", "on", "with")  # "have a look at it"
    light = noun.dep == "dobj" and lemma_of(verb) in _LIGHT and (bare or done)
    before = parsed.tokens[phrase.i - 1]
    return owned or light or (before.i != noun.i and before.dep == "conj" and before.pos in ("NOUN", "PROPN"))


def bound_conjunct(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """A second verb phrase or a second object, with *and*, where the first one is complete without it."""
    head, joint = parsed.tokens[token.head], parsed.tokens[first]
    if first and (parsed.tokens[first - 1].pos in ("CCONJ", "SCONJ") or parsed.tokens[first - 1].lower == "so"):
        return "one half of a pair"
    chained = head.dep == "conj" and not (head.left and parsed.tokens[head.left - 1].dep == "cc")
    if joint.lower not in ("and", "but") or chained or leaves_a_row_open(parsed, first):
        return "one of several"
    before = [t.text for t in parsed.tokens[max(first - 6, 0) : first] if t.sentence == token.sentence]
    alone = parsed.child(token, *SUBJECTS) is None or parsed.tokens[first + 1].tag in ("WDT", "WP", "WRB")
    if before[-1:] == [","] and "," in _marks(parsed, first - 1) and alone:
        return "one of several"  # "are overpaid, over-ambitious, and over-adored"
    if joint.lower == "but" and parsed.child(token, *SUBJECTS) is None and is_negated(parsed, head):
        return "takes back what was denied"  # "does not want to, but agrees in the end"
    if any(
        parsed.tokens[c].dep == "preconj" or parsed.tokens[c].lower in ("both", "between", "either")
        for c in head.children
    ):
        return "one half of a pair"
    if any(t.lower in _BEFORE_ANOTHER for t in parsed.tokens[head.left : first]):
        return "one half of a pair"  # "wants a watch at first but buys a ring"
    between = [t for t in parsed.tokens[head.i + 1 : first] if t.pos not in ("PUNCT", "ADV") and t.dep != "aux"]
    between += [t for t in parsed.tokens[head.left : head.i] if t.head == head.i and t.tag == "WP" and is_be(head)]
    if head.pos in ("VERB", "AUX") and token.pos in ("VERB", "AUX"):
        rest = [t for t in parsed.tokens[last + 1 : last + 3] if t.sentence == token.sentence]
        if rest and rest[0].pos not in ("PUNCT", "CCONJ", "SCONJ"):
            return "shares what follows"
        if len(rest) > 1 and rest[0].pos == "CCONJ" and rest[1].pos in _OPENING and not _opens_clause(parsed, rest[1]):
            return "shares what follows"  # "and asks her name and the salary she wants"
        if len(rest) > 1 and rest[0].text == "," and rest[1].pos in _OPENING:
            return "shares what follows"  # "and gives him the name, the number and the address", "and left, she says"
        if len(rest) > 1 and rest[0].text == "," and (rest[1].lower == "so" or rest[1].tag == "VBG"):
            return "shares what follows"  # "but it is rejected, so she pays cash", "and drinks a lot, adding honey"
        if any(t.lower == "but" for t in rest):
            return "shares what follows"  # "watches a film and invites Ann, but Ann refuses"
        if parsed.child(token, *SUBJECTS) is not None:
            return ""
        stands = finite_part(parsed, token) is not None or head.tag == token.tag  # "will go home and rest"
        return "" if between and stands else "shares what follows"
    return _bound_second_object(parsed, last, token, head)


def _opens_clause(parsed: Parsed, opening: Token) -> bool:
    """Whether a subject begins here, or an adverb of a verb with tense."""
    near = [t for t in parsed.tokens[opening.i : opening.i + 8] if t.sentence == opening.sentence]
    then = opening.pos == "ADV" and finite_part(parsed, parsed.tokens[opening.head]) is not None
    return then or any(t.left == opening.i and t.dep in SUBJECTS for t in near)


def leaves_a_row_open(parsed: Parsed, first: int) -> bool:
    """Whether what stands before this place is a row with commas that still waits for its *and*."""
    for member in parsed.tokens[:first]:
        if member.sentence != parsed.tokens[first].sentence or not member.left:
            continue
        comma = parsed.tokens[member.left - 1].text == ","
        unfinished = not any(t.dep == "cc" for t in parsed.tokens[member.i + 1 : first])
        bare = member.tag == "VB" and member.left == member.i and parsed.child(member, *SUBJECTS, "aux") is None
        second = member.dep == "appos" and member.pos == parsed.tokens[member.head].pos == "NOUN"
        if comma and unfinished and (member.dep == "conj" or bare or second):
            return True  # also "describes the house, her job"
        verbs = comma and member.tag in ("VBZ", "VBD") and parsed.tokens[member.left - 2].tag == member.tag
        if verbs and unfinished:
            return True  # "apologizes, urges him to go", where the parser takes the first verb for a noun
    return False


def _marks(parsed: Parsed, last: int) -> list[str]:
    """The punctuation of a sentence before this place."""
    return [t.text for t in parsed.tokens[:last] if t.sentence == parsed.tokens[last].sentence and t.pos == "PUNCT"]


def _bound_second_object(parsed: Parsed, last: int, token: Token, head: Token) -> str:
    after = parsed.tokens[last + 1] if last + 1 < len(parsed.tokens) else None
    nouns = ("NOUN", "PROPN")
    if (
        head.pos not in nouns
        or token.pos not in nouns
        or head.dep not in ("dobj", "pobj")
        or parsed.tokens[token.left - 1].lower != "and"
    ):
        return "one half of a pair"
    if head.pos == "PROPN" and token.pos != "PROPN":
        return "one half of a pair"  # "robbed James and May's place", "the Queen and King suites"
    if parsed.tokens[token.left - 2].text == "," or any(t.lower in _OF_TWO for t in parsed.tokens[last + 1 :]):
        return "one of several"  # the last of a row; "and can get more from the latter"
    own = any(parsed.tokens[c].dep in ("amod", "det", "poss") for c in token.children)  # "the heat and the rain"
    apart = token.pos == "PROPN" or own
    if head.dep == "pobj" and not apart:
        return "one half of a pair"  # "about children and television": one topic
    comma, earlier = parsed.tokens[head.left - 1], parsed.tokens[head.left - 2]
    if head.left > 1 and comma.text == "," and earlier.sentence == head.sentence and earlier.pos in nouns:
        return "one of several"  # "visit the zoo, the parks and the hall", whatever the parser hangs "parks" on
    if token.lower in ("one", "ones"):
        return "one half of a pair"  # "ten coffee and ten blackcurrant ones"
    owner = parsed.tokens[head.head]
    joint = parsed.tokens[token.left - 1]
    if head.entity in _MEASURES and token.entity in _MEASURES:
        return "one half of a pair"  # "lasts for four hours and twenty minutes"
    known = any(parsed.tokens[c].lower == "the" for c in head.children)
    if known and head.text[0].isupper() and token.text[0].isupper():
        return "one half of a pair"  # "the Bread and Cheese Deli"
    if head.pos == "PROPN" and (joint.entity or owner.lower == "at"):
        return "one half of a pair"  # "at Bonnie and Clyde": one name
    bare = token.left == token.i and can_be_verb(token.lower)
    if bare and (token.tag == "NNS" or token.entity != head.entity):
        return "may be a verb"  # "passes up a refund and switches to another group", "go home on Friday and party"
    if lemma_of(owner) in ("between", "among", "combine", "compare", "mix", "connect", "join") or occurs_again(
        parsed, token
    ):
        return "one half of a pair"
    if any(parsed.tokens[c].dep == "conj" for c in token.children) or any(
        parsed.tokens[c].dep in ("det", "nummod") and parsed.tokens[c].lower in ("two", "both", "these", "those")
        for c in head.children
    ):
        return "one of several"
    if (
        after is not None
        and after.sentence == token.sentence
        and (
            after.pos not in ("PUNCT", "ADP", "CCONJ", "SCONJ", "ADV")  # nor "a drink and a bite to eat"
            or after.lower in ("of", "with")
            or (after.pos == "ADP" and parsed.child(token, "relcl") is not None)
        )
    ):
        return "shares what follows"
    return ""


def _is_had(parsed: Parsed, noun: Token) -> bool:
    """Whether a noun, or the one that it describes, is what somebody has or wants: *have the photos of him taken*."""
    while noun.dep in ("pobj", "prep", "conj"):
        noun = parsed.tokens[noun.head]
    return noun.dep == "dobj" and lemma_of(parsed.tokens[noun.head]) in ("get", "have", "need", "want")


def _closes_aside(parsed: Parsed, first: int) -> bool:
    """*Tells Ann, who wants a vest, the price*: the comma before the phrase closes an aside, whatever the parser
    says."""
    before = [t for t in parsed.tokens[: first - 1] if t.sentence == parsed.tokens[first].sentence]
    last = next((t.i for t in reversed(before) if t.text == ","), None)
    return last is not None and parsed.tokens[last + 1].tag in ("WDT", "WP", "WRB", "WP$")


def _is_cleft(parsed: Parsed, clause: Token) -> bool:
    """Whether the sentence begins with *it is*."""
    words = [t for t in parsed.tokens if t.sentence == clause.sentence]
    return len(words) > 1 and words[0].lower == "it" and is_be(words[1])


def is_asked_for(parsed: Parsed, noun: Token) -> bool:
    """Whether a noun, or the one that it is joined to, stands behind *what*, *which* or *whose*."""
    while noun.dep == "conj":
        noun = parsed.tokens[noun.head]
    return any(parsed.tokens[c].tag in ("WDT", "WP", "WP$") for c in noun.children)


def bound_attribute(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """Relative clauses, participles and appositions: between commas, or on a noun with an article."""
    head = parsed.tokens[token.head]
    set_off = parsed.tokens[first - 1].text == "," if first else False
    closed = last + 1 >= len(parsed.tokens) or parsed.tokens[last + 1].text in (",", ".", ";")
    if parsed.tokens[first].lower == "how":
        return "one of several"  # "describes a project, how she manages it and a time when …"
    if set_off and any(
        t.dep == "appos" and t.head == head.i and t.i < first - 1 and parsed.tokens[t.left - 1].text == ","
        for t in parsed.tokens[head.i + 1 : first]
    ):
        return "not set off by commas"  # "her friend, Aoki, who lives there, died": both share the last comma
    if token.dep == "appos":
        aside = set_off and closed and token.pos != "NUM" and head.pos in ("NOUN", "PROPN")
        behind = parsed.tokens[last + 2 : last + 3]
        more = [t for t in behind if t.sentence == token.sentence and t.pos in ("DET", "NOUN", "PROPN", "ADJ", "NUM")]
        more += [t for t in parsed.tokens[first:last] if t.text == ","]  # "gives Tom, a friend, a pen, and leaves"
        measured = token.entity in _MEASURES and token.entity != head.entity  # "and Phil, three days"
        aside = aside and not measured and not _closes_aside(parsed, first)
        row = bool(more) or parsed.child(token, "cc") is not None or leaves_a_row_open(parsed, first)
        return "one of several" if row else "" if aside else "not set off by commas"
    if set_off and any(
        t.dep in ("appos", "conj") and t.left == last + 2 and t.head == head.i for t in parsed.tokens[last + 1 :]
    ):
        return "one of several"  # "Jaws, their dog, who is old, Claws, their cat, and Ann"
    aside = token.dep == "acl" and token.tag in ("VBG", "VBN") and last + 1 < len(parsed.tokens)
    if set_off and closed and (token.dep == "relcl" or (aside and parsed.tokens[last + 1].text == ",")):
        return ""
    if token.dep == "relcl" and head.pos == "PROPN" and first == head.i + 1 and parsed.tokens[first].lower == "who":
        named = not any(parsed.tokens[c].dep in ("det", "amod", "conj") for c in head.children)
        named = named and not any(t.lower == "to" and t.pos == "PART" for t in parsed.tokens[first : last + 1])
        return "" if named and head.dep != "conj" else "needed by its noun"  # "Jane who is nice"; not "the Jane who"
    if parsed.tokens[first].lower == "that" and head.dep == "pobj" and lemma_of(head) in _CONTENT:
        return "needed by its noun"  # "in the hope that the lift runs"
    if is_asked_for(parsed, head):
        return "needed by its noun"  # "what food and drink to pick up"
    made = token.tag == "VBN" and _is_had(parsed, head)
    if (token.dep == "acl" and token.tag not in ("VBG", "VBN")) or made or noun_class(head) in _OF_WHAT:
        return "needed by its noun"  # "have a suit made", "the qualities she looks for"
    helper = parsed.child(token, "aux")
    if helper is not None and helper.lower == "to":
        return "needed by its noun"  # "has an essay to write"
    articles = {parsed.tokens[c].lower for c in head.children}
    if token.dep == "relcl" and _is_cleft(parsed, token):
        return "needed by its noun"  # "it is the places where they work that one can meet people"
    if token.dep in ("acl", "relcl") and not articles.isdisjoint(("the", "this")):
        return "needed by its noun"  # "the food he cooks tonight": the clause says which
    if (
        articles.isdisjoint(("the", "a", "an", "this"))
        or lemma_of(head) in BINDING_NOUNS
        or head.dep in ("attr", "conj")
        or occurs_again(parsed, head)
    ):
        return "needed by its noun"
    after = parsed.tokens[last + 1] if last + 1 < len(parsed.tokens) else None
    if after is not None and after.sentence == token.sentence and after.dep in SUBJECTS:
        return "shares what follows"  # "the shop which sells a book Ann wants"
    return "" if first == head.i + 1 else "not beside its noun"
