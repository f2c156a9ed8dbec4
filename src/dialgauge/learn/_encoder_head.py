"""A small neural metric: vectors of summary, source and reference are compared, and a head predicts the rating.

The form is that of COMET (Rei et al. 2020): [s; r; c; |s − r|; s ∘ r; |s − c|; s ∘ c] for the vectors of summary,
reference and source goes through one hidden layer to a rating. Without references the parts with r are omitted.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dialgauge.errors import InputError, ModelError
from dialgauge.learn._encoder_head_vectors import Standard, combined, encode_texts, pooled, token_windows
from dialgauge.learn._finetune_checkpoint import only_feature
from dialgauge.learn._finetune_data import RatedSummary
from dialgauge.learn._finetune_measures import FloatArray
from dialgauge.learn._finetune_recipe import on, save_checkpoint, shuffled, trainable
from dialgauge.learn._folder import Card, Trained, folder_signature, read_card
from dialgauge.learn._losses import moments
from dialgauge.learn._settings import FineTuneSettings
from dialgauge.metrics import Job, Metric, Parameter, Values, register
from dialgauge.models import Model, load, model_signature
from dialgauge.registry import quoted

if TYPE_CHECKING:
    import torch

HEAD_FILE = "head.safetensors"
_EMPTY = "the summary is empty"
_PORTION = 256


class HeadRecipe:
    """Training of the encoder head."""

    loss_name = "squared error"

    def __init__(self, settings: FineTuneSettings) -> None:
        self.settings = settings
        if settings.loss is not None:
            raise InputError(f"encoder-head has only the loss 'squared error'; remove loss {settings.loss!r}")
        self.model = load("encoder", settings.model, "cpu")
        self.with_references = False
        self.module: Any = None
        self._standard: Standard
        self._features: torch.Tensor
        self._vectors: dict[str, FloatArray] = {}
        self._lessons: list[RatedSummary] = []
        self._centre, self._spread = 0.0, 1.0

    def readable(self, items: Iterable[RatedSummary]) -> list[RatedSummary]:
        """All of them; if :meth:`prepare` found references to read, those that have one."""
        return [item for item in items if item.references or not self.with_references]

    def prepare(self, train: Sequence[RatedSummary]) -> None:
        """Create the head in the encoder's width, and standardise its inputs by the training summaries."""
        import torch

        self.with_references = all(item.references for item in train)
        self._lessons = list(train)
        self._centre, self._spread = moments([item.share for item in train])
        encoded = self._frozen_vectors(self.model, train)
        features = combined(*self._sides(train, encoded))
        torch.manual_seed(self.settings.seed)
        self._standard = Standard(features.mean(0), features.std(0).clamp_min(1e-6))
        self._features = self._standard.apply(features)
        parts = {"head": _make_head(features.shape[1], self.settings.hidden, self.settings.dropout)}
        if not self.settings.frozen:
            parts["encoder"] = trainable(self.model)
        self.module = torch.nn.ModuleDict(parts)

    def batches(self, epoch: int) -> list[list[int]]:
        """Batches of positions in the list of training summaries."""
        return shuffled(range(len(self._lessons)), self.settings.seed, epoch, self.settings.batch)

    def loss(self, module: Any, batch: list[int]) -> Any:
        """Mean squared distance to the standardised rating."""
        import torch

        device = next(module.parameters()).device
        items = [self._lessons[place] for place in batch]
        if self.settings.frozen:
            features = self._features[batch].to(device)
        else:
            texts = list(dict.fromkeys(_texts(items, self.with_references)))
            vectors = pooled(on(self.model, module["encoder"]), [token_windows(self.model, text) for text in texts])
            sides = self._sides(items, dict(zip(texts, vectors, strict=True)))
            features = self._standard.apply(combined(*sides))
        wanted = torch.tensor([(item.share - self._centre) / self._spread for item in items], device=device)
        return ((module["head"](features)[:, 0] - wanted) ** 2).mean()

    def predict(self, module: Any, items: Sequence[RatedSummary]) -> FloatArray:
        """Ratings from 0 (lowest point of the scale) to 1."""
        model = self.model if self.settings.frozen else on(self.model, module["encoder"])
        if self.settings.frozen:
            encoded = self._frozen_vectors(model, items)
        else:
            encoded = encode_texts(model, _texts(items, self.with_references))
        return _rated(module["head"], self._standard, self._sides(items, encoded), self._centre, self._spread)

    def untrained(self, items: Sequence[RatedSummary]) -> FloatArray:
        """The value of the encoder without a head: the cosine of summary and reference, or source if there is none."""
        referenced = all(item.references for item in items)
        encoded = encode_texts(self.model, _texts(items, referenced))
        beside = [item.references[0] if referenced else item.source for item in items]
        return np.array(
            [
                float(encoded[item.summary] @ encoded[other])
                / float(np.linalg.norm(encoded[item.summary]) * np.linalg.norm(encoded[other]))
                for item, other in zip(items, beside, strict=True)
            ]
        )

    def facts(self) -> dict[str, Any]:
        """Facts that scoring needs."""
        return {
            "encoder": "in this folder" if not self.settings.frozen else model_signature(str(self.model.ref)),
            "references": self.with_references,
            "hidden": self.settings.hidden,
            "dropout": self.settings.dropout,
            "centre": self._centre,
            "spread": self._spread,
        }

    def save(self, module: Any, folder: Path) -> None:
        """Save the head, and the encoder if it was trained."""
        from safetensors.torch import save_file

        if not self.settings.frozen:
            save_checkpoint(self.model, module["encoder"], folder)
        state = {name: tensor.detach().cpu().contiguous() for name, tensor in module["head"].state_dict().items()}
        save_file({**state, **self._standard.tensors()}, folder / HEAD_FILE)

    def spec(self, folder: Path) -> str:
        """As in ``learned:folder=PATH``."""
        return f"learned:folder={quoted(str(folder))}"

    def _frozen_vectors(self, model: Model, items: Sequence[RatedSummary]) -> Mapping[str, FloatArray]:
        texts = dict.fromkeys(_texts(items, self.with_references))
        missing = [text for text in texts if text not in self._vectors]
        if missing:
            self._vectors |= encode_texts(model, missing)
        return self._vectors

    def _sides(self, items: Sequence[RatedSummary], encoded: Mapping[str, Any]) -> "_Sides":
        references = [item.references for item in items] if self.with_references else None
        return _stacked([item.summary for item in items], [item.source for item in items], references, encoded)


#: The vectors of summaries, of sources, and of references (the mean of several) or None.
_Sides = tuple["torch.Tensor", "torch.Tensor", "torch.Tensor | None"]


def _texts(items: Iterable[RatedSummary], with_references: bool) -> list[str]:
    return [
        text for item in items for text in (item.summary, item.source, *(item.references if with_references else ()))
    ]


def _stacked(
    summaries: Sequence[str],
    sources: Sequence[str],
    references: Sequence[Sequence[str]] | None,
    encoded: Mapping[str, Any],
) -> _Sides:
    import torch

    def stack(texts: Sequence[str]) -> torch.Tensor:
        return torch.stack([torch.as_tensor(encoded[text], dtype=torch.float32) for text in texts])

    means = None if references is None else torch.stack([stack(several).mean(0) for several in references])
    return stack(summaries), stack(sources), means


def _make_head(width: int, hidden: int, dropout: float) -> Any:
    from torch.nn import Dropout, Linear, Sequential, Tanh

    return Sequential(Dropout(dropout), Linear(width, hidden), Tanh(), Dropout(dropout), Linear(hidden, 1))


def _rated(head: Any, standard: Standard, sides: _Sides, centre: float, spread: float) -> FloatArray:
    """Ratings as shares of the scale."""
    import copy

    import torch

    with torch.inference_mode():
        # In double precision a batch of another size gives the same number.
        exact = copy.deepcopy(head).cpu().double().eval()
        raw: FloatArray = exact(standard.apply(combined(*sides)).double())[:, 0].numpy()
    return np.clip(raw * spread + centre, 0.0, 1.0)


@lru_cache(maxsize=4)
def _loaded(folder: Path, digest: str) -> tuple[Card, Model, Any, Standard]:
    """The parts of a saved metric; ``digest`` is that of the card, so that another one at the same path is read."""
    from safetensors.torch import load_file

    card = read_card(folder)
    facts = card.settings
    if facts["encoder"] == "in this folder":
        model = load("encoder", f"folder:{folder}", "cpu")
    else:
        name, _, _ = str(facts["encoder"]).rpartition("#")
        if model_signature(name) != facts["encoder"]:
            raise ModelError(
                f"{folder}: the metric was trained with the encoder {facts['encoder']}, but the installed one is "
                f"{model_signature(name)}: a different encoder gives different numbers"
            )
        model = load("encoder", name, "cpu")
    state = load_file(folder / HEAD_FILE)
    standard = Standard.taken(state)
    head = _make_head(len(standard.centre), int(facts["hidden"]), float(facts["dropout"]))
    head.load_state_dict(state)
    return card, model, head, standard


def load_trained_head(folder: Path, card: Card) -> Trained:
    """The saved metric for ``learned:folder=PATH``: one feature, the head itself, which is the value."""
    target = "both" if card.settings["references"] else "source"
    spec = f"encoder-head@{target}:folder={quoted(str(folder.resolve()))}"
    return Trained(card, (spec,), only_feature)


def _compute(job: Job, parameters: Mapping[str, str]) -> Values:
    if not parameters["folder"]:
        raise ModelError("metric 'encoder-head' needs a trained metric: encoder-head:folder=PATH")
    folder = Path(parameters["folder"])
    card, model, head, standard = _loaded(folder, folder_signature(folder))
    facts, low, high = card.settings, float(card.scale["minimum"] or 0), float(card.scale["maximum"] or 0)
    strings = job.texts.strings
    numbers = np.full(len(job), np.nan)
    able = [i for i in range(len(job)) if strings[int(job.hypothesis_ids[i])].strip()]
    for start in range(0, len(able), _PORTION):
        part = able[start : start + _PORTION]
        summaries = [strings[int(job.hypothesis_ids[i])] for i in part]
        beside = [[strings[int(t)] for t in job.target_ids[job.offsets[i] : job.offsets[i + 1]]] for i in part]
        every = dict.fromkeys([*summaries, *(text for texts in beside for text in texts)])
        known: dict[str, FloatArray] = job.texts.memo(("encoder-head", model.signature), dict)
        known |= encode_texts(model, [text for text in every if text not in known])
        references = [texts[1:] for texts in beside] if facts["references"] else None
        sides = _stacked(summaries, [texts[0] for texts in beside], references, known)
        shares = _rated(head, standard, sides, float(facts["centre"]), float(facts["spread"]))
        numbers[part] = shares * (high - low) + low
    return Values(numbers, dict.fromkeys(np.flatnonzero(np.isnan(numbers)).tolist(), _EMPTY))


register(
    Metric(
        name="encoder-head",
        family="learned",
        description="Rating predicted by a trained encoder head (dialgauge finetune-metric --metric encoder-head).",
        direction="higher",
        targets=("both", "source"),
        range=(None, None),
        citation="after Rei et al. 2020, COMET: A Neural Framework for MT Evaluation, EMNLP",
        compute=_compute,
        parameters={"folder": Parameter("", (), "the folder of the trained metric", path=str)},
        signatures={"folder": lambda folder: folder_signature(Path(folder)) if folder else ""},
        cost="medium",
        extra="models",
    )
)
