"""Streaming after a stop: killed, damaged, out of space. What is finished is kept, and the bytes are the same."""

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dialgauge.errors import DialgaugeError, InputError
from dialgauge.metrics import score_stream
from tests.engine.forked import Forked
from tests.engine.toy_corpora import bytes_of, write_pairs

METRICS = ["rouge-1", "chrf"]
_HERE = Path(__file__).parent


def script(source: Path, output: Path, engine: str, chunk_size: int) -> str:
    return (
        "import engine_tasks\nfrom dialgauge.engine import engine\n"
        f"engine_tasks.stream_slowly({str(source)!r}, {str(output)!r}, {engine}, {chunk_size})"
    )


def environment(**more: str) -> dict[str, str]:
    here = os.pathsep.join(filter(None, [str(_HERE), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": here, "DIALGAUGE_RESULTS": "off", **more}


def finished_parts(folder: Path) -> int:
    return sum(file.name.startswith("_part-") for file in folder.iterdir()) if folder.exists() else 0


@pytest.mark.slow
def test_killed_twenty_times_and_resumed_the_tables_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    source = tmp_path / "pairs.parquet"
    write_pairs(source, 300)
    rng = random.Random(11)
    slowly = environment(DIALGAUGE_TEST_SECONDS="0.2")  # so slowly that all the time there is does not suffice
    killed, grown = 0, 0
    disturbed = tmp_path / "disturbed"
    for number in range(20):
        # Workers take a second to start, also those of a run that is gone: some runs have them, with and without
        # waiting for new parts.
        engine = 'engine("processes", workers=2)' if number in (3, 8, 19) else 'engine("serial")'
        process = Forked(script(source, disturbed, engine, 3), environment=slowly)
        before = finished_parts(disturbed)
        # A random moment, half of the time once there are new parts.
        deadline = time.monotonic() + 120
        while number % 4 > 1 and time.monotonic() < deadline and process.poll() is None:
            if finished_parts(disturbed) > before:
                break
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.15 if number % 4 > 1 else 0.7))
        if process.poll() is None:
            process.kill()
            killed += 1
        process.wait()
        after = finished_parts(disturbed)
        assert after >= before  # nothing that was finished is lost
        grown += after > before
    assert killed == 20
    assert grown >= 5
    assert after < 100
    quickly = environment(DIALGAUGE_TEST_SECONDS="0")
    for folder, engine in ((disturbed, 'engine("processes", workers=2)'), (tmp_path / "calm", 'engine("serial")')):
        assert Forked(script(source, folder, engine, 3), environment=quickly).wait() == 0
    calm = bytes_of(tmp_path / "calm")
    assert len(calm) == 2 * 100 + 2
    assert bytes_of(disturbed) == calm


def test_only_what_is_missing_or_damaged_is_made_again(tmp_path: Path) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 60)
    first = score_stream(source, METRICS, out, chunk_size=10)
    calm = bytes_of(out)
    assert (first.parts, first.resumed) == (6, 0)
    damaged = bytearray(calm["part-00000001.parquet"])
    damaged[len(damaged) // 2] ^= 1
    (out / "part-00000001.parquet").write_bytes(bytes(damaged))
    (out / "part-00000002.parquet").unlink()
    (out / "_part-00000003.json").write_text('{"run": ')
    (out / "_part-00000004.json").unlink()
    (out / "manifest.json").unlink()
    (out / ".part-00000002.parquet.half_new.part.parquet").write_bytes(b"half")
    untouched = (out / "part-00000000.parquet").stat().st_mtime_ns
    again = score_stream(source, METRICS, out, chunk_size=10)
    assert (again.parts, again.resumed) == (6, 2)
    assert bytes_of(out) == calm
    assert (out / "part-00000000.parquet").stat().st_mtime_ns == untouched
    assert again.means.equals(first.means)


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 20)
    score_stream(source, METRICS, out, chunk_size=10)
    before = bytes_of(out)
    with pytest.raises(InputError, match="contains the parts of another run, which differs in: chunk_size"):
        score_stream(source, METRICS, out, chunk_size=5)
    with pytest.raises(InputError, match="differs in: signatures"):
        score_stream(source, ["rouge-2"], out, chunk_size=10)
    write_pairs(source, 30)
    with pytest.raises(InputError, match="differs in: source"):
        score_stream(source, METRICS, out, chunk_size=10)
    assert bytes_of(out) == before
    (out / "run.json").write_text("{")
    with pytest.raises(InputError, match=r"run\.json is damaged"):
        score_stream(source, METRICS, out, chunk_size=10)


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))


def test_a_full_disk_loses_no_finished_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 60)
    write = Path.write_bytes
    written: list[str] = []

    def full(path: Path, data: bytes) -> int:
        if path.parent == out and len(written) >= 5:
            path.write_text("half")
            raise OSError(28, "No space left on device", str(path))
        written.append(path.name)
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(
            DialgaugeError,
            match=r"cannot write part-\d+.parquet: No space left on device.*rerun the same command to resume",
        ):
            score_stream(source, METRICS, out, chunk_size=10)
    kept = len(list(out.glob("_part-*")))
    assert kept == 2
    assert not list(out.glob(".*"))  # no half file stays
    report = score_stream(source, METRICS, out, chunk_size=10)
    assert report.resumed == kept
    score_stream(source, METRICS, tmp_path / "calm", chunk_size=10)
    assert bytes_of(out) == bytes_of(tmp_path / "calm")


def test_the_system_itself_refuses_to_write(tmp_path: Path) -> None:
    """A real limit of the system: files of more than 4,000 bytes are refused, which a part of 2,000 rows has."""
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 2_000)
    # -B: Python would keep modules that it compiles then, and cut them at the limit.
    main = [sys.executable, "-B", "-c", "from dialgauge.cli import main; main()"]
    done = subprocess.run(
        [*main, "score", str(source), "-m", "chrf", "--stream", "-o", str(out), "--engine", "serial"],
        env=environment(),
        preexec_fn=_limit_files,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "cannot write part-00000000.parquet: File too large. Finished parts are kept" in " ".join(
        done.stderr.split()
    )
    assert sorted(file.name for file in out.iterdir()) == ["run.json"]


def test_a_place_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "pairs.parquet"
    write_pairs(source, 20)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DialgaugeError, match=r"cannot write run\.json: (Not a directory|File exists)"):
        score_stream(source, METRICS, tmp_path / "file")
    monkeypatch.setattr("tempfile.mkstemp", _read_only)
    with pytest.raises(DialgaugeError, match=r"cannot write run\.json: Read-only file system"):
        score_stream(source, METRICS, tmp_path / "out")


def _read_only(*_: object, **__: object) -> tuple[int, str]:
    raise OSError(30, "Read-only file system")
