"""Serving a run with uvicorn."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from dialgauge.annotate import Application, listen, run_server
from dialgauge.errors import DialgaugeError
from dialgauge.explore._app import create_app
from dialgauge.explore._data import RunData
from dialgauge.explore._profiles import metric_view
from dialgauge.explore._queries import Filter, matching
from dialgauge.explore._results import question_forms
from dialgauge.explore._settings import ExploreSettings
from dialgauge.settings import takes


@takes(ExploreSettings)
def serve(
    data: RunData,
    settings: ExploreSettings | None = None,
    *,
    announce: Callable[[str], None] | None = None,
    **changes: Any,
) -> None:
    """Serve until interrupted. ``announce`` gets the address once the port is open. There is no sign-in."""
    asked = ExploreSettings.chosen(settings, changes, "serve")
    listening, address = listen(asked.host, asked.port)
    answered = threading.Event()
    app = _noting(create_app(data, address=address), answered)
    # The address is announced at once; what the first pages need is read meanwhile.
    threading.Thread(target=_read_ahead, args=(data, answered), daemon=True).start()
    if announce is not None:
        announce(address)
    run_server(app, listening)


def _noting(app: Application, answered: threading.Event) -> Application:
    """The application, which signals its first response."""

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        await app(scope, receive, send)
        answered.set()

    return noting


def _read_ahead(data: RunData, answered: threading.Event) -> None:
    """Read what the first page needs; once that is sent, what the linked pages need."""
    # Errors of a damaged file are shown on the page that needs it.
    with contextlib.suppress(DialgaugeError):
        question_forms(data)
        answered.wait()  # running both at once would only slow each other down
        from dialgauge.explore._dialogue import dialogue_view

        keys = matching(data, Filter(text="a"))
        for name, system in keys.select("dialogue_id", "system").head(1).iter_rows():
            dialogue_view(data, name, system=system)
        for name in data.metrics[:1]:
            metric_view(data, name)
