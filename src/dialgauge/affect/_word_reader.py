"""A tagger for words without a label: a small committee of networks over word features."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._lexicon import vader_lexicon
from dialgauge.affect._sst import LabelledSentence, Treebank
from dialgauge.affect._tagger import LABELS, Probabilities, Reads
from dialgauge.affect._taggers import LookupTagger
from dialgauge.affect._word_features import Features, WordFeatures
from dialgauge.errors import InputError
from dialgauge.models import Model, TrainingPlan, TrainingRecord, contents, load_vectors, train
from dialgauge.progress import Progress

#: Below the weight of a word seen once lies that of one seen n times: n to this power.
_RARITY = -0.5
_DIRECTIONS = 100
_MEMBERS, _HIDDEN = 5, 64
_DROPPED_INPUT, _DROPPED = 0.2, 0.5


@dataclass(frozen=True, eq=False)
class _Scale:
    """How features become the input of the network: directions of the encoder's space, then unit variance."""

    center: Features
    directions: Features
    mean: Features
    spread: Features

    @classmethod
    def of(cls, told: Features, embedded: Features) -> "_Scale":
        """From the words to learn from."""
        center = embedded.mean(axis=0)
        away = (embedded - center).astype(np.float64)
        strength, directions = np.linalg.eigh(away.T @ away / len(away))
        kept = directions[:, strength > 1e-6 * strength[-1]][:, -_DIRECTIONS:].astype(np.float32)
        rows = np.concatenate([told, (embedded - center) @ kept], axis=1)
        return cls(center, kept, rows.mean(axis=0), rows.std(axis=0) + np.float32(1e-6))

    def __call__(self, told: Features, embedded: Features) -> Features:
        rows = np.concatenate([told, (embedded - self.center) @ self.directions], axis=1)
        return np.asarray((rows - self.mean) / self.spread, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class WordReader:
    """Labels each word by itself, from its spelling, its relatives in a table and a lexicon, and its embeddings."""

    features: WordFeatures
    scale: _Scale
    committee: Any
    fingerprint: str
    name: str = "word-reader"
    reads: Reads = "word"

    @property
    def signature(self) -> str:
        """Its weights by their fingerprint, and all that it reads."""
        vectors = self.features.vectors
        told = "none" if vectors is None else f"{vectors.ref}#{vectors.fingerprint[:12]}"
        encoder = self.features.encoder
        return (
            f"{self.name}#{self.fingerprint[:12]};{self.features.lexicon.signature};vectors:{told};"
            f"{encoder.signature};{encoder.dtype}"
        )

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """The committee's probabilities for each word, each distinct one described once."""
        import torch

        distinct = list(dict.fromkeys(word for words in texts for word in words))
        if not distinct:
            return [np.zeros((0, len(LABELS)), dtype=np.float32) for _ in texts]
        rows = self.scale(self.features.spelled(distinct), self.features.embedded(distinct))
        with torch.inference_mode():
            device = next(self.committee.parameters()).device
            said = _said(self.committee, torch.from_numpy(rows).to(device)).exp().cpu().numpy()
        place = {word: i for i, word in enumerate(distinct)}
        return [said[[place[word] for word in words]] for words in texts]


@dataclass(frozen=True, eq=False)
class WordLessons:
    """Training data for readers of any seed: features of the words of the table, and unseen words for validation."""

    features: WordFeatures
    scale: _Scale
    rows: Features
    labels: NDArray[np.int64]
    weights: Features
    judged_rows: Features
    judged_labels: NDArray[np.int64]


def word_lessons(treebank: Treebank, lookup: LookupTagger, encoder: Model, vectors: str | None) -> WordLessons:
    """Describe the training words, and the words of the development part that are not among them.

    If there are none of the latter, the training words are used for validation.
    """
    features = WordFeatures(lookup.table, vader_lexicon(), encoder, load_vectors(vectors) if vectors else None)
    words = list(lookup.table)
    told, embedded = features.spelled(words), features.embedded(words)
    scale = _Scale.of(told, embedded)
    rows, labels = scale(told, embedded), np.array(list(lookup.table.values()), dtype=np.int64)
    counts = Counter(word for sentence in treebank.train for word in sentence.words)
    weights = np.array([counts[word] ** _RARITY for word in words], dtype=np.float32)
    new = _unseen(treebank.dev, lookup)
    unseen = [word for word, _ in new]
    return WordLessons(
        features,
        scale,
        rows,
        labels,
        weights / weights.mean(),
        scale(features.spelled(unseen), features.embedded(unseen)) if new else rows,
        np.array([label for _, label in new], dtype=np.int64) if new else labels,
    )


def train_word_reader(
    lessons: WordLessons, plan: TrainingPlan, batch: int, progress: Progress | None = None
) -> tuple[WordReader, TrainingRecord]:
    """A reader of one seed; the pass with the lowest loss on the unseen words of the development part is kept."""
    import torch

    rows, labels, weights = map(torch.from_numpy, (lessons.rows, lessons.labels, lessons.weights))
    judged, true = torch.from_numpy(lessons.judged_rows), torch.from_numpy(lessons.judged_labels)
    committee = _committee(rows.shape[1], plan.seed)

    def batches(epoch: int) -> Sequence[Any]:
        order = np.random.default_rng((plan.seed, epoch)).permutation(len(rows))
        return [torch.from_numpy(order[k : k + batch]) for k in range(0, len(order), batch)]

    def loss(module: Any, chosen: Any) -> Any:
        device = module[0][1].weight.device
        told, wanted, weight = (part[chosen].to(device) for part in (rows, labels, weights))
        each = [torch.nn.functional.cross_entropy(member(told), wanted, reduction="none") for member in module]
        return (torch.stack(each) * weight).mean()

    def evaluate(module: Any) -> float:
        said = _said(module, judged.to(module[0][1].weight.device)).cpu()
        return float(torch.nn.functional.nll_loss(said, true))

    record = train(committee, batches, loss, plan, evaluate=evaluate, progress=progress)
    return WordReader(lessons.features, lessons.scale, committee, ""), record


def save_word_reader(reader: WordReader, path: Path) -> None:
    """Write scale and committee, and the names of what else the reader reads."""
    from safetensors.numpy import save_file

    tensors = {f"scale.{name}": np.ascontiguousarray(getattr(reader.scale, name)) for name in _SCALE}
    tensors |= {name: tensor.detach().cpu().numpy() for name, tensor in reader.committee.state_dict().items()}
    # One entry, because several would be written in another order each time.
    save_file(tensors, path, metadata={_READ: json.dumps(_sources(reader.features))})


def load_word_reader(path: Path, lookup: LookupTagger, encoder: Model, name: str) -> WordReader:
    """Load a reader; raises an error if lexicon or word vectors differ from those of its training."""
    import torch
    from safetensors import safe_open

    with safe_open(path, "np") as opened:
        sources = json.loads((opened.metadata() or {}).get(_READ, "{}"))
        tensors = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118  # not a mapping
    scale = _Scale(*(tensors.pop(f"scale.{part}") for part in _SCALE))
    vectors = load_vectors(sources["vectors"]) if sources.get("vectors") else None
    features = WordFeatures(lookup.table, vader_lexicon(), encoder, vectors)
    for source, found in _sources(features).items():
        if found != sources.get(source):
            raise InputError(f"{path}: trained with the {source} {sources.get(source)!r}, but {found!r} was found")
    committee = _committee(len(scale.mean), 0)
    committee.load_state_dict({key: torch.from_numpy(tensor) for key, tensor in tensors.items()})
    committee.to(encoder.device).eval()
    return WordReader(features, scale, committee, contents(path), name)


_READ = "reads"
_SCALE = ("center", "directions", "mean", "spread")


def _sources(features: WordFeatures) -> dict[str, str]:
    vectors = features.vectors
    return {
        "lexicon": features.lexicon.signature,
        "vectors": "" if vectors is None else str(vectors.ref),
        "vectors-fingerprint": "" if vectors is None else vectors.fingerprint,
    }


def _unseen(sentences: Sequence[LabelledSentence], lookup: LookupTagger) -> list[tuple[str, int]]:
    return [
        (word, label)
        for sentence in sentences
        for word, label in zip(sentence.words, sentence.labels, strict=True)
        if word not in lookup.table
    ]


def _committee(width: int, seed: int) -> Any:
    import torch
    from torch import nn

    torch.manual_seed(seed)
    return nn.ModuleList(
        nn.Sequential(
            nn.Dropout(_DROPPED_INPUT),
            nn.Linear(width, _HIDDEN),
            nn.ReLU(),
            nn.Dropout(_DROPPED),
            nn.Linear(_HIDDEN, len(LABELS)),
        )
        for _ in range(_MEMBERS)
    )


def _said(committee: Any, rows: Any) -> Any:
    """The logarithms of the committee's probabilities: the geometric mean of its members'."""
    import torch

    return torch.stack([member(rows).log_softmax(-1) for member in committee]).mean(0).log_softmax(-1)
