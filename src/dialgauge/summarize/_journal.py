"""The journal: every finished summary and its usage as JSON lines; interrupted work resumes from it."""

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO

from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError
from dialgauge.models import ChatUsage
from dialgauge.summarize._system import Outcome

#: A line is handed to the system at once, and forced to the disk this often: the first survives a kill, the second
#: a power cut.
_SECONDS_BETWEEN_SYNCS = 1.0


def work_key(signature: str, role: str, dialogue: Dialogue, references: tuple[str, ...]) -> str:
    """What identifies a piece of work: all that its text can depend on. Equal dialogues have one key."""
    turns = [[turn.speaker, turn.role, turn.text] for turn in dialogue.turns]
    content = json.dumps([signature, role, turns, list(references)], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


class Journal:
    """Outcomes by work key, in a file that grows. A line that was cut off by a crash is passed over.

    Lines of other work do no harm, so a journal can be kept when the corpus or the systems change. What
    the answers of endpoints took is written down as they come, so that a run that goes on can account for all of it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: Mapping[str, Outcome]
        self.known, self._spent = _read(path)
        self._file: IO[str] | None = None
        self._synced = 0.0
        self._lock = threading.Lock()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._sync(self._file)
            self._file.close()

    def keep(self, key: str, outcome: Outcome) -> None:
        """Write down a text."""
        self._write({"key": key, "text": outcome.text} | ({"note": outcome.note} if outcome.note else {}))

    def keep_usage(self, key: str, usage: ChatUsage) -> None:
        """Write down what an answer took; from any thread."""
        self._write({"key": key, "usage": usage.counts()})

    def take_usage(self, key: str) -> ChatUsage:
        """What earlier runs spent on a piece of work; nothing when it is asked for again, so that it counts once."""
        return self._spent.pop(key, None) or ChatUsage()

    def _write(self, line: Mapping[str, object]) -> None:
        with self._lock:
            file = self._file = self._file or _open(self.path)
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
                self._sync(file)

    def _sync(self, file: IO[str]) -> None:
        file.flush()
        os.fsync(file.fileno())
        self._synced = time.monotonic()


def _open(path: Path) -> IO[str]:
    """The file to write to, at the beginning of a line: the last one may have been cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8", newline="\n")
    if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
        file.write("\n")
    return file


def _read(path: Path) -> tuple[dict[str, Outcome], dict[str, ChatUsage]]:
    """The outcomes, and what was spent, by work key."""
    found: dict[str, Outcome] = {}
    spent: dict[str, ChatUsage] = {}
    if not path.exists():
        return found, spent
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{path}: the journal cannot be read: {error.strerror or error}") from error
    for line in lines:
        try:
            entry = json.loads(line)
            key = str(entry["key"])
            if "usage" in entry:
                spent.setdefault(key, ChatUsage()).merge(ChatUsage.read(entry["usage"]))
            else:
                found[key] = Outcome(str(entry["text"]), str(entry.get("note", "")))
        except (ValueError, KeyError, TypeError):
            continue
    return found, spent
