"""Perplexity of a summary under a causal language model, in windows if it exceeds the model's maximum length."""

from collections.abc import Mapping

import numpy as np

from dialgauge.errors import ParameterError, counted
from dialgauge.metrics._causal import Continuations, log_probabilities
from dialgauge.metrics._encoding import tokenise
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray, Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._registry import register
from dialgauge.models import Model

#: Maximum number of windows read per text; no realistic summary has more.
_WINDOWS = 64


def _perplexity(job: Job, parameters: Mapping[str, str]) -> Values:
    model = load_model(parameters, "causal-lm")
    stride = model.max_length // 2 if parameters["stride"] == "auto" else int(parameters["stride"])
    if not 2 <= stride <= model.max_length:
        raise ParameterError(
            "metric 'perplexity'", "stride", f"between 2 and {model.max_length} for this model", stride
        )
    tokenised = tokenise(model, job.texts, job.hypothesis_ids, _WINDOWS * stride, specials=False)
    ids = np.unique(job.hypothesis_ids).tolist()
    chances = dict(zip(ids, _token_chances(model, [tokenised.ids[text_id] for text_id in ids], stride), strict=True))
    numbers = np.full(len(job), np.nan)
    reasons = {}
    for item, text_id in enumerate(job.hypothesis_ids.tolist()):
        count = len(tokenised.ids[text_id])
        if count < 2:
            has = counted(count, "token")
            reasons[item] = f"the summary has {has}; at least two are needed, because the first has no probability"
            continue
        of_text = chances[text_id]
        mean = of_text.mean() if parameters["first"] == "exact" else _published_mean(of_text, min(stride, count))
        with np.errstate(over="ignore"):
            numbers[item] = np.exp(-mean)
        if not np.isfinite(numbers[item]):
            numbers[item] = np.nan
            reasons[item] = "the perplexity exceeds the range of floating-point numbers"
    return Values(numbers, reasons, tokenised.notes(job))


def _token_chances(model: Model, texts: list[list[int]], stride: int) -> list[FloatArray]:
    """The log-probability of every token but the first of each text.

    A longer text than the model can read is read in windows: each moves on by ``stride`` tokens, which it scores, and
    sees as much before them as fits.
    """
    windows: list[tuple[int, int, list[int]]] = []  # text, how many tokens at the end are new, tokens
    for number, tokens in enumerate(texts):
        if len(tokens) <= model.max_length:
            windows.append((number, len(tokens) - 1, tokens))
            continue
        for begin in range(0, len(tokens), stride):
            end = min(begin + stride, len(tokens))
            new = end - begin if begin else end - 1
            windows.append((number, new, tokens[max(begin + stride - model.max_length, 0) : end]))
    scored = [window for window in windows if window[1] > 0]
    found = log_probabilities(model, [Continuations([], [tokens]) for _, _, tokens in scored])
    parts: list[list[FloatArray]] = [[] for _ in texts]
    for (number, new, _), arrays in zip(scored, found, strict=True):
        parts[number].append(arrays[0][-new:])
    return [np.concatenate(some) if some else np.zeros(0) for some in parts]


def _published_mean(chances: FloatArray, first: int) -> float:
    """The published recipe: the mean of the first window, over all its tokens but one, is counted for all of them."""
    total = chances[: first - 1].mean() * first + chances[first - 1 :].sum()
    return float(total / (len(chances) + 1))


register(
    Metric(
        name="perplexity",
        family="perplexity",
        description="Perplexity of the summary under a causal language model; low for fluent text.",
        direction="lower",
        targets=("none",),
        range=(1.0, None),
        citation="Jelinek et al. 1977, Perplexity: a Measure of the Difficulty of Speech Recognition Tasks, JASA 62",
        compute=_perplexity,
        parameters={
            "model": model_parameter("embedded:smollm2", "the language model"),
            "stride": Parameter(
                "auto",
                (),
                "tokens that each window adds; auto: half of the model's maximum length",
                r"auto|\d+",
                "auto or a whole number",
            ),
            "first": Parameter(
                "exact",
                ("exact", "published"),
                "exact: every token but the first counts once; published: the first window's mean also stands for the "
                "token that has no probability, as in the recipe that DialSummEval used",
            ),
            **device_parameters(),
        },
        cost="high",
        extra="models",
        models={"model": "causal-lm"},
    )
)
