"""The hidden states of an encoder after a given layer, without computing the layers above it."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialgauge.errors import ParameterError
from dialgauge.models import Model, ModelRef, PackedEncoder, packed_encoder

if TYPE_CHECKING:
    import torch

#: The layers that the authors of BERTScore chose on WMT16 (their repository's table), by the last part of a hub id.
_CHOSEN = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-multilingual-cased": 9,
    "bert-base-chinese": 8,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "deberta-base-mnli": 9,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
}


def count_layers(model: Model) -> int:
    """How many layers the model has."""
    return int(model.config.num_hidden_layers)


def chosen_layer(model: Model, given: str, owner: str) -> int:
    """The layer that ``given`` names: a number, or ``auto`` for the published choice (else three quarters up)."""
    layers = count_layers(model)
    if given == "auto":
        known = _CHOSEN.get(model.ref.name.rpartition("/")[2])
        return min(known, layers) if known else -(-3 * layers // 4)
    check_layer(model.ref, layers, given, owner)
    return int(given)


def check_layer(ref: ModelRef, layers: int | None, given: str, owner: str) -> None:
    """Reject a layer that the model does not have, if the number of layers is known."""
    if given != "auto" and layers is not None and int(given) > layers:
        raise ParameterError(owner, "layer", f"at most {layers} for model '{ref}'", given)


@dataclass(frozen=True, eq=False, slots=True)
class LayerStates:
    """From padded token ids and their mask to the states after a layer; ``packed`` does it without padding."""

    forward: "Callable[[torch.Tensor, torch.Tensor], torch.Tensor]"
    packed: PackedEncoder | None

    def __call__(self, ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        return self.forward(ids, mask)


def layer_states(model: Model, layer: int) -> LayerStates:
    """A function from token ids and mask to the states after this layer (0: the embeddings)."""
    shortened = _without_upper_layers(model.module, layer) if layer > 0 else None
    if shortened is not None:

        def through_lower(ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
            states: torch.Tensor = shortened(input_ids=ids, attention_mask=mask).last_hidden_state
            return states

        return LayerStates(through_lower, packed_encoder(model, layer))

    def through_all(ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        states: torch.Tensor = model.module(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states[layer]
        return states

    return LayerStates(through_all, None)


def _without_upper_layers(module: Any, layer: int) -> Any:
    """The same module with fewer layers, sharing all weights; None if it does not store layers like BERT."""
    encoder = getattr(module, "encoder", None)
    if encoder is None or getattr(encoder, "layer", None) is None or module.config.model_type not in _STACKED:
        return None
    shorter, stack = copy.copy(module), copy.copy(encoder)
    # Copies share the dictionaries of their originals until they get their own.
    shorter._modules, stack._modules = dict(module._modules), dict(encoder._modules)
    stack.layer = encoder.layer[:layer]
    shorter.encoder = stack
    if "pooler" in shorter._modules:
        shorter.pooler = None
    return shorter


#: Architectures whose states after a layer are what the next layer reads, with the layers in ``encoder.layer``.
_STACKED = frozenset(("bert", "roberta", "xlm-roberta", "electra", "camembert", "deberta", "deberta-v2", "mpnet"))
