"""Sphinx extension: what the theme leaves out for readers who use a keyboard or a screen reader."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

#: In pages of the theme, and as they should be: levels of headings, names of landmarks, boxes that scroll by keyboard.
_MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',
    '<div class="output">': '<div class="output" tabindex="0">',
}


def mend(folder: Path) -> None:
    """Mend every page in a folder."""
    for path in folder.rglob("*.html"):
        text = path.read_text("utf-8")
        for theirs, ours in _MENDED.items():
            text = text.replace(theirs, ours)
        path.write_text(text, "utf-8")


def _finish(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        mend(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
