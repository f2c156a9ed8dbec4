"""What tests ask of any page in a browser: two sizes of screen, and axe-core from npm."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

DESKTOP = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844}


#: The rules of a later version may find other things; that is for a change of this number to show.
AXE = "axe-core@4.14.0"


def axe_source() -> str:
    """axe-core's script, from npm into a cache folder; skips, loudly, where npm or the registry is not to be had."""
    script, trouble = _fetched_axe()
    if trouble:
        pytest.skip(trouble)
    return script


@cache
def _fetched_axe() -> tuple[str, str]:
    """The script, or what stands in the way of it: asked for once, since a registry that is away takes its time."""
    folder = Path(os.environ.get("DIALGAUGE_AXE", Path(tempfile.gettempdir()) / "dialgauge-axe"))
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        if shutil.which("npm") is None:
            return "", "NO NPM: install npm, or point DIALGAUGE_AXE to a folder with node_modules/axe-core"
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), AXE]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "", "NO AXE: npm did not get axe-core within five minutes"
        if done.returncode:
            return "", f"NO AXE: npm could not install axe-core: {done.stderr.strip()[-300:]}"
    return script.read_text("utf-8"), ""


def violations(page: Any) -> list[str]:
    """What axe-core finds against WCAG A and AA on this page."""
    if not page.evaluate("'axe' in window"):
        # By the debugger, which the page's content security policy does not bind; half the cost of page.evaluate.
        debugger = page.context.new_cdp_session(page)
        debugger.send("Runtime.evaluate", {"expression": axe_source()})
        debugger.detach()
    # What passes is not described one by one, which takes longer than the checks themselves on pages with long tables.
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations'], preload: false,"
        " runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]
