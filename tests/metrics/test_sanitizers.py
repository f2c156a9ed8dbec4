"""The compiled kernels under the address and undefined-behaviour sanitizers of the C compiler."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "src" / "dialgauge" / "metrics" / "kernels"
FLAGS = ["-O1", "-g", "-std=c11", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        pytest.skip("NO COMPILER: install a C compiler to watch the memory of the kernels")
    return found


def runtime(compiler: str) -> str:
    """The library that must be loaded before Python, as Python itself is not compiled with it."""
    found = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not Path(found).is_file():
        pytest.skip(f"NO SANITIZER: {compiler} has no libasan.so")
    return found


def build(compiler: str, sources: list[Path], library: Path) -> Path:
    command = [compiler, *FLAGS, "-shared", "-fPIC", *map(str, sources), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return library


def run(compiler: str, *command: str) -> subprocess.CompletedProcess[str]:
    # Python keeps what it has allocated until the end, and so do packages: leaks are not looked for.
    settings = {"LD_PRELOAD": runtime(compiler), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    paths = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    environment = os.environ | settings | {"PYTHONPATH": paths, "DIALGAUGE_RESULTS": "off"}
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment, cwd=ROOT)


def test_kernels_stay_within_their_memory(compiler: str, tmp_path: Path) -> None:
    library = build(compiler, sorted(KERNELS.glob("*.c")), tmp_path / "watched.so")
    done = run(compiler, "-m", "tests.metrics.sanitized_kernels", str(library))
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout == "126 pairs, 14 metrics, 50 transports\n"


def test_a_kernel_that_does_not_would_be_noticed(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text("int bad(int place) { int some[4] = {1, 2, 3, 4}; return some[place]; }\n")
    library = build(compiler, [source], tmp_path / "bad.so")
    done = run(compiler, "-c", f"import ctypes; ctypes.CDLL({str(library)!r}).bad(4)")
    assert done.returncode != 0
    assert "out of bounds" in done.stderr or "AddressSanitizer" in done.stderr
