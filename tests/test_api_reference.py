"""The API reference: every public name is in it, with its parameters, and it builds without a warning."""

import inspect
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

from dialgauge.lazy import public_names
from dialgauge.settings import Settings, setting
from tests.page_checks import DESKTOP, violations

ROOT = Path(__file__).resolve().parent.parent
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "dialgauge").glob("*/__init__.pyi") if public_names(path))


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The Sphinx extension."""
    pytest.importorskip("sphinx")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        return import_module("api_reference")


class Asked(Settings):
    """Settings of a question."""

    often: int = setting(3, "How often.")
    kind: Literal["big", "small"] = setting("big", "Of which kind.")


class Heir(Asked):
    pass


@dataclass
class Silent:
    value: int


def answer(text: str, settings: Asked | None = None, *more: int, often: int = 3, **others: Any) -> list[str]:
    """An answer."""
    raise AssertionError((text, settings, more, often, others))


def test_the_parameters_of_a_function(reference: ModuleType) -> None:
    assert list(reference.parameter_lines(answer)) == [
        ":param text: ",
        ":type text: str",
        ":param settings: Default: ``None``.",
        f":type settings: {__name__}.Asked | None",
        r":param \*more: ",
        r":type \*more: int",
        ":param often: How often. Default: ``3``.",
        ":type often: int",
        r":param \*\*others: ",
        r":type \*\*others: Any",
        ":rtype: list[str]",
    ]


def test_the_fields_of_settings(reference: ModuleType) -> None:
    assert list(reference.parameter_lines(Asked)) == [
        ":param often: How often. Default: ``3``.",
        ":type often: int",
        ":param kind: Of which kind. Default: ``'big'``.",
        ":type kind: 'big' or 'small'",
    ]


def test_a_docstring_is_one_that_somebody_wrote(reference: ModuleType) -> None:
    assert reference.docstring(Silent) is None
    assert reference.docstring(Heir) is None
    assert reference.docstring(answer) == "An answer."


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_documented(reference: ModuleType, room: str) -> None:
    page = ROOT / "docs" / "api" / f"{room}.rst"
    assert f".. room:: dialgauge.{room}\n" in page.read_text("utf-8")
    assert f"\n{room}\n" in (page.parent / "index.md").read_text("utf-8")
    module = import_module(f"dialgauge.{room}")
    text = "\n".join(reference.reference_lines(module.__name__)) + "\n"
    for name, home in reference.homes(module.__name__).items():
        value = getattr(module, name)
        kind = reference.kind_of(value)
        assert f":: {module.__name__}.{name}\n" in text or f".. py:{kind}:: {name}\n" in text
        assert reference.summary(module.__name__, name, home) or kind == "data", f"{name} has no docstring"
        if kind == "function":
            listed = [line.split()[1].strip("\\*:") for line in reference.parameter_lines(value) if ":param" in line]
            assert listed == [one for one in inspect.signature(value).parameters if not one.startswith("_")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation; building it runs the tutorials and the gallery."""
    pytest.importorskip("sphinx")
    pytest.importorskip("vl_convert")
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(ROOT / "docs"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_it_builds_without_a_warning_and_has_every_name(reference: ModuleType, built: Path) -> None:
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((built / "objects.inv").read_bytes(), uri="")
    known = {name for kind, entries in inventory.data.items() if kind.startswith("py:") for name in entries}
    for room in ROOMS:
        page = (built / "api" / f"{room}.html").read_text("utf-8")
        for name in reference.homes(f"dialgauge.{room}"):
            assert f"dialgauge.{room}.{name}" in known or f">{name}</span>" in page


@pytest.mark.slow
def test_tutorials_and_gallery_are_notebooks_with_pictures(built: Path) -> None:
    pages = sorted(path.relative_to(built).with_suffix("") for path in built.rglob("*.ipynb"))
    sources = [*(ROOT / "docs" / "tutorials").glob("*.md"), ROOT / "docs" / "gallery.md"]
    assert pages == sorted(path.relative_to(ROOT / "docs").with_suffix("") for path in sources)
    for page in pages:
        if page.name == "index":
            continue
        notebook = json.loads((built / page).with_suffix(".ipynb").read_text("utf-8"))
        kinds = {kind for cell in notebook["cells"] for one in cell.get("outputs", ()) for kind in one.get("data", ())}
        assert "image/svg+xml" in kinds, page
        assert '<div class="output" tabindex="0"><svg' in (built / page).with_suffix(".html").read_text("utf-8")
    gallery = (built / "gallery.html").read_text("utf-8")
    assert gallery.count('<div class="output" tabindex="0"><svg') >= 16


@pytest.mark.slow
def test_no_link_inside_is_broken_and_search_finds_pages(built: Path) -> None:
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8"))) for path in built.rglob("*.html")}
    broken = []
    for page in anchors:
        for link in re.findall(r'href="([^"]+)"', page.read_text("utf-8")):
            target, _, anchor = link.partition("#")
            if "://" in link or link.startswith(("mailto:", "data:")):
                continue
            file = (page.parent / target.partition("?")[0]).resolve() if target else page
            if not file.exists() or (anchor and file in anchors and anchor not in anchors[file]):
                broken.append(f"{page.name}: {link}")
    assert broken == []
    index = (built / "searchindex.js").read_text("utf-8")
    assert "krippendorff" in index
    assert "tutorials/two-summarizers" in index


@pytest.mark.slow
@pytest.mark.browser
def test_screenshots_are_taken_and_the_one_in_the_readme_shows_what_there_is(built: Path, browser: Any) -> None:
    for name, page in (("report", "gallery"), ("explorer", "gallery"), ("annotation", "tutorials/collect-ratings")):
        shown = (built / f"{page}.html").read_text("utf-8")
        for theme in ("light", "dark"):
            assert (built / "pictures" / f"{name}-{theme}.png").read_bytes().startswith(b"\x89PNG")
            assert f'src="{"../" * page.count("/")}pictures/{name}-{theme}.png"' in shown
    # The demo takes minutes; the headings and columns of every report are the same.
    kept, now = (
        [line for line in path.read_text("utf-8").splitlines() if line.startswith(("h2 ", "th "))]
        for path in (ROOT / "docs" / "report.txt", built / "pictures" / "report.txt")
    )
    assert kept == now, "the picture in the README is old: run 'make pictures'"


@pytest.mark.slow
@pytest.mark.browser
def test_pages_are_accessible(built: Path, browser: Any) -> None:
    page = browser.new_page(viewport=DESKTOP)
    try:
        for name in ("index", "tutorials/which-metric", "gallery", "api/plots"):
            page.goto((built / f"{name}.html").as_uri())
            assert violations(page) == [], name
    finally:
        page.close()
