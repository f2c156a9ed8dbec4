"""The shared parameters of metrics with a model: model, device and precision."""

from collections.abc import Mapping

from dialgauge.metrics._metric import Parameter
from dialgauge.models import DTYPES, Model, ModelRef, NeuralKind, load


def model_parameter(default: str, what: str, published: str = "") -> Parameter:
    """A parameter that names a model; declare its kind in ``Metric.models``. An empty default must be filled in.

    ``published`` is the checkpoint of the publication, if it is not the default: a hub id or a description.
    """
    hub = default if default and ModelRef.parse(default).source == "hub" else ""
    help_text = f"{what}: a hub id (org/name@revision), folder:/path or embedded:NAME"
    return Parameter(default, (), help_text, published=published or hub)


def device_parameters() -> dict[str, Parameter]:
    """``device`` and ``dtype``."""
    return {
        "device": Parameter(
            "auto", (), "device: auto, cpu, cuda or cuda:N", r"auto|cpu|cuda(:\d+)?", "auto, cpu, cuda or cuda:N"
        ),
        "dtype": Parameter(
            "fp32",
            DTYPES,
            "precision of the model; on a GPU, bf16x3 is twice as fast and nearly as exact, bf16 even faster and "
            "slightly less exact",
        ),
    }


def load_model(parameters: Mapping[str, str], kind: NeuralKind, name: str = "model") -> Model:
    """Load the model that a parameter names, with the given device and precision."""
    return load(kind, parameters[name], parameters["device"], parameters["dtype"])
