"""MoverScore: how far the tokens of a summary have to travel to become those of the reference, in an encoder's space.

Version 2 (the default) reads the last layer, leaves out pieces of words, punctuation and stop words, and gives
1 / (1 + work). Version 1 joins the minimum, mean and maximum of the last five layers over n-grams, with squared
distances, and gives 1 − work. Both are exact transport problems; the published programs pad them to the sum of both
lengths.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.language import find_language
from dialgauge.metrics._encoding import Tokenised, encode, small_products, tokenise, window_texts
from dialgauge.metrics._grouping import best_target, runs
from dialgauge.metrics._idf import IDF, Idf
from dialgauge.metrics._job import Job
from dialgauge.metrics._layers import count_layers, layer_states
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics.kernels import Transport, transport_costs
from dialgauge.models import Model, watching_part, windows

if TYPE_CHECKING:
    import torch

_PUNCTUATION = frozenset(string.punctuation)
#: How many layers version 1 joins.
_LAYERS = 5
#: Squared distances below this are rounding errors of equal vectors.
_SAME = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class _Side:
    """The positions of the tokens (or n-grams) of each text that are compared, and their weights."""

    windows: Mapping[int, "IdArray"]  # tokens x n: positions of the tokens of each n-gram
    weights: Mapping[int, FloatArray]  # tokens x n: their weights


def _moverscore(job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "encoder")
    first = parameters["version"] == "1"
    used = np.concatenate([job.hypothesis_ids, job.target_ids])
    tokenised = tokenise(model, job.texts, used, model.max_length)
    sides = [_side(model, tokenised, ids, parameters) for ids in (job.hypothesis_ids, job.target_ids)]
    hypotheses, targets = job.pair_hypothesis_ids, job.target_ids
    published = parameters["empty"] == "published"
    kept = np.array(
        [
            published or all(_counts(tokenised, side, text_id) for side, text_id in zip(sides, pair, strict=True))
            for pair in zip(hypotheses.tolist(), targets.tolist(), strict=True)
        ],
        dtype=bool,
    )
    pairs = np.flatnonzero(kept)
    numbers = np.full(len(targets), np.nan)
    done = 0
    for window in windows(hypotheses[pairs], targets[pairs], window_texts(model, int(model.config.hidden_size))):
        positions = pairs[window]
        with watching_part(done, len(window), len(pairs)):
            states = _states(model, tokenised, hypotheses[positions], targets[positions], first)
        done += len(window)
        match = _match_version_1 if first else _match_version_2
        numbers[positions] = match(states, sides, hypotheses[positions], targets[positions])
    best = best_target(job, numbers)
    return Values(best, _reasons(job, best, tokenised), tokenised.notes(job))


def _counts(tokenised: Tokenised, side: _Side, text_id: int) -> bool:
    return tokenised.length(text_id) > 0 and bool(side.weights[text_id].sum() > 0)


def _side(model: Model, tokenised: Tokenised, ids: IdArray, parameters: Mapping[str, str]) -> _Side:
    """Weights of the tokens of the summaries, or of the targets: each has its own document frequencies."""
    distinct = np.unique(ids)
    idf = Idf.none()
    if parameters["idf"] != "no":
        documents = ids if parameters["idf"] == "pairs" else distinct
        idf = Idf.over(tokenised.ids[text_id] for text_id in documents.tolist())
    first = parameters["version"] == "1"
    out = _left_out(model, parameters["stop"], first, parameters["subwords"] == "keep")
    n = int(parameters["ngram"]) if first else 1
    positions: dict[int, IdArray] = {}
    weights: dict[int, FloatArray] = {}
    for text_id in distinct.tolist():
        tokens = tokenised.ids[text_id]
        kept = np.array([i for i, token in enumerate(tokens) if token not in out], dtype=np.int64)
        # A text of fewer tokens than n is one n-gram; the published program does the same.
        several = np.lib.stride_tricks.sliding_window_view(kept, min(n, len(kept))) if len(kept) else kept.reshape(0, n)
        weight = idf.of(tokens)[several]
        if not first:
            several, weight = several[weight[:, 0] > 0], weight[weight[:, 0] > 0]
        positions[text_id], weights[text_id] = several, weight
    return _Side(positions, weights)


def _left_out(model: Model, stop: str, first: bool, subwords: bool) -> frozenset[int]:
    """The ids of tokens that take no part: stop words, pieces of words, punctuation marks."""
    words = {"none": frozenset[str](), "english": find_language("en").stop_words}.get(stop)
    if words is None:
        words = frozenset(stop.split("+"))
    return frozenset(
        number
        for token, number in model.tokenizer.get_vocab().items()
        if token in words or token in _PUNCTUATION or ("##" in token and not (first and subwords))
    )


def _states(
    model: Model, tokenised: Tokenised, hypotheses: IdArray, targets: IdArray, first: bool
) -> "Mapping[int, torch.Tensor]":
    both = np.concatenate([hypotheses, targets])
    if not first:
        return encode(model, tokenised, both, layer_states(model, count_layers(model)))

    def joined(ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        import torch

        hidden = model.module(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states[1:]
        layers = torch.stack([layer / layer.norm(dim=-1, keepdim=True) for layer in hidden[-_LAYERS:]])
        return torch.cat([layers.amin(0), layers.mean(0), layers.amax(0)], dim=-1)

    return encode(model, tokenised, both, joined)


def _match_version_2(
    states: "Mapping[int, torch.Tensor]", sides: list[_Side], hypotheses: IdArray, targets: IdArray
) -> FloatArray:
    """Pairs are ordered by target: the distances of its tokens to those of all its summaries are one product."""
    import torch

    problems = []
    with small_products():
        for begin, end in runs(targets):
            target = int(targets[begin])
            several = hypotheses[begin:end].tolist()
            own = _unit(states[target][_rows(sides[1], target)])
            other = _unit(torch.cat([states[text_id][_rows(sides[0], text_id)] for text_id in several]))
            distances = _euclidean(own @ other.T).cpu().numpy()
            place = 0
            for text_id in several:
                weights = sides[0].weights[text_id]
                cost = distances[:, place : place + len(weights)]
                problems.append(Transport(_shares(sides[1].weights[target]), _shares(weights), cost))
                place += len(weights)
    return 1 / (1 + transport_costs(problems))


def _match_version_1(
    states: "Mapping[int, torch.Tensor]", sides: list[_Side], hypotheses: IdArray, targets: IdArray
) -> FloatArray:
    problems, penalties = [], []
    for hypothesis, target in zip(hypotheses.tolist(), targets.tolist(), strict=True):
        rows, masses = [], []
        for side, text_id in ((sides[1], target), (sides[0], hypothesis)):
            weights = side.weights[text_id]
            scale = weights / (weights.sum(1, keepdims=True) + 1e-5)
            vectors = states[text_id].cpu().numpy().astype(np.float64)[side.windows[text_id]]
            rows.append((scale[:, :, None] * vectors).sum(1))
            mass = weights.sum(1)
            masses.append(mass / (mass.sum() + 1e-5))
        stacked = np.concatenate(rows)
        stacked /= np.linalg.norm(stacked, axis=1, keepdims=True) + 1e-6
        squares = (stacked**2).sum(1)
        distances = np.maximum(squares[:, None] + squares[None] - 2 * stacked @ stacked.T, 0.0)
        cut = len(rows[0])
        problems.append(Transport(masses[0], masses[1], distances[:cut, cut:]))
        # Both masses are a hair below 1 and not equal; what is left over costs the largest distance.
        penalties.append(abs(masses[0].sum() - masses[1].sum()) * distances.max())
    scores: FloatArray = 1 - transport_costs(problems) - np.array(penalties)
    return scores


def _rows(side: _Side, text_id: int) -> "torch.Tensor":
    import torch

    return torch.from_numpy(side.windows[text_id][:, 0])


def _unit(states: "torch.Tensor") -> "torch.Tensor":
    from torch.nn.functional import normalize

    return normalize(states.double(), dim=-1, eps=1e-30)


def _euclidean(cosines: "torch.Tensor") -> "torch.Tensor":
    """Distances of unit vectors."""
    import torch

    squared = 2 - 2 * cosines
    return torch.where(squared < _SAME, 0.0, squared).sqrt()


def _shares(weights: FloatArray) -> FloatArray:
    shares: FloatArray = weights[:, 0] / (weights.sum() + 1e-30)
    return shares


def _reasons(job: Job, numbers: FloatArray, tokenised: Tokenised) -> dict[int, str]:
    reasons = {}
    for item in np.flatnonzero(np.isnan(numbers)).tolist():
        empty = tokenised.length(int(job.hypothesis_ids[item])) == 0
        targets = job.target_ids[job.offsets[item] : job.offsets[item + 1]].tolist()
        if empty or all(tokenised.length(target) == 0 for target in targets):
            reasons[item] = f"the {'summary' if empty else job.target} has no tokens for the model"
        else:
            reasons[item] = f"the summary or the {job.target} has only tokens that MoverScore ignores or weighs 0"
    return reasons


register(
    Metric(
        name="moverscore",
        family="moverscore",
        description="MoverScore: cost of moving the tokens of the summary onto the reference, in an encoder's space.",
        direction="higher",
        targets=("reference", "source"),
        range=(None, 1.0),
        citation="Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings, EMNLP",
        compute=_moverscore,
        parameters={
            "model": model_parameter("embedded:minilm", "the encoder", "distilbert/distilbert-base-uncased"),
            "version": Parameter("2", ("2", "1"), "2: last layer, 1/(1 + work); 1: five layers, n-grams, 1 − work"),
            "idf": IDF,
            "stop": Parameter(
                "none",
                (),
                "stop words to ignore: none, english, or words joined by + (the+a+and)",
                r"[^\s+]+(\+[^\s+]+)*",
            ),
            "ngram": Parameter("1", ("1", "2", "3"), "version 1: number of tokens moved together"),
            "subwords": Parameter(
                "remove", ("remove", "keep"), "version 1: word pieces after the first: remove or keep"
            ),
            "empty": Parameter(
                "null",
                ("null", "published"),
                "value of a text without counted tokens: null with a reason, or that of the published programs (1.0, "
                "which "
                "is perfect, in version 2 with idf)",
            ),
            **device_parameters(),
        },
        cost="medium",
        extra="models",
        models={"model": "encoder"},
        itemwise_if={"idf": ("no",)},
    )
)
