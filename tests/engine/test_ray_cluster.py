"""A real Ray cluster on this machine: in one run a part is damaged, one ends its workers, a node dies, one joins.

The nodes are started in sessions of their own and ended by their process ids: ``ray stop`` would end everybody's.
"""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from pyarrow.parquet import ParquetFile

from tests.engine.engine_tasks import FATAL
from tests.engine.toy_corpora import bytes_of, write_pairs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="ray IS NOT INSTALLED"),
    pytest.mark.skipif(sys.platform != "linux", reason="process groups as on Linux"),
]

_HERE = Path(__file__).parent
#: Parts and their rows (the first thousand are looked at before all else), which cannot be read and which ends workers.
_PARTS, _ROWS, _DAMAGED, _FATAL = 24, 100, 11, 12
_RAY = str(Path(sys.executable).parent / "ray")


@dataclass(frozen=True)
class Cluster:
    address: str
    environment: dict[str, str]
    worker: "subprocess.Popen[bytes]"
    join: Callable[[], "subprocess.Popen[bytes]"]


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def _wait_for(what: Callable[[], object], seconds: float, process: "subprocess.Popen[bytes] | None" = None) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "waited too long"
        assert process is None or process.poll() is None, "ended too early"
        time.sleep(0.1)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """The node and what it started: first by name of the group, and after a while for good."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, kind)
            process.wait(3)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    port = _free_port()
    pids = tmp_path / "pids"
    pids.mkdir()
    environment = os.environ | {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",  # its workers would wait for everybody else on a busy machine
        # Each node would start a worker for each of its cores before there is work.
        "RAY_enable_worker_prestart": "0",
        "RAY_prestart_worker_first_driver": "0",
        # A dead node is noticed within seconds instead of half a minute.
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_timeout_ms": "3000",
        "RAY_health_check_failure_threshold": "3",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(_HERE), os.environ.get("PYTHONPATH")))),
        "DIALGAUGE_RESULTS": "off",
        "DIALGAUGE_TEST_PIDS": str(pids),
        "DIALGAUGE_TEST_SECONDS": "0.2",
        "DIALGAUGE_TEST_FATAL": "yes",
        "DIALGAUGE_TEST_HOLD": str(tmp_path / "hold"),
    }
    # Sockets need a short path, so Ray's own folder is not below pytest's.
    short = Path(f"/tmp/dg-ray-{port}")
    shared = ["--node-ip-address=127.0.0.1", f"--temp-dir={short}", "--object-store-memory=100000000", "--block"]
    shared.append("--include-log-monitor=false")
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> "subprocess.Popen[bytes]":
        command = [_RAY, "start", *arguments, *shared]
        log = (tmp_path / f"node-{len(started)}.log").open("wb")
        node = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        started.append(node)
        return node

    try:
        head = start("--head", f"--port={port}", "--num-cpus=2", "--include-dashboard=false")
        _wait_for(lambda: b"Ray runtime started" in (tmp_path / "node-0.log").read_bytes(), 240, head)
        worker = start(f"--address=127.0.0.1:{port}", "--num-cpus=1")
        _wait_for(lambda: b"Ray runtime started" in (tmp_path / "node-1.log").read_bytes(), 240, worker)
        yield Cluster(
            f"127.0.0.1:{port}", environment, worker, lambda: start(f"--address=127.0.0.1:{port}", "--num-cpus=2")
        )
    finally:
        for node in reversed(started):
            _end(node)
        subprocess.run(["rm", "-rf", str(short)], check=False)


def test_of_a_damaged_part_a_fatal_one_a_dead_node_and_one_that_joins_only_the_first_two_cost_anything(
    cluster: Cluster, tmp_path: Path
) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    _write_damaged(source)

    def run(output: Path, engine: str) -> list[str]:
        code = (
            "import json, engine_tasks\nfrom dialgauge.engine import engine\n"
            f"print(json.dumps(engine_tasks.stream_slowly({str(source)!r}, {str(output)!r}, {engine}, {_ROWS})))"
        )
        return [sys.executable, "-c", code]

    said = tmp_path / "said.txt"
    with said.open("wb") as log:
        driver = subprocess.Popen(
            run(out, f'engine("ray", ray_address="{cluster.address}")'),
            env=cluster.environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        pids, hold = tmp_path / "pids", tmp_path / "hold"
        _wait_for(lambda: len(list(out.glob("part-*.parquet"))) >= 3 and len(list(pids.iterdir())) >= 2, 240, driver)
        hold.touch()  # however long it takes until an actor is on the new node, the run stays in the middle
        os.killpg(cluster.worker.pid, signal.SIGKILL)
        joined = cluster.join()
        _wait_for(lambda: any(_is_of(joined, int(file.name)) for file in pids.iterdir()), 240, driver)
        assert len(list(out.glob("part-*.parquet"))) < _PARTS - 2  # the run was in the middle
        hold.unlink()
        assert driver.wait(240) == 0
    finally:
        if driver.poll() is None:
            driver.kill()
            driver.wait()
    lines = said.read_text().splitlines()
    failed = json.loads(lines[-1])
    assert sorted(failed) == [f"part-{number:08d}.parquet" for number in (_DAMAGED, _FATAL)], lines
    assert "cannot be read as Parquet" in failed[f"part-{_DAMAGED:08d}.parquet"]
    assert "ended its worker 3 times" in failed[f"part-{_FATAL:08d}.parquet"]
    assert len(lines) < 10, lines  # no state of a dead node in the user's output
    calm = cluster.environment | {"DIALGAUGE_TEST_SECONDS": "0", "DIALGAUGE_TEST_FATAL": ""}
    for place in (out, tmp_path / "calm"):  # the first makes the part that ended its workers; the damaged one stays
        subprocess.run(run(place, 'engine("serial")'), env=calm, check=True, capture_output=True)
    assert bytes_of(out) == bytes_of(tmp_path / "calm")
    rows = pl.concat([pl.read_parquet(file) for file in sorted(out.glob("part-*.parquet"))])
    expected = [n for n in range(_PARTS * _ROWS) if n // _ROWS != _DAMAGED]
    assert rows["dialogue_id"].to_list() == [str(number + 1) for number in expected]
    _refuses_strangers(cluster)


def _write_damaged(path: Path) -> None:
    """Pairs in groups of rows, one of which cannot be read, and one summary that ends its worker."""
    write_pairs(path, _PARTS * _ROWS)
    frame = pl.read_parquet(path).with_row_index()
    fatal = pl.when(pl.col("index") == _FATAL * _ROWS).then(pl.lit(FATAL)).otherwise("summary").alias("summary")
    frame.with_columns(fatal).drop("index").write_parquet(path, row_group_size=_ROWS, compression="uncompressed")
    first = ParquetFile(path).metadata.row_group(_DAMAGED).column(0)
    start = first.dictionary_page_offset or first.data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 16] = bytes(16)
    path.write_bytes(data)


def _is_of(node: "subprocess.Popen[bytes]", pid: int) -> bool:
    """Whether a process belongs to the session of this node."""
    try:
        return os.getsid(pid) == node.pid
    except ProcessLookupError:
        return False


def _refuses_strangers(cluster: Cluster) -> None:
    code = "from dialgauge.cli import main; main()"
    command = [sys.executable, "-c", code, "score", "embedded", "-m", "rouge-1", "--engine", "ray"]
    stranger = {key: value for key, value in cluster.environment.items() if not key.startswith("RAY_AUTH")}
    refused = subprocess.run(
        [*command, "--ray-address", cluster.address], env=stranger, capture_output=True, text=True, timeout=240
    )
    assert refused.returncode == 2
    assert "RAY_AUTH_TOKEN" in refused.stderr
