"""Import of the file that an annotator saved from the tray: changes that the server did not take at the time.

Each becomes what it would have become in the browser: the answer, or a late change that the lead takes or leaves.
"""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import Save
from dialgauge.annotate._late import keep_late, kept_reason
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._saves import digest_of, save_answer
from dialgauge.errors import InputError


def is_tray(content: bytes) -> bool:
    """Whether a file looks like one that was saved from the tray."""
    try:
        rows = json.loads(content)
    except ValueError:
        return False
    return isinstance(rows, list) and bool(rows) and all(isinstance(row, dict) and "edit" in row for row in rows)


def import_tray(
    connection: Connection, project: Project, library: Library, content: bytes, annotator: str
) -> dict[str, Any]:
    """How many changes were accepted, how many are kept for the lead (``late``), and what was refused and why."""
    counts = {"accepted": 0, "late": 0}
    refused = []
    for where, row in _rows(content):
        try:
            outcome = _take(connection, project, library, row, annotator)
        except ValidationError as error:
            refused.append({"where": where, "message": str(error.errors()[0]["msg"])})
        except RefusedError as error:
            problems = [one["message"] for one in error.more.get("problems") or ()]
            refused.append({"where": where, "message": "; ".join(problems) or error.message})
        else:
            if outcome is not None:
                counts[outcome] += 1
    return {**counts, "refused": refused}


def _rows(content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    if not is_tray(content):
        raise InputError("tray: expected the JSON file that the annotator's page saves: a list of changes")
    for number, row in enumerate(json.loads(content), 1):
        yield f"change {number}", row


def _take(
    connection: Connection, project: Project, library: Library, row: dict[str, Any], annotator: str
) -> str | None:
    """Save one change; what became of it, None where it was here before."""
    given = row["edit"] if isinstance(row["edit"], dict) else {}
    save = Save.model_validate({name: given[name] for name in Save.model_fields if given.get(name) is not None})
    assignment = str(row.get("item", ""))
    who = _owner(connection, assignment)
    if who is None:
        raise RefusedError(404, "not-found", "is not an item of this study")
    if annotator not in ("", who.name):
        raise RefusedError(422, "invalid", f"is not an item of {annotator}")
    known = kept_reason(connection, save.key) is not None
    try:
        with connection.begin_nested():
            saved = save_answer(connection, project, library, who, assignment, save)
    except RefusedError as error:
        if error.code != "conflict":
            raise
        # The answer has changed since: which of the two counts is not for the file to say.
        _keep(connection, who, assignment, save)
        return "late"
    if known or saved.reply.get("repeated"):
        return None
    return "accepted" if saved.kept is None else "late"


def _keep(connection: Connection, who: Visitor, assignment: str, save: Save) -> None:
    item = connection.execute(sa.select(t.assignment.c.item).where(t.assignment.c.id == assignment)).scalar_one()
    digest = digest_of(assignment, save)
    keep_late(connection, who.annotator, assignment, item, save, digest=digest, reason="conflict")


def _owner(connection: Connection, assignment: str) -> Visitor | None:
    """Whose item this is, or was before it went to somebody else."""
    for table, column in ((t.assignment, t.assignment.c.id), (t.moved, t.moved.c.assignment)):
        query = sa.select(t.annotator).join(table, table.c.annotator == t.annotator.c.id).where(column == assignment)
        if (row := connection.execute(query).first()) is not None:
            return Visitor(row.id, row.name, row.state, row.role, "", "")
    return None
