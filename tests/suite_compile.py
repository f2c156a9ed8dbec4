"""Test files compiled once, not by each worker: pytest rewrites their assertions, which takes seven seconds in a fresh
checkout. Workers start together and would all be at the same file; so each compiles a share of them before it collects.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def compile_share(config: pytest.Config) -> int:
    """Compile what is this worker's to compile, and not compiled yet; how many files that were.

    It takes what pytest keeps to itself, so a pytest that is arranged in another way just does it later, file by file.
    """
    try:
        from _pytest.assertion import rewrite

        state = config.stash[rewrite.assertstate_key]
        read, compiled, write = rewrite._read_pyc, rewrite._rewrite_test, rewrite._write_pyc
        folder, ending = rewrite.get_cache_dir, rewrite.PYC_TAIL
    except (ImportError, AttributeError, KeyError):
        return 0
    count = 0
    for path in share(getattr(config, "workerinput", {})):
        place = folder(path) / (path.stem + ending)
        if read(path, place) is None:
            place.parent.mkdir(exist_ok=True)
            try:
                digest, code = compiled(path, config)
            except SyntaxError:  # which the collection tells better
                continue
            count += write(state, code, digest, place)
    return count


def share(worker: dict[str, object]) -> list[Path]:
    """The files that a worker compiles: each is one worker's."""
    files = sorted([*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")])
    if "workerid" not in worker:
        return files
    return files[int(str(worker["workerid"]).removeprefix("gw")) :: int(str(worker["workercount"]))]
