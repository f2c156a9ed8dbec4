"""A real Ray cluster of two nodes on this machine; an actor and then a whole node are killed in the middle of a run.

The nodes are started in sessions of their own and ended by their process ids: ``ray stop`` would end everybody's.
"""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from tests.engine.toy_corpora import bytes_of, write_pairs

pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="process groups as on Linux")]

_HERE = Path(__file__).parent
_RAY = str(Path(sys.executable).parent / "ray")


@dataclass(frozen=True)
class Cluster:
    address: str
    environment: dict[str, str]
    worker: "subprocess.Popen[bytes]"


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
        # A dead node is noticed within seconds instead of half a minute.
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_timeout_ms": "3000",
        "RAY_health_check_failure_threshold": "3",
        "PYTHONPATH": str(_HERE),
        "DIALGAUGE_RESULTS": "off",
        "DIALGAUGE_TEST_PIDS": str(pids),
        "DIALGAUGE_TEST_SECONDS": "0.4",
        "DIALGAUGE_TEST_HOLD": str(tmp_path / "hold"),
    }
    # Sockets need a short path, so Ray's own folder is not below pytest's.
    short = Path(f"/tmp/dg-ray-{port}")
    shared = ["--node-ip-address=127.0.0.1", f"--temp-dir={short}", "--object-store-memory=100000000", "--block"]
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
        yield Cluster(f"127.0.0.1:{port}", environment, worker)
    finally:
        for node in reversed(started):
            _end(node)
        subprocess.run(["rm", "-rf", str(short)], check=False)


def test_an_actor_and_a_node_are_killed_and_every_summary_is_scored_once(cluster: Cluster, tmp_path: Path) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_pairs(source, 240)

    def run(output: Path, engine: str) -> list[str]:
        code = (
            "import engine_tasks\nfrom dialgauge.engine import engine\n"
            f"engine_tasks.stream_slowly({str(source)!r}, {str(output)!r}, {engine}, 6)"
        )
        return [sys.executable, "-c", code]

    driver = subprocess.Popen(
        run(out, f'engine("ray", workers=2, ray_address="{cluster.address}")'), env=cluster.environment
    )
    try:
        pids, hold = tmp_path / "pids", tmp_path / "hold"
        _wait_for(lambda: len(list(out.glob("part-*.parquet"))) >= 3 and len(list(pids.iterdir())) == 2, 240, driver)
        hold.touch()  # however long it takes until another actor is there, the run stays in the middle
        first = {int(file.name) for file in pids.iterdir()}
        os.kill(min(first), signal.SIGKILL)
        _wait_for(lambda: len(list(pids.iterdir())) >= 3, 240, driver)  # another actor has taken its place
        os.killpg(cluster.worker.pid, signal.SIGKILL)
        assert len(list(out.glob("part-*.parquet"))) < 40  # the run was in the middle
        hold.unlink()
        assert driver.wait(240) == 0
    finally:
        if driver.poll() is None:
            driver.kill()
            driver.wait()
    calm = cluster.environment | {"DIALGAUGE_TEST_SECONDS": "0"}
    subprocess.run(run(tmp_path / "calm", 'engine("serial")'), env=calm, check=True)
    assert bytes_of(out) == bytes_of(tmp_path / "calm")
    rows = pl.concat([pl.read_parquet(file) for file in sorted(out.glob("part-*.parquet"))])
    assert rows["dialogue_id"].to_list() == [str(number) for number in range(1, 241)]
    _refuses_strangers(cluster)


def _refuses_strangers(cluster: Cluster) -> None:
    code = "from dialgauge.cli import main; main()"
    command = [sys.executable, "-c", code, "score", "embedded", "-m", "rouge-1", "--engine", "ray"]
    stranger = {key: value for key, value in cluster.environment.items() if not key.startswith("RAY_AUTH")}
    refused = subprocess.run(
        [*command, "--ray-address", cluster.address], env=stranger, capture_output=True, text=True, timeout=240
    )
    assert refused.returncode == 2
    assert "RAY_AUTH_TOKEN" in refused.stderr
