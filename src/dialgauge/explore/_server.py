"""Serving a run with uvicorn."""

import contextlib
import threading
from collections.abc import Callable

from dialgauge.annotate import listen, run_server
from dialgauge.errors import DialgaugeError
from dialgauge.explore._app import create_app
from dialgauge.explore._data import RunData
from dialgauge.explore._dialogue import dialogue_view
from dialgauge.explore._profiles import metric_view
from dialgauge.explore._queries import Filter, matching


def serve(
    data: RunData, *, host: str = "127.0.0.1", port: int = 8600, announce: Callable[[str], None] | None = None
) -> None:
    """Serve until interrupted. ``announce`` gets the address once the port is ours. There is no login."""
    listening, address = listen(host, port)
    app = create_app(data, address=address)
    # The address is there at once; what the first pages need is read meanwhile.
    threading.Thread(target=_read_ahead, args=(data,), daemon=True).start()
    if announce is not None:
        announce(address)
    run_server(app, listening)


def _read_ahead(data: RunData) -> None:
    # Whoever asks for a damaged file gets the error on the page.
    with contextlib.suppress(DialgaugeError):
        keys = matching(data, Filter(text="a"))
        for name, system in keys.select("dialogue_id", "system").head(1).iter_rows():
            dialogue_view(data, name, system=system)
        for name in data.metrics[:1]:
            metric_view(data, name)
