"""A real browser for the pages of the report, and axe-core to look at them."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The Chromium of this machine, running; skips, loudly, where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("NO BROWSER: install chromium to look at the report")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def violations() -> Callable[[Any], list[str]]:
    """What axe-core finds on a page: the function that the tests of the annotation pages use."""
    folder = str(Path(__file__).parent.parent / "annotate")
    if folder not in sys.path:
        sys.path.append(folder)
    from annotate_browser import violations as found

    return found  # type: ignore[no-any-return]
