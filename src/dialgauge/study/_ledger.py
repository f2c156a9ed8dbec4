"""The manifest of a run: stages are done once, and skipped while their inputs, settings and code are unchanged."""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError
from dialgauge.files import LOCK, is_temporary, write_text
from dialgauge.study._digest import digest, file_digest
from dialgauge.study._finished import MANIFEST

#: How the files are called that 'dialgauge annotate' may have put into the folder before the first run.
_ANNOTATION = "annotation.db"


@dataclass(frozen=True, slots=True)
class _Usage:
    """What this process and the workers that it has waited for have used so far; the peak is that of the process."""

    seconds: float
    cpu_seconds: float
    peak_memory_mib: int | None

    def __sub__(self, earlier: "_Usage") -> "_Usage":
        return _Usage(self.seconds - earlier.seconds, self.cpu_seconds - earlier.cpu_seconds, self.peak_memory_mib)


def _usage() -> _Usage:
    times = os.times()
    cpu = times.user + times.system + times.children_user + times.children_system
    try:
        import resource
    except ImportError:  # Windows has no such module
        return _Usage(time.perf_counter(), cpu, None)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
    return _Usage(time.perf_counter(), cpu, peak)


@dataclass(slots=True)
class Ledger:
    """The manifest of a run folder during the run; saved after every stage, so that an interrupted run can resume."""

    folder: Path
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    head: Mapping[str, Any] = field(default_factory=dict)
    done: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, head: Mapping[str, Any]) -> "Ledger":
        """Read the manifest of an earlier run in this folder, if there is one."""
        path = folder / MANIFEST
        entries: dict[str, dict[str, Any]] = {}
        if path.exists():
            try:
                entries = json.loads(path.read_text("utf-8"))["stages"]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path}: not a manifest of dialgauge; choose another output folder") from error
        elif folder.exists() and any(_is_foreign(path.name) for path in folder.iterdir()):
            raise InputError(
                f"{folder}: has files but no {MANIFEST}, so it is not a dialgauge run folder; choose another output"
            )
        return cls(folder, entries, head)

    def run(
        self,
        name: str,
        settings: Mapping[str, Any],
        inputs: list[str],
        outputs: list[str],
        code: str,
        make: Callable[[], Mapping[str, Any] | None],
    ) -> bool:
        """Run ``make`` unless this stage was done before from the same inputs. True if it ran.

        ``make`` writes ``outputs`` into the folder and may return facts for the manifest. ``code`` is a digest of the
        code that decides what it makes.
        """
        fingerprint = digest(
            {
                "stage": name,
                "code": code,
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
        before = _usage()
        facts = make() or {}
        took = _usage() - before
        if entry and entry["fingerprint"] != fingerprint:
            self._forget_dependents(name)
        self.entries[name] = {
            "fingerprint": fingerprint,
            "settings": dict(settings),
            "inputs": list(inputs),
            "seconds": round(took.seconds, 4),
            "cpu_seconds": round(took.cpu_seconds, 4),
            "peak_memory_mib": took.peak_memory_mib,
            "outputs": {output: file_digest(self.folder / output) for output in outputs},
            **facts,
        }
        self.done[name] = "done"
        self.save()
        return True

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest; its stages are those of now and of later."""
        return {**self.head, "stages": self.entries}

    def save(self) -> None:
        """Write the manifest."""
        write_text(self.folder / MANIFEST, json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n")

    def _forget_dependents(self, name: str) -> None:
        """Remove entries that depend on a changed stage: an interrupted run must not look complete."""
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
    return not name.startswith(_ANNOTATION) and name != LOCK and not is_temporary(name)
