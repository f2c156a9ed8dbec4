"""A finished run, read from its folder; files changed since the run are rejected."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError
from dialgauge.files import check_folder
from dialgauge.metrics import Scores
from dialgauge.study._digest import file_digest

MANIFEST = "manifest.json"
#: A Polars panic, caused by damaged files, is not an Exception in Python.
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The folder of a run and its manifest. Files are checked against the digests in the manifest."""

    folder: Path
    manifest: Mapping[str, Any]

    @classmethod
    def open(cls, folder: Path | str) -> "FinishedRun":
        """Open a folder; raises an error if it is not a run with scores."""
        folder = Path(folder)
        path = folder / MANIFEST
        check_folder(folder, "; create a run folder with 'dialgauge run'")
        if not path.is_file():
            raise InputError(
                f"{folder}: not a dialgauge run folder ({MANIFEST} is missing); create one with 'dialgauge run'"
            )
        try:
            manifest = json.loads(path.read_text("utf-8"))
            outputs = [entry["outputs"] for entry in manifest["stages"].values()]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: damaged, or not a manifest of dialgauge: {error!r}") from error
        if not all(isinstance(one, dict) for one in outputs):
            raise InputError(f"{path}: damaged: a stage does not list its outputs")
        if "scores" not in manifest["stages"]:
            raise InputError(f"{folder}: the run stopped before scoring; resume it with 'dialgauge run'")
        return cls(folder, manifest)

    @property
    def name(self) -> str:
        """The name of the study."""
        return str(self.manifest.get("study", self.folder.name))

    @property
    def version(self) -> str:
        """The version of dialgauge that made it."""
        return str(self.manifest.get("versions", {}).get("dialgauge", "unknown"))

    def stage(self, name: str) -> Mapping[str, Any]:
        """What the manifest says of a stage; empty where it did not run."""
        found: Mapping[str, Any] = self.manifest["stages"].get(name, {})
        return found

    def setting(self, stage: str, table: str, key: str) -> Any:
        """A setting of a stage; None where the stage did not run or did not have it."""
        found = self.stage(stage).get("settings", {}).get(table, {})
        return found.get(key) if isinstance(found, Mapping) else None

    @property
    def corpus(self) -> Corpus:
        """The corpus as the study saw it."""
        path = self._path("corpus")
        if path is None:
            raise InputError(f"{self.folder}: the run has no corpus")
        return read_corpus(path)

    @property
    def scores(self) -> Scores:
        """The metric scores."""
        path = self._path("scores.parquet")
        if path is None:
            raise InputError(f"{self.folder}: the run has no scores")
        return Scores.load(path)

    def table(self, name: str) -> pl.DataFrame | None:
        """A table of results, such as ``correlations``; None where the study did not ask for it."""
        path = self._path(f"{name}.parquet")
        if path is None:
            return None
        try:
            return pl.read_parquet(path)
        except _UNREADABLE as error:
            raise InputError(f"{path}: cannot be read as a table: {error}") from error

    def needed_table(self, name: str, needs: str) -> pl.DataFrame:
        """A table of results; an error says what the study file or the corpus ``needs`` to have for it."""
        found = self.table(name)
        if found is None:
            raise InputError(f"{self.folder}: the run has no {name}.parquet; it needs {needs}")
        return found

    def document(self, name: str) -> Any:
        """What a JSON file of the run says; None where the study did not ask for it."""
        text = self.text(name)
        return None if text is None else json.loads(text)

    def text(self, name: str) -> str | None:
        """The text of a file of the run; None where the study did not ask for it."""
        path = self._path(name)
        return None if path is None else path.read_text("utf-8")

    def _path(self, output: str) -> Path | None:
        noted = [entry["outputs"][output] for entry in self.manifest["stages"].values() if output in entry["outputs"]]
        if not noted:
            return None
        path = self.folder / output
        if not path.exists():
            raise InputError(f"{path}: missing, although the run wrote it; recreate it with 'dialgauge run'")
        if file_digest(path) != noted[-1]:
            raise InputError(f"{path}: changed since the run wrote it; recreate it with 'dialgauge run'")
        return path
