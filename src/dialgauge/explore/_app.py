"""The web application: pages without scripts, and the same answers as JSON with ``?format=json``."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode, urlsplit

from fastapi import Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from dialgauge import __version__
from dialgauge.annotate import Application, Shield
from dialgauge.errors import DialgaugeError, ParameterError, UnknownNameError
from dialgauge.explore._data import RunData
from dialgauge.explore._profiles import metric_table, metric_view, system_table, system_view, table_coefficient
from dialgauge.explore._queries import LABELS, QUESTIONS, Filter
from dialgauge.explore._results import Results, answer_rows, numbers, plain, question_forms, results_of
from dialgauge.explore._texts import as_given, shown
from dialgauge.web import environment, static_folder

_OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
#: Maximum requests per second of one reader: high, because scripts read too and the server is local.
_RATE = 200.0
_HERE = Path(__file__).parent

Text = Annotated[str, Query(max_length=1000)]


def create_app(data: RunData, *, address: str | None = None) -> Application:
    """The application for one run, ready for an ASGI server. ``address`` is its public address."""
    name = urlsplit(address).hostname if address else None
    return Shield(_create_api(data), _OWN_HOSTS | ({name} if name else set()), strangers=_RATE)


def _create_api(data: RunData) -> FastAPI:
    app = FastAPI(
        title="dialgauge explore",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(_check_format)],
    )
    app.mount("/static/explore", StaticFiles(directory=_HERE / "static"), name="own")
    app.mount("/static/web", StaticFiles(directory=static_folder()), name="shared")
    pages = _Pages(data)
    _add_errors(app, pages)
    _add_search(app, pages)
    _add_dialogues(app, pages)
    _add_profiles(app, pages)
    return app


class _Pages:
    """Templates, and what every page shows."""

    def __init__(self, data: RunData) -> None:
        self.data = data
        self._templates = environment(
            ("dialgauge.explore", "templates"),
            ("dialgauge.checks", "templates"),
            filters={"shown": shown, "as_given": as_given, "same": _same, "pretty": _pretty},
        )
        self._templates.globals |= {"link": link, "anchor": anchor}

    def page(self, request: Request, template: str, status: int = 200, **more: Any) -> HTMLResponse:
        """A page from a template."""
        context = {
            "language": "en",
            "static": "/static",
            "title": self.data.name,
            "data": self.data,
            "status": status,
            "version": __version__,
            "query": dict(request.query_params),
            "here": request.url.path,
        }
        return HTMLResponse(self._templates.get_template(template).render(**context, **more), status)


def link(path: str, *given: Mapping[str, Any], **more: Any) -> str:
    """An address with parameters; those without a value are left out."""
    parameters: dict[str, Any] = {}
    for one in (*given, more):
        parameters |= one
    kept = {name: value for name, value in parameters.items() if value not in (None, "")}
    return path + (f"?{urlencode(kept)}" if kept else "")


def anchor(*names: str) -> str:
    """A unique id on a page, made from any names."""
    return "-".join(quote(name, safe="") for name in names)


def _same(names: Iterable[str]) -> dict[str, str]:
    """Choices whose labels are their values."""
    return {name: name for name in names}


def _pretty(value: Any) -> str:
    """Provenance data, formatted for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _wants_json(request: Request) -> bool:
    return request.query_params.get("format") == "json"


def _check_format(request: Request) -> None:
    given = request.query_params.get("format", "")
    if given not in ("", "html", "json"):
        raise ParameterError("this page", "format", "'html' or 'json'", given)


def _add_errors(app: FastAPI, pages: _Pages) -> None:
    def answer(request: Request, status: int, message: str) -> Response:
        if _wants_json(request):
            return JSONResponse({"error": message}, status)
        return pages.page(request, "problem.html", status, message=message)

    @app.exception_handler(DialgaugeError)
    async def impossible(request: Request, error: DialgaugeError) -> Response:
        return answer(request, 404 if isinstance(error, UnknownNameError) else 422, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        problems = [f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()]
        return answer(request, 422, "; ".join(problems))

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        message = "This page does not exist." if error.status_code == 404 else str(error.detail)
        return answer(request, error.status_code, message)


def _add_search(app: FastAPI, pages: _Pages) -> None:
    data = pages.data

    @app.get("/", response_class=HTMLResponse)
    def overview(
        request: Request,
        question: Text = "",
        text: Text = "",
        domain: Text = "",
        system: Text = "",
        role: Text = "",
        measure: Text = "",
        least: Text = "",
        most: Text = "",
        page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
        size: Annotated[int, Query(ge=1, le=200)] = 20,
    ) -> Response:
        bounds = numbers({"least": least, "most": most})
        wanted = Filter(text.strip(), domain or None, system or None, role or None, measure or None, **bounds)
        asked = {name: value for name, value in request.query_params.items() if name != "question"}
        found = results_of(data, question, asked, wanted, page, size)
        if _wants_json(request):
            return JSONResponse(found.as_json())
        return pages.page(
            request,
            "overview.html",
            found=found,
            wanted=wanted,
            forms=question_forms(data),
            labels=LABELS,
            asked=_asked(found, request),
            missing={entry.title: reason for entry in QUESTIONS.values() if (reason := entry.missing(data))},
        )


def _asked(found: Results, request: Request) -> dict[str, str]:
    """The question and its parameters, as in the address."""
    if not found.question:
        return {}
    names = QUESTIONS[found.question].parameters(found.data)
    given = {name: request.query_params.get(name) or next(iter(choices)) for name, choices in names.items()}
    return {"question": found.question, **given}


def _add_dialogues(app: FastAPI, pages: _Pages) -> None:
    data = pages.data

    @app.get("/dialogue", response_class=HTMLResponse)
    def dialogue(
        request: Request,
        id: Text,
        system: Text = "",
        role: Text = "",
        sort: Text = "",
        order: Text = "up",
        feelings: Text = "on",
    ) -> Response:
        from dialgauge.explore._dialogue import dialogue_view

        view = dialogue_view(
            data,
            id,
            system=system or None,
            role=role or None,
            sort=sort or None,
            descending=order == "down",
            mark_feelings=feelings != "off",
        )
        if _wants_json(request):
            return JSONResponse(plain(view))
        marked = feelings != "off"
        toggle = link("/dialogue", request.query_params, feelings="off" if marked else "on")
        note = data.feelings[1] if marked else ""
        return pages.page(
            request, "dialogue.html", view=view, sort=sort, order=order, note=note, toggle=toggle, one=bool(system)
        )


def _add_profiles(app: FastAPI, pages: _Pages) -> None:
    data = pages.data

    @app.get("/metrics", response_class=HTMLResponse)
    def metrics(request: Request) -> Response:
        rows = metric_table(data)
        if _wants_json(request):
            heads = ("metric", "direction", "left_out", "correlations")
            return JSONResponse([dict(zip(heads, row, strict=True)) for row in rows])
        from dialgauge.metaeval import COEFFICIENT_NAMES  # here: the start of the server needs no correlation

        found = data.correlations
        level, coefficient = ("", "") if found is None or found.is_empty() else table_coefficient(found)
        called = COEFFICIENT_NAMES.get(coefficient, coefficient)
        return pages.page(request, "metrics.html", rows=rows, level=level, coefficient=called)

    @app.get("/metric", response_class=HTMLResponse)
    def metric(request: Request, name: Text) -> Response:
        view = metric_view(data, name)
        if _wants_json(request):
            return JSONResponse(plain(view))
        worst = {dimension: answer_rows(data, answer) for dimension, answer in view.worst.items()}
        return pages.page(request, "metric.html", view=view, worst_rows=worst)

    @app.get("/systems", response_class=HTMLResponse)
    def systems(request: Request) -> Response:
        rows = system_table(data)
        if _wants_json(request):
            return JSONResponse(
                [dict(zip(("system", "kind", "summaries", "ratings"), row, strict=True)) for row in rows]
            )
        return pages.page(request, "systems.html", rows=rows)

    @app.get("/system", response_class=HTMLResponse)
    def system(request: Request, name: Text) -> Response:
        view = system_view(data, name)
        return JSONResponse(plain(view)) if _wants_json(request) else pages.page(request, "system.html", view=view)
