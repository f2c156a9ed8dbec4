"""Serving a project with uvicorn."""

import socket
from collections.abc import Callable

from dialgauge.annotate._app import create_app
from dialgauge.annotate._project import Link, Project
from dialgauge.errors import InputError


def serve(
    project: Project,
    *,
    host: str = "127.0.0.1",
    port: int = 8321,
    public_url: str | None = None,
    announce: Callable[[str, list[Link]], None] | None = None,
) -> None:
    """Serve until interrupted. ``announce`` gets the address and the links once the port is ours."""
    import uvicorn

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # From here on callers wait instead of being refused: the links are printed before the first answer.
        listening.listen(512)
    except OSError as error:
        raise InputError(f"port {port} of {host}: {error.strerror}; choose another with --port") from error
    everywhere = host in ("0.0.0.0", "::")
    shown = socket.gethostname() if everywhere else f"[{host}]" if ":" in host else host
    address = public_url or f"http://{shown}:{listening.getsockname()[1]}"
    app = create_app(project, public_url=address)
    if announce is not None:
        announce(address.rstrip("/"), project.links())
    # People think for a minute between two saves; a connection that is kept spares them a new one each time.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", timeout_keep_alive=75
    )
    uvicorn.Server(config).run(sockets=[listening])
