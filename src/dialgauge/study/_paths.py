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

#: The key of a path in the study file, what stands there, and where it leads.
Found = tuple[tuple[str, str], str, Path]


def paths_outside(settings: "StudyFile", home: Path) -> list[tuple[tuple[str, str], str]]:
    """The keys and values whose paths lead out of ``home``, links followed; none where ``study.outside`` is true."""
    if settings.study.outside:
        return []
    inside = home.resolve()
    return [(key, given) for key, given, path in _paths(settings, home) if not path.resolve().is_relative_to(inside)]


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
    for request in parse_requests(settings.metrics.use) if settings.metrics else ():
        for parameter, given in request.parameters.items():
            led = _led_to(request.metric, parameter, given) if given else None
            if led is not None:
                yield ("metrics", "use"), given, Path(led).expanduser()


def _led_to(metric: Metric, parameter: str, given: str) -> str | None:
    """The path that a parameter of a metric leads to, if any."""
    if parameter in metric.models:
        ref = ModelRef.parse(given)
        return ref.name if ref.source == "folder" else None
    path = metric.parameters[parameter].path
    return path(given) if path else None
