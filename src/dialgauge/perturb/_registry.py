"""Where perturbations are found by name: ours, and those that other packages add through the entry point group."""

import re
from collections.abc import Iterable, Mapping
from operator import attrgetter

from dialgauge.perturb._perturbation import Perturbation, PerturbationRequest
from dialgauge.registry import Registry, parse_parameters

PERTURBATIONS = Registry(
    "perturbation",
    Perturbation,
    attrgetter("propose"),
    modules=(
        "dialgauge.perturb._baseline_verbs",
        "dialgauge.perturb._baseline_adjectives",
        "dialgauge.perturb._baseline_nouns",
        "dialgauge.perturb._baseline_contractions",
        "dialgauge.perturb._baseline_dropping",
        "dialgauge.perturb._baseline_order",
        "dialgauge.perturb._baseline_marks",
        "dialgauge.perturb._domain_style",
        "dialgauge.perturb._domain_speakers",
        "dialgauge.perturb._domain_additions",
        "dialgauge.perturb._domain_length",
        "dialgauge.perturb._domain_category",
        "dialgauge.perturb._domain_entities",
        "dialgauge.perturb._domain_sentences",
    ),
)
ENTRY_POINT_GROUP = PERTURBATIONS.group
register = PERTURBATIONS.add
find_perturbation = PERTURBATIONS.find

_LEVEL = re.compile(r"(.+)_(\d+)")


def all_perturbations() -> Mapping[str, Perturbation]:
    """Every known perturbation by name: the baseline family, then the domain family, those of other packages last."""
    return dict(sorted(PERTURBATIONS.all().items(), key=lambda named: named[1].family != "baseline"))


def parse_requests(specs: Iterable[str]) -> list[PerturbationRequest]:
    """Read ``NAME[_LEVEL][:OPTION=VALUE,…]``, as in ``typos_2`` or ``jumble:scope=sentence``.

    ``all``, ``baseline`` and ``domain`` stand for their members, and the name of a numbered perturbation for all its
    levels. Requests that are repeated count once.
    """
    known = all_perturbations()
    families = {entry.family for entry in known.values()}
    requests: dict[str, PerturbationRequest] = {}
    for spec in specs:
        head, _, tail = (part.strip() for part in spec.strip().partition(":"))
        level, numbered = None, _LEVEL.fullmatch(head)
        if head == "all" or (head in families and head not in known):
            entries = [entry for entry in known.values() if head in ("all", entry.family)]
        elif head not in known and numbered and numbered[1] in known:
            entries, level = [known[numbered[1]]], int(numbered[2])
        else:
            entries = [find_perturbation(head)]
        options = parse_parameters(f"perturbation {spec!r}", tail, "option")
        found = [request for entry in entries for request in _levels(entry, level, options)]
        requests |= {request.label: request for request in found}
    return list(requests.values())


def _levels(entry: Perturbation, level: int | None, options: Mapping[str, str]) -> list[PerturbationRequest]:
    levels = entry.levels if entry.numbered and level is None else (level,)
    return [PerturbationRequest.build(entry, wanted, options) for wanted in levels]
