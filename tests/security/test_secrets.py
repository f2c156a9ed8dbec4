"""A planted key is found nowhere: not in tables, manifests, caches, reports, messages or logs."""

import importlib.util
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, write_corpus
from dialgauge.errors import ModelError
from dialgauge.metrics import score
from dialgauge.models import ChatEndpoint, ModelRef
from dialgauge.study import read_study_file

KEY = "sk-planted-9f8e7d6c5b4a"
_spec = importlib.util.spec_from_file_location(
    "chat_server_for_secrets", Path(__file__).parent.parent / "perturb" / "chat_server.py"
)
assert _spec is not None
assert _spec.loader is not None
chat_server = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = chat_server
_spec.loader.exec_module(chat_server)

STUDY = """
[study]
name = "s"
[corpus]
source = "corpus"
[metrics]
use = ["length", "judge:model=chat:m@{address}"]
"""


def planted_in(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if KEY.encode() in path.read_bytes()]


def small_corpus() -> Corpus:
    dialogues = [Dialogue(f"d{i}", (Turn("A", f"hello {i}"),)) for i in range(3)]
    return Corpus.build(dialogues, [Summary(f"d{i}", "s", f"text {i}") for i in range(3)])


@pytest.fixture(autouse=True)
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DIALGAUGE_RESULTS", str(tmp_path / "cache" / "results"))


def test_a_whole_study_leaves_no_trace_of_it(tmp_path: Path) -> None:
    """Even if the endpoint repeats the key in its answer."""
    write_corpus(small_corpus(), tmp_path / "corpus")
    with chat_server.serving(lambda body: f"4 and your key is {KEY}") as server:
        (tmp_path / "s.toml").write_text(STUDY.format(address=server.address))
        command = [sys.executable, "-m", "dialgauge", "run", str(tmp_path / "s.toml")]
        if importlib.util.find_spec("dialgauge.__main__") is None:
            command[1:3] = ["-c", "from dialgauge.cli import main; main()"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    assert run.returncode == 0, run.stderr
    assert len(server.requests) == 3
    assert KEY not in run.stdout + run.stderr
    assert (tmp_path / "runs" / "s" / "report.html").exists()
    assert (tmp_path / "cache" / "chat").exists()
    assert planted_in(tmp_path) == []
    with sqlite3.connect(tmp_path / "cache" / "chat" / "answers.db") as connection:
        kept = [row[0] for row in connection.execute("SELECT document FROM answers")]
    assert len(kept) == 3
    assert all("(the key)" in document for document in kept)


@pytest.mark.parametrize("status", [400, 401, 500])
def test_an_endpoint_that_repeats_it_in_errors(status: int, tmp_path: Path) -> None:
    with chat_server.serving(lambda body: chat_server.Reply(f"Incorrect API key: {KEY}", status=status)) as server:
        chat = ChatEndpoint.open(f"chat:m@{server.address}", retries=0)
        with pytest.raises(ModelError) as error:
            chat.ask([{"role": "user", "content": "x"}])
        assert "(the key)" in str(error.value)
        assert KEY not in str(error.value) + repr(chat)
        with pytest.raises(ModelError) as error:
            score(small_corpus(), [f"judge:model=chat:m@{server.address}"]) if status != 500 else chat.ask([{}])
        assert KEY not in str(error.value)


@pytest.mark.parametrize(
    "address", [f"https://user:{KEY}@host/v1", f"https:/user:{KEY}@host/v1", f"https://host/v1?key={KEY}"]
)
def test_a_key_in_an_address_is_refused_and_not_repeated(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="Put the key into OPENAI_API_KEY") as error:
        ModelRef.parse(f"chat:m@{address}")
    assert KEY not in str(error.value)
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(ModelError, match="Put the key into OPENAI_API_KEY") as error:
        ChatEndpoint.open("chat:m")
    assert KEY not in str(error.value)
    (tmp_path / "s.toml").write_text(STUDY.format(address=address))
    with pytest.raises(ModelError, match="Put the key into OPENAI_API_KEY") as error:
        read_study_file(tmp_path / "s.toml")
    assert KEY not in str(error.value)
