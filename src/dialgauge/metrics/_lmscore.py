"""The directions of BARTScore on a causal language model, with an instruction as prompt (as in GPTScore)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dialgauge.metrics._causal import Continuations, log_probabilities, start_id
from dialgauge.metrics._encoding import after_a_space, tokenise
from dialgauge.metrics._job import Job
from dialgauge.metrics._likelihood import DIRECTIONS, REFERENCES, Way, likelihood_values
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._registry import register
from dialgauge.models import Model


@dataclass(frozen=True, slots=True)
class _Prompt:
    """The prompt before and after the text that is read."""

    before: str
    after: str


_PLAIN = _Prompt("", "\n\n")
_REWRITE = _Prompt("Rewrite the following text with the same meaning.\n\n", "\n\nIn other words:")
_INSTRUCTIONS: Mapping[Way, _Prompt] = {
    "src-hyp": _Prompt("Summarize the following dialogue in a few sentences.\n\n", "\n\nSummary:"),
    "hyp-ref": _REWRITE,
    "ref-hyp": _REWRITE,
}


def _compute(way: Way) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        model = load_model(parameters, "causal-lm")
        prompt = _INSTRUCTIONS.get(way, _PLAIN) if parameters.get("prompt") == "instruction" else _PLAIN
        before, after = (_plain_ids(model, text) for text in (prompt.before, prompt.after))
        start = start_id(model)
        # Half for the conditioning text, half for the scored one: both must fit into one context.
        half = (model.max_length - 1 - len(before) - len(after)) // 2
        used = np.concatenate([job.hypothesis_ids, job.target_ids])
        tokenised = tokenise(model, job.texts, used, half, after_a_space, specials=False)

        def score(groups: list[tuple[int, list[int]]]) -> list[list[float]]:
            asked = [
                Continuations(
                    [start] if read < 0 else [start, *before, *tokenised.ids[read], *after],
                    [tokenised.ids[text_id] for text_id in written],
                )
                for read, written in groups
            ]
            return [[float(some.mean()) for some in arrays] for arrays in log_probabilities(model, asked)]

        return likelihood_values(job, way, tokenised, {"empty": "null", **parameters}, score)

    return compute


def _plain_ids(model: Model, text: str) -> list[int]:
    ids: list[int] = model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] if text else []
    return ids


_PARAMETERS = {
    "model": model_parameter("embedded:smollm2", "the language model"),
    "prompt": Parameter(
        "instruction",
        ("instruction", "plain"),
        "instruction: ask the model to summarize or rewrite; plain: concatenate the texts",
    ),
    **device_parameters(),
}

register(
    *(
        Metric(
            name=f"lmscore-{direction.way}",
            family="lmscore",
            description=f"Mean log-likelihood under a causal language model of {direction.description}.",
            direction="higher",
            targets=direction.targets,
            range=(None, 0.0),
            citation="Fu et al. 2024, GPTScore: Evaluate as You Desire, NAACL; Yuan et al. 2021, BARTScore",
            compute=_compute(direction.way),
            parameters={
                name: parameter
                for name, parameter in {**_PARAMETERS, "references": REFERENCES}.items()
                if not (name == "prompt" and direction.way == "hyp")
                and not (name == "references" and "reference" not in direction.targets)
            },
            cost="high",
            extra="models",
            models={"model": "causal-lm"},
        )
        for direction in DIRECTIONS
    )
)
