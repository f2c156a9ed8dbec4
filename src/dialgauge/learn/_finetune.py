"""Fine-tuning a neural metric on ratings: one function for BARTScore, UniEval and the encoder head."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dialgauge.errors import InputError
from dialgauge.learn._encoder_head import HeadRecipe
from dialgauge.learn._finetune_data import RatedSplit, RatedSummary, check_enough
from dialgauge.learn._finetune_measures import Agreement, agreement, mean_correlation
from dialgauge.learn._finetune_recipe import Recipe
from dialgauge.learn._finetune_seq2seq import BartRecipe, UnievalRecipe
from dialgauge.learn._folder import Card, refuse_foreign, write_folder
from dialgauge.learn._settings import FineTuneSettings
from dialgauge.models import TrainingRecord, digest_of, model_signature, remove_checkpoint, settle, train
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import Scale

#: The metrics that can be fine-tuned, by the beginning of their names.
_RECIPES: Mapping[str, Callable[[FineTuneSettings], Recipe]] = {
    "bartscore": BartRecipe,
    "unieval": UnievalRecipe,
    "encoder-head": HeadRecipe,
}
_USE = (
    "To rate summaries of dialogues like those it was trained on, for this dimension. It was trained on no other kind "
    "of "
    "dialogue, system or language; validate it on your own ratings before using it on others."
)


@dataclass(frozen=True, slots=True)
class FineTuned:
    """A trained metric: its folder, its specification for ``dialgauge score``, the training record and dev results."""

    folder: Path
    spec: str
    record: TrainingRecord
    dev: Agreement | None
    card: Card


def make_recipe(settings: FineTuneSettings) -> Recipe:
    """The training recipe for these settings; loads the model."""
    return next(make for start, make in _RECIPES.items() if settings.metric.startswith(start))(settings)


@with_bar
def finetune(
    split: RatedSplit,
    scale: Scale,
    settings: FineTuneSettings,
    folder: Path | str,
    *,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    recipe: Recipe | None = None,
) -> FineTuned:
    """Train on ``split.train``, keep the epoch that agrees best with the ratings of ``split.dev``, and save.

    The folder has the weights and a card, and is a metric: see ``spec``. An interrupted training resumes
    when called again with the same folder, data and settings. ``data`` describes the corpus on the card.
    """
    folder = Path(folder)
    refuse_foreign(folder)
    settings = settle(settings)
    recipe = recipe or make_recipe(settings)
    used = recipe.readable(split.train)
    check_enough(used, f"training {settings.metric} on {settings.target!r}")
    recipe.prepare(used)
    watched = recipe.readable(split.dev)
    if watched and len({item.rating for item in watched}) == 1:
        raise InputError(
            f"the {len(watched)} development summaries all have the rating {watched[0].rating:g}, so no epoch can be "
            "selected; use another seed, a larger dev share, or no dev share (0)"
        )
    work = folder.with_name(f"{folder.name}-training")
    record = train(
        recipe.module,
        recipe.batches,
        recipe.loss,
        settings,
        evaluate=(lambda module: _distance(recipe, module, watched)) if watched else None,
        folder=work,
        identity=_identity(settings, used, watched),
        progress=progress,
    )
    dev = agreement(recipe.predict(recipe.module, watched), watched) if watched else None
    card = _card(recipe, settings, folder, scale, used, watched, record, dev, data or {})
    saved = write_folder(folder, card, lambda temporary: recipe.save(recipe.module, temporary))
    remove_checkpoint(work)
    work.rmdir()
    return FineTuned(folder, recipe.spec(folder), record, dev, saved)


def _distance(recipe: Recipe, module: Any, items: Sequence[RatedSummary]) -> float:
    """1 − the mean of Pearson, Spearman and Kendall: lower is better. A constant metric counts as uncorrelated."""
    value = mean_correlation(recipe.predict(module, items), np.array([item.rating for item in items]))
    return 1.0 if np.isnan(value) else 1.0 - value


def _identity(settings: FineTuneSettings, used: Sequence[RatedSummary], watched: Sequence[RatedSummary]) -> str:
    chosen = {name: value for name, value in settings.as_dict().items() if name != "plan"}
    return digest_of([repr(sorted(chosen.items())), model_signature(settings.model), repr(used), repr(watched)])


def _card(
    recipe: Recipe,
    settings: FineTuneSettings,
    folder: Path,
    scale: Scale,
    used: Sequence[RatedSummary],
    watched: Sequence[RatedSummary],
    record: TrainingRecord,
    dev: Agreement | None,
    data: Mapping[str, Any],
) -> Card:
    families = sorted({item.family for item in used})
    origins = sorted({item.origin for item in used})
    return Card(
        name=folder.name,
        kind="encoder-head" if settings.metric == "encoder-head" else "checkpoint",
        target=settings.target,
        intended_use=_USE,
        scale={"minimum": scale.minimum, "maximum": scale.maximum},
        data={
            **data,
            "summaries": len(used),
            "dialogues": len({item.dialogue_id for item in used}),
            "families": families,
            "ratings": origins,
            "digest": digest_of(repr(item) for item in used),
        },
        split={
            "kind": "dialogues: no dialogue is both trained on and used to select the epoch",
            "dev_dialogues": sorted({item.dialogue_id for item in watched}),
            "hides": "the systems of the development summaries were seen in training",
        },
        scores=() if dev is None else ({"set": "dev (used to select the epoch, so too optimistic)", **asdict(dev)},),
        settings={
            **recipe.facts(),
            "base": model_signature(settings.model),
            "loss": recipe.loss_name,
            "batch": settings.batch,
            # Not how long it took: the same training must give the same card.
            "plan": {name: value for name, value in settings.as_dict()["plan"].items() if name != "device"},
            "epochs": [{"epoch": e.epoch, "loss": e.loss, "value": e.value} for e in record.epochs],
            "best_epoch": record.best_epoch,
            "stopped_early": record.stopped_early,
        },
    )
