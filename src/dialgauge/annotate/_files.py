"""Imports and backups from files, without the browser."""

from pathlib import Path
from typing import Any

from dialgauge.annotate._access import log
from dialgauge.annotate._imports import IMPORTS, import_answers
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import atomic_file


def import_file(project: Project, kind: str, path: Path | str, *, annotator: str = "") -> dict[str, Any]:
    """Import ratings from a file: ``"sheets"`` (completed workbooks) or ``"label-studio"`` (its JSON export).

    Gives how many ratings were ``accepted``, and each ``refused`` line with its place and reason.
    """
    if kind not in IMPORTS:
        raise UnknownNameError("kind of import", kind, IMPORTS)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error

    def write(connection: Any) -> dict[str, Any]:
        done = import_answers(connection, project, Library(), kind, content, annotator)
        log(connection, "lead", "import", kind=kind, accepted=done["accepted"])
        return done

    return project.store.write(write)


def backup_project(project: Project, path: Path | str) -> Path:
    """Copy the database to a file; annotators can keep working meanwhile."""
    path = Path(path)
    with atomic_file(path) as temporary:
        temporary.unlink()
        project.store.backup(temporary)
    path.chmod(0o600)
    project.store.write(lambda connection: log(connection, "lead", "backup"))
    return path
