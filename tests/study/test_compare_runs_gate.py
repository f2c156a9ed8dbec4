"""Conditions on two runs, and what CI servers are told: the gate of a release."""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import DialgaugeError, InputError, UnknownNameError
from dialgauge.study import (
    RunComparison,
    check_conditions,
    compare_runs,
    comparison_json,
    comparison_markdown,
    github_annotations,
    junit_xml,
    parse_condition,
)

Runs = Callable[[str], Path]


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("consistency drops", True),
        ("consistency worsens", True),
        ("consistency changes", True),
        ("consistency rises", False),
        ("consistency improves", False),
        ("consistency drops by 0.1", True),
        ("consistency drops by 0.9", False),
        ("consistency drops by 0.9 for careful", True),
        ("consistency drops for any system", True),
        ("consistency drops for glib", False),
        ("consistency drops significantly for careful", True),
        ("fluency changes at all", False),
        ("dimension consistency drops", True),
        ("metric rouge-1 drops", True),
        ("rouge-1 drops by 0.01", True),
        ("ter drops", False),
        ("ter rises at all", True),
        ("ter worsens at all", True),
        ("ter improves at all", False),
        ("length drops", True),
        ("corpus-bleu drops at all", True),
        ("corpus-bleu rises at all for careful", False),
        ("any metric drops", True),
        ("any metric improves", False),
        ("any metric rises at all", False),
        ("any dimension drops", True),
        ("any dimension drops for terse", False),
        ("anything changes at all", True),
        ("anything   improves  at  all", False),
        ("summaries missing", False),
        ("summaries are missing", False),
    ],
)
def test_conditions(compared: RunComparison, condition: str, met: bool) -> None:
    [checked] = check_conditions(compared, [condition])
    assert checked.met is met
    assert bool(checked.sentences) is met


def test_any_metric_speaks_of_quality(compared: RunComparison) -> None:
    """TER rises where summaries get worse: under one verb for all metrics that is a drop."""
    [checked] = check_conditions(compared, ["any metric drops at all"])
    assert {row["name"] for row in checked.findings} == {"rouge-1", "ter", "corpus-bleu"}
    [changed] = check_conditions(compared, ["any metric changes at all"])
    assert {row["name"] for row in changed.findings} == {"rouge-1", "ter", "corpus-bleu", "length"}


def test_only_what_is_asked_is_corrected_for(compared: RunComparison) -> None:
    row = compared.together.filter(name="consistency").row(0, named=True)
    [alone] = check_conditions(compared, ["consistency drops"])
    assert alone.findings[0]["p_corrected"] == row["p_value"] < row["p_corrected"]
    with_others = check_conditions(compared, ["consistency drops", "any metric drops", "consistency changes"])
    assert with_others[0].findings[0]["p_corrected"] == pytest.approx(3 * row["p_value"])


def test_missing_dialogues_meet_their_condition(runs: Runs) -> None:
    [checked] = check_conditions(compare_runs(runs("old"), runs("few"), resamples=50), ["summaries missing"])
    assert checked.met
    assert checked.sentences[0].startswith("9 dialogues are not in the second run: ")


@pytest.mark.parametrize(
    ("condition", "error", "says"),
    [
        ("", InputError, "has none of the verbs"),
        ("consistency", InputError, "has none of the verbs"),
        ("drops", InputError, "has none of the verbs"),
        ("consistency drop", InputError, "unknown verb 'drop'; did you mean 'drops'"),
        ("consistency worsen by 2", InputError, "did you mean 'worsens'"),
        ("consistency drops by", InputError, "after 'drops' is not valid"),
        ("consistency drops by much", InputError, "a number above 0; got 'much'"),
        ("consistency drops by -1", InputError, "a number above 0"),
        ("consistency drops by nan", InputError, "a number above 0"),
        ("consistency drops by inf", InputError, "a number above 0"),
        ("consistency drops a bit", InputError, "after 'drops' is not valid"),
        ("consitency drops", UnknownNameError, "did you mean 'consistency'"),
        ("metric consistency drops", UnknownNameError, "metric or dimension"),
        ("rouge-1 drops for carefull", UnknownNameError, "did you mean 'careful'"),
        ("length worsens", InputError, "has no direction"),
        ("corpus-bleu drops", InputError, "nothing can be tested; write 'corpus-bleu drops at all'"),
    ],
)
def test_refusals(compared: RunComparison, condition: str, error: type[DialgaugeError], says: str) -> None:
    with pytest.raises(error, match=says):
        check_conditions(compared, [condition])


def test_what_one_run_lacks_cannot_pass(runs: Runs, compared: RunComparison) -> None:
    lacking = replace(
        compared,
        overlap=replace(
            compared.overlap,
            metrics=["ter", "length"],
            only_first={**compared.overlap.only_first, "metrics": ["rouge-1"]},
        ),
    )
    with pytest.raises(InputError, match=r"rouge-1 is in .*old only"):
        check_conditions(lacking, ["rouge-1 drops"])


def test_a_metric_and_a_dimension_of_one_name(compared: RunComparison) -> None:
    twice = replace(compared, overlap=replace(compared.overlap, dimensions=[*compared.overlap.dimensions, "rouge-1"]))
    with pytest.raises(InputError, match="write 'metric rouge-1' or 'dimension rouge-1'"):
        check_conditions(twice, ["rouge-1 drops"])


def test_a_gate_that_can_never_close_is_refused(runs: Runs, compared: RunComparison) -> None:
    few = compare_runs(runs("old"), runs("few"), resamples=50)
    with pytest.raises(InputError, match="can never be met: 3 dialogues"):
        check_conditions(few, ["consistency drops"])
    assert check_conditions(few, ["consistency drops at all"])[0].met


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = parse_condition(text)
    except InputError:
        return
    assert read.text == " ".join(text.split())
    assert read.name


def test_junit_is_one_case_per_condition_and_measure(compared: RunComparison) -> None:
    checked = check_conditions(compared, ["consistency drops", "fluency drops", "any metric worsens"])
    root = ElementTree.fromstring(junit_xml(compared, checked))
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == ["conditions", "metrics", "dimensions"]
    names = [[case.get("name") for case in suite.findall("testcase")] for suite in root]
    assert names[0] == ["consistency drops", "fluency drops", "any metric worsens"]
    assert names[1] == ["rouge-1", "ter", "length", "corpus-bleu"]
    assert names[2] == ["coherence", "consistency", "fluency", "relevance"]
    for suite in (root, *root):
        assert int(suite.get("tests", "")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures", "")) == len(list(suite.iter("failure")))
    failed = {case.get("name") for case in root.iter("testcase") if case.find("failure") is not None}
    assert {"consistency drops", "any metric worsens", "consistency", "rouge-1"} <= failed
    assert not {"fluency drops", "fluency", "length"} & failed


def test_hostile_names_stay_text(compared: RunComparison) -> None:
    name = 'a|b<img src=x>&"]]>\x01 ::error::100%,\n_*'
    renamed = compared.changes.with_columns(pl.col("name").replace("rouge-1", name))
    hostile = replace(
        compared, changes=renamed, overlap=replace(compared.overlap, metrics=[name, "ter", "length"]), notes=(name,)
    )
    checked = check_conditions(hostile, ["any metric drops"])
    root = ElementTree.fromstring(junit_xml(hostile, checked))
    assert name.replace("\x01", "\ufffd") in {case.get("name") for case in root.iter("testcase")}
    page = comparison_markdown(hostile, checked)
    assert "<img" not in page
    rows = [line for line in page.splitlines() if line.startswith("|") and "img" in line]
    assert rows
    assert all(len(re.findall(r"(?<!\\)\|", row)) in (4, 7, 8) for row in rows)
    lines = github_annotations(hostile, checked)
    assert all(re.fullmatch(r"::(error|warning|notice) title=[^:,\n]+::[^\n\r]*", line) for line in lines)
    assert any("100%25" in line and "%0A" in line for line in lines)


def test_annotations_name_what_is_asked_and_warn_of_the_rest(compared: RunComparison) -> None:
    lines = github_annotations(compared, check_conditions(compared, ["consistency drops"]))
    assert lines[0].startswith("::error title=consistency drops::consistency (all systems): ")
    assert any(line.startswith("::warning title=rouge-1 is worse::") for line in lines)
    assert not any("warning" in line and "consistency" in line for line in lines)


def test_json_is_plain_data(compared: RunComparison) -> None:
    checked = check_conditions(compared, ["consistency drops", "summaries missing"])
    data = json.loads(json.dumps(comparison_json(compared, checked), allow_nan=False))
    assert [one["met"] for one in data["conditions"]] == [True, False]
    assert data["runs"]["first"]["study"] == "old"
    assert len(data["changes"]) == compared.changes.height


def test_exit_status_and_files(cli: Callable[..., Any], runs: Runs, tmp_path: Path) -> None:
    both = (runs("old"), runs("new"), "--resamples", 4096)
    passed = cli("compare-runs", *both, "--fail-if", "fluency drops")
    assert (passed.code, "does not hold" in passed.out) == (0, True)
    files = ("--junit", tmp_path / "gate.xml", "--markdown", tmp_path / "gate.md")
    failed = cli("compare-runs", *both, "--fail-if", "consistency drops", "--github", *files)
    assert failed.code == 1
    assert "HOLDS" in failed.out
    assert "\n::error title=consistency drops::" in failed.out
    assert max(map(len, (line for line in failed.out.splitlines() if not line.startswith("::")))) <= 100
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "2"
    assert "| consistency drops | met |" in (tmp_path / "gate.md").read_text("utf-8")
    wrong = cli("compare-runs", *both, "--fail-if", "consitency drops")
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean 'consistency'" in wrong.err


def test_json_of_the_command(cli: Callable[..., Any], runs: Runs) -> None:
    found = cli("compare-runs", runs("old"), runs("new"), "--resamples", 50, "--json")
    assert json.loads(found.out)["settings"]["resamples"] == 50
    assert cli("compare-runs", runs("old"), runs("new"), "--json", "--github").code == 2


@pytest.mark.parametrize(
    ("option", "says"), [("careful", "NEW=OLD"), ("=x", "NEW=OLD"), ("x=careful", "unknown system or metric")]
)
def test_bad_maps(cli: Callable[..., Any], runs: Runs, option: str, says: str) -> None:
    found = cli("compare-runs", runs("old"), runs("new"), "--map", option)
    assert found.code == 2
    assert says in found.err


@pytest.mark.parametrize("recipe", ["github", "gitlab"])
def test_the_recipe_of_the_docs_fails_a_pull_request(
    recipe: str, runs: Runs, cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yaml = pytest.importorskip("yaml")
    path = Path(__file__).parents[2] / "docs" / "recipes" / f"{recipe}.yml"
    [job] = (found := yaml.safe_load(path.read_text("utf-8"))).get("jobs", found).values()
    scripts = [step.get("run", "") for step in job["steps"]] if recipe == "github" else job["script"]
    lines = [line.strip() for script in scripts for line in script.splitlines()]
    assert "dialgauge run study.toml -o run" in lines
    [gate] = [line for line in lines if line.startswith("dialgauge compare-runs ")]
    monkeypatch.chdir(tmp_path)
    for second, status in (("new", 1), ("old", 0)):
        places = {"baseline": runs("old"), "baseline/run": runs("old"), "run": runs(second)}
        done = cli(*(places.get(word, word) for word in shlex.split(gate)[1:]))
        assert done.code == status, done.err
        assert "rouge-1" in Path("gate.md").read_text("utf-8")
        assert (ElementTree.parse("gate.xml").getroot().get("failures") != "0") == bool(status)
