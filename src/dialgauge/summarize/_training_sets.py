"""Training data of a summarizer: pairs of dialogue and reference, all, the affective ones, or a random subset."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.affect import Tagger, affective_pairs
from dialgauge.corpus import KEY, OVERALL, Corpus, Dialogue
from dialgauge.errors import InputError, ParameterError, UnknownNameError, counted
from dialgauge.summarize._settings import SETS, Reading, SetName

#: What data sets call the split to choose the best epoch with.
_DEV = ("dev", "val", "valid", "validation")


@dataclass(frozen=True, slots=True)
class Pair:
    """A dialogue and one reference for it, with the key of the reference."""

    dialogue_id: str
    system: str
    variant: str
    role: str
    source: str
    target: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Dialogue, system, variant and role of the reference."""
        return self.dialogue_id, self.system, self.variant, self.role


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """The pairs of one training, and out of how many they were chosen.

    Of the pairs that were not kept, ``without_dialogue_affect`` have no affective word in the dialogue and
    ``without_summary_affect`` none in the summary; some have neither. Both are 0 where nobody looked.
    """

    name: SetName
    pairs: tuple[Pair, ...]
    out_of: int
    without_dialogue_affect: int = 0
    without_summary_affect: int = 0

    @property
    def share(self) -> float:
        """The share of all pairs that is in the set."""
        return len(self.pairs) / self.out_of


@dataclass(frozen=True, slots=True)
class Splits:
    """A corpus cut into what is trained on, what chooses the best epoch, and what is reported."""

    train: Corpus
    dev: Corpus | None = None
    test: Corpus | None = None


def split_corpus(corpus: Corpus) -> Splits:
    """Cut a corpus by ``split`` in the meta data of its dialogues, as the catalogue's data sets have it.

    Dialogues of the splits dev, val, valid or validation choose the best epoch, those of test are reported, those of
    train and those that name no split are trained on; other splits (a hidden test) are left out.
    """
    named: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    for dialogue_id, meta in corpus.dialogues.select("dialogue_id", "meta").iter_rows():
        split = (json.loads(meta) if meta else {}).get("split", "train")
        part = "dev" if split in _DEV else split
        if part in named:
            named[part].append(dialogue_id)
    parts = {part: corpus.select(dialogues=ids) if ids else None for part, ids in named.items()}
    if parts["train"] is None:
        raise InputError(f"corpus {corpus.info.name!r}: no dialogues to train on (the split 'train' is empty)")
    return Splits(parts["train"], parts["dev"], parts["test"])


def hold_out(corpus: Corpus, share: float, seed: int = 0) -> tuple[Corpus, Corpus]:
    """The corpus without this share of its dialogues, and these; the choice depends on their ids and the seed alone."""
    if not 0 < share < 1:
        raise ParameterError("hold_out", "share", "between 0 and 1", share)
    ids = corpus.dialogues["dialogue_id"].to_list()
    count = max(1, round(len(ids) * share))
    if count >= len(ids):
        raise InputError(
            f"corpus {corpus.info.name!r}: {counted(len(ids), 'dialogue')} are too few for a held-out part"
        )
    held = set(sorted(ids, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())[:count])
    kept = [name for name in ids if name not in held]
    return corpus.select(dialogues=kept), corpus.select(dialogues=sorted(held))


def reference_pairs(corpus: Corpus, role: str = OVERALL, reading: Reading | None = None) -> tuple[Pair, ...]:
    """Every reference of this role with its dialogue, in the order of the corpus; empty texts make no pair.

    ``reading`` says how a dialogue is shown to a model: what leads it, what joins its turns, which turns of a role.
    """
    reading = reading or Reading()
    texts = {
        dialogue.id: reading.text(dialogue, role) if _has_words(reading.shown(dialogue, role)) else ""
        for dialogue in corpus.iter_dialogues()
    }
    references = corpus.references.filter(pl.col("role") == role)
    if references.is_empty():
        other = sorted(corpus.references["role"].unique())
        found = f"; it has references of the roles {', '.join(other)}" if other else ""
        raise InputError(f"corpus {corpus.info.name!r}: no reference summaries of the role {role!r} to train on{found}")
    pairs = tuple(
        Pair(dialogue_id, system, variant, of_role, texts[dialogue_id], text)
        for dialogue_id, system, variant, of_role, text in references.select(*KEY, "text").iter_rows()
        if text and text.strip() and texts[dialogue_id]
    )
    if not pairs:
        raise InputError(
            f"corpus {corpus.info.name!r}: every reference or its dialogue is empty, so there is nothing to train on"
        )
    return pairs


def _has_words(dialogue: Dialogue) -> bool:
    """Whether anything is said: the names of speakers alone are nothing to learn from."""
    return any(turn.text.strip() for turn in dialogue.turns)


def training_sets(
    corpus: Corpus,
    names: Iterable[str],
    tagger: Tagger | None = None,
    *,
    role: str = OVERALL,
    reading: Reading | None = None,
    seed: int = 0,
) -> dict[SetName, TrainingSet]:
    """The training sets of these names, from one corpus.

    ``filtered`` drops the pairs whose dialogue or reference has no affective word by ``tagger``; ``subsampled`` draws
    the same number of pairs from all, with ``seed``, to separate the effect of filtering from that of less data.
    """
    wanted = _checked(names)
    pairs = reference_pairs(corpus, role, reading)
    sets: dict[SetName, TrainingSet] = {}
    if "full" in wanted:
        sets["full"] = TrainingSet("full", pairs, len(pairs))
    if set(wanted) - {"full"}:
        filtered = _filtered(corpus, pairs, tagger)
        drawn = np.random.default_rng(seed).permutation(len(pairs))[: len(filtered.pairs)]
        subsampled = TrainingSet("subsampled", tuple(pairs[i] for i in sorted(drawn.tolist())), len(pairs))
        sets |= {made.name: made for made in (filtered, subsampled) if made.name in wanted}
    return {name: sets[name] for name in wanted}


def _checked(names: Iterable[str]) -> list[SetName]:
    given = list(names)
    for name in given:
        if name not in SETS:
            raise UnknownNameError("training set", name, SETS)
    if not given:
        raise InputError(f"no training set was given; there are {', '.join(SETS)}")
    return [name for name in SETS if name in given]


def _filtered(corpus: Corpus, pairs: Sequence[Pair], tagger: Tagger | None) -> TrainingSet:
    if tagger is None:
        raise InputError("the sets 'filtered' and 'subsampled' need a sentiment tagger")
    looked_at = affective_pairs(corpus, tagger)
    affect = {
        tuple(key): (dialogue, summary)
        for *key, dialogue, summary in looked_at.select(*KEY, "dialogue_affective", "summary_affective").iter_rows()
    }
    found = [affect[pair.key] for pair in pairs]
    kept = tuple(pair for pair, both in zip(pairs, found, strict=True) if all(both))
    if not kept:
        raise InputError(
            f"corpus {corpus.info.name!r}: no pair is left after filtering: by the tagger {tagger.name!r} none of "
            f"{len(pairs):,} pairs has an affective word in both dialogue and reference; another tagger may find some"
        )
    without = [sum(not both[side] for both in found) for side in (0, 1)]
    return TrainingSet("filtered", kept, len(pairs), without[0], without[1])
