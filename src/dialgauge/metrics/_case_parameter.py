"""The parameter ``case`` of metrics that read upper case unless told not to."""

from collections.abc import Mapping

from dialgauge.metrics._metric import Parameter

CASE = Parameter("keep", ("keep", "lower"), "lower: ignore upper case")


def in_case(tokeniser: str, parameters: Mapping[str, str]) -> str:
    """The tokeniser, of texts in lower case where the parameter says so."""
    return f"lower:{tokeniser}" if parameters["case"] == "lower" else tokeniser
