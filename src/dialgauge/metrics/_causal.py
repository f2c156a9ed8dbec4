"""Log-probabilities of texts under a causal language model, with a context read once for all texts that follow it.

A context and its continuations stand in one sequence: each continuation sees the context and itself, not its
neighbours, and counts its positions from the end of the context. So nothing is padded and no context is read twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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


def log_probabilities(model: Model, groups: Sequence[Continuations]) -> list[list[FloatArray]]:
    """For each text of each group the log-probability of its tokens; the first is left out where there is no context."""
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
    """The group, cut where it holds more than fits into a sequence; every part has the context."""
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

    packed = _Packed.of(batch)
    logits = model.module(
        input_ids=torch.from_numpy(packed.tokens)[None].to(model.device),
        attention_mask=packed.mask(model.module.dtype).to(model.device),
        position_ids=torch.from_numpy(packed.positions)[None].to(model.device),
        use_cache=False,
        logits_to_keep=torch.from_numpy(packed.before).to(model.device),
    ).logits[0]
    written = torch.from_numpy(packed.tokens[packed.written]).to(model.device)
    logits = logits.float()
    chances = (logits.gather(1, written[:, None])[:, 0] - logits.logsumexp(1)).cpu().numpy().astype(np.float64)
    arrays = iter(np.split(chances, np.cumsum(packed.counts)[:-1]))
    return [[next(arrays) for _ in part.texts] for part in batch]


@dataclass(frozen=True, eq=False, slots=True)
class _Packed:
    """Several groups as one sequence. ``segments`` numbers contexts and texts, ``sees`` gives the context of each.

    Token ``written[i]`` is predicted at ``before[i]``; ``counts`` says how many of these belong to each text.
    """

    tokens: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    positions: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    segments: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    sees: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    written: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    before: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    counts: list[int]

    @classmethod
    def of(cls, batch: list[Continuations]) -> "_Packed":
        tokens: list[int] = []
        positions: list[int] = []
        segments: list[int] = []
        sees: list[int] = []
        written: list[int] = []
        before: list[int] = []
        counts: list[int] = []
        for part in batch:
            length = len(part.context)
            context = len(sees)
            sees.append(context)
            tokens += part.context
            positions += range(length)
            segments += [context] * length
            end = len(tokens)
            for text in part.texts:
                begin = len(tokens)
                segments += [len(sees)] * len(text)
                sees.append(context)
                tokens += text
                positions += range(length, length + len(text))
                first = 0 if length else 1
                written += range(begin + first, begin + len(text))
                before += ([end - 1] if length and text else []) + list(range(begin, begin + len(text) - 1))
                counts.append(max(0, len(text) - first))
        return cls(*(np.array(some, dtype=np.int64) for some in (tokens, positions, segments, sees, written, before)), counts)

    def mask(self, dtype: "torch.dtype") -> "torch.Tensor":
        """0 where a token sees another, the lowest number elsewhere; 1 × 1 × tokens × tokens."""
        import torch

        segments, context = torch.from_numpy(self.segments), torch.from_numpy(self.sees[self.segments])
        sees = (segments[:, None] == segments[None]) | (context[:, None] == segments[None])
        hidden = ~sees.tril_()
        return torch.zeros(hidden.shape, dtype=dtype).masked_fill_(hidden, torch.finfo(dtype).min)[None, None]
