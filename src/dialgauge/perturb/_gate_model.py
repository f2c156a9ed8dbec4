"""The gate by the embedded language model: how likely is what follows an edit, or what was put in?"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from dialgauge.errors import ModelError
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._parse import masked

if TYPE_CHECKING:
    from dialgauge.models import Model
    from dialgauge.perturb._apply import Task, Variant

Score = Literal["after", "whole", "inside"]
#: How many tokens behind an edit count.
_TAIL = 6


@cache
def _bounds() -> Mapping[str, Any]:
    """``lexicon/gate.toml``: the model that the bounds were learnt with, and per kind the score and its bound."""
    return tomllib.loads(files("dialgauge.perturb").joinpath("lexicon", "gate.toml").read_text(encoding="utf-8"))


def judge_likelihood(task: "Task", variant: "Variant") -> tuple[str, Mapping[str, Any]]:
    """Stop a variant of which an edit scores below the bound of its kind; kinds without a bound pass."""
    bound = _bounds()["kind"].get(task.request.perturbation.name)
    if bound is None or task.as_published:
        return "", {}
    scores = [_scored(before, after)[bound["score"]] for before, after in _changed(task, variant)]
    if not scores:
        return "", {}
    lowest = min(scores)
    record = {"score": round(lowest, 3), "least": bound["least"], "model": _model().signature}
    if lowest < bound["least"]:
        return f"the model finds it unlikely ({lowest:.1f}, at least {bound['least']:g})", record
    return "", record


def _changed(task: "Task", variant: "Variant") -> Iterator[tuple[str, str]]:
    """Each edited sentence before and after this one edit; a sentence that went as a whole is none."""
    for edit in variant.edits:
        inside = [(s, e) for s, e in task.parsed.sentences if s <= edit.start and edit.end <= e]
        for start, end in inside[:1]:
            before = task.text[start:end]
            after = apply_edits(before, [Edit(edit.start - start, edit.end - start, edit.replacement)])
            if after.strip():
                yield masked(before), masked(after)


@lru_cache(maxsize=4096)
def _scored(before: str, after: str) -> Mapping[Score, float]:
    """``after``: how much less likely the next tokens are than they were; ``whole``: the same for the sentence;
    ``inside``: the least likely token of what was put in."""
    (old, old_chances), (new, new_chances) = _chances(before), _chances(after)
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
    behind = [(old_chances[len(old) - tail + i], new_chances[len(new) - tail + i]) for i in range(min(tail, _TAIL))]
    put_in = new_chances[head : len(new) - tail]
    return {
        "after": sum(now - was for was, now in behind),
        "whole": sum(new_chances) - sum(old_chances),
        "inside": min(put_in, default=0.0),
    }


@lru_cache(maxsize=4096)
def _chances(text: str) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The tokens of a text and their log-probabilities, after the token that begins a text."""
    import torch

    model = _model()
    ids: list[int] = model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"][: model.max_length - 1]
    start = model.tokenizer.bos_token_id if model.tokenizer.bos_token_id is not None else model.tokenizer.eos_token_id
    with torch.inference_mode():
        tokens = torch.tensor([[start, *ids]], device=model.device)
        logits = model.module(input_ids=tokens, use_cache=False).logits[0, :-1].float()
        chances = -torch.nn.functional.cross_entropy(logits, tokens[0, 1:], reduction="none")
    return tuple(ids), tuple(chances.tolist())


@cache
def _model() -> "Model":
    """The model whose bounds these are: another one would need bounds of its own."""
    from dialgauge.models import load

    model = load("causal-lm", _bounds()["model"], "cpu")
    if not model.fingerprint.startswith(_bounds()["fingerprint"]):
        raise ModelError(
            f"gate 'model': the bounds were learnt with {_bounds()['model']}#{_bounds()['fingerprint']}, not with "
            f"{model.signature}; run dialgauge models get smollm2"
        )
    return model


def gate_identity() -> str:
    """The model of the gate and its bounds, for what depends on them."""
    return f"{_bounds()['model']}#{_bounds()['fingerprint']} {_bounds()['version']}"
