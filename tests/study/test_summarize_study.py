"""Systems that a study has write: a stage before the scores, kept, resumed, and told of in manifest and report."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, embedded_corpus, write_corpus
from dialgauge.errors import DialgaugeError, InputError, ModelError, UnknownNameError
from dialgauge.models import BudgetError
from dialgauge.study import report_of_run, run_study, study_template
from dialgauge.summarize import Outcome, Summarizer, Task, register, summarize
from dialgauge.summarize._registry import SUMMARIZERS

STUDY = """\
[study]
name = "s"
[corpus]
source = "{source}"
[summarize]
systems = {systems}
{more}
[metrics]
use = ["rouge-1", "rouge-1-p@source", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
levels = ["system", "summary"]
coefficients = ["pearson"]
"""
#: Dialogues and references alone: nobody has summarized them yet.
CALLS = [
    Dialogue(f"d{i}", (Turn("Ann", f"Hello, this is call {i}.", "agent"), Turn("Bob", f"Bag {i} is lost.", "customer")))
    for i in range(4)
]
BARE = Corpus.build(CALLS, [Summary(d.id, "human", f"{d.id}: a bag is lost.", kind="reference") for d in CALLS])
TABLES = ["summaries.parquet", "summaries.json", "scores.parquet", "report.html"]


def study(folder: Path, systems: list[str], *, source: str = "calls", more: str = "") -> Path:
    if source == "calls" and not (folder / "calls").exists():
        write_corpus(BARE, folder / "calls")
    (folder / "s.toml").write_text(STUDY.format(source=source, systems=json.dumps(systems), more=more))
    return folder / "s.toml"


def manifest(folder: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((folder / "runs/s/manifest.json").read_text("utf-8"))["stages"]
    return found


@pytest.fixture
def echo() -> Iterator[list[str]]:
    """A summarizer of a user, which notes whom it was asked about; with a word in the list, it stops at that."""
    asked: list[str] = []

    def compute(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
        for i, dialogue in enumerate(task.dialogues):
            if asked and asked[0] in dialogue.text:
                raise ModelError("the machine stopped")
            asked.append(dialogue.id)
            yield i, Outcome(f"{len(dialogue.turns)} turns")

    register(Summarizer(name="echo", description="counts turns", citation="Nobody 2026", compute=compute))
    yield asked
    del SUMMARIZERS._entries["echo"]


def test_a_newcomer_with_dialogues_runs_a_whole_study(tmp_path: Path) -> None:
    run = run_study(study(tmp_path, ["lead:n=1", "two=longest:n=2"], more='roles = ["overall", "agent"]'))
    assert list(run.stages) == ["summaries", "corpus", "scores", "judgements", "systems", "report"]
    written = summarize(BARE, ["lead:n=1", "two=longest:n=2"], roles=["overall", "agent"])
    assert run.corpus.summaries.equals(written.corpus.summaries)
    assert run.scores.frame.height == 16
    assert run.scores.frame.filter(role="overall")["rouge-1"].null_count() == 0
    assert pl.read_parquet(tmp_path / "runs/s/summaries.parquet").equals(written.added)
    assert manifest(tmp_path)["summaries"]["signatures"] == dict(written.signatures)
    page = run.report.read_text("utf-8")
    assert "no other system came with the corpus" in page
    assert f"<code>{written.signatures['two']}</code>" in page
    assert report_of_run(run.folder) == page


def test_the_report_says_whose_summaries_they_are_and_which_are_not_there(tmp_path: Path) -> None:
    silent = [*CALLS, Dialogue("empty", ()), Dialogue("one", (Turn("Eve", "Anybody <b>there</b>?", "customer"),))]
    write_corpus(Corpus.build(silent, [Summary("d0", "old", "A bag."), *_references()]), tmp_path / "calls")
    page = run_study(study(tmp_path, ["lead"], more='roles = ["agent"]')).report.read_text("utf-8")
    assert "the other systems came with the corpus" in page
    assert "lead, agent: no summary of 1 dialogue: the dialogue is empty" in page
    assert "no summary of 1 dialogue: no speaker of the dialogue has the role &#39;agent&#39;" in page
    assert manifest(tmp_path)["summaries"]["failures"] == 2


def _references() -> list[Summary]:
    return [Summary(d.id, "human", "A bag is lost.", kind="reference", role="agent") for d in CALLS]


def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    path = study(tmp_path, ["textrank:n=1", "best=oracle"])
    run_study(path)
    assert set(run_study(path).stages.values()) == {"unchanged"}
    run_study(path, output=tmp_path / "again")
    for table in TABLES:
        assert (tmp_path / "again" / table).read_bytes() == (tmp_path / "runs/s" / table).read_bytes(), table


def test_a_stopped_stage_goes_on_where_it_was(tmp_path: Path, echo: list[str]) -> None:
    path = study(tmp_path, ["echo"])
    echo.append("call 2")
    with pytest.raises(ModelError, match=r"the machine stopped\. 2 of 4 .* are kept in .*runs/s/summaries\.journal"):
        run_study(path)
    assert not (tmp_path / "runs/s/scores.parquet").exists()
    echo[:] = ["nothing that is said"]
    run = run_study(path)
    assert echo[1:] == ["d2", "d3"]
    assert set(run.stages.values()) == {"done"}
    assert run.corpus.systems == ["echo"]


def test_a_system_more_leaves_the_others_nothing_to_do(tmp_path: Path, echo: list[str]) -> None:
    run_study(study(tmp_path, ["echo"]))
    assert echo == ["d0", "d1", "d2", "d3"]
    run = run_study(study(tmp_path, ["echo", "lead"]))
    assert echo == ["d0", "d1", "d2", "d3"]
    assert run.corpus.systems == ["echo", "lead"]
    assert run_study(study(tmp_path, ["lead"])).corpus.systems == ["lead"]


def test_budgets_and_batches_change_nothing(tmp_path: Path) -> None:
    run_study(study(tmp_path, ["lead"]))
    changed = study(
        tmp_path, ["lead"], more="parallel = 8\nmax_calls = 0\nmax_tokens = 5\nbatch_tokens = 9\nprice = 1.5"
    )
    assert set(run_study(changed).stages.values()) == {"unchanged"}
    assert run_study(study(tmp_path, ["lead"], more='roles = ["agent"]')).stages["summaries"] == "done"


def test_a_changed_source_is_summarized_again(tmp_path: Path) -> None:
    path = study(tmp_path, ["lead"])
    run_study(path)
    write_corpus(Corpus.build([*CALLS, Dialogue("new", (Turn("Zoe", "Hi."),))], _overall()), tmp_path / "calls")
    run = run_study(path)
    assert run.stages["summaries"] == "done"
    assert "Zoe: Hi." in run.corpus.summaries["text"].to_list()


def _overall() -> list[Summary]:
    return [Summary(d.id, "human", "A bag is lost.", kind="reference") for d in CALLS]


def test_a_tampered_table_is_made_again(tmp_path: Path) -> None:
    path = study(tmp_path, ["lead"])
    run_study(path)
    table = tmp_path / "runs/s/summaries.parquet"
    before = table.read_bytes()
    table.write_bytes(b"broken")
    assert run_study(path).stages["summaries"] == "done"
    assert table.read_bytes() == before


def test_systems_without_ratings_are_scored_and_not_correlated(tmp_path: Path) -> None:
    with_systems = study(tmp_path, ["lead", "textrank"], source="embedded", more='roles = ["overall", "agent"]')
    learn = '[learn]\ntargets = ["consistency"]\nlearner = "ridge"\nsplit = "dialogues"\n[affect]\nroles = ["agent"]\n'
    with_systems.write_text(with_systems.read_text() + learn)
    run = run_study(with_systems)
    assert {"lead", "textrank"} <= set(run.scores.frame["system"])
    pairing = str(manifest(tmp_path)["correlations"]["pairing"])
    assert pairing.startswith("240 summaries have scores and ratings; 80 only scores")
    rated_alone = tmp_path / "plain"
    rated_alone.mkdir()
    text = with_systems.read_text()
    (rated_alone / "s.toml").write_text(text[: text.index("[summarize]")] + text[text.index("[metrics]") :])
    plain = run_study(rated_alone / "s.toml")
    for table in ("correlations", "leaders", "comparisons", "ceiling", "agreement"):
        assert pl.read_parquet(run.folder / f"{table}.parquet").equals(
            pl.read_parquet(plain.folder / f"{table}.parquet")
        )
    cards = [json.loads((one.folder / "learned.json").read_text("utf-8"))[0]["scores"] for one in (run, plain)]
    assert cards[0] == cards[1]


def test_a_system_that_is_there_already_is_refused_or_replaced(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"already has 40 summaries of system 'lead-3'; .* replace = true"):
        run_study(study(tmp_path, ["lead-3=lead"], source="embedded"))
    with pytest.raises(InputError, match="'reference' is the name of references in this corpus"):
        run_study(study(tmp_path, ["reference=lead"], source="embedded"))
    run = run_study(study(tmp_path, ["lead-3=lead:n=1"], source="embedded", more="replace = true"))
    assert run.corpus.ratings.height == embedded_corpus().ratings.filter(pl.col("system") != "lead-3").height
    texts = run.corpus.summaries.filter(system="lead-3")["text"]
    assert texts.to_list() == [dialogue.lead(1) for dialogue in embedded_corpus().iter_dialogues()]


def test_ratings_that_go_with_replaced_summaries_are_counted(tmp_path: Path) -> None:
    path = study(tmp_path, ["lead-3=lead:n=1"], source="embedded", more="replace = true")
    dropped = embedded_corpus().ratings.filter(system="lead-3").height
    assert dropped > 1
    said = f"summaries were replaced: {dropped} ratings of the old texts removed"
    for _ in range(2):  # a run that finds all unchanged says it, too
        result = CliRunner().invoke(app, ["run", str(path)], env={"COLUMNS": "200"})
        assert f"note: {said}\n" in result.stderr
    assert manifest(tmp_path)["summaries"]["ratings_dropped"] == dropped
    page = (tmp_path / "runs/s/report.html").read_text("utf-8")
    assert f"<p>{dropped} ratings of summaries that this run replaced were dropped: people rated" in page
    assert "No ratings are left" not in page
    output = ["-o", str(tmp_path / "out")]
    by_command = CliRunner().invoke(app, ["summarize", "embedded", "-s", "lead-3=lead:n=1", "--replace", *output])
    assert said in " ".join(by_command.stderr.split())


def test_a_corpus_that_lost_all_its_ratings_is_not_called_unrated(tmp_path: Path) -> None:
    summaries = [*_overall(), *(Summary(d.id, "a", "A bag.") for d in CALLS)]
    rating = Rating("d0", "a", "x", "quality", 3, scale="1-5")
    write_corpus(Corpus.build(CALLS, summaries, [rating]), tmp_path / "calls")
    run = run_study(study(tmp_path, ["a=lead"], more="replace = true"))
    page = run.report.read_text("utf-8")
    assert "No ratings are left: people rated summaries that this run replaced (1 rating dropped), so" in page
    assert "1 rating of summaries that this run replaced was dropped" in page
    assert "This corpus has no ratings" not in page
    assert run.notes == ["summaries were replaced: 1 rating of the old texts removed"]
    kept = run_study(study(tmp_path, ["b=lead"], more="replace = true"))
    assert kept.notes == []
    assert "this run replaced" not in kept.report.read_text("utf-8")
    assert manifest(tmp_path)["summaries"]["ratings_dropped"] == 0


def test_a_system_that_wrote_nothing_hides_none_that_came_with_the_corpus(tmp_path: Path) -> None:
    summaries = [*_overall(), *(Summary(d.id, "old", "A bag.") for d in CALLS)]
    write_corpus(Corpus.build(CALLS, summaries), tmp_path / "calls")
    register(Summarizer(name="mute", description="says nothing", citation="", compute=_nothing))
    try:
        page = run_study(study(tmp_path, ["mute"])).report.read_text("utf-8")
    finally:
        del SUMMARIZERS._entries["mute"]
    assert "Generated by this run; the other systems came with the corpus." in page


def _nothing(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
    return ((i, Outcome(None, reason="mute")) for i in range(len(task.dialogues)))


def test_a_finished_study_needs_no_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "perturb"))
    with import_module("chat_server").serving(lambda body: "Bob lost a bag.") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        path = study(tmp_path, ["gpt=chat:model=chat:m"])
        run_study(path)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert set(run_study(path).stages.values()) == {"unchanged"}
    with pytest.raises(ModelError, match="system 'more': no endpoint for 'chat:other': set OPENAI_BASE_URL"):
        run_study(study(tmp_path, ["more=chat:model=chat:other"]))


def test_a_prompt_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = study(tmp_path, [f"gpt=chat:model=chat:m@http://localhost:1/v1,prompt=file:{tmp_path}/none.txt"])
    with pytest.raises(InputError, match=r"summarizer 'chat': prompt=file:.*none\.txt: No such file or directory"):
        run_study(path)


def test_a_changed_account_of_what_was_written_is_not_shown(tmp_path: Path) -> None:
    run = run_study(study(tmp_path, ["lead"]))
    account = run.folder / "summaries.json"
    account.write_text(account.read_text("utf-8").replace('"summaries": 4', '"summaries": 5'), "utf-8")
    with pytest.raises(InputError, match=r"summaries\.json: changed since the run wrote it"):
        report_of_run(run.folder)


@pytest.mark.parametrize(
    ("systems", "more", "message"),
    [
        (["led"], "", r"s\.toml:6: summarize\.systems: unknown summarizer 'led'; did you mean 'lead'"),
        (["lead:n=0"], "", r":6: summarize\.systems: summarizer 'lead': parameter 'n' must be a whole number from 1"),
        (["x=lead", "x=longest"], "", "two different summarizers have the name 'x'"),
        ([], "", r":6: summarize\.systems: must be a list of at least one"),
        (["lead"], "roles = []", r":7: summarize\.roles: must be a list of at least one"),
        (["lead"], "role = 1", r":7: summarize\.role: unknown key 'role'; did you mean 'roles'"),
        (["lead"], "parallel = 0", r":7: summarize\.parallel"),
        (["lead"], "price = -1", r":7: summarize\.price: .* one number from 0 .* or two, INPUT/OUTPUT"),
        (["lead"], 'price = "1/2/3"', r":7: summarize\.price: .*; got '1/2/3'"),
        (["lead"], "price = true", r":7: summarize\.price: "),
        (["lead"], "price = [1]", r":7: summarize\.price"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, systems: list[str], more: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_study(study(tmp_path, systems, more=more))


def test_what_cannot_run_is_refused_as_by_the_command(tmp_path: Path, echo: list[str]) -> None:
    missing = "seq2seq:model=folder:{}models/none"
    with pytest.raises(DialgaugeError) as by_command:
        summarize(BARE, ["echo", missing.format(f"{tmp_path}/")])
    with pytest.raises(type(by_command.value)) as by_study:
        run_study(study(tmp_path, ["echo", missing.format("")]))
    assert "models/none" in str(by_command.value)
    assert str(by_study.value) == str(by_command.value)
    with pytest.raises(UnknownNameError, match="unknown role 'driver'; known: agent, customer, overall"):
        run_study(study(tmp_path, ["echo"], more='roles = ["driver"]'))
    assert not echo


def test_nothing_to_score(tmp_path: Path) -> None:
    write_corpus(Corpus.build([Dialogue("empty", ())]), tmp_path / "calls")
    with pytest.raises(InputError, match="has no summaries, and none could be generated"):
        run_study(study(tmp_path, ["lead"]))
    bare = tmp_path / "s.toml"
    text = bare.read_text()
    bare.write_text(text[: text.index("[summarize]")] + text[text.index("[metrics]") :])
    with pytest.raises(InputError, match=r"has no summaries; generate some with a section \[summarize\]"):
        run_study(bare)


def test_a_chat_model_within_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "perturb"))
    serving = import_module("chat_server").serving
    with serving(lambda body: "Bob lost a bag.") as server:
        system = f"gpt=chat:model=chat:m@{server.address}"
        spent = r"rerun the same command to resume\. Chat so far: 3 calls, 0 from cache, 150 tokens, cost 15\.0000$"
        with pytest.raises(BudgetError, match=spent):
            run_study(study(tmp_path, [system], more="max_calls = 3\nparallel = 1\nprice = 100000.0"))
        run = run_study(study(tmp_path, [system], more="max_calls = 3\nprice = 100000.0"))
        assert len(server.requests) == 4
    account = {"calls": 4, "cached": 0, "tokens": 200, "unmetered": 0, "cut": 0, "cost": 20.0}
    assert manifest(tmp_path)["summaries"]["chat"] == account
    assert run.corpus.summaries.filter(system="gpt").height == 4


def test_cut_answers_and_two_prices_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "perturb"))
    chat_server = import_module("chat_server")
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    with chat_server.serving(lambda body: chat_server.Reply("A bag", usage=usage, finish="length")) as server:
        run = run_study(study(tmp_path, [f"gpt=chat:model=chat:m@{server.address}"], more='price = "1000/5000"'))
    assert "gpt: 4 summaries with the note: cut at 10 tokens by the endpoint" in run.report.read_text("utf-8")
    account = manifest(tmp_path)["summaries"]["chat"]
    assert isinstance(account, dict)
    assert account["cut"] == 4
    assert account["cost"] == pytest.approx(4 * (100 * 1000 + 10 * 5000) / 1e6)


def test_the_template_has_the_section(tmp_path: Path) -> None:
    text = study_template("s.toml", "embedded")
    start, end = text.index("# [summarize]"), text.index("# Models also take batch_tokens")
    section = "\n".join(line.removeprefix("# ") for line in text[start:end].splitlines())
    section = section.replace(', "bart=seq2seq:model=folder:models/bart"', "")
    (tmp_path / "s.toml").write_text(text[:start] + section + "\n" + text[end:].replace('"ter", "meteor",', ""))
    assert run_study(tmp_path / "s.toml").corpus.systems[1:3] == ["glib", "lead"]
