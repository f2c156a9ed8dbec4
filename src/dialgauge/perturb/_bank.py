"""Sentences that a summary can borrow from the summaries of other dialogues: noise that fits the conversation."""

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from dialgauge.corpus import ORIGINAL, Corpus, Dialogue, embedded_corpus
from dialgauge.perturb._domain_sides import Sides, sides_of
from dialgauge.perturb._domain_text import support
from dialgauge.perturb._lexicon import root
from dialgauge.perturb._parse import outline
from dialgauge.perturb._word_tables import supersense, word_set

#: A corpus lends at most so many sentences; which ones, their text alone decides.
_MOST = 4000
_FEWEST_WORDS, _MOST_WORDS = 5, 16
#: How near (cosine) a conversation must be to lend a sentence, and how many telling words it must share.
_NEAR = 0.18
_FEWEST_COMMON = 4
#: A word of more than this share of the conversations says nothing about a topic.
_COMMON = 0.10
#: A sentence of which this share of words stands in one sentence of the summary says the same.
_SAME = 0.6
#: Words that point to something outside their sentence.
_POINTING = word_set("pointing_words")
_PAST = word_set("past_forms")
_WORD = re.compile(r"[^\W\d_]+")
#: Supersenses of nouns that make a topic: acts, animals, things, body parts, words, events, food, groups, places,
#: objects, persons, plants, possessions, substances.
_TOPICAL = frozenset((4, 5, 6, 8, 10, 11, 13, 14, 15, 17, 18, 20, 21, 27))
_SAY_LITTLE = word_set("light_nouns")
_CAPITAL = re.compile(r"(?<=\s)[A-Z][a-z]+|[\"“”()\d]")


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A sentence with ``{0}`` and ``{1}`` for the two who talk, the dialogue that it is about, the words that tell its
    topic, and those of the whole conversation."""

    dialogue_id: str
    template: str
    roots: frozenset[str]
    conversation: frozenset[str]
    past: bool | None


@dataclass(frozen=True)
class Bank:
    """The sentences that a corpus can lend."""

    sentences: tuple[Borrowed, ...]

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """How telling each word is: the rarer among the conversations, the more; what many have tells nothing."""
        conversations = {sentence.dialogue_id: sentence.conversation for sentence in self.sentences}
        counts = Counter(word for words in conversations.values() for word in words)
        total = len(conversations)
        return {word: math.log(total / n) ** 2 if n <= max(_COMMON * total, 2) else 0.0 for word, n in counts.items()}

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self.weights.get(word, 0.0) for word in words)

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """The sentences that hold a word."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, sentence in enumerate(self.sentences):
            for word in sorted(sentence.roots):
                found[word].append(place)
        return {word: tuple(places) for word, places in found.items()}

    def fitting(self, dialogue: Dialogue | None, text: str, past: bool) -> list[Borrowed]:
        """Sentences about similar conversations (cosine of the words that tell the topic) that share such a word with
        this summary and say something else, the nearest conversation first."""
        told = topic_roots(text)
        known = told | topic_roots(dialogue.text) if dialogue else told
        own = [topic_roots(text[start:end]) for start, end in outline(text).sentences]
        transcript = f"{text}\n{dialogue.text}" if dialogue else text
        size = self._weight(known)
        ranked: list[tuple[float, str, Borrowed]] = []
        for place in sorted({place for word in told for place in self.places.get(word, ())}):
            sentence = self.sentences[place]
            if (dialogue and sentence.dialogue_id == dialogue.id) or sentence.past not in (None, past):
                continue
            norm = math.sqrt(size * self._weight(sentence.conversation))
            common = {word for word in sentence.conversation & known if self.weights.get(word)}
            near = self._weight(common) / norm if norm else 0.0
            if (
                near < _NEAR
                or len(common) < _FEWEST_COMMON
                or not self._weight(sentence.roots & told)
                or not sentence.roots - known
            ):
                continue
            same = any(len(sentence.roots & other) >= _SAME * len(sentence.roots) for other in own)
            if not same and support(sentence.template, transcript) < _SAME:
                ranked.append((-near, sentence.template, sentence))
        return [sentence for _, _, sentence in sorted(ranked, key=lambda entry: entry[:2])]


@lru_cache(maxsize=8192)
def topic_roots(text: str) -> frozenset[str]:
    """The roots of the words that tell what a text is about: nouns of things, animals, food, places, people, acts and
    events."""
    words = {match.group().lower() for match in _WORD.finditer(text)} - _SAY_LITTLE
    return frozenset(root(word) for word in words if _kind(word) in _TOPICAL)


def _kind(word: str) -> int | None:
    found = supersense(word)
    return found if found is not None or not word.endswith("s") else supersense(word[:-1])


def bank_of(corpus: Corpus) -> Bank:
    """What the references of a corpus can lend (its summaries by systems where it has no reference)."""
    rows = corpus.references if corpus.references.height else corpus.summaries
    dialogues = {dialogue.id: dialogue for dialogue in corpus.iter_dialogues()}
    texts = (
        (dialogues[row["dialogue_id"]], row["text"])
        for row in rows.iter_rows(named=True)
        if row["variant"] == ORIGINAL and row["text"] and row["dialogue_id"] in dialogues
    )
    return Bank(tuple(_lent(texts)))


@cache
def embedded_bank() -> Bank:
    """What the embedded corpus can lend, for texts without a corpus of their own."""
    return bank_of(embedded_corpus())


def _lent(texts: Iterable[tuple[Dialogue, str]]) -> list[Borrowed]:
    found = {borrowed.template: borrowed for dialogue, text in texts for borrowed in _sentences(dialogue, text)}
    chosen = sorted(found, key=lambda template: hashlib.sha256(template.encode()).digest())[:_MOST]
    return [found[template] for template in sorted(chosen)]


def _sentences(dialogue: Dialogue, text: str) -> Iterator[Borrowed]:
    """The sentences of a summary that stand by themselves: one of the two who talk comes first, nobody else is named,
    and no word points elsewhere."""
    sides, conversation = sides_of(dialogue, text), topic_roots(text) | topic_roots(dialogue.text)
    for start, end in outline(text).sentences:
        template = _template(text[start:end], sides)
        if template is None:
            continue
        rest = re.sub(r"\{[01]\}", "", template)
        words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", rest)
        if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS or {word.lower() for word in words} & _POINTING:
            continue
        if not _CAPITAL.search(rest):
            yield Borrowed(dialogue.id, template, topic_roots(rest), conversation, _tense(words[0]))


def _template(sentence: str, sides: Sides) -> str | None:
    """The sentence with places for the two sides; None where it does not begin with one."""
    mentions = [m for m in sides.mentions(sentence) if m.kind == "name"]
    if not mentions or mentions[0].start != 0 or not sentence.endswith("."):
        return None
    for mention in reversed(mentions):
        sentence = f"{sentence[: mention.start]}{{{mention.side}}}{sentence[mention.end :]}"
    first = sentence[1]
    swapped = sentence if first == "0" else sentence.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    return None if re.search(r"\{\d\}(?:\w|,? and \{| \{)", swapped) else swapped


def _tense(verb: str) -> bool | None:
    """Whether a verb is past; None where it fits both (*will*, *can*)."""
    if verb in ("will", "can", "may", "must", "should", "would", "could", "might"):
        return None
    return verb in _PAST or verb.endswith("ed")
