"""Saving: every change is an immutable event that advances the answer by one revision.

Event and answer are written in one transaction. The same key again, even twenty times at once, is the same event. A
save on a revision that is no longer the latest is refused and gets the current answer.
"""

import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import Checked, Save, check_answer
from dialgauge.annotate._build import fresh_assignment, insert, opaque
from dialgauge.annotate._library import ItemText, Library, dimensions_of_pass
from dialgauge.annotate._planning import shuffled
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._views import answer_view, feedback_view, is_editable

_FOUND = (
    sa.select(
        t.assignment.c.item,
        t.assignment.c.shown,
        t.assignment.c.rev,
        t.assignment.c.complete,
        t.page.c.stage,
        t.page.c.number_of_pass,
    )
    .join(t.page, t.page.c.id == t.assignment.c.page)
    .where(t.assignment.c.id == sa.bindparam("wanted"), t.assignment.c.annotator == sa.bindparam("who"))
)
_EVENT = sa.select(t.event.c.rev, t.event.c.digest).where(t.event.c.key == sa.bindparam("wanted"))
_MOVE = (
    sa.update(t.assignment)
    .where(t.assignment.c.id == sa.bindparam("wanted"), t.assignment.c.rev == sa.bindparam("seen"))
    .values(
        rev=t.assignment.c.rev + 1,
        answer=sa.bindparam("new_answer", type_=sa.JSON),
        complete=sa.bindparam("new_complete"),
        active_ms=t.assignment.c.active_ms + sa.bindparam("more_ms"),
        first_saved=sa.func.coalesce(t.assignment.c.first_saved, sa.bindparam("now")),
        saved=sa.bindparam("now"),
    )
)


@dataclass(frozen=True, slots=True)
class Saved:
    """The outcome of a save. ``finished`` says that this save made the item complete."""

    reply: dict[str, Any]
    stage: str
    finished: bool


def save_answer(
    connection: Connection,
    project: Project,
    library: Library,
    visitor: Visitor,
    assignment: str,
    save: Save,
    *,
    source: str = "browser",
) -> Saved:
    """Write one change; see the module."""
    found = connection.execute(_FOUND, {"wanted": assignment, "who": visitor.annotator}).first()
    if found is None:
        raise RefusedError(404, "not-found", "This item does not exist, or it is not yours.")
    (item,) = library.items(connection, [found.item])
    dimensions = dimensions_of_pass(project.section, found.number_of_pass)
    digest = _digest(assignment, save)
    checked = check_answer(project.section, library.subject(connection, item, found.shown, dimensions), save)
    if (written := _written(connection, save.key, digest)) is not None:
        return Saved(_reply(project, item, written, checked, repeated=True), found.stage, False)
    _require_open(connection, visitor, found.stage, found.complete, source)
    if checked.problems:
        raise RefusedError(422, "invalid", "The answer does not fit the protocol.", problems=list(checked.problems))
    complete, now = not checked.missing, time.time()
    change = {"wanted": assignment, "seen": save.rev, "new_answer": checked.answer, "new_complete": complete}
    moved = connection.execute(_MOVE, {**change, "more_ms": save.active_ms, "now": now})
    if moved.rowcount != 1:
        # Another process may have written this very change while we waited for the row.
        if (written := _written(connection, save.key, digest)) is not None:
            return Saved(_reply(project, item, written, checked, repeated=True), found.stage, False)
        raise _conflict(connection, assignment)
    event = {"key": save.key.lower(), "assignment": assignment, "rev": save.rev + 1, "answer": checked.answer}
    event |= {"digest": digest, "active_ms": save.active_ms, "source": source, "at": now}
    try:
        connection.execute(sa.insert(t.event), event)
    except sa.exc.IntegrityError as error:
        raise _key_reused() from error
    if item.kind == "write":
        _ask_for_review(connection, project, visitor, assignment, item, complete)
    reply = _reply(project, item, save.rev + 1, checked, repeated=False)
    return Saved(reply, found.stage, complete and not found.complete)


def _digest(assignment: str, save: Save) -> str:
    content = save.model_dump(mode="json", exclude={"key"})
    return hashlib.sha256(f"{assignment}{json.dumps(content, sort_keys=True)}".encode()).hexdigest()


def _written(connection: Connection, key: str, digest: str) -> int | None:
    """The revision of a change that is already written."""
    row = connection.execute(_EVENT, {"wanted": key.lower()}).first()
    if row is None:
        return None
    if row.digest != digest:
        raise _key_reused()
    return int(row.rev)


def _key_reused() -> RefusedError:
    return RefusedError(409, "key-reused", "This key was used for another change; each change needs its own.")


def _require_open(connection: Connection, visitor: Visitor, stage: str, complete: bool, source: str) -> None:
    if source != "browser":
        return
    opened = get_setting(connection, "stage")["open"]
    if visitor.state != "active":
        raise RefusedError(409, "closed", "The lead has paused your work.")
    if not is_editable(stage, opened):
        raise RefusedError(409, "closed", "This part of the study is closed.")
    if stage == "training" and complete:
        raise RefusedError(409, "closed", "A training item can be answered only once.")


def _conflict(connection: Connection, assignment: str) -> RefusedError:
    query = sa.select(t.assignment.c.rev, t.assignment.c.answer, t.assignment.c.complete)
    row = connection.execute(query.where(t.assignment.c.id == assignment)).one()
    current = answer_view(row.rev, row.answer, row.complete)
    message = "This item was changed elsewhere, perhaps in another tab. Nothing was overwritten."
    return RefusedError(409, "conflict", message, current=current)


def _reply(project: Project, item: ItemText, rev: int, checked: Checked, *, repeated: bool) -> dict[str, Any]:
    complete = not checked.missing
    return {
        "rev": rev,
        "complete": complete,
        "missing": list(checked.missing),
        "by_default": checked.answer["by_default"],
        "repeated": repeated,
        "feedback": feedback_view(project.section, item, checked.answer) if complete else None,
    }


def _ask_for_review(
    connection: Connection, project: Project, visitor: Visitor, assignment: str, item: ItemText, complete: bool
) -> None:
    """A new text goes to a colleague for review; a changed text goes back to its reviewer."""
    if not project.section.review or not complete:
        return
    reviews = sa.select(t.item.c.id).where(t.item.c.subject == assignment)
    review = connection.execute(reviews).scalar()
    if review is not None:
        again = sa.update(t.assignment).where(t.assignment.c.item == review, t.assignment.c.rev > 0)
        connection.execute(again.values(complete=False))
        return
    others = sa.select(t.annotator.c.id, sa.func.count(t.page.c.id).label("have")).select_from(
        t.annotator.outerjoin(t.page, (t.page.c.annotator == t.annotator.c.id) & (t.page.c.stage == "review"))
    )
    others = others.where(t.annotator.c.state == "active", t.annotator.c.id != visitor.annotator)
    candidates = connection.execute(others.group_by(t.annotator.c.id)).all()
    if not candidates:
        return
    fewest = min(row.have for row in candidates)
    reviewer = shuffled(sorted(row.id for row in candidates if row.have == fewest), assignment)[0]
    last = connection.execute(sa.select(sa.func.max(t.page.c.position)).where(t.page.c.annotator == reviewer)).scalar()
    row = {"kind": "review", "purpose": "main", "dialogue": item.dialogue, "role": item.role, "summaries": []}
    (number,) = insert(connection, t.item, [{**row, "reference": None, "subject": assignment}])
    page = {"id": opaque(), "annotator": reviewer, "dialogue": item.dialogue, "role": item.role, "stage": "review"}
    connection.execute(sa.insert(t.page).values(**page, number_of_pass=0, position=(last or 0) + 1))
    connection.execute(sa.insert(t.assignment).values(**fresh_assignment(page["id"], reviewer, number, 1, [])))
