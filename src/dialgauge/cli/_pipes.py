"""``-`` as a file name: standard input where a file is read, standard output where one is written."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer

from dialgauge.cli._output import PIPES, console
from dialgauge.errors import DialgaugeError, InputError

DASH = "-"
#: What a file of each kind begins with; anything else is read as CSV.
_BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"{", ".jsonl"), (b"[", ".json"))


def from_pipe(context: typer.Context, value: Any) -> Any:
    """Callback of an argument that names a file to read: ``-`` becomes a file with what standard input holds."""
    if str(value) != DASH or context.resilient_parsing:
        return value
    if sys.stdin.isatty():
        raise InputError("- reads standard input, which is the keyboard here; pipe a file into the command")
    held = sys.stdin.buffer.read()
    if not held.strip():
        raise InputError("-: standard input is empty")
    begins = held.removeprefix(b"\xef\xbb\xbf").lstrip()
    suffix = next((suffix for beginning, suffix in _BEGINNINGS if begins.startswith(beginning)), ".csv")
    path = _folder(context) / f"input{suffix}"
    path.write_bytes(held)
    return type(value)(path)


def to_pipe(context: typer.Context, value: Any, suffix: str) -> Any:
    """``-`` as a file to write: what is written there goes to standard output when the command ends.

    Tables that the command would print there go to standard error instead.
    """
    if str(value) != DASH or context.resilient_parsing:
        return value
    if not suffix:
        raise InputError("--output -: this command writes a folder, which cannot go to standard output")
    path = _folder(context) / f"output{suffix}"
    console.stderr = True

    def hand_over() -> None:
        console.stderr = False
        if path.is_file() and not isinstance(sys.exc_info()[1], DialgaugeError):
            sys.stdout.flush()
            stream = getattr(sys.stdout, "buffer", None)
            if stream is None:  # a text stream of a program that calls this one
                sys.stdout.write(path.read_text("utf-8"))
            else:
                stream.write(path.read_bytes())
                stream.flush()

    context.call_on_close(hand_over)
    return type(value)(path)


def _folder(context: typer.Context) -> Path:
    """A folder of the command, which goes with it (after what was asked for later: the last comes first)."""
    folder = tempfile.mkdtemp(prefix=PIPES)
    context.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    return Path(folder)
