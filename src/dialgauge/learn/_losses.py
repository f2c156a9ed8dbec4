"""The training losses of seq2seq metrics, by name."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dialgauge.errors import UnknownNameError

if TYPE_CHECKING:
    import torch

#: What each loss of BARTScore does. They share the length-normalised log-likelihood that the metric scores with.
BART_LOSSES: Mapping[str, str] = {
    "likelihood": "make good summaries more likely: continues the metric's own training",
    "ranking": "make the better rated of two summaries of a dialogue more likely by a margin",
    "regression": "fit the mean log-likelihood to the rating, in units of its own spread",
}
#: What each loss of UniEval does.
UNIEVAL_LOSSES: Mapping[str, str] = {
    "graded": "the target probability of Yes is the rating's position on its scale",
    "boolean": "the target is Yes for ratings in the upper half of the scale, No in the lower half; the middle is "
    "skipped",
    "regression": "fit the mean probability of Yes over a summary's sentences, which is the metric, to the rating's "
    "position",
}


def find_loss(family: str, name: str | None, known: Mapping[str, str], default: str) -> str:
    """The loss of this name, or the default."""
    if name is None:
        return default
    if name not in known:
        raise UnknownNameError(f"loss of {family}", name, known)
    return name


def ranking_loss(better: "torch.Tensor", worse: "torch.Tensor", margins: "torch.Tensor") -> "torch.Tensor":
    """mean of max(0, margin − (better − worse))."""
    import torch

    return torch.relu(margins - (better - worse)).mean()


def likelihood_loss(likelihoods: "torch.Tensor") -> "torch.Tensor":
    """Minus the mean of the length-normalised log-likelihoods."""
    return -likelihoods.mean()


def regression_loss(
    likelihoods: "torch.Tensor", wanted: "torch.Tensor", centre: float, spread: float
) -> "torch.Tensor":
    """Mean squared distance of the standardised log-likelihood to the standardised rating.

    ``centre`` and ``spread`` are those of the log-likelihoods of the untrained model, so that a trained metric stays in
    the range of the one it came from.
    """
    return (((likelihoods - centre) / spread - wanted) ** 2).mean()


def answer_loss(logits: "torch.Tensor", shares: "torch.Tensor", yes: int, no: int) -> "torch.Tensor":
    """Cross-entropy of the first token of the answer: Yes with the wanted share, No with the rest."""
    import torch

    chances = torch.log_softmax(logits.float(), dim=-1)
    return -(shares * chances[:, yes] + (1 - shares) * chances[:, no]).mean()


def mean_share_loss(
    logits: "torch.Tensor", owners: "torch.Tensor", shares: "torch.Tensor", yes: int, no: int
) -> "torch.Tensor":
    """Mean squared distance of a summary's mean share of Yes to the wanted one; ``owners``: whose each prompt is."""
    import torch

    given = torch.sigmoid((logits[:, yes] - logits[:, no]).float())
    sums = torch.zeros_like(shares).index_add(0, owners, given)
    counts = torch.zeros_like(shares).index_add(0, owners, torch.ones_like(given))
    return ((sums / counts - shares) ** 2).mean()


def moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (of the whole, not of a draw); a constant has the spread 1."""
    centre = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / len(values))
    return centre, spread or 1.0
