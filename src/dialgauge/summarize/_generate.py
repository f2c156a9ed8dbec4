"""Generation with a sequence-to-sequence model: greedy or with beams, in batches, without truncation."""

from collections.abc import Sequence
from typing import Any, Literal

from dialgauge.corpus import Turn
from dialgauge.errors import ParameterError
from dialgauge.models import Model, default_budget, run_batched
from dialgauge.summarize._chunks import Chunks, chunk_turns
from dialgauge.summarize._roles import join_pieces
from dialgauge.summarize._settings import GenerationSettings

#: A step of writing takes hardly longer for many texts than for one, so batches are larger than those for reading.
_LEAST_BATCH = 8192
#: What a checkpoint may say about writing that is not ours to choose.
_KEPT = (
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "decoder_start_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "suppress_tokens",
)


def generate(
    model: Model,
    texts: Sequence[str],
    settings: GenerationSettings | None = None,
    *,
    window: int | None = None,
    batch_tokens: int | None = None,
) -> list[str]:
    """What the model writes for each text; equal texts are read once.

    In batches of similar length, halved where memory does not suffice. A text longer than the window is not cut: it is
    read in parts, between lines where it has them (:func:`parts_of`), and what is written for these is joined.
    """
    settings = settings or GenerationSettings()
    limit = window_of(model, window)
    parts = {text: parts_of(model, text, limit).texts for text in texts}
    distinct = list(dict.fromkeys(part for several in parts.values() for part in several))
    rows = [model.tokenizer(part, verbose=False)["input_ids"] for part in distinct]
    configuration = _configuration(model, settings)

    def call(batch: list[list[int]]) -> list[str]:
        import torch

        width = max(map(len, batch))
        ids = torch.full((len(batch), width), model.pad_id)
        mask = torch.zeros_like(ids)
        for i, row in enumerate(batch):
            ids[i, : len(row)] = torch.tensor(row)
            mask[i, : len(row)] = 1
        read = {"input_ids": ids.to(model.device), "attention_mask": mask.to(model.device)}
        output = model.module.generate(**read, generation_config=configuration)
        decoded: list[str] = model.tokenizer.batch_decode(output, skip_special_tokens=True)
        return [text.strip() for text in decoded]

    # Each beam has its own copy of what was read and written.
    lengths = [(len(row) + settings.longest) * settings.beams for row in rows]
    written = run_batched(rows, lengths, call, batch_budget(model, batch_tokens))
    found = dict(zip(distinct, written, strict=True))
    return [join_pieces([found[part] for part in parts[text]]) for text in texts]


def parts_of(model: Model, text: str, window: int, head: str = "") -> Chunks:
    """A text in parts that fit the window, each led by ``head``, which is not in them: itself, or lines of it."""
    lines = [Turn("", line) for line in text.split("\n")]
    return chunk_turns(lines, "\n", window, lambda part: count_tokens(model, head + part))


def count_tokens(model: Model, text: str) -> int:
    """How many tokens a text has for the model, special ones included."""
    return len(model.tokenizer(text, verbose=False)["input_ids"])


def window_of(model: Model, wanted: int | None = None) -> int:
    """How many tokens the model reads. A wish for more than its table of positions holds is refused."""
    if wanted is None:
        return model.max_length
    limit = _positions(model, "encoder")
    if limit is not None and wanted > limit:
        raise ParameterError(f"model '{model.ref}'", "window", f"at most {limit}, its positions", wanted)
    return wanted


def batch_budget(model: Model, batch_tokens: int | None) -> int:
    """How many tokens a batch holds: as many as are wanted, or as suit the device."""
    return batch_tokens or max(_LEAST_BATCH, default_budget(model.device))


def _positions(model: Model, side: Literal["encoder", "decoder"]) -> int | None:
    """How many positions a side of the model has; None for one with relative positions (T5), which has no end."""
    for name in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        rows = getattr(model.config, name, None)
        if isinstance(rows, int):
            return rows
    return None


def _configuration(model: Model, settings: GenerationSettings) -> Any:
    from transformers import GenerationConfig

    limit = _positions(model, "decoder")
    if limit is not None and settings.longest > limit:
        raise ParameterError(f"model '{model.ref}'", "longest", f"at most {limit}, its positions", settings.longest)
    kept = {name: getattr(model.module.generation_config, name, None) for name in _KEPT}
    return GenerationConfig(
        **{name: value for name, value in kept.items() if value is not None},
        do_sample=False,
        num_beams=settings.beams,
        max_new_tokens=settings.longest,
        min_new_tokens=settings.shortest,
        no_repeat_ngram_size=settings.no_repeat,
        **({"length_penalty": settings.length_penalty, "early_stopping": True} if settings.beams > 1 else {}),
    )
