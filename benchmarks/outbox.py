"""The outbox of the annotators' page under random faults: how many edits are lost, how often "Saved" is untrue.

The scripts of the page run as they are, in Chromium, against a model of server, network and disk (``outbox_model.js``):
lost requests and answers, proxies that answer in the server's place, pauses, pages that are taken away, sessions that
end, a full disk, tabs that close at any moment, and second tabs.

    python -m benchmarks.outbox            # 1,000,000 steps: about two minutes
    python -m benchmarks.outbox 50000 7    # steps, seed
"""

import json
import shutil
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

_ORIGIN = "http://outbox.test"
_MODEL = "outbox_model.js"
_PAGE = "<!doctype html><title>outbox</title>"


def sources() -> dict[str, str]:
    """The scripts that are put to the test, and the model, by name."""
    static = files("dialgauge.annotate").joinpath("static")
    found = {name: static.joinpath(name).read_text("utf-8") for name in ("outbox.js", "outbox-states.js")}
    return {**found, _MODEL: Path(__file__).with_name(_MODEL).read_text("utf-8")}


def run_model(browser: Any, steps: int, seed: int, scripts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run the model in a browser; what it counted."""
    served = scripts or sources()

    def answer(route: Any) -> None:
        name = route.request.url.removeprefix(f"{_ORIGIN}/")
        if name in served:
            route.fulfill(body=served[name], content_type="text/javascript")
        else:
            route.fulfill(body=_PAGE, content_type="text/html")

    context = browser.new_context()
    try:
        page = context.new_page()
        page.route(f"{_ORIGIN}/**", answer)
        page.goto(f"{_ORIGIN}/")
        script = f"""async ([steps, seed]) => {{
            const [{{ runModel }}, {{ Outbox }}] = await Promise.all([import("/{_MODEL}"), import("/outbox.js")]);
            return runModel(Outbox, {{ steps, seed }});
        }}"""
        found: dict[str, Any] = page.evaluate(script, [steps, seed])
        return found
    finally:
        context.close()


def main() -> None:
    """Print the counts as JSON."""
    from playwright.sync_api import sync_playwright

    steps, seed = (int(word) for word in (sys.argv[1:] + ["1000000", "1"][len(sys.argv) - 1 :]))
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        print(json.dumps(run_model(browser, steps, seed), indent=1))
        browser.close()


if __name__ == "__main__":
    main()
