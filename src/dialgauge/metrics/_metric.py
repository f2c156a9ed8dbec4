"""The declaration of a metric and its results."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dialgauge.arrays import FloatArray as FloatArray
from dialgauge.errors import ParameterError
from dialgauge.registry import all_values, specification

if TYPE_CHECKING:
    from dialgauge.metrics._job import Job
    from dialgauge.models import Kind

Direction = Literal["higher", "lower", "none"]
#: ``both`` means the source followed by the references, for a metric that reads all of them.
Target = Literal["reference", "source", "both", "none"]
Level = Literal["summary", "system"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a metric. Everything that changes the number is a parameter and therefore part of the signature.

    Without ``choices`` any text is allowed, unless it does not match ``pattern`` (a regular expression for all of it);
    ``form`` describes the pattern for people, as in ``"a whole number"``. ``path`` gives the path that a value refers
    to, or None; models need none, they are known as such. ``published`` is, for a parameter that names a model, the
    checkpoint of the publication: a hub id, or a description if the hub does not have it. ``find`` looks up a value
    that is not among the choices, as other packages may add some, and raises an error for an unknown one.
    """

    default: str
    choices: tuple[str, ...]
    help: str
    pattern: str = ""
    form: str = ""
    path: Callable[[str], str | None] | None = None
    published: str = ""
    find: Callable[[str], object] | None = None

    def check(self, owner: str, name: str, value: str) -> None:
        """Reject a value that is not allowed."""
        if self.choices and value not in self.choices:
            if self.find is None:
                raise ParameterError(owner, name, " or ".join(map(repr, self.choices)), value)
            self.find(value)
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise ParameterError(owner, name, self.form or f"of the form {self.pattern}", value)

    def signed(self, value: str) -> str | None:
        """The form of a value in signatures; None omits it."""
        return value


def signed_values(declared: Mapping[str, Parameter], values: Mapping[str, str]) -> dict[str, str]:
    """The form of each of these values in a signature."""
    signed = {name: declared[name].signed(value) for name, value in values.items()}
    return {name: value for name, value in signed.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Values:
    """A value per item of a job; NaN where the metric cannot score it, with the reason at that position.

    ``notes`` has remarks on single values, such as that the text was truncated to the model's maximum length. A
    system-level metric gives a value per group instead.
    """

    numbers: FloatArray
    reasons: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)


#: The function of a metric: maps a job and the metric's parameter values to the values of the job's items.
Compute: TypeAlias = "Callable[[Job, Mapping[str, str]], Values]"


@dataclass(frozen=True, slots=True)
class Derived:
    """The computation of a metric from the values of others, each of which may have its own target.

    ``features`` maps parameter values to the specifications of those metrics; ``combine`` maps a matrix (summaries ×
    features, NaN where a feature has no value) to a value per summary; ``signature`` gives what stands for parameter
    values in the signature, such as the digest of a file for its path.
    """

    features: Callable[[Mapping[str, str]], Sequence[str]]
    combine: Callable[[FloatArray, Mapping[str, str]], Values]
    signature: Callable[[Mapping[str, str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Sums:
    """A system-level metric as a function of sums over the summaries of a system, so that they can be counted apart.

    ``counts`` maps a job and parameter values to numbers for each item (items × n); the first is 1 if the item can be
    scored, and else 0. ``values`` maps their sums over the items of each group, without that first one, to values.
    """

    counts: "Callable[[Job, Mapping[str, str]], FloatArray]"
    values: Callable[[FloatArray, Mapping[str, str]], FloatArray]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, declared.

    ``direction`` says whether higher or lower is better (``none``: it describes, it does not judge). ``targets`` lists
    what a summary can be compared with, the default first. ``compute`` maps a job and parameter values to
    :class:`Values`. ``version`` goes up whenever a number can change. ``extra`` names optional dependencies it needs.
    ``models`` maps each parameter that names a model to the kind of that model, as in ``{"model": "encoder"}``.
    ``signatures`` maps each parameter that names another thing with contents (a tagger) to what signs it by its name.
    ``check`` rejects parameter values that do not fit the stored files of a model, without loading it.
    ``itemwise_if`` names, for a metric whose value of a summary can depend on the others that are scored with it (such
    as by document frequencies), the parameter values with which it does not. ``derived`` is set for a metric that is
    computed from the values of others: its ``compute`` is never called. ``sums`` is set for a system-level metric
    that is a function of sums: parts of a corpus are counted by themselves, and the sums give its value.
    """

    compute: Compute
    _: KW_ONLY
    name: str
    family: str
    description: str
    direction: Direction
    targets: tuple[Target, ...]
    range: tuple[float | None, float | None]
    citation: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    level: Level = "summary"
    cost: Literal["low", "medium", "high"] = "low"
    extra: str | None = None
    version: str = "1"
    models: Mapping[str, "Kind"] = field(default_factory=dict)
    signatures: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    check: Callable[[Mapping[str, str]], None] | None = None
    itemwise_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    derived: Derived | None = None
    sums: Sums | None = None


@dataclass(frozen=True, slots=True)
class MetricRequest:
    """A metric together with its target and parameter values: exactly what is computed into one column of scores.

    ``optional`` is true for a metric requested as part of a family or of ``all``: if it cannot run because a model or
    an extra is missing, it is skipped with a reason instead of stopping the rest. ``column`` is the shortest
    specification that gives this request, the name of its column in scores.
    """

    metric: Metric
    target: Target
    parameters: Mapping[str, str]
    optional: bool = field(default=False, compare=False)
    column: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        head = self.metric.name if self.target == self.metric.targets[0] else f"{self.metric.name}@{self.target}"
        object.__setattr__(self, "column", specification(head, self.metric.parameters, self.parameters))

    @classmethod
    def build(cls, metric: Metric, target: str | None, given: Mapping[str, str]) -> "MetricRequest":
        """Check target and parameters against what the metric declares."""
        owner = f"metric {metric.name!r}"
        chosen = target or metric.targets[0]
        if chosen not in metric.targets:
            raise ParameterError(owner, "target", " or ".join(map(repr, metric.targets)), chosen)
        return cls(metric, chosen, all_values(owner, metric.parameters, given))

    @property
    def itemwise(self) -> bool:
        """Whether the value of a summary depends on that summary and its target alone, not on other summaries."""
        if self.metric.level != "summary":
            return False
        return all(self.parameters[name] in values for name, values in self.metric.itemwise_if.items())

    @property
    def signature(self) -> str:
        """Everything that changes the number, as in ``rouge-l|target:reference|stem:no|v:1``.

        A model is represented by the fingerprint of its files.
        """
        values = signed_values(self.metric.parameters, self.parameters)
        if self.metric.models:
            from dialgauge.models import model_signature

            values |= {name: model_signature(values[name]) for name in self.metric.models if values[name]}
        if self.metric.derived is not None:
            values |= self.metric.derived.signature(values)
        values |= {name: sign(values[name]) for name, sign in self.metric.signatures.items()}
        parts: list[tuple[str, Any]] = [("target", self.target), *values.items(), ("v", self.metric.version)]
        return "|".join([self.metric.name, *(f"{name}:{value}" for name, value in parts)])
