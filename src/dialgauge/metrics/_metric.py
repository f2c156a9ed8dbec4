"""What a metric declares about itself, and what it gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from dialgauge.metrics._job import Job

Direction = Literal["higher", "lower", "none"]
Target = Literal["reference", "source", "none"]
Level = Literal["summary", "system"]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a metric. Whatever changes the number is a parameter, and so part of the signature."""

    default: str
    choices: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Values:
    """A value per item of a job; NaN where the metric cannot score it, with the reason at that position.

    A system-level metric gives a value per group instead.
    """

    numbers: FloatArray
    reasons: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, declared.

    ``direction`` says whether higher or lower is better (``none``: it describes, it does not judge). ``targets`` lists
    what a summary can be held against, the default first. ``compute`` maps a job and parameter values to
    :class:`Values`. ``version`` goes up whenever a number can change. ``extra`` names the optional dependencies it needs.
    """

    name: str
    family: str
    description: str
    direction: Direction
    targets: tuple[Target, ...]
    range: tuple[float | None, float | None]
    citation: str
    compute: "Callable[[Job, Mapping[str, str]], Values]"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    level: Level = "summary"
    cost: Literal["low", "medium", "high"] = "low"
    extra: str | None = None
    version: str = "1"


@dataclass(frozen=True, slots=True)
class MetricRequest:
    """A metric together with its target and parameter values: exactly what is computed into one column of scores."""

    metric: Metric
    target: Target
    parameters: Mapping[str, str]

    @classmethod
    def build(cls, metric: Metric, target: str | None, given: Mapping[str, str]) -> "MetricRequest":
        """Check target and parameters against what the metric declares."""
        chosen = target or metric.targets[0]
        if chosen not in metric.targets:
            allowed = " or ".join(repr(t) for t in metric.targets)
            raise ParameterError(f"metric {metric.name!r}", "target", allowed, chosen)
        for name, value in given.items():
            if name not in metric.parameters:
                raise UnknownNameError(f"parameter of metric {metric.name!r}", name, metric.parameters)
            choices = metric.parameters[name].choices
            if value not in choices:
                raise ParameterError(f"metric {metric.name!r}", name, " or ".join(map(repr, choices)), value)
        values = {name: given.get(name, parameter.default) for name, parameter in metric.parameters.items()}
        return cls(metric, chosen, values)  # type: ignore[arg-type]  # checked against metric.targets above

    @property
    def column(self) -> str:
        """The shortest specification that gives this request: the name of its column in scores."""
        spec = self.metric.name
        if self.target != self.metric.targets[0]:
            spec += f"@{self.target}"
        changed = [
            f"{name}={value}"
            for name, value in self.parameters.items()
            if value != self.metric.parameters[name].default
        ]
        return f"{spec}:{','.join(changed)}" if changed else spec

    @property
    def signature(self) -> str:
        """Everything that changes the number, as in ``rouge-l|target:reference|stem:no|v:1``."""
        parts: list[tuple[str, Any]] = [("target", self.target), *self.parameters.items(), ("v", self.metric.version)]
        return "|".join([self.metric.name, *(f"{name}:{value}" for name, value in parts)])
