"""The language model with an adapter: low-rank changes of its linear layers, and a head that marks tokens."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.checker._layers import Layers, learning_states, runs_by_itself
from dialgauge.checker._layout import Encoded, Packed, Tree, Words
from dialgauge.errors import ModelError
from dialgauge.models import Model, default_budget, load, run_batched

if TYPE_CHECKING:
    import torch

#: The linear layers that are changed, by their short names, and where they are in a layer of the model.
PLACES: Mapping[str, str] = {
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
#: The longest sequence of one dialogue and its summaries: its mask grows with the square.
_LONGEST = {"cpu": 2048, "cuda": 8192}
#: Tokens of several dialogues in one sequence. A processor gains nothing by that, and pays for what is masked.
_TOGETHER = {"cpu": 1, "cuda": 8192}
#: Logits of the vocabulary that are held at a time.
_ROWS = 128


@dataclass(frozen=True, slots=True)
class Marks:
    """What the checker finds for one summary, token by token.

    ``wrong`` is the logit of each token being wrong, ``given`` its log-probability after the dialogue, ``alone``
    without one (both empty if nobody asked). ``spans`` says which characters a token stands for.
    """

    spans: tuple[tuple[int, int], ...]
    wrong: FloatArray
    given: FloatArray
    alone: FloatArray


@dataclass(frozen=True, eq=False)
class Network:
    """A loaded checker: the model with its adapter in place, and the head."""

    model: Model
    module: Any
    head_weight: "torch.Tensor"
    head_bias: "torch.Tensor"
    words: Words

    @property
    def room(self) -> int:
        """How many tokens dialogue and summary may have together."""
        return self.model.max_length

    @cached_property
    def _layers(self) -> Layers | None:
        """The layers as a processor runs them fastest; none where the model's own code is to run."""
        return Layers(self.module) if self.model.device == "cpu" and runs_by_itself(self.module) else None

    def read(self, trees: Sequence[Tree], likelihood: bool = True) -> list[list[tuple[FloatArray, FloatArray]]]:
        """For each summary of each tree the logits of its second copy and the log-probabilities of its first.

        Without ``likelihood`` the latter are empty, and the vocabulary is not read.
        """
        place = self.model.device.partition(":")[0]
        budget = min(default_budget(self.model.device), _LONGEST[place])
        parts, owners = [], []
        for owner, tree in enumerate(trees):
            for part in self._parts(tree, budget):
                parts.append(part)
                owners.append(owner)
        lengths = [len(part.context) + sum(map(self.words.size, part.summaries)) for part in parts]
        score = partial(self._score, likelihood=likelihood)
        results = run_batched(parts, lengths, score, min(budget, _TOGETHER[place]))
        found: list[list[tuple[FloatArray, FloatArray]]] = [[] for _ in trees]
        for owner, result in zip(owners, results, strict=True):
            found[owner] += result
        return found

    def _parts(self, tree: Tree, budget: int) -> list[Tree]:
        """Split a tree whose summaries do not fit into one sequence; every part has the context."""
        parts: list[Tree] = []
        some: list[Encoded] = []
        size = len(tree.context)
        for summary in tree.summaries:
            if some and size + self.words.size(summary) > budget:
                parts.append(Tree(tree.context, tuple(some)))
                some, size = [], len(tree.context)
            some.append(summary)
            size += self.words.size(summary)
        return [*parts, Tree(tree.context, tuple(some))]

    def _score(self, batch: list[Tree], likelihood: bool) -> list[list[tuple[FloatArray, FloatArray]]]:
        import torch

        packed = Packed(self.words, batch)
        device = self.model.device
        states = self._layers.last_states(packed) if self._layers else self.states(packed, device)
        before, written, copied = (
            torch.tensor(some, dtype=torch.int64, device=device)
            for some in (packed.before(), packed.written(), packed.copied())
        )
        wrong = torch.nn.functional.linear(states[copied].float(), self.head_weight, self.head_bias)[:, 0]
        tokens = torch.tensor(packed.tokens, device=device)[written]
        given = self._likelihood(states[before], tokens) if likelihood else wrong[:0]
        cuts = np.cumsum(packed.lengths)[:-1]
        both = zip(*(np.split(some.cpu().numpy().astype(np.float64), cuts) for some in (wrong, given)), strict=True)
        return [[next(both) for _ in tree.summaries] for tree in batch]

    def states(self, packed: Packed, device: str) -> "torch.Tensor":
        """The last states of a sequence, by code that can be trained."""
        if device == "cpu" and runs_by_itself(self.module):
            return learning_states(self.module, packed)
        return self.masked_states(packed, device)

    def masked_states(self, packed: Packed, device: str) -> "torch.Tensor":
        """The same by the model's own code, with a mask over the whole sequence."""
        import torch

        tokens, positions = (torch.tensor([some], device=device) for some in (packed.tokens, packed.positions))
        dtype = self.module.dtype
        hidden = ~packed.sees(device)
        mask = torch.zeros(hidden.shape, dtype=dtype, device=device).masked_fill_(hidden, torch.finfo(dtype).min)
        made = self.module.model(
            input_ids=tokens, position_ids=positions, use_cache=False, attention_mask=mask[None, None]
        )
        last: torch.Tensor = made.last_hidden_state[0]
        return last

    def _likelihood(self, states: "torch.Tensor", tokens: "torch.Tensor") -> "torch.Tensor":
        import torch

        weight = self.module.get_output_embeddings().weight
        found = [
            -torch.nn.functional.cross_entropy((some @ weight.T).float(), wanted, reduction="none")
            for some, wanted in zip(torch.split(states, _ROWS), torch.split(tokens, _ROWS), strict=True)
        ]
        return torch.cat(found) if found else torch.zeros(0, device=states.device)


def load_network(
    base: str, tensors: Mapping[str, "torch.Tensor"], device: str = "auto", dtype: str = "fp32"
) -> Network:
    """The base model with these tensors put in place (the loaded base stays as it is for others)."""
    import torch

    # Changes are added in full precision and rounded once.
    model = load("causal-lm", base, device, "fp32" if dtype == "bf16" else dtype)
    module = copy.deepcopy(model.module)
    layers = module.model.layers
    with torch.no_grad():
        for number, layer in enumerate(layers):
            for short, path in PLACES.items():
                weight = layer.get_submodule(path).weight
                first, second = (tensors[f"layers.{number}.{short}.{part}"].float() for part in ("A", "B"))
                if second.shape[0] != weight.shape[0] or first.shape[1] != weight.shape[1]:
                    raise ModelError(f"the adapter does not fit model '{model.ref}': {path} of layer {number}")
                weight += (second @ first).to(weight.device, weight.dtype)
        if dtype == "bf16":
            module = module.to(torch.bfloat16)
    weight, bias = (tensors[f"head.{name}"].float().to(model.device) for name in ("weight", "bias"))
    return Network(model, module, weight, bias, Words.of(model.tokenizer))
