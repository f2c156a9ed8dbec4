"""Where metrics are found by name: ours, and those that other packages add through the entry point group.

Families are imported on first use, so that listing the names of one does not load the models of another.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter

from dialgauge.metrics._metric import Metric, MetricRequest
from dialgauge.registry import Registry, parse_parameters

METRICS = Registry(
    "metric",
    Metric,
    attrgetter("compute"),
    modules=(
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
    ),
)
register = METRICS.add
all_metrics = METRICS.all
find_metric = METRICS.find


def metric(**declaration: object) -> "Callable[[Callable[..., object]], Metric]":
    """Decorator that declares a function as a metric and registers it; takes the fields of :class:`Metric`."""

    def declare(compute: Callable[..., object]) -> Metric:
        declared = Metric(compute=compute, **declaration)  # type: ignore[arg-type]  # checked by Metric's own fields
        register(declared)
        return declared

    return declare


def parse_request(spec: str) -> MetricRequest:
    """Read ``NAME[@TARGET][:PARAMETER=VALUE,…]``, as in ``rouge-l@source:stem=yes``.

    A value may hold colons, ``@`` and equals signs as it is; one with a comma stands in double quotes (a quote inside
    is doubled), as in ``bertscore-f1:model="folder:/models/a,b"``.
    """
    head, _, tail = spec.strip().partition(":")
    name, _, target = (part.strip() for part in head.partition("@"))
    return MetricRequest.build(find_metric(name), target or None, parse_parameters(f"metric {spec!r}", tail))


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
