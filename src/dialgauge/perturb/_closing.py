"""length_reduction: reasons, times and asides that close a text, which the rest can do without."""

from collections.abc import Iterator

from dialgauge.perturb._deletions_times import is_future_by_time
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, finite_part, is_be, is_finite
from dialgauge.perturb._guards import in_quotes, is_definite, lemma_of, noun_class
from dialgauge.perturb._left_behind import is_tied
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._word_tables import word_set

_REASONS = frozenset(["as", "because", "since"])
#: *Only because*, *as late as*: what stays would say something else.
_BINDING = frozenset(
    ["as", "enough", "if", "just", "mainly", "not", "only", "partly", "same", "simply", "so", "such", "unless"]
)
#: Prepositions of what is added behind a comma.
_SET_OFF = frozenset(["at", "despite", "in", "near", "on", "with"])
#: What a verb with tense is in a clause inside a phrase.
_INSIDE = frozenset(["aux", "auxpass", "ccomp", "pcomp", "relcl"])
#: With whose help something is done.
_HELP = frozenset(["advice", "aid", "assistance", "guidance", "help", "support"])
#: The supersenses of things, food, plants and possessions; and verbs that say little without whom it is for.
_GOODS = frozenset((6, 13, 20, 21))
_WANTING = word_set("governing_verbs") | word_set("giving_verbs") | {"lack", "receive", "take"}
_WHEN = frozenset(["at", "for", "in", "on"])
_TIMES = ("DATE", "TIME")
#: What opens a time without a preposition.
_DAYS = frozenset(["last", "next", "this", "today", "tomorrow", "tonight", "yesterday"])
_TIMED = word_set("timed_verbs") | word_set("binding_verbs")
#: What a reason gives of somebody's wishes and feelings is all that is told.
_MIXED = frozenset(["angry", "glad", "happy", "sad", "sorry", "upset", "worried"])
#: Words of a clause that look to the one before it.
_POINTING = frozenset(
    ["another", "both", "else", "one", "ones", "other", "others", "same", "some", "that", "then", "there", "this"]
)


def closing(parsed: Parsed) -> Iterator[Edit]:
    """*Did not come as he is ill*, *cancels his reservation for Sunday*: the last clause or phrase of the last
    sentence."""
    ending = [t for t in parsed.tokens if t.sentence == len(parsed.sentences) - 1]
    if len(ending) < 2 or ending[-1].text != "." or any(t.text in '"()“”:;' or t.lower == "whether" for t in ending):
        return
    for token in ending[2:-2]:
        if in_quotes(parsed, token):
            continue
        reason = token.lower in _REASONS and _is_reason(parsed, token, ending)
        other = _is_other(parsed, token, ending) or _is_aside(parsed, token, ending)
        if reason or other or _is_when(parsed, token, ending) or _is_day(parsed, token, ending):
            comma = parsed.tokens[token.i - 1].text == ","
            yield Edit(parsed.tokens[token.i - 2 if comma else token.i - 1].end, ending[-1].start)
            return


def _is_reason(parsed: Parsed, mark: Token, ending: list[Token]) -> bool:
    """Whether a whole clause stands before the word that opens a reason, and the reason is one clause up to the end."""
    before = [t for t in ending if t.i < mark.i and t.pos != "PUNCT"]
    behind = [t for t in ending if t.i > mark.i and t.pos != "PUNCT"]
    verb = parsed.tokens[mark.head]
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    clause = mark.dep == "mark" and verb.dep == "advcl" and verb.head < mark.i and parsed.child(verb, *SUBJECTS)
    joined = any(t.lower in ("and", "or", "but") for t in behind) or any(t.text == "," for t in ending[mark.i + 1 :])
    bound = any(t.lower in _BINDING | _MIXED for t in before if t.lower != "not") or before[-1].lower == "not"
    opens = before[-1].pos in ("SCONJ", "AUX") or (before[-1].pos == "ADV" and before[-1].head > before[-1].i)
    return whole and bool(clause) and not joined and not bound and not opens


def _is_other(parsed: Parsed, mark: Token, ending: list[Token]) -> bool:
    """*Cannot come because of a cold*, *goes on Monday instead of writing to her*, *…, while Bob stays*: a cause, what
    is not done, or a contrast up to the end, behind a whole clause."""
    before = [t for t in ending if t.i < mark.i and t.pos != "PUNCT"]
    behind = [t for t in ending if t.i > mark.i and t.pos != "PUNCT"]
    if not before or not behind or any(t.text == "," for t in ending if t.i > mark.i):
        return False
    if not any(map(is_finite, before)) or not any(t.dep in SUBJECTS for t in before):
        return False
    pair = (mark.lower, behind[0].lower)
    if pair == ("because", "of"):
        return _is_cause(before, behind)
    set_off = parsed.tokens[mark.i - 1].text == ","
    if set_off and (mark.lower == "not" or pair == ("no", "longer")):
        return _is_denied_instead(before, behind)
    if mark.lower == "with" and behind[-1].lower in _HELP and behind[-1].head == mark.i:
        owned = parsed.child(behind[-1], "poss") is not None and not any(t.dep == "cc" for t in behind)
        return owned and not any(t.lower in NEGATIONS | _BINDING for t in before)
    if mark.lower in ("for", "from") and mark.dep == "prep" and len(behind) == 1 and is_person(parsed, behind[0]):
        bound = any(t.lower in NEGATIONS | _BINDING or lemma_of(t) in _WANTING for t in before)
        return noun_class(before[-1]) in _GOODS and before[-1].pos == "NOUN" and not bound
    if set_off and mark.lower in _SET_OFF and mark.dep == "prep":
        return not any(t.dep == "cc" or is_finite(t) for t in behind) and before[-1].pos in ("NOUN", "PROPN", "PRON")
    if pair in (("instead", "of"), ("rather", "than")):
        return _is_instead(before, behind)
    return mark.lower in ("whereas", "while") and _is_contrast(before, behind)


def _is_cause(before: list[Token], behind: list[Token]) -> bool:
    # "Because of what happened to it", "because of a dent that he made" are one clause.
    joined = any(is_finite(t) and t.dep not in _INSIDE for t in behind)
    joined = joined or (any(map(is_finite, behind)) and any(t.dep == "cc" for t in behind))
    bound = any(t.lower in (_BINDING | _MIXED) - {"not"} for t in before) or before[-1].lower == "not"
    return not joined and not bound and before[-1].pos not in ("ADV", "SCONJ", "AUX") and not is_be(before[-1])


def _is_denied_instead(before: list[Token], behind: list[Token]) -> bool:
    """*Works at a hotel, no longer at the bakery*."""
    joined = any(t.dep == "cc" or is_finite(t) for t in behind)
    return not joined and not any(t.lower in NEGATIONS | _BINDING for t in before)


def _is_instead(before: list[Token], behind: list[Token]) -> bool:
    joined = any(t.dep == "cc" or is_finite(t) for t in behind[1:])
    compared = any(t.lower in NEGATIONS | _BINDING or t.tag in ("JJR", "RBR") for t in before)
    return not joined and not compared and before[-1].pos in ("NOUN", "PROPN", "NUM", "PRON")


def _is_contrast(before: list[Token], behind: list[Token]) -> bool:
    own = any(t.left == behind[0].i and t.dep in SUBJECTS for t in behind) and any(map(is_finite, behind))
    joined = any(t.lower in ("or", "but") for t in behind)
    bound = any(t.lower in (_BINDING | _POINTING) - {"not", "so", "that", "this"} for t in before)
    return own and not joined and not bound and behind[0].pos in ("DET", "NOUN", "PRON", "PROPN")


def _is_aside(parsed: Parsed, which: Token, ending: list[Token]) -> bool:
    """*…, which spares her 60 euros*, *…, who lives near*: behind the comma before the end, of nothing denied."""
    before = [t for t in ending if t.i < which.i]
    behind = [t for t in ending if t.i > which.i]
    relative = which.lower in ("where", "which", "who", "whose")
    relative = relative or (which.tag == "IN" and behind[0].lower in ("which", "whom"))  # ", for which he pays"
    opens = relative and before[-1].text == "," and any(map(is_finite, behind))
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    bound = any(t.lower in _BINDING - {"not"} for t in before) or any(t.text == "," for t in [*before[:-1], *behind])
    joined = any(t.dep == "cc" for t in behind)
    return opens and whole and not bound and not joined


def _is_when(parsed: Parsed, phrase: Token, ending: list[Token]) -> bool:
    """Whether a phrase of time behind what somebody does closes a sentence in which nothing is denied."""
    noun = parsed.child(phrase, "pobj")
    thing = parsed.tokens[phrase.head]
    if phrase.lower not in _WHEN or phrase.dep != "prep" or noun is None or noun.entity not in _TIMES:
        return False
    if phrase.lower == "for" and parsed.child(noun, "nummod") is not None:
        return False  # "has savings for eight months"
    closes = noun.right == ending[-2].i and thing.i == phrase.i - 1 and thing.dep == "dobj"
    denied = any(t.lower in NEGATIONS or t.lower in _BINDING for t in ending)
    denied = denied or is_future_by_time(parsed, phrase.left, phrase.right, parsed.tokens[thing.head])
    return closes and not denied


def _is_day(parsed: Parsed, first: Token, ending: list[Token]) -> bool:
    """*Goes there for a date next weekend*, where the parser gives the time to the noun before it."""
    before, time = [t for t in ending if t.i < first.i], [t for t in ending[:-1] if t.i >= first.i]
    if first.lower not in _DAYS or any(t.entity not in _TIMES for t in time):
        return False
    denied = any(t.lower in NEGATIONS | _BINDING or t.entity in _TIMES or t.pos == "PUNCT" for t in before)
    bound = any(lemma_of(t) in _TIMED or is_future_by_time(parsed, first.i, time[-1].i, t) for t in before)
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    return whole and not denied and not bound and before[-1].pos in ("NOUN", "PROPN") and before[-1].dep == "pobj"


def leads_up(parsed: Parsed, joint: int) -> bool:
    """*Ann and Bob stay away, so Will travels alone*: what stands before *so* or *but* is a statement, not what
    somebody says, and the clause behind it points back to nothing."""
    before, behind = parsed.tokens[:joint], parsed.tokens[joint + 1 :]
    if parsed.tokens[joint].lower not in ("and", "but", "so") or behind[0].tag not in ("NNP", "NNPS", "DT", "NNS"):
        return False
    told = any(t.dep == "ccomp" and t.head < joint for t in before) or any(t.lower == "if" for t in before)
    nouns = {lemma_of(t) for t in before if t.pos == "NOUN"}
    again = any(t.pos == "NOUN" and is_definite(parsed, t) and lemma_of(t) in nouns for t in behind)
    pointing = any(t.tag in ("PRP", "PRP$") or t.lower in _POINTING for t in behind)
    return not told and not again and not pointing and not is_tied(parsed.text[behind[0].start :])


def earlier_verb(parsed: Parsed, joint: int, second: Token) -> int | None:
    """*Is employed and will report soon*: where the first of two verbs begins, if the second one says all that is to
    come and points back to nothing."""
    first = parsed.tokens[second.head]
    who = parsed.child(first, *SUBJECTS)
    if second.dep != "conj" or second.pos not in ("VERB", "AUX") or first.dep != "ROOT" or who is None:
        return None
    if parsed.child(second, *SUBJECTS) is not None or finite_part(parsed, second) is None or joint < who.right:
        return None
    behind = parsed.tokens[joint + 1 : second.right + 1]
    pointing = any(t.tag in ("PRP", "PRP$") or t.lower in _POINTING for t in behind)
    nouns = {lemma_of(t) for t in parsed.tokens[who.right + 1 : joint] if t.pos in ("NOUN", "PROPN")}
    again = any(lemma_of(t) in nouns for t in behind if t.pos in ("NOUN", "PROPN"))
    comma = any(t.text == "," for t in parsed.tokens[who.right + 1 : joint])
    bare = second.right == second.i or behind[0].pos not in ("AUX", "VERB")
    bare = bare or not is_finite(parsed.tokens[who.right + 1]) or parsed.text[parsed.tokens[who.right].end] != " "
    return None if pointing or again or comma or bare or parsed.tokens[joint].lower != "and" else who.right + 1
