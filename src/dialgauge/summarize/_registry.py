"""Where summarizers are found by name: ours, and those that other packages add through the entry point group."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.metrics import parse_parameters
from dialgauge.summarize._system import Summarizer, SummarizerRequest

ENTRY_POINT_GROUP = "dialgauge.summarizers"
#: Imported on first use; each registers what it declares.
_MODULES = (
    "dialgauge.summarize._extractive",
    "dialgauge.summarize._textrank",
    "dialgauge.summarize._oracle",
    "dialgauge.summarize._seq2seq",
    "dialgauge.summarize._chat",
)
#: A name of one's own before the specification: ``bart=seq2seq:model=…``.
_NAMED = re.compile(r"([^:=]+)=([^:=]+)")
_registered: dict[str, Summarizer] = {}


def register(*summarizers: Summarizer) -> None:
    """Add summarizers under their names. A name that is taken by another one is refused."""
    for entry in summarizers:
        present = _registered.get(entry.name)
        if present is not None and present != entry:
            raise DialgaugeError(
                f"two summarizers are called {entry.name!r}: {_origin(present)} and {_origin(entry)}; rename one"
            )
        _registered[entry.name] = entry


@cache
def _load_modules() -> None:
    for module in _MODULES:
        import_module(module)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        register(*_load_entry_point(point))


def _load_entry_point(point: EntryPoint) -> tuple[Summarizer, ...]:
    named = f"entry point {point.name!r} ({point.value}) of group {ENTRY_POINT_GROUP!r}"
    try:
        loaded = point.load()
    except Exception as error:  # whatever a foreign package raises, the user must learn which package it was
        raise DialgaugeError(f"{named} cannot be loaded: {type(error).__name__}: {error}") from error
    found = tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)
    if not all(isinstance(entry, Summarizer) for entry in found):
        raise DialgaugeError(f"{named} must give a Summarizer or several")
    return found


def all_summarizers() -> Mapping[str, Summarizer]:
    """Every known summarizer by name: ours in the order of effort, then those of other packages."""
    _load_modules()
    return {entry.name: entry for entry in sorted(_registered.values(), key=_place)}


def _place(entry: Summarizer) -> int:
    module = getattr(entry.compute, "__module__", "")
    return _MODULES.index(module) if module in _MODULES else len(_MODULES)


def find_summarizer(name: str) -> Summarizer:
    """The summarizer of this name, or an error that offers the nearest ones."""
    known = all_summarizers()
    if name not in known:
        raise UnknownNameError("summarizer", name, known, "'dialgauge summarizers' lists them")
    return known[name]


def parse_request(spec: str) -> SummarizerRequest:
    """Read ``[SYSTEM=]NAME[:PARAMETER=VALUE,…]``, as in ``longest:n=2`` or ``bart=seq2seq:model=folder:/m``.

    SYSTEM is what the summaries are filed under in the corpus; without it, the specification itself.
    """
    head, _, tail = spec.strip().partition(":")
    named = _NAMED.fullmatch(head)
    system, name = (named[1].strip(), named[2].strip()) if named else ("", head.strip())
    return SummarizerRequest.build(find_summarizer(name), parse_parameters(f"summarizer {spec!r}", tail), system)


def parse_requests(specs: Iterable[str]) -> list[SummarizerRequest]:
    """Read several specifications. Repeated ones count once; two different ones of one system name are refused."""
    if isinstance(specs, str):
        raise InputError(f"systems is a list of specifications; got the bare string {specs!r}: write [{specs!r}]")
    requests: dict[str, SummarizerRequest] = {}
    for spec in specs:
        request = parse_request(spec)
        earlier = requests.setdefault(request.system, request)
        if earlier != request:
            raise InputError(f"two different summarizers are to be called {request.system!r}; name them apart")
    if not requests:
        raise InputError("no system was asked for; 'dialgauge summarizers' lists them")
    return list(requests.values())


def _origin(entry: Summarizer) -> str:
    name = getattr(entry.compute, "__qualname__", repr(entry.compute))  # a partial object has no name
    return f"{getattr(entry.compute, '__module__', '?')}.{name}"
