"""Log-probabilities of texts under a causal language model, with a context read once for all texts that follow it.

A context and its continuations form one sequence: each continuation attends to the context and itself, not to its
neighbours, and counts its positions from the end of the context. So nothing is padded and no context is read twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.errors import ModelError
from dialgauge.metrics._metric import FloatArray
from dialgauge.models import Model, default_budget, run_batched

if TYPE_CHECKING:
    import torch

#: The longest sequence that is put together: its mask grows with the square.
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Continuations:
    """The tokens of a context (there may be none) and of the texts that follow it."""

    context: list[int]
    texts: list[list[int]]


def start_id(model: Model) -> int:
    """The token placed before a text so that its first word has a probability: the begin token, or the end token."""
    for token in (model.tokenizer.bos_token_id, model.tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise ModelError(f"model '{model.ref}': its tokenizer has neither a begin token nor an end token")


def log_probabilities(model: Model, groups: Sequence[Continuations]) -> list[list[FloatArray]]:
    """For each text of each group the log-probability of its tokens; without a context the first has none."""
    budget = min(default_budget(model.device), _LONGEST)
    parts: list[Continuations] = []
    owners: list[int] = []
    for owner, group in enumerate(groups):
        for part in _parts(group, budget):
            parts.append(part)
            owners.append(owner)
    lengths = [len(part.context) + sum(map(len, part.texts)) for part in parts]
    results = run_batched(parts, lengths, lambda batch: _score(model, batch), budget)
    found: list[list[FloatArray]] = [[] for _ in groups]
    for owner, arrays in zip(owners, results, strict=True):
        found[owner] += arrays
    return found


def _parts(group: Continuations, budget: int) -> list[Continuations]:
    """Split a group that exceeds one sequence; every part has the context."""
    parts: list[Continuations] = []
    some: list[list[int]] = []
    for text in group.texts:
        if some and len(group.context) + sum(map(len, some)) + len(text) > budget:
            parts.append(Continuations(group.context, some))
            some = []
        some.append(text)
    return [*parts, Continuations(group.context, some)]


def _score(model: Model, batch: list[Continuations]) -> list[list[FloatArray]]:
    import torch

    packed = _Packed(batch)
    tokens, positions, before, written = (
        torch.tensor(some, dtype=torch.int64, device=model.device)
        for some in (packed.tokens, packed.positions, packed.before, packed.written)
    )
    logits = model.module(
        input_ids=tokens[None],
        attention_mask=packed.mask(model.module.dtype).to(model.device),
        position_ids=positions[None],
        use_cache=False,
        logits_to_keep=before,
    ).logits[0]
    chances = -torch.nn.functional.cross_entropy(logits.float(), tokens[written], reduction="none")
    arrays = iter(np.split(chances.cpu().numpy().astype(np.float64), np.cumsum(packed.counts)[:-1]))
    return [[next(arrays) for _ in part.texts] for part in batch]


class _Packed:
    """Several groups as one sequence.

    ``segments`` numbers contexts and texts, ``contexts`` gives the context of each segment. The token at ``written[i]``
    is predicted at ``before[i]``; ``counts`` says how many of these belong to each text.
    """

    def __init__(self, batch: list[Continuations]) -> None:
        self.tokens: list[int] = []
        self.positions: list[int] = []
        self.segments: list[int] = []
        self.contexts: list[int] = []
        self.written: list[int] = []
        self.before: list[int] = []
        self.counts: list[int] = []
        for part in batch:
            context, length = len(self.contexts), len(part.context)
            self._add(part.context, context, 0)
            end = len(self.tokens)
            for text in part.texts:
                begin = len(self.tokens)
                self._add(text, context, length)
                places = list(range(begin, begin + len(text)))
                # The last token of the context predicts the first of the text; without a context nothing does.
                before = [end - 1, *places[:-1]] if length and text else places[:-1]
                self.before += before
                self.written += places[len(places) - len(before) :]
                self.counts.append(len(before))

    def _add(self, tokens: list[int], context: int, offset: int) -> None:
        self.segments += [len(self.contexts)] * len(tokens)
        self.contexts.append(context)
        self.tokens += tokens
        self.positions += range(offset, offset + len(tokens))

    def mask(self, dtype: "torch.dtype") -> "torch.Tensor":
        """0 where a token sees another, the lowest number elsewhere; 1 × 1 × tokens × tokens."""
        import torch

        segments = torch.tensor(self.segments)
        context = torch.tensor(self.contexts)[segments]
        sees = (segments[:, None] == segments[None]) | (context[:, None] == segments[None])
        hidden = ~sees.tril_()
        return torch.zeros(hidden.shape, dtype=dtype).masked_fill_(hidden, torch.finfo(dtype).min)[None, None]
