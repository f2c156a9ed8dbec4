"""Who the speakers of a dialogue are, and by which names a summary can mean them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dialgauge.checks._introductions import ROLES, names_of
from dialgauge.corpus import Turn

#: Short forms that are no beginning of the long one.
_SHORT_FORMS = {
    frozenset(pair.split())
    for pair in [
        "bob robert",
        "rob robert",
        "bill william",
        "will william",
        "mike michael",
        "mick michael",
        "dick richard",
        "rick richard",
        "jim james",
        "jack john",
        "tony anthony",
        "ted edward",
        "ned edward",
        "ed edward",
        "peggy margaret",
        "maggie margaret",
        "meg margaret",
        "kate katherine",
        "kate catherine",
        "katie katherine",
        "kathy katherine",
        "cathy catherine",
        "beth elizabeth",
        "liz elizabeth",
        "lizzie elizabeth",
        "betty elizabeth",
        "eliza elizabeth",
        "sasha alexander",
        "sasha alexandra",
        "sandy alexandra",
        "alex alexander",
        "hank henry",
        "harry henry",
        "harry harold",
        "chuck charles",
        "charlie charles",
        "larry lawrence",
        "molly mary",
        "polly mary",
        "nell helen",
        "nancy ann",
        "ricky richard",
        "bobby robert",
        "billy william",
        "johnny john",
        "jimmy james",
        "jenny jennifer",
        "becky rebecca",
        "vicky victoria",
        "tori victoria",
        "mandy amanda",
        "cindy cynthia",
        "trish patricia",
        "tricia patricia",
        "patty patricia",
        "steve stephen",
        "steve steven",
        "joey joseph",
        "joe joseph",
        "abby abigail",
        "gabby gabrielle",
        "ollie oliver",
        "andy andrew",
        "drew andrew",
        "bert albert",
        "bert robert",
        "gene eugene",
        "xmas christmas",
    ]
}
_HASHED = re.compile(r"#?\s?([^\W\d_]+)\s?(\d+)\s?#?")
_LEAST_PREFIX = 3
_NEAR = 80.0


@dataclass(frozen=True)
class Speakers:
    """The speakers in the order of their first turns, and the words that mean one of them."""

    names: tuple[str, ...]
    aliases: dict[str, int]

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> "Speakers":
        """The speakers of a dialogue. A word that would mean two of them means none."""
        names = tuple(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
        roles = {turn.speaker: turn.role for turn in turns if turn.role}
        given = names_of(turns)
        found: dict[str, set[int]] = {}
        for place, name in enumerate(names):
            for alias in _aliases(name, roles.get(name)) | given.get(name, set()):
                found.setdefault(alias, set()).add(place)
        return cls(names, {alias: min(places) for alias, places in found.items() if len(places) == 1})

    def place(self, name: str) -> int:
        """The place of a speaker by its full name; -1 for a turn without one."""
        return self.names.index(name) if name in self.names else -1

    def meant_by(self, word: str) -> int | None:
        """The speaker that a word of a summary means: by name, short form or role."""
        lower = plain(word)
        if lower in self.aliases:
            return self.aliases[lower]
        hashed = _HASHED.fullmatch(lower)
        if hashed:
            return self.aliases.get(f"{hashed[1]}{hashed[2]}")
        near = {place for alias, place in self.aliases.items() if same_name(lower, alias)}
        return min(near) if len(near) == 1 and word[:1].isupper() else None


def plain(word: str) -> str:
    """A name in lower case, without what may stand around it."""
    return word.lower().replace("’", "'").removesuffix("'s").strip("#.,'\"")


def same_name(first: str, second: str) -> bool:
    """Whether two lower-case names can be one person's: equal, a short form, or misspelt."""
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= _LEAST_PREFIX and longer.startswith(shorter):
        return True
    if frozenset((first, second)) in _SHORT_FORMS:
        return True
    return len(shorter) > _LEAST_PREFIX and _ratio(first, second) >= _NEAR


def found_in(name: str, words: Iterable[str]) -> bool:
    """Whether a lower-case name, a short form or another spelling of it is among these words."""
    begin = name[:1]
    return any(same_name(name, word) for word in words if word[:1] == begin or frozenset((name, word)) in _SHORT_FORMS)


def _ratio(first: str, second: str) -> float:
    from rapidfuzz.fuzz import ratio

    return float(ratio(first, second))


def _aliases(name: str, role: str | None) -> set[str]:
    lower = plain(name)
    words = [word for word in re.split(r"[\s_]+", lower) if word.strip(".")]
    found = {
        lower,
        lower.replace(" ", ""),
        *(word for word in words if len(word) > 1 and word not in ("mr.", "mrs.", "ms.")),
    }
    for group in ROLES:
        if group & {*words, role or ""}:
            found |= group
    if hashed := _HASHED.fullmatch(lower):
        found.add(f"{hashed[1]}{hashed[2]}")
    return found
