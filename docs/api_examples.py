"""The examples of the API reference: ``api/examples/ROOM.txt`` has one for every public name of a room.

A paragraph is an example: a line with the names that it shows, then Python as in a console, with what it prints. The
first paragraph, ``Set-up``, stands at the head of the page of the room; each example needs nothing else. The test suite
runs them all (``python docs/api_examples.py [ROOM …]``).
"""

import doctest
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_SETUP = "Set-up"
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Example:
    """Python as in a console, the names that it shows, its place in the file, and the package that it needs."""

    names: tuple[str, ...]
    text: str
    line: int
    needs: str = ""


def examples_file(module: str) -> Path:
    """The file with the examples of a room."""
    return Path(__file__).parent / "api" / "examples" / f"{module.rpartition('.')[2]}.txt"


def read_examples(module: str) -> tuple[Example, list[Example]]:
    """The set-up of the page of a room, and its examples."""
    setup, *others = _paragraphs(examples_file(module).read_text("utf-8"))
    if setup.names != (_SETUP,):
        raise ValueError(f"{examples_file(module)}: the first paragraph must be {_SETUP!r}")
    return setup, others


def _paragraphs(text: str) -> Iterator[Example]:
    line = 1
    for paragraph in text.split("\n\n"):
        head, _, code = paragraph.strip("\n").partition("\n")
        shown, _, needs = head.removesuffix("]").partition(" [needs ")
        yield Example(tuple(name.strip() for name in shown.split(",")), code, line, needs)
        line += paragraph.count("\n") + 2


def failures(module: str) -> list[str]:
    """Run the examples of a room after its set-up, in an empty folder; what did not come out as written.

    An example that needs a package that is not installed is not run.
    """
    setup, examples = read_examples(module)
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="dialgauge-examples-") as folder, chdir(folder):
        names: dict[str, Any] = {"__name__": "__main__"}
        kept: set[Path] = set()
        for example in (setup, *(one for one in examples if not one.needs or find_spec(one.needs))):
            own = names if example is setup else dict(names)
            found += _failures_of(example, own, str(examples_file(module)))
            kept = kept if example is not setup else set(Path(folder).iterdir())
            for left in set(Path(folder).iterdir()) - kept:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    return found


def _failures_of(example: Example, names: dict[str, Any], file: str) -> list[str]:
    test = doctest.DocTestParser().get_doctest(example.text + "\n", names, ", ".join(example.names), file, example.line)
    test.globs = names
    said: list[str] = []
    doctest.DocTestRunner(optionflags=_FLAGS, verbose=False).run(test, out=said.append, clear_globs=False)
    return said


def main(rooms: list[str]) -> int:
    """Run the examples of these rooms, or of all; print what did not come out as written."""
    rooms = rooms or sorted(path.stem for path in (Path(__file__).parent / "api" / "examples").glob("*.txt"))
    found = [failure for room in rooms for failure in failures(f"dialgauge.{room}")]
    print("\n".join(found), end="")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
