"""The weights of a GGUF file as safetensors: unpacked once, cached, and read within a second from then on."""

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dialgauge.files import atomic_file, atomic_folder, cache_folder, write_text
from dialgauge.models._resolve import Resolved, contents

#: Holds the hash of all other files of a copy; no part of that hash itself.
_DIGEST = "contents.sha256"


def unpacked(kind: str, resolved: Resolved, read: Callable[[], tuple[Any, Any]]) -> Path | None:
    """The folder of the copy for this kind of model, made with ``read`` (module in fp32, tokenizer) if necessary.

    Its name has the hash of what it was made from. A copy that changed on disk is made again. None, with a warning, if
    the cache cannot be written.
    """
    folder = cache_folder() / "models" / ".unpacked" / f"{kind}-{contents(resolved.path)[:32]}"
    if _is_sound(folder):
        return folder
    module, tokenizer = read()
    try:
        _keep(folder, module, tokenizer)
    except OSError as error:
        warnings.warn(
            f"model '{resolved.ref}' is slow to unpack, and the result cannot be cached in {folder}: {error}",
            stacklevel=2,
        )
        return None
    return folder


def _is_sound(folder: Path) -> bool:
    digest = folder / _DIGEST
    return digest.is_file() and digest.read_text("utf-8").strip() == contents(folder)


def _keep(folder: Path, module: Any, tokenizer: Any) -> None:
    from safetensors.torch import save_file

    config = copy.deepcopy(module.config)
    config.architectures = [type(module).__name__]
    del config.quantization_config  # the weights are numbers like any others now
    # Tied weights are stored once; the configuration says that they are tied.
    owned: dict[int, tuple[str, Any]] = {}
    for name, tensor in module.state_dict().items():
        owned.setdefault(tensor.data_ptr(), (name, tensor.contiguous()))
    with atomic_folder(folder) as temporary:
        config.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        with atomic_file(
            temporary / "model.safetensors"
        ) as weights:  # others may read it, unlike what save_file leaves
            save_file(dict(owned.values()), weights, metadata={"format": "pt"})
        write_text(temporary / _DIGEST, f"{contents(temporary)}\n")
