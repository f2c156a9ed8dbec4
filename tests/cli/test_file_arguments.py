"""A file that is not there, a folder in its place, an empty file, a binary one: said in one line, exit code 2."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.cli._output import note

Cli = Callable[..., Any]

#: Commands with the file or folder that they read, and what stands before its name in errors.
FILES = [
    ("run {}.toml", ""),
    ("annotate {}.toml", ""),
    ("inspect {}.csv", ""),
    ("convert {}.jsonl out.jsonl", ""),
    ("convert embedded out.jsonl --ratings {}.csv", "--ratings "),
    ("score {}.jsonl -m rouge-l", ""),
    ("score {}.parquet -m rouge-l --stream -o parts", ""),
    ("agreement {}.jsonl", ""),
    ("correlate embedded {}.csv", "SCORES "),
    ("correlate embedded {}.parquet", "SCORES "),
    ("correlate embedded {}.jsonl", "SCORES "),
    ("robustness embedded {}.csv", "SCORES "),
    ("train embedded {}.csv --target coherence", "SCORES "),
    ("compare {0}.csv {0}.csv", ""),
    ("datasheet embedded --answers {}.toml", "--answers "),
    ("affect score {}.jsonl", ""),
    ("affect tag hello -t lexicon:{}.txt", "lexicon "),
]
FOLDERS = [
    ("report {}", ""),
    ("explore {} --no-open", ""),
    ("table {}", ""),
    ("compare-runs {0} {0}", ""),
    ("paper re-dialsummeval --data {}", "study data "),
    ("datasets get dialsummeval --from {}", ""),
    ("models get glove-50d --again --from {}", ""),
    ("models convert {}", ""),
    ("affect get opinion-lexicon --from {}", ""),
    ("affect evaluate vader --sst3 {}", "--sst3 "),
    ("affect train --data {} -o taggers", "--data "),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with an empty file, a binary one and a folder for each ending."""
    monkeypatch.chdir(tmp_path)
    for ending in ("toml", "csv", "jsonl", "parquet", "txt"):
        Path(f"empty.{ending}").touch()
        Path(f"binary.{ending}").write_bytes(bytes(range(256)) * 8)
        Path(f"folder.{ending}").mkdir()
    Path("file").touch()


def refused(cli: Cli, command: str, name: str) -> str:
    """The message of a command that leaves with 2."""
    outcome = cli(*command.format(name).split())
    assert outcome.code == 2, outcome
    assert "Traceback" not in outcome.err
    *_, message = outcome.err.partition("error: ")
    return str(message)


@pytest.mark.parametrize(("command", "before"), FILES)
def test_a_file_that_is_not_there(cli: Cli, command: str, before: str) -> None:
    message = refused(cli, command, "missing")
    assert message.startswith(f"{before}missing.")
    assert "no such file" in message


@pytest.mark.parametrize(("command", "before"), FILES)
def test_a_folder_in_its_place(cli: Cli, command: str, before: str) -> None:
    message = refused(cli, command, "folder")
    assert message.startswith(f"{before}folder.")
    assert "folder, not a file" in message or "this folder is not a corpus" in message or "no Parquet file" in message


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (command, name)
        for command, _ in FILES
        for name in ("empty", "binary")
        if (command.split()[0], name) != ("datasheet", "empty")  # no answers are answers
    ],
)
def test_a_file_with_nothing_in_it_or_no_text(cli: Cli, command: str, name: str) -> None:
    message = refused(cli, command, name)
    assert f"{name}." in message.partition("\n")[0]
    assert not set(message) & set(map(chr, (*range(9), *range(11, 32))))


@pytest.mark.parametrize(("command", "before"), FOLDERS)
def test_a_folder_that_is_not_there(cli: Cli, command: str, before: str) -> None:
    assert refused(cli, command, "missing").startswith(f"{before}missing: no such folder")


@pytest.mark.parametrize(("command", "before"), FOLDERS)
def test_a_file_in_place_of_a_folder(cli: Cli, command: str, before: str) -> None:
    message = refused(cli, command, "file")
    assert message.startswith(f"{before}file: ")
    assert "not a folder" in message


def test_a_file_of_claims_is_named_with_its_option(cli: Cli) -> None:
    for name, values in (("one.csv", "12"), ("two.csv", "21")):
        rows = "".join(f"{system},coherence,{value}\n" for system, value in zip("ab", values, strict=True))
        Path(name).write_text(f"system,dimension,value\n{rows}")
    said = {
        "missing.toml": "no such file",
        "folder.toml": "is a folder, not a file",
        "binary.toml": "not UTF-8 text (byte 129)",
        "empty.toml": "no [[claims]]",
    }
    for file, reason in said.items():
        message = refused(cli, "compare one.csv two.csv --claims {}", file)
        assert message.startswith(f"--claims {file}: {reason}")


#: Commands that leave a folder of results, and would work for long before they write it.
RESULTS = [
    "run study.toml -o file",
    "robustness embedded -m rouge-1 -p typos_1 -o file",
    "train embedded scores.parquet --target coherence -o file",
    "train-tables embedded --priors -o file",
    "finetune-metric embedded -o file",
    "train-checker embedded -o file",
    "affect train --data folder.txt -o file",
    "datasets get samsum --to file",
]


@pytest.mark.parametrize("command", RESULTS)
def test_a_file_where_results_should_go_is_refused_before_the_work(cli: Cli, command: str) -> None:
    option = command.split()[-2].replace("-o", "--output", 1) if " -o " in command else "--to"
    assert refused(cli, command, "") == f"{option} file: is a file, not a folder\n"


@pytest.mark.parametrize("command", ["convert missing.jsonl {}", "perturb missing.jsonl -p typos_1 -o {}"])
def test_a_corpus_that_could_not_be_written_is_refused_before_the_work(cli: Cli, command: str) -> None:
    Path("ours").mkdir()
    Path("ours/notes.md").touch()
    assert "it will not be overwritten" in refused(cli, command, "ours")
    assert "name a file to write" in refused(cli, command, "folder.csv")
    assert "can only be read" in refused(cli, command, "new.txt")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--export ratings.csv", "--export ratings.csv: corpus writes a folder of files; give a name without .csv"),
        (
            "--export ratings.csv --format csv",
            "--export ratings.csv: csv writes a folder of files; give a name without .csv",
        ),
        ("--export file --format jsonl", "--export file: is a file, not a folder"),
        ("--export folder.txt --format xlsx", "--export folder.txt: is a folder; name a file to write"),
        ("--database mysql://here/ratings --links", "--database mysql://here/ratings: expected postgresql://…"),
        ("--database sqlite:///a.db --links", "--database sqlite:///a.db: expected postgresql://…"),
    ],
)
def test_ratings_go_where_they_are_meant_to(cli: Cli, options: str, said: str) -> None:
    Path("study.toml").write_text(
        '[study]\nname = "s"\n[corpus]\nsource = "embedded"\n[metrics]\nuse = ["rouge-1"]\n'
        '[annotate]\nprotocol = "dialsummeval"\nannotators = ["ada"]\n'
    )
    before = {path for path in Path().rglob("*") if path.is_file()}
    assert refused(cli, f"annotate study.toml {options}", "").startswith(said)
    assert {path for path in Path().rglob("*") if path.is_file()} == before, "no project is made, and none unblinded"


def test_what_is_no_file_says_how_to_look_at_it(cli: Cli) -> None:
    assert "dialgauge convert embedded FOLDER" in refused(cli, "inspect {}", "embedded")
    assert "dialgauge convert dataset:samsum FOLDER" in refused(cli, "inspect {}", "dataset:samsum")
    assert "is 'embedded'" in refused(cli, "agreement {}", "embeded")
    Path("embedded").write_text("id,system,summary\n1,a,b\n")
    assert cli("inspect", "embedded", "--format", "csv").code == 0


def test_control_characters_of_a_file_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    note("a\x1b[31mb\x00c\x9bd")
    assert capsys.readouterr().err == "a\\x1b[31mb\\x00c\\x9bd\n"


def test_nor_do_they_in_tables(cli: Cli) -> None:
    Path("c.csv").write_text("id,system,summ\x1b[2Jary,[bold]\n1,a,\x1b[31mred\x07,x\n")
    shown = cli("inspect", "c.csv").out
    assert "summ\\x1b[2Jary" in shown
    assert "\\x1b[31mred\\x07" in shown
    assert "[bold]" in shown
    assert not set(shown) & set("\x1b\x07")
    Path("d.csv").write_text("id,system,summary,dialogue\n1,a,good\x1b[2J,A: good\x1b[31m\n1,a,bad,\n", newline="")
    Path("e.csv").write_text("id,system,summary,dialogue\n1,a,good\x1b[2J,A: good\x1b[31m\n", newline="")
    for command in ("affect tag great\x1b[2J", "affect examples e.csv", "convert d.csv out.jsonl --allow-left-out all"):
        outcome = cli(*command.split())
        assert outcome.code == 0, outcome.err
        assert "\x1b" not in outcome.out + outcome.err
