"""What ``dialgauge score`` says of metrics that cannot run, and of summaries without a value: every reason once."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dialgauge.cli._not_scored import print_failures, report_skipped
from dialgauge.errors import MissingExtraError
from dialgauge.metrics import Job, Values, register
from dialgauge.metrics._registry import METRICS

Cli = Callable[..., Any]


def missing_model(name: str) -> str:
    """A reason of the length that the messages about missing models have."""
    return f"model '{name}' is not here: looked in {'/folder' * 12}; get it with 'dialgauge models get {name}', or …"


def test_metrics_with_the_same_reason_share_an_entry(capsys: pytest.CaptureFixture[str]) -> None:
    report_skipped(
        {
            "a": "metric 'a' has no default model: name one",
            "m-1": missing_model("org/m"),
            "b": "metric 'b' has no default model: name one",
            "m-2": missing_model("org/m"),
            "n": missing_model("org/n"),
            "judge": "metric 'judge': no endpoint",
        }
    )
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "skipped: 6 metrics that cannot run here",
        "  a, b",
        "      the metric has no default model: name one",
        "  m-1, m-2",
        "      model 'org/m' is not here",
        "  n",
        "      model 'org/n' is not here",
        "  judge",
        "      no endpoint",
        "get a model with 'dialgauge models get NAME', or use a folder: METRIC:model=folder:/path",
        "--json shows the full reasons",
    ]


def test_the_way_to_an_extra_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    report_skipped({"x": str(MissingExtraError("metric 'x'", "models"))})
    assert capsys.readouterr().err.splitlines() == [
        "skipped: 1 metric that cannot run here",
        "  x",
        "      the metric needs the extra 'models': pip install 'dialgauge[models]', or '.[models]' in a clone",
    ]


def test_nothing_is_said_where_nothing_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    report_skipped({})
    print_failures([])
    assert capsys.readouterr() == ("", "")


def test_summaries_without_a_value_are_grouped_by_reason_and_count(capsys: pytest.CaptureFixture[str]) -> None:
    print_failures([("x", "empty", 2), ("y", "empty", 2), ("z", "empty", 1), ("x", "too long", 2)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == ["not", "scored"]
    assert lines[3:] == [["2", "empty", "x,", "y"], ["1", "empty", "z"], ["2", "too", "long", "x"]]


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Two summaries, one of them of a dialogue without a reference."""
    rows = [
        {
            "dialogue_id": "1",
            "dialogue": "A: hi\nB: hey",
            "reference": "A greets B.",
            "system": "s",
            "summary": "Hi.",
        },
        {"dialogue_id": "2", "dialogue": "A: hi\nB: hey", "system": "s", "summary": "Hello."},
    ]
    file = tmp_path / "few.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_score_says_it_once_and_json_has_it_all(cli: Cli, few: Path) -> None:
    metrics = ("-m", "bartscore", "-m", "rouge-1", "-m", "rouge-2")
    shown = cli("score", few, *metrics)
    assert shown.code == 0
    assert shown.err.count("model 'facebook/bart-large-cnn' is not here") == 1
    assert "bartscore" not in shown.out
    assert "the dialogue has no reference" in " ".join(shown.out.split())
    assert "rouge-1, rouge-2" in shown.out
    document = json.loads(cli("score", few, *metrics, "--json").out)
    reasons = {entry["metric"]: entry["reason"] for entry in document["failures"]}
    assert reasons["bartscore-hyp"].startswith("model 'facebook/bart-large-cnn' is not here")
    assert sorted(name for name in reasons if "bartscore" in name) == [
        "bartscore-hyp",
        "bartscore-hyp-ref",
        "bartscore-ref-hyp",
        "bartscore-src-hyp",
    ]


def test_a_text_that_was_cut_is_said_and_counted(cli: Cli, tmp_path: Path, golden_dir: Path) -> None:
    rows = [
        {"dialogue_id": "d", "system": system, "summary": text, "reference": "Ann calls Bob."}
        for system, text in (("short", "Ann calls."), ("long", "Ann calls Bob again. " * 100))
    ]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)))
    asked = [str(corpus)]
    for name in ("bertscore-p", "bertscore-r"):
        asked += ["-m", f"{name}:model=folder:{golden_dir / 'models' / 'tiny-bert'}"]
    shown = cli("score", *asked, "--no-cache")
    assert "scored with a note" in shown.out
    found = json.loads(cli("score", *asked, "--no-cache", "--json").out)["score_notes"]
    assert {(entry["note"], entry["count"]) for entry in found} == {
        ("the summary was truncated to its first 64 tokens", 1)
    }
    assert len(found) == 2


def test_a_metric_that_always_raises_is_named_with_status_1_and_all_else_is_done(
    cli: Cli, few: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS.all()))

    def broken(job: Job, parameters: object) -> Values:
        raise KeyError("never")

    register(replace(METRICS.all()["length"], name="broken", compute=broken))
    shown = cli("score", few, "-m", "broken", "-m", "length", "-m", "rouge-1", "-o", few.with_suffix(".csv"))
    assert shown.code == 1
    assert "broken failed on every summary: the metric raised KeyError: 'never'" in shown.err
    assert "failed on every summary" not in shown.err.replace("broken failed", "")
    assert few.with_suffix(".csv").read_text().count("\n") == 3
    assert cli("score", few, "-m", "length").code == 0
