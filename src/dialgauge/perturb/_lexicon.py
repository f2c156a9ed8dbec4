"""The language of contact centres and a table of invented particulars, read from the TOML files in ``lexicon/``."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, Literal

from dialgauge.corpus import Dialogue
from dialgauge.perturb._word_tables import word_set

Gender = Literal["feminine", "masculine"]
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: Why something is asked for is not what is asked for: a trip cancelled due to a doctor's appointment is a trip.
REASON = re.compile(r"\b(?:due to|because of|owing to|as a result of)\b[^.;,!?]*", re.IGNORECASE)
#: Minimum number of different keywords for a text to count as belonging to a domain.
_LEAST_KEYWORDS = 3
#: A keyword in the summary (3 each) and in the transcript (1 each) before a conversation has a topic.
_LEAST_NEARNESS = 11


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of call within a domain, known by the roots of its keywords."""

    name: str
    keywords: frozenset[str]


@dataclass(frozen=True)
class Domain:
    """A vertical: how it is recognised, its nouns by slot, its kinds of calls, and sentences that would fit it."""

    name: str
    keywords: frozenset[str]
    terms: Mapping[str, tuple[str, ...]]
    categories: tuple[Category, ...]
    noise: tuple[str, ...]

    @cached_property
    def slots(self) -> Mapping[str, str]:
        """The slot of each term, in lower case, singular and plural. The first slot that lists a term has it."""
        found: dict[str, str] = {}
        for slot, terms in self.terms.items():
            for term in terms:
                found.setdefault(term.lower(), slot)
                found.setdefault(plural(term).lower(), slot)
        return found

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Any of the terms, the longest first."""
        return alternatives(self.slots)


@dataclass(frozen=True, slots=True)
class Topic:
    """What people talk about: the roots of its keywords, and sentences that would fit such a conversation."""

    name: str
    keywords: frozenset[str]
    noise: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Everything in ``contact_centre.toml``."""

    version: str
    pairs: tuple[tuple[str, str], ...]
    mass: frozenset[str]
    same: tuple[frozenset[str], ...]
    general: frozenset[str]
    chat_noise: tuple[str, ...]
    business_noise: tuple[str, ...]
    topics: tuple["Topic", ...]
    domains: Mapping[str, Domain]

    def domain_of(self, dialogue: Dialogue | None, text: str) -> Domain | None:
        """The domain that the dialogue declares, or the one whose keywords its transcript and the summary show most."""
        if dialogue and dialogue.domain and dialogue.domain.lower() in self.domains:
            return self.domains[dialogue.domain.lower()]
        told = REASON.sub("", text)
        whole = f"{dialogue.text}\n{told}" if dialogue else told
        found = roots(whole)
        ranked = sorted(
            self.domains.values(), key=lambda d: (-len(d.keywords & found.keys()), -sum(found[k] for k in d.keywords))
        )
        return ranked[0] if len(ranked[0].keywords & found.keys()) >= _LEAST_KEYWORDS else None

    def topics_of(self, dialogue: Dialogue | None, text: str) -> list[Topic]:
        """The topics that a conversation clearly has, the nearest first: by their keywords in the summary (two at
        least) and in the transcript."""
        said, told = roots(dialogue.text) if dialogue else Counter[str](), roots(text)

        def nearness(topic: Topic) -> int:
            return 3 * len(topic.keywords & told.keys()) + len(topic.keywords & said.keys())

        near = [t for t in self.topics if nearness(t) >= _LEAST_NEARNESS and len(t.keywords & told.keys()) > 1]
        return sorted(near, key=lambda topic: -nearness(topic))


@dataclass(frozen=True)
class People:
    """Everything in ``people.toml``: names, streets, places … that belong to nobody."""

    version: str
    feminine: tuple[str, ...]
    masculine: tuple[str, ...]
    surnames: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[str, ...]
    countries: tuple[str, ...]
    organisations: tuple[str, ...]
    email_hosts: tuple[str, ...]
    occupations: tuple[str, ...]

    @property
    def either(self) -> tuple[str, ...]:
        """First names of women and of men."""
        return tuple(sorted(word_set("first_names_either")))

    def gender_of(self, name: str) -> Gender | None:
        """What a title, a first name or a word for a relative tells: ``Mrs Hallam``, ``Owen Pritchett``, ``Dad``."""
        for word in name.replace(".", "").split():
            if word in word_set("first_names_feminine") or word.lower() in word_set("female"):
                return "feminine"
            if word in word_set("first_names_masculine") or word.lower() in word_set("male"):
                return "masculine"
        return None


def _general_noise(sort: str) -> tuple[str, ...]:
    """Sentences that fit any conversation, and those of this sort."""
    raw = _read("topics.toml")
    return (*raw["talk"]["noise"], *raw[sort]["noise"])


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the package."""
    raw = _read("contact_centre.toml")
    domains = {entry["name"]: _domain(entry) for entry in raw["domain"]}
    return Lexicon(
        version=raw["version"],
        pairs=tuple((first, second) for first, second in raw["pairs"]),
        mass=frozenset(raw["mass"]),
        same=tuple(map(frozenset, raw["same"])),
        general=frozenset(raw["general"]),
        chat_noise=_general_noise("chat"),
        business_noise=_general_noise("business"),
        topics=tuple(map(_topic, _read("topics.toml")["topic"])),
        domains=domains,
    )


@cache
def people() -> People:
    """The invented particulars that come with the package."""
    raw = _read("people.toml")
    return People(version=raw.pop("version"), **{name: tuple(values) for name, values in raw.items()})


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists in ``words.toml``."""
    return frozenset(_read("words.toml")[name].split())


def alternatives(phrases: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of the phrases as whole words, the longest first, in any case."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])", re.IGNORECASE)


def plural(noun: str) -> str:
    """The plural of a regular English noun."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """A word without the endings that grammar gives it: enough to find ``payments`` under ``payment``."""
    word = re.sub(r"['’]s?$", "", word.lower())
    for ending, least in (("ies", 3), ("ing", 4), ("ied", 3), ("ed", 4), ("es", 4), ("s", 3)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] in "bdglmnprt":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 4 else word


@lru_cache(maxsize=512)
def roots(text: str) -> Counter[str]:
    """How often each root occurs in a text."""
    return Counter(root(match.group()) for match in _WORD.finditer(text))


def _domain(entry: Mapping[str, Any]) -> Domain:
    return Domain(
        name=entry["name"],
        keywords=frozenset(map(root, entry["keywords"])),
        terms={slot: tuple(terms) for slot, terms in entry["terms"].items()},
        categories=tuple(Category(c["name"], frozenset(map(root, c["keywords"]))) for c in entry["category"]),
        noise=tuple(entry["noise"]),
    )


def _topic(entry: Mapping[str, Any]) -> Topic:
    return Topic(entry["name"], frozenset(map(root, entry["keywords"])), tuple(entry["noise"]))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("dialgauge.perturb").joinpath("lexicon", name).read_text(encoding="utf-8"))
