"""A metric as a metric of DeepEval."""

from typing import Any

from dialgauge.errors import MissingExtraError
from dialgauge.integrations._modules import load_metrics
from dialgauge.metrics import parse_request


def deepeval_metric(metric: str, *, threshold: float) -> Any:
    """A metric for DeepEval: compares ``actual_output`` with ``expected_output`` or, for the dialogue, with ``input``.

    It passes if the value is at least ``threshold``, or at most for a metric where lower is better. DeepEval must be
    installed.
    """
    try:
        from deepeval.metrics import BaseMetric
    except ModuleNotFoundError as error:
        raise MissingExtraError("the metric for DeepEval", "deepeval") from error
    lower = parse_request(metric).metric.direction == "lower"

    class DialgaugeMetric(BaseMetric):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            self.threshold = threshold
            self.score: float | None = None
            self.success = False
            self.reason = ""
            self.async_mode = False
            self.error = None

        @property
        def __name__(self) -> str:
            return f"dialgauge {metric}"

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            module = load_metrics(metric)
            expected = test_case.expected_output
            values = module.compute(
                predictions=[test_case.actual_output],
                references=None if expected is None else [expected],
                sources=[test_case.input],
            )
            self.score = values[module.metrics[0]]
            self.success = self.score is not None and (self.score <= threshold if lower else self.score >= threshold)
            bound = f"at {'most' if lower else 'least'} {threshold:g}"
            found = "it could not be computed" if self.score is None else f"it is {self.score:.4g}"
            self.reason = f"{metric} must be {bound}; {found}"
            return self.score

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return self.success

    return DialgaugeMetric()
