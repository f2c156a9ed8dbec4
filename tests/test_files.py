"""Files are written whole or not at all, and nobody's half of one stays: not after an error, not after a kill."""

import errno
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import polars as pl
import pytest

from dialgauge.errors import InputError
from dialgauge.files import atomic_file, atomic_folder, claimed_folder, is_temporary, write_text

_KILLED = """
import os, signal, sys
from pathlib import Path
from dialgauge import files
with getattr(files, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary / "x" if temporary.is_dir() else temporary).write_text("half")
    print(temporary.name)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
_WAITING = _KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "sys.stdin.read()")


def leftover_of_a_killed_writer(kind: str, target: Path) -> Path:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, kind, str(target)], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -9
    left = target.with_name(killed.stdout.strip())
    assert left.exists()
    return left


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_next_writer_takes_away_what_a_killed_one_left(tmp_path: Path) -> None:
    file, folder = tmp_path / "table.parquet", tmp_path / "corpus"
    assert is_temporary(leftover_of_a_killed_writer("atomic_file", file).name)
    assert is_temporary(leftover_of_a_killed_writer("atomic_folder", folder).name)
    write_text(file, "whole")
    with atomic_folder(folder) as temporary:
        (temporary / "x").write_text("whole")
    assert names(tmp_path) == ["corpus", "table.parquet"]
    assert file.read_text() == (folder / "x").read_text() == "whole"


def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "table.parquet"
    command = [sys.executable, "-c", _WAITING, "atomic_file", str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdin
        temporary = tmp_path / other.stdout.readline().strip()
        write_text(target, "mine")
        assert names(tmp_path) == sorted([temporary.name, target.name])
        other.stdin.close()
        assert other.wait() == 0
    assert target.read_text() == "half"
    assert names(tmp_path) == ["table.parquet"]


@pytest.mark.parametrize(
    "name",
    [
        ".table.parquet.part",
        ".table.parquet.v2.abcdefgh.old",
        ".table.parquet.abcdefgh",
        ".other.parquet.abcdefgh.part.parquet",
        "table.parquet.old",
    ],
)
def test_files_of_other_names_are_nobodys_leftovers(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    write_text(tmp_path / "table.parquet", "whole")
    assert names(tmp_path) == sorted([name, "table.parquet"])


def test_a_replaced_folder_is_kept_until_its_successor_is_there(tmp_path: Path) -> None:
    """As after a kill between the two renames: the old folder is then the only copy."""
    old = tmp_path / ".corpus.abcdefgh.old"
    old.mkdir()
    with atomic_folder(tmp_path / "corpus"):
        assert old.exists()
    assert names(tmp_path) == ["corpus"]


@pytest.mark.parametrize("atomic", [atomic_file, atomic_folder])
def test_an_error_leaves_what_was_there(tmp_path: Path, atomic: Callable[[Path], AbstractContextManager[Path]]) -> None:
    target = tmp_path / "target"
    if atomic is atomic_file:
        target.write_text("before")
    else:
        target.mkdir()
    with pytest.raises(KeyError), atomic(target):
        raise KeyError("no")
    assert names(tmp_path) == ["target"]


def test_a_folder_in_the_place_of_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file to write"):
        write_text(tmp_path, "text")


@pytest.mark.parametrize("atomic", [atomic_file, atomic_folder])
def test_what_cannot_be_made_is_named_as_the_user_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, atomic: Callable[[Path], AbstractContextManager[Path]]
) -> None:
    def refuse(suffix: str, prefix: str, folder: Path) -> str:
        raise PermissionError(13, "Permission denied", f"{folder}/{prefix}abcdefgh{suffix}")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(PermissionError) as refused, atomic(tmp_path / "target"):
        pass
    assert refused.value.filename == str(tmp_path / "target")


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    """Whoever notices it, in whatever words."""
    reasons = (OSError(errno.ENOSPC, "full"), pl.exceptions.ComputeError("parquet: IO error (os error 28)"))
    for reason in reasons:
        with pytest.raises(OSError, match="No space left on device") as caught, atomic_file(tmp_path / "x.parquet"):
            raise reason
        assert caught.value.filename == str(tmp_path / "x.parquet")
    with pytest.raises(ZeroDivisionError), atomic_file(tmp_path / "x.parquet"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_claimed_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    with claimed_folder(tmp_path / "runs" / "new"):
        assert (tmp_path / "runs" / "new").is_dir()
    assert list(tmp_path.iterdir()) == []
    with claimed_folder(tmp_path / "runs"):
        (tmp_path / "runs" / "kept").touch()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["kept"]
