"""The web application: pages, and the interface that the annotators' pages use."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import fastapi
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from sqlalchemy.engine import Connection
from starlette.exceptions import HTTPException

from dialgauge import __version__
from dialgauge.annotate import _access as access
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._answers import Save
from dialgauge.annotate._crowd import settle_gold
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._gate import settle_pilot
from dialgauge.annotate._join import add_join, detour
from dialgauge.annotate._lead import lead_routes
from dialgauge.annotate._leases import needs_renewal, renew
from dialgauge.annotate._offline import add_offline_route
from dialgauge.annotate._project import Project, get_setting
from dialgauge.annotate._public import public_url as parse_public_url
from dialgauge.annotate._ready import kept_ready
from dialgauge.annotate._saves import Saved, save_answer
from dialgauge.annotate._shield import Application, Shield
from dialgauge.annotate._sign_in import add_sign_in
from dialgauge.annotate._steps import settle_training
from dialgauge.annotate._translations import language_of
from dialgauge.annotate._views import page_view, pages_view, progress, protocol_view, situation
from dialgauge.annotate._web import HERE, Site, refusal_response
from dialgauge.errors import DialgaugeError
from dialgauge.web import static_folder

_OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
#: What every route of the interface may answer beside its result.
_REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": text}
    for code, text in {
        400: "not JSON",
        401: "not signed in",
        403: "not allowed",
        404: "not found",
        409: "in conflict with what is stored",
        413: "too large",
        422: "not valid",
        429: "too many",
    }.items()
}


def create_app(
    project: Project, *, public_url: str | None = None, address: str | None = None, rate: float = 50.0
) -> Application:
    """The application for one project, ready for an ASGI server.

    ``public_url`` is how people reach it through a proxy: links begin with it, changes are accepted from its pages
    only, and with ``https://`` cookies are for HTTPS alone. ``address`` is how people reach it without a proxy.
    ``rate`` limits the requests per second of one session.
    """
    public = parse_public_url(public_url) if public_url else None
    api = create_api(project, public_url=public.origin if public else None, address=address)
    named = [one.host for one in (public, parse_public_url(address) if address else None) if one]
    return Shield(
        api,
        _OWN_HOSTS | set(named),
        origin=public.origin if public else None,
        rate=rate,
        is_device=lambda cookie: access.is_device(project.secret, cookie),
    )


def create_api(project: Project, *, public_url: str | None = None, address: str | None = None) -> FastAPI:
    """The application without its shield; its OpenAPI description is at ``/openapi.json`` for the lead's programs."""
    site = Site(project, base_url=(public_url or address or "").rstrip("/"))
    desk = Desk(project, site.library)

    @asynccontextmanager
    async def while_serving(_: FastAPI) -> AsyncIterator[None]:
        with kept_ready(desk):
            yield

    app = FastAPI(
        title="dialgauge annotate", version=__version__, docs_url=None, redoc_url=None, lifespan=while_serving
    )
    app.mount("/static/web", StaticFiles(directory=static_folder()), name="shared")
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    _add_errors(app, site)
    secure = bool(public_url and public_url.startswith("https:"))
    add_sign_in(app, site, secure=secure)
    add_join(app, site, secure=secure)
    _add_pages(app, site)
    add_offline_route(app)
    app.include_router(_annotator_routes(site))
    app.include_router(lead_routes(site, desk), responses=_REFUSALS)
    return app


def _add_errors(app: FastAPI, site: Site) -> None:
    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> Response:
        return refusal_response(site, request, error)

    @app.exception_handler(DialgaugeError)
    async def impossible(request: Request, error: DialgaugeError) -> Response:
        return refusal_response(site, request, RefusedError(422, "invalid", str(error)))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        problems = [
            {"where": ".".join(str(part) for part in entry["loc"]), "message": entry["msg"]} for entry in error.errors()
        ]
        return refusal_response(
            site, request, RefusedError(422, "invalid", "The request is not valid.", problems=problems)
        )

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: HTTPException) -> Response:
        code = {404: "not-found", 405: "bad-method", 413: "too-large"}.get(error.status_code, "bad-request")
        response = refusal_response(site, request, RefusedError(error.status_code, code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response


def _add_pages(app: FastAPI, site: Site) -> None:
    """The pages for people; their scripts fetch the rest."""

    def shell(request: Request, template: str, *, lead: bool, **more: Any) -> Response:
        csrf = site.look(request, lambda _, visitor: visitor.csrf, lead=lead)
        return site.page(request, template, csrf=csrf, **more)

    @app.get("/", response_class=HTMLResponse)
    def home(request: Request) -> Response:
        with site.project.store.read() as connection:
            visitor = site.visitor(request, connection)
        return RedirectResponse("/lead" if visitor.is_lead else "/work", 303)

    @app.get("/work", response_class=HTMLResponse)
    @app.get("/work/{page_id}", response_class=HTMLResponse)
    def work(request: Request) -> Response:
        if (elsewhere := detour(site, request)) is not None:
            return RedirectResponse(elsewhere, 303)
        return shell(request, "work.html", lead=False, crowd=site.project.section.crowd is not None)

    @app.get("/guidelines", response_class=HTMLResponse)
    def guidelines(request: Request) -> Response:
        with site.project.store.read() as connection:
            visitor = site.visitor(request, connection)
        protocol = protocol_view(site.project.section)
        return site.page(request, "guidelines.html", csrf=visitor.csrf, protocol=protocol)

    @app.get("/lead", response_class=HTMLResponse)
    @app.get("/lead/{rest:path}", response_class=HTMLResponse)
    def lead(request: Request) -> Response:
        return shell(request, "lead.html", lead=True)


def _annotator_routes(site: Site) -> fastapi.APIRouter:
    router = fastapi.APIRouter(prefix="/api", responses=_REFUSALS)
    project = site.project

    @router.get("/session")
    def session(request: Request) -> dict[str, Any]:
        with project.store.read() as connection:
            visitor = site.visitor(request, connection)
        return {
            "kind": "lead" if visitor.is_lead else "annotator",
            "name": visitor.name,
            "study": project.public_id,
            "csrf": visitor.csrf,
            "language": language_of(request, project.section.language),
            "title": project.title,
            "state": visitor.state,
            "protocol": protocol_view(project.section),
        }

    @router.get("/pages")
    def pages(request: Request) -> dict[str, Any]:
        return site.look(request, lambda connection, visitor: pages_view(connection, project, visitor))

    @router.get("/pages/{page_id}")
    def page(request: Request, page_id: str) -> dict[str, Any]:
        def view(connection: Connection, visitor: Visitor) -> tuple[dict[str, Any], bool]:
            found = page_view(connection, project, site.library, visitor, page_id)
            return found, needs_renewal(connection, page_id)

        found, outdated = site.look(request, view)
        if outdated:
            # Nobody waits for it: what comes too late for a lease is still accepted as a late change.
            project.store.submit(lambda connection: renew(connection, page_id))
        return found

    @router.get("/state")
    def state(request: Request) -> dict[str, Any]:
        """What a page asks for now and then: whether something has changed that it must read again."""

        def view(connection: Connection, visitor: Visitor) -> dict[str, Any]:
            return {"stage": get_setting(connection, "stage"), "state": visitor.state}

        return site.look(request, view)

    @router.put("/assignments/{assignment}")
    async def save(request: Request, assignment: str, body: Save) -> JSONResponse:
        def write(connection: Connection, visitor: Visitor) -> tuple[Saved, dict[str, Any] | None]:
            saved = save_answer(connection, project, site.library, visitor, assignment, body)
            if saved.finished and visitor.annotator is not None:
                if saved.stage == "training":
                    settle_training(connection, project, visitor.annotator)
                elif project.section.gold:
                    settle_gold(connection, project, visitor.annotator)
            so_far = progress(situation(connection, project, visitor)) if saved.finished else None
            return saved, so_far

        saved, so_far = await site.act(request, write, leaving=True)
        if saved.kept is not None:
            return JSONResponse(saved.reply, 202)
        changed = saved.finished and saved.stage == "pilot" and await settle_pilot(project)
        return JSONResponse({**saved.reply, "progress": so_far, "stage_changed": changed})

    return router
