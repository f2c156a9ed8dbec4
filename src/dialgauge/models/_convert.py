"""Pickled weights into safetensors, once and on purpose: read by torch's restricted unpickler, which runs no code."""

from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.files import atomic_file
from dialgauge.models._load import need_packages


def convert(folder: Path | str) -> Path:
    """Write ``model.safetensors`` beside ``pytorch_model.bin`` in a folder, and give its path.

    Only tensors are read; a checkpoint with anything else in it is refused. Checkpoints in several parts are joined.
    """
    folder = Path(folder)
    need_packages("converting weights")
    import pickle

    import torch
    from safetensors.torch import save_file

    parts = sorted(folder.glob("pytorch_model*.bin"))
    if not parts:
        raise ModelError(f"{folder}: no pytorch_model.bin in it, so there is nothing to convert")
    tensors: dict[str, Any] = {}
    for part in parts:
        try:
            loaded = torch.load(part, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise ModelError(f"{part}: holds more than tensors, or is damaged; it is not read ({reason})") from error
        if not isinstance(loaded, dict) or not all(isinstance(value, torch.Tensor) for value in loaded.values()):
            raise ModelError(f"{part}: is no plain table of tensors; save its state_dict first")
        tensors |= loaded
    # Tied weights share memory, which safetensors does not allow: each name gets its own copy.
    owned = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    target = folder / "model.safetensors"
    with atomic_file(target) as temporary:
        save_file(owned, temporary, metadata={"format": "pt"})
    return target
