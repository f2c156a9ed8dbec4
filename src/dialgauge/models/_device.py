"""The device and the precision of a model."""

import re
from typing import Literal, get_args

from dialgauge.errors import ModelError, ParameterError

#: ``bf16x3`` keeps nearly the accuracy of fp32 and is two to three times as fast on a GPU.
Dtype = Literal["fp32", "bf16", "bf16x3"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
DEVICES = ("auto", "cpu", "cuda")
_NAMED = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device_name(name: str) -> str:
    """The name, if it is that of a device, here or elsewhere."""
    if not _NAMED.fullmatch(name):
        raise ParameterError("model", "device", "'auto', 'cpu', 'cuda' or 'cuda:N'", name)
    return name


def choose_device(name: str) -> str:
    """The device behind ``auto`` (a CUDA card where there is one), or the one named, if this machine has it."""
    import torch

    check_device_name(name)
    # cuDNN plans its attention anew for every shape of a batch, which takes longer than the attention itself; texts
    # have many lengths.
    torch.backends.cuda.enable_cudnn_sdp(False)
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda"):
        if not torch.cuda.is_available():
            built = "this torch is built without CUDA" if torch.version.cuda is None else "no CUDA card was found"
            raise ModelError(f"device {name!r} cannot be used: {built} (torch {torch.__version__}); use device=cpu")
        number = int(name.partition(":")[2] or 0)
        if number >= torch.cuda.device_count():
            raise ModelError(f"device {name!r} cannot be used: this machine has {torch.cuda.device_count()} CUDA cards")
    return name


def checked_dtype(name: str) -> Dtype:
    """The dtype of this name."""
    for known in DTYPES:
        if name == known:
            return known
    raise ParameterError("model", "dtype", " or ".join(map(repr, DTYPES)), name)


def default_budget(device: str) -> int:
    """Tokens per batch: what is quickest on a processor (measured: 512 to 2,048), and what fills a large card."""
    return 1024 if device == "cpu" else 65_536
