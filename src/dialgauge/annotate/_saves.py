"""Saving: every change is an immutable event that advances the answer by one revision.

Event and answer are written in one transaction. The same key again, even twenty times at once, is the same event. A
save on a revision that is no longer the latest is refused and gets the current answer. A save that comes when the
answer is closed to it (a pause, a gate, a page that was moved) is kept as a late change and never refused.
"""

import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import TAKING_PART, RefusedError, Visitor
from dialgauge.annotate._answers import OPTIONAL, Checked, Save, check_answer
from dialgauge.annotate._late import Found, find_assignment, keep_late, kept_reason, restore
from dialgauge.annotate._library import ItemText, Library, dimensions_of_pass
from dialgauge.annotate._planning import shuffled
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._rows import fresh_assignment, insert, opaque
from dialgauge.annotate._views import answer_view, feedback_view, is_editable

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
    """The outcome of a save. ``finished`` says that this save made the item complete.

    ``kept`` is the reason where the change could not become the answer and is kept beside it.
    """

    reply: dict[str, Any]
    stage: str
    finished: bool
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """A change that was found to be in order: what it is about and what it says."""

    assignment: str
    annotator: int | None
    found: Found
    item: ItemText
    save: Save
    checked: Checked
    digest: str
    source: str


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
    digest = digest_of(assignment, save)
    change = _checked(connection, project, library, visitor.annotator, assignment, save, digest, source)
    if (written := _written(connection, save.key, digest)) is not None:
        return _repeated(project, change, written)
    reason = _closed(connection, visitor, change)
    if (known := kept_reason(connection, save.key)) is not None:
        if known[1] != digest:
            raise _key_reused()
        return _kept(change, known[0])
    _require_valid(change)
    if reason is not None:
        keep_late(connection, visitor.annotator, assignment, change.item.id, save, digest=digest, reason=reason)
        return _kept(change, reason)
    if change.found.page is not None:
        keep_late(
            connection, visitor.annotator, assignment, change.item.id, save, digest=digest, reason="moved", taken=True
        )
    return _write(connection, project, change)


def write_late(
    connection: Connection,
    project: Project,
    library: Library,
    annotator: int,
    assignment: str,
    save: Save,
    digest: str,
) -> None:
    """Make a change that was kept the answer, on top of whatever the answer is now."""
    change = _checked(connection, project, library, annotator, assignment, save, digest, "browser")
    _require_valid(change)
    _write(connection, project, replace(change, save=save.model_copy(update={"rev": change.found.rev})))


def _checked(
    connection: Connection,
    project: Project,
    library: Library,
    annotator: int | None,
    assignment: str,
    save: Save,
    digest: str,
    source: str,
) -> _Change:
    found = find_assignment(connection, assignment, annotator)
    if found is None:
        raise RefusedError(404, "not-found", "This item does not exist, or it is not yours.")
    (item,) = library.items(connection, [found.item])
    dimensions = dimensions_of_pass(project.section, found.number_of_pass)
    checked = check_answer(project.section, library.subject(connection, item, found.shown, dimensions), save)
    return _Change(assignment, annotator, found, item, save, checked, digest, source)


def _require_valid(change: _Change) -> None:
    if change.checked.problems:
        problems = list(change.checked.problems)
        raise RefusedError(422, "invalid", "The answer does not fit the protocol.", problems=problems)


def _write(connection: Connection, project: Project, change: _Change) -> Saved:
    """Advance the answer by one revision, or find that somebody else did."""
    save, checked, found = change.save, change.checked, change.found
    if found.page is not None:
        restore(connection, change.assignment, found)
    complete, now = not checked.missing, time.time()
    values = {"wanted": change.assignment, "seen": save.rev, "new_answer": checked.answer, "new_complete": complete}
    moved = connection.execute(_MOVE, {**values, "more_ms": save.active_ms, "now": now})
    if moved.rowcount != 1:
        # Another process may have written this very change while we waited for the row.
        if (written := _written(connection, save.key, change.digest)) is not None:
            return _repeated(project, change, written)
        raise _conflict(connection, change.assignment)
    event = {"key": save.key.lower(), "assignment": change.assignment, "rev": save.rev + 1, "answer": checked.answer}
    event |= {"digest": change.digest, "active_ms": save.active_ms, "source": change.source, "at": now}
    try:
        connection.execute(sa.insert(t.event), event)
    except sa.exc.IntegrityError as error:
        raise _key_reused() from error
    if change.item.kind == "write":
        _ask_for_review(connection, project, change.annotator, change.assignment, change.item, complete)
    reply = _reply(project, change, save.rev + 1, repeated=False)
    return Saved(reply, found.stage, complete and not found.complete)


def _repeated(project: Project, change: _Change, rev: int) -> Saved:
    return Saved(_reply(project, change, rev, repeated=True), change.found.stage, False)


def _kept(change: _Change, reason: str) -> Saved:
    return Saved({"kept": reason, "rev": change.found.rev}, change.found.stage, False, reason)


def digest_of(assignment: str, save: Save) -> str:
    """What a change says, as a hash: the same key with another content is another change."""
    content = save.model_dump(mode="json", exclude={"key"})
    # As before there were these parts: a change that was saved then and is sent again now is the same change.
    for span in content["spans"]:
        for name in OPTIONAL:
            if span[name] is None:
                del span[name]
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


def _closed(connection: Connection, visitor: Visitor, change: _Change) -> str | None:
    """Why a change cannot become the answer now, or None."""
    if change.source != "browser":
        return None
    if visitor.state not in TAKING_PART:
        return "dropped"
    if visitor.state == "paused":
        return "paused"
    if not is_editable(change.found.stage, get_setting(connection, "stage")["open"]):
        return "closed"
    return "final" if change.found.stage == "training" and change.found.complete else None


def _conflict(connection: Connection, assignment: str) -> RefusedError:
    query = sa.select(t.assignment.c.rev, t.assignment.c.answer, t.assignment.c.complete)
    row = connection.execute(query.where(t.assignment.c.id == assignment)).one()
    current = answer_view(row.rev, row.answer, row.complete)
    message = "This item was changed elsewhere, perhaps in another tab. Nothing was overwritten."
    return RefusedError(409, "conflict", message, current=current)


def _reply(project: Project, change: _Change, rev: int, *, repeated: bool) -> dict[str, Any]:
    checked, shown = change.checked, change.found.shown
    complete = not checked.missing
    return {
        "rev": rev,
        "complete": complete,
        "missing": list(checked.missing),
        "by_default": checked.answer["by_default"],
        "repeated": repeated,
        "feedback": feedback_view(project.section, change.item, checked.answer, shown) if complete else None,
    }


def _ask_for_review(
    connection: Connection, project: Project, author: int | None, assignment: str, item: ItemText, complete: bool
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
    others = others.where(t.annotator.c.state == "active", t.annotator.c.id != author)
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
