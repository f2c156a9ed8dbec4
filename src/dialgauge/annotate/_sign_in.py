"""Routes to sign in and out, and the one that says whether the server works."""

from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from sqlalchemy.engine import Connection
from starlette.concurrency import run_in_threadpool

from dialgauge.annotate import _access as access
from dialgauge.annotate._audit import log
from dialgauge.annotate._keys import answer_keys, is_slider
from dialgauge.annotate._password import has_password, lead_of_password
from dialgauge.annotate._shield import COOKIE, DEVICE_COOKIE, LOGIN_PATH
from dialgauge.annotate._web import Site, form_field

_DAY = 86_400
#: A browser is remembered as a lead's for a year.
_DEVICE_DAYS = 365


def add_sign_in(app: FastAPI, site: Site, *, secure: bool) -> None:
    """Register the routes. ``secure`` cookies are sent over HTTPS alone."""
    _add_links(app, site, secure)
    _add_passwords(app, site, secure)
    _add_leaving(app, site)

    @app.get("/healthz", response_class=PlainTextResponse)
    async def health() -> str:
        # Through the writer: it must be free, and the database must answer.
        await site.project.store.write_async(lambda connection: connection.execute(sa.select(1)).scalar())
        return "ok"


def entered(site: Site, cookie: str, to: str, *, secure: bool, lead: bool = False) -> Response:
    """Send somebody who has just signed in to their page."""
    response = RedirectResponse(to, 303)
    response.set_cookie(
        COOKIE, cookie, max_age=access.SESSION_DAYS * _DAY, httponly=True, samesite="lax", secure=secure
    )
    if lead:
        response.set_cookie(
            DEVICE_COOKIE,
            access.device_cookie(site.project.secret),
            max_age=_DEVICE_DAYS * _DAY,
            httponly=True,
            samesite="strict",
            secure=secure,
            path=LOGIN_PATH,
        )
    return response


def _add_links(app: FastAPI, site: Site, secure: bool) -> None:
    project = site.project

    @app.get("/enter/{token}", response_class=HTMLResponse)
    def show_link(request: Request, token: str) -> Response:
        with project.store.read() as connection:
            row = access.find_link(connection, project.secret, token)
            if row["annotator"] is None:
                name = access.lead_name(connection, row["lead"])
            else:
                name = access.annotator_name(connection, row["annotator"])
        # Programs that preview links read this page; only the button on it uses the link.
        section = project.section
        slider = section.task == "rate" and any(is_slider(one.points()) for one in section.dimensions)
        shown: dict[str, Any] = {"keys": answer_keys(section), "slider": slider, "lead": row["annotator"] is None}
        return site.page(request, "enter.html", token=token, name=name, **shown)

    @app.post("/enter/{token}")
    async def use_link(token: str) -> Response:
        cookie, annotator = await project.store.write_async(
            lambda connection: access.exchange(connection, project.secret, token)
        )
        lead = annotator is None
        return entered(site, cookie, "/lead" if lead else "/work", secure=secure, lead=lead)


def _add_passwords(app: FastAPI, site: Site, secure: bool) -> None:
    project = site.project

    @app.get(LOGIN_PATH, response_class=HTMLResponse)
    def ask_password(request: Request) -> Response:
        return site.page(request, "login.html", failed=False, name="lead")

    @app.post(LOGIN_PATH)
    async def check_password(request: Request) -> Response:
        name, password = await form_field(request, "name") or "lead", await form_field(request, "password")
        # Comparing is slow by design, so it must not block others.
        lead = await run_in_threadpool(lead_of_password, project, name, password)
        if lead is None:
            await project.store.write_async(lambda connection: log(connection, "stranger", "login-failed"))
            return site.page(request, "login.html", 403, failed=True, name=name)

        def enter(connection: Connection) -> str:
            log(connection, name, "login")
            return access.start_session(connection, None, lead=lead)

        return entered(site, await project.store.write_async(enter), "/lead", secure=secure, lead=True)


def _add_leaving(app: FastAPI, site: Site) -> None:
    @app.post("/logout")
    async def leave(request: Request) -> Response:
        token = request.headers.get("x-csrf-token") or await form_field(request, "csrf")
        sure = await form_field(request, "sure")

        def end(connection: Connection) -> str | None:
            visitor = site.visitor(request, connection)
            access.require_token(visitor, token)
            if visitor.is_lead and not sure and not has_password(connection, visitor.lead):
                return visitor.csrf
            access.end_session(connection, visitor.digest)
            return None

        locked_out = await site.project.store.write_async(end)
        if locked_out is not None:
            return site.page(request, "sign-out.html", csrf=locked_out)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE)
        return response
