"""Serving a project with uvicorn."""

from collections.abc import Callable

from dialgauge.annotate._app import create_app
from dialgauge.annotate._listen import listen, run_server
from dialgauge.annotate._project import Link, Project


def serve(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int = 8321,
    public_url: str | None = None,
    announce: Callable[[str, list[Link]], None] | None = None,
) -> None:
    """Serve until interrupted. ``announce`` gets the address and the links once the port is open."""
    listening, address = listen(host, port)
    address = public_url or address
    app = create_app(project, public_url=address)
    if announce is not None:
        announce(address.rstrip("/"), project.links())
    run_server(app, listening)
