"""Rules that make a right summary wrong, each with the places where it is wrong afterwards.

A rule gets an example (so that several can follow each other), its dialogue, the material and a source of random
numbers, and gives a new example, or None where it does not apply.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from dialgauge.checker._example import Example, Replacement, joined, replaced
from dialgauge.checker._material import NEAR, Material, Source, mention
from dialgauge.checker._values import other_value, values_in
from dialgauge.language import porter_stem
from dialgauge.metrics import synonyms
from dialgauge.perturb import people, substitutes, word_set

Rule = Callable[[Example, Source, Material, random.Random], Example | None]

_WORD = re.compile(r"(?<![\w#'’-])[A-Za-z]{3,}(?![\w#'’-])")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|will|can|could|would|should|must|might|may|has|have|had|does|do|did)\b(?! not|n['’]t)", re.I
)
_SHORT = {"will": "won't", "can": "can't", "may": "may not", "might": "might not"}
_NEGATED = re.compile(
    r"\b(won['’]t|can['’]t|cannot|(?:is|are|was|were|could|would|should|must|has|have|had|does|do|did)n['’]t)\b"
    r"|\b(not|never)\b",
    re.I,
)
_NAME_VERB = re.compile(r"^ ([a-z]{2,}s)\b")
_THIRD = {"has": "have", "does": "do", "goes": "go", "is": "be"}
#: Words that can change places are at least this near; others would give the error away by their grammar.
_RELATED = 0.4
#: The words between a speaker and what is quoted: no claim.
_KEPT = frozenset({"says", "said"})
_NO_VERBS = frozenset({"is", "was", "has", "does", "always", "as", "this", "its", "his"})


def _invented() -> tuple[str, ...]:
    """Names of people that most dialogues do not have."""
    found = people()
    return (*found.feminine, *found.masculine)


def _content(example: Example) -> list[re.Match[str]]:
    """The words that carry meaning; names and what is already wrong are left out."""
    inner = [
        m
        for m in _WORD.finditer(example.text)
        if m[0].islower() and m[0] not in _KEPT and m[0] not in word_set("stopwords")
    ]
    return [m for m in inner if not _touches(example, m.start(), m.end())]


def _touches(example: Example, start: int, end: int) -> bool:
    return any(a < end and start < b for a, b in example.wrong)


def _same_meaning(first: str, second: str) -> bool:
    if porter_stem(first) == porter_stem(second):
        return True
    table = synonyms()
    return bool(table.of(first) & table.of(second))


def change_value(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Another number, time, day or amount: half of them from the dialogue."""
    found = [v for v in values_in(example.text) if not _touches(example, v.start, v.end)]
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
        if (not kept or one[0] >= kept[-1][1]) and not _touches(example, one[0], one[1]):
            kept.append(one)
    return kept


def swap_name(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """One mention of a speaker becomes another speaker."""
    found = _mentions(example, source.names)
    if not found or len(source.names) < 2:
        return None
    start, end, name = draw.choice(found)
    new = draw.choice([other for other in source.names if other != name])
    # "Ann and Bob meet" with one of them replaced names a person twice; joint subjects are left alone.
    around = example.text[max(0, start - len(new) - 6) : end + len(new) + 6]
    if re.search(rf"{re.escape(new)}(,| and| or| with| &)|(and|or|with|,|&) {re.escape(new)}", around):
        return None
    return replaced(example, "name", [Replacement(start, end, new)])


def swap_all_names(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Two speakers change their parts, everywhere."""
    found = _mentions(example, source.names)
    present = list(dict.fromkeys(name for _, _, name in found))
    if not present or len(source.names) < 2:
        return None
    first = draw.choice(present)
    second = draw.choice([name for name in source.names if name != first])
    pair = (first, second)
    together = re.compile(
        rf"({re.escape(first)}(,| and| or| &| with) {re.escape(second)})"
        rf"|({re.escape(second)}(,| and| or| &| with) {re.escape(first)})"
    )
    if together.search(example.text):
        return None
    changes = [Replacement(start, end, pair[1 - pair.index(name)]) for start, end, name in found if name in pair]
    return replaced(example, "names", changes)


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
        if not _touches(example, m.start(), m.end()) and m[0] not in source.names
    ]
    if not found:
        return None
    start, end, name = draw.choice(found)
    if name in source.names and draw.random() < 0.6:
        pool: Sequence[str] = _invented()
    else:
        pool = draw.choice(material.sources).capitals or _invented()
    new = draw.choice(pool)
    if new.lower() in source.words or new == name:
        return None
    return replaced(example, "entity", [Replacement(start, end, new)])


def negate(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A clause that is now denied."""
    found = [m for m in _AUXILIARY.finditer(example.text) if not _touches(example, m.start(), m.end())]
    if found and draw.random() < 0.6:
        match = draw.choice(found)
        word = match[0]
        short = _SHORT.get(word.lower(), f"{word}n't")
        new = f"{word} not" if draw.random() < 0.6 or not word.islower() else short
        return replaced(example, "negation", [Replacement(match.start(), match.end(), new)])
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
    found = [m for m in _NEGATED.finditer(example.text) if not _touches(example, m.start(), m.end())]
    if not found:
        return None
    match = draw.choice(found)
    word = match[0].lower().replace("’", "'")
    if word in ("not", "never"):
        end = match.end() + (1 if example.text[match.end() : match.end() + 1] == " " else 0)
        return replaced(example, "negation", [Replacement(match.start(), end, "")])
    positive = {"won't": "will", "can't": "can", "cannot": "can", "doesn't": "does", "don't": "do", "didn't": "did"}
    return replaced(
        example, "negation", [Replacement(match.start(), match.end(), positive.get(word, word.removesuffix("n't")))]
    )


def neighbour_word(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A word becomes a related one that does not mean the same."""
    words = _content(example)
    draw.shuffle(words)
    for match in words[:4]:
        choices = [
            other
            for other, cosine in material.near(match[0])
            if NEAR[0] <= cosine <= NEAR[1]
            and other.isalpha()
            and len(other) > 2
            and other not in source.words
            and other not in word_set("stopwords")
            and _same_ending(other, match[0])
            and not _same_meaning(other, match[0])
        ]
        if choices:
            return replaced(example, "word", [Replacement(*match.span(), draw.choice(choices[:8]))])
    return None


def plain_substitute(table: Literal["antonyms", "synonyms"], word: str) -> str | None:
    """The best substitute that fits everywhere; the grammar of the text is not known here."""
    known = substitutes(table).get(word, ())
    return next((one.word for one in known if one.position == "any" and not one.supersenses), None)


def _same_ending(first: str, second: str) -> bool:
    """Whether two words look like the same form: both with -ing, -ed, -s, -ly or without."""
    endings = ("ing", "ed", "ly", "s")
    return [first.endswith(e) for e in endings] == [second.endswith(e) for e in endings]


def word_of_dialogue(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A word becomes another word of the dialogue."""
    words = _content(example)
    draw.shuffle(words)
    present = {m[0].lower() for m in _WORD.finditer(example.text)}
    pool = sorted(
        w for w in source.words if w.isalpha() and len(w) > 2 and w not in word_set("stopwords") and w not in present
    )
    for match in words[:4]:
        choices = []
        for other in pool:
            cosine = material.cosine(match[0], other)
            if cosine is not None and _RELATED <= cosine <= NEAR[1] and _same_ending(other, match[0]):
                choices.append(other)
        choices = [other for other in choices if not _same_meaning(other, match[0])]
        if choices:
            return replaced(example, "dialogue-word", [Replacement(*match.span(), draw.choice(choices))])
    return None


def swap_words(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """Two words of the summary change places."""
    words = _content(example)
    pairs = []
    for i, first in enumerate(words):
        for second in words[i + 1 :]:
            cosine = material.cosine(first[0], second[0])
            if cosine is not None and _RELATED <= cosine <= NEAR[1] and _same_ending(first[0], second[0]):
                between = example.text[first.end() : second.start()].strip().lower()
                if between not in ("and", "or", ",", "") and not _same_meaning(first[0], second[0]):
                    pairs.append((first, second))
    if not pairs:
        return None
    first, second = draw.choice(pairs)
    return replaced(example, "swap", [Replacement(*first.span(), second[0]), Replacement(*second.span(), first[0])])


def antonym(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A word becomes its opposite."""
    found = [(m, new) for m in _content(example) if (new := plain_substitute("antonyms", m[0]))]
    if not found:
        return None
    match, new = draw.choice(found)
    return replaced(example, "antonym", [Replacement(*match.span(), new)])


def foreign_summary(source: Source, material: Material, draw: random.Random) -> list[str]:
    """The sentences of another summary, about the speakers of this dialogue."""
    for _ in range(10):
        other = draw.choice(material.sources)
        if other.key == source.key or not other.named or not other.sentences:
            continue
        names = list(source.names)
        draw.shuffle(names)
        found = Source("", (), _renamed(other, names)).sentences
        if found:
            return list(found)
    return []


def _renamed(other: Source, names: Sequence[str]) -> str:
    """The summary of another dialogue with these names in place of its own."""
    table = dict(zip(other.named, list(names) * len(other.named), strict=False))
    pattern = re.compile("|".join(mention(name).pattern for name in sorted(table, key=len, reverse=True)))
    return pattern.sub(lambda match: table[match[0]], other.summary)


def _all_wrong(kind: str, text: str) -> Example:
    return Example(kind, text, ((0, len(text)),) if text else ())


def add_sentence(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """A sentence about something else, with the speakers' names."""
    foreign = foreign_summary(source, material, draw)
    if not foreign:
        return None
    new = _all_wrong("sentence", draw.choice(foreign))
    if example.wrong or draw.random() < 0.5:
        parts = [example, new]
    else:
        own = [Example("", sentence) for sentence in Source("", (), example.text).sentences]
        place = draw.randrange(len(own) + 1)
        # As often in place of a sentence as beside it: a longer summary must not be a sign of an error.
        parts = [*own[:place], new, *own[place + (draw.random() < 0.6) :]]
    return joined("sentence", parts)


def add_clause(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """What one of the speakers is said to do at the end of a sentence is foreign."""
    foreign = [s for s in foreign_summary(source, material, draw) if len(s.split()) < 14]
    ends = [m.start() for m in re.finditer(r"\.(?=\s|$)", example.text)]
    if not foreign or not ends:
        return None
    place = draw.choice(ends)
    clause = re.sub(r"[.!?\s]+$", "", draw.choice(foreign))
    new = draw.choice((f" and {clause}", f", because {clause}", f", but {clause}", f" after {clause}"))
    return replaced(example, "clause", [Replacement(place, place, new)])


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


def other_dialogue(example: Example, source: Source, material: Material, draw: random.Random) -> Example | None:
    """The summary of another dialogue, with the speakers' names."""
    foreign = foreign_summary(source, material, draw)
    return _all_wrong("other", " ".join(foreign)) if foreign else None


ERRORS: Mapping[str, Rule] = {
    "value": change_value,
    "name": swap_name,
    "names": swap_all_names,
    "roles": swap_subject_object,
    "entity": foreign_name,
    "negation": negate,
    "negation-dropped": drop_negation,
    "word": neighbour_word,
    "dialogue-word": word_of_dialogue,
    "swap": swap_words,
    "antonym": antonym,
    "sentence": add_sentence,
    "clause": add_clause,
    "tail": tail,
    "other": other_dialogue,
}
