"""Where the paths of a study file may lead: nowhere but into its own folder, unless it says that it may.

A study file may come from somebody else. It must not be able to read, or to write over, what lies elsewhere on the
machine of the person who runs it without that person noticing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dialgauge.affect import path_of_spec
from dialgauge.corpus import source_folder
from dialgauge.metrics import Metric, parse_requests
from dialgauge.models import ModelRef

if TYPE_CHECKING:
    from dialgauge.study._file import StudyFile
    from dialgauge.summarize import Summarizer

#: The key of a path in the study file, what stands there, and where it leads.
Found = tuple[tuple[str, str], str, Path]


def paths_outside(settings: "StudyFile", home: Path) -> list[Found]:
    """The keys and values whose paths lead out of ``home``, links followed; none where ``study.outside`` is true.

    Paths inside specifications (of metrics, summarizers and taggers) are relative to the working folder, wherever they
    are used; the others are relative to ``home``.
    """
    if settings.study.outside:
        return []
    inside = home.resolve()
    found = [(key, given, path.resolve()) for key, given, path in _paths(settings, home)]
    return [(key, given, path) for key, given, path in found if not path.is_relative_to(inside)]


def _paths(settings: "StudyFile", home: Path) -> Iterator[Found]:
    source = settings.corpus.source
    if source != "embedded" and not source.startswith("dataset:"):
        path = source_folder(source, home)
        assert path is not None
        yield ("corpus", "source"), source, path
    if settings.study.output is not None:
        yield ("study", "output"), settings.study.output, home / settings.study.output
    if settings.affect is not None and (words := path_of_spec(settings.affect.tagger)):
        yield ("affect", "tagger"), words, Path(words).expanduser()
    if (repeated := settings.reproduction) is not None:
        if repeated.original != "embedded" and not repeated.original.startswith("dataset:"):
            yield ("reproduction", "original"), repeated.original, home / repeated.original
        if repeated.claims is not None:
            yield ("reproduction", "claims"), repeated.claims, home / repeated.claims
    if settings.summarize is not None:
        yield from _summarizer_paths(settings.summarize.systems)
    for request in parse_requests(settings.metrics.use) if settings.metrics else ():
        for parameter, given in request.parameters.items():
            led = _led_to(request.metric, parameter, given) if given else None
            if led is not None:
                yield ("metrics", "use"), given, Path(led).expanduser()


def _summarizer_paths(systems: list[str]) -> Iterator[Found]:
    from dialgauge.summarize import parse_requests as parse_systems

    for request in parse_systems(systems):
        for parameter, path in request.files().items():
            yield ("summarize", "systems"), request.parameters[parameter], path
        for parameter, given in request.parameters.items():
            led = _led_to(request.summarizer, parameter, given) if given else None
            if led is not None:
                yield ("summarize", "systems"), given, Path(led).expanduser()


def _led_to(declared: "Metric | Summarizer", parameter: str, given: str) -> str | None:
    """The path that a parameter of a metric or summarizer leads to, if any."""
    if parameter in declared.models:
        ref = ModelRef.parse(given)
        return ref.name if ref.source == "folder" else None
    path = declared.parameters[parameter].path
    return path(given) if path else None
