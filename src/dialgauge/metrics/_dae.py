"""DAE: is every dependency arc of a summary sentence entailed by the source?

The encoder reads source and sentence together; the states of the last pieces of an arc's child and head go through a
linear layer with two classes. A sentence is right if all its arcs are. The published program takes dependencies from
CoreNLP; here they come from spaCy.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.language import nltk_sentences
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._questions import PARSER, need_phrases, parse
from dialgauge.metrics._readings import (
    EMPTY,
    EMPTY_SOURCE,
    Pair,
    Pairs,
    Reading,
    blank,
    budget,
    in_parts,
    number_parameter,
    values,
)
from dialgauge.metrics._registry import register
from dialgauge.models import Model, resolve, run_batched

_PAIRS_AT_ONCE = 64
_HEAD = "dep_label_classifier"
#: Relations without content.
_SKIPPED = frozenset(("ROOT", "punct", "det", "case", "aux", "auxpass", "dep", "cop", "mark", "space", ""))
_ENTAILED = 1
_CUT = "the source was truncated to the model's maximum length"
_CUT_SENTENCE = "a sentence of the summary was truncated to the model's maximum length"
_NO_ARCS = "no sentence of the summary has a dependency arc"


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence, and its arcs as (child, head) positions of words."""

    words: tuple[str, ...]
    arcs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, document: Any, most: int) -> "Sentence":
        """From a parsed sentence: the first arcs between content words."""
        words = [token for token in document if not token.is_space]
        place = {token.i: i for i, token in enumerate(words)}
        arcs = [
            (place[token.i], place[token.head.i])
            for token in words
            if token.dep_ not in _SKIPPED and token.head.i != token.i and token.head.i in place
        ]
        return cls(tuple(token.text for token in words), tuple(arcs[:most]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """For each arc whether the source entails it, and what was truncated."""

    entailed: tuple[bool, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Input:
    ids: list[int]
    types: list[int]
    arcs: list[tuple[int, int]]
    notes: tuple[str, ...]


def _head(model: Model) -> tuple[Any, Any]:
    """Weight and bias of the arc classifier, which the checkpoint has next to the encoder."""
    from safetensors import safe_open

    folder = resolve(model.ref).path
    width = 2 * int(model.config.hidden_size)
    names = (f"{_HEAD}.weight", f"{_HEAD}.bias")
    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "pt") as tensors:  # the encoder beside it has been read already
            if not set(names) <= set(tensors.keys()):
                continue
            weight, bias = (tensors.get_tensor(name).to(model.device).float() for name in names)
        if tuple(weight.shape) != (2, width):
            raise ModelError(f"model '{model.ref}': {_HEAD}.weight is {tuple(weight.shape)}, not (2, {width})")
        return weight, bias
    raise ModelError(f"model '{model.ref}' is not a DAE model: {folder} has no tensor {_HEAD}.weight")


def _input(model: Model, source: str, sentence: Sentence) -> _Input:
    tokenizer = model.tokenizer
    second: list[int] = []
    last: list[int] = []
    for word in sentence.words:
        second += tokenizer(word, add_special_tokens=False, verbose=False)["input_ids"]
        last.append(len(second) - 1)
    most = model.max_length // 2
    shortened = len(second) > most
    second = second[:most]
    first = tokenizer(source, add_special_tokens=False, verbose=False)["input_ids"]
    room = model.max_length - 3 - len(second)
    ids = [tokenizer.cls_token_id, *first[:room], tokenizer.sep_token_id, *second, tokenizer.sep_token_id]
    begin = 2 + min(len(first), room)
    # A word without pieces at the beginning has no state, nor has one beyond the limit.
    arcs = [(c, h) for c, h in sentence.arcs if 0 <= last[c] < len(second) and 0 <= last[h] < len(second)]
    types = [0] * begin + [1] * (len(ids) - begin)
    notes = (_CUT,) * (len(first) > room) + (_CUT_SENTENCE,) * shortened
    return _Input(ids, types, [(begin + last[c], begin + last[h]) for c, h in arcs], notes)


def verdicts(model: Model, asked: Sequence[tuple[str, Sentence]]) -> list[Verdict]:
    """The verdict on each sentence given its source."""
    import torch

    weight, bias = _head(model)
    inputs = [_input(model, source, sentence) for source, sentence in asked]
    typed = getattr(model.config, "type_vocab_size", 1) > 1

    def call(batch: list[_Input]) -> list[Verdict]:
        ids, mask = padded(model, [one.ids for one in batch])
        types = torch.zeros_like(ids)
        for row, one in enumerate(batch):
            types[row, : len(one.types)] = torch.tensor(one.types, device=ids.device)
        given = {"token_type_ids": types} if typed else {}
        states = model.module(input_ids=ids, attention_mask=mask, **given).last_hidden_state.float()
        result = []
        for row, one in enumerate(batch):
            arcs = torch.tensor(one.arcs, dtype=torch.long, device=ids.device).reshape(-1, 2)
            pairs = torch.cat([states[row, arcs[:, 0]], states[row, arcs[:, 1]]], dim=1)
            labels = (pairs @ weight.T + bias).argmax(dim=1).tolist()
            result.append(Verdict(tuple(label == _ENTAILED for label in labels), one.notes))
        return result

    return run_batched(inputs, [len(one.ids) for one in inputs], call, budget(model))


def reading(found: Sequence[Verdict], without: str) -> Reading:
    """The share of sentences whose arcs are all entailed.

    A sentence without arcs is skipped, or counts as wrong (``without="wrong"``), as in the published program.
    """
    right = [all(one.entailed) and bool(one.entailed) for one in found if one.entailed or without == "wrong"]
    if not right:
        return Reading(reason=_NO_ARCS)
    notes = dict.fromkeys(note for one in found for note in one.notes)
    return Reading(statistics.fmean(right), note="; ".join(notes))


def _compute(job: Job, parameters: Mapping[str, str]) -> Values:
    model, parser, most = load_model(parameters, "encoder"), parameters["parser"], int(parameters["arcs"])

    def read(part: Sequence[Pair]) -> list[Reading]:
        claims = {summary: nltk_sentences(summary) for summary, _ in part}
        distinct = list(dict.fromkeys(claim for several in claims.values() for claim in several))
        parsed = {
            claim: Sentence.of(need_phrases(document, parser), most)
            for claim, document in zip(distinct, parse(distinct, parser), strict=True)
        }
        asked = [(source, parsed[claim]) for summary, source in part for claim in claims[summary]]
        given = iter(verdicts(model, asked))
        readings: list[Reading] = []
        for summary, source in part:
            mine = [next(given) for _ in claims[summary]]
            if not mine or blank(source):
                readings.append(EMPTY_SOURCE if mine else EMPTY)
            else:
                readings.append(reading(mine, parameters["without"]))
        return readings

    return values(job, in_parts(Pairs.of(job).texts, _PAIRS_AT_ONCE, read))


register(
    Metric(
        name="dae",
        family="dae",
        description="the share of the summary's sentences whose dependency arcs are all entailed by the source",
        direction="higher",
        targets=("source",),
        range=(0, 1),
        citation="Goyal & Durrett 2021, Annotating and modeling fine-grained factuality in summarization, NAACL",
        compute=_compute,
        parameters={
            "model": model_parameter(
                "",
                "the DAE model: an encoder checkpoint that includes the tensor dep_label_classifier",
                "github.com/tagoyal/dae-factuality, not on the hub",
            ),
            "parser": PARSER,
            "arcs": number_parameter("20", "maximum number of arcs per sentence"),
            "without": Parameter(
                "out", ("out", "wrong"), "a sentence without arcs: skip it (out), or count it as wrong"
            ),
            **device_parameters(),
        },
        cost="high",
        extra="models",
        models={"model": "encoder", "parser": "parser"},
    )
)
