"""The lead's dashboard: progress, time, agreement, failed checks, and the largest disagreements."""

from statistics import median
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._gate import gate_view
from dialgauge.annotate._known import failures, right_answers
from dialgauge.annotate._late_tables import waiting_changes
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._tally import PersonTally
from dialgauge.annotate._views import training_share

_MOST_DISAGREEMENTS = 30


def dashboard_view(connection: Connection, desk: Desk) -> dict[str, Any]:
    """Everything on the lead's page, from one state of the database."""
    project = desk.project
    checks = failed_checks(connection)
    people = _people(connection, desk, checks)
    return {
        "study": {
            "name": project.name,
            "title": project.title,
            "protocol": project.section.protocol,
            "task": project.section.task,
            "created": get_setting(connection, "created"),
            "blinded": get_setting(connection, "blinded"),
            "crowd": project.section.crowd is not None,
            "copies": _copies_with_names(connection),
        },
        "stage": get_setting(connection, "stage"),
        "annotators": people,
        "progress": {name: sum(person[name] for person in people) for name in ("items", "complete")},
        "agreement": desk.agreement(connection),
        "checks": checks,
        "disagreements": desk.disagreements(connection, _MOST_DISAGREEMENTS),
        "gate": gate_view(connection, desk),
        "comments": _unread_comments(connection, desk),
        "late": waiting_changes(connection),
    }


def state_of(connection: Connection) -> str:
    """A text that changes whenever an answer, a person, a page or the log does. Cheap: pages ask for it often."""
    count = sa.func.count
    numbers = (
        sa.select(count(), sa.func.sum(t.assignment.c.rev)).select_from(t.assignment),
        sa.select(count(), sa.func.max(t.audit.c.id)).select_from(t.audit),
        sa.select(count(), sa.func.sum(t.comment_read.c.rev)).select_from(t.comment_read),
        sa.select(count(), sa.func.max(t.late.c.settled)).select_from(t.late),
    )
    return "-".join(f"{value or 0}" for query in numbers for value in connection.execute(query).one())


def _copies_with_names(connection: Connection) -> int:
    query = sa.select(sa.func.count()).select_from(t.audit).where(t.audit.c.action == "backup")
    return int(connection.execute(query).scalar_one())


def _unread_comments(connection: Connection, desk: Desk) -> int:
    read = {row.assignment: row.rev for row in connection.execute(sa.select(t.comment_read))}
    return sum(bool(one.comment) and read.get(one.id, 0) < one.rev for one in desk.tally.answers())


_ASSIGNED = (
    sa.select(t.assignment.c.annotator, t.item.c.purpose, sa.func.count().label("items"))
    .join(t.item, t.item.c.id == t.assignment.c.item)
    .group_by(t.assignment.c.annotator, t.item.c.purpose)
)


def _people(connection: Connection, desk: Desk, checks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    pages = tuple(connection.execute(sa.select(sa.func.count(), sa.func.max(t.page.c.position))).one())
    assigned = desk.once_for("assigned", pages, lambda: connection.execute(_ASSIGNED).all())
    items = {(row.annotator, row.purpose): row.items for row in assigned}
    failed = {(check["annotator"], check["assignment"]) for check in checks}
    entered = set(connection.execute(sa.select(t.session.c.annotator).distinct()).scalars())
    return [
        _person(
            connection,
            desk.project,
            row,
            desk.tally.people.get(row.id, PersonTally()),
            {purpose: items.get((row.id, purpose), 0) for purpose in ("main", "adjudication", "training")},
            sum(name == row.name for name, _ in failed),
            row.id in entered,
        )
        for row in connection.execute(sa.select(t.annotator).order_by(t.annotator.c.id)).all()
    ]


def _person(
    connection: Connection,
    project: Project,
    row: Any,
    done: PersonTally,
    assigned: dict[str, int],
    failed: int,
    entered: bool,
) -> dict[str, Any]:
    answers = done.answers.values()
    items = assigned["main"] + assigned["adjudication"]
    times = [one.active_ms for one in answers if one.complete and one.active_ms and one.purpose in _REAL]
    share = training_share(connection, project, row.id) if assigned["training"] else None
    needed = project.section.training.pass_share if project.section.training else 0.0
    return {
        "id": row.id,
        "name": row.name,
        "role": row.role,
        "state": row.state,
        "counts": row.counts,
        "items": items,
        "complete": done.complete,
        "share": done.complete / items if items else None,
        "active_ms": done.active_ms,
        "median_item_ms": round(median(times)) if times else None,
        "last_seen": max((one.saved for one in answers), default=None),
        "checks": {
            "shown": sum(one.complete and one.purpose == "check" for one in answers),
            "failed": failed,
        },
        "training": {
            "items": assigned["training"],
            "complete": sum(one.complete and one.purpose == "training" for one in answers),
            "share": share,
            "passed": None if share is None else share >= needed - 1e-9 or row.admitted,
        },
        "entered": entered,
    }


_REAL = ("main", "adjudication")


def failed_checks(connection: Connection) -> list[dict[str, Any]]:
    """Attention checks that were answered wrong, a row per dimension."""
    query = (
        sa.select(t.assignment, t.item.c.expected, t.item.c.kind, t.annotator.c.name)
        .join(t.item, t.item.c.id == t.assignment.c.item)
        .join(t.annotator, t.annotator.c.id == t.assignment.c.annotator)
        .where(t.item.c.purpose == "check", t.assignment.c.complete)
        .order_by(t.assignment.c.saved)
    )
    rows = []
    for row in connection.execute(query):
        right = right_answers(row.expected, row.kind, row.shown)
        for name in failures(row.expected, row.answer["values"], 0.0, row.shown):
            given = row.answer["values"][name]
            detail = {"dimension": name, "expected": right[name], "given": given, "at": row.saved}
            rows.append({"assignment": row.id, "annotator": row.name, **detail})
    return rows
