"""Where the paths of a study file may lead: nowhere but into its own folder, unless it says that it may.

A study file may come from somebody else. It must not be able to read, or to write over, what lies elsewhere on the
machine of the person who runs it without that person noticing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dialgauge.affect import parse_spec
from dialgauge.corpus import source_folder
from dialgauge.metrics import parse_requests
from dialgauge.models import ModelRef

if TYPE_CHECKING:
    from dialgauge.study._file import StudyFile

#: Taggers of affect whose argument is a path.
_MADE_FROM_FILES = frozenset(("lexicon", "lookup", "sst3", "combined"))
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
    for request in parse_requests(settings.metrics.use) if settings.metrics else ():
        for parameter in request.metric.models:
            given = request.parameters[parameter]
            ref = ModelRef.parse(given) if given else None
            if ref is not None and ref.source == "folder":
                yield ("metrics", "use"), given, Path(ref.name)
        if folder := request.parameters.get("folder"):
            yield ("metrics", "use"), folder, Path(folder).expanduser()
    if settings.affect is not None:
        name, argument, options = parse_spec(settings.affect.tagger)
        # The other kinds name a model, or nothing.
        for given in (argument if name in _MADE_FROM_FILES else "", options.get("folder", "")):
            if given:
                yield ("affect", "tagger"), given, Path(given).expanduser()
