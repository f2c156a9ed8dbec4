"""Paths of a study file: they must stay within its folder, unless the file allows more.

A study file may come from somebody else. It must not be able to read, or to write over, what lies elsewhere on the
machine of the person who runs it without that person noticing.
"""

from collections.abc import Iterator
from pathlib import Path

from dialgauge.study._graph import all_stages
from dialgauge.study._stage import GivenPath
from dialgauge.study._study_file import StudyFile


def paths_outside(settings: StudyFile, home: Path) -> list[GivenPath]:
    """The keys and values whose paths lead out of ``home``, links followed; none where ``study.outside`` is true.

    All are relative to ``home``, those inside specifications (of metrics, summarizers and taggers), too.
    """
    if settings.study.outside:
        return []
    inside = home.resolve()
    found = [(key, given, path.resolve()) for key, given, path in _paths(settings, home)]
    return [(key, given, path) for key, given, path in found if not path.is_relative_to(inside)]


def _paths(settings: StudyFile, home: Path) -> Iterator[GivenPath]:
    if settings.study.output is not None:
        yield ("study", "output"), settings.study.output, home / settings.study.output
    for stage in all_stages():
        # A file for the annotation alone may leave out what other stages need.
        if all(settings.find(section.model) is not None for section in stage.sections):
            yield from stage.paths(settings, home)
