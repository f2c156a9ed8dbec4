"""Judge, perturbations and summaries by a chat model, against a real server: that of transformers, embedded model.

The other tests use stand-ins, which answer what we think that servers answer.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, read_corpus, write_corpus
from dialgauge.errors import ModelError
from dialgauge.files import cache_folder
from dialgauge.metrics import score, score_pairs
from dialgauge.models import ChatEndpoint
from dialgauge.perturb import LlmGenerator, Task, parse_requests

pytestmark = pytest.mark.slow

DIALOGUE = Dialogue("d1", (Turn("Ann", "I want a refund of $20."), Turn("Agent", "You get it by Friday.")))
TEXT = "Ann wants a refund of $20 and gets it by Friday."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the embedded language model, under a short name."""
    pytest.importorskip("openai", reason="NO REAL SERVER: transformers serve needs the package openai")
    try:
        score_pairs([TEXT], [TEXT], ["perplexity"])  # unpacks it
    except ModelError as error:
        pytest.skip(f"NO MODEL: {error}")
    found = sorted((cache_folder() / "models" / ".unpacked").glob("causal-lm-*"))
    if not found:
        pytest.skip("NO MODEL: the embedded language model is not there")
    folder = tmp_path_factory.mktemp("served") / "smollm2"
    folder.symlink_to(found[0])
    return folder


@pytest.fixture(scope="module")
def address(model: Path) -> Iterator[str]:
    """The model, as a chat model of a server that runs for these tests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--device", "cpu", "--log-level", "error"],
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                break
            except OSError:
                assert server.poll() is None, "the server ended"
                time.sleep(0.2)
        yield f"chat:{model}@http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of an earlier run are not used."""
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.mark.usefixtures("nothing_kept")
def test_a_judge_rates_or_says_why_not(address: str) -> None:
    corpus = Corpus.build([DIALOGUE], [Summary("d1", "one", TEXT), Summary("d1", "two", "Bob is happy.")])
    column = f"judge:model={address},dimension=consistency"
    scores = score(corpus, [column])
    numbers = scores.frame.to_series(-1)
    assert all(1 <= number <= 5 for number in numbers.drop_nulls())
    assert numbers.null_count() == scores.failures.height, "what was not rated has a reason"
    assert numbers.drop_nulls().len() + scores.failures.height == 2


@pytest.mark.usefixtures("nothing_kept")
def test_a_summarizer_writes(address: str, cli: Any, tmp_path: Path) -> None:
    write_corpus(Corpus.build([DIALOGUE]), tmp_path / "calls.jsonl")
    spec = f"smol=chat:model={address},words=12"
    done = cli("summarize", tmp_path / "calls.jsonl", "-s", spec, "-o", tmp_path / "out.jsonl", "--max-calls", 3)
    assert done.code == 0, done.err
    written = read_corpus(tmp_path / "out.jsonl").summaries
    assert written["system"].to_list() == ["smol"]
    assert written["text"].item().strip()


def test_perturbations_are_checked_whatever_the_model_says(address: str) -> None:
    generator = LlmGenerator(ChatEndpoint.open(address, cache=None))
    task = Task(parse_requests(["add_negation_1"])[0], TEXT, DIALOGUE, ("d1", "s", "original", "overall"), 0, 1)
    ((_, outcome),) = generator([task])
    changed = getattr(outcome, "text", None)
    assert changed != TEXT
    assert changed or getattr(outcome, "reason", "")
