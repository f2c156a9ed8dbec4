"""Imports, backups and checks without the browser."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from dialgauge.annotate._audit import LogCheck, check_log, last_head, log
from dialgauge.annotate._imports import IMPORTS, import_answers
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._store import Store, held, integrity_problem
from dialgauge.annotate._tray_import import is_tray
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import atomic_file


def import_kind(path: Path) -> str:
    """What a file to import is, by its ending and, for JSON, by what it holds."""
    kinds = {".xlsx": "sheets", ".json": "label-studio"}
    if path.suffix.lower() not in kinds:
        raise InputError(
            f"{path}: expected a workbook (.xlsx), a Label Studio JSON export or the changes that an annotator's page "
            "saved (.json)"
        )
    kind = kinds[path.suffix.lower()]
    return "tray" if kind == "label-studio" and path.is_file() and is_tray(path.read_bytes()) else kind


def import_file(project: Project, kind: str, path: Path | str, *, annotator: str = "") -> dict[str, Any]:
    """Import ratings: ``"sheets"`` (completed workbooks), ``"label-studio"`` (its JSON export) or ``"tray"``.

    The last is what an annotator's page saves of changes that the server did not take. Gives how many ratings (of a
    tray: changes) were ``accepted``, and each ``refused`` line with its place and reason; of a tray also how many
    changes are kept for the lead's decision (``late``).
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
    """Copy the database to a file; annotators can keep working meanwhile, also with another process that serves them.

    The copy has the names of the systems and the key that signs links, so the audit log records it as unblinding.
    """
    path = Path(path)
    with atomic_file(path) as temporary:
        temporary.unlink()
        project.store.backup(temporary)
    path.chmod(0o600)
    project.store.write(lambda connection: log_backup(connection, "lead"))
    return path


def log_backup(connection: Connection, actor: str) -> None:
    """Record that somebody has a copy of everything."""
    log(connection, actor, "backup", unblinds=True)


def audit_head(project: Project) -> str:
    """The head of the audit log: whoever notes it can later prove that nothing before it was changed."""
    with project.store.read() as connection:
        return last_head(connection)


def check_audit_log(project: Project, expected_head: str | None = None) -> LogCheck:
    """Check that no entry of the audit log was changed, deleted or cut off; ``expected_head`` was noted earlier."""
    with project.store.read() as connection:
        return check_log(connection, expected_head)


def restore_backup(database: Path | str, backup: Path | str) -> Path | None:
    """Put a backup in the place of a project's database, which must not be in use.

    Returns where the previous database was moved to, None where there was none. The audit log records the restoring.
    """
    target, source = Path(database), Path(backup)
    if str(database).startswith(("postgresql://", "postgres://")):
        raise InputError("restore: use pg_restore to restore a PostgreSQL database")
    _require_backup(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = None
    with held(target):
        with atomic_file(target.with_name(f"{target.name}.restored")) as temporary:
            shutil.copyfile(source, temporary)
        restored = target.with_name(f"{target.name}.restored")
        restored.chmod(0o600)
        if target.exists():
            kept = target.with_name(f"{target.name}.before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
            target.rename(kept)
            # Changes that a killed server has left beside the file belong to it.
            for rest in ("-wal", "-shm"):
                if (beside := target.with_name(target.name + rest)).exists():
                    beside.rename(kept.with_name(kept.name + rest))
        restored.rename(target)
    with Store(target) as store:
        store.write(lambda connection: log(connection, "lead", "restored", backup=source.name))
    return kept


def _require_backup(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        problem = integrity_problem(connection)
        try:
            known = problem is None and connection.execute("SELECT 1 FROM setting WHERE name = 'study'").fetchone()
        except sqlite3.DatabaseError:
            known = None
    if problem is not None:
        raise InputError(f"{path}: is not a sound SQLite database ({problem})")
    if known is None:
        raise InputError(f"{path}: is not a backup of an annotation project")
