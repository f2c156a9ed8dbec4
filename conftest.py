"""Runs the documentation: the ``python`` blocks of README and docs, and the ``$ …`` lines of their ``console`` blocks.

A page has one namespace and one empty working folder, so later blocks can use what earlier ones made. In a console
block the lines after a command are what it must print (``…`` stands for anything, white space does not count).
"""

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

from tests.suite_examples import forget_examples

# Which tests run, in which order: --quick, --order-seed, -n.
pytest_plugins = ["tests.suite_order"]

# Before anything loads torch or polars: the tests have little data, and threads that wait for each other cost more than
# they do, the more so where several workers share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Tests start hundreds of Python processes: where the environment forbids to keep compiled modules, each of them would
# compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Tests say themselves how wide their terminal is, and whether it has colours: some of these mean that it has.
for _name in ("COLUMNS", "TERMINAL_WIDTH", "FORCE_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "GITHUB_ACTIONS"):
    os.environ.pop(_name, None)
# Servers of tests are here, not behind a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: A command without anything that a shell must understand.
_PLAIN = re.compile(r"(\w+=\w+ )*dialgauge [^|&;<>$`\\*?~]*")


def _console_blocks(document: Document) -> Any:
    for block in _CONSOLE.finditer(document.text):
        yield Region(block.start(), block.end(), block[1], _run_console)


def _run_console(example: Example) -> str | None:
    for command in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        line, _, expected = command.partition("\n")
        code, out, err = _call(shlex.split(line)) if _PLAIN.fullmatch(line) else _run_shell(line)
        if code:
            return f"$ {line}\nexit code {code}\n{out}{err}"
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in expected.split("…"))
        if not re.search(pattern, " ".join(out.split())):
            return f"$ {line}\nexpected:\n{expected}\ngot:\n{out}"
    return None


def _call(words: list[str]) -> tuple[int, str, str]:
    """Run a command in this process, which has imported already what a new one would take a second for."""
    from dialgauge.cli import main

    start = words.index("dialgauge")
    variables = dict(word.split("=") for word in words[:start])
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", words[start:]), _wide(**variables):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return code, out.getvalue(), err.getvalue()


def _run_shell(line: str) -> tuple[int, str, str]:
    with _wide(PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}"):
        done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def _wide(**more: str) -> Any:
    return patch.dict(os.environ, {"COLUMNS": "100", **more})


def _enter_folder(namespace: dict[str, Any]) -> None:
    namespace["_home"] = Path.cwd()
    namespace["_folder"] = tempfile.TemporaryDirectory(prefix="dialgauge-docs-")
    os.chdir(namespace["_folder"].name)


def _leave_folder(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_home"])
    namespace["_folder"].cleanup()
    forget_examples()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), _console_blocks],
    patterns=["*.md"],
    excludes=["tutorials/*.md", "gallery.md"],  # executed when the documentation is built
    setup=_enter_folder,
    teardown=_leave_folder,
).pytest()
