"""Where metrics are found by name: ours, and those that other packages add through the entry point group.

Families are imported on first use, so that listing the names of one does not load the models of another.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.metrics._metric import Metric, MetricRequest

ENTRY_POINT_GROUP = "dialgauge.metrics"
_FAMILIES = (
    "dialgauge.metrics._rouge",
    "dialgauge.metrics._bleu",
    "dialgauge.metrics._chrf",
    "dialgauge.metrics._ter",
    "dialgauge.metrics._meteor",
    "dialgauge.metrics._extractive",
)

_registered: dict[str, Metric] = {}


def register(*metrics: Metric) -> None:
    """Add metrics under their names. A name that is taken by another metric is refused."""
    for metric in metrics:
        present = _registered.get(metric.name)
        if present is not None and present.compute is not metric.compute:
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
        loaded = point.load()
        metrics = (loaded,) if isinstance(loaded, Metric) else tuple(loaded)
        if not all(isinstance(entry, Metric) for entry in metrics):
            raise DialgaugeError(f"entry point {point.name!r} ({point.value}) must give a Metric or several")
        register(*metrics)


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
    """Read ``NAME[@TARGET][:PARAMETER=VALUE,…]``, as in ``rouge-l@source:stem=yes``."""
    head, _, tail = spec.strip().partition(":")
    name, _, target = head.partition("@")
    parameters: dict[str, str] = {}
    for pair in filter(None, tail.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"metric {spec!r}: write parameters as NAME=VALUE after the colon; got {pair!r}")
        parameters[key.strip()] = value.strip()
    return MetricRequest.build(find_metric(name), target or None, parameters)


def parse_requests(specs: Iterable[str]) -> list[MetricRequest]:
    """Read several specifications. ``all`` and family names stand for their members; repeated ones count once."""
    known = all_metrics()
    families = {entry.family for entry in known.values()}
    requests: dict[str, MetricRequest] = {}
    for spec in specs:
        head, colon, tail = spec.strip().partition(":")
        name, at, target = head.partition("@")
        if name == "all" or (name in families and name not in known):
            names = [n for n, entry in known.items() if name in ("all", entry.family)]
        else:
            names = [name]
        for member in names:
            request = parse_request(f"{member}{at}{target}{colon}{tail}")
            requests[request.column] = request
    return list(requests.values())


def _origin(entry: Metric) -> str:
    return f"{entry.compute.__module__}.{entry.compute.__qualname__}"
