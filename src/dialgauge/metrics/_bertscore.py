"""BERTScore: how well the tokens of two texts match in the embedding space of an encoder.

A token's similarity is the largest cosine to any token of the other text. Special tokens can be matched but do not
count themselves. Every pair gets the value that the reference program gives it in a batch of its own: there, padding
counts as a token of similarity 0 (``negative=zero`` gives that), so that a value depends on what else is in the batch.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from dialgauge.errors import InputError
from dialgauge.metrics._encoding import (
    FlatStates,
    Tokenised,
    encode,
    prepare_for,
    small_products,
    tokenise,
    window_texts,
)
from dialgauge.metrics._grouping import best_target, runs
from dialgauge.metrics._idf import IDF, Idf
from dialgauge.metrics._job import Job
from dialgauge.metrics._layers import check_layer, chosen_layer, layer_states
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._registry import register
from dialgauge.metrics._texts import IdArray
from dialgauge.models import Model, stored_config, to_device, watching_part, windows

if TYPE_CHECKING:
    import torch

Measure = Literal["p", "r", "f1"]
_OWNER = "bertscore"
#: On a card: pairs matched at a time, and how many numbers their vectors may have.
_PAIRS_AT_ONCE = 1024
_NUMBERS_AT_ONCE = 1 << 27


@dataclass(frozen=True, eq=False, slots=True)
class _Matched:
    """Precision and recall of each pair; NaN where a side has no token with a weight."""

    precision: FloatArray
    recall: FloatArray
    tokenised: Tokenised
    layer: int


def _compute(measure: Measure) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        shared = tuple(value for name, value in parameters.items() if name not in ("rescale", "empty"))
        matched = job.memo((_OWNER, shared), lambda: _match(job, parameters))
        precision, recall = matched.precision, matched.recall
        with np.errstate(invalid="ignore", divide="ignore"):
            f1 = 2 * precision * recall / (precision + recall)
        f1[precision + recall == 0] = 0.0
        pairs = {"p": precision, "r": recall, "f1": f1}[measure]
        if parameters["rescale"] != "no":
            baseline = _baseline(parameters["rescale"], matched.layer)[measure]
            pairs = (pairs - baseline) / (1 - baseline)
        pairs = np.where(np.isnan(precision + recall), 0.0 if parameters["empty"] == "zero" else np.nan, pairs)
        numbers = best_target(job, pairs)
        return Values(numbers, _reasons(job, numbers, matched.tokenised), matched.tokenised.notes(job))

    return compute


def _match(job: Job, parameters: Mapping[str, str]) -> _Matched:
    model = load_model(parameters, "encoder")
    layer = chosen_layer(model, parameters["layer"], f"metric {_OWNER!r}")
    used = np.concatenate([job.hypothesis_ids, job.target_ids])
    tokenised = tokenise(model, job.texts, used, model.max_length, prepare_for(model))
    idf = _weights(model, job, tokenised, parameters["idf"])
    weights = {text_id: idf.of(tokens) for text_id, tokens in tokenised.ids.items()}
    hypotheses, targets = job.pair_hypothesis_ids, job.target_ids
    sums = {text_id: some.sum() for text_id, some in weights.items()}
    some_weight = np.array(
        [sums[h] > 0 and sums[t] > 0 for h, t in zip(hypotheses.tolist(), targets.tolist(), strict=True)]
    )
    pairs = np.flatnonzero(some_weight)
    precision, recall = np.full(len(targets), np.nan), np.full(len(targets), np.nan)
    forward = layer_states(model, layer)
    width = int(model.config.hidden_size)
    done = 0
    for window in windows(hypotheses[pairs], targets[pairs], window_texts(model, width)):
        positions = pairs[window]
        both = np.concatenate([hypotheses[positions], targets[positions]])
        with watching_part(done, len(window), len(pairs)):
            states = encode(model, tokenised, both, forward)
        done += len(window)
        best = _best_matches(states, hypotheses[positions], targets[positions])
        for found, side, values in ((precision, hypotheses, best[0]), (recall, targets, best[1])):
            if parameters["negative"] == "zero":
                values = np.maximum(values, 0.0)
            found[positions] = _weighted_means(values, [weights[text_id] for text_id in side[positions].tolist()])
    return _Matched(precision, recall, tokenised, layer)


def _check(parameters: Mapping[str, str]) -> None:
    stored = stored_config(parameters["model"])
    check_layer(stored.ref, stored.layers, parameters["layer"], f"metric {_OWNER!r}")


def _weights(model: Model, job: Job, tokenised: Tokenised, idf: str) -> Idf:
    if idf == "no":
        return Idf.none((model.tokenizer.cls_token_id, model.tokenizer.sep_token_id))
    references = job.target_ids if idf == "pairs" else np.unique(job.target_ids)
    return Idf.over(tokenised.ids[text_id] for text_id in references.tolist())


def _best_matches(
    states: "Mapping[int, torch.Tensor]", hypotheses: IdArray, targets: IdArray
) -> tuple[FloatArray, FloatArray]:
    """For each token of each hypothesis its best cosine, and the same for the targets, pair after pair.

    Pairs are ordered by target: its similarities to all its hypotheses are one product of matrices, without padding.
    """
    import torch

    if isinstance(states, FlatStates):
        return _best_matches_padded(states, hypotheses, targets)
    forth, back = [], []
    with small_products():
        for begin, end in runs(targets):
            several = [states[text_id] for text_id in hypotheses[begin:end].tolist()]
            lengths = torch.tensor([len(state) for state in several], device=several[0].device)
            similar = _unit(torch.cat(several)) @ _unit(states[int(targets[begin])]).T
            forth.append(similar.amax(1))
            back.append(torch.segment_reduce(similar, "max", lengths=lengths, axis=0).ravel())
        return torch.cat(forth).cpu().numpy(), torch.cat(back).cpu().numpy()


def _best_matches_padded(states: FlatStates, hypotheses: IdArray, targets: IdArray) -> tuple[FloatArray, FloatArray]:
    """The same on a card, which is slow to begin a product and quick to compute it: many padded pairs at a time."""
    import torch

    flat, count = states.flat, len(hypotheses)
    places = np.array([states.places[text_id] for text_id in np.concatenate([hypotheses, targets]).tolist()])
    lengths = np.diff(places)[:, 0]
    sides = [_MatchedSide(places[some, 0], lengths[some], flat.device) for some in (np.s_[:count], np.s_[count:])]
    waiting = np.lexsort((-sides[1].lengths, -sides[0].lengths))  # the longest first
    with torch.inference_mode():
        while len(waiting):
            longest = sum(int(side.lengths[waiting[:_PAIRS_AT_ONCE]].max()) for side in sides)
            fitting = min(_PAIRS_AT_ONCE, _NUMBERS_AT_ONCE // (longest * flat.shape[1]))
            now, waiting = np.split(waiting, [max(1, fitting)])
            (rows, of_rows, real_rows), (columns, of_columns, real_columns) = (side.cells(now) for side in sides)
            similar = torch.bmm(_unit(flat[rows]), _unit(flat[columns]).transpose(1, 2))
            sides[0].best[of_rows] = similar.masked_fill(~real_columns[:, None, :], -2.0).amax(2)
            sides[1].best[of_columns] = similar.masked_fill(~real_rows[:, :, None], -2.0).amax(1)
        return sides[0].best[:-1].cpu().numpy(), sides[1].best[:-1].cpu().numpy()


class _MatchedSide:
    """One side of all pairs: where its texts begin, their lengths, and the best match of each of their tokens."""

    def __init__(self, starts: IdArray, lengths: IdArray, device: "torch.device") -> None:
        import torch

        self._starts, self.lengths, self._device = starts, lengths, device
        self._begins = np.cumsum(lengths) - lengths
        # One place more than there are tokens: it takes what padding gives.
        self.best = torch.empty(int(lengths.sum()) + 1, dtype=torch.float64, device=device)

    def cells(self, pairs: IdArray) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
        """For each token of these pairs, padded: the place of its state, that of its best match, and if it is real."""
        columns = np.arange(int(self.lengths[pairs].max()))
        real = columns < self.lengths[pairs][:, None]
        states = np.where(real, self._starts[pairs][:, None] + columns, 0)
        best = np.where(real, self._begins[pairs][:, None] + columns, -1)
        return to_device(states, self._device), to_device(best, self._device), to_device(real, self._device)


def _unit(states: "torch.Tensor") -> "torch.Tensor":
    """In double precision, so that a text matches itself perfectly."""
    from torch.nn.functional import normalize

    return normalize(states.double(), dim=-1, eps=1e-30)


def _weighted_means(values: FloatArray, weights: list[FloatArray]) -> FloatArray:
    lengths = np.array([len(some) for some in weights], dtype=np.int64)
    begins = np.cumsum(lengths) - lengths
    flat = np.concatenate(weights)
    means: FloatArray = np.add.reduceat(values * flat, begins) / np.add.reduceat(flat, begins)
    return means


def _baseline(path: str, layer: int) -> dict[str, float]:
    """The row of a layer in a baseline file of bert-score: a header LAYER,P,R,F, then a row per layer."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise InputError(
            f"metric {_OWNER!r}: baseline file {file} does not exist; give a file in the format of bert-score, or "
            "rescale=no"
        )
    for number, line in enumerate(file.read_text("utf-8").splitlines()[1:], 2):
        cells = line.replace("\t", ",").split(",")
        try:
            if int(cells[0]) == layer:
                return {"p": float(cells[1]), "r": float(cells[2]), "f1": float(cells[3])}
        except (ValueError, IndexError) as error:
            raise InputError(f"{file}, line {number}: expected LAYER,P,R,F as numbers; got {line!r}") from error
    raise InputError(f"{file} has no row for layer {layer}")


def _baseline_signature(given: str) -> str:
    """Sign a baseline file by its content: a different file with the same name is a different metric."""
    file = Path(given).expanduser()
    if given == "no" or not file.is_file():  # computing says what is wrong with it
        return given
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def _reasons(job: Job, numbers: FloatArray, tokenised: Tokenised) -> dict[int, str]:
    reasons = {}
    for item in np.flatnonzero(np.isnan(numbers)).tolist():
        targets = job.target_ids[job.offsets[item] : job.offsets[item + 1]].tolist()
        if tokenised.length(int(job.hypothesis_ids[item])) == 0:
            reasons[item] = "the summary has no tokens for the model"
        elif all(tokenised.length(target) == 0 for target in targets):
            reasons[item] = f"the {job.target} has no tokens for the model"
        else:
            reasons[item] = "all tokens of one text have weight 0 (they occur in all references)"
    return reasons


PARAMETERS = {
    "model": model_parameter("embedded:minilm", "the encoder", "FacebookAI/roberta-large"),
    "layer": Parameter(
        "auto",
        (),
        "layer whose states are compared; auto: the published choice for known models, otherwise three quarters up",
        r"auto|\d+",
        "auto or a whole number",
    ),
    "idf": IDF,
    "rescale": Parameter(
        "no",
        (),
        "no, or a baseline file of bert-score (LAYER,P,R,F) for (x − b)/(1 − b)",
        ".+",
        "no or a file",
        lambda given: None if given == "no" else given,
    ),
    "negative": Parameter(
        "keep", ("keep", "zero"), "best similarities below zero: keep, or set to zero, as bert-score does with padding"
    ),
    "empty": Parameter(
        "null", ("null", "zero"), "value of a text without tokens: null with a reason, or zero as in bert-score"
    ),
    **device_parameters(),
}

_MEASURES: Mapping[Measure, str] = {"p": "precision", "r": "recall", "f1": "F1"}

register(
    *(
        Metric(
            name=f"bertscore-{measure}",
            family="bertscore",
            description=f"BERTScore: {what} of tokens matched by the cosine of their contextual embeddings.",
            direction="higher",
            targets=("reference", "source"),
            range=(None, 1.0),
            citation="Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, ICLR",
            compute=_compute(measure),
            parameters=PARAMETERS,
            cost="medium",
            extra="models",
            models={"model": "encoder"},
            check=_check,
            signatures={"rescale": _baseline_signature},
            itemwise_if={"idf": ("no",)},
        )
        for measure, what in _MEASURES.items()
    )
)
