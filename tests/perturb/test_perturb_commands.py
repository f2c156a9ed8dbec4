"""The commands ``dialgauge perturbations`` and ``dialgauge perturb``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import read_corpus
from dialgauge.errors import UnknownNameError
from dialgauge.perturb import all_perturbations

runner = CliRunner()


def test_all_are_listed_with_effect_and_text() -> None:
    done = runner.invoke(app, ["perturbations"], env={"COLUMNS": "160"})
    assert done.exit_code == 0
    for name in all_perturbations():
        assert name in done.output
    assert "→ The agent does not refund the order." in done.output


def test_the_list_as_json() -> None:
    done = runner.invoke(app, ["perturbations", "--json"])
    listed = {entry["name"]: entry for entry in json.loads(done.output)["perturbations"]}
    assert set(listed) == set(all_perturbations())
    assert listed["jumble"]["options"]["scope"]["choices"] == ["text", "sentence"]
    assert listed["add_negation"]["effects"] == {"consistency": "degrades", "relevance": "preserves"}


def test_the_baseline_family_comes_first_whatever_was_imported_before() -> None:
    code = (
        "import json, sys, dialgauge.perturb as room\n"
        "light = 'dialgauge.models' not in sys.modules\n"
        "room.LlmGenerator\n"
        "import dialgauge.perturb._domain_category\n"
        "print(json.dumps([light, [(e.name, e.family) for e in room.all_perturbations().values()]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    light, listed = json.loads(done.stdout)
    assert light, "the models room is only for those who ask a model"
    families = [family for _, family in listed]
    assert families == sorted(families)
    assert [name for name, _ in listed] == list(all_perturbations())


def test_one_is_shown_in_full() -> None:
    done = runner.invoke(app, ["perturbations", "jumble"])
    assert "scope" in done.output
    assert "degrades consistency" in done.output
    with pytest.raises(UnknownNameError, match="did you mean 'jumble'"):
        runner.invoke(app, ["perturbations", "jumbel"], catch_exceptions=False)


def test_of_many_readings_the_last_ones_are_shown() -> None:
    (entry,) = (one for one in all_perturbations().values() if one.name == "drop_phrases")
    last = {one.label: one for one in entry.measured}
    done = runner.invoke(app, ["perturbations", "drop_phrases"], env={"COLUMNS": "1000"})
    assert all(one.line() in done.output for one in last.values())
    assert done.output.count("as claimed") == len(last)
    assert f"and {len(entry.measured) - len(last)} earlier readings" in done.output
    asked = json.loads(runner.invoke(app, ["perturbations", "drop_phrases", "--json"]).output)
    assert asked["measured"] == [one.line() for one in entry.measured]


def test_a_corpus_is_perturbed_and_written(tmp_path: Path) -> None:
    target = tmp_path / "perturbed"
    options = ["-p", "typos", "-p", "sentence_reorder", "-n", "2", "--seed", "4", "-o", str(target)]
    done = runner.invoke(app, ["perturb", "embedded", *options, "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    written = read_corpus(target)
    assert told["variants"] == written.summaries.filter(written.summaries["variant"] != "original").height
    assert set(written.summaries["variant"]) == {
        "original",
        "typos",
        "typos#2",
        "sentence_reorder",
        "sentence_reorder#2",
    }
    by_name = {row["perturbation"]: row for row in told["perturbations"]}
    assert by_name["typos"]["share"] == 1.0
    assert by_name["sentence_reorder"]["declined"] == sum(
        row["count"] for row in told["declined"] if row["perturbation"] == "sentence_reorder"
    )


def test_people_are_told_what_was_declined_and_why(tmp_path: Path) -> None:
    done = runner.invoke(app, ["perturb", "embedded", "-p", "sentence_reorder", "-o", str(tmp_path / "out.jsonl")])
    assert done.exit_code == 0, done.output
    assert "fewer than two sentences" in done.output
    assert (tmp_path / "out.jsonl").is_file()
