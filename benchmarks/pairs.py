"""The texts that the n-gram metrics are timed on: 14 systems that summarise the same dialogues."""

import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialgauge.corpus import Corpus
from dialgauge.errors import InputError

DIALOGUES, SYSTEMS, SEED = 100, 14, 20_221_107
#: How many of the words of a varied text are replaced.
_REPLACED = 0.15


@dataclass(frozen=True, slots=True)
class Pairs:
    """Summaries with the reference and the source of each; ``origin`` says where the texts are from."""

    summaries: list[str]
    references: list[str]
    sources: list[str]
    origin: str

    def __len__(self) -> int:
        return len(self.summaries)

    def draw(self, count: int) -> "Pairs":
        """A seeded choice of pairs, in their order."""
        chosen = sorted(random.Random(SEED).sample(range(len(self)), min(count, len(self))))
        return Pairs(
            [self.summaries[i] for i in chosen],
            [self.references[i] for i in chosen],
            [self.sources[i] for i in chosen],
            self.origin,
        )

    def blown_up(self, times: int) -> "Pairs":
        """``times`` as many pairs: each copy with other words; the summaries of a dialogue share its texts."""
        variation = Variation(self.summaries)
        summaries: list[str] = []
        references: list[str] = []
        sources: list[str] = []
        for _ in range(times):
            varied = {text: variation.of(text) for text in dict.fromkeys([*self.references, *self.sources])}
            summaries += [variation.of(text) for text in self.summaries]
            references += [varied[text] for text in self.references]
            sources += [varied[text] for text in self.sources]
        return Pairs(summaries, references, sources, f"{self.origin}, {times} times with words replaced")

    def one_system_at_a_time(self, rounds: int) -> "list[Pairs]":
        """For each round the summaries of one system, which share no reference. No text comes twice in all rounds."""
        of_reference: dict[str, list[int]] = {}
        for i, reference in enumerate(self.references):
            of_reference.setdefault(reference, []).append(i)
        variation = Variation(self.summaries)
        made = []
        for number in range(rounds):
            chosen = [several[number % len(several)] for several in of_reference.values()]
            summaries = [variation.of(self.summaries[i]) for i in chosen]
            references = [variation.of(self.references[i]) for i in chosen]
            sources = [self.sources[i] for i in chosen]
            made.append(Pairs(summaries, references, sources, f"{self.origin}, one system, words replaced"))
        return made


class Variation:
    """Makes texts that are like others and yet all distinct: a text that comes twice is worked on once only by us."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._rng = random.Random(SEED)
        given = list(texts)
        self._words = [word for text in given for word in text.split()]
        self._seen = set(given)

    def of(self, text: str) -> str:
        """The text with some words replaced, by common words as often as they are common; line breaks stay."""
        lines = [line.split(" ") for line in text.split("\n")]
        while True:
            varied = "\n".join(" ".join(self._word(word) for word in line) for line in lines)
            if varied not in self._seen:
                self._seen.add(varied)
                return varied
            # A short text has few variants: a longer one is found in the end.
            lines[-1].append(self._rng.choice(self._words))

    def _word(self, word: str) -> str:
        return self._rng.choice(self._words) if self._rng.random() < _REPLACED else word


def load_pairs() -> Pairs:
    """The 1,400 pairs of DialSummEval where DIALGAUGE_DATA holds them, else as many made from the embedded corpus."""
    folder = Path(os.environ.get("DIALGAUGE_DATA", "../shared/data")) / "dialsummeval"
    return _dialsummeval(folder) if folder.is_dir() else embedded_pairs()


def _dialsummeval(folder: Path) -> Pairs:
    dialogues = {row["dialogue_id"]: row for row in _rows(folder / "dialogues.jsonl")}
    summaries, references, sources = [], [], []
    for row in _rows(folder / "summaries.jsonl"):
        dialogue = dialogues[row["dialogue_id"]]
        summaries.append(row["summary"])
        references.append(dialogue["reference"])
        sources.append(dialogue["dialogue"])
    return Pairs(summaries, references, sources, f"DialSummEval ({len(dialogues)} dialogues, 14 systems)")


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON lines: {error}") from error


def embedded_pairs(corpus: Corpus | None = None) -> Pairs:
    """100 dialogues × 14 systems made from the embedded corpus: where there are too few, varied copies fill up."""
    if corpus is None:
        from dialgauge.corpus import embedded_corpus

        corpus = embedded_corpus()
    texts: dict[str, list[str]] = {}
    for dialogue_id, text in corpus.summaries.select("dialogue_id", "text").iter_rows():
        texts.setdefault(dialogue_id, []).append(text)
    references = dict(corpus.references.select("dialogue_id", "text").iter_rows())
    dialogues = [dialogue for dialogue in corpus.iter_dialogues() if dialogue.id in references]
    variation = Variation(text for several in texts.values() for text in several)
    pairs = Pairs([], [], [], f"the embedded corpus, varied to {DIALOGUES} dialogues × {SYSTEMS} systems")
    for number in range(DIALOGUES):
        dialogue = dialogues[number % len(dialogues)]
        own = texts[dialogue.id]
        first = number < len(dialogues)
        reference = references[dialogue.id] if first else variation.of(references[dialogue.id])
        source = dialogue.text if first else variation.of(dialogue.text)
        for system in range(SYSTEMS):
            text = own[system % len(own)]
            pairs.summaries.append(text if first and system < len(own) else variation.of(text))
            pairs.references.append(reference)
            pairs.sources.append(source)
    return pairs
