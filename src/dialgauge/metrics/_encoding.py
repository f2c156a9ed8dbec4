"""Texts as token ids between a model's special tokens, truncated to its limit, with notes on truncated texts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics._job import Job
from dialgauge.metrics._layers import LayerStates
from dialgauge.metrics._texts import IdArray, TextTable
from dialgauge.models import Model, PackedEncoder, default_budget, run_batched

if TYPE_CHECKING:
    import torch

#: Maximum memory for the states of one window of texts, on the CPU and on a GPU.
_WINDOW_BYTES = {"cpu": 1 << 28, "cuda": 1 << 32}
#: Characters read per available token; the rest would be truncated anyway.
_CHARACTERS = 32
#: Models whose tokenizers encode the first word of a text differently unless a space precedes it.
_BYTE_LEVEL = frozenset(("roberta", "gpt2", "bart", "longformer"))


@dataclass(frozen=True, eq=False, slots=True)
class Tokenised:
    """The token ids of texts, ``specials`` special ones included, by text id; ``cut`` are those that were too long."""

    ids: Mapping[int, list[int]]
    cut: frozenset[int]
    specials: int

    def length(self, text_id: int) -> int:
        """Number of tokens of the text itself."""
        return len(self.ids[text_id]) - self.specials

    def notes(self, job: Job) -> dict[int, str]:
        """Notes on the items that were truncated."""
        if not self.cut:
            return {}
        found: dict[int, str] = {}
        for item, hypothesis in enumerate(job.hypothesis_ids.tolist()):
            targets = job.target_ids[job.offsets[item] : job.offsets[item + 1]].tolist()
            sides = [("summary", hypothesis), *((job.target, target) for target in targets)]
            lost = [
                f"the {side} was truncated to its first {len(self.ids[text_id])} tokens"
                for side, text_id in sides
                if text_id in self.cut
            ]
            if lost:
                found[item] = "; ".join(dict.fromkeys(lost))
        return found


def special_ids(tokenizer: Any) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before a text, and what after it."""
    bare, full = tokenizer("a", add_special_tokens=False)["input_ids"], tokenizer("a")["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return full[:start], full[start + len(bare) :]
    raise ValueError("the tokenizer's special tokens change the text between them")


def first_token(model: Model, text: str) -> int:
    """The token that a text begins with, behind whatever special tokens its model puts first."""
    return int(model.tokenizer(text, add_special_tokens=False)["input_ids"][0])


def tokenise(
    model: Model,
    texts: TextTable,
    ids: IdArray,
    limit: int,
    prepare: Callable[[str], str] | None = None,
    *,
    specials: bool = True,
) -> Tokenised:
    """Token ids of these texts, at most ``limit`` each; ``prepare`` may change a text before it is read."""
    before, after = special_ids(model.tokenizer) if specials else ([], [])
    room = limit - len(before) - len(after)
    found: dict[int, list[int]] = {}
    cut: set[int] = set()
    for text_id, tokens in _bare_ids(model.tokenizer, texts, np.unique(ids), prepare, room):
        found[text_id] = [*before, *tokens[:room], *after]
        if len(tokens) > room:
            cut.add(text_id)
    return Tokenised(found, frozenset(cut), len(before) + len(after))


def prepare_for(model: Model) -> Callable[[str], str]:
    """As in BERTScore: a text is stripped, and byte-level models get a space before its first word."""
    return after_a_space if model.config.model_type in _BYTE_LEVEL else str.strip


def after_a_space(text: str) -> str:
    """The stripped text with a space before it, as in the middle of another text."""
    stripped = text.strip()
    return f" {stripped}" if stripped else ""


def _bare_ids(
    tokenizer: Any, texts: TextTable, ids: IdArray, prepare: Callable[[str], str] | None, room: int, portion: int = 1024
) -> Iterator[tuple[int, list[int]]]:
    for start in range(0, len(ids), portion):
        some = ids[start : start + portion].tolist()
        strings = [readable(_enough(texts.strings[text_id], room)) for text_id in some]
        strings = [prepare(text) for text in strings] if prepare else strings
        encoded = tokenizer(
            strings,
            add_special_tokens=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        yield from zip(some, encoded["input_ids"], strict=True)


def _enough(text: str, room: int) -> str:
    """The beginning of a very long text, cut at white space, if it certainly exceeds the available tokens."""
    characters = room * _CHARACTERS
    if len(text) <= characters:
        return text
    words = text[:characters].rsplit(maxsplit=1)[0]
    return words if len(words.split()) > room else text


def readable(text: str) -> str:
    """The text without unpaired surrogates, which tokenizers reject."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def window_texts(model: Model, width: int) -> int:
    """How many texts of ordinary length fit into a window, for states of ``width`` numbers a token."""
    budget = _WINDOW_BYTES["cpu" if model.device == "cpu" else "cuda"]
    return max(64, budget // (4 * width * 64))


def padded(model: Model, rows: list[list[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
    """Token ids filled up to the longest row, and the mask of what is real."""
    import torch

    width = max(map(len, rows))
    ids: NDArray[np.int64] = np.full((len(rows), width), model.pad_id, dtype=np.int64)
    mask: NDArray[np.int64] = np.zeros((len(rows), width), dtype=np.int64)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return torch.from_numpy(ids).to(model.device), torch.from_numpy(mask).to(model.device)


class FlatStates(Mapping[int, "torch.Tensor"]):
    """The states of texts, by text id, all in one array (``flat``); ``places`` says where each text begins and ends."""

    def __init__(self, flat: "torch.Tensor", places: Mapping[int, tuple[int, int]]) -> None:
        self.flat, self.places = flat, places

    def __getitem__(self, text_id: int) -> "torch.Tensor":
        begin, end = self.places[text_id]
        return self.flat[begin:end]

    def __iter__(self) -> Iterator[int]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def encode(
    model: Model,
    tokenised: Tokenised,
    ids: IdArray,
    forward: "Callable[[torch.Tensor, torch.Tensor], torch.Tensor]",
) -> "Mapping[int, torch.Tensor]":
    """The states of each of these texts (tokens × width, float32), every text once, in batches of similar length."""
    wanted = np.unique(ids).tolist()
    if isinstance(forward, LayerStates) and forward.packed is not None:
        return _encode_packed(model, tokenised, wanted, forward.packed)
    rows = [tokenised.ids[text_id] for text_id in wanted]

    def call(batch: list[list[int]]) -> "list[torch.Tensor]":
        states = forward(*padded(model, batch)).float()
        return [states[i, : len(tokens)] for i, tokens in enumerate(batch)]

    states = run_batched(rows, [len(row) for row in rows], call, default_budget(model.device))
    return dict(zip(wanted, states, strict=True))


def _encode_packed(model: Model, tokenised: Tokenised, wanted: list[int], packed: PackedEncoder) -> FlatStates:
    """All states in one array, in the order in which batches take the texts: the longest first."""
    import torch

    wanted = sorted(wanted, key=lambda text_id: -len(tokenised.ids[text_id]))
    lengths = np.array([len(tokenised.ids[text_id]) for text_id in wanted], dtype=np.int64)
    ends = np.cumsum(lengths)
    flat = torch.empty(int(lengths.sum()), int(model.config.hidden_size), device=model.device)

    def call(batch: list[int]) -> list[None]:
        begin, end = int(ends[batch[0]] - lengths[batch[0]]), int(ends[batch[-1]])
        flat[begin:end] = packed([tokenised.ids[wanted[place]] for place in batch])
        return [None] * len(batch)

    run_batched(range(len(wanted)), lengths, call, default_budget(model.device))
    places = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    return FlatStates(flat, dict(zip(wanted, places, strict=True)))


@contextmanager
def small_products() -> Iterator[None]:
    """Disable gradients and use one thread: products of small matrices are several times slower with more threads."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(threads)
