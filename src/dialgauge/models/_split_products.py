"""Matrix products on a GPU's fast units with nearly the accuracy of fp32: every number as two of bf16.

A number is its bf16 rounding plus the bf16 rounding of what that leaves, 16 bits of mantissa together. Of the four
products of such sums the smallest is left out; the other three are one product over a three times longer inner side,
summed up in fp32.
"""

from typing import Any

from dialgauge.models._fused import parts_of, parts_product, weight_parts


def split_linear_layers(module: Any) -> None:
    """Make every linear layer of a torch module compute in this way, except the head that makes the logits.

    What reads the weights of the head needs them as they are.
    """
    import torch

    class SplitLinear(torch.nn.Module):
        def __init__(self, linear: Any) -> None:
            super().__init__()
            self.weight = linear.weight  # for code that looks at it, as T5's does
            self.parts: Any = torch.nn.Buffer(weight_parts(linear.weight), persistent=False)
            self.bias = linear.bias

        def forward(self, states: Any) -> Any:
            product = parts_product(parts_of(states).flatten(0, -2), self.parts)
            product = product.reshape(*states.shape[:-1], -1)
            return product if self.bias is None else product + self.bias

    head = module.get_output_embeddings()
    for parent in list(module.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, torch.nn.Linear) and child is not head:
                setattr(parent, name, SplitLinear(child))
