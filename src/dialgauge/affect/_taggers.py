"""The taggers: a lexicon, a look-up table learnt from labelled words, an encoder, and look-up before another."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._lexicon import Lexicon
from dialgauge.affect._pieces import encode_words
from dialgauge.affect._tagger import CERTAIN, LABELS, NEGATIVE, NEUTRAL, POSITIVE, Probabilities, Reads, Tagger
from dialgauge.errors import ModelError

if TYPE_CHECKING:
    from dialgauge.models import Model

Case = Literal["lower", "keep"]
_MOST_REMEMBERED = 1_000_000
_NEGATORS = frozenset(
    {
        "not",
        "no",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "nowhere",
        "without",
        "hardly",
        "scarcely",
        "barely",
        "cannot",
        "cant",
        "dont",
        "doesnt",
        "didnt",
        "wont",
        "wouldnt",
        "couldnt",
        "shouldnt",
        "isnt",
        "arent",
        "wasnt",
        "werent",
        "havent",
        "hasnt",
        "hadnt",
        "aint",
        "n't",
    }
)
_REACH = 3
_STOPS = frozenset(".,;:!?…") | {"but", "..."}


class _Remembered(dict[str, int]):
    """The label of each word as written; those never asked for are looked up once."""

    def __init__(self, labels: Mapping[str, int], case: Case) -> None:
        super().__init__()
        self._labels = {_key(word, case): label for word, label in labels.items()}
        self._case = case

    def __missing__(self, word: str) -> int:
        if len(self) > _MOST_REMEMBERED:
            self.clear()
        label = self[word] = self._labels.get(_key(word, self._case), NEUTRAL)
        return label


def _key(word: str, case: Case) -> str:
    word = word.replace("’", "'")
    return word.lower() if case == "lower" else word


@dataclass(frozen=True, eq=False)
class LexiconTagger:
    """Words by a lexicon: what is in it has its label, every other word is neutral.

    ``case``: ``lower`` looks words up without regard to case, ``keep`` as they are written.
    """

    lexicon: Lexicon
    case: Case = "lower"
    name: str = "lexicon"
    reads: Reads = "word"

    @property
    def signature(self) -> str:
        """The lexicon with its fingerprint, and how case is treated."""
        return f"{self.name};{self.lexicon.signature};case:{self.case}"

    @cached_property
    def _remembered(self) -> _Remembered:
        return _Remembered(self.lexicon.labels, self.case)

    def labels(self, words: Sequence[str]) -> NDArray[np.int8]:
        """The label of each word: what :meth:`tag` says, without the detour over probabilities."""
        return np.fromiter(map(self._remembered.__getitem__, words), np.int8, len(words))

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Certain labels."""
        return [CERTAIN[self.labels(words)] for words in texts]

    def categories(self, words: Iterable[str]) -> list[tuple[str, ...]]:
        """The emotions of each word, where the lexicon has them."""
        known = self._categories
        return [known.get(_key(word, self.case), ()) for word in words]

    @cached_property
    def _categories(self) -> dict[str, tuple[str, ...]]:
        return {_key(word, self.case): named for word, named in self.lexicon.categories.items()}


@dataclass(frozen=True, eq=False)
class LookupTagger:
    """Words by a table learnt from labelled words: the label that a word had there, neutral for one never seen."""

    table: Mapping[str, int]
    fingerprint: str
    case: Case = "keep"
    name: str = "lookup"
    reads: Reads = "word"

    @property
    def signature(self) -> str:
        """The fingerprint of the table, and how case is treated."""
        return f"{self.name}#{self.fingerprint[:12]};case:{self.case}"

    @cached_property
    def _remembered(self) -> _Remembered:
        return _Remembered(self.table, self.case)

    @cached_property
    def _seen(self) -> frozenset[str]:
        return frozenset(_key(word, self.case) for word in self.table)

    def labels(self, words: Sequence[str]) -> NDArray[np.int8]:
        """The label of each word."""
        return np.fromiter(map(self._remembered.__getitem__, words), np.int8, len(words))

    def seen(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each word is in the table."""
        return np.fromiter((_key(word, self.case) in self._seen for word in words), np.bool_, len(words))

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Certain labels."""
        return [CERTAIN[self.labels(words)] for words in texts]


@dataclass(frozen=True, eq=False)
class ContextualTagger:
    """Words by a token classifier, read within their sentence; the first piece of a word decides.

    ``order`` says which class of the classifier is negative, neutral and positive; several classes of one label (the
    five of SST) are added up.
    """

    model: "Model"
    order: tuple[tuple[int, ...], ...]
    name: str = "contextual"
    reads: Reads = "sentence"
    _known: dict[tuple[str, ...], Probabilities] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, model: "Model", name: str = "contextual") -> "ContextualTagger":
        """A tagger from a classifier whose configuration names its classes negative, neutral and positive."""
        return cls(model, label_order(model), name)

    @property
    def signature(self) -> str:
        """The model with the fingerprint of its files, and its numbers."""
        return f"{self.name};{self.model.signature};{self.model.dtype}"

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Probabilities from the classifier, each distinct text read once, in batches of similar length."""
        keys = [tuple(words) for words in texts]
        found = {key: self._known[key] for key in keys if key in self._known}
        fresh = [key for key in dict.fromkeys(keys) if key not in found]
        found.update(zip(fresh, self._read(fresh), strict=True))
        if len(self._known) + len(fresh) > _MOST_REMEMBERED:
            self._known.clear()
        self._known.update(found)
        return [found[key] for key in keys]

    def _read(self, texts: Sequence[tuple[str, ...]]) -> list[Probabilities]:
        import torch

        from dialgauge.models import default_budget, run_batched

        model = self.model
        runs = encode_words(model.tokenizer, texts, model.max_length)
        groups = [list(group) for group in self.order]

        def call(batch: list[int]) -> list[Probabilities]:
            longest = max(len(runs[i].input_ids) for i in batch)
            ids = torch.full((len(batch), longest), model.pad_id)
            mask = torch.zeros((len(batch), longest), dtype=torch.long)
            for row, i in enumerate(batch):
                size = len(runs[i].input_ids)
                ids[row, :size] = torch.tensor(runs[i].input_ids)
                mask[row, :size] = 1
            logits = model.module(input_ids=ids.to(model.device), attention_mask=mask.to(model.device)).logits
            shares = logits.float().softmax(-1)
            merged = torch.stack([shares[..., group].sum(-1) for group in groups], dim=-1).cpu().numpy()
            return [merged[row, runs[i].positions] for row, i in enumerate(batch)]

        lengths = [len(run.input_ids) for run in runs]
        read = run_batched(range(len(runs)), lengths, call, default_budget(model.device))
        result = [np.tile(CERTAIN[NEUTRAL], (len(words), 1)) for words in texts]
        for run, probabilities in zip(runs, read, strict=True):
            result[run.text][run.words] = probabilities
        return result


def label_order(model: "Model") -> tuple[tuple[int, ...], ...]:
    """The classes of a classifier that mean negative, neutral and positive, by the names in its configuration."""
    names = {int(i): str(name) for i, name in model.config.id2label.items()}
    kinds = {i: [part[:3] for part in re.split(r"[\W_]+", name.lower())] for i, name in names.items()}
    order = tuple(tuple(i for i in sorted(kinds) if label[:3] in kinds[i]) for label in LABELS)
    if not all(order) or sum(map(len, order)) != len(names):
        raise ModelError(
            f"model '{model.ref}': the classes in config.json must be named {', '.join(LABELS)} (or 'very "
            f"negative' and the like); they are {', '.join(names.values())}"
        )
    return order


@dataclass(frozen=True, eq=False)
class CombinedTagger:
    """The look-up table for words that it has seen, another tagger for the others.

    ``reads`` says what the other tagger looks at: the whole sentence, or each unseen word alone.
    """

    lookup: LookupTagger
    other: Tagger
    name: str = "combined"
    reads: Reads = "sentence"

    @property
    def signature(self) -> str:
        """Both parts, and what the other tagger reads."""
        return f"{self.name};{self.lookup.signature};{self.other.signature};reads:{self.reads}"

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Certain labels for seen words, the other tagger's probabilities for unseen ones."""
        seen = [self.lookup.seen(words) for words in texts]
        read = self.other.tag(texts) if self.reads == "sentence" else self._alone(texts, seen)
        return [
            np.where(known[:, None], CERTAIN[self.lookup.labels(words)], probabilities)
            for words, known, probabilities in zip(texts, seen, read, strict=True)
        ]

    def _alone(self, texts: Sequence[Sequence[str]], seen: Sequence[NDArray[np.bool_]]) -> list[Probabilities]:
        """Every unseen word read by itself, each distinct one once."""
        found = [np.tile(CERTAIN[NEUTRAL], (len(words), 1)) for words in texts]
        places = [(i, j) for i, known in enumerate(seen) for j in np.flatnonzero(~known).tolist()]
        distinct = list(dict.fromkeys(texts[i][j] for i, j in places))
        read = dict(zip(distinct, self.other.tag([[word] for word in distinct]), strict=True))
        for i, j in places:
            found[i][j] = read[texts[i][j]][0]
        return found


@dataclass(frozen=True, eq=False)
class NegationTagger:
    """Another tagger, with positive and negative exchanged after a negation.

    A negation (not, never, no, n't …) reaches over the next three words, up to a punctuation mark or "but".
    """

    base: Tagger

    @property
    def name(self) -> str:
        """The name of the other tagger."""
        return self.base.name

    @property
    def reads(self) -> Reads:
        """The words before count: the sentence."""
        return "sentence"

    @property
    def signature(self) -> str:
        """The other tagger's, and that negation is heeded."""
        return f"{self.base.signature};negation:flip"

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """The other tagger's probabilities, the outer two exchanged where negated."""
        result = []
        for words, probabilities in zip(texts, self.base.tag(texts), strict=True):
            turned = negated(words)
            flipped = probabilities.copy()
            flipped[turned] = probabilities[turned][:, [POSITIVE, NEUTRAL, NEGATIVE]]
            result.append(flipped)
        return result


def negated(words: Sequence[str]) -> NDArray[np.bool_]:
    """Which words stand within the reach of a negation."""
    found = np.zeros(len(words), dtype=np.bool_)
    left = 0
    for i, word in enumerate(words):
        plain = word.lower().replace("’", "'")
        if plain in _NEGATORS or plain.endswith("n't"):
            left = _REACH
        elif plain in _STOPS:
            left = 0
        elif left:
            found[i] = True
            left -= 1
    return found
