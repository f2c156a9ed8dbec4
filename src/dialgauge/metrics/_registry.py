"""Find metrics by name: ours, and those that other packages add through the entry point group."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Concatenate, ParamSpec

from dialgauge.metrics._metric import Compute, Metric, MetricRequest
from dialgauge.registry import Registry, listed

P = ParamSpec("P")
METRICS = Registry("metric", Metric, attrgetter("compute"))
_OWN = frozenset(row.name for row in listed("metric"))
_PLAIN: dict[str, MetricRequest] = {}
register = METRICS.add
all_metrics = METRICS.all
find_metric = METRICS.find


def _decorator(make: Callable[Concatenate[Compute, P], Metric]) -> Callable[P, Callable[[Compute], Metric]]:
    """A decorator whose arguments are those of a declaration, as type checkers and editors read them there."""

    def metric(*_: P.args, **declaration: P.kwargs) -> Callable[[Compute], Metric]:
        """Decorator that declares a function as a metric and registers it; takes the fields of :class:`Metric`."""

        def declare(compute: Compute) -> Metric:
            declared = make(compute, *_, **declaration)
            register(declared)
            return declared

        return declare

    return metric


metric = _decorator(Metric)


def parse_request(spec: str) -> MetricRequest:
    """Read ``NAME[@TARGET][:PARAMETER=VALUE,…]``, as in ``rouge-l@source:stem=yes``.

    A value may contain colons, ``@`` and equals signs; one with a comma must be in double quotes (a quote inside
    is doubled), as in ``bertscore-f1:model="folder:/models/a,b"``.
    """
    head, given = METRICS.read(spec)
    name, _, target = (part.strip() for part in head.partition("@"))
    return MetricRequest.build(find_metric(name), target or None, given)


def parse_requests(specs: Iterable[str]) -> list[MetricRequest]:
    """Read several specifications. ``all`` and family names stand for their members; repeated ones count once.

    Members of a family are optional, unless they are also requested by name.
    """
    requests: dict[str, MetricRequest] = {}
    for spec in specs:
        if (known := _plain(spec)) is not None:
            requests[spec] = known
            continue
        head, given = METRICS.read(spec)
        name, _, target = (part.strip() for part in head.partition("@"))
        group = METRICS.members(name)
        for member in group or [name]:
            request = MetricRequest.build(find_metric(member), target or None, given)
            earlier = requests.get(request.column)
            optional = bool(group) and (earlier is None or earlier.optional)
            requests[request.column] = replace(request, optional=optional)
    return list(requests.values())


def _plain(spec: str) -> MetricRequest | None:
    """The request of a metric that is asked for by its name alone; None for anything else.

    To read it again would take a tenth of the time of a call that scores a hundred pairs.
    """
    if spec in _PLAIN or spec not in _OWN:
        return _PLAIN.get(spec)
    found = find_metric(spec)
    if found.models:  # their defaults depend on what is installed
        return None
    _PLAIN[spec] = MetricRequest.build(found, None, {})
    return _PLAIN[spec]


def request_modules(request: MetricRequest) -> frozenset[str]:
    """The modules that the values of a request are made by, for :func:`dialgauge.sources.source_digest`."""
    found = METRICS.modules(request.metric) | {"dialgauge.metrics._job"}
    derived = request.metric.derived
    features = derived.features(request.parameters) if derived else ()
    return found.union(*(request_modules(parse_request(feature)) for feature in features))
