"""Where metrics are found by name: ours, and those that other packages add through the entry point group.

Families are imported on first use, so that listing the names of one does not load the models of another.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.metrics._metric import Metric, MetricRequest

ENTRY_POINT_GROUP = "dialgauge.metrics"
_FAMILIES = (
    "dialgauge.metrics._rouge",
    "dialgauge.metrics._bleu",
    "dialgauge.metrics._chrf",
    "dialgauge.metrics._ter",
    "dialgauge.metrics._meteor",
    "dialgauge.metrics._text_statistics",
    "dialgauge.metrics._extractive",
    "dialgauge.metrics._vectors",
    "dialgauge.metrics._movers",
    "dialgauge.metrics._bertscore",
    "dialgauge.metrics._moverscore",
    "dialgauge.metrics._bartscore",
    "dialgauge.metrics._lmscore",
    "dialgauge.metrics._perplexity",
    "dialgauge.metrics._blanc",
    "dialgauge.metrics._shannon",
    "dialgauge.metrics._estime",
    "dialgauge.metrics._unieval",
    "dialgauge.metrics._nli",
    "dialgauge.metrics._summaqa",
    "dialgauge.metrics._questeval",
    "dialgauge.metrics._feqa",
    "dialgauge.metrics._dae",
    "dialgauge.metrics._judge",
    "dialgauge.metrics._psent",
    "dialgauge.learn._metric",
)

_PAIR = re.compile(r'(?:[^",]|"[^"]*")+')
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_registered: dict[str, Metric] = {}


def register(*metrics: Metric) -> None:
    """Add metrics under their names. A name that is taken by another metric is refused."""
    for metric in metrics:
        present = _registered.get(metric.name)
        if present is not None and present != metric:
            raise DialgaugeError(
                f"two metrics are called {metric.name!r}: {_origin(present)} and {_origin(metric)}; rename one"
            )
        _registered[metric.name] = metric


def metric(**declaration: object) -> "Callable[[Callable[..., object]], Metric]":
    """Decorator that declares a function as a metric and registers it; takes the fields of :class:`Metric`."""

    def declare(compute: Callable[..., object]) -> Metric:
        declared = Metric(compute=compute, **declaration)  # type: ignore[arg-type]  # checked by Metric's own fields
        register(declared)
        return declared

    return declare


@cache
def _load_families() -> None:
    for module in _FAMILIES:
        import_module(module)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        register(*_load_entry_point(point))


def _load_entry_point(point: EntryPoint) -> tuple[Metric, ...]:
    named = f"entry point {point.name!r} ({point.value}) of group {ENTRY_POINT_GROUP!r}"
    try:
        loaded = point.load()
    except Exception as error:  # whatever a foreign package raises, the user must learn which package it was
        raise DialgaugeError(f"{named} cannot be loaded: {type(error).__name__}: {error}") from error
    metrics = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
    if not all(isinstance(entry, Metric) for entry in metrics):
        raise DialgaugeError(f"{named} must give a Metric or several")
    return metrics


def all_metrics() -> Mapping[str, Metric]:
    """Every known metric by name, in the order of the families."""
    _load_families()
    return dict(_registered)


def find_metric(name: str) -> Metric:
    """The metric of this name, or an error that offers the nearest ones."""
    known = all_metrics()
    if name not in known:
        raise UnknownNameError("metric", name, known, "'dialgauge metrics' lists them")
    return known[name]


def parse_request(spec: str) -> MetricRequest:
    """Read ``NAME[@TARGET][:PARAMETER=VALUE,…]``, as in ``rouge-l@source:stem=yes``.

    A value may hold colons, ``@`` and equals signs as it is; one with a comma stands in double quotes (a quote inside
    is doubled), as in ``bertscore-f1:model="folder:/models/a,b"``.
    """
    head, _, tail = spec.strip().partition(":")
    name, _, target = (part.strip() for part in head.partition("@"))
    return MetricRequest.build(find_metric(name), target or None, parse_parameters(f"metric {spec!r}", tail))


def parse_parameters(owner: str, text: str) -> dict[str, str]:
    """Read ``PARAMETER=VALUE,…``, the part of a specification after its colon; ``owner`` leads the errors."""
    if text.count('"') % 2:
        raise InputError(f"{owner}: a quote is opened and not closed")
    parameters: dict[str, str] = {}
    # Cut at the commas that stand outside quotes.
    for pair in _PAIR.findall(text):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise InputError(f"{owner}: write parameters as NAME=VALUE after the colon; got {pair!r}")
        if key in parameters:
            raise InputError(f"{owner}: parameter {key!r} is given twice")
        parameters[key] = value[1:-1].replace('""', '"') if _QUOTED.fullmatch(value) else value
    return parameters


def parse_requests(specs: Iterable[str]) -> list[MetricRequest]:
    """Read several specifications. ``all`` and family names stand for their members; repeated ones count once.

    Members of a family are optional, unless they are also asked for by name.
    """
    known = all_metrics()
    families = {entry.family for entry in known.values()}
    requests: dict[str, MetricRequest] = {}
    for spec in specs:
        head, colon, tail = spec.strip().partition(":")
        name, at, target = (part.strip() for part in head.partition("@"))
        group = name == "all" or (name in families and name not in known)
        names = [n for n, entry in known.items() if name in ("all", entry.family)] if group else [name]
        for member in names:
            request = parse_request(f"{member}{at}{target}{colon}{tail}")
            earlier = requests.get(request.column)
            requests[request.column] = replace(request, optional=group and (earlier is None or earlier.optional))
    return list(requests.values())


def _origin(entry: Metric) -> str:
    name = getattr(entry.compute, "__qualname__", repr(entry.compute))  # a partial object has no name
    return f"{getattr(entry.compute, '__module__', '?')}.{name}"
