"""A disk that is full, a folder that cannot be written, a damaged table: clear messages, nothing finished lost."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialgauge.corpus import read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metrics import Scores, score
from tests.engine.toy_corpora import made_corpus

TEXTS = [f"text {i}" for i in range(30)]

_SMALL_FILES = """
import resource, sys, signal, warnings
sys.path.insert(0, sys.argv[1])
import dialgauge_toys
from dialgauge.corpus import read_corpus
from dialgauge.metrics import score
corpus = read_corpus(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
scores = score(corpus, ["toy-slow"])
assert scores.frame["toy-slow"].null_count() == 0
print("scored", scores.frame.height)
try:
    scores.save(sys.argv[3])
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_disk_that_takes_no_more(toys: Path, kept: Path, tmp_path: Path) -> None:
    """The cache cannot grow, so values are computed and given all the same; a table is there whole or not at all."""
    write_corpus(made_corpus(TEXTS * 20), tmp_path / "corpus")
    target = tmp_path / "scores.parquet"
    target.write_bytes(b"what was there before")
    arguments = [str(tmp_path / "modules"), str(tmp_path / "corpus"), str(target)]
    # -B: Python would keep modules that it compiles then, and cut them at the limit.
    run = subprocess.run(
        [sys.executable, "-B", "-c", _SMALL_FILES, *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "scored 600" in run.stdout
    assert "result cache" in run.stderr
    assert "values are not stored" in run.stderr


def test_a_full_disk_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    scores = score(made_corpus(TEXTS), ["length"])
    target = tmp_path / "scores.parquet"
    scores.save(target)
    before = target.read_bytes()

    def full(self: object, file: object, **_: object) -> None:
        Path(str(file)).write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises((OSError, InputError), match="No space left on device"):
        scores.save(target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet"]


_NOBODY = """
import os, sys, warnings
sys.path.insert(0, sys.argv[1])
import dialgauge_toys
from dialgauge import __version__
from dialgauge.corpus import read_corpus
from dialgauge.metrics import score
corpus = read_corpus(sys.argv[2])
from dialgauge.engine import results_cache
score(corpus, ["toy-slow"], cache=False)  # whatever has to be imported is, before this user may no more
if os.geteuid() == 0:
    os.setuid(65534)
print("scored", score(corpus, ["toy-slow"]).frame["toy-slow"].sum())
try:
    with __import__("dialgauge").files.atomic_file(sys.argv[3]) as path:
        path.write_text("x")
except OSError as error:
    print(error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may look into, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="dialgauge-open-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_that_cannot_be_written(toys: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a cache that is there nor one that would have to be made stops the work."""
    monkeypatch.delenv("TOY_COUNTER")
    there, closed = open_folder / "there", open_folder / "closed"
    closed.mkdir()
    shutil.copytree(toys.parent / "modules", open_folder / "modules")
    write_corpus(made_corpus(TEXTS), open_folder / "corpus")
    monkeypatch.setenv("DIALGAUGE_RESULTS", str(there))
    expected = score(made_corpus(TEXTS), ["toy-slow"]).frame["toy-slow"].sum()
    arguments = [str(open_folder / "modules"), str(open_folder / "corpus"), str(closed / "x.txt")]
    for folder in (there, closed):
        folder.chmod(0o555)
    for folder in (there, closed / "new"):
        monkeypatch.setenv("DIALGAUGE_RESULTS", str(folder))
        command = [sys.executable, "-c", _NOBODY, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert f"scored {expected}" in run.stdout
        assert "cannot be used" in run.stderr
        assert "values are not stored" in run.stderr
        assert "Permission denied" in run.stdout


def test_a_damaged_parquet_file_names_itself(tmp_path: Path) -> None:
    scores = score(made_corpus(TEXTS), ["length"])
    scores.save(tmp_path / "scores.parquet")
    data = (tmp_path / "scores.parquet").read_bytes()
    for broken in (data[: len(data) // 2], b"", data[:-12] + b"\x00" * 12):
        (tmp_path / "scores.parquet").write_bytes(broken)
        with pytest.raises(InputError, match=r"scores\.parquet"):
            Scores.load(tmp_path / "scores.parquet")


def test_a_damaged_corpus_folder_names_the_file(tmp_path: Path) -> None:
    write_corpus(made_corpus(TEXTS), tmp_path / "corpus")
    file = tmp_path / "corpus" / "summaries.parquet"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"summaries\.parquet: cannot be read as Parquet"):
        read_corpus(tmp_path / "corpus")


def test_a_study_whose_table_was_damaged_makes_it_again(tmp_path: Path) -> None:
    from dialgauge.study import run_study

    study = '[study]\nname = "s"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["rouge-1"]\n'
    (tmp_path / "s.toml").write_text(study)
    write_corpus(made_corpus(TEXTS), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(study.replace("rouge-1", "length"))
    run = run_study(tmp_path / "s.toml")
    sound = (run.folder / "scores.parquet").read_bytes()
    (run.folder / "scores.parquet").write_bytes(sound[: len(sound) // 2])
    again = run_study(tmp_path / "s.toml")
    assert again.stages["corpus"] == "unchanged"
    assert again.stages["scores"] == "done"
    assert (run.folder / "scores.parquet").read_bytes() == sound
