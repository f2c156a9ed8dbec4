"""Teaching an encoder which words carry feeling: SST3, and DS-SST3 (adapted on tagged dialogues first)."""

import copy
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect._evaluation import WordScores, evaluate_tagger, evaluate_words
from dialgauge.affect._fitting import FittingStage, fit
from dialgauge.affect._folder import MODEL, save_tagger
from dialgauge.affect._sst import LabelledSentence, Treebank, lookup_of
from dialgauge.affect._tagger import LABELS, NEUTRAL, Tagger, labels_of
from dialgauge.affect._taggers import CombinedTagger, ContextualTagger, LookupTagger
from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import Model, TrainingPlan, TrainingRecord, digest_of, load, quiet_loading, resolve
from dialgauge.progress import Progress

#: What the neutral probability of unseen words may be multiplied by; the best on the development part is taken.
NEUTRAL_FACTORS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0)
#: This share of the sentences to adapt on chooses the best epoch.
_HELD_OUT = 0.05
_WORK = "training"
Stage = Literal["adapt", "sentences", "words"]
_STAGES: tuple[Stage, ...] = get_args(Stage)
_ORDER = tuple((i,) for i in range(len(LABELS)))


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """How taggers are trained. The defaults were chosen on the development part of SST3 with the embedded MiniLM.

    Two encoders come from the backbone: one learns from sentences (``epochs``, ``learning_rate``, ``batch``), one from
    each training word by itself (``word_…``) and reads the unseen words of the combination. ``pieces``: longer
    sentences are read in several runs.
    """

    backbone: str = "embedded:minilm"
    seeds: tuple[int, ...] = (0,)
    epochs: int = 3
    learning_rate: float = 3e-4
    batch: int = 32
    pieces: int = 64
    word_epochs: int = 2
    word_learning_rate: float = 1e-4
    word_batch: int = 64
    adapt_epochs: int = 1
    adapt_learning_rate: float = 1e-4
    precision: Literal["fp32", "bf16"] = "fp32"
    device: str = "auto"

    def __post_init__(self) -> None:
        rules = {
            "seeds": (bool(self.seeds) and len(set(self.seeds)) == len(self.seeds), "one or more distinct numbers"),
            "batch": (self.batch >= 1, "at least 1"),
            "word_batch": (self.word_batch >= 1, "at least 1"),
            "pieces": (self.pieces >= 8, "at least 8"),
        }
        for name, (holds, allowed) in rules.items():
            if not holds:
                raise ParameterError("affect train", name, allowed, getattr(self, name))
        for stage in _STAGES:  # a plan checks the rest, before anything is loaded
            for seed in self.seeds:
                self.plan(stage, seed)

    def plan(self, stage: "Stage", seed: int) -> TrainingPlan:
        """How one seed is trained at a stage: on tagged dialogues, on sentences, or on words by themselves."""
        epochs, rate = {
            "adapt": (self.adapt_epochs, self.adapt_learning_rate),
            "sentences": (self.epochs, self.learning_rate),
            "words": (self.word_epochs, self.word_learning_rate),
        }[stage]
        return TrainingPlan(epochs=epochs, learning_rate=rate, precision=self.precision, seed=seed, device=self.device)


@dataclass(frozen=True, slots=True)
class SeedResult:
    """What one seed gave: the records of its stages, and the numbers of encoder and combination.

    ``neutral_factor`` is the setting of the combination, see :func:`choose_neutral_factor`.
    """

    seed: int
    records: dict[str, TrainingRecord]
    dev: WordScores
    test: WordScores
    neutral_factor: float
    combined_dev: WordScores
    combined_test: WordScores

    def loss(self, stage: "Stage") -> float:
        """The lowest loss on what the stage was judged by."""
        record = self.records[stage]
        value = record.epochs[record.best_epoch].value
        assert value is not None  # every epoch is evaluated
        return value

    def as_dict(self) -> dict[str, Any]:
        """For the card."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TrainedTaggers:
    """The folder with the taggers, what each seed gave, and the look-up table to see them beside.

    Of several seeds the one with the lowest loss on the development part is kept, for either encoder.
    """

    folder: Path
    name: str
    seeds: tuple[SeedResult, ...]
    lookup: WordScores

    def spread(self, which: Literal["test", "combined_test"] = "test") -> dict[str, tuple[float, float | None]]:
        """Mean and standard deviation over the seeds of each number; a single seed has no deviation."""
        found = {}
        for name in ("accuracy", "precision", "recall", "f1"):
            values = np.array([getattr(getattr(result, which), name) for result in self.seeds])
            found[name] = (float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)
        return found


def train_tagger(
    treebank: Treebank,
    output: str | PathLike[str],
    settings: TaggerTraining | None = None,
    *,
    adapt: Sequence[LabelledSentence] = (),
    progress: Progress | None = None,
) -> TrainedTaggers:
    """Train an encoder on word labels and write three taggers below ``output``: lookup, the encoder, and combined.

    The first piece of each word carries its label. The epoch with the lowest loss on the development part is kept, of
    several seeds the one with the lowest. With ``adapt`` (sentences tagged by a lexicon) the encoder learns from those
    first: DS-SST3. A stopped training goes on after its last whole epoch when called again in the same way.
    """
    settings = settings or TaggerTraining()
    place = Path(output)
    if place.exists() and not place.is_dir():
        raise InputError(f"{place}: is a file; name a folder to write the taggers to")
    base = load("encoder", settings.backbone, settings.device)
    lookup = lookup_of(treebank)
    results: list[SeedResult] = []
    kept: dict[Stage, Any] = {}
    for number, seed in enumerate(settings.seeds, start=1):
        told = _named(progress, f"seed {seed} ({number} of {len(settings.seeds)})")
        modules, records = _train_seed(
            base, lookup, treebank, adapt, settings, seed, place / _WORK / f"seed-{seed}", told
        )
        results.append(_judged(base, lookup, treebank, modules, records, seed))
        for stage, module in modules.items():
            if all(results[-1].loss(stage) < other.loss(stage) for other in results[:-1]):
                kept[stage] = module
    name = "ds-sst3" if adapt else "sst3"
    notes = _card(base, treebank, adapt, settings, results)
    _save(place, name, base, lookup, kept, notes)
    shutil.rmtree(place / _WORK, ignore_errors=True)
    return TrainedTaggers(place, name, tuple(results), _score(lookup, treebank.test))


def _named(progress: Progress | None, head: str) -> Progress | None:
    if progress is None:
        return None
    return lambda what, done, total: progress(f"{head}, {what}", done, total)


def _train_seed(
    base: Model,
    lookup: LookupTagger,
    treebank: Treebank,
    adapt: Sequence[LabelledSentence],
    settings: TaggerTraining,
    seed: int,
    work: Path,
    progress: Progress | None,
) -> tuple[dict[Stage, Any], dict[str, TrainingRecord]]:
    """The two encoders of a seed; both begin with the backbone, adapted if there is something to adapt on."""
    alone = [LabelledSentence((word,), (label,)) for word, label in lookup.table.items()]
    new = [
        LabelledSentence((word,), (label,))
        for sentence in treebank.dev
        for word, label in zip(sentence.words, sentence.labels, strict=True)
        if word not in lookup.table
    ]
    # The last ones judge: sentences of one dialogue stand together, so hardly any dialogue is on both sides.
    cut = len(adapt) - max(1, round(len(adapt) * _HELD_OUT))
    stages: dict[Stage, FittingStage] = {
        "adapt": FittingStage(adapt[:cut], adapt[cut:], settings.batch, settings.plan("adapt", seed)),
        "sentences": FittingStage(treebank.train, treebank.dev, settings.batch, settings.plan("sentences", seed)),
        "words": FittingStage(alone, new or alone, settings.word_batch, settings.plan("words", seed)),
    }
    identity = digest_of([base.signature, treebank.digest, _digest(adapt), str(settings.pieces)])
    module = _fresh(base, seed)
    records: dict[str, TrainingRecord] = {}

    def run(name: Stage, begun: Any) -> Any:
        told = _named(progress, name)
        records[name] = fit(begun, base, stages[name], settings.pieces, work / name, f"{identity} {name}", told)
        return begun

    if adapt:
        run("adapt", module)
    other = copy.deepcopy(module)
    return {"sentences": run("sentences", module), "words": run("words", other)}, records


def _judged(
    base: Model,
    lookup: LookupTagger,
    treebank: Treebank,
    modules: Mapping[Stage, Any],
    records: dict[str, TrainingRecord],
    seed: int,
) -> SeedResult:
    """The numbers of a seed; the head of its reader of single words is shifted to the best setting on the dev part."""
    encoder = ContextualTagger(_as_model(base, modules["sentences"]), _ORDER)
    words = modules["words"]
    factor = choose_neutral_factor(lookup, ContextualTagger(_as_model(base, words), _ORDER), treebank.dev)
    _shift_neutral(words, factor)
    combined = CombinedTagger(lookup, ContextualTagger(_as_model(base, words), _ORDER), reads="word")
    return SeedResult(
        seed=seed,
        records=records,
        dev=_score(encoder, treebank.dev),
        test=_score(encoder, treebank.test),
        neutral_factor=factor,
        combined_dev=_score(combined, treebank.dev),
        combined_test=_score(combined, treebank.test),
    )


def _fresh(base: Model, seed: int) -> Any:
    """A token classifier with the weights of the backbone and a head from the seed."""
    import torch
    import transformers

    torch.manual_seed(seed)
    names = dict(enumerate(LABELS))
    path = resolve(base.ref).path
    try:
        with quiet_loading():
            return transformers.AutoModelForTokenClassification.from_pretrained(
                str(path),
                num_labels=len(LABELS),
                id2label=names,
                label2id={label: i for i, label in names.items()},
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                dtype=torch.float32,
                ignore_mismatched_sizes=True,
            )
    except ValueError as error:  # transformers knows no token classifier of this architecture
        raise ModelError(f"model '{base.ref}' cannot be taught word labels: {str(error).splitlines()[0]}") from error


def _as_model(base: Model, module: Any) -> Model:
    module.eval()
    return replace(base, kind="token-classifier", module=module, device=str(module.device))


def _score(tagger: Tagger, sentences: Sequence[LabelledSentence]) -> WordScores:
    return evaluate_tagger(tagger, [s.words for s in sentences], [s.labels for s in sentences])


def _labels(sentences: Sequence[LabelledSentence]) -> NDArray[np.int64]:
    return np.concatenate([np.asarray(sentence.labels, dtype=np.int64) for sentence in sentences])


def choose_neutral_factor(lookup: LookupTagger, encoder: Tagger, sentences: Sequence[LabelledSentence]) -> float:
    """What the encoder's neutral probability of unseen words is multiplied by for the best macro F1 on these sentences.

    The encoder reads each unseen word by itself. Of factors equally good the one nearest to 1 is taken.
    """
    words = [word for sentence in sentences for word in sentence.words]
    true, seen = _labels(sentences), lookup.seen(words)
    read = CombinedTagger(lookup, encoder, reads="word").tag([words])[0]

    def f1(factor: float) -> float:
        scale = np.where(seen[:, None], 1, np.array([1, factor, 1])).astype(np.float32)
        return evaluate_words(true, labels_of(read * scale)).f1

    return max(NEUTRAL_FACTORS, key=lambda factor: (f1(factor), -abs(math.log(factor))))


def _card(
    base: Model,
    treebank: Treebank,
    adapt: Sequence[LabelledSentence],
    settings: TaggerTraining,
    results: Sequence[SeedResult],
) -> dict[str, Any]:
    """What stands in ``tagger.json``: data, settings, and what every seed gave."""
    sizes = {part: len(getattr(treebank, part)) for part in ("train", "dev", "test")}
    return {
        "data": {"digest": treebank.digest, **sizes},
        "adapted_on": {"digest": _digest(adapt), "sentences": len(adapt)} if adapt else None,
        "backbone": base.signature,
        "settings": asdict(settings),
        "seeds": [result.as_dict() for result in results],
    }


def _save(
    place: Path, name: str, base: Model, lookup: LookupTagger, kept: Mapping[Stage, Any], notes: dict[str, Any]
) -> None:
    stages: dict[str, Stage] = {name: "sentences", "combined": "words"}
    for folder, stage in stages.items():
        shutil.rmtree(place / folder, ignore_errors=True)
        with quiet_loading():
            kept[stage].save_pretrained(str(place / folder / MODEL))
            base.tokenizer.save_pretrained(str(place / folder / MODEL))
        best = min(notes["seeds"], key=lambda seed: min(epoch["value"] for epoch in seed["records"][stage]["epochs"]))
        told = {**notes, "kept_seed": best["seed"]}
        if folder == name:
            save_tagger(place / folder, "contextual", name, notes=told)
        else:
            save_tagger(place / folder, "combined", folder, table=lookup.table, reads="word", notes=told)
    save_tagger(place / "lookup", "lookup", "lookup", table=lookup.table, notes={"data": notes["data"]})


def _shift_neutral(module: Any, factor: float) -> None:
    """Multiply the neutral probability by a factor (before it is made to sum to 1 again), in the head itself."""
    import torch

    head = getattr(module, "classifier", None) or getattr(module, "score", None)
    bias = getattr(head, "bias", None)
    if bias is None:
        raise ModelError(f"{type(module).__name__}: its head has no bias that could be set for unseen words")
    with torch.no_grad():
        bias[NEUTRAL] += math.log(factor)


def _digest(sentences: Sequence[LabelledSentence]) -> str:
    return digest_of(f"{' '.join(sentence.words)}\t{sentence.labels}" for sentence in sentences)
