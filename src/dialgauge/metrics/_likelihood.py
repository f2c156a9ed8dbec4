"""Shared code of BARTScore and its counterpart for causal language models: which text conditions which."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dialgauge.metrics._encoding import Tokenised
from dialgauge.metrics._grouping import runs
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Parameter, Target, Values
from dialgauge.metrics._texts import IdArray

if TYPE_CHECKING:
    import torch

#: Logits held at a time, and the number of vocabulary entries they cover. What fits into the cache of a
#: CPU takes a third less time; a GPU needs large products.
_LOGITS = {"cpu": 1 << 21, "cuda": 1 << 30}
_VOCABULARY = {"cpu": 1 << 11, "cuda": 1 << 18}

Way = Literal["src-hyp", "hyp", "hyp-ref", "ref-hyp"]


@dataclass(frozen=True, slots=True)
class Direction:
    """Which text conditions which, and what a high likelihood indicates."""

    way: Way
    targets: tuple[Target, ...]
    description: str


DIRECTIONS = (
    Direction("src-hyp", ("source",), "the summary, given the dialogue (faithfulness)"),
    Direction("hyp", ("none",), "the summary, given nothing (fluency)"),
    Direction("hyp-ref", ("reference",), "the reference, given the summary (recall)"),
    Direction("ref-hyp", ("reference",), "the summary, given the reference (precision)"),
)
REFERENCES = Parameter("best", ("best", "mean"), "several references: the best value, or the mean")
EMPTY = Parameter(
    "null",
    ("null", "score"),
    "value of an empty text: null with a reason, or the score of its special tokens, as in the published program",
)


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """The distinct (read, written) pairs of a job by text id (read: -1 for nothing), and which each pair is."""

    read: IdArray
    written: IdArray
    of_pair: IdArray
    offsets: IdArray

    @classmethod
    def of(cls, job: Job, way: Way) -> "Reading":
        """Pairs sorted by what is read, so that it is read once."""
        if way == "hyp":
            read, written = np.full(len(job), -1, dtype=np.int64), job.hypothesis_ids
            offsets = np.arange(len(job) + 1, dtype=np.int64)
        else:
            hypotheses, targets, offsets = job.pair_hypothesis_ids, job.target_ids, job.offsets
            read, written = (hypotheses, targets) if way == "hyp-ref" else (targets, hypotheses)
        distinct, of_pair = np.unique(np.stack([read, written], axis=1), axis=0, return_inverse=True)
        return cls(distinct[:, 0], distinct[:, 1], of_pair.ravel(), offsets)

    def groups(self) -> list[tuple[int, IdArray]]:
        """Each text that is read, and the positions of the pairs that read it."""
        return [(int(self.read[begin]), np.arange(begin, end)) for begin, end in runs(self.read)]


def likelihood_values(
    job: Job,
    way: Way,
    tokenised: Tokenised,
    parameters: Mapping[str, str],
    score: Callable[[list[tuple[int, list[int]]]], Sequence[Sequence[float]]],
) -> Values:
    """Values per item. ``score`` gets each text that is read with those written from it, a number for each."""
    reading = Reading.of(job, way)
    keep_empty = parameters["empty"] == "score"
    able = np.array(
        [
            keep_empty or (tokenised.length(w) > 0 and (r < 0 or tokenised.length(r) > 0))
            for r, w in zip(reading.read.tolist(), reading.written.tolist(), strict=True)
        ],
        dtype=bool,
    )
    numbers = np.full(len(able), np.nan)
    groups = [(read, some[able[some]]) for read, some in reading.groups() if able[some].any()]
    found = score([(read, reading.written[some].tolist()) for read, some in groups])
    for (_, some), values in zip(groups, found, strict=True):
        numbers[some] = values
    per_item = _over_references(numbers[reading.of_pair], reading.offsets, parameters.get("references", "best"))
    return Values(per_item, _reasons(job, per_item, tokenised), tokenised.notes(job))


def _over_references(pairs: FloatArray, offsets: IdArray, how: str) -> FloatArray:
    if len(offsets) < 2:
        return np.zeros(0)
    if how == "best":
        best: FloatArray = np.fmax.reduceat(pairs, offsets[:-1])
        return best
    known = ~np.isnan(pairs)
    counts = np.add.reduceat(known.astype(np.float64), offsets[:-1])
    sums = np.add.reduceat(np.where(known, pairs, 0.0), offsets[:-1])
    means: FloatArray = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return means


def _reasons(job: Job, numbers: FloatArray, tokenised: Tokenised) -> dict[int, str]:
    reasons = {}
    for item in np.flatnonzero(np.isnan(numbers)).tolist():
        empty = tokenised.length(int(job.hypothesis_ids[item])) == 0
        reasons[item] = f"the {'summary' if empty or job.target == 'none' else job.target} has no tokens for the model"
    return reasons


def chances_of(
    written: "torch.Tensor",
    states: "torch.Tensor",
    weight: "torch.Tensor",
    bias: "torch.Tensor",
    *,
    split: bool = False,
) -> "torch.Tensor":
    """log p of each written token, by the state that predicts it and the weights of the head.

    A part of the tokens and of the vocabulary at a time: all logits at once would take gigabytes. ``split``: the
    product is made of bf16 parts, as bf16x3 has it.
    """
    import torch

    from dialgauge.models import parts_of, parts_product, weight_parts

    place = "cpu" if states.device.type == "cpu" else "cuda"
    columns = min(_VOCABULARY[place], len(weight))
    rows = max(1, _LOGITS[place] // columns)
    weights = [weight_parts(block) if split else block.T for block in torch.split(weight, columns)]
    blocks = list(zip(range(0, len(weight), columns), weights, torch.split(bias, columns), strict=True))
    found = []
    for some, tokens in zip(torch.split(states, rows), torch.split(written, rows), strict=True):
        chosen = torch.zeros(len(some), dtype=torch.float32, device=states.device)
        sums = []
        for begin, block, offset in blocks:
            product = parts_product(parts_of(some), block) if split else some @ block
            logits = product.add_(offset).float()
            column = tokens - begin
            own = logits.gather(1, column.clamp(0, len(offset) - 1)[:, None])[:, 0]
            chosen = torch.where((column >= 0) & (column < len(offset)), own, chosen)
            sums.append(logits.logsumexp(1))
        found.append(chosen - torch.stack(sums).logsumexp(0))
    return torch.cat(found)
