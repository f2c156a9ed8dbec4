"""A finished run in an experiment tracker: parameters, means per system, tables, and the report as an artifact."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import polars as pl

from dialgauge.errors import MissingExtraError, UnknownNameError
from dialgauge.study import FinishedRun

Tracker = Literal["mlflow", "wandb"]
#: Tables of a run that are logged whole, where the run has them.
TABLES = ("correlations", "robustness", "agreement", "verdict")
ARTIFACTS = ("report.html", "manifest.json", "verdict.json")
#: MLflow takes no other characters in names. The true names are in the tag ``dialgauge.names``.
_SPELLED = {"@": ".at.", "+": "p", "=": "-", ",": "."}
_REFUSED = re.compile(r"[^\w\-./: ]")


class _Sink(Protocol):
    """What a tracker takes."""

    def parameters(self, values: Mapping[str, str]) -> None: ...
    def means(self, values: Mapping[str, float]) -> None: ...
    def table(self, name: str, frame: pl.DataFrame) -> None: ...
    def artifact(self, path: Path) -> None: ...


def log_run(run: FinishedRun | Path | str, tracker: Tracker = "mlflow") -> dict[str, float]:
    """Log a finished run to the active run of a tracker, and return what was logged as metrics.

    Logged are the study's name, version and signatures of the metrics (parameters), the mean of each metric for each
    system as ``SYSTEM/METRIC`` (values that are missing are not logged), the tables of results, the report and the
    manifest. Start the tracker's run first: ``with mlflow.start_run(): log_run("runs/demo")``.
    """
    if tracker not in get_args(Tracker):
        raise UnknownNameError("tracker", tracker, get_args(Tracker))
    opened = run if isinstance(run, FinishedRun) else FinishedRun.open(run)
    sink = _SINKS[tracker]()
    scores = opened.scores
    sink.parameters(
        {
            "dialgauge.study": opened.name,
            "dialgauge.version": opened.version,
            "dialgauge.signatures": json.dumps(dict(scores.signatures), ensure_ascii=False),
        }
    )
    means = dict(_means(scores.means(), scores.metrics))
    sink.means(means)
    for name in TABLES:
        if (table := opened.table(name)) is not None:
            sink.table(name, table)
    for name in ARTIFACTS:
        if (path := opened.folder / name).is_file():
            sink.artifact(path)
    return means


def _means(frame: pl.DataFrame, metrics: list[str]) -> Iterator[tuple[str, float]]:
    for row in frame.iter_rows(named=True):
        place = "/".join(part for part in (row["system"], _unusual(row)) if part)
        for metric in metrics:
            if row.get(metric) is not None:
                yield f"{place}/{metric}", float(row[metric])


def _unusual(row: Mapping[str, Any]) -> str:
    """Variant and role, where they are not the usual ones."""
    return "/".join(
        str(row[name]) for name, usual in (("variant", "original"), ("role", "overall")) if row[name] != usual
    )


def _spelled(name: str) -> str:
    for character, spelling in _SPELLED.items():
        name = name.replace(character, spelling)
    return _REFUSED.sub("_", name)


class _Mlflow:
    def __init__(self) -> None:
        try:
            import mlflow
        except ModuleNotFoundError as error:
            raise MissingExtraError("logging to MLflow", "mlflow") from error
        self._mlflow = mlflow

    def parameters(self, values: Mapping[str, str]) -> None:
        self._mlflow.set_tags(dict(values))

    def means(self, values: Mapping[str, float]) -> None:
        self._mlflow.log_metrics({_spelled(name): value for name, value in values.items()})
        spelled = {_spelled(name): name for name in values if _spelled(name) != name}
        self._mlflow.set_tag("dialgauge.names", json.dumps(spelled, ensure_ascii=False))

    def table(self, name: str, frame: pl.DataFrame) -> None:
        self._mlflow.log_text(frame.write_json(), f"{name}.json")

    def artifact(self, path: Path) -> None:
        self._mlflow.log_artifact(str(path))


class _Wandb:
    def __init__(self) -> None:
        try:
            import wandb
        except ModuleNotFoundError as error:
            raise MissingExtraError("logging to Weights & Biases", "wandb") from error
        self._wandb = wandb

    def parameters(self, values: Mapping[str, str]) -> None:
        self._wandb.config.update(dict(values))

    def means(self, values: Mapping[str, float]) -> None:
        self._wandb.log(dict(values))

    def table(self, name: str, frame: pl.DataFrame) -> None:
        cells = [
            [value if isinstance(value, str | int | float | None) else str(value) for value in row]
            for row in frame.iter_rows()
        ]
        self._wandb.log({name: self._wandb.Table(columns=frame.columns, data=cells)})

    def artifact(self, path: Path) -> None:
        self._wandb.save(str(path), base_path=str(path.parent), policy="now")


_SINKS: Mapping[Tracker, Callable[[], _Sink]] = {"mlflow": _Mlflow, "wandb": _Wandb}
