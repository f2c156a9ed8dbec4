"""The commands as a person or a machine meets them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.metrics import Scores

Cli = Callable[..., Any]


def test_version_names_the_kernels(cli: Cli) -> None:
    outcome = cli("--version")
    assert outcome.code == 0
    assert "kernels: c" in outcome.out or "kernels: python" in outcome.out


@pytest.mark.parametrize("command", ["score", "metrics", "run", "init", "inspect", "convert", "datasets", "bench"])
def test_help_teaches(cli: Cli, command: str) -> None:
    outcome = cli(command, "--help")
    assert outcome.code == 0
    assert "Usage: dialgauge " + command in outcome.out
    assert "--json" in outcome.out or command in ("datasets", "bench")


def test_no_arguments_shows_help(cli: Cli) -> None:
    assert "score" in cli().out


def test_languages_table_and_json(cli: Cli) -> None:
    assert "French" in cli("languages").out
    listed = {one["code"]: one for one in json.loads(cli("languages", "--json").out)["languages"]}
    assert listed["en"] == {
        "code": "en",
        "title": "English",
        "stems": True,
        "stop_words": 153,
        "spaced": True,
        "signature": "en",
    }
    assert not listed["zh"]["spaced"]


def test_metrics_table_and_json(cli: Cli) -> None:
    assert "rouge-l" in cli("metrics").out
    listed = json.loads(cli("metrics", "--json").out)["metrics"]
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["ter"]["direction"] == "lower"
    assert by_name["rouge-1"]["citation"]
    assert json.loads(cli("metrics", "rouge-1", "--json").out)["parameters"]["stem"]["default"] == "no"
    assert "stem" in cli("metrics", "rouge-1").out


def test_families_are_listed_and_specifications_shown(cli: Cli) -> None:
    family = json.loads(cli("metrics", "rouge", "--json").out)["metrics"]
    assert len(family) > 10
    assert {entry["family"] for entry in family} == {"rouge"}
    assert "18 metrics" in cli("metrics", "rouge").out
    assert json.loads(cli("metrics", "rouge-l@source:stem=yes", "--json").out)["name"] == "rouge-l"
    assert len(json.loads(cli("perturbations", "domain", "--json").out)["perturbations"]) == 9
    assert "domain: 9 perturbations" in cli("perturbations", "domain").out
    assert json.loads(cli("perturbations", "typos_2", "--json").out)["name"] == "typos"
    assert cli("perturbations", "typos_9").code == 2


def test_score_writes_and_prints(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("score", "embedded", "-m", "rouge-1", "-m", "length", "-o", tmp_path / "s.parquet")
    assert outcome.code == 0
    assert "careful" in outcome.out
    assert Scores.load(tmp_path / "s.parquet").metrics == ["rouge-1", "length"]
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_score_json_is_all_there_is_on_stdout(cli: Cli) -> None:
    document = json.loads(cli("score", "embedded", "-m", "rouge-1", "-m", "corpus-bleu", "--json").out)
    assert document["signatures"]["rouge-1"].startswith("rouge-1|")
    assert {"system", "rouge-1", "corpus-bleu"} <= document["systems"][0].keys()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "embedded", "-m", "rogue-1"), "unknown metric 'rogue-1'; did you mean 'rouge-1'"),
        (("score", "embedded", "-m", "rouge-1:stem=maybe"), "parameter 'stem' must be 'no' or 'yes'; got 'maybe'"),
        (("score", "embedded", "-m", "ter@dialogue"), "parameter 'target' must be"),
        (("score", "nowhere.jsonl", "-m", "rouge-1"), "nowhere.jsonl"),
        (("score", "embedded", "-m", "rouge-1", "-o", "s.pickle"), "ending in .parquet, .csv, .jsonl"),
        (("score", "embedded", "-m", "rouge-1", "--map", "summary=x"), "a mapping of columns are only for files"),
        (("score", "calls.csv", "-m", "rouge-1", "--map", "summary"), "write USE=COLUMN"),
        (("run", "nowhere.toml"), "dialgauge init"),
        (("metrics", "blue-4"), "did you mean 'bleu-4'"),
    ],
)
def test_bad_input_is_one_clear_message(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    outcome = cli(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert message in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err


def test_missing_references_name_the_way_out(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("dialogue_id,system,summary,dialogue\n1,x,They met.,A: hi B: hi\n")
    outcome = cli("score", tmp_path / "c.csv", "-m", "rouge-1")
    assert outcome.code == 2
    assert "rouge-1@source" in " ".join(outcome.err.split())


def test_init_then_run(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("init", "mine.toml").code == 0
    assert "exists" in cli("init", "mine.toml").err
    text = Path("mine.toml").read_text().replace("# resamples = 1000", "resamples = 20")
    Path("mine.toml").write_text(text)
    outcome = cli("run", "mine.toml", "--json")
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    assert document["stages"]["report"] == "done"
    assert Path(document["report"]).is_file()
    again = [line.split() for line in cli("run", "mine.toml").out.splitlines() if "unchanged" in line]
    assert again == [[stage, "unchanged", "–"] for stage in document["stages"]]  # no seconds of another run


def test_init_shows_names_as_they_are(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("init", "[dim]/study.toml").out == "wrote [dim]/study.toml; next: dialgauge run [dim]/study.toml\n"


def test_reader_that_goes_away_is_no_error() -> None:
    """``dialgauge metrics | head -1`` must not end in a traceback."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from dialgauge.cli import main; main()", "metrics"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.wait()


def test_import_is_light() -> None:
    """Heavy packages load on first use, not on import."""
    code = (
        "import sys, dialgauge; "
        "print([m for m in ('polars', 'numpy', 'scipy', 'pydantic', 'rich', 'typer', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
