"""What a release publishes: wheels whose tags are true, a source distribution that holds the project, a cut version."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIBRARY = "dialgauge/metrics/kernels/_library.so"


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("NOT A GIT CHECKOUT: the source distribution cannot be compared with what is tracked")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with version 1.0.0rc1 cut."""
    copy = tmp_path_factory.mktemp("release") / "dialgauge"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    run(copy, sys.executable, "tools/cut_release.py", "1.0.0rc1", "--date", "2026-11-16")
    return copy


def run(folder: Path, *command: str, **environment: str) -> str:
    variables = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | environment
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_version_is_cut_in_every_place(checkout: Path) -> None:
    assert 'version = "1.0.0rc1"' in (checkout / "pyproject.toml").read_text("utf-8")
    assert "version: 1.0.0rc1" in (checkout / "CITATION.cff").read_text("utf-8")
    assert "## Unreleased\n\n## 1.0.0rc1 (2026-11-16)\n" in (checkout / "CHANGELOG.md").read_text("utf-8")
    refused = subprocess.run(
        [sys.executable, "tools/cut_release.py", "one"], cwd=checkout, capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert "'one' is not a version such as 1.0.0 or 1.0.0rc1" in refused.stderr


def test_the_source_distribution_holds_the_project(checkout: Path) -> None:
    run(checkout, sys.executable, "-m", "build", "--no-isolation", "--sdist")
    with tarfile.open(checkout / "dist/dialgauge-1.0.0rc1.tar.gz") as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in tracked() if name not in held]
    assert len(missing) <= 0.02 * len(tracked()), missing
    assert not [name for name in missing if name.startswith(("src/", "tests/", "docs/"))]


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="NEEDS LINUX AND A C COMPILER")
def test_a_wheel_with_kernels_is_for_this_platform_and_every_python(checkout: Path) -> None:
    run(checkout, sys.executable, "-m", "build", "--no-isolation", "--wheel", DIALGAUGE_REQUIRE_KERNELS="1")
    (wheel,) = (checkout / "dist").glob("*-py3-none-linux_*.whl")
    assert LIBRARY in zipfile.ZipFile(wheel).namelist()
    shown = run(checkout, "auditwheel", "show", str(wheel))
    assert "manylinux_2_17" in " ".join(shown.split()), shown
    shutil.rmtree(checkout / "build")


def test_without_a_compiler_the_wheel_is_for_any_platform(checkout: Path) -> None:
    run(checkout, sys.executable, "-m", "build", "--no-isolation", "--wheel", CC="/bin/false")
    wheel = checkout / "dist/dialgauge-1.0.0rc1-py3-none-any.whl"
    assert LIBRARY not in zipfile.ZipFile(wheel).namelist()
    shutil.rmtree(checkout / "build")


def test_without_a_compiler_a_release_is_refused(checkout: Path) -> None:
    with pytest.raises(AssertionError, match="false"):
        run(
            checkout,
            *(sys.executable, "-m", "build", "--no-isolation", "--wheel"),
            CC="/bin/false",
            DIALGAUGE_REQUIRE_KERNELS="1",
        )
