"""The rule that no run of tokens comes twice, for all texts of a batch at once.

transformers has the same rule, text by text in Python, which takes longer than the model on a card.
"""

from typing import Any


class NoRepeat:
    """Forbids each text every token that would complete a run of ``size`` tokens that it holds already.

    To be handed to ``generate`` of transformers, which calls it with the tokens of each text so far and the scores of
    the next one.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores, those of forbidden tokens minus infinity."""
        import torch

        if input_ids.shape[1] < self.size:
            return scores
        runs = input_ids.unfold(1, self.size - 1, 1)
        repeated = (runs[:, :-1] == runs[:, -1:]).all(dim=2)
        bound = torch.where(repeated, -torch.inf, torch.inf).to(scores.dtype)
        return scores.scatter_reduce(1, input_ids[:, self.size - 1 :], bound, "amin")
