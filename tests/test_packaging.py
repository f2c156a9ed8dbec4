"""What a release publishes, made by the commands that RELEASING.md documents, and what a newcomer does with it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LIBRARY = "dialgauge/metrics/kernels/_library.so"


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("NOT A GIT CHECKOUT: the source distribution cannot be compared with what is tracked")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def run(folder: Path, *command: str, **environment: str) -> str:
    variables = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | environment
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def documented() -> list[str]:
    """The commands of RELEASING.md, without what is said of them."""
    block = re.search(r"```sh\n(.*?)```", (ROOT / "RELEASING.md").read_text("utf-8"), re.DOTALL)
    assert block
    return [line.partition(" # ")[0].strip() for line in block[1].splitlines()]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which version 1.0.0rc1 was cut: every command of RELEASING.md, with a folder as the server."""
    if sys.platform != "linux" or not all(map(shutil.which, ("cc", "make", "git"))):
        pytest.skip("NEEDS LINUX, make, git AND A C COMPILER")
    copy = tmp_path_factory.mktemp("release") / "dialgauge"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    (copy / "changes").mkdir(exist_ok=True)
    (copy / "changes" / "doors.md").write_text("- Doors open outwards.\n", encoding="utf-8")
    server = copy.parent / "server.git"
    run(copy, "git", "init", "-q", "--bare", str(server))
    run(copy, "git", "init", "-q", "-b", "main")
    run(copy, "git", "add", "-A")
    who = {f"GIT_{role}_{part}": "tests@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    run(copy, "git", "commit", "-q", "-m", "Start", **who)
    run(copy, "git", "remote", "add", "origin", str(server))
    (copy / ".venv").symlink_to(sys.prefix)
    assert len(documented()) == 5
    for command in documented():
        # The environment of the tests is the one to release from: make need not set it up.
        run(copy, "sh", "-c", command.replace("make ", "make -o .venv/.developing "), **who)
    assert "v1.0.0rc1" in run(server, "git", "tag")
    assert "Release 1.0.0rc1" in run(server, "git", "log", "main", "--format=%s")
    return copy


@pytest.fixture(scope="module")
def wheel(release: Path) -> Path:
    (found,) = (release / "dist").glob("dialgauge-1.0.0rc1-py3-none-manylinux*.whl")
    return found


def test_the_version_is_cut_in_every_place(release: Path) -> None:
    assert 'version = "1.0.0rc1"' in (release / "pyproject.toml").read_text("utf-8")
    assert "version: 1.0.0rc1" in (release / "CITATION.cff").read_text("utf-8")
    log = (release / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"## Unreleased\n\n## 1\.0\.0rc1 \(\d{4}-\d\d-\d\d\)\n\n- Doors open outwards\.\n", log)
    assert not (release / "changes" / "doors.md").exists()
    refused = subprocess.run(
        [sys.executable, "tools/cut_release.py", "one"], cwd=release, capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert "'one' is not a version such as 1.0.0 or 1.0.0rc1" in refused.stderr


def test_the_source_distribution_holds_the_project(release: Path) -> None:
    with tarfile.open(release / "dist/dialgauge-1.0.0rc1.tar.gz") as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in tracked() if name not in held and not name.startswith("changes/")]
    assert len(missing) <= 0.02 * len(tracked()), missing
    assert not [name for name in missing if name.startswith(("src/", "tests/", "docs/"))]


def test_a_wheel_with_kernels_is_for_this_platform_and_every_python(wheel: Path, tmp_path: Path) -> None:
    assert "manylinux_2_17" in wheel.name
    library = zipfile.ZipFile(wheel).extract(LIBRARY, tmp_path)
    known = {name: shutil.which(name) for name in ("python3.11", "python3.12", "python3.13", "python3.14")}
    pythons = [sys.executable, *filter(None, known.values())]
    tried = [
        subprocess.run([python, "-c", f"import ctypes; ctypes.CDLL({library!r})"], capture_output=True, text=True)
        for python in pythons
    ]
    # What is on the path may only stand for a Python that is not installed.
    assert [done.stderr for done in tried if done.returncode and "ctypes" in done.stderr] == []
    assert tried[0].returncode == 0


def test_a_wheel_without_kernels_is_for_any_platform(release: Path) -> None:
    assert LIBRARY not in zipfile.ZipFile(release / "dist/dialgauge-1.0.0rc1-py3-none-any.whl").namelist()


def test_without_a_compiler_a_release_is_refused(release: Path) -> None:
    with pytest.raises(AssertionError, match="false"):
        run(
            release,
            *(sys.executable, "setup.py", "-q", "build_ext", "--build-temp", "build/refused"),
            CC="/bin/false",
            DIALGAUGE_REQUIRE_KERNELS="1",
        )


def needed(name: str, known: dict[str, Path]) -> dict[str, Path]:
    """A package and all that it requires, each with the folder that it is installed in."""
    if name not in known:
        found = distribution(name)
        known[name] = Path(str(found.locate_file("")))
        for line in found.requires or ():
            asked = Requirement(line)
            if asked.marker is None or asked.marker.evaluate({"extra": ""}):
                needed(asked.name.lower().replace("_", "-"), known)
    return known


def test_from_the_wheel_to_a_verdict_in_three_commands(release: Path, wheel: Path, tmp_path: Path) -> None:
    """``pip install``, ``dialgauge init``, ``dialgauge run``: with nothing but what the wheel requires.

    Instead of downloading, the packages are linked into an empty environment; ``tools/check_first_verdict.py``
    downloads them and takes the time.
    """
    run(tmp_path, sys.executable, "-m", "venv", "--without-pip", "fresh")
    (site,) = (tmp_path / "fresh").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    lines = (site / "dialgauge-1.0.0rc1.dist-info" / "METADATA").read_text("utf-8").splitlines()
    core = [
        Requirement(line.partition(": ")[2])
        for line in lines
        if line.startswith("Requires-Dist") and "extra" not in line
    ]
    known: dict[str, Path] = {}
    for one in core:
        needed(one.name, known)
    for name in known:
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    write = f"from check_first_verdict import Path, write_calls; write_calls(Path({str(tmp_path / 'calls.csv')!r}))"
    run(release / "tools", sys.executable, "-c", write)
    environment = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "COLUMNS": "100"}
    program = (str(tmp_path / "fresh/bin/python"), "-c", "from dialgauge.cli import main; main()")
    run(tmp_path, *program, "init", "study.toml", "--corpus", "calls.csv", **environment)
    said = run(tmp_path, *program, "run", "study.toml", **environment)
    assert "report:" in said
    assert re.search(r"consistency.*(Use|use)", said), said
