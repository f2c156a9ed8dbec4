"""Wrong command lines and study files: one line that says what is wrong and what to do, and the right exit code."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import embedded_corpus
from dialgauge.metrics import score

#: What is typed, and a part of the message that tells what would be right. {scores} is a file of scores.
COMMANDS = {
    "scores embedded": "Did you mean 'score'",
    "score": "'dialgauge score -h' shows what it takes",
    "score embedded": "-m rouge",
    "score nowhere.csv -m rouge-1": "nowhere.csv: no such file",
    "score embedded -m rogue-1": "did you mean 'rouge-1'",
    "score embedded -m rouge-1:stem=maybe": "'no' or 'yes'",
    "score embedded -m rouge-1:stems=yes": "did you mean 'stem'?",
    "score embedded -m rouge-1@summary": "'reference' or 'source'",
    "score embedded -m rouge-1 --fail-under system=0.8": "known: rouge-1",
    "score embedded -m rouge-1 --fail-under rouge-1=high": "METRIC=NUMBER",
    "score embedded -m rouge-1 -o nowhere/at/all/x.parquet": "the folder",
    "score embedded -m rouge-1 -o out.docx": ".parquet",
    "score embedded -m rouge-1 --workers 0": "1 or more",
    "score embedded -m rouge-1 --workers many": "--workers",
    "score embedded -m rouge-1 --no-such-option": "no such option",
    "score dataset:nothing -m rouge-1": "known: csds",
    "score two.csv -m rouge-1 --map text=summary": "dimension:NAME",
    "correlate embedded": "missing argument",
    "correlate embedded nowhere.parquet": "no such file",
    "correlate embedded {scores} --level everything": "summary",
    "correlate embedded {scores} --coefficient person": "did you mean 'pearson'",
    "correlate embedded {scores} -d fluent": "fluency",
    "correlate embedded {scores} --confidence 95": "between 0 and 1",
    "correlate embedded {scores} --resamples -5": "--resamples",
    "correlate embedded {scores} -m chrf": "chrf",
    "agreement embedded --measure alpha": "krippendorff-alpha",
    "agreement embedded --clean --measure fleiss-kappa": "--clean needs a value",
    "agreement embedded --order tiem": "--order: unknown order 'tiem'; did you mean 'time'",
    "agreement two.csv": "--ratings FILE",
    "perturb embedded": "--perturbation",
    "perturb embedded -p speeker_switch -o x": "did you mean 'speaker_switch'?",
    "robustness embedded -m rouge-1 -p nothing": "dialgauge perturbations",
    "verdict nowhere": "dialgauge run",
    "verdict .": "manifest.json",
    "report nowhere": "dialgauge run",
    "run nowhere.toml": "dialgauge init nowhere.toml",
    "run two.csv": "not valid TOML",
    "compare-runs a b": "dialgauge run",
    "table . --kind nothing": "known:",
    "train embedded {scores} --learner rige --target fluency": "did you mean 'ridge'",
    "train embedded {scores} --split sytems --target fluency": "did you mean 'systems'",
    "inspect nowhere": "no such file",
    "convert two.csv out.xyz": "give one of",
    "bench nothing": "known:",
    "paper dialsumeval": "did you mean 're-dialsummeval'?",
    "explore nowhere": "dialgauge run",
    "explore nowhere --port 70000": "--port must be between 0 and 65535; got 70000",
    "annotate nowhere.toml --port -1": "--port must be between 0 and 65535; got -1",
    "check nowhere.txt --summary hello": "no such file",
    "models gett": "Did you mean 'get'?",
}
#: What a study file ends with (the last of these lines is at fault), and what the message names.
STUDIES = {
    "[metrics\n": "TOML",
    "[metrics]\nuse = ['rogue-1']\n": "did you mean 'rouge-1'",
    "[metrics]\nuse = []\n": "at least one",
    "[metrics]\nuse = ['rouge-1:stem=maybe']\n": "'no' or 'yes'",
    "[corelation]\n": "did you mean 'correlation'",
    "[correlation]\nresamples = 'many'\n": "resamples",
    "[correlation]\nconfidence = 95\n": "confidence",
    "[correlation]\nlevels = ['sumary']\n": "'summary'",
    "[ratings]\naggregate = 'avrage'\n": "mean",
    "[ratings]\ndimensions = ['fluent']\n": "fluency",
    "[perturbations]\nuse = ['typo']\n": "typos",
    "[learn]\ntargets = ['fluent']\n": "fluency",
    "[learn]\ntargets = ['fluency']\nlearner = 'rige'\n": "ridge",
}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    score(embedded_corpus(), ["rouge-1"]).save(path)
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text(
        "dialogue_id,dialogue,system,summary,reference\n"
        'd1,"Ann: hi\nBen: hello",s1,They greet.,They greet each other.\n'
    )
    return tmp_path


def check_refused(done: Any, hint: str) -> None:
    lines = done.err.strip().splitlines()
    assert done.code == 2, done
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert hint in lines[0]
    assert done.out == ""


@pytest.mark.parametrize("typed", COMMANDS)
def test_a_wrong_command_line(typed: str, place: Path, scores: Path, cli: Callable[..., Any]) -> None:
    before = sorted(place.iterdir())
    check_refused(cli(*shlex.split(typed.format(scores=scores))), COMMANDS[typed])
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize("text", STUDIES)
def test_a_wrong_study_file(text: str, place: Path, cli: Callable[..., Any]) -> None:
    before = "[study]\nname = 's'\n[corpus]\nsource = 'embedded'\n"
    before += "" if text.startswith("[metrics") else "[metrics]\nuse = ['rouge-1']\n"
    (place / "study.toml").write_text(before + text)
    done = cli("run", "study.toml")
    check_refused(done, STUDIES[text])
    assert f"study.toml:{(before + text).count(chr(10))}" in done.err


def test_a_source_that_is_missing_is_named_with_its_line(place: Path, cli: Callable[..., Any]) -> None:
    (place / "study.toml").write_text(
        "[study]\nname = 's'\n[corpus]\nsource = 'nowhere.csv'\n[metrics]\nuse = ['ter']\n"
    )
    done = cli("run", "study.toml")
    check_refused(done, "nowhere.csv")
    assert "study.toml:4" in done.err
