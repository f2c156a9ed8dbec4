"""Files of skops that are the same bytes for the same model.

skops names stored objects by memory addresses, and its zip archive contains the time; both differ from run to run.
"""

import io
import json
import zipfile
from typing import Any

_SCHEMA = "schema.json"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def dump(model: Any) -> bytes:
    """The model as stored by skops, with objects numbered in the order in which they occur."""
    import skops.io

    return renumbered(skops.io.dumps(model))


def renumbered(archive: bytes) -> bytes:
    """The archive with addresses replaced by numbers, its files in order and without their times."""
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        files = {name: read.read(name) for name in read.namelist()}
    schema = json.loads(files.pop(_SCHEMA))
    numbers: dict[str, int] = {}
    _number(schema, numbers)
    renamed = {_renamed(name, numbers): content for name, content in files.items()}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive_file:
        for name, content in sorted([*renamed.items(), (_SCHEMA, json.dumps(schema, indent=2).encode())]):
            archive_file.writestr(zipfile.ZipInfo(name, _LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _number(node: Any, numbers: dict[str, int]) -> None:
    """Replace the addresses in a description and all below it; the same address gets the same number."""
    if isinstance(node, dict):
        if "__id__" in node:
            node["__id__"] = numbers.setdefault(str(node["__id__"]), len(numbers))
        if "file" in node:
            node["file"] = _renamed(node["file"], numbers)
        for below in node.values():
            _number(below, numbers)
    elif isinstance(node, list):
        for below in node:
            _number(below, numbers)


def _renamed(name: str, numbers: dict[str, int]) -> str:
    address, dot, suffix = name.partition(".")
    return f"{numbers.setdefault(address, len(numbers))}{dot}{suffix}"
