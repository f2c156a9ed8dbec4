"""length_reduction: shorter, in whole sentences: what is told beside the main point goes, the rest stays true."""

import re
from collections.abc import Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import propose_drop
from dialgauge.perturb._baseline_dropping import cut, opens_clause
from dialgauge.perturb._closing import closing, earlier_verb, leads_up
from dialgauge.perturb._deletions import dispensable
from dialgauge.perturb._deletions_limits import last_clause
from dialgauge.perturb._deletions_scope import is_bare_without
from dialgauge.perturb._deletions_times import is_future_by_time
from dialgauge.perturb._domain_text import (
    CITATION,
    FUNCTION_WORDS,
    NAMED,
    lost_facts,
    names,
    negations,
    new_facts,
    numbers,
    word_count,
)
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, hyphenated, is_be, is_finite, subject
from dialgauge.perturb._guards import DENYING, following, in_quotes, lemma_of, under_negation
from dialgauge.perturb._importance import removal, tells_outcome
from dialgauge.perturb._lesser_sentences import first_can_go, lesser_sentences
from dialgauge.perturb._lexicon import word_list
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._rows import middles
from dialgauge.perturb._shorter_wording import REWORDING
from dialgauge.perturb._word_tables import word_set

#: The bound on the ratio of words that the validator requires, and what the rules aim for.
_SHORTER, _AIM_SHORTER = 0.90, 0.80
#: A number or a negation may go with a phrase of at least so many words.
_LEAST_PHRASE = 2
#: At least this share of the words stays where clauses and sentences go, and where nothing smaller can go.
_LEAST, _VERY_LEAST = 1 / 3, 0.25

_FILLERS = word_list("fillers")
_PARTICLES = word_list("particles")
_EVALUATIVE = word_list("evaluative")
#: A passage of only these (and grammar) describes emotions or behaviour, not facts.
_NO_FACT = FUNCTION_WORDS | _FILLERS | _EVALUATIVE | word_list("feelings")
#: Verbs that say nothing without the phrase of place that follows ("put the bill on hold").
_NEED_A_PLACE = word_list("need_a_place")
_PREPOSITIONS = word_list("adjunct_prepositions")
_MARKS = frozenset(["although", "though", "while", "as", "since", "when", "once", "so"])
#: Adverbs that only say that it is soon or has been.
_SOON = frozenset(["afterwards", "immediately", "lately", "later", "now", "recently", "shortly", "soon"])
_REASONS = frozenset(["because", "since", "so", "as", "why", "due"])
_NAMING = NAMED | {"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"}
_FELT = frozenset(["care", "know", "like", "mind", "remember", "think", "understand", "wonder"])
#: A sentence of fewer words says hardly anything.
_FEWEST = 4
#: What a verb is where what it says holds, or is wanted.
_STATED = frozenset(["ROOT", "conj", "ccomp", "xcomp"])
_PLANNED = frozenset(["will", "'ll", "going", "gonna"])
#: What is wanted, asked or tried may come to nothing.
_UNDONE = (word_set("governing_verbs") | {"dream", "suggest"}) - {
    *("be", "get", "go", "have", "help", "learn", "like", "love", "manage", "remind", "start", "take", "teach", "tell"),
}
#: Words that open a clause without which the sentence says something else.
_PROTECTED = NEGATIONS | {"if", "unless", "until", "only", "except", "but"}


def _propose_reduction(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    text = parsed.text
    total = word_count(text)
    edits: list[Edit] = []
    slight: list[Edit] = []  # takes away hardly anything that was told: "discuss" for "talk about"
    for tier in (*REWORDING, _asides, _fillers, _clauses, _adjuncts, _phrases, _described, _when):
        found = list(tier(parsed))
        slight += found if tier in (*REWORDING, _fillers) else ()
        rng.shuffle(found)
        for edit in found:
            if word_count(apply_edits(text, edits)) < _AIM_SHORTER * total:
                break
            if all(edit.end <= other.start or other.end <= edit.start for other in edits):
                edits.append(edit)
    # What is told beside the main point goes only where nothing else made it shorter, and no more of it than needed:
    # first phrases, those without numbers, names and reasons before the others, then a whole sentence.
    lesser_points = [*_lesser_points(parsed, dialogue)]
    for lesser in lesser_points:
        if word_count(apply_edits(text, edits)) < _SHORTER * total and not {*edits} <= {*slight}:
            break
        kept = [other for other in edits if not any(_overlap(edit, other) for edit in lesser)]
        if _bares_verb(parsed, [*kept, *lesser]):
            continue  # "hunt for a job on the web": one of the two stays
        if word_count(apply_edits(text, [*kept, *lesser])) >= _LEAST * total:
            edits = [*kept, *lesser]
    if word_count(apply_edits(text, edits)) >= _SHORTER * total or {*edits} <= {*slight}:
        # Of "at 8 tomorrow" one can go, and a sentence without "discuss" for "are talking about" besides.
        bounds = (_VERY_LEAST * total, _SHORTER * total)
        alone = [one for one in lesser_points if bounds[0] <= word_count(apply_edits(text, one)) < bounds[1]]
        if not alone:
            reason = f"fewer than {1 - _SHORTER:.0%} of the words can be removed without losing the main point"
            return NotApplicable(reason)
        edits = alone[0]
    return edits


def _bares_verb(parsed: Parsed, edits: Sequence[Edit]) -> bool:
    """Whether a verb that stays would lose all of several phrases that stood behind it."""
    gone = {t.i for t in parsed.tokens if any(e.start <= t.start and t.end <= e.end for e in edits)}
    return any(
        len(lost) > 1 and is_bare_without(parsed, gone, parsed.tokens[lost[-1]])
        for verb in parsed.tokens
        if verb.pos == "VERB" and verb.i not in gone
        for lost in [[c for c in verb.children if c in gone and parsed.tokens[c].dep in ("prep", "npadvmod", "advcl")]]
    )


def _overlap(first: Edit, second: Edit) -> bool:
    return first.start < second.end and second.start < first.end


def _fillers(parsed: Parsed) -> Iterator[Edit]:
    for token in parsed.tokens:
        if token.lower in _FILLERS and token.dep == "advmod" and not token.children and not hyphenated(parsed, token):
            following = parsed.tokens[token.i + 1].lower if token.i + 1 < len(parsed.tokens) else ""
            before = parsed.tokens[token.i - 1].lower if token.i else ""
            # "not only … but also", and "first … then" without an "and".
            joins = before == "but" if token.lower == "also" else token.lower == "then" and before != "and"
            joins = joins or (token.lower in ("however", "therefore") and before in (",", ";"))
            joins = joins or before in NEGATIONS  # "not far away"
            joins = joins or (token.lower == "just" and parsed.tokens[token.head].tag != "VBN")  # "just says it": only
            joins = joins or (token.lower == "then" and parsed.tokens[token.head].pos == "ADP")  # "and then to a bar"
            joins = joins or parsed.tokens[token.head].pos == "ADV"  # "very much"
            joins = joins or (token.lower == "then" and any(t.lower == "first" for t in parsed.tokens[: token.i]))
            particle = token.lower in _PARTICLES and parsed.tokens[token.head].pos == "VERB"  # "wins them over"
            denied = under_negation(parsed, token)  # "cannot quite understand"
            if following not in ("than", "as", "if", "though", "that") and not joins and not particle and not denied:
                yield _with_commas(parsed, token.start, token.end)


def _asides(parsed: Parsed) -> Iterator[Edit]:
    """Brackets, appositions and clauses with *which* or *who* that stand between commas."""
    for match in re.finditer(r"\s*\([^()]*\)", parsed.text):
        if not _holds_facts(parsed, *match.span()):
            yield Edit(*match.span())
    for token in parsed.tokens:
        if token.dep in ("appos", "relcl") and _detached(parsed, token):
            yield from _dropped(parsed, token)


def _clauses(parsed: Parsed) -> Iterator[Edit]:
    """Participles and adverbial clauses set off by a comma: ``…, leaving far happier than he came``."""
    for token in parsed.tokens:
        if token.dep in ("advcl", "acl") and token.pos in ("VERB", "AUX", "ADJ"):
            first = parsed.subtree(token)[0]
            if _detached(parsed, token) and (token.tag == "VBG" or first.lower in _MARKS):
                yield from _dropped(parsed, token)


def _adjuncts(parsed: Parsed) -> Iterator[Edit]:
    """Phrases of place, time and manner that hang on a verb which has its object, or that open a sentence."""
    for token in parsed.tokens:
        if token.dep != "prep" or token.lower not in _PREPOSITIONS:
            continue
        head = parsed.tokens[token.head]
        if parsed.child(token, "pobj", "pcomp") is None:
            continue  # "tried the skirts on"
        complete = parsed.child(head, "dobj", "nsubjpass", "acomp") is not None
        if head.pos not in ("VERB", "AUX") or head.lemma in _NEED_A_PLACE or head.dep in ("relcl", "acl"):
            continue
        if complete or _detached(parsed, token):
            yield from _dropped(parsed, token)


def _phrases(parsed: Parsed) -> Iterator[Edit]:
    """Phrases that the rest can do without, and that hold no number, name, reason or statement of their own."""
    for first, last, token in dispensable(parsed):
        stretch = parsed.tokens[first : last + 1]
        if (
            token.dep != "conj"
            and _is_light(parsed, stretch)
            and not any(t.pos == "PROPN" or t.entity in _NAMING for t in stretch)
        ):
            yield from cut(parsed, range(first, last + 1))


def _lesser_points(parsed: Parsed, dialogue: Dialogue | None) -> Iterator[list[Edit]]:
    """What can go, the least important first: phrases without numbers, names and reasons, the shortest first; the other
    phrases; times and clauses at the end; sentences; then what a sentence was written for."""
    found = [(first, last, token) for first, last, token in dispensable(parsed) if not _is_condition(parsed, first)]
    news = [(first, last) for first, last, token in found if _is_news(parsed, first, token)]
    phrases = [(first, last, token) for first, last, token in found if (first, last) not in news]
    why = [(first, last) for first, last, token in phrases if _is_news_of(parsed, parsed.tokens[first])]
    rest = [(first, last) for first, last, _ in phrases if (first, last) not in why]
    for first, last in sorted(rest, key=lambda p: (_weight(parsed, *p), p[1] - p[0], p)):
        yield cut(parsed, range(first, last + 1))
    yield from ([edit] for edit in middles(parsed))
    ends = [(edit, _is_news_of(parsed, _opening(parsed, edit))) for edit in closing(parsed)]
    yield from ([edit] for edit, told in ends if not told)
    clause = last_clause(parsed)
    taken = clause is not None and _takes_back(parsed, *clause)
    ending = [] if clause is None or taken else [_without_clause(parsed, *clause)]
    point = clause is not None and _tells_point(parsed, *clause)
    if ending and not point:
        yield ending
    if (semicolon := _last_semicolon(parsed)) is not None:
        stop = parsed.text[parsed.tokens[semicolon].start - 1] == "."  # of "4 p.m."
        yield [Edit(parsed.tokens[semicolon].start, parsed.tokens[-1].end if stop else parsed.tokens[-1].start)]
    for place in lesser_sentences(parsed, dialogue):
        yield removal(parsed, [place])
    for first, last in why:
        yield cut(parsed, range(first, last + 1))
    yield from ([edit] for edit, told in ends if told)
    if len(parsed.sentences) > 1:  # of one sentence, the news is all that it tells
        for first, last in news:
            yield cut(parsed, range(first, last + 1))
        if ending and point:
            yield ending
        if first_can_go(parsed):
            yield removal(parsed, [0])
        return
    if clause is not None and point and leads_up(parsed, clause[0]):
        yield [Edit(0, parsed.tokens[clause[0] + 1].start)]
    if ending and clause is not None and _is_beside(parsed, *clause):
        yield ending
    for token in parsed.tokens:
        joint = token.left - 1
        if joint > 0 and (opening := earlier_verb(parsed, joint, token)) is not None:
            yield [Edit(parsed.tokens[opening].start, parsed.tokens[joint + 1].start)]
    for first, last in news:  # of two statements the second one; not what follows from the first one, or takes it back
        if parsed.tokens[first].lower == "and":
            yield cut(parsed, range(first, last + 1))


def _weight(parsed: Parsed, first: int, last: int) -> int:
    """How much a phrase tells: an outcome, a reason or a negation, a number or a name, or nothing of these."""
    stretch = parsed.tokens[first : last + 1]
    if tells_outcome(parsed.text[stretch[0].start : stretch[-1].end]):
        return 3
    if not _is_light(parsed, stretch):
        return 2
    return int(any(t.pos == "PROPN" or t.entity in _NAMING for t in stretch))


def _opening(parsed: Parsed, edit: Edit) -> Token:
    """The first word of a stretch that goes."""
    return next(t for t in parsed.tokens if t.start >= edit.start and t.pos != "PUNCT")


def _is_news_of(parsed: Parsed, opening: Token) -> bool:
    """*Is cross because nobody came*, *thinks people laugh because …*, *called as …*: a reason without which a sentence
    says only what somebody feels or thinks, or hardly anything."""
    if opening.lower not in _REASONS:
        return False
    before = [t for t in parsed.tokens[: opening.i] if t.sentence == opening.sentence and t.pos != "PUNCT"]
    felt = any(lemma_of(t) in _FELT or is_be(t) for t in before)
    return felt or len(before) < _FEWEST


def _without_clause(parsed: Parsed, first: int, last: int) -> Edit:
    before = parsed.tokens[first - 1]
    return Edit(before.start if before.text == "," else before.end, parsed.tokens[last].end)


def _is_condition(parsed: Parsed, first: int) -> bool:
    """*Provided that her report is good and she gets a 3*: of two conditions none may go."""
    sentence = [t.lower for t in parsed.tokens[:first] if t.sentence == parsed.tokens[first].sentence]
    return "provided" in sentence


def _is_news(parsed: Parsed, first: int, token: Token) -> bool:
    """Whether a phrase is a second clause that tells the point."""
    clause = token.dep == "conj" and token.pos in ("VERB", "AUX") and parsed.tokens[token.head].dep in ("ROOT", "conj")
    return clause and _tells_point(parsed, first, token.right)


def _tells_point(parsed: Parsed, first: int, last: int) -> bool:
    """*…, but his flight is late*, *…, so they stay*, *… and will ask him*: what comes of it is the news, and the
    clause before only explains it."""
    joint = next((t for t in parsed.tokens[max(first - 1, 0) : first + 1] if t.lower in ("but", "so", "yet")), None)
    clause = parsed.tokens[first : last + 1]
    before = [t.lower for t in parsed.tokens[:first] if t.sentence == clause[0].sentence]
    planned = [t for t in clause[:5] if t.lower in _PLANNED and (t.lower != "going" or _next_is_to(parsed, t))]
    # "And he thinks that she will stay" is no plan.
    coming = any(not first <= parsed.tokens[_main_of(parsed, t)].head <= last for t in planned)
    plan = coming and _PLANNED.isdisjoint(before)
    felt = any(lemma_of(t) in _FELT for t in clause)  # "…, but he doesn't mind"
    return (joint is not None and not felt) or plan


def _takes_back(parsed: Parsed, first: int, last: int) -> bool:
    """*…, but it's not hers*, *…, but he refuses*: what one would conclude from the clause before is denied."""
    clause = parsed.tokens[first : last + 1]
    return clause[0].lower == "but" and any(t.lower in NEGATIONS or lemma_of(t) in DENYING for t in clause)


def _is_beside(parsed: Parsed, first: int, last: int) -> bool:
    """*Tells her that he loves her, but she has a friend*: what is told before *but* has happened or is so, and what
    somebody does or says behind it does not undo it."""
    before, clause = parsed.tokens[:first], parsed.tokens[first + 1 : last + 1]
    wanted = any((t.pos == "VERB" and lemma_of(t) in _UNDONE) or t.lower in _PLANNED or t.tag == "MD" for t in before)
    who = next((t for t in clause if t.dep in SUBJECTS), None)
    if parsed.tokens[first].lower != "but" or wanted or who is None or who.left != first + 1:
        return False
    denied = any(t.lower in NEGATIONS for t in before)
    own = any(t.tag == "PRP$" for t in parsed.tokens[who.left : who.i])  # "arrived, but his flight is late"
    another = who.pos in ("NOUN", "PROPN") and not own and all(t.text != who.text for t in before)
    return another or (not denied and (who.pos == "PROPN" or who.lower in ("he", "she", "they")))


def _next_is_to(parsed: Parsed, token: Token) -> bool:
    return any(t.lower == "to" for t in parsed.tokens[token.i + 1 : token.i + 2])


def _main_of(parsed: Parsed, helper: Token) -> int:
    """The place of the verb that a helper belongs to."""
    return helper.head if helper.dep == "aux" else helper.i


def _last_semicolon(parsed: Parsed) -> int | None:
    """The only semicolon of the last sentence, where a whole clause stands before it, and a full stop at its end."""
    ending = [t for t in parsed.tokens if t.sentence == parsed.tokens[-1].sentence]
    marks = [t.i for t in ending if t.text == ";"]
    if len(marks) != 1 or ending[-1].text != ".":
        return None
    before = [t for t in ending if t.i < marks[0]]
    whole = any(is_finite(t) and subject(parsed, t) is not None for t in before)
    quoted = in_quotes(parsed, parsed.tokens[marks[0]])
    opened = parsed.text.count("(", before[0].start, before[-1].end) - parsed.text.count(
        ")", before[0].start, before[-1].end
    )
    return marks[0] if whole and not quoted and not opened else None


def _is_light(parsed: Parsed, stretch: Sequence[Token]) -> bool:
    words = {token.lower for token in stretch}
    return (
        not words & _REASONS and not words & NEGATIONS and not numbers(parsed.text[stretch[0].start : stretch[-1].end])
    )


def _when(parsed: Parsed) -> Iterator[Edit]:
    """*Soon*, *now*: at the end of a clause that holds without them, one of them at most."""
    for token in parsed.tokens:
        verb, after = parsed.tokens[token.head], following(parsed, token)
        ends = after is None or after.text in (".", "!", ";") or after.dep == "cc"
        soon = token.lower in _SOON or (token.lower == "together" and _are_several(parsed, verb))
        alone = soon and token.dep == "advmod" and not token.children and ends
        before = parsed.tokens[token.i - 1] if token.i else token
        whole = (
            verb.pos == "VERB" and verb.i < token.i - 1 and before.text != "," and before.pos not in ("ADV", "CCONJ")
        )
        # "Cannot come now. He will come later.", "is cooking later"
        other = any(t.lower in _SOON and t.i != token.i for t in parsed.tokens)
        other = other or is_future_by_time(parsed, token.i, token.i, verb)
        if alone and whole and not other and not under_negation(parsed, token) and verb.dep in _STATED:
            yield Edit(token.start - 1, token.end)
            return


def _are_several(parsed: Parsed, verb: Token) -> bool:
    who = subject(parsed, verb)
    return who is not None and parsed.child(who, "conj") is not None


def _described(parsed: Parsed) -> Iterator[Edit]:
    """Adjectives that only describe."""
    proposed = propose_drop(parsed, None, Random(0), 1)
    yield from () if isinstance(proposed, NotApplicable) else proposed.edits


def _dropped(parsed: Parsed, token: Token) -> Iterator[Edit]:
    stretch = parsed.subtree(token)
    start, end = stretch[0].start, stretch[-1].end
    inside_one = all(t.sentence == token.sentence for t in stretch)
    if token.unbroken and inside_one and not _holds_facts(parsed, start, end) and stretch[-1].text not in ".;:":
        yield _with_commas(parsed, start, end)


def _holds_facts(parsed: Parsed, start: int, end: int) -> bool:
    """Whether a passage has facts, not only emotions or behaviour; facts must not be lost."""
    text = parsed.text[start:end]
    words = {word.lower() for word in re.findall(r"[^\W_]+(?:['’]t)?", text)}
    return bool(numbers(text) or words & names(parsed) or words & _PROTECTED or words - _NO_FACT)


def _detached(parsed: Parsed, token: Token) -> bool:
    """Whether a comma (or the start of the sentence) sets this phrase off from what comes before."""
    first, last = parsed.subtree(token)[0], parsed.subtree(token)[-1]
    before = parsed.text[: first.start].rstrip()
    after = parsed.text[last.end : last.end + 1]
    opens = any(start == first.start for start, _ in parsed.sentences)
    return (before.endswith(",") and after in (",", ".", ";")) or (opens and after == ",")


def _with_commas(parsed: Parsed, start: int, end: int) -> Edit:
    """The stretch with the comma that belongs to it: both where it stands between two, the one after at the start."""
    text = parsed.text
    before = re.search(r",\s*$", text[:start])
    after = re.match(r",", text[end:])
    opens = any(s == start for s, _ in parsed.sentences)
    if opens:
        lead = re.match(r",?\s*", text[end:])
        return Edit(start, end + (lead.end() if lead else 0))
    if before and after:
        behind = next((t.i for t in parsed.tokens if t.start > end), len(parsed.tokens))
        return Edit(before.start(), end + (not opens_clause(parsed, behind)))
    if before and re.match(r"[.;!?]", text[end:]):
        return Edit(before.start(), end)
    return Edit(start, end)


def _validate_reduction(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Fewer words, no new number, and no negation or number that went without the phrase or sentence it stood in."""
    ratio = word_count(result) / max(word_count(original), 1)
    if ratio >= _SHORTER:
        return f"the result has {ratio:.0%} of the words; it must have less than {_SHORTER:.0%}"
    if ratio < _VERY_LEAST:
        return f"too much is lost: {ratio:.0%} of the words are left; at least {_VERY_LEAST:.0%} must stay"
    gone = [original[e.start : e.end] for e in edits if word_count(original[e.start : e.end]) >= _LEAST_PHRASE]
    whole = all(len(e.replacement) <= e.end - e.start for e in edits)
    lost = numbers(original) - numbers(result) - frozenset().union(*map(numbers, gone))
    if lost or not whole:
        return lost_facts(original, result, parsed) or new_facts(original, result) or negated(original, result)
    told = original if not gone else " ".join(_outside(original, edits, gone))
    return new_facts(original, result) or negated(told, result)


def _outside(original: str, edits: Sequence[Edit], gone: Sequence[str]) -> Iterator[str]:
    """The text without the stretches that went as a whole."""
    position = 0
    for edit in edits:
        if original[edit.start : edit.end] in gone:
            yield original[position : edit.start]
            position = edit.end
    yield original[position:]


def negated(original: str, result: str) -> str | None:
    """A complaint if negations came or went."""
    before, after = negations(original), negations(result)
    return (
        None
        if abs(before - after) <= 1 and (before == 0) <= (after <= 1)
        else f"negations went from {before} to {after}"
    )


LENGTH_REDUCTION = Perturbation(
    name="length_reduction",
    family="domain",
    description="Leaves out what matters least (a phrase, a clause or a sentence) and shortens wordings; what is left"
    " stays true",
    # The least important of a short summary still is a part of what was told: readers miss it.
    effects={"consistency": "preserves", "relevance": "degrades"},
    propose=_propose_reduction,
    validate=_validate_reduction,
    needs=frozenset({"parse"}),
    version="16",
    citation=CITATION,
    examples=(
        (
            "The agent, who was very polite, cancelled the card in the afternoon.",
            "The agent cancelled the card in the afternoon.",
        ),
    ),
)
register(LENGTH_REDUCTION)
