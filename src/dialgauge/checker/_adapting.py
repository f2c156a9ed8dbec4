"""A language model whose linear layers learn low-rank changes, and the loss that teaches them to mark wrong words."""

import copy
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialgauge.checker._example import Example, Group
from dialgauge.checker._layout import Encoded, Packed, Tree, Words
from dialgauge.checker._network import PLACES, Network
from dialgauge.models import Model

if TYPE_CHECKING:
    import torch

#: Weights of the loss of words, of whole summaries, and of the likelihood of references (the model must keep writing
#: as people do, because its likelihood is a part of the score).
_TOKENS, _WHOLE, _LIKELIHOOD = 3.0, 0.1, 0.3


@dataclass(frozen=True, slots=True)
class Lesson:
    """A summary in tokens, and for each whether it is wrong; ``reference`` if people wrote it as it is.

    Without ``marked`` it is only known that some of these are.
    """

    summary: Encoded
    wrong: tuple[bool, ...]
    reference: bool = False
    marked: bool = True

    @classmethod
    def of(cls, words: Words, example: Example) -> "Lesson":
        """The tokens that overlap with a wrong span are wrong."""
        summary = words.summary(example.text)
        wrong = tuple(any(a < end and start < b for a, b in example.wrong) for start, end in summary.spans)
        return cls(summary, wrong, example.kind == "reference", example.marked)


@dataclass(frozen=True, slots=True)
class Task:
    """A dialogue in tokens and couples of a right and a wrong summary."""

    context: tuple[int, ...]
    couples: tuple[tuple[Lesson, Lesson], ...]

    @classmethod
    def of(cls, words: Words, group: Group, room: int) -> "Task":
        """The group in tokens; of a dialogue that is too long the end is kept."""
        couples = ((Lesson.of(words, one.right), Lesson.of(words, one.wrong)) for one in group.couples)
        return cls(words.context(group.dialogue)[-room:], tuple(couples))


@dataclass(frozen=True, eq=False)
class Batch:
    """Several dialogues with lessons, as one sequence."""

    packed: Packed
    lessons: tuple[Lesson, ...]


def batches(words: Words, tasks: Sequence[Task], examples: int, tokens: int, seed: str) -> list[Batch]:
    """The batches of an epoch: from each dialogue some couples, drawn by the seed."""
    draw = random.Random(seed)
    found: list[Batch] = []
    waiting: list[tuple[Tree, tuple[Lesson, ...]]] = []
    size = 0
    for task in draw.sample(tasks, k=len(tasks)):
        couples = draw.sample(task.couples, k=min(max(1, examples // 2), len(task.couples)))
        # A summary may have several errors: it is read once.
        chosen = tuple(dict.fromkeys(lesson for couple in couples for lesson in couple))
        tree = Tree(task.context, tuple(one.summary for one in chosen))
        needed = len(task.context) + sum(map(words.size, tree.summaries))
        if waiting and size + needed > tokens:
            found.append(_batch(words, waiting))
            waiting, size = [], 0
        if chosen:
            waiting.append((tree, chosen))
            size += needed
    return [*found, _batch(words, waiting)] if waiting else found


def _batch(words: Words, items: Sequence[tuple[Tree, tuple[Lesson, ...]]]) -> Batch:
    return Batch(Packed(words, [tree for tree, _ in items]), tuple(one for _, lessons in items for one in lessons))


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
    """Every word on its own, each summary as a whole (wrong if any of its words is), and references as texts."""
    import torch
    from torch.nn import functional

    device = module.checker_head.weight.device
    packed = batch.packed
    states = network.states(packed, str(device))
    logits = module.checker_head(states[torch.tensor(packed.copied(), device=device)].float())[:, 0]
    wanted = torch.tensor([float(one) for lesson in batch.lessons for one in lesson.wrong], device=device)
    known = torch.tensor([float(one.marked) for one in batch.lessons for _ in one.wrong], device=device)
    each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    loss = _TOKENS * (each * known).sum() / known.sum().clamp(min=1)
    wholes = []
    for own, lesson in zip(torch.split(logits, packed.lengths), batch.lessons, strict=True):
        kept = functional.logsigmoid(-own).sum().clamp(max=-1e-4)
        wholes.append(-(torch.log1p(-kept.exp()) if any(lesson.wrong) else kept).clamp(min=-12))
    loss = loss + _WHOLE * torch.stack(wholes).mean()
    counted = [one.reference and not any(one.wrong) for one in batch.lessons for _ in one.wrong]
    if any(counted):
        chosen = torch.tensor(counted, device=device)
        before, written = (torch.tensor(some, device=device)[chosen] for some in (packed.before(), packed.written()))
        tokens = torch.tensor(packed.tokens, device=device)[written]
        weight = module.get_output_embeddings().weight
        loss = loss + _LIKELIHOOD * functional.cross_entropy((states[before] @ weight.T).float(), tokens)
    return loss


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
