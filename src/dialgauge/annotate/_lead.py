"""The lead's interface."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import fastapi
import sqlalchemy as sa
from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.engine import Connection
from starlette.concurrency import run_in_threadpool

from dialgauge.annotate import _people as people, _schema as t
from dialgauge.annotate._access import RefusedError, Visitor, annotator_actor, open_link, revoke_all
from dialgauge.annotate._adjudicate import adjudicate
from dialgauge.annotate._audit import check_log, last_head, log
from dialgauge.annotate._comments import comments_view, mark_read
from dialgauge.annotate._dashboard import dashboard_view, state_of
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._erase import erase_person
from dialgauge.annotate._exports import FORMATS, export_file
from dialgauge.annotate._gate import Decision, decide
from dialgauge.annotate._imports import IMPORTS, import_answers
from dialgauge.annotate._late_answers import add_late_routes, take_paused
from dialgauge.annotate._lead_accounts import add_lead_accounts
from dialgauge.annotate._lead_crowd import add_crowd_routes, drop_annotator
from dialgauge.annotate._password import hash_password, set_password
from dialgauge.annotate._planner import Design, plan_view
from dialgauge.annotate._project import get_setting, set_setting
from dialgauge.annotate._quality import quality_view
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.annotate._web import Site, require

_ID = Annotated[int, fastapi.Path(ge=1, le=2_000_000_000)]
_Text = Annotated[str, Field(max_length=2000)]
_Person = Annotated[str, Field(min_length=1, max_length=80)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GateBody(_Body):
    """The lead's decision on the pilot."""

    decision: Decision
    reason: _Text = ""


class NewAnnotator(_Body):
    """Someone who joins."""

    name: _Person
    role: Literal["annotator", "adjudicator"] = "annotator"


class AnnotatorAction(_Body):
    """A change to an annotator."""

    action: Literal["pause", "resume", "replace", "revoke", "admit", "drop", "erase"]
    successor: _Person | None = None
    keep: bool = True


class ReadComments(_Body):
    """Answers whose comments were read, with the revision that was seen."""

    read: Annotated[
        dict[Annotated[str, Field(max_length=40)], Annotated[int, Field(ge=1, le=2_000_000_000)]],
        Field(min_length=1, max_length=500),
    ]


class Reason(_Body):
    """Why."""

    reason: _Text = ""


class AdjudicateBody(_Body):
    """Who settles what differs by how much."""

    adjudicator: _Person
    minimum_difference: Annotated[float, Field(gt=0, allow_inf_nan=False, le=1e6)] = 2.0


class Password(_Body):
    """The lead's new password."""

    password: Annotated[str, Field(max_length=1000)]


def lead_routes(site: Site, desk: Desk) -> fastapi.APIRouter:
    """All routes under ``/api/lead``."""
    router = fastapi.APIRouter(prefix="/api/lead")
    _add_overview(router, site, desk)
    _add_people(router, site)
    add_lead_accounts(router, site)
    _add_acts(router, site)
    _add_files(router, site)
    add_late_routes(router, site)
    add_crowd_routes(router, site)
    return router


def _add_overview(router: fastapi.APIRouter, site: Site, desk: Desk) -> None:
    project = site.project

    def from_desk(request: Request, make: Callable[[Connection, Desk], dict[str, Any]]) -> dict[str, Any]:
        def view(connection: Connection, _: Visitor) -> dict[str, Any]:
            with desk.tally.lock:
                desk.refresh(connection)
                return make(connection, desk)

        return site.look(request, view, lead=True)

    @router.get("/dashboard")
    def dashboard(request: Request) -> dict[str, Any]:
        return from_desk(request, dashboard_view)

    @router.get("/quality")
    def quality(request: Request) -> dict[str, Any]:
        """How each annotator works: outliers, drift, speed, equal and copied answers."""
        return from_desk(request, quality_view)

    @router.get("/state")
    def state(request: Request) -> dict[str, Any]:
        """A text that changes whenever one of the lead's pages would look different."""
        return site.look(request, lambda connection, _: {"state": state_of(connection)}, lead=True)

    @router.get("/comments")
    def comments(request: Request) -> dict[str, Any]:
        return from_desk(request, comments_view)

    @router.post("/comments")
    async def read_comments(request: Request, body: ReadComments) -> dict[str, Any]:
        return await site.act(request, lambda connection, _: {"read": mark_read(connection, body.read)}, lead=True)

    @router.get("/audit")
    def audit(request: Request, limit: Annotated[int, Query(ge=1, le=10_000)] = 200) -> dict[str, Any]:
        def view(connection: Connection, _: Visitor) -> dict[str, Any]:
            names = {annotator_actor(row.id): row.name for row in connection.execute(sa.select(t.annotator))}
            query = sa.select(t.audit).order_by(t.audit.c.id.desc()).limit(limit)
            entries = [
                {
                    **{name: row[name] for name in ("at", "action", "detail")},
                    "actor": names.get(row["actor"], row["actor"]),
                    "erased": row["salt"] is None,
                }
                for row in connection.execute(query).mappings()
            ]
            return {"entries": entries, "check": check_log(connection).as_dict()}

        return site.look(request, view, lead=True)

    @router.get("/links")
    def links(request: Request) -> dict[str, Any]:
        site.look(request, lambda *_: None, lead=True)
        made = [link for link in project.links() if not link.is_lead]
        return {"links": [{"name": one.name, "link": site.base_url + one.path, "expires": one.expires} for one in made]}


def _add_people(router: fastapi.APIRouter, site: Site) -> None:
    project = site.project

    def link_for(connection: Connection, number: int, actor: str) -> dict[str, Any]:
        token, expires = open_link(connection, project.secret, number, project.section.link_days, actor=actor)
        return {"id": number, "link": f"{site.base_url}/enter/{token}", "expires": expires}

    @router.post("/annotators")
    async def add(request: Request, body: NewAnnotator) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            named = {"role": body.role, "actor": lead.name}
            number = people.add_annotator(connection, project.section, body.name, project.seed, **named)
            return link_for(connection, number, lead.name)

        return await site.act(request, write, lead=True)

    @router.post("/annotators/{number}")
    async def change(request: Request, number: _ID, body: AnnotatorAction) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            row, actor = people.find_annotator(connection, number), lead.name
            if body.action == "replace":
                if body.successor is None:
                    raise RefusedError(422, "invalid", "Name the successor.")
                new = people.replace_annotator(
                    connection, project.section, number, body.successor, project.seed, actor=actor
                )
                return link_for(connection, new, actor)
            if body.action == "revoke":
                revoke_all(connection, number)
                log(connection, actor, "access-revoked", name=row["name"])
            elif body.action == "admit":
                people.admit(connection, number, actor=actor)
            elif body.action == "drop":
                drop_annotator(connection, project, number, keep=body.keep, actor=actor)
            elif body.action == "erase":
                require(lead, lead=True, role="owner")
                erase_person(connection, project, number, actor=actor)
            else:
                people.set_state(connection, number, "paused" if body.action == "pause" else "active", actor=actor)
                if body.action == "resume":
                    take_paused(connection, project, site.library, number)
            return {"id": number, "state": people.find_annotator(connection, number)["state"]}

        done = await site.act(request, write, lead=True)
        if body.action == "erase":
            project.store.scrub()
        return done

    @router.post("/annotators/{number}/link")
    async def link(request: Request, number: _ID) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            people.find_annotator(connection, number)
            return link_for(connection, number, lead.name)

        return await site.act(request, write, lead=True)


def _add_acts(router: fastapi.APIRouter, site: Site) -> None:
    project = site.project

    @router.post("/gate")
    async def gate(request: Request, body: GateBody) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            decide(connection, project, body.decision, body.reason, lead.name)
            stage: dict[str, Any] = get_setting(connection, "stage")
            return stage

        return await site.act(request, write, lead=True)

    @router.post("/unblind")
    async def unblind(request: Request, body: Reason) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            set_setting(connection, "blinded", False)
            log(connection, lead.name, "unblinded", reason=body.reason)
            return {"blinded": False}

        return await site.act(request, write, lead=True, role="owner")

    @router.post("/adjudicate")
    async def settle(request: Request, body: AdjudicateBody) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            given = (body.adjudicator, body.minimum_difference)
            return {"items": adjudicate(connection, project, site.library, *given, actor=lead.name)}

        return await site.act(request, write, lead=True)

    @router.post("/password")
    async def password(request: Request, body: Password) -> dict[str, Any]:
        # Hashing is slow by design, so it must not block the writer.
        hashed = await run_in_threadpool(hash_password, body.password)
        await site.act(
            request, lambda connection, lead: set_password(connection, lead, hashed), lead=True, role="viewer"
        )
        return {"set": True}

    @router.post("/plan")
    def plan(request: Request, body: Design) -> dict[str, Any]:
        def view(connection: Connection, _: Visitor) -> Any:
            codes = system_codes(connection, project)
            return plain_ratings(results(connection, project, site.library, codes).ratings)

        return plan_view(site.look(request, view, lead=True), body, seed=project.seed)


def _add_files(router: fastapi.APIRouter, site: Site) -> None:
    project = site.project

    @router.get("/export/{format}")
    def export(request: Request, format: Annotated[str, fastapi.Path(pattern=_one_of(FORMATS))]) -> Response:
        def view(connection: Connection, lead: Visitor) -> Any:
            codes = system_codes(connection, project)
            return export_file(connection, project, site.library, format, codes), lead.name

        made, actor = site.look(request, view, lead=True, role="manager")
        head = project.store.write(lambda connection: _logged(connection, actor, "export", format=format))
        return _download(made.content, made.name, made.media_type, head)

    @router.get("/backup")
    def backup(request: Request) -> Response:
        actor = site.look(request, lambda _, lead: lead.name, lead=True, role="owner")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "backup.db"
            project.store.backup(path)
            content = path.read_bytes()
        # It has the names of the systems, so its owner is no longer blind.
        head = project.store.write(lambda connection: _logged(connection, actor, "backup", unblinds=True))
        return _download(content, f"{project.name}.unblinds.db", "application/vnd.sqlite3", head)

    @router.post("/import/{kind}")
    async def import_ratings(
        request: Request,
        kind: Annotated[str, fastapi.Path(pattern=_one_of(IMPORTS))],
        annotator: Annotated[str, Query(max_length=80)] = "",
    ) -> dict[str, Any]:
        content = await request.body()

        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            done = import_answers(connection, project, site.library, kind, content, annotator)
            log(connection, lead.name, "import", kind=kind, accepted=done["accepted"])
            return done

        return await site.act(request, write, lead=True)


def _one_of(names: tuple[str, ...]) -> str:
    return f"^({'|'.join(names)})$"


def _logged(connection: Connection, actor: str, action: str, **detail: Any) -> str:
    """Log an act; the head of the log after it."""
    log(connection, actor, action, **detail)
    return last_head(connection)


def _download(content: bytes, name: str, media_type: str, head: str) -> Response:
    quoted = json.dumps(name.encode("ascii", "replace").decode().replace("\\", "_"))
    headers = {"content-disposition": f"attachment; filename={quoted}", "x-audit-head": head}
    return Response(content, media_type=media_type, headers=headers)
