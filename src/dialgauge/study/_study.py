"""``Study``: a study file made to run, and what a run leaves behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.engine import memory_errors
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.files import FULL_DISK, claimed_folder, free_space
from dialgauge.metaeval import Verdicts
from dialgauge.metrics import Scores
from dialgauge.progress import Progress, with_bar
from dialgauge.study._file import line_of, read_study_file
from dialgauge.study._finished import FinishedRun
from dialgauge.study._pipeline import run_stages
from dialgauge.study._stage import WrongKeyError
from dialgauge.study._study_file import StudyFile
from dialgauge.study._verdicts import verdicts_of


@dataclass(frozen=True, slots=True)
class Study:
    """A checked study file, the folder that its paths are relative to, and the file itself where it has been read."""

    settings: StudyFile
    folder: Path
    file: Path | None = None

    @classmethod
    def load(cls, path: Path | str) -> "Study":
        """Read a study file; errors name the line."""
        path = Path(path)
        return cls(read_study_file(path), path.resolve().parent, path)

    @property
    def output(self) -> Path:
        """Where results go: ``output`` of the study file, else ``runs/NAME`` beside it."""
        return self.folder / (self.settings.study.output or f"runs/{self.settings.study.name}")


@dataclass(frozen=True, slots=True)
class StudyRun:
    """What a run left behind. ``stages`` says of each stage whether it was done or found unchanged.

    ``notes`` is what the reader of the corpus had to assume, ``problems`` every row that it had to leave out, as the
    report lists them, and ``left_out`` counts those by reason.
    """

    folder: Path
    stages: Mapping[str, str]
    seconds: Mapping[str, float]
    notes: Sequence[str] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    problems: Sequence[str] = ()

    def _repr_html_(self) -> str:
        from dialgauge.report import answer_table
        from dialgauge.tables import listing

        answer = answer_table(found)._repr_html_() if (found := self.verdicts) else ""
        rows = [(name, did, f"{self.seconds.get(name, 0):.1f}") for name, did in self.stages.items()]
        notes = [f"Run in {self.folder}; the report is {self.report}."]
        stages = listing("Run", ["stage", "state", "seconds"], rows, numeric=["seconds"], notes=notes)
        return answer + stages._repr_html_()

    @property
    def report(self) -> Path:
        """The page for people."""
        return self.folder / "report.html"

    @property
    def corpus(self) -> Corpus:
        """The corpus as the study saw it."""
        return read_corpus(self.folder / "corpus")

    @property
    def scores(self) -> Scores:
        """The metric scores."""
        return Scores.load(self.folder / "scores.parquet")

    @property
    def correlations(self) -> pl.DataFrame | None:
        """Metrics × dimensions at each level, or None where there are no ratings to correlate with."""
        if "correlations" not in self.stages:
            return None
        return pl.read_parquet(self.folder / "correlations.parquet")

    @property
    def verdicts(self) -> Verdicts | None:
        """Which metrics can be trusted for which dimension, or None where there are no ratings to tell."""
        return verdicts_of(FinishedRun.open(self.folder)) if "verdict" in self.stages else None


@with_bar
def run_study(
    study: Study | Path | str, *, output: Path | str | None = None, progress: Progress | None = None
) -> StudyRun:
    """Run a study: read the corpus, score it, correlate with the ratings, write tables, manifest and report.

    Stages whose inputs, settings and code are unchanged are skipped; an interrupted run resumes after its last finished
    stage. The tables and the report depend on nothing but the study, so they are the same bytes each time; times and
    machine stand in ``manifest.json`` alone.
    """
    study = study if isinstance(study, Study) else Study.load(study)
    folder = Path(output) if output else study.output
    try:
        with claimed_folder(folder), memory_errors():
            ledger = run_stages(study.settings, study.folder, folder, progress)
    except OSError as error:
        if error.errno not in FULL_DISK:
            raise
        raise DialgaugeError(
            f"{error.filename or folder}: {error.strerror} ({free_space(folder)}, more is needed). Free some space, or "
            "name another folder with --output; finished stages are kept: the same command resumes after them"
        ) from error
    except WrongKeyError as error:
        if study.file is None:
            raise
        raise InputError(f"{study.file}:{line_of(study.file, error.key)}: {error}") from error
    seconds = {stage: ledger.entries[stage]["seconds"] for stage in ledger.done}
    reading = {fact: ledger.entries["corpus"][fact] for fact in ("notes", "left_out", "problems")}
    return StudyRun(folder, ledger.done, seconds, **reading)
