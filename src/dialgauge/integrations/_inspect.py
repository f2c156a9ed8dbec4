"""A metric as a scorer of Inspect AI."""

from typing import Any

from dialgauge.errors import InputError, MissingExtraError
from dialgauge.integrations._modules import load_metrics


def inspect_scorer(metric: str) -> Any:
    """A scorer of Inspect AI: the metric of the model's output, compared with the target or the input of the sample.

    A metric that reads references gets the target, one that reads the dialogue gets the input, and one that reads both
    gets both. Means and standard errors are reported, as for Inspect's own scorers. Inspect AI must be installed.
    """
    try:
        from inspect_ai.scorer import Score, Target, mean, scorer, stderr
    except ModuleNotFoundError as error:
        raise MissingExtraError("the scorer for Inspect AI", "inspect") from error
    load_metrics(metric)  # an unknown name is an error now, not after the model has been asked

    @scorer(metrics=[mean(), stderr()], name=f"dialgauge/{metric}")  # type: ignore[untyped-decorator,unused-ignore]
    def dialgauge_scorer() -> Any:
        async def compute(state: Any, target: Target) -> Score:
            module = load_metrics(metric)
            references = [text for text in target if text]
            try:
                values = module.compute(
                    predictions=[state.output.completion],
                    references=[references] if references else None,
                    sources=[state.input_text],
                )
            except InputError as error:
                raise InputError(f"sample {state.sample_id}: {error}") from error
            value = values[module.metrics[0]]
            return Score(value=float("nan") if value is None else value, answer=state.output.completion)

        return compute

    return dialgauge_scorer()
