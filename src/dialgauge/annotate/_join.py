"""The pages around the work: enrolling, consent, guidelines and quiz, and leaving with a code."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy.engine import Connection

from dialgauge.annotate import _access as access, _crowd as crowd, _steps as steps
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._crowd import Arrival
from dialgauge.annotate._erase import erase_person
from dialgauge.annotate._sign_in import entered
from dialgauge.annotate._views import protocol_view, situation
from dialgauge.annotate._web import Site

#: What Mechanical Turk sends where somebody only looks at a task.
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


def add_join(app: FastAPI, site: Site, *, secure: bool) -> None:
    """Register the routes."""
    _add_enrolment(app, site, secure)
    _add_steps(app, site)
    _add_leaving(app, site)


async def _form(request: Request) -> dict[str, str]:
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=200)
    except ValueError as error:
        raise RefusedError(400, "bad-request", "The form cannot be read.") from error
    return {name: values[0] for name, values in fields.items()}


def detour(site: Site, request: Request) -> str | None:
    """Where an annotator has to go before (or instead of) their items; None for nowhere."""
    with site.project.store.read() as connection:
        visitor = site.visitor(request, connection, leaving=True)
        if visitor.is_lead:
            return None
        if visitor.state not in access.TAKING_PART and site.project.section.crowd:
            return "/leave"
        return "/start" if steps.next_step(connection, site.project, visitor) else None


def _add_enrolment(app: FastAPI, site: Site, secure: bool) -> None:
    project = site.project

    def require_token(token: str) -> None:
        if project.section.crowd is None or token != crowd.join_token(project):
            raise RefusedError(404, "not-found", "This study has no enrolment at this address.")

    @app.get("/join/{token}", response_class=HTMLResponse)
    def arrive(request: Request, token: str) -> Response:
        require_token(token)
        person, session = crowd.crowd_of(project).parameters
        asked = request.query_params
        given: dict[str, Any] = {"person": asked.get(person, ""), "session": asked.get(session, "")}
        with project.store.read() as connection:
            known = crowd.find_identity(connection, project, given["person"]) if given["person"] else None
            full = known is None and crowd.is_full(connection, project)
        if full:
            return _goodbye(site, request, 0, "full")
        preview = given["session"] == _PREVIEW
        return site.page(
            request, "join.html", token=token, known=known is not None, preview=preview, **_consent(site), **given
        )

    @app.post("/join/{token}")
    async def enrol(request: Request, token: str) -> Response:
        require_token(token)
        given = await _form(request)
        consent = project.section.consent
        person, session = given.get("person", "").strip(), given.get("session", "").strip()
        if not person or max(len(person), len(session)) > 200 or session == _PREVIEW:
            raise RefusedError(422, "invalid", "Your id on the platform is missing.")
        if given.get("agree") == "no":
            return _goodbye(site, request, 0, "no_consent")
        with project.store.read() as connection:
            known = crowd.find_identity(connection, project, person) is not None
        if consent and not known:
            _require_ticks(site, given)
        answers = _answers(site, given)

        def write(connection: Connection) -> tuple[int, str | None, str]:
            number, outcome = crowd.enrol(connection, project, Arrival(person, session, answers))
            return number, outcome, access.start_session(connection, number) if outcome is None else ""

        number, outcome, cookie = await project.store.write_async(write)
        if outcome is not None:
            return _goodbye(site, request, number, outcome)
        return entered(site, cookie, "/work", secure=secure)


def _consent(site: Site) -> dict[str, Any]:
    consent = site.project.section.consent
    return {"consent": consent.model_dump() if consent else None, "protocol": protocol_view(site.project.section)}


def _require_ticks(site: Site, given: Mapping[str, str]) -> None:
    consent = site.project.section.consent
    ticked = consent is None or all(given.get(f"statement-{number}") for number in range(len(consent.statements)))
    if not ticked:
        raise RefusedError(422, "invalid", "Please tick every statement, or choose not to take part.")


def _answers(site: Site, given: Mapping[str, str]) -> dict[str, str]:
    consent = site.project.section.consent
    questions = consent.questions if consent else []
    chosen = {one.name: given.get(f"question-{number}", "") for number, one in enumerate(questions)}
    return {one.name: chosen[one.name] for one in questions if chosen[one.name] in one.options}


def _goodbye(site: Site, request: Request, number: int, outcome: str, **more: Any) -> Response:
    code = crowd.code_of(site.project, number, outcome)
    url = crowd.return_url(site.project, code)
    return site.page(request, "goodbye.html", outcome=outcome, code=code, url=url, **more)


def _add_steps(app: FastAPI, site: Site) -> None:
    project = site.project

    @app.get("/start", response_class=HTMLResponse)
    def show(request: Request) -> Response:
        def view(connection: Connection, visitor: Visitor) -> tuple[Any, Visitor]:
            return steps.next_step(connection, project, visitor), visitor

        step, visitor = site.look(request, view)
        return RedirectResponse("/work", 303) if step is None else _step_page(site, request, step, visitor.csrf)

    @app.post("/start")
    async def take(request: Request) -> Response:
        given = await _form(request)

        def write(connection: Connection) -> tuple[str | None, list[int], str]:
            visitor = site.visitor(request, connection)
            access.require_token(visitor, given.get("csrf", ""))
            if visitor.annotator is None:
                raise RefusedError(403, "forbidden", "Only for annotators.")
            step, wrong = steps.next_step(connection, project, visitor), []
            if step == "consent":
                _require_ticks(site, given)
                steps.agree(connection, project, visitor.annotator)
            elif step == "guidelines":
                steps.read_guidelines(connection, project, visitor.annotator)
            elif step == "quiz":
                wrong = steps.take_quiz(connection, project, visitor.annotator, given)
            return step, wrong, visitor.csrf

        step, wrong, csrf = await project.store.write_async(write)
        if step == "quiz" and wrong:
            with project.store.read() as connection:
                visitor = site.visitor(request, connection, leaving=True)
                again = steps.next_step(connection, project, visitor)
            if visitor.state not in access.TAKING_PART:
                return RedirectResponse("/leave", 303)
            return _step_page(site, request, again or "quiz", csrf, wrong=wrong)
        return RedirectResponse("/work", 303)


def _step_page(site: Site, request: Request, step: str, csrf: str, **more: Any) -> Response:
    quiz = site.project.section.quiz
    questions = [{"question": one.question, "options": one.options} for one in quiz.questions] if quiz else []
    context = {"step": step, "questions": questions, "wrong": [], **_consent(site), **more}
    return site.page(request, "start.html", csrf=csrf, **context)


def _add_leaving(app: FastAPI, site: Site) -> None:
    project = site.project

    @app.get("/leave", response_class=HTMLResponse)
    def show(request: Request) -> Response:
        with project.store.read() as connection:
            visitor = site.visitor(request, connection, leaving=True)
            if visitor.annotator is None:
                raise RefusedError(403, "forbidden", "Only for annotators.")
            row = steps.participation_of(connection, visitor.annotator)
            done = visitor.state == "active" and situation(connection, project, visitor).waiting == "done"
        if project.section.crowd and row is not None and row.outcome is not None:
            return _goodbye(site, request, visitor.annotator, row.outcome)
        return site.page(request, "leave.html", csrf=visitor.csrf, done=done, crowd=project.section.crowd is not None)

    @app.post("/leave")
    async def leave(request: Request) -> Response:
        given = await _form(request)

        def write(connection: Connection) -> tuple[int, str]:
            visitor = site.visitor(request, connection)
            access.require_token(visitor, given.get("csrf", ""))
            if visitor.annotator is None:
                raise RefusedError(403, "forbidden", "Only for annotators.")
            how = given.get("how", "")
            if how == "complete":
                if situation(connection, project, visitor).waiting != "done":
                    raise RefusedError(409, "unfinished", "Some items are still open.")
                crowd.leave(connection, visitor.annotator, "complete")
                return visitor.annotator, "complete"
            if how not in ("stop", "erase"):
                raise RefusedError(422, "invalid", "Choose how to leave.")
            crowd.leave(connection, visitor.annotator, "withdrawn")
            if how == "erase":
                erase_person(connection, project, visitor.annotator, actor=access.annotator_actor(visitor.annotator))
            return visitor.annotator, "withdrawn"

        number, outcome = await project.store.write_async(write)
        if given.get("how") == "erase":
            project.store.scrub()
        if project.section.crowd is None:
            return site.page(request, "goodbye.html", outcome=outcome, code=None, url=None)
        return _goodbye(site, request, number, outcome)
