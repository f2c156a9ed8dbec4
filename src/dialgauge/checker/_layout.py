"""How a dialogue and its summaries are laid out for the language model: each summary twice, the dialogue once.

A causal model that marks the words of the first copy would not know how the summary goes on, so it marks the second.
All summaries of a dialogue follow it side by side: each sees the dialogue and itself, and counts its positions from
the end of the dialogue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

BEFORE_SUMMARY = "\n\nSummary:"
BEFORE_COPY = "\n\nCheck:"


@dataclass(frozen=True, slots=True)
class Encoded:
    """A summary as tokens, and the span of each in the text."""

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens that frame a dialogue and its summaries, for one tokenizer."""

    tokenizer: Any
    start: int
    before_summary: tuple[int, ...]
    before_copy: tuple[int, ...]

    @classmethod
    def of(cls, tokenizer: Any) -> "Words":
        """The frame in the tokens of this tokenizer."""
        start = next(t for t in (tokenizer.bos_token_id, tokenizer.eos_token_id, 0) if t is not None)
        return cls(tokenizer, int(start), *(tuple(_ids(tokenizer, text)) for text in (BEFORE_SUMMARY, BEFORE_COPY)))

    def context(self, dialogue: str) -> tuple[int, ...]:
        """What every summary of the dialogue follows; of an empty one only the frame is left."""
        return (self.start, *_ids(self.tokenizer, dialogue), *self.before_summary)

    def summary(self, text: str) -> Encoded:
        """A summary, after a space as inside a text."""
        made = self.tokenizer(f" {text}", add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        spans = []
        for first, last in made["offset_mapping"]:
            start, end = max(first - 1, 0), max(last - 1, 0)
            while start < end and text[start].isspace():
                start += 1
            spans.append((start, end))
        return Encoded(tuple(made["input_ids"]), tuple(spans))

    def size(self, summary: Encoded) -> int:
        """The tokens that a summary takes after its dialogue."""
        return 2 * len(summary) + len(self.before_copy)


def _ids(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] if text else []
    return ids


@dataclass(frozen=True, slots=True)
class Tree:
    """A context and the summaries that follow it."""

    context: tuple[int, ...]
    summaries: tuple[Encoded, ...]


class Packed:
    """Several trees as one sequence.

    ``first`` and ``copy`` give for each summary where its copies begin, ``ends`` where its context ends. Token ``i``
    belongs to the context ``trees[i]`` and, if ``branches[i]`` is not 0, to the summary of that number.
    """

    def __init__(self, words: Words, trees: Sequence[Tree]) -> None:
        self.tokens: list[int] = []
        self.positions: list[int] = []
        self.trees: list[int] = []
        self.branches: list[int] = []
        self.lengths: list[int] = []
        self.first: list[int] = []
        self.copy: list[int] = []
        self.ends: list[int] = []
        for number, tree in enumerate(trees, 1):
            self._add(tree.context, 0, number, 0)
            end = len(self.tokens) - 1
            for summary in tree.summaries:
                self.first.append(len(self.tokens))
                self.copy.append(len(self.tokens) + len(summary) + len(words.before_copy))
                self.ends.append(end)
                self.lengths.append(len(summary))
                ids = (*summary.ids, *words.before_copy, *summary.ids)
                self._add(ids, len(tree.context), number, len(self.lengths))

    def _add(self, ids: Sequence[int], offset: int, tree: int, branch: int) -> None:
        self.tokens += ids
        self.positions += range(offset, offset + len(ids))
        self.trees += [tree] * len(ids)
        self.branches += [branch] * len(ids)

    def sees(self, device: str) -> "torch.Tensor":
        """Which token sees which: tokens × tokens."""
        import torch

        trees, branches = (torch.tensor(some, device=device) for some in (self.trees, self.branches))
        own = (branches[None] == 0) | (branches[:, None] == branches[None])
        return ((trees[:, None] == trees[None]) & own).tril_()

    def bounds(self) -> list[list[tuple[int, int]]]:
        """For each tree where its context begins and ends, then the same for each of its summaries."""
        found: dict[int, dict[int, tuple[int, int]]] = {}
        for place, (tree, branch) in enumerate(zip(self.trees, self.branches, strict=True)):
            start, _ = found.setdefault(tree, {}).get(branch, (place, place))
            found[tree][branch] = (start, place + 1)
        return [list(parts.values()) for parts in found.values()]

    def before(self) -> list[int]:
        """For each token of the first copies, where it is predicted: at the token before it."""
        places: list[int] = []
        for start, length, end in zip(self.first, self.lengths, self.ends, strict=True):
            places += [end, *range(start, start + length - 1)][:length]
        return places

    def written(self) -> list[int]:
        """The places of the tokens of the first copies."""
        return [i for start, n in zip(self.first, self.lengths, strict=True) for i in range(start, start + n)]

    def copied(self) -> list[int]:
        """The places of the tokens of the second copies."""
        return [i for start, n in zip(self.copy, self.lengths, strict=True) for i in range(start, start + n)]
