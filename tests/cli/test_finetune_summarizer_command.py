"""``dialgauge finetune-summarizer`` and ``dialgauge attention`` as a person or a machine meets them."""

import json
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


def test_three_sets_from_one_command_for_people_and_machines(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    command = ["finetune-summarizer", corpus, *QUICK, "--sets", "all", "--epochs", 2, "--test", corpus, "-o", tmp_path]
    done = cli(*command)
    assert done.code == 0, done.err
    assert "no --dev and no split dev: the last of 2 epochs is kept" in done.err
    for words in ("full", "filtered", "subsampled", "75.0%", "PSentScore_N", "BERTScore"):
        assert words in done.out
    assert "BERTScore is left out" in done.err
    assert "test: 4 of 4 dialogues are trained on, too" in done.err
    assert f"full=seq2seq:model=folder:{tmp_path / 'full' / 'checkpoint'}" in done.err.replace("\n", "")
    assert "every pair has an affective word" not in done.err
    assert [path.name for path in (tmp_path / "full").iterdir() if path.name.startswith(".")] == []
    assert max(map(len, done.out.splitlines())) <= 100
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
    assert "left out, as the dialogue or the reference is empty: 2 of 4 references" in told
    assert "filtered and subsampled hold all pairs, as full does" in told
    assert "full: longer than what is read, cut at the end: 1 dialogue" in told
    assert "– : not defined, as nothing varies or fewer than three dialogues have such words." in told
    source.write_text("".join(json.dumps(row) + "\n" for row in rows[1:3]), encoding="utf-8")
    refused = cli(*command)
    assert refused.code == 2
    assert "every reference or its dialogue is empty: nothing to learn" in " ".join(refused.err.split())


def test_what_was_learnt_is_written_and_mapped(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    done = cli(
        "finetune-summarizer", corpus, *QUICK, "--epochs", 20, "--batch-tokens", 60, "-o", tmp_path / "run", "--json"
    )
    assert done.code == 0, done.err
    assert "there will be no table" in done.err
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
    assert "unknown dialogue 'd9'" in cli("attention", corpus, "-d", "d9", "-m", model, "-o", page).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "scratch:6"], "scratch:ENCODER+DECODER"),
        (["--model", "folder:/nowhere"], "is not here"),
        ([*SMALL, "--sets", "half"], "unknown training set 'half'"),
        ([*SMALL, "--precision", "fp8"], "'precision' must be 'fp32' or 'bf16'"),
        ([*SMALL, "--best-by", "luck"], "'best_by' must be"),
        ([*SMALL, "--role", "agent"], "no reference summary of the role 'agent'"),
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
