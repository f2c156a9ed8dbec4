"""Rules that make a right summary wrong, each with the places where it is wrong afterwards.

These are for errors that no change of the whole dialogue makes right (see the twins), or where none is possible.

A rule gets an example (so that several can follow each other), its dialogue, the material and a source of random
numbers, and gives a new example, or None where it does not apply.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from dialgauge.checker._edits import (
    AUXILIARY,
    NEGATED,
    content_words,
    denied,
    invented_names,
    related_words,
    touches,
    undenied,
)
from dialgauge.checker._example import Example, Replacement, joined, replaced
from dialgauge.checker._material import Material, Source, mention
from dialgauge.checker._values import other_value, values_in
from dialgauge.metrics import synonyms

Rule = Callable[[Example, Source, Material, random.Random], Example | None]

_NAME_VERB = re.compile(r"^ ([a-z]{2,}s)\b")
_THIRD = {"has": "have", "does": "do", "goes": "go", "is": "be"}
_NO_VERBS = frozenset({"is", "was", "has", "does", "always", "as", "this", "its", "his"})


def change_value(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Another number, time, day or amount: half of them from the dialogue."""
    found = [v for v in values_in(example.text) if not touches(example, v.start, v.end)]
    if not found:
        return None
    value = draw.choice(found)
    others = [v for v in values_in(source.text) if v.kind == value.kind and v.amount != value.amount]
    new = draw.choice(others).text if others and draw.random() < 0.5 else other_value(value, draw)
    said = {(v.kind, v.amount) for v in values_in(source.text)}
    if new.lower() == value.text.lower() or (not others and _known(new, said)):
        return None
    return replaced(example, "value", [Replacement(value.start, value.end, new)])


def _known(text: str, said: set[tuple[str, str]]) -> bool:
    return any((v.kind, v.amount) in said for v in values_in(text))


def _mentions(example: Example, names: Sequence[str]) -> list[tuple[int, int, str]]:
    found = [(m.start(), m.end(), name) for name in names for m in mention(name).finditer(example.text)]
    kept: list[tuple[int, int, str]] = []
    for one in sorted(found, key=lambda one: (one[0], -one[1])):
        if (not kept or one[0] >= kept[-1][1]) and not touches(example, one[0], one[1]):
            kept.append(one)
    return kept


def swap_name(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """One mention of a speaker becomes another speaker."""
    found = _mentions(example, source.names)
    if not found or len(source.names) < 2:
        return None
    start, end, name = draw.choice(found)
    new = draw.choice([other for other in source.names if other != name])
    # Nobody does something to themselves, and "Ann and Bob meet" would name a person twice.
    before, after = (re.split(r"[.!?]\s", part) for part in (example.text[:start], example.text[end:]))
    if mention(new).search(f"{before[-1]} {after[0]}"):
        return None
    return replaced(example, "name", [Replacement(start, end, new)])


def swap_subject_object(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Two speakers of one sentence change places."""
    found = _mentions(example, source.names)
    pairs = [
        (a, b)
        for a, b in pairwise(found)
        if a[2] != b[2] and not re.search(r"^(,| and| or| nor| &| with) ?$|[.!?] ", example.text[a[1] : b[0]] + " ")
    ]
    pairs = [(a, b) for a, b in pairs if len(example.text[a[1] : b[0]].split()) >= 1]
    if not pairs:
        return None
    a, b = draw.choice(pairs)
    between = example.text[a[1] : b[0]].strip().lower()
    if between in ("and", "or", "nor", "with", "&", ",", "meets", "will meet"):
        return None
    return replaced(example, "roles", [Replacement(a[0], a[1], b[2]), Replacement(b[0], b[1], a[2])])


def foreign_name(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A name that the dialogue does not have."""
    found = _mentions(example, source.names)
    found += [
        (m.start(), m.end(), m[0])
        for m in re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", example.text)
        if not touches(example, m.start(), m.end()) and m[0] not in source.names
    ]
    if not found:
        return None
    start, end, name = draw.choice(found)
    if name in source.names and draw.random() < 0.6:
        pool: Sequence[str] = invented_names()
    else:
        pool = draw.choice(material.sources).capitals or invented_names()
    new = draw.choice(pool)
    if new.lower() in source.words or new == name:
        return None
    return replaced(example, "entity", [Replacement(start, end, new)])


def negate(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A clause that is now denied."""
    found = [m for m in AUXILIARY.finditer(example.text) if not touches(example, m.start(), m.end())]
    if found and draw.random() < 0.6:
        match = draw.choice(found)
        return replaced(example, "negation", [Replacement(match.start(), match.end(), denied(match[0], draw))])
    mentions = _mentions(example, source.names)
    for _, end, _ in draw.sample(mentions, k=len(mentions)):
        verb = _NAME_VERB.match(example.text[end:])
        base = base_form(verb[1]) if verb and verb[1] not in _NO_VERBS else None
        if verb and base:
            new = draw.choice((f"doesn't {base}", f"does not {base}", f"never {verb[1]}"))
            return replaced(example, "negation", [Replacement(end + 1, end + verb.end(), new)])
    return None


def base_form(verb: str) -> str | None:
    """The base form of a verb in the third person ("tries": "try"); None where it does not look like one."""
    if verb in _THIRD:
        return _THIRD[verb]
    known = synonyms()
    tries = [verb[:-3] + "y"] if verb.endswith("ies") else []
    if re.search(r"(ch|sh|x|ss|zz|o)es$", verb):
        tries.append(verb[:-2])
    tries.append(verb[:-1])
    return next((form for form in tries if len(form) > 1 and known.of(form)), None)


def drop_negation(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """What was denied is now said."""
    found = [m for m in NEGATED.finditer(example.text) if not touches(example, m.start(), m.end())]
    if not found:
        return None
    match = draw.choice(found)
    new = undenied(match[0])
    end = match.end() + (1 if not new and example.text[match.end() : match.end() + 1] == " " else 0)
    return replaced(example, "negation", [Replacement(match.start(), end, new)])


def neighbour_word(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A word becomes a related one that does not mean the same."""
    words = content_words(example)
    draw.shuffle(words)
    for match in words[:4]:
        choices = related_words(match[0], source, material)
        if choices:
            return replaced(example, "word", [Replacement(*match.span(), draw.choice(choices))])
    return None


def foreign_source(source: Source, material: Material, draw: random.Random) -> Source | None:
    """Another dialogue with its summary, in which the speakers of this one talk."""
    for _ in range(10):
        other = draw.choice(material.sources)
        if other.key == source.key or not other.named or not other.sentences:
            continue
        names = list(source.names)
        draw.shuffle(names)
        made = _renamed(other, names)
        if made.sentences:
            return made
    return None


def foreign_summary(source: Source, material: Material, draw: random.Random) -> list[str]:
    """The sentences of another summary, about the speakers of this dialogue."""
    other = foreign_source(source, material, draw)
    return list(other.sentences) if other else []


def _renamed(other: Source, names: Sequence[str]) -> Source:
    """Another dialogue and its summary with these names in place of its own."""
    table = dict(zip(dict.fromkeys((*other.named, *other.speakers)), list(names) * 99, strict=False))
    # A speaker whom the summary calls by a first name keeps one name in both.
    for speaker in other.speakers:
        table[speaker] = table.get(next((n for n in other.named if speaker.split()[:1] == [n]), speaker), names[0])
    pattern = re.compile("|".join(mention(name).pattern for name in sorted(table, key=len, reverse=True)))
    turns = tuple((table[name], pattern.sub(lambda m: table[m[0]], said)) for name, said in other.turns)
    return Source(other.key, turns, pattern.sub(lambda m: table[m[0]], other.summary))


def tail(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """The second half of a sentence comes from another summary."""
    foreign = [s for s in foreign_summary(source, material, draw) if len(s.split()) >= 5]
    own = Source("", (), example.text).sentences
    place = draw.randrange(len(own)) if own else 0
    if not foreign or not own or len(own[place].split()) < 6 or example.wrong:
        return None
    words, others = own[place].split(), draw.choice(foreign).split()
    at = draw.choice([i for i, w in enumerate(words) if 1 < i < len(words) - 1] or [len(words) // 2])
    same = [i for i, w in enumerate(others) if 0 < i < len(others) - 1 and w.lower() == words[at - 1].lower()]
    start = draw.choice(same) + 1 if same else len(others) // 2
    head, rest = " ".join(words[:at]), " ".join(others[start:])
    sentence = Example("tail", f"{head} {rest}", ((len(head) + 1, len(head) + 1 + len(rest)),))
    return joined(
        "tail", [*(Example("", s) for s in own[:place]), sentence, *(Example("", s) for s in own[place + 1 :])]
    )


ERRORS: Mapping[str, Rule] = {
    "value": change_value,
    "name": swap_name,
    "roles": swap_subject_object,
    "entity": foreign_name,
    "negation": negate,
    "negation-dropped": drop_negation,
    "word": neighbour_word,
    "tail": tail,
}
