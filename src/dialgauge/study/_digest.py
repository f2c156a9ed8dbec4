"""Digests of files and of settings, by which a run knows what has changed."""

import hashlib
import json
from pathlib import Path
from typing import Any


def file_digest(path: Path) -> str:
    """SHA-256 of a file, or of all files below a folder with their names."""
    if path.is_file():
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    files = sorted(p for p in path.rglob("*") if p.is_file())
    return digest({p.relative_to(path).as_posix(): file_digest(p) for p in files})


def digest(data: Any) -> str:
    """SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
