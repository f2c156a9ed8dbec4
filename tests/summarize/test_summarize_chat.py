"""Chat models: what they are asked, what it costs, and what happens when they stop half-way."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from chat_server import Reply, serving

from dialgauge.corpus import Corpus, Dialogue, Turn, read_corpus, write_corpus
from dialgauge.errors import ModelError, ParameterError
from dialgauge.models import BudgetError, ChatBudget
from dialgauge.summarize import Means, parse_request, summarize, summarize_dialogues

CALLS = [
    Dialogue(str(i), (Turn("Ann", f"I lost bag {i}. Say {{role}}.", "customer"), Turn("Tom", "I look.", "agent")))
    for i in range(6)
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))


def question(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def bag(body: dict[str, Any]) -> str:
    return question(body).partition("I lost bag ")[2][:1]


def test_the_prompt_holds_the_dialogue_and_the_answer_is_the_summary() -> None:
    with serving(lambda body: f" Ann lost bag {bag(body)}. ") as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address},words=30"
        result = summarize(Corpus.build(CALLS), [spec])
    assert result.added["text"].to_list() == [f"Ann lost bag {i}." for i in range(6)]
    asked = question(server.requests[0])
    assert "Tom: I look." in asked
    assert "Write a summary of this dialogue in at most 30 words" in asked
    assert "Say {role}." in asked
    assert (server.requests[0]["temperature"], server.requests[0]["max_tokens"]) == (0, 512)
    assert (result.usage.calls, result.usage.cached, result.usage.tokens) == (6, 0, 300)
    assert "|words:30|temperature:0|" in result.signatures["gpt"]


def test_equal_dialogues_are_asked_once_and_cached_answers_cost_nothing() -> None:
    twice = [Dialogue("a", CALLS[0].turns), Dialogue("b", CALLS[0].turns)]
    with serving(lambda body: "A bag.") as server:
        spec = f"chat:model=chat:tiny@{server.address}"
        assert [outcome.text for outcome in summarize_dialogues(twice, spec)] == ["A bag.", "A bag."]
        again = summarize(Corpus.build(twice), [spec])
    assert len(server.requests) == 1
    assert (again.usage.calls, again.usage.cached, again.usage.tokens) == (0, 1, 0)


def test_a_role_is_asked_for() -> None:
    with serving(lambda body: "A bag.") as server:
        summarize_dialogues(CALLS[:1], f"chat:model=chat:tiny@{server.address}", "agent")
    assert "the agent's side of this dialogue: what the agent says" in question(server.requests[0])


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    template = tmp_path / "prompt.txt"
    template.write_text("Résumé of the {role}: {dialogue}", "utf-8")
    with serving(lambda body: "A bag.") as server:
        spec = f"chat:model=chat:tiny@{server.address}"
        summarize_dialogues(CALLS[:1], f"{spec},prompt=file:{template}", "agent")
        assert question(server.requests[0]).startswith("Résumé of the agent: Ann: I lost bag 0.")
        with pytest.raises(ParameterError, match=r"holds \{dialogue\}"):
            summarize_dialogues(CALLS[:1], f"{spec},prompt=Summarize!")
        with pytest.raises(ParameterError, match=r"\{focus\} or \{role\}"):
            summarize_dialogues(CALLS[:1], f"{spec},prompt=Sum {{dialogue}}", "agent")
    before = parse_request(f"{spec},prompt=file:{template}").signature
    template.write_text("Other: {dialogue}", "utf-8")
    assert parse_request(f"{spec},prompt=file:{template}").signature != before
    with pytest.raises(ModelError, match="has no default model"):
        summarize_dialogues(CALLS[:1], "chat")


def test_a_long_dialogue_is_asked_for_in_parts() -> None:
    long = Dialogue("1", tuple(Turn("Ann", f"This is turn {i}, and it is about a bag. " * 3) for i in range(40)))
    with serving(lambda body: f"Part of {question(body).count('Ann:')} turns.") as server:
        spec = f"chat:model=chat:tiny@{server.address},max-tokens=50,window=600"
        [outcome] = summarize_dialogues([long], spec)
        with pytest.raises(ParameterError, match="more than prompt and answer take"):
            summarize_dialogues([long], f"chat:model=chat:tiny@{server.address},window=100")
    assert len(server.requests) > 2
    assert outcome.note.startswith(f"longer than the model's window: read in {len(server.requests)} parts")
    assert sum(question(body).count("Ann:") for body in server.requests) == 40


def test_what_is_refused_or_empty_has_a_reason_and_the_rest_goes_on() -> None:
    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("too long", status=400) if bag(body) == "1" else ("" if bag(body) == "2" else "A bag.")

    with serving(answer) as server:
        outcomes = summarize_dialogues(CALLS, f"chat:model=chat:tiny@{server.address}")
    assert "400" in outcomes[1].reason
    assert outcomes[2].reason == "the endpoint gave an empty answer"
    assert [outcome.text for outcome in outcomes[3:]] == ["A bag."] * 3
    with (
        serving(lambda body: Reply("unknown model", status=400)) as server,
        pytest.raises(ModelError, match="unknown model"),
    ):
        summarize_dialogues(CALLS, f"chat:model=chat:tiny@{server.address}")


def test_an_endpoint_that_stops_half_way_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = True

    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("gone", status=403) if broken and int(bag(body)) >= 3 else f"Bag {bag(body)}."

    journal = tmp_path / "out.journal.jsonl"
    with serving(answer) as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        with pytest.raises(
            ModelError, match=r"3 of 6 summaries of system 'gpt' are kept in .*: the same command goes on"
        ):
            summarize(Corpus.build(CALLS), [spec], means=Means(parallel=1), journal=journal)
        broken = False
        monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "another"))  # so that the journal alone helps
        before = len(server.requests)
        result = summarize(Corpus.build(CALLS), [spec], journal=journal)
    assert result.added["text"].to_list() == [f"Bag {i}." for i in range(6)]
    assert result.resumed == 3
    assert sorted(bag(body) for body in server.requests[before:]) == ["3", "4", "5"]


def test_a_spent_budget_keeps_what_is_done(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    with serving(lambda body: f"Bag {bag(body)}.") as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        means = Means(parallel=1, budget=ChatBudget(requests=2))
        with pytest.raises(BudgetError, match="2 of 6 summaries"):
            summarize(Corpus.build(CALLS), [spec], means=means, journal=journal)
    assert len(journal.read_text().splitlines()) == 2


def test_a_killed_command_goes_on_where_it_was(tmp_path: Path) -> None:
    write_corpus(Corpus.build(CALLS), tmp_path / "calls.jsonl")
    output, journal = tmp_path / "out.jsonl", tmp_path / "out.jsonl.journal.jsonl"
    killed = threading.Event()

    def answer(body: dict[str, Any]) -> str:
        if int(bag(body)) >= 3:
            killed.wait(60)
        return f"Bag {bag(body)}."

    with serving(answer) as server:
        command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "summarize"]
        command += [str(tmp_path / "calls.jsonl"), "-s", f"gpt=chat:model=chat:tiny@{server.address}"]
        command += ["-o", str(output), "--json", "--parallel", "1", "--price", "2"]
        process = subprocess.Popen(command, env={**os.environ, "DIALGAUGE_CACHE": str(tmp_path / "first")})
        last = time.monotonic() + 120
        while not journal.exists() or journal.read_text().count("\n") < 3:
            assert process.poll() is None
            assert time.monotonic() < last, "no journal"
            time.sleep(0.05)
        process.kill()
        process.wait()
        killed.set()
        assert not output.exists()
        before = len(server.requests)
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "DIALGAUGE_CACHE": str(tmp_path / "2")},
        )
    report = json.loads(done.stdout)
    assert (report["resumed"], report["summaries"]) == (3, 6)
    assert report["chat"] == {"calls": 3, "cached": 0, "tokens": 150, "cost": 0.0003}
    assert sorted(bag(body) for body in server.requests[before:]) == ["3", "4", "5"]
    assert read_corpus(output).summaries["text"].to_list() == [f"Bag {i}." for i in range(6)]
    assert not journal.exists()
