"""Serving a run with uvicorn."""

from collections.abc import Callable

from dialgauge.annotate import listen, run_server
from dialgauge.explore._app import create_app
from dialgauge.explore._data import RunData


def serve(
    data: RunData, *, host: str = "127.0.0.1", port: int = 8600, announce: Callable[[str], None] | None = None
) -> None:
    """Serve until interrupted. ``announce`` gets the address once the port is ours. There is no login."""
    listening, address = listen(host, port)
    app = create_app(data, address=address)
    if announce is not None:
        announce(address)
    run_server(app, listening)
