"""Names of a room that load on first use, so that whoever needs the others does not wait for what these import."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from dialgauge.errors import MissingExtraError


def lazy_names(room: str, homes: Mapping[str, str], *, feature: str = "", extra: str = "") -> Callable[[str], Any]:
    """The ``__getattr__`` of a room (its ``__name__``): ``homes`` says in which of its modules each name lives.

    Where those modules need an ``extra``, a package that is missing is an error that says so of the ``feature``. Type
    checkers see no such names: import them under ``TYPE_CHECKING``, too.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"{room}.{homes[name]}"), name)
        except ModuleNotFoundError as error:
            if not extra or (error.name is not None and error.name.startswith("dialgauge")):
                raise
            raise MissingExtraError(f"{feature} ({error.name})", extra) from error

    return load
