"""Loading: each model once per process, safetensors only, no remote code, no network, and no untrained heads."""

import contextlib
import gc
import importlib.util
import io
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from dialgauge.errors import MissingExtraError, ModelError, ParameterError
from dialgauge.models._device import Dtype, checked_dtype, choose_device
from dialgauge.models._refs import Kind, ModelRef
from dialgauge.models._resolve import Resolved, resolve
from dialgauge.models._split_products import split_linear_layers
from dialgauge.models._unpacked import unpacked

NeuralKind = Literal["encoder", "masked-lm", "causal-lm", "seq2seq", "token-classifier", "sequence-classifier", "qa"]
#: The class of transformers that loads each kind, and the name of the kind in messages.
_CLASSES: Mapping[str, tuple[str, str]] = {
    "encoder": ("AutoModel", "an encoder"),
    "masked-lm": ("AutoModelForMaskedLM", "a masked language model"),
    "causal-lm": ("AutoModelForCausalLM", "a causal language model"),
    "seq2seq": ("AutoModelForSeq2SeqLM", "a sequence-to-sequence model"),
    "token-classifier": ("AutoModelForTokenClassification", "a token classifier"),
    "sequence-classifier": ("AutoModelForSequenceClassification", "a sequence classifier"),
    "qa": ("AutoModelForQuestionAnswering", "a question answering model"),
}
_OPTIONS: Mapping[str, Any] = {"local_files_only": True, "trust_remote_code": False}
#: Parts that a checkpoint may lack, because no metric uses them.
_UNUSED = ("pooler",)
#: The files of which one holds the vocabulary of a tokenizer.
_VOCABULARIES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
)
#: Tokenizers that know no limit say 10^30.
_NO_LIMIT = 10**9


@dataclass(frozen=True, eq=False)
class Model:
    """A loaded model: the module of torch (in inference mode, on its device), its tokenizer, and its limits.

    ``max_length`` is the number of tokens it can read, special tokens included. ``pad_id`` is what fills a batch up;
    it is always masked.
    """

    kind: Kind
    ref: ModelRef
    fingerprint: str
    module: Any
    tokenizer: Any
    device: str
    dtype: Dtype
    max_length: int
    pad_id: int

    @property
    def config(self) -> Any:
        """The configuration that came with the weights."""
        return self.module.config

    @property
    def signature(self) -> str:
        """The name with the fingerprint of the files."""
        return f"{self.ref}#{self.fingerprint[:12]}"


_loaded: dict[tuple[str, Path, str, str, str], Model] = {}


def load(kind: NeuralKind, ref: ModelRef | str, device: str = "auto", dtype: str = "fp32") -> Model:
    """The model of this name, loaded at most once per process for a kind, device and dtype.

    ``device`` is auto, cpu, cuda or cuda:N; ``dtype`` is fp32, bf16 or bf16x3. Nothing is downloaded and no code that
    comes with a model is run; pickled weights are refused. A checkpoint without the head that ``kind`` needs is
    refused, too: a head of random numbers would give scores that mean nothing.
    """
    if kind not in _CLASSES:
        raise ParameterError("load", "kind", " or ".join(map(repr, _CLASSES)), kind)
    ref = ModelRef.parse(ref) if isinstance(ref, str) else ref
    resolved = resolve(ref)
    need_packages(f"model '{ref}'")
    place, precision = choose_device(device), checked_dtype(dtype)
    key = (kind, resolved.path, resolved.fingerprint, place, dtype)
    if key not in _loaded:
        _loaded[key] = _load_with_room(kind, resolved, place, precision)
    return _loaded[key]


def unload(keep: Model | None = None) -> None:
    """Unload the models, all or all but one, to free their memory."""
    for key, model in list(_loaded.items()):
        if model is not keep:
            del _loaded[key]


def need_packages(feature: str) -> None:
    """Raise an error that names the extra if torch or transformers is not installed."""
    for package in ("torch", "transformers", "tokenizers", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(feature, "models")


class _NoRoomError(ModelError):
    """A model that does not fit into the memory that is left on its device."""


def _load_with_room(kind: NeuralKind, resolved: Resolved, device: str, dtype: Dtype) -> Model:
    """Load a model; if those of earlier metrics leave no memory for it, they are unloaded."""
    others = [key for key, model in _loaded.items() if model.device == device]
    try:
        return _load(kind, resolved, device, dtype)
    except _NoRoomError:
        if not others:
            raise
    # Not in the clause above: there the error still keeps the partly loaded model in memory.
    for key in others:
        del _loaded[key]
    gc.collect()
    return _load(kind, resolved, device, dtype)


def _load(kind: NeuralKind, resolved: Resolved, device: str, dtype: Dtype) -> Model:
    import torch
    import transformers

    class_name, called = _CLASSES[kind]
    weights = check_files(resolved)
    auto_class = getattr(transformers, class_name)
    wanted: dict[str, Any] = {"dtype": getattr(torch, "bfloat16" if dtype == "bf16" else "float32")}
    files, options = resolved, _OPTIONS
    if weights.suffix == ".gguf":
        files, options = _unpacked(kind, resolved, weights.name)
    else:
        wanted["use_safetensors"] = True
    with quiet_loading():
        tokenizer = _tokenizer(files, options)
        module, info = _module(auto_class, files, called, {**options, **wanted})
    _check_complete(resolved, called, info)
    rows = module.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise ModelError(
            f"model '{resolved.ref}': its tokenizer has {len(tokenizer)} tokens and its weights only {rows}: they do "
            "not belong together"
        )
    module.eval()
    module.requires_grad_(False)
    try:
        module.to(device)
        if dtype == "bf16x3":
            split_linear_layers(module)
    except torch.OutOfMemoryError as error:
        raise _NoRoomError(
            f"model '{resolved.ref}' does not fit into the memory of {device}; try device=cpu"
        ) from error
    return Model(
        kind=kind,
        ref=resolved.ref,
        fingerprint=resolved.fingerprint,
        module=module,
        tokenizer=tokenizer,
        device=device,
        dtype=dtype,
        max_length=_max_length(module.config, tokenizer),
        pad_id=_pad_id(kind, resolved, tokenizer),
    )


def _unpacked(kind: NeuralKind, resolved: Resolved, weights: str) -> tuple[Resolved, Mapping[str, Any]]:
    """Where to load a GGUF model from and how: its unpacked copy, or itself if no copy can be stored."""
    import torch
    import transformers

    for package in ("gguf", "accelerate"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(f"model '{resolved.ref}' (GGUF)", "models")
    packed = {**_OPTIONS, "gguf_file": weights}
    class_name, called = _CLASSES[kind]

    def read() -> tuple[Any, Any]:
        with quiet_loading():
            options = {**packed, "dtype": torch.float32}
            module, _ = _module(getattr(transformers, class_name), resolved, called, options)
            return module, _tokenizer(resolved, packed)

    folder = unpacked(kind, resolved, read)
    return (resolved, packed) if folder is None else (replace(resolved, path=folder), _OPTIONS)


def _weights(resolved: Resolved) -> Path:
    """The file of weights; a folder with pickled ones only is refused, because unpickling runs code."""
    folder, ref = resolved.path, resolved.ref
    if not (folder.is_dir()):
        raise ModelError(
            f"model '{ref}': {folder} is not a folder; name the folder that has config.json and the weights"
        )
    for name in ("model.safetensors", "model.safetensors.index.json"):
        if (folder / name).is_file():
            return folder / name
    if quantised := sorted(folder.glob("*.gguf")):
        if len(quantised) > 1:
            raise ModelError(f"model '{ref}': {folder} has {len(quantised)} GGUF files; keep only one")
        return quantised[0]
    if pickled := pickled_files(folder):
        raise ModelError(
            f"model '{ref}': {folder} has only pickled weights ({pickled[0].name}), which can run code when loaded; "
            f"convert them to safetensors with 'dialgauge models convert {folder}', or use a revision that has them"
        )
    again = f"; get them with 'dialgauge models get {ref} --convert'" if ref.source == "hub" else ""
    raise ModelError(f"model '{ref}': no weights (model.safetensors or *.gguf) in {folder}{again}")


def pickled_files(folder: Path) -> list[Path]:
    """The files of a folder that may hold pickled weights."""
    return sorted(p for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for p in folder.glob(pattern))


def check_files(resolved: Resolved) -> Path:
    """Refuse a folder without safe weights or without a tokenizer; returns the file of weights."""
    weights = _weights(resolved)
    # If all of them are missing, transformers silently creates a tokenizer with an empty vocabulary.
    if weights.suffix != ".gguf" and not any((resolved.path / name).is_file() for name in _VOCABULARIES):
        raise ModelError(
            f"model '{resolved.ref}': no tokenizer in {resolved.path} (looked for {', '.join(_VOCABULARIES)})"
        )
    return weights


def _tokenizer(resolved: Resolved, options: Mapping[str, Any]) -> Any:
    from transformers import AutoTokenizer

    try:
        return _as_stored(AutoTokenizer.from_pretrained(str(resolved.path), **options), resolved.path, options)
    except (
        Exception
    ) as error:  # transformers raises what its many readers raise; the user must learn which model it was
        raise ModelError(
            f"model '{resolved.ref}': no usable tokenizer in {resolved.path}: {_first_line(error)}"
        ) from error


def _as_stored(tokenizer: Any, folder: Path, options: Mapping[str, Any]) -> Any:
    """The tokenizer exactly as the file beside the weights has it.

    For some families (T5) transformers takes only the vocabulary from that file and builds the rest by rules of its
    own, which tokenize some texts differently from how the model was trained.
    """
    from transformers import PreTrainedTokenizerFast

    if not (folder / "tokenizer.json").is_file():
        return tokenizer
    named = tokenizer.special_tokens_map.items()
    special: dict[str, Any] = {name: token for name, token in named if isinstance(token, str)}
    stored = PreTrainedTokenizerFast.from_pretrained(str(folder), **options, **special)
    stored.model_input_names = tokenizer.model_input_names
    return stored


def _module(
    auto_class: Any, resolved: Resolved, called: str, options: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    from safetensors import SafetensorError

    try:
        if "gguf_file" in options:
            return auto_class.from_pretrained(str(resolved.path), **options), {}
        module, info = auto_class.from_pretrained(str(resolved.path), output_loading_info=True, **options)
        return module, info
    except SafetensorError as error:
        raise ModelError(
            f"model '{resolved.ref}': the weights in {resolved.path} are damaged ({_first_line(error)}); get them again"
        ) from error
    except Exception as error:  # see above: wrong architecture, wrong shapes, a broken configuration
        if "Unrecognized configuration class" in str(error):
            raise ModelError(f"model '{resolved.ref}' is not {called}: {_architecture(resolved)}") from error
        raise ModelError(
            f"model '{resolved.ref}' cannot be loaded as {called} from {resolved.path}: {_first_line(error)}"
        ) from error


def _architecture(resolved: Resolved) -> str:
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(str(resolved.path), local_files_only=True, trust_remote_code=False)
    return f"config.json in {resolved.path} says model_type {config.model_type!r}; name a model of another architecture"


def _check_complete(resolved: Resolved, called: str, info: Mapping[str, Any]) -> None:
    missing = [key for key in sorted(info.get("missing_keys", ())) if not any(part in key for part in _UNUSED)]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ModelError(
            f"model '{resolved.ref}' is not {called}: its checkpoint has no weights for {missing[0]}{more}; "
            "name a checkpoint that was trained for this"
        )
    wrong = info.get("mismatched_keys")
    if wrong:
        raise ModelError(f"model '{resolved.ref}': weights and config.json disagree: {sorted(map(str, wrong))[0]}")


def _max_length(config: Any, tokenizer: Any) -> int:
    """The smaller of what the tokenizer states and what the position table holds (RoBERTa reserves two rows)."""
    limits = [limit for limit in (getattr(tokenizer, "model_max_length", None),) if limit and limit < _NO_LIMIT]
    for name in ("max_position_embeddings", "n_positions"):
        rows = getattr(config, name, None)
        if isinstance(rows, int):
            reserved = 2 if config.model_type in ("roberta", "xlm-roberta", "camembert") else 0
            limits.append(rows - reserved)
            break
    return min(limits, default=512)


def _pad_id(kind: Kind, resolved: Resolved, tokenizer: Any) -> int:
    if tokenizer.pad_token_id is not None:
        return int(tokenizer.pad_token_id)
    # Language models are often trained without padding. What follows the end is masked, so the end token can be used.
    if kind == "causal-lm" and tokenizer.eos_token_id is not None:
        return int(tokenizer.eos_token_id)
    raise ModelError(
        f"model '{resolved.ref}': its tokenizer has no pad token, so texts cannot be read in batches; "
        'add "pad_token" to tokenizer_config.json'
    )


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}"


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """No progress bars and warnings of transformers while it loads: those that matter are raised as errors here."""
    from transformers.utils import logging as transformers_logging

    level = transformers_logging.get_verbosity()
    shown = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity(logging.ERROR)
    transformers_logging.disable_progress_bar()
    try:
        # The reader of GGUF files shows a progress bar that no setting turns off.
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        transformers_logging.set_verbosity(level)
        if shown:
            transformers_logging.enable_progress_bar()
