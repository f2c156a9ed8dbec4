"""Element-wise work between matrix products: by fused kernels on a card, else by torch, with the same meaning."""

import importlib.util
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def halves(numbers: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
    """A number as its bf16 rounding and the bf16 rounding of what that leaves."""
    high = numbers.bfloat16()
    return high, (numbers - high.float()).bfloat16()


def parts_of(numbers: "torch.Tensor", bias: "torch.Tensor | None" = None, *, gelu: bool = False) -> "torch.Tensor":
    """The bf16 parts (high, high, low) of each number, after its bias and GELU, if asked for."""
    import torch

    if numbers.is_cuda and _kernels() is not None:
        flat = numbers.reshape(-1, numbers.shape[-1])
        made: torch.Tensor = _kernels().activate_and_split(flat, bias, gelu)
        return made.view(*numbers.shape[:-1], -1)
    numbers = numbers.float() if bias is None else numbers.float() + bias
    high, low = halves(torch.nn.functional.gelu(numbers) if gelu else numbers)
    return torch.cat([high, high, low], -1)


def weight_parts(weight: "torch.Tensor") -> "torch.Tensor":
    """A weight (out × in) for products with such parts (3 · in × out)."""
    import torch

    high, low = halves(weight.detach().float())
    return torch.cat([high, low, high], 1).T.contiguous()


def parts_product(parts: "torch.Tensor", weights: "torch.Tensor") -> "torch.Tensor":
    """The product of parts, summed in fp32."""
    import torch

    # Only GPUs sum bf16 products in fp32; elsewhere this computes the same numbers, slowly.
    if parts.is_cuda:
        return torch.mm(parts, weights, out_dtype=torch.float32)
    return parts.float() @ weights.float()


def add_and_norm(
    numbers: "torch.Tensor", bias: "torch.Tensor | None", residual: "torch.Tensor", norm: Any, split: bool
) -> "tuple[torch.Tensor, torch.Tensor]":
    """The layer norm of numbers + bias + residual, and what the next product reads of it."""
    if numbers.is_cuda and _kernels() is not None:
        made: tuple[torch.Tensor, torch.Tensor] = _kernels().add_and_norm(numbers, bias, residual, norm, split)
        return made
    states = norm((numbers if bias is None else numbers + bias) + residual)
    return states, parts_of(states) if split else states


@cache
def _kernels() -> Any:
    """The module of fused kernels; None where Triton is not installed."""
    if importlib.util.find_spec("triton") is None:
        return None
    from dialgauge.models import _fused_kernels

    return _fused_kernels
