"""What the routes share: the project, the visitor, pages from templates, and errors as JSON or as a page."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from sqlalchemy.engine import Connection

from dialgauge.annotate._access import RefusedError, Visitor, require_token, visitor_of
from dialgauge.annotate._library import Library
from dialgauge.annotate._project import Project
from dialgauge.annotate._shield import COOKIE
from dialgauge.annotate._translations import LANGUAGE_NAMES, RIGHT_TO_LEFT, language_of, messages
from dialgauge.web import environment

HERE = Path(__file__).parent
Result = TypeVar("Result")
#: The pages of the lead, whose messages are in fewer languages than those of the annotators.
_LEAD_TEMPLATES = ("lead.html", "login.html", "sign-out.html")


@dataclass(slots=True)
class Site:
    """Everything that a route needs."""

    project: Project
    base_url: str = ""
    library: Library = field(default_factory=Library)
    templates: jinja2.Environment = field(default_factory=lambda: environment(("dialgauge.annotate", "templates")))

    def page(
        self, request: Request, template: str, status_code: int = 200, csrf: str = "", **more: Any
    ) -> HTMLResponse:
        """A page from a template."""
        lead = template in _LEAD_TEMPLATES
        language = language_of(request, self.project.section.language, lead=lead)
        context = {
            "nonce": request.scope["state"]["nonce"],
            "language": language,
            "direction": "rtl" if language in RIGHT_TO_LEFT else "ltr",
            "languages": LANGUAGE_NAMES,
            "messages": messages(language, lead=lead),
            "title": self.project.title,
            "csrf": csrf,
            "status": status_code,
            "static": "/static",
        }
        return HTMLResponse(self.templates.get_template(template).render(**context, **more), status_code)

    def look(
        self,
        request: Request,
        view: Callable[[Connection, Visitor], Result],
        *,
        lead: bool = False,
        role: str = "viewer",
    ) -> Result:
        """Answer a visitor from one state of the database; a lead who has at least this ``role``."""
        with self.project.store.read() as connection:
            visitor = self.visitor(request, connection)
            return view(connection, require(visitor, lead=lead, role=role))

    def visitor(self, request: Request, connection: Connection, *, leaving: bool = False) -> Visitor:
        """Who sends this request. ``leaving`` as in ``visitor_of``."""
        found = visitor_of(connection, request.cookies.get(COOKIE), leaving=leaving)
        request.scope["state"]["session"] = found.digest
        return found

    async def act(
        self,
        request: Request,
        act: Callable[[Connection, Visitor], Result],
        *,
        lead: bool = False,
        role: str = "manager",
        leaving: bool = False,
    ) -> Result:
        """Apply a visitor's change; returns once it is on the disk. ``leaving`` as in ``visitor_of``."""
        token = request.headers.get("x-csrf-token", "")

        def write(connection: Connection) -> Result:
            visitor = self.visitor(request, connection, leaving=leaving)
            require_token(visitor, token)
            return act(connection, require(visitor, lead=lead, role=role))

        return await self.project.store.write_async(write)


def require(visitor: Visitor, *, lead: bool, role: str = "viewer") -> Visitor:
    """The visitor, if they have the required role."""
    if visitor.is_lead != lead:
        raise RefusedError(403, "forbidden", "Only for the lead." if lead else "Only for annotators.")
    if lead and not visitor.may(role):
        raise RefusedError(403, "forbidden", f"Only for leads who are {role} of this study.")
    return visitor


async def form_field(request: Request, name: str) -> str:
    """A field of a form as browsers send it, empty where it is absent."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=20)
    except ValueError as error:
        raise RefusedError(400, "bad-request", "The form cannot be read.") from error
    return fields.get(name, [""])[0]


def refusal_response(site: Site, request: Request, refused: RefusedError) -> Response:
    """A refusal as JSON for programs, as a page for people."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": refused.code, "message": refused.message, **refused.more}, refused.status)
    return site.page(request, "message.html", refused.status, code=refused.code, message=refused.message)
