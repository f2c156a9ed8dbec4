"""Serving a project with uvicorn."""

from collections.abc import Callable
from typing import Any

from dialgauge.annotate._app import create_app
from dialgauge.annotate._listen import listen, run_server
from dialgauge.annotate._project import Link, Project
from dialgauge.annotate._public import public_url as parse_public_url, trusted_proxies as checked_proxies
from dialgauge.annotate._settings import ServerSettings
from dialgauge.settings import takes


@takes(ServerSettings)
def serve(
    project: Project,
    settings: ServerSettings | None = None,
    *,
    announce: Callable[[str, list[Link]], None] | None = None,
    **changes: Any,
) -> None:
    """Serve until interrupted. ``announce`` gets the address and the links once the port is open.

    ``trusted_proxies`` are the addresses or networks whose ``X-Forwarded-For`` says from where a request comes.
    """
    asked = ServerSettings.chosen(settings, changes, "serve")
    public_url = None if asked.public_url is None else parse_public_url(asked.public_url).origin
    checked_proxies(asked.trusted_proxies)
    listening, address = listen(asked.host, asked.port)
    app = create_app(project, public_url=public_url, address=address)
    if announce is not None:
        announce(public_url or address, project.links())
    run_server(app, listening, asked.trusted_proxies)
