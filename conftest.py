"""Runs the documentation: the ``python`` blocks of README and docs, and the ``$ …`` lines of their ``console`` blocks.

A page has one namespace and one empty working folder, so later blocks can use what earlier ones made. In a console
block the lines after a command are what it must print (``…`` stands for anything, white space does not count).
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

# Which tests run, in which order: --quick, --order-seed, -n.
pytest_plugins = ["suite_order"]

# Before anything loads torch or polars: the tests have little data, and threads that wait for each other cost more than
# they do, the more so where several workers share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Tests say themselves how wide their terminal is, and whether it has colours: some of these mean that it has.
for _name in ("COLUMNS", "TERMINAL_WIDTH", "FORCE_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "GITHUB_ACTIONS"):
    os.environ.pop(_name, None)
# Servers of tests are here, not behind a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _console_blocks(document: Document) -> Any:
    for block in _CONSOLE.finditer(document.text):
        yield Region(block.start(), block.end(), block[1], _run_console)


def _run_console(example: Example) -> str | None:
    for command in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        line, _, expected = command.partition("\n")
        environment = os.environ | {"COLUMNS": "100", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment, timeout=300)
        if done.returncode:
            return f"$ {line}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in expected.split("…"))
        if not re.search(pattern, " ".join(done.stdout.split())):
            return f"$ {line}\nexpected:\n{expected}\ngot:\n{done.stdout}"
    return None


def _enter_folder(namespace: dict[str, Any]) -> None:
    namespace["_home"] = Path.cwd()
    namespace["_folder"] = tempfile.TemporaryDirectory(prefix="dialgauge-docs-")
    os.chdir(namespace["_folder"].name)


def _leave_folder(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_home"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), _console_blocks],
    patterns=["*.md"],
    setup=_enter_folder,
    teardown=_leave_folder,
).pytest()
