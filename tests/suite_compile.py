"""Files compiled once, not by each worker: in a fresh checkout the package takes eleven seconds, and the tests, whose
assertions pytest rewrites, take seven. Workers start together and would all be at the same file; so each compiles a
share of them before it collects.
"""

import py_compile
from collections.abc import Iterable
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src"


def compile_share(config: pytest.Config) -> int:
    """Compile what is this worker's to compile, and not compiled yet; how many files that were."""
    worker = getattr(config, "workerinput", {})
    return _compile_modules(share(worker, modules())) + _compile_tests(config, share(worker, rewritten()))


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def rewritten() -> list[Path]:
    """The files whose assertions pytest rewrites."""
    return sorted([*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")])


def share(worker: dict[str, object], files: list[Path]) -> list[Path]:
    """The files that a worker compiles: each is one worker's."""
    if "workerid" not in worker:
        return files
    return files[int(str(worker["workerid"]).removeprefix("gw")) :: int(str(worker["workercount"]))]


def _compile_modules(files: Iterable[Path]) -> int:
    count = 0
    for path in files:
        if not _is_compiled(path):
            try:
                py_compile.compile(str(path), doraise=True)
            except (OSError, py_compile.PyCompileError):  # which whoever imports it tells better
                continue
            count += 1
    return count


def _is_compiled(path: Path) -> bool:
    """Whether the interpreter would take the compiled module: that of its version, of this time and length."""
    try:
        with Path(cache_from_source(str(path))).open("rb") as compiled:
            head = compiled.read(16)
    except OSError:
        return False
    stat = path.stat()
    made_from = (int(number) & 0xFFFFFFFF for number in (stat.st_mtime, stat.st_size))
    return head == MAGIC_NUMBER + bytes(4) + b"".join(number.to_bytes(4, "little") for number in made_from)


def _compile_tests(config: pytest.Config, files: Iterable[Path]) -> int:
    """It takes what pytest keeps to itself, so a pytest that is arranged in another way does it later, file by file."""
    try:
        from _pytest.assertion import rewrite

        state = config.stash[rewrite.assertstate_key]
        read, compiled, write = rewrite._read_pyc, rewrite._rewrite_test, rewrite._write_pyc
        folder, ending = rewrite.get_cache_dir, rewrite.PYC_TAIL
    except (ImportError, AttributeError, KeyError):
        return 0
    count = 0
    for path in files:
        place = folder(path) / (path.stem + ending)
        if read(path, place) is None:
            place.parent.mkdir(exist_ok=True)
            try:
                digest, code = compiled(path, config)
            except SyntaxError:  # which the collection tells better
                continue
            count += write(state, code, digest, place)
    return count
