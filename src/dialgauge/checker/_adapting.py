"""A language model whose linear layers learn low-rank changes, and the loss that teaches them to mark wrong words."""

import copy
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialgauge.checker._example import Example
from dialgauge.checker._layout import Encoded, Packed, Tree, Words
from dialgauge.checker._network import PLACES, Network
from dialgauge.models import Model

if TYPE_CHECKING:
    import torch

#: Weights of the loss of words and of whole summaries.
_TOKENS, _WHOLE = 3.0, 0.1


@dataclass(frozen=True, slots=True)
class Lesson:
    """A summary in tokens, and for each whether it is wrong."""

    summary: Encoded
    wrong: tuple[bool, ...]

    @classmethod
    def of(cls, words: Words, example: Example) -> "Lesson":
        """The tokens that overlap with a wrong span are wrong."""
        summary = words.summary(example.text)
        return cls(summary, tuple(any(a < end and start < b for a, b in example.wrong) for start, end in summary.spans))


@dataclass(frozen=True, eq=False)
class Batch:
    """Several dialogues with lessons, as one sequence."""

    packed: Packed
    wrong: tuple[tuple[bool, ...], ...]


def batches(
    words: Words, pool: Sequence[tuple[tuple[int, ...], Sequence[Lesson]]], examples: int, tokens: int, seed: str
) -> list[Batch]:
    """The batches of an epoch: from each dialogue as many right as wrong summaries, drawn by the seed."""
    draw = random.Random(seed)
    order = list(range(len(pool)))
    draw.shuffle(order)
    found: list[Batch] = []
    waiting: list[tuple[Tree, tuple[tuple[bool, ...], ...]]] = []
    size = 0
    for place in order:
        context, lessons = pool[place]
        right = [one for one in lessons if not any(one.wrong)]
        wrong = [one for one in lessons if any(one.wrong)]
        half = max(1, examples // 2)
        chosen = draw.sample(right, min(half, len(right))) + draw.sample(wrong, min(half, len(wrong)))
        if not chosen:
            continue
        tree = Tree(context, tuple(one.summary for one in chosen))
        needed = len(context) + sum(map(words.size, tree.summaries))
        if waiting and size + needed > tokens:
            found.append(_batch(words, waiting))
            waiting, size = [], 0
        waiting.append((tree, tuple(one.wrong for one in chosen)))
        size += needed
    return [*found, _batch(words, waiting)] if waiting else found


def _batch(words: Words, items: Sequence[tuple[Tree, tuple[tuple[bool, ...], ...]]]) -> Batch:
    return Batch(Packed(words, [tree for tree, _ in items]), tuple(one for _, wrong in items for one in wrong))


def adapted(model: Model, rank: int, tensors: Mapping[str, Any] | None, seed: int) -> tuple[Any, Network]:
    """A module for training and the network that reads with it; ``tensors`` are those of an adapter to start from."""
    import torch
    from torch import nn

    class Changed(nn.Module):
        """A frozen linear layer plus a product of two small matrices."""

        def __init__(self, linear: Any, first: "torch.Tensor", second: "torch.Tensor") -> None:
            super().__init__()
            self.linear = linear
            self.A, self.B = nn.Parameter(first), nn.Parameter(second)

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            made: torch.Tensor = self.linear(x) + (x @ self.A.T) @ self.B.T
            return made

    made = torch.Generator().manual_seed(seed)
    module = copy.deepcopy(model.module).float()
    module.requires_grad_(False)
    for number, layer in enumerate(module.model.layers):
        for short, place in PLACES.items():
            linear = layer.get_submodule(place)
            rows, columns = linear.weight.shape
            name = f"layers.{number}.{short}"
            if tensors is None:
                first = torch.randn(rank, columns, generator=made) / math.sqrt(columns)
                second = torch.zeros(rows, rank)
            else:
                first, second = tensors[f"{name}.A"].float().clone(), tensors[f"{name}.B"].float().clone()
            parent, _, last = place.rpartition(".")
            setattr(layer.get_submodule(parent), last, Changed(linear, first, second))
    head = nn.Linear(module.config.hidden_size, 1)
    with torch.no_grad():
        head.weight.copy_(torch.zeros_like(head.weight) if tensors is None else tensors["head.weight"])
        head.bias.copy_(torch.full_like(head.bias, -2.0) if tensors is None else tensors["head.bias"])
    module.checker_head = head
    return module, Network(model, module, head.weight, head.bias, Words.of(model.tokenizer))


def loss_of(network: Network, module: Any, batch: Batch) -> "torch.Tensor":
    """Every word on its own, and each summary as a whole: wrong if any of its words is."""
    import torch
    from torch.nn import functional

    device = module.checker_head.weight.device
    states = network.states(batch.packed, str(device))
    copied = torch.tensor(batch.packed.copied(), device=device)
    logits = module.checker_head(states[copied].float())[:, 0]
    wanted = torch.tensor([float(one) for some in batch.wrong for one in some], device=device)
    words = functional.binary_cross_entropy_with_logits(logits, wanted)
    wholes = []
    for own, wrong in zip(torch.split(logits, batch.packed.lengths), batch.wrong, strict=True):
        kept = functional.logsigmoid(-own).sum().clamp(max=-1e-4)
        wholes.append(-(torch.log1p(-kept.exp()) if any(wrong) else kept).clamp(min=-12))
    return _TOKENS * words + _WHOLE * torch.stack(wholes).mean()


def tensors_of(module: Any) -> dict[str, Any]:
    """The tensors of a trained adapter, as they are stored."""
    import torch

    found = {
        f"layers.{number}.{short}.{part}": getattr(layer.get_submodule(place), part).detach().to(torch.bfloat16).cpu()
        for number, layer in enumerate(module.model.layers)
        for short, place in PLACES.items()
        for part in ("A", "B")
    }
    head = module.checker_head
    return found | {"head.weight": head.weight.detach().float().cpu(), "head.bias": head.bias.detach().float().cpu()}
