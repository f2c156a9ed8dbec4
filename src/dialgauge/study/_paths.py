"""Where the paths of a study file may lead: nowhere but into its own folder, unless it says that it may.

A study file may come from somebody else. It must not be able to read, or to write over, what lies elsewhere on the
machine of the person who runs it without that person noticing.
"""

from collections.abc import Iterator
from pathlib import Path

from dialgauge.corpus import source_folder
from dialgauge.study._sections import StudyFile
from dialgauge.study._specs import metric_specs, system_specs, tagger_spec

#: The key of a path in the study file, what stands there, and where it leads.
Found = tuple[tuple[str, str], str, Path]


def paths_outside(settings: StudyFile, home: Path) -> list[Found]:
    """The keys and values whose paths lead out of ``home``, links followed; none where ``study.outside`` is true.

    All are relative to ``home``, those inside specifications (of metrics, summarizers and taggers), too.
    """
    if settings.study.outside:
        return []
    inside = home.resolve()
    found = [(key, given, path.resolve()) for key, given, path in _paths(settings, home)]
    return [(key, given, path) for key, given, path in found if not path.is_relative_to(inside)]


def _paths(settings: StudyFile, home: Path) -> Iterator[Found]:
    source = settings.corpus.source
    if source != "embedded" and not source.startswith("dataset:"):
        path = source_folder(source, home)
        assert path is not None
        yield ("corpus", "source"), source, path
    if settings.study.output is not None:
        yield ("study", "output"), settings.study.output, home / settings.study.output
    if settings.affect is not None:
        for place in tagger_spec(settings.affect.tagger, home).places:
            yield ("affect", "tagger"), place.written, place.path
    if (repeated := settings.reproduction) is not None:
        if repeated.original != "embedded" and not repeated.original.startswith("dataset:"):
            yield ("reproduction", "original"), repeated.original, home / repeated.original
        if repeated.claims is not None:
            yield ("reproduction", "claims"), repeated.claims, home / repeated.claims
    if settings.summarize is not None:
        for place in system_specs(settings.summarize.systems, home).places:
            yield ("summarize", "systems"), place.given, place.path
    if settings.metrics is not None:
        for place in metric_specs(settings.metrics.use, home).places:
            if not place.registered:
                yield ("metrics", "use"), place.given, place.path
