"""Changes that are made in a dialogue and its summaries alike, so that each text is right once and wrong once.

The changed summary is wrong for the dialogue as it was and right for the changed one; the summary as it was is the
other way round. Whoever looks at the summaries alone learns nothing from such a pair.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.checker._edits import (
    AUXILIARY,
    NEGATED,
    RELATED,
    content_words,
    denied,
    invented_names,
    plain_substitute,
    related_words,
    same_ending,
    same_meaning,
    undenied,
)
from dialgauge.checker._example import Example, Replacement, Span, replaced
from dialgauge.checker._material import NEAR, Material, Source, mention
from dialgauge.checker._values import Value, other_value, values_in
from dialgauge.language import porter_stem
from dialgauge.perturb import word_set

Find = Callable[[str], list[Replacement]]


@dataclass(frozen=True, slots=True)
class Change:
    """A change that can be made in any text about a dialogue: what is replaced, by what."""

    kind: str
    steps: tuple[Find, ...]

    def applied(self, text: str) -> Example:
        """The text after the change, with the places where it is wrong for the dialogue as it was."""
        made = Example(self.kind, text)
        for step in self.steps:
            made = replaced(made, self.kind, step(made.text))
        return made

    def places(self, text: str) -> tuple[Span, ...]:
        """Where a text as it was is wrong for the changed dialogue."""
        found = {(one.start, one.end) for step in self.steps for one in step(text) if one.wrong}
        return tuple(sorted(found))

    def dialogue(self, source: Source) -> Source:
        """The changed dialogue with the changed summary."""
        turns = tuple((self.applied(name).text, self.applied(said).text) for name, said in source.turns)
        return Source(f"{source.key}~{self.kind}", turns, self.applied(source.summary).text)


Maker = Callable[[Sequence[str], Source, Material, random.Random], Change | None]


def _exchange(table: Mapping[str, str], kept: re.Pattern[str] | None = None) -> Find:
    """Names by the table, everywhere; inside what ``kept`` finds the exchange makes nothing wrong."""
    pattern = re.compile("|".join(mention(name).pattern for name in sorted(table, key=len, reverse=True)))

    def find(text: str) -> list[Replacement]:
        still = [m.span() for m in kept.finditer(text)] if kept else []
        return [
            Replacement(m.start(), m.end(), table[m[0]], not any(a <= m.start() < b for a, b in still))
            for m in pattern.finditer(text)
        ]

    return find


def swapped_speakers(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """Two speakers change their parts in the whole dialogue."""
    able = [name for name in source.speakers if len(name) > 1]
    said = [name for name in able if any(mention(form).search(text) for form in _forms(name) for text in texts)]
    if not said or len(able) < 2:
        return None
    first = draw.choice(said)
    second = draw.choice([name for name in able if name != first])
    table = {_forms(first)[-1]: _forms(second)[-1], _forms(second)[-1]: _forms(first)[-1]}
    table |= {first: second, second: first}
    one, two = (f"(?:{'|'.join(map(re.escape, _forms(name)))})" for name in (first, second))
    joint = re.compile(rf"{one}(?:,| and| or| &| with) {two}|{two}(?:,| and| or| &| with) {one}")
    return Change("names", (_exchange(table, joint),))


def _forms(name: str) -> tuple[str, ...]:
    short = name.split()[0]
    return (name, short) if len(short) > 1 and short != name and short.lower() not in _TITLES else (name,)


_TITLES = frozenset({"mr", "mrs", "ms", "miss", "dr", "mr.", "mrs.", "ms.", "dr.", "the", "speaker"})


def other_name(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """Somebody or something gets a name that the dialogue does not have."""
    known = [name for name in source.names if len(name) > 1]
    known += [word for word in source.capitals if any(mention(word).search(text) for text in texts)]
    if not known:
        return None
    old = draw.choice(known)
    if old in source.names and draw.random() < 0.6:
        pool: Sequence[str] = invented_names()
    else:
        pool = draw.choice(material.sources).capitals or invented_names()
    new = draw.choice(pool)
    if new.lower() in source.words or new.lower() in " ".join(texts).lower():
        return None
    return Change("entity", (_exchange({old: new}),))


def other_amount(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """A number, time or day that the dialogue and the summary have becomes another one, or two change places."""
    said = {(v.kind, v.amount): v for v in values_in(source.text)}
    common = [v for text in texts for v in values_in(text) if (v.kind, v.amount) in said]
    if not common:
        return None
    old = draw.choice(common)
    others = [v for key, v in said.items() if v.kind == old.kind and v.amount != old.amount]
    if others and draw.random() < 0.5:
        return Change("value", (_values(old, draw.choice(others)),))
    new = values_in(other_value(old, draw))
    if len(new) != 1 or new[0].kind != old.kind or (new[0].kind, new[0].amount) in said:
        return None
    return Change("value", (_values(old, new[0]),))


def _values(old: Value, new: Value) -> Find:
    table = {(old.kind, old.amount): new.text, (new.kind, new.amount): old.text}
    return lambda text: [
        Replacement(v.start, v.end, table[v.kind, v.amount])
        for v in values_in(text)
        if (v.kind, v.amount) in table and table[v.kind, v.amount].lower() != v.text.lower()
    ]


def _shared_words(texts: Sequence[str], source: Source) -> list[str]:
    """Words with meaning that a summary has, and the dialogue in no other form."""
    stems: dict[str, set[str]] = {}
    for word in source.words:
        stems.setdefault(porter_stem(word), set()).add(word)
    found = {m[0] for text in texts for m in content_words(Example("", text))}
    return sorted(word for word in found if stems.get(porter_stem(word)) == {word})


def _words(kind: str, first: str, second: str) -> Change:
    table = {first: second, second: first}
    pattern = re.compile(rf"(?<![\w#'’-])(?:{first}|{second})(?![\w#'’-])", re.I)

    def find(text: str) -> list[Replacement]:
        made = []
        for match in pattern.finditer(text):
            new = table[match[0].lower()]
            made.append(Replacement(match.start(), match.end(), new.capitalize() if match[0][0].isupper() else new))
        return made

    return Change(kind, (find,))


def other_word(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """A word becomes a related one that the dialogue does not have."""
    words = _shared_words(texts, source)
    for word in draw.sample(words, k=min(4, len(words))):
        choices = related_words(word, source, material)
        if choices:
            return _words("word", word, draw.choice(choices))
    return None


def opposite_word(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """A word becomes its opposite."""
    found = [(w, new) for w in _shared_words(texts, source) if (new := plain_substitute("antonyms", w))]
    found = [(w, new) for w, new in found if new.isalpha() and new not in source.words]
    return _words("antonym", *draw.choice(found)) if found else None


def exchanged_words(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """Two words of the dialogue change places: one of them, or both, are in the summary."""
    words = _shared_words(texts, source)
    pool = sorted(w for w in source.words if w.isalpha() and len(w) > 2 and w not in word_set("stopwords"))
    for word in draw.sample(words, k=min(4, len(words))):
        choices = []
        for other in pool:
            cosine = material.cosine(word, other)
            if cosine is not None and RELATED <= cosine <= NEAR[1] and same_ending(word, other):
                choices.append(other)
        choices = [other for other in choices if other != word and not same_meaning(other, word)]
        if choices:
            other = draw.choice(choices)
            together = any(re.search(rf"\b{other}\b", text) for text in texts)
            return _words("swap" if together else "dialogue-word", word, other)
    return None


def denied_turn(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """A turn that a summary quotes says the opposite: denied, or no longer denied."""
    quoted = [said for _, said in source.turns if len(said.split()) > 2 and any(said in text for text in texts)]
    able: list[tuple[str, re.Match[str], str]] = []
    for said in dict.fromkeys(quoted):
        able += [(said, m, denied(m[0], draw)) for m in AUXILIARY.finditer(said)]
        able += [(said, m, undenied(m[0])) for m in NEGATED.finditer(said)]
    if not able:
        return None
    said, match, new = draw.choice(able)
    end = match.end() + (1 if not new and said[match.end() : match.end() + 1] == " " else 0)

    def find(text: str) -> list[Replacement]:
        starts = [m.start() for m in re.finditer(re.escape(said), text)]
        return [Replacement(at + match.start(), at + end, new) for at in starts]

    return Change("negation", (find,))


def several_changes(texts: Sequence[str], source: Source, material: Material, draw: random.Random) -> Change | None:
    """Two or three changes of different kinds at once, none of which touches what another one made."""
    steps: list[Find] = []
    for maker in draw.sample((swapped_speakers, other_amount, other_word, other_name), k=4):
        made = maker(texts, source, material, draw)
        if made and len(steps) < 3 and not _meet(made.steps[0], steps, [source.text, *texts]):
            steps.append(made.steps[0])
    return Change("several", tuple(steps)) if len(steps) > 1 else None


def _meet(new: Find, steps: Sequence[Find], texts: Sequence[str]) -> bool:
    """Whether two changes touch the same words, before or after."""
    old = {w for step in steps for text in texts for one in step(text) for w in (text[one.start : one.end], one.text)}
    own = {w for text in texts for one in new(text) for w in (text[one.start : one.end], one.text)}
    return bool({w.lower() for w in old} & {w.lower() for w in own})


CHANGES: Mapping[str, Maker] = {
    "names": swapped_speakers,
    "entity": other_name,
    "value": other_amount,
    "word": other_word,
    "antonym": opposite_word,
    "exchange": exchanged_words,
    "negation": denied_turn,
    "several": several_changes,
}
