"""Train an encoder to tag affective words: SST3, and DS-SST3 (adapted on tagged dialogues first)."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dialgauge.affect._evaluation import WordScores, evaluate_tagger
from dialgauge.affect._fitting import FittingStage, fit
from dialgauge.affect._folder import MODEL, READER, save_tagger
from dialgauge.affect._settings import Stage, TaggerTraining
from dialgauge.affect._sst import LabelledSentence, Treebank, lookup_of
from dialgauge.affect._tagger import LABELS, Tagger
from dialgauge.affect._taggers import CombinedTagger, ContextualTagger, LookupTagger
from dialgauge.affect._word_reader import WordLessons, save_word_reader, train_word_reader, word_lessons
from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import Model, TrainingRecord, digest_of, load, quiet_loading, resolve, watching
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

#: Share of the adaptation sentences used to select the best epoch.
_HELD_OUT = 0.05
_WORK = "training"
_ORDER = tuple((i,) for i in range(len(LABELS)))


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The results of one seed: the records of its stages, and the scores of encoder (if any) and combination."""

    seed: int
    records: dict[str, TrainingRecord]
    dev: WordScores | None
    test: WordScores | None
    combined_dev: WordScores
    combined_test: WordScores

    def loss(self, stage: Stage) -> float:
        """The lowest validation loss of the stage."""
        record = self.records[stage]
        value = record.epochs[record.best_epoch].value
        assert value is not None  # every epoch is evaluated
        return value

    def as_dict(self) -> dict[str, Any]:
        """For the card."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TrainedTaggers:
    """The folder with the taggers, the results of each seed, and those of the look-up table as a baseline.

    ``name`` is that of the encoder's tagger, None where no encoder was trained.
    Of several seeds the one with the lowest loss on the development part is kept, for encoder and word reader each.
    """

    folder: Path
    name: str | None
    seeds: tuple[SeedResult, ...]
    lookup: WordScores

    def spread(self, which: Literal["test", "combined_test"] = "test") -> dict[str, tuple[float, float | None]]:
        """Mean and standard deviation over the seeds of each number; a single seed has no deviation."""
        rows = [scores for result in self.seeds if (scores := getattr(result, which)) is not None]
        if not rows:
            raise InputError(f"{self.folder}: no encoder was trained, so it has no scores")
        found = {}
        for name in ("accuracy", "precision", "recall", "f1"):
            values = np.array([getattr(row, name) for row in rows])
            found[name] = (float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else None)
        return found


@with_bar
@takes(TaggerTraining)
def train_tagger(
    treebank: Treebank,
    output: str | PathLike[str],
    settings: TaggerTraining | None = None,
    *,
    adapt: Sequence[LabelledSentence] = (),
    progress: Progress | None = None,
    **changes: Any,
) -> TrainedTaggers:
    """Train an encoder on word labels and write three taggers below ``output``: lookup, the encoder, and combined.

    The first piece of each word carries its label. The epoch with the lowest loss on the development part is kept, of
    several seeds the one with the lowest. With ``adapt`` (sentences tagged by a lexicon) the encoder learns from those
    first: DS-SST3. Combined is the table with a :class:`WordReader` for words that it does not hold; the loss on such
    words of the development part selects its epoch. An interrupted training resumes after its last complete epoch when
    called again in the same way.
    """
    settings = TaggerTraining.chosen(settings, changes, "train_tagger")
    place = Path(output)
    if place.exists() and not place.is_dir():
        raise InputError(f"{place}: is a file; give a folder for the taggers")
    if adapt and not settings.encoder:
        raise ParameterError("affect train", "encoder", "true if there are dialogues to adapt on", settings.encoder)
    base = load("encoder", settings.backbone, settings.device)
    lookup = lookup_of(treebank)
    with watching(None if progress is None else partial(progress, "describing words")):
        lessons = word_lessons(treebank, lookup, base, settings.vectors)
    results: list[SeedResult] = []
    kept: dict[Stage, Any] = {}
    for number, seed in enumerate(settings.seeds, start=1):
        told = _named(progress, f"seed {seed} ({number} of {len(settings.seeds)})")
        found, records = _train_seed(
            base, lessons, treebank, adapt, settings, seed, place / _WORK / f"seed-{seed}", told
        )
        results.append(_judged(base, lookup, treebank, found, records, seed))
        for stage, learnt in found.items():
            if all(results[-1].loss(stage) < other.loss(stage) for other in results[:-1]):
                kept[stage] = learnt
    name = None if not settings.encoder else "ds-sst3" if adapt else "sst3"
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
    lessons: WordLessons,
    treebank: Treebank,
    adapt: Sequence[LabelledSentence],
    settings: TaggerTraining,
    seed: int,
    work: Path,
    progress: Progress | None,
) -> tuple[dict[Stage, Any], dict[str, TrainingRecord]]:
    """The encoder of a seed, adapted first if there is something to adapt on, and its reader of single words."""
    # The last ones judge: sentences of one dialogue stand together, so hardly any dialogue is on both sides.
    cut = len(adapt) - max(1, round(len(adapt) * _HELD_OUT))
    stages = {
        "adapt": FittingStage(adapt[:cut], adapt[cut:], settings.batch, settings.plan("adapt", seed)),
        "sentences": FittingStage(treebank.train, treebank.dev, settings.batch, settings.plan("sentences", seed)),
    }
    identity = digest_of([base.signature, treebank.digest, _digest(adapt), str(settings.pieces)])
    found: dict[Stage, Any] = {}
    records: dict[str, TrainingRecord] = {}
    if settings.encoder:
        module = found["sentences"] = _fresh(base, seed)
        for name in ("adapt", "sentences") if adapt else ("sentences",):
            told = _named(progress, name)
            records[name] = fit(module, base, stages[name], settings.pieces, work / name, f"{identity} {name}", told)
    plan, told = settings.plan("words", seed), _named(progress, "words")
    found["words"], records["words"] = train_word_reader(lessons, plan, settings.word_batch, told)
    return found, records


def _judged(
    base: Model,
    lookup: LookupTagger,
    treebank: Treebank,
    found: Mapping[Stage, Any],
    records: dict[str, TrainingRecord],
    seed: int,
) -> SeedResult:
    module = found.get("sentences")
    encoder = None if module is None else ContextualTagger(_as_model(base, module), _ORDER)
    combined = CombinedTagger(lookup, found["words"], reads="word")
    return SeedResult(
        seed=seed,
        records=records,
        dev=_score(encoder, treebank.dev) if encoder else None,
        test=_score(encoder, treebank.test) if encoder else None,
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
        raise ModelError(
            f"model '{base.ref}' cannot be trained on word labels: {str(error).splitlines()[0]}"
        ) from error


def _as_model(base: Model, module: Any) -> Model:
    module.eval()
    return replace(base, kind="token-classifier", module=module, device=str(module.device))


def _score(tagger: Tagger, sentences: Sequence[LabelledSentence]) -> WordScores:
    return evaluate_tagger(tagger, [s.words for s in sentences], [s.labels for s in sentences])


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
        "settings": settings.model_dump(mode="json"),
        "seeds": [result.as_dict() for result in results],
    }


def _save(
    place: Path, name: str | None, base: Model, lookup: LookupTagger, kept: Mapping[Stage, Any], notes: dict[str, Any]
) -> None:
    if name:
        _save_model(place / name, kept["sentences"], base)
        save_tagger(place / name, "contextual", name, notes=_noted(notes, "sentences"))
    _save_model(place / "combined", base.module, base)
    save_word_reader(kept["words"], place / "combined" / READER)
    told = _noted(notes, "words")
    save_tagger(place / "combined", "combined", "combined", table=lookup.table, reads="word", notes=told)
    save_tagger(place / "lookup", "lookup", "lookup", table=lookup.table, notes={"data": notes["data"]})


def _save_model(folder: Path, module: Any, base: Model) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with quiet_loading():
        module.save_pretrained(str(folder / MODEL))
        base.tokenizer.save_pretrained(str(folder / MODEL))


def _noted(notes: dict[str, Any], stage: Stage) -> dict[str, Any]:
    """The notes with the seed that was kept: the one with the lowest loss at this stage."""
    best = min(notes["seeds"], key=lambda seed: min(epoch["value"] for epoch in seed["records"][stage]["epochs"]))
    return {**notes, "kept_seed": best["seed"]}


def _digest(sentences: Sequence[LabelledSentence]) -> str:
    return digest_of(f"{' '.join(sentence.words)}\t{sentence.labels}" for sentence in sentences)
