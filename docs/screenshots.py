"""Pictures of our pages, taken with Chromium while the documentation is built, so that they show what there is now.

A ``screenshot`` block of an executed page (``executed``) says in TOML what to show: ``file``, a page that the blocks
before have written, or ``serve``, a command that serves pages, with the ``path`` to open or the ``person`` whose link
to follow; ``click``, the buttons on the way; ``shows``, a CSS selector of what must be there before the picture is
taken (default: a heading); ``name`` and ``caption`` of the picture. Where there is no Chromium the page says so
instead.

The picture in the README is kept in the repository, with its words beside it: ``make pictures`` takes it anew, and
``python docs/screenshots.py --check runs/demo/report.html`` says whether a report has other words.
"""

import argparse
import base64
import contextlib
import difflib
import html
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZE = {"width": 1366, "height": 768}
_THEMES = ("light", "dark")
_README = Path(__file__).parent / "report.png"
_COMMAND = (sys.executable, "-c", "from dialgauge.cli import main; main()")
#: What a Chromium does for people and no page of ours needs; the first two load two pages of their own with each
#: window, which is most of the work. Chromium reads the last such list only, so Playwright's own features are here too.
_UNUSED_FEATURES = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
#: The first, without windows, takes two thirds of the CPU.
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
#: How to start a Chromium, here and in the tests: shared memory may be small where it runs.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    f"--disable-features={','.join(_UNUSED_FEATURES)}",
]
#: The words on a screen, in reading order: what of a picture can be compared.
_WORDS = """() => [...document.querySelectorAll('h1, h2, th, td, p, label, legend, button')]
    .filter(one => one.offsetParent && one.getBoundingClientRect().top < innerHeight)
    .map(one => `${one.tagName.toLowerCase()} ${one.innerText.trim().replace(/\\s+/g, ' ')}`)"""


@dataclass(frozen=True)
class Picture:
    """A screen in both themes as PNG, and the words on it; without a browser no pictures."""

    name: str
    caption: str
    images: dict[str, bytes]
    words: list[str]

    def save(self, folder: Path) -> None:
        """Write NAME-light.png, NAME-dark.png, and the words as NAME.txt."""
        folder.mkdir(parents=True, exist_ok=True)
        for theme, image in self.images.items():
            (folder / f"{self.name}-{theme}.png").write_bytes(image)
        (folder / f"{self.name}.txt").write_text("".join(f"{line}\n" for line in self.words), encoding="utf-8")

    def markup(self, folder: str) -> str:
        """The picture as HTML: that of the reader's theme."""
        if not self.images:
            return f"<p>({html.escape(self.caption)} No picture: there was no Chromium where this page was built.)</p>"
        shown = "".join(
            f'<img class="screenshot only-{theme}" src="{folder}/{self.name}-{theme}.png" '
            f'width="{SIZE["width"]}" height="{SIZE["height"]}" alt="{html.escape(self.caption)}">'
            for theme in self.images
        )
        return f"<figure>{shown}<figcaption>{html.escape(self.caption)}</figcaption></figure>"

    def markdown(self) -> str:
        """The picture inside a cell of a notebook."""
        if not self.images:
            return self.caption
        return f"![{self.caption}](data:image/png;base64,{base64.b64encode(self.images['light']).decode()})"


def chromium_here() -> str | None:
    """Where on this machine a Chromium is."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def taken(block: str) -> Picture:
    """The picture that a block asks for."""
    asked = tomllib.loads(block)
    chromium = chromium_here()
    if chromium is None:
        return Picture(asked["name"], asked["caption"], {}, [])
    with _address(asked) as address, _page(chromium) as page:
        page.goto(address)
        for name in asked.get("click", ()):
            page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.click()
        page.locator(asked.get("shows", "h1")).first.wait_for()
        images = {}
        for theme in _THEMES:
            page.emulate_media(color_scheme=theme)
            images[theme] = page.screenshot(animations="disabled")
        return Picture(asked["name"], asked["caption"], images, page.evaluate(_WORDS))


@contextlib.contextmanager
def _page(chromium: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS, timeout=180_000)
        try:
            yield browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]})
        finally:
            browser.close()


@contextlib.contextmanager
def _address(asked: dict[str, Any]) -> Iterator[str]:
    if "file" in asked:
        yield Path(asked["file"]).resolve().as_uri()
        return
    words = shlex.split(asked["serve"].removeprefix("dialgauge "))
    command = [*_COMMAND, *words, "--port", "0", "--json"]
    variables = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=variables
    ) as server:
        try:
            said = _first_answer(server)
            links = {link["name"]: link["link"] for link in said.get("links", ())}
            yield links[asked["person"]] if "person" in asked else said["address"].rstrip("/") + asked.get("path", "/")
        finally:
            server.terminate()


def _first_answer(server: "subprocess.Popen[str]") -> dict[str, Any]:
    """The first JSON object that a server prints; it goes on serving after that."""
    said = ""
    for line in server.stdout or ():
        said += line
        with contextlib.suppress(json.JSONDecodeError):
            answer: dict[str, Any] = json.loads(said)
            return answer
    raise RuntimeError(f"the server printed no address: {said}")


def main() -> int:
    """Take the picture in the README anew, or compare its words with those of a report."""
    parser = argparse.ArgumentParser(description="The picture in the README.")
    parser.add_argument("report", type=Path, help="The report of the demo: runs/demo/report.html.")
    parser.add_argument("--check", action="store_true", help="Only compare the words; exit status 1 if they differ.")
    given = parser.parse_args()
    made = taken(f'file = "{given.report}"\nname = "report"\ncaption = ""')
    if not made.images:
        sys.exit("there is no Chromium on this machine")
    if given.check:
        kept = _README.with_suffix(".txt").read_text("utf-8").splitlines()
        print(
            "".join(f"{line}\n" for line in difflib.unified_diff(kept, made.words, "README", "report", lineterm="")),
            end="",
        )
        return int(kept != made.words)
    _README.write_bytes(made.images["light"])
    _README.with_suffix(".txt").write_text("".join(f"{line}\n" for line in made.words), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
