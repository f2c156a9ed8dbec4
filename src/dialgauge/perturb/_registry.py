"""Where perturbations are found by name: ours, and those that other packages add through the entry point group."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.perturb._perturbation import Perturbation, PerturbationRequest

ENTRY_POINT_GROUP = "dialgauge.perturbations"
#: Imported on first use; each registers what it declares.
_MODULES: tuple[str, ...] = (
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
)
_LEVEL = re.compile(r"(.+)_(\d+)")
_registered: dict[str, Perturbation] = {}


def register(*perturbations: Perturbation) -> None:
    """Add perturbations under their names. A name that is taken by another one is refused."""
    for entry in perturbations:
        present = _registered.get(entry.name)
        if present is not None and present != entry:
            raise DialgaugeError(
                f"two perturbations are called {entry.name!r}: {_origin(present)} and {_origin(entry)}; rename one"
            )
        _registered[entry.name] = entry


@cache
def _load_modules() -> None:
    for module in _MODULES:
        import_module(module)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        register(*_load_entry_point(point))


def _load_entry_point(point: EntryPoint) -> tuple[Perturbation, ...]:
    named = f"entry point {point.name!r} ({point.value}) of group {ENTRY_POINT_GROUP!r}"
    try:
        loaded = point.load()
    except Exception as error:  # whatever a foreign package raises, the user must learn which package it was
        raise DialgaugeError(f"{named} cannot be loaded: {type(error).__name__}: {error}") from error
    found = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
    if not all(isinstance(entry, Perturbation) for entry in found):
        raise DialgaugeError(f"{named} must give a Perturbation or several")
    return found


def all_perturbations() -> Mapping[str, Perturbation]:
    """Every known perturbation by name: the baseline family, then the domain family, then those of other packages."""
    _load_modules()
    # Sorted, as a module may have been imported before its turn.
    return {entry.name: entry for entry in sorted(_registered.values(), key=_place)}


def _place(entry: Perturbation) -> tuple[bool, int]:
    module = getattr(entry.propose, "__module__", "")
    return entry.family != "baseline", _MODULES.index(module) if module in _MODULES else len(_MODULES)


def find_perturbation(name: str) -> Perturbation:
    """The perturbation of this name, or an error that offers the nearest ones."""
    known = all_perturbations()
    if name not in known:
        raise UnknownNameError("perturbation", name, known, "'dialgauge perturbations' lists them")
    return known[name]


def parse_requests(specs: Iterable[str]) -> list[PerturbationRequest]:
    """Read ``NAME[_LEVEL][:OPTION=VALUE,…]``, as in ``typos_2`` or ``jumble:scope=sentence``.

    ``all``, ``baseline`` and ``domain`` stand for their members, and the name of a numbered perturbation for all its
    levels. Requests that are repeated count once.
    """
    known = all_perturbations()
    requests: dict[str, PerturbationRequest] = {}
    for spec in specs:
        head, _, tail = (part.strip() for part in spec.strip().partition(":"))
        families = {entry.family for entry in known.values()}
        if head == "all" or (head in families and head not in known):
            found = [
                r for e in known.values() if head in ("all", e.family) for r in _levels(e, None, _options(spec, tail))
            ]
        else:
            numbered = _LEVEL.fullmatch(head)
            if head not in known and numbered and numbered[1] in known:
                found = _levels(known[numbered[1]], int(numbered[2]), _options(spec, tail))
            else:
                found = _levels(find_perturbation(head), None, _options(spec, tail))
        requests |= {request.label: request for request in found}
    return list(requests.values())


def _levels(entry: Perturbation, level: int | None, options: Mapping[str, str]) -> list[PerturbationRequest]:
    levels = entry.levels if entry.numbered and level is None else (level,)
    return [PerturbationRequest.build(entry, wanted, options) for wanted in levels]


def _options(spec: str, tail: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in filter(None, tail.split(",")):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise InputError(f"perturbation {spec!r}: write options as NAME=VALUE after the colon; got {pair!r}")
        if name in options:
            raise InputError(f"perturbation {spec!r}: option {name!r} is given twice")
        options[name] = value
    return options


def _origin(entry: Perturbation) -> str:
    name = getattr(entry.propose, "__qualname__", repr(entry.propose))
    return f"{getattr(entry.propose, '__module__', '?')}.{name}"
