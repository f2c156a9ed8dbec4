"""Element-wise work between matrix products, one kernel of Triton each; imported where a card and Triton are there.

What a product gives goes through memory once instead of once for each of bias, activation, norm and split. ``_fused``
has the same in torch. Triton reads the source of a kernel: its parameters have no annotations but ``constexpr``.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator,import-not-found,import-untyped"

import torch
import triton
import triton.language as tl

_COLUMNS = 1024


@triton.jit
def _activate_and_split(x, bias, out, width, biased: tl.constexpr, gelu: tl.constexpr, block: tl.constexpr) -> None:
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    inside = columns < width
    value = tl.load(x + row * width + columns, mask=inside, other=0.0).to(tl.float32)
    if biased:
        value += tl.load(bias + columns, mask=inside, other=0.0)
    if gelu:
        value = 0.5 * value * (1.0 + tl.math.erf(value * 0.7071067811865476))
    high = value.to(tl.bfloat16)
    low = (value - high.to(tl.float32)).to(tl.bfloat16)
    begin = out + row * 3 * width + columns
    tl.store(begin, high, mask=inside)
    tl.store(begin + width, high, mask=inside)
    tl.store(begin + 2 * width, low, mask=inside)


@triton.jit
def _add_and_norm(
    x,
    bias,
    residual,
    weight,
    shift,
    out,
    parts,
    width,
    epsilon,
    biased: tl.constexpr,
    split: tl.constexpr,
    block: tl.constexpr,
) -> None:
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, block)
    inside = columns < width
    value = tl.load(x + row * width + columns, mask=inside, other=0.0).to(tl.float32)
    if biased:
        value += tl.load(bias + columns, mask=inside, other=0.0)
    value += tl.load(residual + row * width + columns, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(value, 0) / width
    value = tl.where(inside, value - mean, 0.0)
    value = value / tl.sqrt(tl.sum(value * value, 0) / width + epsilon)
    value *= tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    value += tl.load(shift + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * width + columns, value, mask=inside)
    if split:
        high = value.to(tl.bfloat16)
        low = (value - high.to(tl.float32)).to(tl.bfloat16)
        begin = parts + row * 3 * width + columns
        tl.store(begin, high, mask=inside)
        tl.store(begin + width, high, mask=inside)
        tl.store(begin + 2 * width, low, mask=inside)


def activate_and_split(x: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> torch.Tensor:
    """The bf16 parts (high, high, low) of each number, after its bias and GELU."""
    rows, width = x.shape
    out = torch.empty(rows, 3 * width, dtype=torch.bfloat16, device=x.device)
    _activate_and_split[(rows, triton.cdiv(width, _COLUMNS))](
        x, x if bias is None else bias, out, width, biased=bias is not None, gelu=gelu, block=_COLUMNS
    )
    return out


def add_and_norm(
    x: torch.Tensor, bias: torch.Tensor | None, residual: torch.Tensor, norm: torch.nn.LayerNorm, split: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The norm of the sum, and what the next product reads of it: its bf16 parts, or itself."""
    rows, width = x.shape
    out = torch.empty_like(residual)
    parts = torch.empty(rows, 3 * width, dtype=torch.bfloat16, device=x.device) if split else out
    _add_and_norm[(rows,)](
        x,
        x if bias is None else bias,
        residual,
        norm.weight,
        norm.bias,
        out,
        parts,
        width,
        norm.eps,
        biased=bias is not None,
        split=split,
        block=triton.next_power_of_2(width),
        num_warps=4 if width <= 2048 else 8,
    )
    return out, parts
