"""Which code decides what a stage makes."""

from functools import cache
from pathlib import Path

from dialgauge.study._digest import digest, file_digest
from dialgauge.study._stage import Stage
from dialgauge.study._study_file import StudyFile

_SOURCE_SUFFIXES = {".py", ".c", ".h", ".toml", ".html", ".css", ".js"}


def code_digest(stage: Stage, settings: StudyFile) -> str:
    """A digest of the code that decides what a stage makes with these settings."""
    return _package_digest()


@cache
def _package_digest() -> str:
    package = Path(__file__).parent.parent
    files = sorted(path for path in package.rglob("*") if path.suffix in _SOURCE_SUFFIXES)
    return digest({path.relative_to(package).as_posix(): file_digest(path) for path in files})
