"""The parameters that metrics with a model share: which model, on which device, with which numbers."""

from collections.abc import Mapping

from dialgauge.metrics._metric import Parameter
from dialgauge.models import DTYPES, Model, ModelRef, NeuralKind, load


def model_parameter(default: str, what: str, published: str = "") -> Parameter:
    """A parameter that names a model; declare its kind in ``Metric.models``. An empty default must be filled in.

    ``published`` is the checkpoint of the publication, where it is not the default: a hub id, or in words.
    """
    hub = default if default and ModelRef.parse(default).source == "hub" else ""
    help_text = f"{what}: a hub id (org/name@revision), folder:/path or embedded:NAME"
    return Parameter(default, (), help_text, published=published or hub)


def device_parameters() -> dict[str, Parameter]:
    """``device`` and ``dtype``."""
    return {
        "device": Parameter(
            "auto", (), "auto, cpu, cuda or cuda:N", r"auto|cpu|cuda(:\d+)?", "auto, cpu, cuda or cuda:N"
        ),
        "dtype": Parameter(
            "fp32",
            DTYPES,
            "the numbers of the model; on a card, bf16x3 is twice as quick and nearly as exact, bf16 quicker still and "
            "a little less exact",
        ),
    }


def load_model(parameters: Mapping[str, str], kind: NeuralKind, name: str = "model") -> Model:
    """The model that a parameter names, on the device and with the numbers of the others."""
    return load(kind, parameters[name], parameters["device"], parameters["dtype"])
