"""Rooms whose public names load on first use, so that using one name does not import the others.

The stub ``__init__.pyi`` of a room is the one declaration of its names: type checkers read it, and so does
:func:`lazy_room`. ``from dialgauge.ROOM._module import name as name`` makes a name public; below a line ``__all__:
list[str]``, it makes one that other rooms may import and users should not: it is not in the reference.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from dialgauge.errors import MissingExtraError


def lazy_room(
    room: str, *, feature: str = "", extra: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a room (its ``__name__``), from its stub.

    If its modules need an ``extra``, a missing package raises an error that names the ``feature`` and the extra.
    """
    stub = Path(str(sys.modules[room].__file__)).with_suffix(".pyi")
    body = ast.parse(stub.read_text("utf-8")).body
    homes, names = _imported(body), sorted(_imported(_for_users(body)))

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(homes[name]), name)
        except ModuleNotFoundError as error:
            if not extra or (error.name is not None and error.name.startswith("dialgauge")):
                raise
            raise MissingExtraError(f"{feature} ({error.name})", extra) from error
        # Found without this function from now on.
        setattr(sys.modules[room], name, value)
        return value

    return names, load, lambda: names


def load_when_used(name: str) -> None:
    """Have a submodule run when something in it is first asked for, not when it is imported."""
    if name in sys.modules:
        return
    package, _, last = name.rpartition(".")
    stand_in = ModuleType(name)

    def load(attribute: str) -> Any:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return getattr(import_module(name), attribute)

    vars(stand_in)["__getattr__"] = load
    sys.modules[name] = stand_in
    setattr(import_module(package), last, stand_in)


def room_names(stub: Path) -> dict[str, str]:
    """All names that a room has, for users and for other rooms, each with the module that it lives in."""
    return _imported(ast.parse(stub.read_text("utf-8")).body)


def public_names(stub: Path) -> dict[str, str]:
    """The names that a room has for users: those above ``__all__`` where its stub has that line, else all of them."""
    return _imported(_for_users(ast.parse(stub.read_text("utf-8")).body))


def _for_users(body: list[ast.stmt]) -> list[ast.stmt]:
    targets = [node.target if isinstance(node, ast.AnnAssign) else None for node in body]
    ends = [i for i, target in enumerate(targets) if isinstance(target, ast.Name) and target.id == "__all__"]
    return body[: ends[0]] if ends else body


def _imported(body: list[ast.stmt]) -> dict[str, str]:
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
