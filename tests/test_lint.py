"""The code is formatted, follows the rules of ruff and has the types that mypy wants: ``make lint``, among the tests.

As tests they run beside others that wait for browsers and servers, and ``make test`` still ends with pytest's summary.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check .", "mypy"])
def test_it_passes(command: str) -> None:
    tool, *arguments = command.split()
    path = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if path is None:
        pytest.skip(f"{tool} IS NOT INSTALLED: pip install 'dialgauge[dev]'")
    done = subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
