"""The import plan of docs/architecture.md holds: rooms import what its table says, and only public names."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "dialgauge"
#: Modules beside the rooms; any room may use them.
SHARED = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}


def planned() -> dict[str, set[str]]:
    """What each room may import, from the table of the page."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*?) ?\|$", text, re.MULTILINE)
    rooms = {name for name, _ in rows}
    return {name: rooms if last.strip() == "all" else set(re.findall(r"`(\w+)`", last)) for name, last in rows}


@cache
def named_modules(path: Path) -> tuple[str, ...]:
    """Every module of ours that a file imports, also inside functions, or names in a string."""
    return tuple(_named_modules(path))


def _named_modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "dialgauge":
            yield from (f"dialgauge.{alias.name}" for alias in node.names if not alias.name.startswith("_"))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dialgauge."):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("dialgauge."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^dialgauge(?:\.\w+)+(?=:\w+$|$)", node.value)


def rooms() -> list[str]:
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def files(room: str) -> list[Path]:
    return sorted(path for path in (PACKAGE / room).rglob("*") if path.suffix in (".py", ".pyi"))


def test_the_page_names_files_that_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = {name for name in re.findall(r"`([\w/]+\.(?:py|c|tsv))`", text) if not re.search("mine|_module", name)}
    assert len(named) > 10
    assert sorted(name for name in named if not (ROOT / name).exists() and not any(PACKAGE.rglob(name))) == []


def test_the_table_lists_every_room() -> None:
    assert sorted(planned()) == rooms()


@pytest.mark.parametrize("room", rooms())
def test_a_room_imports_what_the_table_says(room: str) -> None:
    known, allowed = set(rooms()) | SHARED, planned()[room] | {room} | SHARED
    wrong = {
        f"{path.relative_to(PACKAGE)}: {module}"
        for path in files(room)
        for module in named_modules(path)
        # A string may be the name of something else, such as an entry point group.
        if module.split(".")[1] in known and module.split(".")[1] not in allowed
    }
    assert wrong == set()


@pytest.mark.parametrize("room", rooms())
def test_a_room_uses_only_public_names_of_others(room: str) -> None:
    reaches = {
        f"{path.relative_to(PACKAGE)}: {module}"
        for path in files(room)
        for module in named_modules(path)
        if module.split(".")[1] != room and any(part.startswith("_") for part in module.split(".")[2:])
    }
    assert reaches == set()


def test_rooms_import_each_other_in_one_direction() -> None:
    order = list(planned())
    upwards = {(room, other) for room, allowed in planned().items() for other in allowed if room != "cli"}
    assert {pair for pair in upwards if order.index(pair[1]) >= order.index(pair[0])} == set()


def test_shared_modules_import_no_room() -> None:
    reaches = {
        f"{name}: {module}"
        for name in SHARED
        for module in named_modules(PACKAGE / f"{name}.py")
        if module.split(".")[1] in rooms()
    }
    assert reaches == set()
