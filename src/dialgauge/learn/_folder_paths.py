"""Where the folder of a trained metric is: at a path, or under its name in the user's registry."""

import re
from pathlib import Path

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import cache_folder

CARD_FILE = "metric.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def registry_folder() -> Path:
    """The folder of trained metrics that can be used by name."""
    return cache_folder() / "learned"


def named_folder(name: str) -> Path:
    """The folder of the registry for this name."""
    if not _NAME.fullmatch(name):
        raise InputError(f"invalid name of a trained metric: use only letters, digits, '.', '_' and '-'; got {name!r}")
    return registry_folder() / name


def find_folder(given: Path | str) -> Path:
    """The folder of a trained metric: a path, or else a name in the registry."""
    path = Path(given)
    if (path / CARD_FILE).is_file():
        return path
    text = str(given)
    if _NAME.fullmatch(text):
        if (named_folder(text) / CARD_FILE).is_file():
            return named_folder(text)
        if not path.exists():
            known = sorted(entry.parent.name for entry in registry_folder().glob(f"*/{CARD_FILE}"))
            raise UnknownNameError(
                "trained metric", text, known, "give a folder written by 'dialgauge train', or its name"
            )
    raise InputError(f"{path}: not a trained metric ({CARD_FILE} is missing)")


def path_given(given: str) -> str | None:
    """The path where :func:`find_folder` looks, or None if this is a name in the registry."""
    return None if _NAME.fullmatch(given) and not (Path(given) / CARD_FILE).is_file() else given
