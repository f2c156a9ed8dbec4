"""Who is who in a summary: the one who wants something and the one who serves, by role word and by name."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dialgauge.corpus import Dialogue
from dialgauge.perturb._grammar import base_form, can_be_verb
from dialgauge.perturb._lexicon import Gender, alternatives, lexicon, people, plural, word_list
from dialgauge.perturb._people import is_first_name
from dialgauge.perturb._word_tables import supersense, word_set

Side = Literal[0, 1]
#: Minimum evidence in the transcript before a name counts as that of a side.
_ATTESTED = 2

#: Role words that nearly always mean a side of the conversation. The others only do so after "the" (or with no article
#: at all), and where none of these is used for their side.
_PRIMARY = ("customer", "caller", "client", "agent", "representative", "rep", "adviser", "advisor", "operator")
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?"
_CAPITALISED = r"[A-Z][a-z’'\u00c0-\u024f]*(?:-[A-Z][a-z\u00c0-\u024f]+)*"
#: The label of the next turn is no surname: *this is Nia Patient: Hello*.
_LABEL = rf"(?:{'|'.join(sorted({role.capitalize() for pair in lexicon().pairs for role in pair}))}):"
_NAME = re.compile(rf"(?<!\w)(?:{_TITLE}\s+)?{_CAPITALISED}(?:\s+(?!{_LABEL}){_CAPITALISED})*")
_WORD = re.compile(_CAPITALISED)
_POSSESSIVE = re.compile(r"['’](?:s|ll|d|ve|re|m)?$")
_FILLER = r"(?:(?i:uh|um|er|yeah|yes|so|okay),?\s+)*"
_FULL = rf"((?:{_TITLE}\s+)?{_CAPITALISED}(?:\s+{_CAPITALISED})?)"
_SELF = re.compile(
    r"(?i:this is|my name is|my name['’]s|name['’]s|i['’]m|i am|speaking to|speaking with|through to),?\s+"
    rf"{_FILLER}{_FULL}"
)
_SELF_AFTER = re.compile(rf"({_CAPITALISED}(?:\s+{_CAPITALISED})?),?\s+(?:speaking|here)\b")
_ASKED_NAME = re.compile(
    r"\b(?:your (?:full |first |last )?name|full name|surname|a name|who am i|who['’]s calling|speaking (?:to|with))\b",
    re.IGNORECASE,
)
_ANSWER = re.compile(rf"\W*(?:(?i:it['’]s|yes|yeah|sure|hi|uh|um|er|of course|that['’]s|is)\W+)*{_FULL}")
_ADDRESS = re.compile(
    r"\b(?i:thanks|thank you|hi|hello|hey|okay|ok|sorry|bye|goodbye|please|morning|afternoon|evening|much|right|well"
    rf"|welcome|dear|understand),?\s+((?:{_TITLE}\s+)?{_CAPITALISED})"
)
_AT_END = re.compile(
    rf"(?<!\bto)(?<!\bin)(?<!\bat)(?<!\bof)(?<!\bthe)(?<!\bfrom)(?<!\bby)(?<!\band)\s((?:{_TITLE}\s+)?{_CAPITALISED})\W*$"
)
_AT_START = re.compile(rf"^((?:{_TITLE}\s+)?{_CAPITALISED}),")
#: "my daughter Isla", "her beagle Biscuit": somebody else.
_SOMEBODYS = re.compile(
    r"\b(?i:mother|father|mum|mom|dad|nan|son|daughter|wife|husband|partner|brother|sister|friend|boss|dog|cat|beagle|puppy"
    rf"|horse|colleague|neighbour|driver|boy|girl|cousin|aunt|uncle|baby|twins?|called|named),?\s+({_CAPITALISED})"
)
#: Somebody who does what people do: *Merry tells*.
_ACTING = re.compile(rf"(?<![\w#])({_CAPITALISED}) (?:asks|calls|invites|says|suggests|tells|thinks|wants)\b")
#: Before names of places: *recovery home to Ross*.
_AFTER_PLACES = re.compile(r"\b(?:at|from|in|near|to|towards)\s+$")
#: A capital before a title: *While Mr Hill*.
_LEADING = re.compile(rf"^\w+ (?={_TITLE} )")
#: Nouns before a role word that say where somebody serves.
_KIND_OF_ROLE = re.compile(rf"(?<![\w-])(?:(?:{'|'.join(sorted(word_list('kinds_of_role')))})[ -]+)+$", re.IGNORECASE)
#: Capitalised words that begin sentences or name days and months: never a speaker.
_NO_NAME = word_list("no_name")
_STOP = word_set("stopwords")
#: After a role word these are nobody: *customer service*.
_OFFICES = frozenset(["care", "service", "services", "support"])
#: The supersense of times.
_TIMES = 28


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a side is named: its role word (without the article) or its name (with the title)."""

    start: int
    end: int
    side: Side
    kind: Literal["role", "name"]
    text: str


@dataclass(frozen=True, slots=True)
class Sides:
    """What each side is called. ``words`` are role words, ``names`` the words of its names, ``display`` a full name."""

    words: tuple[frozenset[str], frozenset[str]]
    names: tuple[frozenset[str], frozenset[str]]
    display: tuple[str, str]

    def mentions(self, text: str) -> list[Mention]:
        """Every place where one of the sides is named, in order."""
        found = [*self._roles(text), *self._named(text)]
        return sorted(found, key=lambda mention: mention.start)

    def _roles(self, text: str) -> list[Mention]:
        found: list[Mention] = []
        both = self.words[0] | self.words[1]
        if not both:
            return found
        pattern = alternatives([form for word in both for form in (word, plural(word))])
        for match in pattern.finditer(text):
            word = match.group().lower()
            if _opens_name(text, match):
                continue
            # "The sales agent" is one unit: the words before say what kind of agent.
            kind = _KIND_OF_ROLE.search(text[: match.start()])
            if kind and text[match.end() : match.end() + 1] == ":" and text[kind.start()].islower():
                kind = None  # a turn before the label of the next one: "how can I help Customer: Hi"
            start = kind.start() if kind else match.start()
            for side in (0, 1):
                owned = self.words[side]
                if word in owned or any(word == plural(other) for other in owned):
                    found.append(Mention(start, match.end(), side, "role", match.group()))
        return found

    def _named(self, text: str) -> list[Mention]:
        found: list[Mention] = []
        for match in _placeholders(self.names, text):
            side: Side = 0 if match.group() in self.names[0] else 1
            found.append(Mention(*match.span(), side, "name", match.group()))
        for match in _NAME.finditer(text):
            for start, end in _stretches(match, self.names):
                inside = text[start:end]
                words = {word.lower() for word in _WORD.findall(inside)}
                side = 0 if words & self.names[0] else 1
                found.append(Mention(start, end, side, "name", inside))
        return found


def _opens_name(text: str, role: re.Match[str]) -> bool:
    """Whether a role word is part of a longer noun: *the user interface*, not *Customer Dana*."""
    after = re.match(r" ([A-Za-z][a-z]+)\b", text[role.end() :])
    if after is None or is_first_name(after[1]):
        return False
    word = after[1].lower()
    if word in _OFFICES:
        return True  # "student services": nobody
    # After a singular a verb would have an ending.
    if word in _STOP or word.endswith(("s", "ed", "ing", "ly")) or supersense(word) == _TIMES:
        return False
    verb = can_be_verb(word)
    if supersense(word) is None:
        return not verb and base_form(word, "ADV") is None and role.group().lower() not in _PRIMARY  # "airbag"
    return after[1][0].isupper() or not verb or role.group().lower() not in _PRIMARY  # "the passenger seat"


def sides_of(dialogue: Dialogue | None, text: str) -> Sides:
    """The two sides of a conversation as its transcript and this summary show them."""
    words = _role_words(text)
    if dialogue is None:
        return Sides(words, (frozenset(), frozenset()), ("", ""))
    speakers = _named_speakers(dialogue, text)
    if speakers:
        one, other = (
            frozenset(_words_of(speaker)) | _called(dialogue, speakers, side, text)
            for side, speaker in _numbered(speakers)
        )
        one, other = _left_over(dialogue, speakers, (one, other), text)
        return Sides((frozenset(), frozenset()), (one - other, other - one), speakers)
    others = {word.lower() for word in _SOMEBODYS.findall(text)}
    attested = _attested_names(dialogue)
    runs = [_POSSESSIVE.sub("", match.group()) for match in _NAME.finditer(text)]
    chosen = [_most_named(attested[side], runs) for side in (0, 1)]
    names = [_completed(name, runs, dialogue.text) - others for name in chosen]
    by_role = Sides(words, (frozenset(), frozenset()), ("", "")).mentions(text)
    if not names[0] and all(mention.side for mention in by_role):
        acting = [
            _LEADING.sub("", _POSSESSIVE.sub("", m.group()))
            for m in _NAME.finditer(text)
            if not _AFTER_PLACES.search(text[: m.start()])
        ]
        first = next((run for run in acting if _is_person(run, names[1] | others | _NO_NAME)), "")
        chosen[0], names[0] = first, _completed(first, runs, dialogue.text)
    names[0], names[1] = names[0] - names[1], names[1] - names[0]
    return Sides(words, (names[0], names[1]), (chosen[0], chosen[1]))


def _numbered(speakers: tuple[str, str]) -> tuple[tuple[Side, str], tuple[Side, str]]:
    return (0, speakers[0]), (1, speakers[1])


def _called(dialogue: Dialogue, speakers: tuple[str, str], side: Side, text: str) -> frozenset[str]:
    """The name in the summary of somebody whom the transcript lists as ``#Person1#``: as the other one addresses
    them, or
    as they introduce themselves."""
    if re.fullmatch(r"[\w\s.'’-]+", speakers[side]) or len({turn.speaker for turn in dialogue.turns}) != 2:
        return frozenset()
    if speakers[side] in text:
        return frozenset()  # a summary calls one and the same person by a name or by #Person1#, not by both
    turns = tuple((speakers.index(turn.speaker.strip()), turn.text) for turn in dialogue.turns)
    runs = [_POSSESSIVE.sub("", match.group()) for match in _NAME.finditer(text)]
    people_named = [run for run in runs if re.match(_TITLE, run) or any(map(is_first_name, run.split()))]
    named = {word for run in people_named for word in _words_of(run)}
    for name, votes in sorted(_evidence(turns).items(), key=lambda entry: (-max(entry[1]), entry[0])):
        words = {*_words_of(name)} & named
        if words and votes[side] > votes[1 - side]:
            # "Ms Shaw" of the transcript is "Anne Shaw" and "Anne" in the summary.
            whole = [{*_words_of(run)} for run in people_named if words & {*_words_of(run)}]
            return frozenset(words.union(*whole))
    return frozenset()


def _left_over(
    dialogue: Dialogue, speakers: tuple[str, str], names: tuple[frozenset[str], frozenset[str]], text: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Where two people talk and the summary names nobody else, whoever is not placed yet is the side that it does not
    name: *Bob tells #Person1#*. Nothing is added where that leaves a choice."""
    if len({turn.speaker for turn in dialogue.turns}) != 2 or all(re.fullmatch(r"[\w\s.'’-]+", s) for s in speakers):
        return names
    runs = [_POSSESSIVE.sub("", match.group()) for match in _NAME.finditer(text)]
    groups: list[set[str]] = []
    for run in runs:
        parts = run.split()
        begins = [i for i, part in enumerate(parts) if re.fullmatch(_TITLE, part) or is_first_name(part)]
        words = {*_words_of(" ".join(parts[begins[0] :]))} - _NO_NAME if begins else set[str]()
        if not words:
            continue
        known = next((group for group in groups if group & words), None)
        groups.append(words) if known is None else known.update(words)
    strangers = {word.lower() for word in _ACTING.findall(text)} - _NO_NAME
    groups += [{word} for word in sorted(strangers) if not any(word in group for group in groups)]
    unplaced = [group for group in groups if not group & (names[0] | names[1])]
    unnamed: list[Side] = [
        side
        for side, _ in _numbered(speakers)
        if speakers[side] not in text and not any(g & names[side] for g in groups)
    ]
    if len(unplaced) != len(unnamed) or not unplaced or len(groups) > 2:
        return names
    found = [names[0], names[1]]
    for side, group in zip(unnamed, unplaced, strict=True):
        found[side] |= group
    return found[0], found[1]


def _most_named(names: list[str], runs: list[str]) -> str:
    """Of the names that the transcript gives a side, the one that the summary uses most; else the best attested."""
    counts = [sum(bool({*_words_of(name)} & {*_words_of(run)}) for run in runs) for name in names]
    return max(zip(counts, range(0, -len(names), -1), names, strict=True), default=(0, 0, ""))[2]


def _completed(name: str, runs: list[str], transcript: str) -> frozenset[str]:
    """The words of a name, with first names and surnames that stand beside them in the summary."""
    words = {*_words_of(name)} if name else set()
    for run in runs:
        parts = _words_of(run)
        if words & {*parts}:
            firsts = {first.lower() for first in (*people().feminine, *people().masculine)}
            words |= {part for part in parts if part in firsts or re.search(rf"\b{part.capitalize()}\b", transcript)}
    return frozenset(words - _NO_NAME)


def _is_person(run: str, known: frozenset[str]) -> bool:
    """Whether a run of capitalised words has a title or begins with a first name, and is nobody we know."""
    titled = re.match(r"(?:Mr|Mrs|Ms|Miss)\b", run) is not None
    return (titled or people().gender_of(run) is not None) and not known & {*_words_of(run)}


@lru_cache(maxsize=2048)
def _role_words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that stand for each side in this text; a secondary one only where no primary one is used."""
    result: list[frozenset[str]] = []
    for side in (0, 1):
        mine = {pair[side] for pair in lexicon().pairs}
        primary = frozenset(word for word in mine if word.split()[-1] in _PRIMARY)
        secondary = [word for word in sorted(mine - primary) if _stands_for_side(word, text)]
        # Both kinds stay known, so that a swap is found again in the result; only what the text uses decides.
        used = primary if alternatives([*primary, *map(plural, primary)]).search(text) else primary | {*secondary}
        others = [pair[1 - side] for pair in lexicon().pairs]
        if not alternatives([*others, *map(plural, others)]).search(text):
            used = used - {"user"}  # those who use something, and nobody who talks
        result.append(frozenset(used))
    return result[0], result[1]


def _stands_for_side(word: str, text: str) -> bool:
    pattern = rf"(?:(?:^|[.!?]\s+)(?:an?\s+)?|\bthe\s+){word}s?\b|\b{word}:"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _named_speakers(dialogue: Dialogue, text: str) -> tuple[str, str] | None:
    """Where the turns carry names instead of roles: the two that the summary names most."""
    roles = {word for pair in lexicon().pairs for word in pair}
    spoken = Counter(turn.speaker.strip() for turn in dialogue.turns if turn.speaker.strip())
    named = [s for s in spoken if s.lower() not in roles and s.lower() not in ("system", "bot", "unknown")]
    if len(named) < 2:
        return None
    count = {speaker: len(re.findall(rf"(?<!\w){re.escape(_short(speaker))}(?!\w)", text)) for speaker in named}
    ranked = sorted(named, key=lambda speaker: (-count[speaker], -spoken[speaker], speaker))
    return ranked[0], ranked[1]


def _short(speaker: str) -> str:
    """The word by which a summary would call the speaker: the first that is no title."""
    words = [word for word in speaker.split() if not re.fullmatch(_TITLE, word)]
    return words[0] if words else speaker


def _words_of(name: str) -> list[str]:
    if not re.fullmatch(r"[\w\s.'’-]+", name):
        return [name]  # a placeholder such as #Person1# is one word as it stands
    return [word.lower() for word in name.split() if not re.fullmatch(_TITLE, word)]


def _placeholders(names: tuple[frozenset[str], frozenset[str]], text: str) -> list[re.Match[str]]:
    odd = [name for side in names for name in side if not re.fullmatch(r"[\w'’-]+", name)]
    return list(re.finditer("|".join(map(re.escape, sorted(odd, key=len, reverse=True))), text)) if odd else []


def _stretches(match: re.Match[str], names: tuple[frozenset[str], frozenset[str]]) -> list[tuple[int, int]]:
    """The parts of a run of capitalised words that name a side, each with the title before it."""
    stretches: list[tuple[int, int]] = []
    title: int | None = None
    previous: int | None = None
    unknown = False  # whether the word before is part of a name that belongs to no side
    for part in re.finditer(rf"{_TITLE}(?=\s)|{_CAPITALISED}", match.group()):
        if re.fullmatch(_TITLE, part.group()):
            title, previous = part.start(), None
            continue
        bare = _POSSESSIVE.sub("", part.group())
        end = part.start() + len(bare)
        side = next((s for s in (0, 1) if bare.lower() in names[s]), None)
        if side is not None and unknown:
            side = None  # "Old Mc Donald" is not Donald
        unknown = side is None and part.start() > 0
        if side is not None and previous == side:
            stretches[-1] = (stretches[-1][0], end)
        elif side is not None:
            stretches.append((title if title is not None else part.start(), end))
        title, previous = None, side
    return [(match.start() + start, match.start() + end) for start, end in stretches]


@lru_cache(maxsize=256)
def _evidence(turns: tuple[tuple[int, str], ...]) -> dict[str, tuple[int, int]]:
    """For each capitalised name of the transcript how much speaks for it being the one or the other side."""
    votes: dict[str, list[int]] = {}
    lower = {word for _, text in turns for word in re.findall(r"\b[a-z]{2,}\b", text)}
    owned = {match[1] for _, text in turns for match in _SOMEBODYS.finditer(text)}

    def vote(name: str, side: int, weight: int) -> None:
        bare = _POSSESSIVE.sub("", name)
        words = _WORD.findall(bare)
        known = _NO_NAME | lower
        if len(bare) > 1 and not any(w.lower() in known or "n't" in w for w in words) and not owned & {*words}:
            votes.setdefault(bare, [0, 0])[side] += weight

    for place, (side, text) in enumerate(turns):
        for match in (*_SELF.finditer(text), *_SELF_AFTER.finditer(text)):
            vote(match[1], side, 3)
        asked = place > 0 and turns[place - 1][0] != side and _ASKED_NAME.search(turns[place - 1][1])
        if asked and (answer := _ANSWER.match(text)):
            vote(answer[1], side, 3)
        # "Good morning Calder Bank" at the very start is a company, not the other side.
        for match in _ADDRESS.finditer(text) if place else ():
            vote(match[1], 1 - side, 2)
        for pattern, weight in ((_AT_END, 1), (_AT_START, 1)):
            if address := pattern.search(text):
                vote(address[1], 1 - side, weight)
    return {name: (first, second) for name, (first, second) in votes.items()}


def _attested_names(dialogue: Dialogue) -> tuple[list[str], list[str]]:
    """The names that the transcript gives each side, the best attested first; forms of one name count together."""
    served, servers = ({pair[side] for pair in lexicon().pairs} for side in (0, 1))
    labels = [(turn.role or turn.speaker).strip().lower() for turn in dialogue.turns]
    # "Officer" is in no list, but whoever talks with a "Caller" serves.
    rest = not servers.intersection(labels) and bool(served.intersection(labels))
    turns = tuple(
        (1 if label in servers or (rest and label not in served) else 0, turn.text)
        for label, turn in zip(labels, dialogue.turns, strict=True)
    )
    names: tuple[list[str], list[str]] = ([], [])
    for name, votes in sorted(_evidence(turns).items(), key=lambda entry: (-max(entry[1]), -len(entry[0]), entry[0])):
        if votes[0] == votes[1] or max(votes) < _ATTESTED:
            continue
        side = 0 if votes[0] > votes[1] else 1
        if any({*_words_of(name)} & {*_words_of(other)} for other in names[1 - side]):
            continue
        same = [i for i, other in enumerate(names[side]) if {*_words_of(name)} & {*_words_of(other)}]
        if same:
            names[side][same[0]] = max(names[side][same[0]], name, key=len)
        else:
            names[side].append(name)
    return names


def gender_of_side(sides: Sides, side: Side, mentions: list[Mention]) -> Gender | None:
    """What titles and first names tell about a side."""
    forms = [mention.text for mention in mentions if mention.side == side and mention.kind == "name"]
    known = [gender for form in (*forms, sides.display[side]) if (gender := people().gender_of(form))]
    return known[0] if known else None
