"""``scratch:6+6``: a small model of BART's shape with random weights, and a tokenizer learnt from the texts."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError, ParameterError
from dialgauge.files import atomic_folder
from dialgauge.models import digest_of, need_packages, quiet_loading

_SPEC = re.compile(r"scratch:(\d+)\+(\d+)(?:x(\d+))?")
_FORM = "scratch:ENCODER+DECODER layers, with x and the hidden size if it is not 256: scratch:6+6 or scratch:6+6x512"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
#: Beside the weights: what the model was made from, so that a second call knows its own work.
_CARD = "scratch.json"
_HEAD_WIDTH = 64
_WIDTHS = "8 to 63, or a multiple of 64"
#: A byte is the smallest piece of a text, so no vocabulary can do with less.
_BYTES = 256


@dataclass(frozen=True, slots=True)
class ScratchModel:
    """The shape of a model made from nothing: layers, width, what it can read, and how many pieces its words have.

    ``vocabulary`` is the most pieces that the tokenizer may learn; a small corpus gives fewer.
    """

    encoder_layers: int
    decoder_layers: int
    width: int = 256
    vocabulary: int = 8000
    window: int = 1024
    dropout: float = 0.1

    def __post_init__(self) -> None:
        least = _BYTES + len(_SPECIAL)
        rules = {
            "encoder_layers": (1 <= self.encoder_layers <= 48, "from 1 to 48"),
            "decoder_layers": (1 <= self.decoder_layers <= 48, "from 1 to 48"),
            "width": (self.width in range(8, _HEAD_WIDTH) or self.width % _HEAD_WIDTH == 0 < self.width, _WIDTHS),
            "vocabulary": (self.vocabulary >= least, f"at least {least}"),
            "window": (self.window >= 8, "at least 8"),
            "dropout": (0 <= self.dropout < 1, "from 0 to below 1"),
        }
        for name, (holds, allowed) in rules.items():
            if not holds:
                raise ParameterError("scratch model", name, allowed, getattr(self, name))

    @classmethod
    def parse(cls, text: str, vocabulary: int = 8000, window: int = 1024) -> "ScratchModel":
        """Read ``scratch:6+6`` or ``scratch:6+6x512``."""
        found = _SPEC.fullmatch(text.strip())
        if found is None:
            raise ParameterError("model", "name", _FORM, text)
        encoder, decoder, width = found.groups()
        return cls(int(encoder), int(decoder), int(width or 256), vocabulary, window)

    @property
    def heads(self) -> int:
        """Heads of attention: one for every 64 of the width."""
        return max(1, self.width // _HEAD_WIDTH)

    def __str__(self) -> str:
        return f"scratch:{self.encoder_layers}+{self.decoder_layers}x{self.width}"


def is_scratch(model: str) -> bool:
    """Whether this names a model to be made, not one to be found."""
    return model.strip().startswith("scratch:")


def build_scratch(shape: ScratchModel, texts: Sequence[str], folder: Path, seed: int = 0) -> Path:
    """Make the model and save it as a checkpoint folder like any other, to be loaded as ``folder:PATH``.

    The same shape, texts and seed give the same files. A folder that holds them already is left as it is; one that
    holds something else is refused.
    """
    need_packages("a model from scratch")
    if not any(text.strip() for text in texts):
        raise InputError("a tokenizer cannot be trained without text")
    identity = digest_of([json.dumps(asdict(shape)), str(seed), *texts])
    if folder.exists():
        if _made_from(folder) == identity:
            return folder
        raise InputError(f"{folder}: contains a model of another shape, seed or corpus; choose another folder")
    tokenizer = _tokenizer(shape, texts)
    module = _module(shape, len(tokenizer), seed)
    with atomic_folder(folder) as temporary, quiet_loading():
        module.save_pretrained(str(temporary))
        tokenizer.save_pretrained(str(temporary))
        card = {"identity": identity, "shape": asdict(shape), "seed": seed, "pieces": len(tokenizer)}
        (temporary / _CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return folder


def _made_from(folder: Path) -> str | None:
    try:
        card = json.loads((folder / _CARD).read_text("utf-8"))
        return str(card["identity"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _tokenizer(shape: ScratchModel, texts: Iterable[str]) -> Any:
    """Byte pairs learnt from the texts, with the special tokens where BART has them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    begin, pad, end, unknown = _SPECIAL
    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learnt.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=shape.vocabulary,
        special_tokens=list(_SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    learnt.train_from_iterator(texts, trainer)
    learnt.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}",
        pair=f"{begin} $A {end} $B {end}",
        special_tokens=[(token, learnt.token_to_id(token)) for token in (begin, end)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=learnt,
        bos_token=begin,
        pad_token=pad,
        eos_token=end,
        unk_token=unknown,
        model_max_length=shape.window,
        model_input_names=["input_ids", "attention_mask"],
        clean_up_tokenization_spaces=False,
    )


def _module(shape: ScratchModel, pieces: int, seed: int) -> Any:
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    begin, pad, end = (_SPECIAL.index(token) for token in ("<s>", "<pad>", "</s>"))
    config = BartConfig(
        vocab_size=pieces,
        d_model=shape.width,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        encoder_attention_heads=shape.heads,
        decoder_attention_heads=shape.heads,
        encoder_ffn_dim=4 * shape.width,
        decoder_ffn_dim=4 * shape.width,
        max_position_embeddings=shape.window,
        dropout=shape.dropout,
        # As in the first Transformer. BART's own 0.02 suits a width of 1,024; with it, narrow ones attend late.
        init_std=shape.width**-0.5,
        bos_token_id=begin,
        pad_token_id=pad,
        eos_token_id=end,
        decoder_start_token_id=end,
        forced_eos_token_id=end,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return BartForConditionalGeneration(config)
