"""The lead's view of a crowd: the address to enrol at, who came and how they left, pay, and people who are dropped."""

from statistics import median
from typing import Any

import fastapi
import sqlalchemy as sa
from fastapi import Request
from fastapi.responses import Response
from sqlalchemy.engine import Connection

from dialgauge.annotate import _crowd as crowd, _schema as t
from dialgauge.annotate._access import RefusedError, Visitor, end_access
from dialgauge.annotate._audit import log
from dialgauge.annotate._erase import forget_identities
from dialgauge.annotate._people import find_annotator, hand_out
from dialgauge.annotate._project import Project
from dialgauge.annotate._web import Site
from dialgauge.tables import csv_text

_PAYMENTS = (
    *("external_id", "annotator", "outcome", "items", "minutes"),
    *("gold_right", "gold_shown", "pay", "bonus", "currency"),
)


def drop_annotator(connection: Connection, project: Project, number: int, *, keep: bool, actor: str) -> None:
    """Somebody no longer takes part: open items go back (to a crowd) or to the others; ratings count or do not."""
    row = find_annotator(connection, number)
    if row["state"] not in ("active", "paused"):
        raise RefusedError(409, "conflict", f"{row['name']} no longer takes part.")
    moved = 0 if project.section.crowd else hand_out(connection, number)
    crowd.give_back(connection, number)
    connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(state="dropped", counts=keep))
    end_access(connection, number)
    log(connection, actor, "annotator-dropped", name=row["name"], counts=keep, pages_moved=moved)


def crowd_view(connection: Connection, site: Site) -> dict[str, Any]:
    """How enrolment stands."""
    project = site.project
    table = crowd.crowd_of(project)
    rows = _participants(connection, project)
    minutes = [row["minutes"] for row in rows if row["outcome"] == "complete" and row["minutes"]]
    usual = median(minutes) if minutes else None
    outcomes = [row["outcome"] or "working" for row in rows]
    return {
        "address": f"{site.base_url}/join/{crowd.join_token(project)}{_query(project)}",
        "provider": table.provider,
        "people": table.people,
        "full": crowd.is_full(connection, project),
        "outcomes": {name: outcomes.count(name) for name in dict.fromkeys(outcomes)},
        "open_pages": crowd.open_pages(connection, project),
        "median_minutes": usual,
        "pay_per_hour": None if usual is None or table.pay is None else table.pay / (usual / 60),
        "currency": table.currency,
    }


def _query(project: Project) -> str:
    """The parameters as Prolific fills them in; other platforms add theirs by themselves."""
    if crowd.crowd_of(project).provider != "prolific":
        return ""
    names = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    return "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in names)


def _participants(connection: Connection, project: Project) -> list[dict[str, Any]]:
    done = sa.func.sum(sa.cast(t.assignment.c.complete, sa.Integer))
    spent = sa.func.sum(t.assignment.c.active_ms)
    query = (
        sa.select(t.annotator.c.id, t.annotator.c.name, t.participation.c.outcome, t.identity.c.external_id)
        .add_columns(sa.func.coalesce(done, 0).label("items"), sa.func.coalesce(spent, 0).label("spent"))
        .join(t.participation, t.participation.c.annotator == t.annotator.c.id)
        .outerjoin(t.identity, t.identity.c.annotator == t.annotator.c.id)
        .outerjoin(t.assignment, t.assignment.c.annotator == t.annotator.c.id)
        .group_by(t.annotator.c.id, t.annotator.c.name, t.participation.c.outcome, t.identity.c.external_id)
        .order_by(t.annotator.c.id)
    )
    return [
        {
            "id": row.id,
            "annotator": row.name,
            "external_id": row.external_id,
            "outcome": row.outcome,
            "items": int(row.items),
            "minutes": round(row.spent / 60_000, 2),
        }
        for row in connection.execute(query)
    ]


def payments(connection: Connection, project: Project) -> str:
    """The list of payments: who they are on the platform, how they left, and what they are to be paid."""
    table = crowd.crowd_of(project)
    rows = []
    for row in _participants(connection, project):
        right, shown = crowd.gold_score(connection, project, row["id"])
        complete = row["outcome"] == "complete"
        earned = complete and (not shown or right / shown >= table.bonus_from - 1e-9)
        paid = {"pay": table.pay if complete else 0, "bonus": table.bonus if earned else 0, "currency": table.currency}
        rows.append({**row, "gold_right": right, "gold_shown": shown, **paid})
    return csv_text([_PAYMENTS, *([row[name] for name in _PAYMENTS] for row in rows if row["external_id"])])


def add_crowd_routes(router: fastapi.APIRouter, site: Site) -> None:
    """Register the routes."""
    project = site.project

    @router.get("/crowd")
    def show(request: Request) -> dict[str, Any]:
        def view(connection: Connection, _: Visitor) -> dict[str, Any]:
            return {"crowd": crowd_view(connection, site) if project.section.crowd else None}

        return site.look(request, view, lead=True)

    @router.get("/payments")
    def pay(request: Request) -> Response:
        def view(connection: Connection, lead: Visitor) -> tuple[str, str]:
            return payments(connection, project), lead.name

        text, actor = site.look(request, view, lead=True, role="owner")
        project.store.write(lambda connection: log(connection, actor, "payment-list"))
        headers = {"content-disposition": 'attachment; filename="payments.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    @router.post("/identities/delete")
    async def forget(request: Request) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            return {"people": forget_identities(connection, actor=lead.name)}

        done = await site.act(request, write, lead=True, role="owner")
        project.store.scrub()
        return done
