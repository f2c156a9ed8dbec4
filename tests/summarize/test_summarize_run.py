"""Systems on a corpus: keys, roles, replacing, what is written down on the way, and the commands."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, embedded_corpus, read_corpus, write_corpus
from dialgauge.errors import DialgaugeError, InputError, ModelError, UnknownNameError
from dialgauge.summarize import Outcome, Summarizer, Task, register, summarize
from dialgauge.summarize._registry import SUMMARIZERS

runner = CliRunner()
CORPUS = Corpus.build(
    [
        Dialogue("a", (Turn("Ann", "Hello.", "agent"), Turn("Bob", "My bag is lost.", "customer"))),
        Dialogue("b", (Turn("Ann", "Hello.", "agent"), Turn("Bob", "My bag is lost.", "customer"))),
        Dialogue("c", ()),
        Dialogue("d", (Turn("Bob", "Nobody there?", "customer"), Turn("Bob", " "))),
    ],
    [Summary("a", "old", "A bag."), Summary("a", "human", "Bob lost a bag.", kind="reference")],
    [Rating("a", "old", "1", "fluency", 4.0)],
)


@pytest.fixture
def echo() -> Iterator[list[Dialogue]]:
    """A summarizer of a user, which records what it is given; it stops at a turn that says so."""
    seen: list[Dialogue] = []

    def compute(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
        for i in reversed(range(len(task.dialogues))):
            if "stop" in task.dialogues[i].text:
                raise ModelError("the machine stopped")
            seen.append(task.dialogues[i])
            yield i, Outcome(f"{task.role}: {len(task.dialogues[i].turns)}", note="echoed")

    register(Summarizer(name="echo", description="counts turns", citation="", compute=compute))
    yield seen
    del SUMMARIZERS._entries["echo"]


def test_summaries_come_under_their_keys_with_their_making() -> None:
    result = summarize(CORPUS, ["lead:n=1", "x=longest:n=1"], roles=["overall", "agent"])
    texts = {(r["dialogue_id"], r["system"], r["role"]): r["text"] for r in result.added.iter_rows(named=True)}
    assert texts == {
        ("a", "lead:n=1", "overall"): "Ann: Hello.",
        ("b", "lead:n=1", "overall"): "Ann: Hello.",
        ("d", "lead:n=1", "overall"): "Bob: Nobody there?",
        ("a", "lead:n=1", "agent"): "Ann: Hello.",
        ("b", "lead:n=1", "agent"): "Ann: Hello.",
        ("a", "x", "overall"): "Bob: My bag is lost.",
        ("b", "x", "overall"): "Bob: My bag is lost.",
        ("d", "x", "overall"): "Bob: Nobody there?",
        ("a", "x", "agent"): "Ann: Hello.",
        ("b", "x", "agent"): "Ann: Hello.",
    }
    reasons = {(r["dialogue_id"], r["role"]): r["reason"] for r in result.failures.iter_rows(named=True)}
    assert reasons == {
        ("c", "overall"): "the dialogue is empty",
        ("c", "agent"): "the dialogue is empty",
        ("d", "agent"): "no speaker of the dialogue has the role 'agent'",
    }
    made = json.loads(result.added["provenance"][0])
    assert made == {"summarizer": "lead", "signature": result.signatures["lead:n=1"]}
    assert result.corpus.summaries.height == CORPUS.summaries.height + 10
    assert result.corpus.ratings.equals(CORPUS.ratings)


def test_equal_dialogues_are_worked_on_once_and_silent_turns_are_not_passed_on(echo: list[Dialogue]) -> None:
    result = summarize(CORPUS, ["echo"])
    assert [dialogue.id for dialogue in echo] == ["d", "a"]
    assert result.added["text"].to_list() == ["overall: 2", "overall: 2", "overall: 1"]
    assert result.notes["note"].to_list() == ["echoed"] * 3


def test_what_is_there_is_not_overwritten_unless_asked() -> None:
    with pytest.raises(InputError, match="already has 1 summary of system 'old'"):
        summarize(CORPUS, ["old=lead"])
    with pytest.raises(InputError, match="'human' is the name of references"):
        summarize(CORPUS, ["human=lead"], replace=True)
    replaced = summarize(CORPUS, ["old=lead:n=1"], replace=True).corpus
    assert replaced.summaries.filter(system="old")["text"].to_list()[0] == "Ann: Hello."
    assert replaced.ratings.is_empty()  # they were of other words
    assert replaced.references.height == 1


def test_bad_requests_are_refused_before_any_work(echo: list[Dialogue]) -> None:
    with pytest.raises(UnknownNameError, match="unknown role 'driver'; known: agent, customer, overall"):
        summarize(CORPUS, ["echo"], roles=["driver"])
    with pytest.raises(UnknownNameError, match="unknown role 'driver'"):
        summarize(CORPUS, ["echo"], roles="driver")  # one name stands for itself
    with pytest.raises(InputError, match="no system was given"):
        summarize(CORPUS, [])
    with pytest.raises(ModelError, match="no-such"):
        summarize(CORPUS, ["echo", "seq2seq:model=folder:no-such"])
    with pytest.raises(InputError, match="no dialogues"):
        summarize(Corpus(), ["echo"])
    assert not echo
    with pytest.raises(DialgaugeError, match="two summarizers are called 'lead'"):
        register(Summarizer(name="lead", description="", citation="", compute=lambda task, parameters: iter(())))


def test_a_summarizer_that_forgets_a_dialogue_is_an_error() -> None:
    register(Summarizer(name="lazy", description="", citation="", compute=lambda task, parameters: iter(())))
    try:
        with pytest.raises(ModelError, match="returned nothing for 2 of 2 dialogues"):
            summarize(CORPUS, ["lazy"])
    finally:
        del SUMMARIZERS._entries["lazy"]


def test_a_journal_holds_what_is_done_and_other_work_does_no_harm(echo: list[Dialogue], tmp_path: Path) -> None:
    journal = tmp_path / "deep" / "journal.jsonl"
    many = [Dialogue(str(i), (Turn("A", "stop" if i == 0 else f"turn {i}"),)) for i in range(5)]
    with pytest.raises(ModelError, match=r"the machine stopped\. 4 of 5 summaries of system 'echo' are kept"):
        summarize(Corpus.build(many), ["echo"], journal=journal)
    assert len(journal.read_text().splitlines()) == 4
    many[0] = Dialogue("0", (Turn("A", "go"),))
    many[1] = Dialogue("1", (Turn("A", "something else"),))
    echo.clear()
    result = summarize(Corpus.build(many), ["echo", "lead"], journal=journal)
    assert result.resumed == 3
    assert sorted(dialogue.id for dialogue in echo) == ["0", "1"]
    assert result.notes.height == 5  # notes come back from the journal, too
    before = journal.read_bytes()
    assert summarize(Corpus.build(many), ["echo", "lead"], journal=journal).resumed == 10
    assert journal.read_bytes() == before


def test_progress_counts_what_is_done(echo: list[Dialogue]) -> None:
    seen: list[tuple[str, int, int]] = []
    summarize(CORPUS, ["echo"], progress=lambda *told: seen.append(told))
    assert seen == [("echo, overall", 1, 2), ("echo, overall", 2, 2)]


def test_the_commands(tmp_path: Path) -> None:
    write_corpus(CORPUS, tmp_path / "calls")
    listed = runner.invoke(app, ["summarizers"], env={"COLUMNS": "160"})
    assert all(name in listed.output for name in ("lead", "longest", "textrank", "oracle", "seq2seq", "chat"))
    shown = runner.invoke(app, ["summarizers", "longest", "--json"])
    assert json.loads(shown.output)["parameters"]["n"]["default"] == "3"
    assert "damping" in runner.invoke(app, ["summarizers", "textrank"], env={"COLUMNS": "160"}).output
    assert len(json.loads(runner.invoke(app, ["summarizers", "--json"]).output)["summarizers"]) >= 6

    output = tmp_path / "out"
    done = runner.invoke(app, ["summarize", str(tmp_path / "calls"), "-s", "lead", "-o", str(output), "--json"])
    report = json.loads(done.stdout)
    assert report["systems"] == [
        {"system": "lead", "role": "overall", "summaries": 3, "failures": 1, "notes": 0, "words": pytest.approx(17 / 3)}
    ]
    assert "chat" not in report
    assert read_corpus(output).systems == ["lead", "old"]
    assert [path.name for path in tmp_path.iterdir() if "journal" in path.name] == []
    again = runner.invoke(app, ["summarize", str(output), "-s", "lead", "-o", str(output)])
    assert isinstance(again.exception, InputError)
    over = runner.invoke(
        app,
        ["summarize", str(output), "-s", "lead:n=1", "-s", "lead", "--replace", "--role", "agent", "-o", str(output)],
    )
    assert over.exit_code == 0
    assert "lead:n=1" in over.output
    assert "no speaker of the dialogue has the role 'agent'" in over.output


@pytest.mark.parametrize(
    ("name", "reason"), [("out.foo", "format is not clear"), ("full", "is not a dialgauge folder")]
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, echo: list[Dialogue], name: str, reason: str
) -> None:
    write_corpus(CORPUS, tmp_path / "calls")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    done = runner.invoke(app, ["summarize", str(tmp_path / "calls"), "-s", "echo", "-o", str(tmp_path / name)])
    assert isinstance(done.exception, InputError)
    assert str(tmp_path / name) in str(done.exception)
    assert reason in str(done.exception)
    assert not echo


def test_every_offline_summarizer_does_the_embedded_corpus() -> None:
    corpus = embedded_corpus()
    result = summarize(corpus, ["lead", "longest", "textrank", "oracle"])
    assert result.added.height == 4 * corpus.dialogues.height
    assert result.failures.is_empty()
    for name in ("lead", "longest"):
        ours = dict(result.added.filter(system=name).select("dialogue_id", "text").iter_rows())
        shipped = corpus.summaries.filter(system=f"{name}-3", variant="original").select("dialogue_id", "text")
        assert ours == dict(shipped.iter_rows())
