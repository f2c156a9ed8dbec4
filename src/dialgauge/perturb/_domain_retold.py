"""The people of a summary with the story of another domain: each clause keeps its subject and gets a new predicate."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dialgauge.corpus import Dialogue
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, inflect
from dialgauge.perturb._lexicon import lexicon, people, root
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person, people_of
from dialgauge.perturb._perturbation import NotApplicable, Proposal, Random
from dialgauge.perturb._stories import ABOUT, Part, Story, stories

_LONGEST_SUBJECT = 9
_SEVERAL = frozenset(["they", "we", "both"])
_PRONOUNS = frozenset(["he", "she", *_SEVERAL])


@dataclass(frozen=True, slots=True)
class Doer:
    """Whoever does something in a clause: the words that stay, and whether they are several."""

    text: str
    several: bool
    pronoun: bool


def retold(parsed: Parsed, dialogue: Dialogue | None, rng: Random, past: bool) -> Proposal | NotApplicable:
    """Every sentence with its people and another story."""
    known = people_of(dialogue)
    sentences = [_doers(parsed, number, known) for number in range(len(parsed.sentences))]
    if not sentences or not sentences[0] or sentences[0][0].pronoun:
        return NotApplicable("the first sentence does not say what somebody does")
    told = {root(word) for word in re.findall(r"[^\W\d_]+", parsed.text)}
    named = {root(word) for doers in sentences for doer in doers for word in re.findall(r"[^\W\d_]+", doer.text)}
    if any(named & story.field for story in stories()):
        return NotApplicable("somebody is named by a word of a domain")
    said = {root(word) for word in re.findall(r"[^\W\d_]+", dialogue.text)} if dialogue else told
    source = lexicon().domain_of(dialogue, parsed.text)
    others = [
        story
        for story in stories()
        if not told & story.field
        and len(said & story.field) < ABOUT
        and not (source is not None and source.name == story.domain)
    ]
    if not others:
        return NotApplicable("the conversation has words of every domain that could take its place")
    story = rng.choice(others)
    told_anew = _retold_sentences(sentences, story, past, rng)
    if told_anew is None:
        return NotApplicable("more is told than another story has")
    edits = [
        Edit(start, end, f"{sentence}{_ending(parsed.text[start:end])}")
        for (start, end), sentence in zip(parsed.sentences, told_anew, strict=True)
    ]
    return Proposal(edits, {"from": source.name if source else "", "to": story.domain})


def _doers(parsed: Parsed, number: int, known: frozenset[str]) -> list[Doer]:
    """The people who do something in a sentence: of its main clause, and of one that *and* or *but* joins to it."""
    verbs = [t for t in parsed.tokens if t.sentence == number and t.dep == "ROOT"]
    if len(verbs) != 1 or verbs[0].pos not in ("VERB", "AUX"):
        return []
    main = _doer(parsed, verbs[0], known)
    if main is None:
        return []
    joined = [parsed.tokens[c] for c in verbs[0].children if parsed.tokens[c].dep == "conj"]
    further = next((doer for verb in joined if (doer := _doer(parsed, verb, known)) is not None), None)
    return [main] if further is None or further.text == main.text else [main, further]


def _doer(parsed: Parsed, verb: Token, known: frozenset[str]) -> Doer | None:
    who = parsed.child(verb, "nsubj", "nsubjpass")
    if who is None or who.i > verb.i or not who.unbroken:
        return None
    phrase = parsed.subtree(who)
    if len(phrase) > _LONGEST_SUBJECT or any(t.dep in ("relcl", "acl", "prep", "appos") for t in phrase):
        return None
    if who.lower not in _PRONOUNS and not is_person(parsed, who, known):
        return None
    if any(t.lower in NEGATIONS or t.lower in ("neither", "either", "nor", "or", ":") for t in phrase):
        return None  # "Agent: and I" is a turn
    if who.pos == "PROPN":  # "an anxious Owen" is Owen
        phrase = tuple(t for t in phrase if t.i >= who.i or t.pos == "PROPN" or t.dep in ("compound", "poss", "case"))
    text = re.sub(r"['’]s?$", "", parsed.text[phrase[0].start : phrase[-1].end])  # "Carl's going" is Carl
    several = who.lower in _SEVERAL or who.tag in ("NNS", "NNPS") or any(t.dep == "conj" for t in phrase)
    return Doer(text, several, who.lower in _PRONOUNS)


def _retold_sentences(sentences: list[list[Doer]], story: Story, past: bool, rng: Random) -> list[str] | None:
    """The sentences of the story; None where it has too few predicates."""
    left: dict[Part, Iterator[str]] = {
        part: iter(rng.sample(predicates, len(predicates))) for part, predicates in story.predicates.items()
    }
    first = sentences[0][0]
    before: Part = "opening"
    found: list[str] = []
    met: list[Doer] = []
    for doers in sentences:
        clauses: list[str] = []
        # Whoever is called by a pronoun that nothing before explains any more gives way to the one who came first.
        for doer in [doer for doer in doers if _is_clear(doer, met)] or [first]:
            part: Part = _part(doer, first, before) if met else "opening"
            predicate = next(left[part], None)
            if predicate is None:
                return None
            before = part
            clauses.append(f"{_called(doer, met)} {_inflected(predicate, doer.several, past)}")
            met.append(doer)
        sentence = " and ".join(clauses)
        found.append(sentence[0].upper() + sentence[1:])
    return found


def _called(doer: Doer, met: list[Doer]) -> str:
    """What somebody is called: *a neighbour* is *the neighbour* the second time."""
    return re.sub(r"^[Aa]n?(?=\s)", "the", doer.text) if doer in met else doer.text


def _is_clear(doer: Doer, met: list[Doer]) -> bool:
    """Whether it is clear who a pronoun means: *they* two who were named, *he* the last one, if that may be a man."""
    named = [other for other in met if not other.pronoun]
    if not doer.pronoun:
        return True
    if doer.several:
        return bool(named) and (named[-1].several or len({other.text for other in named}) > 1)
    wanted = "masculine" if doer.text.lower() == "he" else "feminine"
    if not named or named[-1].several:
        return False
    known = people().gender_of(named[-1].text)
    role = any(word in pair for word in named[-1].text.lower().split() for pair in lexicon().pairs)
    return known == wanted or (known is None and (role or not named[-1].text[0].isupper()))


def _part(doer: Doer, first: Doer, before: Part) -> Part:
    if doer.several:
        return "together"
    if doer.pronoun:
        return "answering" if before == "answering" else "asking"
    same = {*doer.text.lower().split()} & {*first.text.lower().split()} - {"the"}  # Aaron Johnson is Mr. Johnson
    return "asking" if same else "answering"


def _inflected(predicate: str, several: bool, past: bool) -> str:
    verb, _, rest = predicate.partition(" ")
    form = inflect(verb, "VBD") if past else verb if several else inflect(verb, "VBZ")
    return f"{form or verb} {rest}"


def _ending(sentence: str) -> str:
    """The mark at the end of a sentence, if it has one."""
    return sentence[-1] if sentence[-1:] in (".", "!", "…") else "." if sentence[-1:] in ('"', "”", ")", "?") else ""
