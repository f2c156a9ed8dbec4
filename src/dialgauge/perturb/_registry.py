"""Find perturbations by name: ours, and those that other packages add through the entry point group."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter

from dialgauge.perturb._evaleval import COMPAT, PUBLISHED
from dialgauge.perturb._perturbation import Perturbation, PerturbationRequest
from dialgauge.registry import Registry

PERTURBATIONS = Registry("perturbation", Perturbation, attrgetter("propose"))
ENTRY_POINT_GROUP = PERTURBATIONS.group
find_perturbation = PERTURBATIONS.find


def register(*perturbations: Perturbation) -> None:
    """Add perturbations. Those that the published code has get the option to do as it does."""
    PERTURBATIONS.add(
        *(
            replace(one, options={**one.options, "compat": COMPAT}) if one.name in PUBLISHED else one
            for one in perturbations
        )
    )


_LEVEL = re.compile(r"(.+)_(\d+)")


def all_perturbations() -> Mapping[str, Perturbation]:
    """Every known perturbation by name: the baseline family, then the domain family, those of other packages last."""
    return dict(sorted(PERTURBATIONS.all().items(), key=lambda named: named[1].family != "baseline"))


def parse_requests(specs: Iterable[str]) -> list[PerturbationRequest]:
    """Read ``NAME[_LEVEL][:OPTION=VALUE,…]``, as in ``typos_2`` or ``jumble:scope=sentence``.

    ``all``, ``baseline`` and ``domain`` mean their members, and the name of a numbered perturbation means all its
    levels. Requests that are repeated count once.
    """
    requests: dict[str, PerturbationRequest] = {}
    for spec in specs:
        head, options = PERTURBATIONS.read(spec, "option")
        level, numbered = None, _LEVEL.fullmatch(head)
        if PERTURBATIONS.members(head):
            entries = [entry for entry in all_perturbations().values() if head in ("all", entry.family)]
        elif head not in PERTURBATIONS and numbered and numbered[1] in PERTURBATIONS:
            entries, level = [find_perturbation(numbered[1])], int(numbered[2])
        else:
            entries = [find_perturbation(head)]
        found = [request for entry in entries for request in _levels(entry, level, options)]
        requests |= {request.label: request for request in found}
    return list(requests.values())


def _levels(entry: Perturbation, level: int | None, options: Mapping[str, str]) -> list[PerturbationRequest]:
    levels = entry.levels if entry.numbered and level is None else (level,)
    return [PerturbationRequest.build(entry, wanted, options) for wanted in levels]
