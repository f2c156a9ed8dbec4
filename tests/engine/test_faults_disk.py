"""A disk that is full, a folder that cannot be written, a damaged table: clear messages, nothing finished lost."""

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import read_corpus, write_corpus
from dialgauge.engine import sized
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.metrics import Scores, score, score_stream
from tests.engine.toy_corpora import made_corpus, write_pairs

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


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No table can be written any more."""

    def full(self: object, file: object, **_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    with monkeypatch.context() as patch:
        patch.setattr(pl.DataFrame, "write_parquet", full)
        yield patch


def test_score_on_a_full_disk_says_file_need_and_how_to_go_on(
    tmp_path: Path, full_disk: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    done = cli("score", "embedded", "-m", "length", "-o", tmp_path / "scores.parquet")
    said = " ".join(done.err.split())
    assert done.code == 2
    assert re.search(r"scores\.parquet: No space left on device \(up to \d+ KiB needed\) \([\d,.]+ MiB free\)", said)
    assert "free some space, or name another place" in said


def test_a_study_on_a_full_disk_says_so_of_its_corpus_too(tmp_path: Path, full_disk: pytest.MonkeyPatch) -> None:
    from dialgauge.study import run_study

    (tmp_path / "s.toml").write_text(
        '[study]\nname = "s"\n[corpus]\nsource = "embedded"\n[metrics]\nuse = ["length"]\n'
    )
    with pytest.raises(DialgaugeError, match=r"No space left on device \(.* MiB free, more is needed\)") as raised:
        run_study(tmp_path / "s.toml")
    assert "the same command resumes" in str(raised.value)
    assert str(tmp_path) in str(raised.value)


def test_a_stream_on_a_full_disk_says_file_need_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, data: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    write_pairs(tmp_path / "pairs.parquet", 6)
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DialgaugeError) as raised:
        score_stream(tmp_path / "pairs.parquet", ["rouge-1"], tmp_path / "out")
    said = str(raised.value)
    assert re.search(r"out: cannot write run\.json: No space left on device \(1 KiB needed, [\d,.]+ MiB free\)", said)
    assert "rerun the same command to resume" in said


def test_sizes_for_people() -> None:
    assert [sized(count) for count in (0, 700, 5000, 1 << 20, 5 << 30)] == [
        "1 KiB",
        "1 KiB",
        "5 KiB",
        "1.0 MiB",
        "5,120.0 MiB",
    ]


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
