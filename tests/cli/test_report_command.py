"""``dialgauge report``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.study import run_study

STUDY = """\
[study]
name = "small"
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "rouge-2"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "study.toml"
    path.write_text(STUDY)
    return run_study(path).folder


def test_the_same_page_again(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    outcome = cli("report", folder, "-o", tmp_path / "page.html", "--json")
    assert outcome.code == 0
    page = (tmp_path / "page.html").read_bytes()
    assert json.loads(outcome.out) == {"report": str(tmp_path / "page.html"), "bytes": len(page)}
    assert page == (folder / "report.html").read_bytes()
    assert "report: " in cli("report", folder).out


def test_times_need_a_file_of_their_own(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    before = (folder / "report.html").read_bytes()
    refused = cli("report", folder, "--with-times")
    assert refused.code == 2
    assert "--with-times needs --output" in refused.err
    assert cli("report", folder, "--with-times", "-o", tmp_path / "page.html").code == 0
    assert "per 1,000 summaries" in (tmp_path / "page.html").read_text("utf-8")
    assert (folder / "report.html").read_bytes() == before


def test_no_run(cli: Callable[..., Any], tmp_path: Path) -> None:
    refused = cli("report", tmp_path)
    assert refused.code == 2
    assert "not a dialgauge run folder" in refused.err
