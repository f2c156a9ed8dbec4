"""The examples of the API reference: every public name has one that names it, and all come out as printed."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from dialgauge.lazy import public_names
from tests.suite_examples import forget_examples

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(path.stem for path in (ROOT / "docs" / "api").glob("*.rst"))


@pytest.fixture(scope="module")
def examples() -> ModuleType:
    """The module that reads and runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs"))
        return import_module("api_examples")


def names_of(page: str) -> set[str]:
    """The public names that live in a room: not those that it repeats from another one."""
    room = "dialgauge" if page == "dialgauge" else f"dialgauge.{page}"
    stub = Path(str(import_module(room).__file__)).with_suffix(".pyi")
    if not stub.is_file():
        return {name for name, value in vars(import_module(room)).items() if getattr(value, "__module__", "") == room}
    pages = {f"dialgauge.{one}" for one in PAGES} - {room}
    return {name for name, home in public_names(stub).items() if ".".join(home.split(".")[:2]) not in pages}


@pytest.mark.parametrize("page", PAGES)
def test_every_public_name_has_an_example(examples: ModuleType, page: str) -> None:
    shown = names_of(page)
    if not shown:
        return
    _, found = examples.read_examples(f"dialgauge.{page}")
    listed = [name for example in found for name in example.names]
    assert set(listed) == {name for name in shown if not name.startswith("_")}
    assert len(set(listed)) == len(listed)
    for example in found:
        for name in example.names:
            assert re.search(rf"\b{name}\b", example.text), f"{page}.txt:{example.line} does not use {name}"


#: Rooms whose examples start servers or a tracker, which stay in the process.
STAYING = ("annotate", "explore", "integrations")
EXAMPLES = sorted(path.stem for path in (ROOT / "docs" / "api" / "examples").glob("*.txt"))


@pytest.mark.slow
@pytest.mark.parametrize("room", sorted({*EXAMPLES} - {*STAYING}))
def test_examples_come_out_as_printed(examples: ModuleType, room: str) -> None:
    """In the process of the tests, which has loaded what they need; what they register is taken out again."""
    pytest.importorskip("torch")
    try:
        assert examples.failures(f"dialgauge.{room}") == []
    finally:
        forget_examples()


@pytest.mark.slow
def test_examples_that_leave_something_come_out_as_printed() -> None:
    """In a process of their own."""
    pytest.importorskip("torch")
    assert {*STAYING} < {*EXAMPLES}
    command = [sys.executable, str(ROOT / "docs" / "api_examples.py"), *STAYING]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, env={**os.environ, "DIALGAUGE_RESULTS": "off"}
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_an_example_that_is_wrong_is_found(
    examples: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(
        "Set-up\n>>> two = 2\n\none, other [needs nothing_such]\n>>> 1\n3\n\nother\n>>> two + 2\n5\n", "utf-8"
    )
    monkeypatch.setattr(examples, "examples_file", lambda module: file)
    (said,) = examples.failures("dialgauge.mine")
    assert "line 9, in other" in said
    assert "Expected:\n    5\nGot:\n    4" in said
    file.write_text("one\n>>> 1\n1\n", "utf-8")
    with pytest.raises(ValueError, match="the first paragraph must be 'Set-up'"):
        examples.read_examples("dialgauge.mine")
