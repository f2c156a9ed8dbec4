"""What becomes of late changes: those of a pause count when the person is back; the lead takes or leaves the others."""

import time
from typing import Annotated, Any, Literal

import fastapi
import sqlalchemy as sa
from fastapi import Request
from pydantic import BaseModel, ConfigDict
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import Save
from dialgauge.annotate._audit import log
from dialgauge.annotate._late import find_assignment
from dialgauge.annotate._late_tables import late_view
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._saves import write_late
from dialgauge.annotate._web import Site

_Key = Annotated[str, fastapi.Path(pattern=r"^[0-9a-fA-F-]{32,36}$")]


class LateBody(BaseModel):
    """Whether a late change becomes the answer."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["take", "leave"]


def take_paused(connection: Connection, project: Project, library: Library, annotator: int) -> int:
    """Apply what somebody sent during a pause, in the order of arrival; how many changes became answers.

    Changes that waited behind each other in one browser have the same base: each goes on top of the one before. Where
    the answer has changed in another way since, the change stays with the lead.
    """
    mine = (t.late.c.annotator == annotator, t.late.c.reason == "paused", t.late.c.outcome.is_(None))
    rows = connection.execute(sa.select(t.late).where(*mine).order_by(t.late.c.id)).all()
    bases: dict[str, tuple[int, int]] = {}
    taken = 0
    for row in rows:
        found = find_assignment(connection, row.assignment, annotator)
        if found is None:
            continue
        base, reached = bases.get(row.assignment, (found.rev, found.rev))
        if row.body["rev"] != base or found.rev != reached:
            continue
        _take(connection, project, library, row)
        bases[row.assignment] = (base, reached + 1)
        taken += 1
    return taken


def _take(connection: Connection, project: Project, library: Library, row: Any) -> None:
    save = Save.model_validate(row.body)
    write_late(connection, project, library, row.annotator, row.assignment, save, row.digest)
    _settle(connection, row.key, "taken")


def _settle(connection: Connection, key: str, outcome: str) -> None:
    connection.execute(sa.update(t.late).where(t.late.c.key == key).values(outcome=outcome, settled=time.time()))


def decide_late(
    connection: Connection, project: Project, library: Library, key: str, decision: str, *, actor: str = "lead"
) -> dict[str, Any]:
    """The lead's decision on one late change."""
    row = connection.execute(sa.select(t.late).where(t.late.c.key == key.lower())).first()
    if row is None:
        raise RefusedError(404, "not-found", "There is no such late change.")
    if row.outcome is not None:
        raise RefusedError(409, "conflict", f"This change has already been {row.outcome}.")
    if decision == "take":
        _take(connection, project, library, row)
    else:
        _settle(connection, row.key, "left")
    log(connection, actor, "late-change", decision=decision, reason=row.reason, key=row.key)
    return {"key": row.key, "outcome": "taken" if decision == "take" else "left"}


def add_late_routes(router: fastapi.APIRouter, site: Site) -> None:
    """The lead's routes for late changes."""

    @router.get("/late")
    def late(request: Request) -> dict[str, Any]:
        return site.look(request, lambda connection, _: late_view(connection, site.library), lead=True)

    @router.post("/late/{key}")
    async def decide(request: Request, key: _Key, body: LateBody) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            return decide_late(connection, site.project, site.library, key, body.decision, actor=lead.name)

        return await site.act(request, write, lead=True)
