"""The script that lets the annotators' page open without a connection."""

import json

from fastapi import FastAPI
from fastapi.responses import Response

from dialgauge import __version__
from dialgauge.annotate._web import HERE
from dialgauge.web import static_folder

_WORKER = "offline-worker.js"


def add_offline_route(app: FastAPI) -> None:
    """Serve the worker beside the pages: a script under ``/static`` may not act for them."""
    text = (HERE / "static" / _WORKER).read_text("utf-8")
    text = text.replace('VERSION = ""', f"VERSION = {json.dumps(__version__)}", 1)
    script = text.replace("FILES = []", f"FILES = {json.dumps(page_files())}", 1)

    @app.get(f"/{_WORKER}", include_in_schema=False)
    def worker() -> Response:
        return Response(script, media_type="text/javascript")


def page_files() -> list[str]:
    """The addresses of the scripts and style sheets of the annotators' page."""
    own = (path for path in sorted((HERE / "static").iterdir()) if path.suffix in (".js", ".css"))
    names = [path.name for path in own if not path.name.startswith("lead") and path.name != _WORKER]
    shared = [path.name for path in sorted(static_folder().glob("*.css"))] + ["icon.svg"]
    return [f"/static/{name}" for name in names] + [f"/static/web/{name}" for name in shared]
