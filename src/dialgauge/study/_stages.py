"""Stages of a run: done once, skipped while their inputs, their settings and the code are unchanged."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError
from dialgauge.files import is_temporary, write_text

MANIFEST = "manifest.json"
#: How the files are called that 'dialgauge annotate' may have put into the folder before the first run.
_ANNOTATION = "annotation.db"
_SOURCE_SUFFIXES = {".py", ".c", ".h", ".toml", ".html", ".css", ".js"}


@dataclass(slots=True)
class Ledger:
    """The manifest of a run folder while the run is under way; saved after every stage, so a dead run can go on."""

    folder: Path
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    head: Mapping[str, Any] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, head: Mapping[str, Any]) -> "Ledger":
        """Take up what an earlier run in this folder left, if it is readable."""
        path = folder / MANIFEST
        entries: dict[str, dict[str, Any]] = {}
        if path.exists():
            try:
                entries = json.loads(path.read_text("utf-8"))["stages"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path}: not a manifest of dialgauge; choose another output folder") from error
        elif folder.exists() and any(_is_foreign(path.name) for path in folder.iterdir()):
            raise InputError(
                f"{folder}: has files but no {MANIFEST}, so it is no run of dialgauge; choose another output"
            )
        return cls(folder, entries, head)

    def run(
        self, name: str, settings: Mapping[str, Any], inputs: list[str], outputs: list[str], make: Callable[[], Any]
    ) -> bool:
        """Run ``make`` unless this stage was done before from the same things. True if it ran.

        ``make`` writes ``outputs`` into the folder and may return facts for the manifest (a mapping).
        """
        fingerprint = _digest(
            {
                "stage": name,
                "code": code_fingerprint(),
                "settings": dict(settings),
                "inputs": [self.entries[stage]["fingerprint"] for stage in inputs],
            }
        )
        entry = self.entries.get(name)
        if entry and entry["fingerprint"] == fingerprint and self._intact(entry):
            self.done[name] = "unchanged"
            return False
        if not self.entries:  # killed from here on, it is still seen to be a run
            self.save()
        start = time.perf_counter()
        facts = make() or {}
        if entry and entry["fingerprint"] != fingerprint:
            self._forget_dependents(name)
        self.entries[name] = {
            "fingerprint": fingerprint,
            "settings": dict(settings),
            "inputs": list(inputs),
            "seconds": round(time.perf_counter() - start, 4),
            "outputs": {output: file_digest(self.folder / output) for output in outputs},
            **facts,
        }
        self.done[name] = "done"
        self.save()
        return True

    def save(self) -> None:
        """Write the manifest."""
        document = {**self.head, "stages": self.entries}
        write_text(self.folder / MANIFEST, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def _forget_dependents(self, name: str) -> None:
        """Take out what was made from a stage that has changed: a run stopped now must not pass for a whole one."""
        for stage in [stage for stage, entry in self.entries.items() if name in entry.get("inputs", ())]:
            if self.entries.pop(stage, None) is not None:
                self._forget_dependents(stage)

    def _intact(self, entry: Mapping[str, Any]) -> bool:
        return all(
            (self.folder / output).exists() and file_digest(self.folder / output) == digest
            for output, digest in entry["outputs"].items()
        )


def _is_foreign(name: str) -> bool:
    """Whether a file is neither of an annotation project nor what a run left that was killed as it began."""
    return not name.startswith(_ANNOTATION) and not is_temporary(name)


def file_digest(path: Path) -> str:
    """SHA-256 of a file, or of all files below a folder with their names."""
    if path.is_file():
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    files = sorted(p for p in path.rglob("*") if p.is_file())
    return _digest({p.relative_to(path).as_posix(): file_digest(p) for p in files})


@cache
def code_fingerprint() -> str:
    """A digest of dialgauge's own source: results of another version are never taken for those of this one."""
    package = Path(__file__).parent.parent
    files = sorted(path for path in package.rglob("*") if path.suffix in _SOURCE_SUFFIXES)
    return _digest({path.relative_to(package).as_posix(): file_digest(path) for path in files})


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
