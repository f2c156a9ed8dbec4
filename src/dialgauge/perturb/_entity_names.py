"""The names in a summary: whose they are, by their own words and what stands around them."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from dialgauge.perturb._lexicon import people, word_list
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import ALIKE, is_first_name
from dialgauge.perturb._word_tables import supersense, word_set

TITLES = frozenset({"Mr", "Mrs", "Ms", "Miss", "Dr", "Mr.", "Mrs.", "Ms.", "Dr."})
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr)\.\s")
_WORD = re.compile(r"\b[A-Z]\w+")
_BEFORE_PLACES = ("in", "to", "from", "near", "visit", "leave", "left", "around", "reaches")
#: What stands before the name of a place to which somebody goes.
_MOVED = re.compile(
    r"\b(?:fl(?:y|ies|ew|ying|ights?)|go(?:es|ing)?|went|mov(?:e|es|ed|ing)|travel\w*|trips?)(?:\s(?:back|over))?\s(?:in|to)\s$"
)
#: What stands before the name of a firm: somebody works there, or deals with it.
_EMPLOYED = re.compile(
    r"\b(?:work(?:s|ed|ing)?|jobs?|positions?|interview(?:s|ed)?|internships?|employee|hired|shop(?:s|ping)?|buys?|bought|"
    r"account|contract|order(?:s|ed)?)(?:\s[a-z]+){0,2}?\s(?:at|by|for|from|with)\s$"
)
#: What stands before whom something comes from or goes to, who may be called like a town.
_DEALT = re.compile(
    r"\b(?:came|comes?|coming|gets?|getting|got|hear[sd]?|receiv\w+|switch\w*|raise|letter|message|news|information|gift|quote|bill)"
    r"(?:\sback)?\s(?:from|to)\s$"
)
#: What begins a title that goes on with a place.
_TITLE = re.compile(r"[a-z,] [A-Z][a-z]+ing (?:from|in|of|to) $")
#: What has a title.
WORKS = frozenset(
    ["album", "book", "film", "game", "movie", "musical", "novel", "opera", "play", "series", "show", "song"]
)
_COUNTRIES = frozenset(people().countries)
_COMPANY = word_list("company")
_PLACE = word_list("place")
_STREETS = frozenset(name.split()[-1] for name in people().streets if " " in name)
#: Supersenses of things that are built, of shapes and places (*Tower*, *Square*, *Park*); *Rhode Island* is no firm.
_BUILT = frozenset((4, 6, 15, 25))
#: Common nouns among the supersense of places, most of which are names.
_SITES = frozenset(["Center", "Park"])
_PERSONS = word_set("person") | word_set("persons", "wordnet") | word_set("titles")
#: The supersense of places.
_LOCATION = 15
#: Not LOC: a continent or a mountain range is no town.
LABELS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "FAC": "building"}


def named(
    parsed: Parsed, start: int, end: int, label: str, known: frozenset[str]
) -> Iterable[tuple[tuple[int, int], str]]:
    """A named entity without article, possessive and occupation, with its title; none where the parser was misled."""
    surface = parsed.text[start:end]
    inner = re.sub(r"^(?:the|an?)\s", "", surface)
    broken = re.search(r"['’]s\s|[a-z]\.\s", _TITLED.sub("", surface))
    if broken or re.search(r"(?:^|\s)(?!(?:d[aei]|el|la|le)\s)[a-z]{2,}", inner):
        return  # the parser took a verb, a preposition or two sentences for one name
    stripped = re.sub(r"^(?:[Tt]he|[Aa]n?)\s+", "", surface)
    words = stripped.split()
    if len(words) > 1 and words[0].lower() in _PERSONS and people().gender_of(words[1]) and words[0] not in TITLES:
        stripped = stripped[len(words[0]) :].lstrip()  # "Nurse Dominic", "Rancher Wendell Kruse"
    start += len(surface) - len(stripped)
    stripped = re.sub(r"['’]s?$", "", stripped)
    kind = _kind_of(parsed.text, start, stripped, label, known)
    end = start + len(stripped)
    if kind is None or _is_misled(parsed, start, end, kind, known):
        return
    if kind == "person" and (title := re.search(r"(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+$", parsed.text[:start])):
        start = title.start()
    if stripped[:1].isupper() and not re.search(r"\d", stripped):
        yield (start, end), kind


def _is_misled(parsed: Parsed, start: int, end: int, kind: str, known: frozenset[str]) -> bool:
    """Whether a name of this kind stands where it is another's, or where another one could not stand."""
    before, name, after = parsed.text[:start], parsed.text[start:end], parsed.text[end:]
    owner = re.match(r"['’]s?\b", after) is not None
    if kind != "street" and _describes_noun(parsed, end):
        return True  # "the Maya temples", "every Taiwan dollar"
    if kind == "person":
        alike = get_close_matches(name, {*_WORD.findall(parsed.text)} - {name}, 1, ALIKE) if len(name) > 4 else []
        return (
            re.search(r"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Tt]hat)\s(?:new\s)?$", before) is not None  # "the new Harry Potter"
            or bool(alike)  # "Philip" and "Phillip"
            or (before.endswith(" at ") and not owner and name.lower() not in known)  # "at Violet Sushi"
            or (before.endswith(" in ") and not owner)  # "a hotel in Preston", who is also somebody
            or _has_other_title(before)  # "Professor Brown": a surname
            or _is_work(parsed, end)  # "is reading Harry Potter"
        )
    if kind == "country":  # "promises to bring Spanish ham from Spain"
        return any(word[:3] == name[:3] and word != name for word in _WORD.findall(parsed.text))
    if kind == "place" and (
        re.match(
            r",? (?:(?:de|del|di|el|la|le) )?[A-Z]\w+", after
        )  # "Accra, Ghana": another town is in another country
        or _says_of_whom(parsed, start)  # "Greta from Kitemobile"
        or _TITLE.search(before)  # "Coming to America"
        or name == "St"
        or _acts(parsed, name)  # "an autograph from Kobe"
        or re.search(rf"\b[Tt]he {re.escape(name)}\b", parsed.text)  # "in Azores … the Azores": no town
    ):
        return True
    if kind == "organisation" and owner and not _owns(parsed, end):
        return True  # "at McDonald's near the square"
    return kind in ("place", "organisation") and _beside_person(parsed, start, end)  # "Skiranth, Ravi and Prasad"


def _has_other_title(before: str) -> bool:
    """Whether the word before a name says what somebody is: *Mister*, *Professor*, *Sir*."""
    match = re.search(r"\b([A-Z][a-z]+)\s$", before)
    return match is not None and match[1].lower() in _PERSONS and match[1] not in TITLES and not is_first_name(match[1])


def _acts(parsed: Parsed, name: str) -> bool:
    """Whether somebody has this name: it owns something, is talked to or does what people do."""
    last, named = name.split()[-1], re.escape(name)
    told = re.search(
        rf"\b{named}['’]s|\b{named},? (?:who|whose)\b|\b[Aa]ccording to {named}\b|"
        rf"\b(?:with|(?:listens?|speaks?|spoke|talk(?:s|ed)?|writes?|wrote) to) {named}\b",
        parsed.text,
    )
    return told is not None or any(
        t.text == last and t.dep == "nsubj" and parsed.tokens[t.head].pos == "VERB" for t in parsed.tokens
    )


def _owns(parsed: Parsed, end: int) -> bool:
    """Whether a noun follows the *'s* of a name; else it is part of the name."""
    after = [t for t in parsed.tokens if t.start > end][:2]
    return any(t.pos in ("NOUN", "PROPN") for t in after) and bool(after) and after[0].pos != "ADP"


def _is_work(parsed: Parsed, end: int) -> bool:
    """Whether a name is what somebody reads or watches, or is called a film (*the opera, Carmen*): a title."""
    last = next((t for t in parsed.tokens if t.end == end), None)
    if last is None:
        return False
    head = parsed.tokens[last.head]
    called = parsed.child(head, "attr") if last.dep == "nsubj" else head if last.dep == "appos" else None
    return (last.dep == "dobj" and head.lemma.lower() in ("read", "watch")) or (
        called is not None and called.lemma.lower() in WORKS
    )


def _kind_of(text: str, start: int, name: str, label: str, known: frozenset[str]) -> str | None:
    """The kind of a name: its own words and what stands before it tell more than the parser's label."""
    words = name.split()
    if words[-1] in _STREETS and label in ("place", "building"):
        return "street"
    if {*words} & (_COMPANY | _PLACE) and (label != "person" or {*words} & _COMPANY):
        return "organisation"
    if len(words) > 2 and label == "person" and says_what_it_is(words[-1]):
        return None  # "Jim Thompson House"
    if label in ("place", "building") and len(words) > 1 and words[0] != "New" and says_what_it_is(words[-1]):
        return "organisation" if supersense(words[-1].lower()) in _BUILT else None  # "Tokyo Tower"
    titled = words[0] in TITLES or re.search(r"(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+$", text[:start]) is not None
    placed = label == "place" or _MOVED.search(text[:start])  # "Virginia will be the last state", "goes to Jordan"
    if titled or words[0].lower() in known or (is_first_name(words[0]) and not placed):
        firm = label == "organisation" and len(words) > 1 and not titled  # "Florence Incorporated"
        return None if firm else "person"
    full = re.search(rf"(?:(?P<title>Mr|Mrs|Ms|Miss|Dr)|(?P<first>[A-Z][a-z]+))\.?\s+{re.escape(name)}\b", text)
    if label == "person" and full and (full["title"] or is_first_name(full["first"])):
        return "person"  # the surname alone of somebody who is named in full
    common = len(words) == 1 and supersense(name.lower()) not in (None, _LOCATION)
    if common and (label == "place" or name.lower() in _PERSONS):
        return None  # "in Library", "Plumber is Thursday"
    if name in _COUNTRIES:
        return None if re.search(r"\b[Tt]he\s+$", text[:start]) else "country"
    if label in ("person", "building") or (name.isupper() and len(name) <= 4):
        return None  # PIN, SIM, GP; a label alone does not make a person
    begins = start == 0 or text[:start].rstrip().endswith((".", "!", "?"))
    if begins and len(words) == 1 and not re.search(rf"[a-z,]\s+{re.escape(name)}\b", text):
        return None  # "Stung by the news": only a capital at the start of a sentence
    before = text[:start].rstrip().rpartition(" ")[2].lower()
    if label == "place":
        doubtful = _DEALT.search(text[:start]) or (before == "from" and is_first_name(name))
        if doubtful and supersense(name.lower()) != _LOCATION:
            return None  # "a raise from Gloria", "came from Ulli", "switch to Bluewave"
        return "place" if before in _BEFORE_PLACES and not name.isupper() else None
    return "organisation" if _EMPLOYED.search(text[:start]) else None  # a label alone does not make a company


def is_role(label: str) -> bool:
    """Whether a speaker is called by a noun for people (*Resident*, *Head Nurse*) and not by a name."""
    last = label.split()[-1] if label.strip() else ""
    return last.lower() in _PERSONS and not is_first_name(last)


def says_what_it_is(word: str) -> bool:
    """Whether the last word of a name is a common noun for what it names (*Hotel*, *Park*), and no name (*France*)."""
    kind = supersense(word.lower())
    return word in _COMPANY | _PLACE or (kind is not None and (kind != _LOCATION or word in _SITES))


def _says_of_whom(parsed: Parsed, start: int) -> bool:
    """Whether a name after *from* belongs to somebody, whose town or firm it may be."""
    before = next((t for t in parsed.tokens if t.end == start - 1), None)
    whose = parsed.tokens[before.head] if before is not None and before.lower == "from" else None
    return whose is not None and (is_first_name(whose.text) or whose.entity == "PERSON")


def _describes_noun(parsed: Parsed, end: int) -> bool:
    """Whether a common noun follows a name that belongs to it."""
    last = next((t for t in parsed.tokens if t.end == end), None)
    if last is None or last.i + 1 >= len(parsed.tokens):
        return False
    after = parsed.tokens[last.i + 1]
    return after.tag in ("NN", "NNS") and last.head == after.i and last.dep in ("compound", "amod", "nmod")


def _beside_person(parsed: Parsed, start: int, end: int) -> bool:
    """Whether a name stands in a row with somebody's name."""
    names = [(e.start, e.end) for e in parsed.entities if e.label == "PERSON"]
    names += [(t.start, t.end) for t in parsed.tokens if t.pos == "PROPN" and is_first_name(t.text)]
    joint = re.compile(r",? (?:and |or )?")
    return any(
        joint.fullmatch(parsed.text, min(end, other_end), max(start, other_start)) is not None
        for other_start, other_end in names
        if other_end < start or other_start > end
    )
