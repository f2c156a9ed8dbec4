"""length_reduction: shorter, in whole sentences: what is told beside the main point goes, the rest stays true."""

import re
from collections.abc import Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import propose_drop
from dialgauge.perturb._baseline_dropping import cut, opens_clause
from dialgauge.perturb._closing import closing
from dialgauge.perturb._deletions import dispensable
from dialgauge.perturb._deletions_limits import last_clause
from dialgauge.perturb._deletions_scope import is_bare_without
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
from dialgauge.perturb._grammar import NEGATIONS, can_be_verb, finite_part, hyphenated, is_finite, subject
from dialgauge.perturb._guards import following, in_quotes, lemma_of, under_negation
from dialgauge.perturb._importance import removal, tells_outcome
from dialgauge.perturb._lesser_sentences import lesser_sentences
from dialgauge.perturb._lexicon import word_list
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import word_set

#: The bound on the ratio of words that the validator requires, and what the rules aim for.
_SHORTER, _AIM_SHORTER = 0.90, 0.80
#: A number or a negation may go with a phrase of at least so many words.
_LEAST_PHRASE = 2
#: At least this share of the words stays where clauses and sentences go.
_LEAST = 1 / 3

_WORDY = tuple(
    (re.compile(rf"\b{long}\b", re.IGNORECASE), short)
    for long, short in (
        ("in order to", "to"),
        ("due to the fact that", "because"),
        ("as a result of", "from"),
        ("at this point in time", "now"),
        ("in the meantime", "meanwhile"),
        ("a large number of", "many"),
        ("with regard to", "about"),
        ("is able to", "can"),
        ("was able to", "could"),
        ("in addition to", "besides"),
        ("as well as", "and"),
        ("prior to", "before"),
        ("free of charge", "free"),
        ("at no cost", "free"),
        ("as soon as(?! possible)", "once"),
        ("at the moment", "now"),
        ("right now", "now"),
        ("so that", "so"),
        ("together with", "with"),
        ("all of the", "all the"),
        ("both of them", "both"),
        ("get in touch with", "contact"),
        ("gets in touch with", "contacts"),
        ("talk about", "discuss"),
        ("talks about", "discusses"),
        ("talked about", "discussed"),
        ("talking about", "discussing"),
        ("looking for", "seeking"),
        ("come back", "return"),
        ("comes back", "returns"),
        ("coming back", "returning"),
        ("came back", "returned"),
        ("put off", "postpone"),
        ("puts off", "postpones"),
        ("(?:is|are) supposed to", "should"),
    )
)
#: What two people are doing is what they do in a summary.
_TALKING = re.compile(r"\b(is|are) (discussing|talking about)\b")
#: Long forms that are another verb form as they stand.
_BASE_FORMS = frozenset(["come back", "put off", "talk about"])
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
_SOON = frozenset(["afterwards", "anyway", "immediately", "lately", "later", "now", "recently", "shortly", "soon"])
_REASONS = frozenset(["because", "since", "so", "as", "why", "due"])
_NAMING = NAMED | {"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"}
#: Verbs after which a name may be that of the hearer.
_WITH_HEARER = word_set("giving_verbs") | {"ask", "notify", "promise", "remind", "show", "tell", "warn", "write"}
#: Verbs that are as common without *that* (*she panicked the thief* is misread).
_WITHOUT_THAT = word_set("knowing_verbs") | {"believe", "claim", "fear", "feel", "guess", "hope", "promise", "suspect"}
_FELT = frozenset(["care", "know", "like", "mind", "remember", "think", "understand", "wonder"])
_WAYS = frozenset(["around", "over", "round", "through"])
_PLANNED = frozenset(["will", "'ll", "going", "gonna"])
#: Words that open a clause without which the sentence says something else.
_PROTECTED = NEGATIONS | {"if", "unless", "until", "only", "except", "but"}


def _propose_reduction(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int
) -> Sequence[Edit] | NotApplicable:
    text = parsed.text
    total = word_count(text)
    edits: list[Edit] = []
    reworded: list[Edit] = []
    for tier in (*_REWORDING, _asides, _fillers, _clauses, _adjuncts, _phrases, _described, _when):
        found = list(tier(parsed))
        reworded += found if tier in _REWORDING else ()
        rng.shuffle(found)
        for edit in found:
            if word_count(apply_edits(text, edits)) < _AIM_SHORTER * total:
                break
            if all(edit.end <= other.start or other.end <= edit.start for other in edits):
                edits.append(edit)
    # What is told beside the main point goes only where nothing else made it shorter, and no more of it than needed:
    # first phrases, those without numbers and reasons before the others, then a whole sentence.
    for lesser in _lesser_points(parsed, dialogue):
        if word_count(apply_edits(text, edits)) < _SHORTER * total and not {*edits} <= {*reworded}:
            break
        kept = [other for other in edits if not any(_overlap(edit, other) for edit in lesser)]
        if _bares_verb(parsed, [*kept, *lesser]):
            continue  # "hunt for a job on the web": one of the two stays
        if word_count(apply_edits(text, [*kept, *lesser])) >= _LEAST * total:
            edits = [*kept, *lesser]
    # "Discuss" for "talk about" takes away nothing that was told.
    if word_count(apply_edits(text, edits)) >= _SHORTER * total or {*edits} <= {*reworded}:
        return NotApplicable(f"fewer than {1 - _SHORTER:.0%} of the words can be removed without losing the main point")
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


def _wordy(parsed: Parsed) -> Iterator[Edit]:
    for pattern, short in _WORDY:
        for match in pattern.finditer(parsed.text):
            rest = parsed.text[match.end() :].partition(".")[0]
            if match.group().endswith("about") and (" about " in rest or not re.match(r"\s+[\w#]", rest)):
                continue  # "talk about the weather and about sports", "what they talked about"
            verb = next((t for t in parsed.tokens if t.start == match.start()), None)
            if verb is not None and verb.pos == "NOUN" and verb.dep != "ROOT":
                continue  # "talks about the pay go on"
            if short == "with" and verb is not None and parsed.tokens[verb.i - 1].pos == "VERB":
                continue  # "get together with her"
            base = verb is not None and (verb.tag in ("VB", "VBP") or (verb.dep == "ROOT" and verb.tag == "NN"))
            if match.group().lower() in _BASE_FORMS and not base:
                continue  # "was put off", "has come back"
            yield Edit(*match.span(), short.capitalize() if match.group()[0].isupper() else short)


def _talking(parsed: Parsed) -> Iterator[Edit]:
    """*Are talking about* → *discuss*, where they talk about one thing."""
    for match in _TALKING.finditer(parsed.text):
        rest = parsed.text[match.end() :].partition(".")[0]
        if " about " not in rest and re.match(r"\s+[\w#]", rest):
            yield Edit(*match.span(), "discusses" if match[1] == "is" else "discuss")


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


def _shorter_verbs(parsed: Parsed) -> Iterator[Edit]:
    """*is going to pay* → *will pay*, *has to pay* → *must pay*, *says that he pays* → *says he pays*, *both*, *who
    is*."""
    for token in parsed.tokens:
        follows = parsed.child(token, "xcomp")
        to = parsed.child(follows, "aux") if follows is not None else None
        helper = parsed.child(token, "aux")
        infinitive = follows is not None and to is not None and to.lower == "to" and can_be_verb(follows.lower)
        if infinitive and to is not None and to.i == token.i + 1:
            if (
                token.lower == "going"
                and helper is not None
                and helper.lower in ("is", "are")
                and helper.i == token.i - 1
            ):
                yield Edit(helper.start, to.end, "will")
            if (
                token.lower in ("has", "have")
                and helper is None
                and token.tag in ("VBZ", "VBP")
                and parsed.child(token, "nsubj")
            ):
                yield Edit(token.start, to.end, "must")
        if token.lower == "that" and token.dep == "mark" and _is_optional(parsed, token):
            yield _with_space(parsed, token.start, token.end)
        if token.lower == "both" and token.dep in ("preconj", "det") and parsed.child(parsed.tokens[token.head], "cc"):
            yield _with_space(parsed, token.start, token.end)
        if token.dep == "relcl" and token.tag in ("VBG", "VBN"):
            who, be = parsed.child(token, "nsubj", "nsubjpass"), parsed.child(token, "aux", "auxpass")
            if (
                who
                and be
                and who.tag in ("WP", "WDT")
                and be.lemma == "be"
                and token.lemma != "be"
                and (who.i, be.i) == (token.i - 2, token.i - 1)
                and not _shares_pronoun(parsed, token)
            ):
                yield _with_space(parsed, who.start, be.end)


#: What says the same in fewer words.
_REWORDING = (_talking, _wordy, _shorter_verbs)


def _is_optional(parsed: Parsed, that: Token) -> bool:
    """*Says that he pays*: right behind its verb, or behind whom somebody tells, and before a clause with tense (not
    *asks that he be paid*, *comforts her that he pays*)."""
    verb = parsed.tokens[that.head]
    governor, after = parsed.tokens[verb.head], following(parsed, that)
    opens = after is not None and (
        after.dep in ("nsubj", "nsubjpass", "det", "poss", "amod", "compound") or after.pos == "PROPN"
    )
    told = lemma_of(governor) == "tell" and parsed.child(governor, "dobj", "dative") is not None
    # "Writes that Marc left": not "writes Marc"; and of two clauses with "that" both keep it.
    taken = not told and lemma_of(governor) in _WITH_HEARER and after is not None and after.tag != "PRP"
    again = any(t.lower == "that" and t.dep == "mark" for t in parsed.tokens[that.i + 1 : governor.right + 1])
    beside = governor.i == that.i - 1 or (told and parsed.tokens[that.i - 1].head == governor.i)
    clause = verb.dep == "ccomp" and finite_part(parsed, verb) is not None and lemma_of(governor) in _WITHOUT_THAT
    return opens and beside and clause and not taken and not again


def _shares_pronoun(parsed: Parsed, verb: Token) -> bool:
    """*That was closed but is still advertised*: a second verb with tense, which needs *that* as well."""
    joint = parsed.child(verb, "cc")
    behind = [t for t in parsed.tokens[joint.i + 1 : joint.i + 5] if t.pos in ("VERB", "AUX")] if joint else []
    return any(map(is_finite, behind[:1]))


def _with_space(parsed: Parsed, start: int, end: int) -> Edit:
    """The stretch with the space behind it."""
    return Edit(start, end + (parsed.text[end : end + 1] == " "))


def _phrases(parsed: Parsed) -> Iterator[Edit]:
    """Phrases that the rest can do without, and that hold no number, name, reason or statement of their own."""
    for first, last, token in _spare(parsed):
        stretch = parsed.tokens[first : last + 1]
        if (
            token.dep != "conj"
            and _is_light(parsed, stretch)
            and not any(t.pos == "PROPN" or t.entity in _NAMING for t in stretch)
        ):
            yield from cut(parsed, range(first, last + 1))


def _lesser_points(parsed: Parsed, dialogue: Dialogue | None) -> Iterator[list[Edit]]:
    """Phrases and second clauses, the shortest first, those that hold no number, negation or reason before the others;
    then what stands behind a semicolon at the end; then sentences, the least important first."""
    found = sorted(_spare(parsed), key=lambda p: (p[1] - p[0], p[:2]))
    found = [(first, last, token) for first, last, token in found if not _is_condition(parsed, first)]
    news = [(first, last) for first, last, token in found if _is_news(parsed, first, token)]
    phrases = [(first, last) for first, last, _ in found if (first, last) not in news]
    light = [p for p in phrases if _is_light(parsed, parsed.tokens[p[0] : p[1] + 1])]
    ranked = [*light, *(p for p in phrases if p not in light)]
    ranked.sort(key=lambda p: tells_outcome(parsed.text[parsed.tokens[p[0]].start : parsed.tokens[p[1]].end]))
    for first, last in ranked:
        yield cut(parsed, range(first, last + 1))
    yield from ([edit] for edit in closing(parsed))
    clause = last_clause(parsed)
    ending = [] if clause is None else [_without_clause(parsed, *clause)]
    point = clause is not None and _tells_point(parsed, *clause)
    if ending and not point:
        yield ending
    if (semicolon := _last_semicolon(parsed)) is not None:
        stop = parsed.text[parsed.tokens[semicolon].start - 1] == "."  # of "4 p.m."
        yield [Edit(parsed.tokens[semicolon].start, parsed.tokens[-1].end if stop else parsed.tokens[-1].start)]
    for place in lesser_sentences(parsed, dialogue):
        yield removal(parsed, [place])
    if len(parsed.sentences) > 1:  # of one sentence, the news is all that it tells
        for first, last in news:
            yield cut(parsed, range(first, last + 1))
        if ending and point:
            yield ending


def _without_clause(parsed: Parsed, first: int, last: int) -> Edit:
    before = parsed.tokens[first - 1]
    return Edit(before.start if before.text == "," else before.end, parsed.tokens[last].end)


def _spare(parsed: Parsed) -> Iterator[tuple[int, int, Token]]:
    """The phrases that can go; not the way that somebody is shown (*show him around the site*), nor what stands before
    a time that belongs to it (*help with a deadline tonight*)."""
    for first, last, token in dispensable(parsed):
        way = token.lower in _WAYS and lemma_of(parsed.tokens[token.head]) in ("guide", "lead", "show", "take", "walk")
        after = following(parsed, parsed.tokens[last])
        if not way and (after is None or after.entity not in ("DATE", "TIME") or token.dep != "prep"):
            yield first, last, token


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
    plan = any(t.lower in _PLANNED for t in clause[:5]) and _PLANNED.isdisjoint(before)
    felt = any(lemma_of(t) in _FELT for t in clause)  # "…, but he doesn't mind"
    return (joint is not None and not felt) or plan


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
        alone = token.lower in _SOON and token.dep == "advmod" and not token.children and ends
        before = parsed.tokens[token.i - 1] if token.i else token
        whole = (
            verb.pos == "VERB" and verb.i < token.i - 1 and before.text != "," and before.pos not in ("ADV", "CCONJ")
        )
        if alone and whole and not under_negation(parsed, token) and verb.dep in ("ROOT", "conj", "ccomp"):
            yield Edit(token.start - 1, token.end)
            return


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
    if ratio < _LEAST:
        return f"too much is lost: {ratio:.0%} of the words are left; at least {_LEAST:.0%} must stay"
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
    description="Uses fewer words: shorter wording, no asides, fillers and phrases that hold no number, name or reason",
    # What goes is little, but it is something that was told.
    effects={"consistency": "preserves", "relevance": "degrades-mildly"},
    propose=_propose_reduction,
    validate=_validate_reduction,
    needs=frozenset({"parse"}),
    version="12",
    citation=CITATION,
    examples=(
        (
            "The agent, who was very polite, cancelled the card in the afternoon.",
            "The agent cancelled the card in the afternoon.",
        ),
    ),
)
register(LENGTH_REDUCTION)
