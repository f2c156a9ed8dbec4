"""What each token takes from those it sees, for summaries side by side after their dialogue.

The dialogue attends to itself, piece by piece, and each summary to the dialogue and itself, with all queries that share
keys in one product. What is learnt goes back piece by piece, too: torch alone would write zeros over the whole sequence
for every slice, which takes longer than the products.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Bounds = tuple[int, int]
#: So many tokens of a dialogue attend at a time: what comes later need not be computed.
_PIECE = 128


def attended(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", trees: list[list[Bounds]]
) -> "torch.Tensor":
    """The mixture of values for each query: heads × tokens × width. Several heads of queries may share keys."""
    found: torch.Tensor = _function().apply(query, key, value, _pieces(trees))
    return found


def _pieces(trees: list[list[Bounds]]) -> list[tuple[Bounds, tuple[Bounds, ...]]]:
    """Which tokens attend together, and to which; the last of these are themselves, of which none sees later ones."""
    found: list[tuple[Bounds, tuple[Bounds, ...]]] = []
    for (first, last), *branches in trees:
        ends = ((start, min(start + _PIECE, last)) for start in range(first, last, _PIECE))
        found += [((start, end), ((first, end),)) for start, end in ends]
        found += [(branch, ((first, last), branch)) for branch in branches]
    return found


@cache
def _function() -> Any:
    """The attention as a function that torch can learn through; torch is imported when it is first needed."""
    import torch

    def seen(some: "torch.Tensor", ranges: tuple[Bounds, ...]) -> "torch.Tensor":
        parts = [some[:, start:end] for start, end in ranges]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    class Attended(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")  # type: ignore[untyped-decorator]
        def forward(
            ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, pieces: Any
        ) -> "torch.Tensor":
            shared, width = key.shape[0], query.shape[-1]
            queries = query.reshape(shared, -1, *query.shape[1:])
            longest = max(end - start for (start, end), _ in pieces)
            later = torch.full((longest, longest), float("-inf"), dtype=query.dtype).triu_(1)
            found, shares = torch.empty_like(queries), []
            for (start, end), ranges in pieces:
                size, keys = end - start, seen(key, ranges)
                scores = torch.bmm(queries[:, :, start:end].reshape(shared, -1, width), keys.transpose(1, 2))
                scores.view(shared, -1, size, keys.shape[1])[..., -size:] += later[:size, :size]
                share = torch.softmax(scores, dim=-1)
                found[:, :, start:end] = torch.bmm(share, seen(value, ranges)).view(shared, -1, size, width)
                if any(ctx.needs_input_grad):
                    shares.append(share)
            ctx.save_for_backward(queries, key, value, *shares)
            ctx.pieces = pieces
            return found.flatten(0, 1)

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
        def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
            queries, key, value, *shares = ctx.saved_tensors
            shared, _, _, width = queries.shape
            grad = grads[0].reshape(queries.shape)
            of_queries = torch.empty_like(queries)
            # Many summaries add to the same keys: rounded once, at the end.
            of_keys, of_values = (torch.zeros_like(some, dtype=torch.float32) for some in (key, value))
            for ((start, end), ranges), share in zip(ctx.pieces, shares, strict=True):
                mine, asked = (some[:, :, start:end].reshape(shared, -1, width) for some in (grad, queries))
                by_share = torch.bmm(mine, seen(value, ranges).transpose(1, 2))
                scores = share * (by_share - (by_share * share).sum(dim=-1, keepdim=True))
                of_queries[:, :, start:end] = torch.bmm(scores, seen(key, ranges)).view(shared, -1, end - start, width)
                keys, values = torch.bmm(scores.transpose(1, 2), asked), torch.bmm(share.transpose(1, 2), mine)
                position = 0
                for first, last in ranges:
                    own = slice(position, position + last - first)
                    of_keys[:, first:last] += keys[:, own]
                    of_values[:, first:last] += values[:, own]
                    position += last - first
            return of_queries.flatten(0, 1), of_keys.to(key.dtype), of_values.to(value.dtype), None

    return Attended
