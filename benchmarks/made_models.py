"""Models of published sizes with random weights, made on the spot: speed does not ask what the weights have learnt."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from dialgauge.models import quiet_loading

_SEED = 20_221_107
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_VOCABULARY = 50_265
#: Sizes: layers, width, width of the inner layer, heads.
_BERT = {"minilm": (6, 384, 1536, 12), "roberta-large": (24, 1024, 4096, 16)}
_BART = {"bart-large": (12, 1024, 4096, 16)}


def make_encoder(size: str, texts: Iterable[str], folder: Path) -> str:
    """An encoder of this size (RoBERTa's architecture); gives the name to load it by."""
    from transformers import RobertaConfig, RobertaModel

    layers, width, inner, heads = _BERT[size]
    config = RobertaConfig(
        vocab_size=_VOCABULARY,
        num_hidden_layers=layers,
        hidden_size=width,
        intermediate_size=inner,
        num_attention_heads=heads,
        max_position_embeddings=514,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
    )
    return _save(partial(RobertaModel, config, add_pooling_layer=False), texts, folder / size, 512)


def make_bart(size: str, texts: Iterable[str], folder: Path) -> str:
    """A sequence-to-sequence model of this size; gives the name to load it by."""
    from transformers import BartConfig, BartForConditionalGeneration

    layers, width, inner, heads = _BART[size]
    config = BartConfig(
        vocab_size=_VOCABULARY,
        encoder_layers=layers,
        decoder_layers=layers,
        d_model=width,
        encoder_ffn_dim=inner,
        decoder_ffn_dim=inner,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        max_position_embeddings=1024,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=2,
    )
    return _save(partial(BartForConditionalGeneration, config), texts, folder / size, 1024)


def _save(make: Callable[[], Any], texts: Iterable[str], folder: Path, limit: int) -> str:
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(_SEED)
        model = make()
    with quiet_loading():
        model.save_pretrained(folder)
        _tokenizer(texts, limit).save_pretrained(folder)
    return f"folder:{folder}"


def _tokenizer(texts: Iterable[str], limit: int) -> Any:
    """A byte-level tokenizer trained on the texts, so that they have about as many tokens as with a published one."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import RobertaProcessing
    from transformers import PreTrainedTokenizerFast

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=8000, special_tokens=list(_SPECIAL), show_progress=False)
    trained._tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    return PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        model_max_length=limit,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )
