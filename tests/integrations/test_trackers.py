"""A run in MLflow: a real one, on a store of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from dialgauge import run_study
from dialgauge.errors import UnknownNameError
from dialgauge.integrations import log_run

STUDY = """
[study]
name = "tracked"
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "rouge-l:stem=yes", "chrf@source"]
[correlation]
resamples = 20
[verdict]
null_runs = 0
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tracked")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    run_study(folder / "study.toml", output=folder / "run")
    return folder / "run"


def test_a_run_is_logged_to_mlflow(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mlflow: Any = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'store.db'}")
    with mlflow.start_run() as active:
        means = log_run(run)
    stored = mlflow.get_run(active.info.run_id)
    assert len(stored.data.metrics) == len(means) > 3
    assert stored.data.tags["dialgauge.study"] == "tracked"
    names = json.loads(stored.data.tags["dialgauge.names"])
    for spelled, value in stored.data.metrics.items():
        assert value == means[names.get(spelled, spelled)]
    assert any(name.endswith("/chrf@source") for name in names.values())
    held = {item.path for item in mlflow.artifacts.list_artifacts(run_id=active.info.run_id)}
    assert {"report.html", "manifest.json", "correlations.json"} <= held


def test_an_unknown_tracker_is_named(run: Path) -> None:
    with pytest.raises(UnknownNameError, match="mlflow"):
        log_run(run, "mlfow")
