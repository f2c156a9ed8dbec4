"""BARTScore: how likely a BART model finds one text, given another."""

from collections.abc import Callable, Mapping

import numpy as np

from dialgauge.metrics._bart import SourceTargets, check_bart, mean_log_likelihoods
from dialgauge.metrics._encoding import special_ids, tokenise
from dialgauge.metrics._job import Job
from dialgauge.metrics._likelihood import DIRECTIONS, EMPTY, REFERENCES, Way, likelihood_values
from dialgauge.metrics._metric import Metric, Parameter, Values
from dialgauge.metrics._model_settings import device_parameters, load_model, model_parameter
from dialgauge.metrics._registry import register
from dialgauge.models import stored_config


def _compute(way: Way) -> Callable[[Job, Mapping[str, str]], Values]:
    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        model = load_model(parameters, "seq2seq")
        limit = model.max_length if parameters["limit"] == "auto" else min(int(parameters["limit"]), model.max_length)
        tokenised = tokenise(model, job.texts, np.concatenate([job.hypothesis_ids, job.target_ids]), limit)
        before, after = special_ids(model.tokenizer)

        def score(groups: list[tuple[int, list[int]]]) -> list[list[float]]:
            return mean_log_likelihoods(
                model,
                [
                    SourceTargets(
                        [*before, *after] if read < 0 else tokenised.ids[read],
                        [tokenised.ids[text_id] for text_id in written],
                    )
                    for read, written in groups
                ],
            )

        return likelihood_values(job, way, tokenised, parameters, score)

    return compute


def _check(parameters: Mapping[str, str]) -> None:
    stored = stored_config(parameters["model"])
    check_bart(stored.ref, stored.model_type)


_PARAMETERS = {
    "model": model_parameter("facebook/bart-large-cnn", "the BART model"),
    "limit": Parameter(
        "auto",
        (),
        "maximum number of tokens read per text, including special tokens; auto: the model's maximum",
        r"auto|[1-9]\d+",
        "auto or a whole number of at least 10",
    ),
    "empty": EMPTY,
    **device_parameters(),
}

register(
    *(
        Metric(
            name=f"bartscore-{direction.way}",
            family="bartscore",
            description=f"BARTScore: mean log-likelihood of {direction.description}.",
            direction="higher",
            targets=direction.targets,
            range=(None, 0.0),
            citation="Yuan et al. 2021, BARTScore: Evaluating Generated Text as Text Generation, NeurIPS",
            compute=_compute(direction.way),
            parameters=_PARAMETERS | ({"references": REFERENCES} if "reference" in direction.targets else {}),
            cost="high",
            extra="models",
            models={"model": "seq2seq"},
            check=_check,
        )
        for direction in DIRECTIONS
    )
)
