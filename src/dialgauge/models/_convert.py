"""Convert pickled weights to safetensors, on request: read by torch's restricted unpickler, which runs no code."""

from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.files import atomic_file, check_folder
from dialgauge.models._load import need_packages, pickled_files

#: How transformers names pickled weights, in one part or several.
PICKLED = "pytorch_model*.bin"


def convert(folder: Path | str) -> Path:
    """Write ``model.safetensors`` beside the pickled weights in a folder, and give its path.

    These are ``pytorch_model.bin``, in several parts if need be, or else the only file that ends in .bin, .pt, .pth or
    .ckpt. Only tensors are read; a checkpoint with anything else in it is refused.
    """
    folder = Path(folder)
    check_folder(folder)
    need_packages("converting weights")
    import pickle

    import torch
    from safetensors.torch import save_file

    parts = _parts(folder)
    tensors: dict[str, Any] = {}
    for part in parts:
        try:
            loaded = torch.load(part, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise ModelError(f"{part}: not read: it is damaged or has more than tensors ({reason})") from error
        if not isinstance(loaded, dict) or not all(isinstance(value, torch.Tensor) for value in loaded.values()):
            raise ModelError(f"{part}: is not a plain table of tensors; save its state_dict first")
        tensors |= loaded
    # Tied weights share memory, which safetensors does not allow: each name gets its own copy.
    owned = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    target = folder / "model.safetensors"
    with atomic_file(target) as temporary:
        save_file(owned, temporary, metadata={"format": "pt"})
    return target


def _parts(folder: Path) -> list[Path]:
    parts = sorted(folder.glob(PICKLED))
    if parts:
        return parts
    pickled = pickled_files(folder)
    if not pickled:
        raise ModelError(f"{folder}: no pickled weights (pytorch_model.bin) to convert")
    if len(pickled) > 1:
        raise ModelError(
            f"{folder}: {', '.join(file.name for file in pickled)} are all pickled, and none is pytorch_model.bin: "
            "keep only the one with the weights"
        )
    return pickled
