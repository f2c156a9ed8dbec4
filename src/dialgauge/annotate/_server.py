"""Serving a project with uvicorn."""

from collections.abc import Callable, Sequence

from dialgauge.annotate._app import create_app
from dialgauge.annotate._listen import listen, run_server
from dialgauge.annotate._project import Link, Project
from dialgauge.annotate._public import public_url as parse_public_url, trusted_proxies as checked_proxies


def serve(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int = 8321,
    public_url: str | None = None,
    trusted_proxies: Sequence[str] = (),
    announce: Callable[[str, list[Link]], None] | None = None,
) -> None:
    """Serve until interrupted. ``announce`` gets the address and the links once the port is open.

    ``trusted_proxies`` are the addresses or networks whose ``X-Forwarded-For`` says from where a request comes.
    """
    if public_url is not None:
        public_url = parse_public_url(public_url).origin
    checked_proxies(trusted_proxies)
    listening, address = listen(host, port)
    app = create_app(project, public_url=public_url, address=address)
    if announce is not None:
        announce(public_url or address, project.links())
    run_server(app, listening, trusted_proxies)
