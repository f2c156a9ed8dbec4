"""Chat models: what they are asked, what it costs, and what happens when they stop half-way."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, Dialogue, Turn, read_corpus, write_corpus
from dialgauge.errors import ModelError, ParameterError
from dialgauge.models import BudgetError, ChatAnswer, ChatBudget, ChatUsage, TokenPrice
from dialgauge.summarize import Means, parse_request, summarize, summarize_dialogues
from tests.perturb.chat_server import Reply, serving

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
        with pytest.raises(ParameterError, match=r"contains \{dialogue\}"):
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
        with pytest.raises(ParameterError, match="more than prompt and answer need"):
            summarize_dialogues([long], f"chat:model=chat:tiny@{server.address},window=100")
    assert len(server.requests) > 2
    assert outcome.note.startswith(f"the dialogue exceeds the model's window: read in {len(server.requests)} parts")
    assert sum(question(body).count("Ann:") for body in server.requests) == 40


def test_what_is_refused_or_empty_has_a_reason_and_the_rest_goes_on() -> None:
    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("too long", status=400) if bag(body) == "1" else ("" if bag(body) == "2" else "A bag.")

    with serving(answer) as server:
        outcomes = summarize_dialogues(CALLS, f"chat:model=chat:tiny@{server.address}")
    assert "400" in outcomes[1].reason
    assert outcomes[2].reason == "the endpoint returned an empty answer"
    assert [outcome.text for outcome in outcomes[3:]] == ["A bag."] * 3
    with (
        serving(lambda body: Reply("unknown model", status=400)) as server,
        pytest.raises(ModelError, match="unknown model"),
    ):
        summarize_dialogues(CALLS, f"chat:model=chat:tiny@{server.address}")


def test_refusals_alone_do_not_stop_a_run_whose_other_texts_are_there(tmp_path: Path) -> None:
    """They are in no journal, so a run that goes on asks for nothing else, and hears nothing but refusals."""
    refused = {"4", "5"}

    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("too long", status=400) if bag(body) in refused else f"Bag {bag(body)}."

    journal = tmp_path / "journal.jsonl"
    with serving(answer) as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        first = summarize(Corpus.build(CALLS), [spec], journal=journal)
        before = len(server.requests)
        again = summarize(Corpus.build(CALLS), [spec, "lead"], journal=journal)
        assert {bag(body) for body in server.requests[before:]} == refused
        assert again.failures.equals(first.failures)
        assert again.failures["dialogue_id"].to_list() == ["4", "5"]
        assert again.added.filter(system="gpt").equals(first.added)
        # Another role is other work, of which nothing is there: an endpoint that takes none of it is told of.
        refused.update("0123")
        with pytest.raises(ModelError, match="too long"):
            summarize(Corpus.build(CALLS), [spec], roles=["agent"], journal=journal)
        refused.clear()
        assert summarize(Corpus.build(CALLS), [spec], journal=journal).failures.is_empty()


def test_an_endpoint_that_stops_half_way_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = True

    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("gone", status=403) if broken and int(bag(body)) >= 3 else f"Bag {bag(body)}."

    journal = tmp_path / "out.journal.jsonl"
    with serving(answer) as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        with pytest.raises(
            ModelError, match=r"3 of 6 summaries of system 'gpt' are kept in .*: rerun the same command to resume"
        ):
            summarize(Corpus.build(CALLS), [spec], means=Means(parallel=1), journal=journal)
        broken = False
        monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "another"))  # so that the journal alone helps
        before = len(server.requests)
        result = summarize(Corpus.build(CALLS), [spec], journal=journal)
    assert result.added["text"].to_list() == [f"Bag {i}." for i in range(6)]
    assert result.resumed == 3
    assert sorted(bag(body) for body in server.requests[before:]) == ["3", "4", "5"]


def test_all_that_is_kept_is_counted_however_often_the_endpoint_stops(tmp_path: Path) -> None:
    answered = 2

    def answer(body: dict[str, Any]) -> Reply | str:
        return Reply("gone", status=403) if int(bag(body)) >= answered else f"Bag {bag(body)}."

    journal = tmp_path / "out.journal.jsonl"
    with serving(answer) as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        for now, kept in ((2, 2), (5, 5), (0, 5)):
            answered = now
            with pytest.raises(ModelError, match=rf"{kept} of 6 summaries of system 'gpt' are kept in "):
                summarize(Corpus.build(CALLS), [spec], means=Means(parallel=1), journal=journal)


def test_who_interrupts_is_told_where_it_goes_on(tmp_path: Path) -> None:
    write_corpus(Corpus.build(CALLS), tmp_path / "calls.jsonl")
    done = threading.Event()

    def answer(body: dict[str, Any]) -> str:
        if bag(body) == "2":
            done.wait(60)
        if bag(body) > "2":
            time.sleep(2)  # a busy machine needs a while to hear the interrupt
        return f"Bag {bag(body)}."

    with serving(answer) as server:
        command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "summarize"]
        command += [str(tmp_path / "calls.jsonl"), "-s", f"gpt=chat:model=chat:tiny@{server.address}"]
        command += ["-o", str(tmp_path / "out.jsonl"), "--parallel", "1", "--price", "2"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        last = time.monotonic() + 120
        while len(server.requests) < 3:
            assert process.poll() is None
            assert time.monotonic() < last, "no third question"
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        done.set()  # the question that is under way is waited for
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (
        f"interrupted: finished summaries are kept in {tmp_path / 'out.jsonl.journal.jsonl'}; rerun the command" in told
    )
    assert "calls, 0 from cache" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out.jsonl").exists()


def test_a_spent_budget_keeps_what_is_done(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    with serving(lambda body: f"Bag {bag(body)}.") as server:
        spec = f"gpt=chat:model=chat:tiny@{server.address}"
        means = Means(parallel=1, budget=ChatBudget(requests=2))
        with pytest.raises(BudgetError, match="2 of 6 summaries"):
            summarize(Corpus.build(CALLS), [spec], means=means, journal=journal)
    assert journal.read_text().count('"text"') == 2
    assert (means.usage.calls, means.usage.tokens) == (2, 100)


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
        # The fourth question is here, unanswered: none is under way that would arrive after the kill.
        while len(server.requests) < 4 or not journal.exists() or journal.read_text().count('"text"') < 3:
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
    # What the killed run paid for is in the account, too.
    assert report["chat"] == {"calls": 6, "cached": 0, "tokens": 300, "unmetered": 0, "cut": 0, "cost": 0.0006}
    assert sorted(bag(body) for body in server.requests[before:]) == ["3", "4", "5"]
    assert read_corpus(output).summaries["text"].to_list() == [f"Bag {i}." for i in range(6)]
    assert not journal.exists()


def run_command(tmp_path: Path, address: str, *more: str, output: str = "out.jsonl") -> Any:
    if not (tmp_path / "calls.jsonl").exists():
        write_corpus(Corpus.build(CALLS), tmp_path / "calls.jsonl")
    arguments = ["summarize", str(tmp_path / "calls.jsonl"), "-s", f"gpt=chat:model=chat:tiny@{address}"]
    return CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / output), "--parallel", "1", *more])


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def test_a_summary_that_was_cut_is_noted_and_counted(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        return Reply("Ann lost", usage=USAGE, finish="length" if bag(body) in "12" else "stop")

    with serving(answer) as server:
        done = run_command(tmp_path, server.address)
        again = run_command(tmp_path, server.address, "--json", output="again.jsonl")
    assert done.exit_code == 0
    assert "note (2): cut at 10 tokens by the endpoint" in done.stderr
    assert "chat: 6 calls, 0 from cache, 660 tokens, 2 answers truncated at a token limit" in done.stderr
    provenance = read_corpus(tmp_path / "out.jsonl").summaries["provenance"].to_list()
    assert ["cut at 10" in str(made) for made in provenance] == [False, True, True, False, False, False]
    report = json.loads(again.stdout)
    assert [row["note"] for row in report["notes"]] == ["cut at 10 tokens by the endpoint"] * 2
    assert report["chat"] == {"calls": 0, "cached": 6, "tokens": 0, "unmetered": 0, "cut": 2}


def test_cut_parts_and_cut_nothing() -> None:
    long = Dialogue("1", tuple(Turn("Ann", f"This is turn {i}, and it is about a bag. " * 3) for i in range(40)))
    replies = iter([Reply("One."), Reply("Two", finish="length"), *[Reply("Three.")] * 9])
    with serving(lambda body: next(replies)) as server:
        spec = f"chat:model=chat:tiny@{server.address},max-tokens=50,window=600"
        [outcome] = summarize_dialogues([long], spec)
    assert outcome.note.endswith(f"; 1 of {len(server.requests)} parts cut at 50 tokens by the endpoint")
    with serving(lambda body: Reply(" ", finish="length")) as server:
        [outcome] = summarize_dialogues(CALLS[:1], f"chat:model=chat:tiny@{server.address}")
    assert outcome.reason == "the endpoint returned an empty answer; cut at 512 tokens by the endpoint"


def test_nothing_is_said_to_be_kept_that_is_not(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    with serving(lambda body: Reply("too long", status=400)) as server, pytest.raises(ModelError) as refused:
        summarize(Corpus.build(CALLS), [f"chat:model=chat:tiny@{server.address}"], journal=journal)
    assert "kept" not in str(refused.value)
    assert not journal.exists()

    def answer(body: dict[str, Any]) -> Reply:
        return Reply("A bag.", status=400 if bag(body) == "0" else 403 if bag(body) > "2" else 200)

    with (
        serving(answer) as server,
        pytest.raises(ModelError, match=r"2 of 6 summaries of system .* are kept in .*journal\.jsonl"),
    ):
        summarize(
            Corpus.build(CALLS),
            [f"chat:model=chat:tiny@{server.address}"],
            means=Means(parallel=1),
            journal=journal,
        )
    assert journal.read_text().count('"text"') == 2


@pytest.mark.parametrize(
    ("usage", "price", "said"),
    [
        ([USAGE] * 6, (), "6 calls, 0 from cache, 660 tokens\n"),
        ([USAGE] * 6, ("--price", "1000"), "660 tokens, cost 0.6600\n"),
        ([USAGE] * 6, ("--price", "1000/5000"), "660 tokens, cost 0.9000\n"),
        ([USAGE] * 6, ("--price", "0.1"), "660 tokens, cost below 0.0001\n"),
        ([{}] * 6, ("--price", "1"), "tokens not known, cost not known, 6 answers came without a token count"),
        ([USAGE] * 5 + [{}], ("--price", "1000"), "at least 550 tokens, cost at least 0.5500, 1 answer came without"),
        ([{"total_tokens": 9}] * 6, ("--price", "1"), "54 tokens, cost below 0.0001\n"),
        ([{"total_tokens": 9}] * 6, ("--price", "1/2"), "54 tokens, cost not known, the endpoint does not distinguish"),
    ],
)
def test_what_it_cost_as_far_as_it_is_known(tmp_path: Path, usage: Any, price: tuple[str, ...], said: str) -> None:
    replies = iter(usage)
    with serving(lambda body: Reply("A bag.", usage=next(replies))) as server:
        done = run_command(tmp_path, server.address, *price)
        again = run_command(tmp_path, server.address, *price)
    assert f"{said}" in done.stderr
    assert "0 calls, 6 from cache, 0 tokens" in again.stderr
    assert not price or "cost 0.0000" in again.stderr


def test_json_has_null_for_what_is_not_known(tmp_path: Path) -> None:
    with serving(lambda body: Reply("A bag.", usage={})) as server:
        done = run_command(tmp_path, server.address, "--json", "--price", "1/2")
    account = {"calls": 6, "cached": 0, "tokens": None, "unmetered": 6, "cut": 0, "cost": None}
    assert json.loads(done.stdout)["chat"] == account


@pytest.mark.parametrize("stop", ["budget", "refusal"])
def test_a_stopped_run_says_what_it_spent_and_the_next_one_adds_to_it(tmp_path: Path, stop: str) -> None:
    broken = stop == "refusal"

    def answer(body: dict[str, Any]) -> Reply:
        return Reply("no", status=401) if broken and int(bag(body)) >= 2 else Reply("A bag.", usage=USAGE)

    with serving(answer) as server:
        limit = () if broken else ("--max-calls", "2")
        first = run_command(tmp_path, server.address, "--price", "1000/5000", *limit)
        broken = False
        second = run_command(tmp_path, server.address, "--price", "1000/5000")
    assert isinstance(first.exception, BudgetError if stop == "budget" else ModelError)
    assert "chat: 2 calls, 0 from cache, 220 tokens, cost 0.3000" in first.stderr
    assert "chat: 6 calls, 0 from cache, 660 tokens, cost 0.9000" in second.stderr
    assert "from an earlier run: 2 summaries" in second.stderr


def test_what_no_summary_came_of_is_in_the_account_too(tmp_path: Path) -> None:
    """The first part of a long dialogue was paid for when the endpoint went away at the second."""
    long = Dialogue("1", tuple(Turn("Ann", f"This is turn {i}, and it is about a bag. " * 3) for i in range(40)))
    replies = iter([Reply("One.", usage=USAGE), Reply("no", status=401), *[Reply("A part.", usage=USAGE)] * 9])
    journal = tmp_path / "journal.jsonl"
    with serving(lambda body: next(replies)) as server:
        spec = f"chat:model=chat:tiny@{server.address},max-tokens=50,window=600"
        stopped = Means()
        with pytest.raises(ModelError):
            summarize(Corpus.build([long]), [spec], means=stopped, journal=journal)
        # Two systems that do the same share their work, which was paid for once.
        result = summarize(Corpus.build([long]), [f"a={spec}", f"b={spec}"], journal=journal)
    assert (stopped.usage.calls, stopped.usage.tokens) == (1, 110)
    parts = len(server.requests) - 1
    assert (result.usage.calls, result.usage.tokens) == (parts, 110 * parts)
    assert result.added["text"].to_list()[0].startswith("One. A part.")


@pytest.mark.parametrize("line", ['"usage": 3', '"usage": {"calls": "x"}', '"usage": {"spent": 1}', '"usage": null'])
def test_a_journal_that_was_damaged_counts_what_is_whole(tmp_path: Path, line: str) -> None:
    journal = tmp_path / "journal.jsonl"
    with serving(lambda body: Reply("A bag.", usage=USAGE)) as server:
        spec = f"chat:model=chat:tiny@{server.address}"
        means = Means(parallel=1, budget=ChatBudget(requests=2))
        with pytest.raises(BudgetError):
            summarize(Corpus.build(CALLS), [spec], means=means, journal=journal)
        key = json.loads(journal.read_text().splitlines()[0])["key"]
        journal.write_text(journal.read_text() + f'{{"key": "{key}", {line}}}\n{{"key": "{key}", "usa')
        result = summarize(Corpus.build(CALLS), [spec], journal=journal)
    assert (result.usage.calls, result.usage.tokens, result.resumed) == (6, 660, 2)


@pytest.mark.parametrize("price", ["x", "", "1/", "1/2/3", "-1", "nan", "1/inf", "0,15"])
def test_a_price_that_is_none_is_refused_before_anything_is_asked(tmp_path: Path, price: str) -> None:
    with serving(lambda body: "A bag.") as server:
        done = run_command(tmp_path, server.address, f"--price={price}")
    assert done.exit_code != 0
    assert server.requests == []
    with pytest.raises(ParameterError, match="INPUT/OUTPUT"):
        TokenPrice.parse(price)


COUNTS = st.builds(
    ChatAnswer,
    text=st.just(""),
    tokens=st.integers(0, 10**6),
    cached=st.booleans(),
    cut=st.booleans(),
    prompt_tokens=st.none(),
) | st.integers(0, 10**6).flatmap(
    lambda tokens: st.builds(
        ChatAnswer,
        text=st.just(""),
        tokens=st.just(tokens),
        cached=st.booleans(),
        cut=st.booleans(),
        prompt_tokens=st.integers(0, tokens),
    )
)


@given(st.lists(COUNTS), st.floats(0, 100), st.floats(0, 100))
def test_an_account_is_the_sum_of_its_answers(answers: list[ChatAnswer], read: float, write: float) -> None:
    usage, merged = ChatUsage(), ChatUsage()
    for one in answers:
        usage.add(one)
        merged.merge(ChatUsage.read(json.loads(json.dumps(ChatUsage.of(one).counts()))))
    assert merged == usage
    paid = [one for one in answers if not one.cached]
    assert usage.tokens == sum(one.tokens for one in paid)
    assert usage.cut == sum(one.cut for one in answers)
    if all(one.prompt_tokens is not None and one.tokens for one in paid):
        cost = sum((one.prompt_tokens or 0) * read + (one.tokens - (one.prompt_tokens or 0)) * write for one in paid)
        assert usage.account(TokenPrice(read, write))["cost"] == pytest.approx(cost / 1e6)
    assert usage.line(1.0)
