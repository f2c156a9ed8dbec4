"""Features of a word without a label: its spelling, similar words with labels, and its embeddings."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._lexicon import Lexicon
from dialgauge.affect._pieces import encode_words
from dialgauge.affect._tagger import CERTAIN, LABELS
from dialgauge.errors import ModelError
from dialgauge.models import Model, WordVectors, default_budget, run_batched

Features = NDArray[np.float32]
_NEGATING = ("un", "in", "im", "dis", "non", "ir", "il", "a")
_BEGINNINGS = ("un", "in", "im", "dis", "mis", "non", "over", "under", "anti", "de", "re", "ir", "il", "out", "self")
_ENDINGS = (
    "less", "ful", "ly", "ing", "ed", "ness", "able", "ible", "ous", "ish", "est", "er", "ity", "ment", "ion", "y", "s",
    "like", "some", "ive", "al", "ism", "ist", "free",
)  # fmt: skip
_REMOVED = ("less", "ful", "ly", "ness", "ing", "ed", "s", "er", "est", "y", "able")
_INFLECTION = re.compile(r"(?<=...)(?:ingly|edly|iness|ness|ily|ly|ies|ied|ing|ed|est|er|es|s|ful|y|i|e)$")
_PREFIXES = (4, 5, 6, 7)
_SHORTEST = 4
_JOINT = re.compile(r"[-\\/]+")


def base_of(word: str) -> str:
    """A word without its inflection, roughly: what "wonderful", "wonderfully" and "wonders" share."""
    for _ in range(3):
        word = _INFLECTION.sub("", word)
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] else word


@dataclass(frozen=True, eq=False)
class WordFeatures:
    """Describes words by numbers. The features of a word in the table do not use its own label.

    So a network can learn from the words of the table how to label others.
    """

    table: Mapping[str, int]
    lexicon: Lexicon
    encoder: Model
    vectors: WordVectors | None

    def spelled(self, words: Sequence[str]) -> Features:
        """Spelling, relatives in table and lexicon, and the word vector where there are vectors."""
        rows = [np.concatenate([*self._relatives(word), self._valences(word.lower()), _form(word)]) for word in words]
        spelled = np.array(rows, dtype=np.float32)
        return spelled if self.vectors is None else np.concatenate([spelled, self._vectors(words)], axis=1)

    def embedded(self, words: Sequence[str]) -> Features:
        """The word alone as the encoder sees it: the mean of its pieces in the first, middle and last layer."""
        import torch

        model = self.encoder
        runs = encode_words(model.tokenizer, [(word,) for word in words], model.max_length)

        def call(batch: list[int]) -> list[Features]:
            longest = max(len(runs[i].input_ids) for i in batch)
            filled = [[*runs[i].input_ids, *[model.pad_id] * (longest - len(runs[i].input_ids))] for i in batch]
            mask = [[place < len(runs[i].input_ids) for place in range(longest)] for i in batch]
            ids, kept = torch.tensor(filled).to(model.device), torch.tensor(mask).to(model.device)
            read = model.module(input_ids=ids, attention_mask=kept.long(), output_hidden_states=True)
            layers = getattr(read, "hidden_states", None)
            if layers is None:
                raise ModelError(f"model '{model.ref}' cannot embed words: it is not a plain encoder")
            weight = kept[..., None].float()
            means = [
                (layers[i].float() * weight).sum(1) / weight.sum(1) for i in (0, len(layers) // 2, len(layers) - 1)
            ]
            return list(torch.cat(means, dim=1).cpu().numpy())

        # Spellings that the tokenizer does not tell apart, such as those in capital letters, are read once.
        distinct = {tuple(run.input_ids): i for i, run in enumerate(runs)}
        lengths = [len(pieces) for pieces in distinct]
        read = run_batched(list(distinct.values()), lengths, call, default_budget(model.device))
        rows = dict(zip(distinct, read, strict=True))
        found = np.zeros((len(words), 3 * model.config.hidden_size), dtype=np.float32)
        for run in runs:
            found[run.text] = rows[tuple(run.input_ids)]
        return found

    @cached_property
    def _forms(self) -> dict[str, int]:
        """Words of the table without regard to case; of several spellings the one in lower case, if there is one."""
        forms: dict[str, int] = {}
        for word, label in sorted(self.table.items(), reverse=True):
            forms.setdefault(word.lower(), label)
        return forms

    @cached_property
    def _by_case(self) -> Mapping[str, Features]:
        return _counted(self.table.items(), lambda word: [word.lower()])

    @cached_property
    def _by_base(self) -> Mapping[str, Features]:
        return _counted(self._forms.items(), lambda word: [base_of(word)])

    @cached_property
    def _by_beginning(self) -> Mapping[str, Features]:
        return _counted(self._forms.items(), lambda word: [word[:k] for k in range(_SHORTEST, len(word) + 1)])

    @cached_property
    def _valence_by_base(self) -> dict[str, float]:
        found = defaultdict(list)
        for word, valence in self.lexicon.valences.items():
            found[base_of(word)].append(valence)
        return {base: float(np.mean(valences)) for base, valences in found.items()}

    def _relatives(self, word: str) -> list[Features]:
        """The labels of words of the table that are spelled alike, the word itself left out."""
        form = word.lower()
        own = CERTAIN[self.table[word]] if word in self.table else _NOTHING
        same = CERTAIN[self._forms[form]] if form in self._forms else _NOTHING

        def begins(size: int) -> Features:
            return self._by_beginning.get(form[:size], same) - same if len(form) >= size else _NOTHING

        longest = next((found for k in range(len(form), _SHORTEST - 1, -1) if (found := begins(k)).any()), _NOTHING)
        pieces = [piece for piece in _JOINT.split(form) if piece]
        joined = pieces if len(pieces) > 1 else []
        parts = sum((CERTAIN[self._forms[piece]] for piece in joined if piece in self._forms), _NOTHING)
        return [
            _shares(self._by_case.get(form, own) - own, 0.5),
            _shares(self._by_base.get(base_of(form), same) - same, 0.5),
            *(_shares(begins(size), 1.0) for size in _PREFIXES),
            _shares(longest, 0.5),
            self._last(form[len(p) :] for p in _NEGATING if form.startswith(p)),
            self._last(form[: -len(s)] for s in _REMOVED if form.endswith(s)),
            parts,
            np.array([sum(self.lexicon.valences.get(piece, 0.0) for piece in joined), bool(joined)], dtype=np.float32),
        ]

    def _last(self, forms: Iterable[str]) -> Features:
        """The label of the last of these words that the table holds."""
        labels = [self._forms[form] for form in forms if form in self._forms]
        return CERTAIN[labels[-1]] if labels else _NOTHING

    def _valences(self, form: str) -> Features:
        own, base = self.lexicon.valences.get(form, 0.0), self._valence_by_base.get(base_of(form), 0.0)
        return np.array([own, np.sign(own), base, np.sign(base)], dtype=np.float32)

    def _vectors(self, words: Sequence[str]) -> Features:
        """The vector of each word, and whether it has one."""
        assert self.vectors is not None
        found = np.zeros((len(words), self.vectors.dimensions + 1), dtype=np.float32)
        for i, word in enumerate(words):
            row = self.vectors.rows.get(word.lower())
            if row is not None:
                found[i, :-1], found[i, -1] = self.vectors.matrix[row], 1
        return found


_NOTHING: Features = np.zeros(len(LABELS), dtype=np.float32)


def _counted(words: Iterable[tuple[str, int]], keys: Callable[[str], list[str]]) -> Mapping[str, Features]:
    counts: dict[str, Features] = {}
    for word, label in words:
        for key in keys(word):
            counts[key] = counts.get(key, _NOTHING) + CERTAIN[label]
    return counts


def _shares(counts: Features, doubt: float) -> Features:
    return np.asarray(counts / (counts.sum() + doubt), dtype=np.float32)


def _form(word: str) -> Features:
    form = word.lower()
    flags = [
        *(form.startswith(beginning) for beginning in _BEGINNINGS),
        *(form.endswith(ending) for ending in _ENDINGS),
        word[:1].isupper(),
        word.isupper(),
        any(c.isdigit() for c in word),
        "-" in word,
        not any(c.isalpha() for c in word),
        min(len(word), 15) / 10,
    ]
    return np.array(flags, dtype=np.float32)
