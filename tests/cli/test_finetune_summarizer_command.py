"""``dialgauge finetune-summarizer`` and ``dialgauge attention`` as a person or a machine meets them."""

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from dialgauge.models import load
from dialgauge.summarize import GenerationSettings, generate

Cli = Callable[..., Any]
TOLD = (
    ("I love this phone", "Ann loves the phone"),
    ("The train was terrible", "Ann hated the terrible train"),
    ("What a wonderful dinner", "Ann had a wonderful dinner"),
    ("The meeting is on Monday", "Ann goes to the meeting"),
)
SMALL = ["--model", "scratch:1+1x64", "--vocabulary", "330", "--learning-rate", "4e-3", "--device", "cpu"]
QUICK = [*SMALL, "--source-length", "64", "--beams", "1", "--bertscore", "folder:none", "--label-smoothing", "0"]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Models this small are slowed down by threads that wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "calls.jsonl"
    rows = [
        {"id": f"d{i}", "dialogue": f"Ann: {said}\nBob: Tell me more.", "reference": text}
        for i, (said, text) in enumerate(TOLD)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_three_sets_from_one_command_for_people_and_machines(
    cli: Cli, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["finetune-summarizer", corpus, *QUICK, "--sets", "all", "--epochs", 2, "--test", corpus, "-o", tmp_path]
    done = cli(*command)
    assert done.code == 0, done.err
    assert "no --dev and no dev split: the last of 2 epochs is kept" in done.err
    for words in ("full", "filtered", "subsampled", "75.0%", "PSentScore_N", "BERTScore"):
        assert words in done.out
    assert "BERTScore is omitted" in done.err
    assert "test: 4 of 4 dialogues are also training data" in done.err
    # Positions beyond those that were trained know nothing: what is to be used reads as the table's summaries did.
    hint = f"-s full=seq2seq:model=folder:{tmp_path / 'full' / 'checkpoint'},window=64 -o OUTPUT"
    assert hint in done.err.replace("\n", "")
    assert "every pair has an affective word" not in done.err
    assert [path.name for path in (tmp_path / "full").iterdir() if path.name.startswith(".")] == []
    assert max(map(len, done.out.splitlines())) <= 100
    monkeypatch.setattr("dialgauge.cli._output.console._width", 90)
    narrow = cli(*command).out
    assert "4 references: overlap with the references\n" in narrow
    assert "4 references: preserved affect, Spearman / CCC / MAE\n" in narrow
    assert "(1 of 2)" not in narrow
    assert (tmp_path / "table.md").read_text("utf-8").startswith("| system |")
    again = cli(*command, "--json")
    document = json.loads(again.out)
    assert [found["pairs"] for found in document["sets"].values()] == [4, 3, 3]
    assert all(found["reused"] for found in document["sets"].values())
    assert [row["system"] for row in document["table"]["rows"]] == ["full", "filtered", "subsampled"]
    other = cli(*command, "--seed", 1)
    assert other.code == 2
    assert "another shape, seed or corpus" in other.err


def test_a_newcomer_is_told_what_the_training_is_worth(cli: Cli, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "turns": [{"speaker": "Ann", "text": "I love it"}], "reference": "Ann loves it"},
        {"id": "b", "turns": [], "reference": "Nothing is said"},
        {"id": "c", "turns": [{"speaker": "Ann", "text": " "}], "reference": "Nothing is said"},
        {"id": "d", "turns": [{"speaker": "Bob", "text": "I hate it " * 60}], "reference": "Bob hates it"},
    ]
    source = tmp_path / "few.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["finetune-summarizer", source, *QUICK, "--sets", "all", "--epochs", 1, "-o", tmp_path / "run"]
    done = cli(*command, "--learning-rate", "5e-5", "--test", source)
    assert done.code == 0, done.err
    told = " ".join(done.err.split())
    assert "a model from scratch learns little at a learning rate of 5e-05: try --learning-rate 5e-4" in told
    assert "skipped because the dialogue or the reference is empty: 2 of 4 references" in told
    assert "filtered and subsampled are identical to full" in told
    assert "full: truncated: 1 dialogue, 0 references (see --source-length" in told
    # What may save hours is said before they are spent.
    assert told.index("identical to full") < told.index("truncated")
    assert "– : not defined, because values are constant or fewer than three dialogues have such words." in told
    source.write_text("".join(json.dumps(row) + "\n" for row in rows[1:3]), encoding="utf-8")
    refused = cli(*command)
    assert refused.code == 2
    assert "every reference or its dialogue is empty, so there is nothing to train on" in " ".join(refused.err.split())


def test_what_was_learnt_is_written_and_mapped(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    done = cli(
        "finetune-summarizer", corpus, *QUICK, "--epochs", 20, "--batch-tokens", 60, "-o", tmp_path / "run", "--json"
    )
    assert done.code == 0, done.err
    assert "no table is written" in done.err
    record = json.loads(done.out)["sets"]["full"]["record"]["epochs"]
    assert record[-1]["loss"] < 0.2 < record[0]["loss"]
    model = f"folder:{tmp_path / 'run' / 'full' / 'checkpoint'}"
    settings = GenerationSettings(beams=1, longest=24, no_repeat=0)
    source = "Ann: The train was terrible\nBob: Tell me more."
    assert generate(load("seq2seq", model, "cpu"), [source], settings) == ["Ann hated the terrible train"]
    page = tmp_path / "attention.html"
    command = ["attention", corpus, "-d", "d1", "-m", model, "-m", model, "--beams", 1, "--device", "cpu", "-o", page]
    shown = cli(*command)
    assert shown.code == 0, shown.err
    assert "attention of layer 1, head 1" in shown.out
    assert page.read_text("utf-8").count("<section") == 2
    numbers = json.loads(cli(*command, "--json").out)
    assert numbers[0]["shares"]["negative"]["words"] == 1
    assert 0 < numbers[0]["shares"]["negative"]["attention_share"] < 1
    assert cli(*command, "--layer", 7).err.strip().endswith("parameter 'layer' must be from 1 to 1; got 7")
    assert "no speaker has the role 'driver'" in cli(*command, "--role", "driver").err
    assert "unknown dialogue 'd9'" in cli("attention", corpus, "-d", "d9", "-m", model, "-o", page).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "scratch:6"], "scratch:ENCODER+DECODER"),
        (["--model", "folder:/nowhere"], "is not here"),
        ([*SMALL, "--sets", "half"], "--sets: unknown set 'half'"),
        ([*SMALL, "--precision", "fp8"], "--precision: unknown precision 'fp8'"),
        ([*SMALL, "--best-by", "luck"], "--best-by: unknown best by 'luck'"),
        ([*SMALL, "--role", "agent"], "no reference summaries of the role 'agent'"),
        ([*SMALL, "--roles", "both"], "--roles: unknown role 'both'; known: mark, turns"),
        ([*SMALL, "--tagger", "nobody"], "unknown tagger 'nobody'"),
    ],
)
def test_bad_input_is_said_in_one_line(cli: Cli, corpus: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    done = cli("finetune-summarizer", corpus, *arguments, "-o", tmp_path / "run")
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_model_of_the_wrong_kind(cli: Cli, corpus: Path, tmp_path: Path, golden_dir: Path) -> None:
    model = f"folder:{golden_dir / 'models' / 'tiny-gpt2'}"
    for command in (["finetune-summarizer", corpus], ["attention", corpus, "-d", "d0"]):
        done = cli(*command, "--model", model, "-o", tmp_path / "out")
        assert done.code == 2
        assert "is not a sequence-to-sequence model" in done.err


def test_a_file_in_the_place_of_the_folder_is_refused(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("years of work")
    done = cli("finetune-summarizer", corpus, *QUICK, "-o", tmp_path / "run")
    assert (done.code, "is a file, not a folder" in done.err) == (2, True)


def test_a_role_and_what_leads_a_dialogue_are_in_the_command_to_use_it(cli: Cli, tmp_path: Path) -> None:
    """A model that was taught with a prefix, for a role, knows no other dialogues: the hint must run as it is."""
    rows = [
        {
            "id": f"d{i}",
            "turns": [
                {"speaker": "Ann", "role": "user", "text": said},
                {"speaker": "Bob", "role": "agent", "text": "Ok."},
            ],
            "summary": text,
            "system": "reference",
            "kind": "reference",
            "summary_role": "user",
        }
        for i, (said, text) in enumerate(TOLD)
    ]
    source = tmp_path / "calls.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    how = ["--role", "user", "--roles", "mark", "--prefix", "sum: "]
    done = cli("finetune-summarizer", source, *QUICK, "--epochs", 1, *how, "-o", tmp_path / "run")
    assert done.code == 0, done.err
    hint = done.err.replace("\n", "").partition("use it: dialgauge ")[2]
    arguments = shlex.split(hint.replace("CORPUS", str(source)).replace("OUTPUT", str(tmp_path / "out.jsonl")))
    assert arguments[3].endswith(',prefix="sum: ",roles=mark,window=64')
    assert arguments[4:6] == ["--role", "user"]
    used = cli(*arguments)
    assert used.code == 0, used.err
    model = f"folder:{tmp_path / 'run' / 'full' / 'checkpoint'}"
    text = load("seq2seq", model, "cpu").tokenizer("sum: [user] Ann: I love this phone\nBob: Ok.")
    assert len(text["input_ids"]) <= 64


def test_models_of_other_shapes_are_told_apart(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    from dialgauge.summarize import ScratchModel, build_scratch

    texts = ["Ann: I love this phone", "Ann loves the phone"]
    models = [
        f"folder:{build_scratch(ScratchModel(1, layers, width=64, vocabulary=300), texts, tmp_path / str(layers))}"
        for layers in (1, 2)
    ]
    command = [
        "attention",
        corpus,
        "-d",
        "d0",
        "--summary",
        "Ann loves it.",
        "--device",
        "cpu",
        "-o",
        tmp_path / "a.html",
    ]
    shown = cli(*command, "-m", models[0], "-m", models[1])
    assert shown.code == 0, shown.err
    rows = " ".join(shown.out.split())
    assert "attention of each model" in rows
    assert "layer 1, head 1" in rows
    assert "layer 2, head 1" in rows
    assert f"attention of '{models[0]}': parameter 'layer' must be from 1 to 1" in cli(
        *command, "-m", models[1], "-m", models[0], "--layer", 2
    ).err.replace("\n", "")


def test_who_stops_a_training_is_told_that_it_goes_on(
    cli: Cli, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dialgauge.summarize import _finetune

    train: Any = vars(_finetune)["train"]

    def stopped(*given: Any, **named: Any) -> Any:
        def stop(what: str, done: int, total: int) -> None:
            if what.startswith("epoch 2"):
                raise KeyboardInterrupt

        return train(*given, **{**named, "progress": stop})

    monkeypatch.setattr(_finetune, "train", stopped)
    command = ["finetune-summarizer", corpus, *QUICK, "--epochs", 3, "-o", tmp_path / "run"]
    done = cli(*command)
    assert done.code == 130
    assert "finished epochs and models are saved in" in done.err
    monkeypatch.undo()
    assert "full: resumed after epoch 1" in cli(*command).err


def test_writing_the_test_split_and_the_table_show_how_far_they_are(corpus: Path, tmp_path: Path) -> None:
    """With beams they take longer than a small training: a bar that stands still looks like a fault."""
    from dialgauge.affect import tagger
    from dialgauge.corpus import read_corpus
    from dialgauge.summarize import FinetuneSettings, SetsSettings, Splits, finetune_sets

    read = read_corpus(corpus)
    seen: list[tuple[str, int, int]] = []
    order: list[str] = []
    finetune_sets(
        Splits(read, read, read),
        "scratch:1+1x64",
        tmp_path,
        FinetuneSettings(epochs=1, device="cpu", generation=GenerationSettings(beams=1, longest=4)),
        SetsSettings(writing=GenerationSettings(beams=1, longest=4), bertscore=None, vocabulary=330),
        tagger=tagger("vader"),
        chosen=lambda sets: order.extend(sets) if not seen else order.append("late"),
        progress=lambda *told: seen.append(told),
    )
    assert order == ["full"]
    assert ("full: dev: writing", 4, 4) in seen
    assert ("full: test: writing", 4, 4) in seen
    assert any(what.startswith("full: test: writing (") and "texts at work" in what for what, _, _ in seen)
