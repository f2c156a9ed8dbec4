"""``Study``: a study file made to run. It ties the rooms together and computes nothing itself."""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge import __version__
from dialgauge.corpus import Corpus, embedded_corpus, read_corpus, write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import atomic_path, write_text
from dialgauge.metaeval import correlate
from dialgauge.metrics import Scores, kernel_name, score
from dialgauge.ratings import aggregate, clean_ratings, validate_ratings
from dialgauge.report import render_report
from dialgauge.study._file import StudyFile, read_study_file
from dialgauge.study._stages import Ledger, file_digest

EMBEDDED = "embedded"
#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Study:
    """A checked study file and the folder that its paths are relative to."""

    settings: StudyFile
    folder: Path

    @classmethod
    def load(cls, path: Path | str) -> "Study":
        """Read a study file; errors name the line."""
        path = Path(path)
        return cls(read_study_file(path), path.resolve().parent)

    @property
    def output(self) -> Path:
        """Where results go: ``output`` of the study file, else ``runs/NAME`` beside it."""
        return self.folder / (self.settings.study.output or f"runs/{self.settings.study.name}")


@dataclass(frozen=True, slots=True)
class StudyRun:
    """What a run left behind. ``stages`` says of each stage whether it was done or found unchanged."""

    folder: Path
    stages: Mapping[str, str]
    seconds: Mapping[str, float]

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
        path = self.folder / "correlations.parquet"
        return pl.read_parquet(path) if path.exists() else None


def run_study(study: Study | Path | str, *, output: Path | str | None = None, progress: Progress | None = None) -> StudyRun:
    """Run a study: read the corpus, score it, correlate with the ratings, write tables, manifest and report.

    Stages whose inputs, settings and code are unchanged are skipped; a run that died goes on after its last finished
    stage. The tables and the report depend on nothing but the study, so they are the same bytes each time; times and
    machine stand in ``manifest.json`` alone.
    """
    study = study if isinstance(study, Study) else Study.load(study)
    run = _Run(study, Path(output) if output else study.output, progress or _silent)
    return run.execute()


class _Run:
    def __init__(self, study: Study, folder: Path, progress: Progress) -> None:
        self.study, self.folder, self.progress = study, folder, progress
        self.settings = study.settings
        self.ledger = Ledger.open(folder, _head(study))
        self._corpus: Corpus | None = None
        self._scores: Scores | None = None

    def execute(self) -> StudyRun:
        settings, ledger = self.settings, self.ledger
        corpus_settings = settings.corpus.model_dump() | {"content": self._source_digest()}
        ledger.run("corpus", corpus_settings, [], ["corpus"], self._make_corpus)
        ledger.run("scores", settings.metrics.model_dump(), ["corpus"], ["scores.parquet"], self._make_scores)
        report_inputs = ["corpus", "scores"]
        if not self._load_corpus().ratings.is_empty():
            analysis = {
                "seed": settings.study.seed,
                "ratings": settings.ratings.model_dump(),
                "correlation": settings.correlation.model_dump(),
            }
            outputs = ["correlations.parquet", "ratings.parquet"]
            ledger.run("correlations", analysis, ["corpus", "scores"], outputs, self._make_correlations)
            report_inputs.append("correlations")
        report_settings = settings.report.model_dump() | {"study": settings.study.name, "seed": settings.study.seed}
        ledger.run("report", report_settings, report_inputs, ["report.html"], self._make_report)
        return StudyRun(self.folder, ledger.done, {name: ledger.entries[name]["seconds"] for name in ledger.done})

    def _source_digest(self) -> str:
        source = self.settings.corpus.source
        if source == EMBEDDED:
            return __version__
        path = self.study.folder / source
        if not path.exists():
            raise InputError(f"corpus.source: {path} does not exist (paths are relative to the study file)")
        return file_digest(path)

    def _make_corpus(self) -> dict[str, Any]:
        self.progress("reading the corpus", 0, 1)
        wanted = self.settings.corpus
        if wanted.source == EMBEDDED:
            corpus = embedded_corpus()
        else:
            path = self.study.folder / wanted.source
            corpus = read_corpus(path, format=wanted.format, mapping=wanted.map or None, strict=wanted.strict)
        if corpus.summaries.is_empty():
            raise InputError(f"corpus.source: {wanted.source} holds no summary")
        write_corpus(corpus, self.folder / "corpus")
        self._corpus = replace(corpus, problems=())
        return {"problems": [str(problem) for problem in corpus.problems]}

    def _make_scores(self) -> dict[str, Any]:
        wanted = self.settings.metrics
        scores = score(
            self._load_corpus(), wanted.use, include_references=wanted.include_references, progress=self.progress
        )
        self._scores = scores
        scores.save(self.folder / "scores.parquet", with_seconds=False)
        return {"signatures": dict(scores.signatures), "seconds_per_metric": dict(scores.seconds)}

    def _make_correlations(self) -> None:
        raise NotImplementedError

    def _make_report(self) -> None:
        raise NotImplementedError

    def _load_corpus(self) -> Corpus:
        if self._corpus is None:
            self._corpus = read_corpus(self.folder / "corpus")
        return self._corpus

    def _load_scores(self) -> Scores:
        if self._scores is None:
            self._scores = Scores.load(self.folder / "scores.parquet")
        return self._scores


def _head(study: Study) -> dict[str, Any]:
    from importlib.metadata import version

    return {
        "study": study.settings.study.name,
        "seed": study.settings.study.seed,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"dialgauge": __version__, "python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "polars", "scipy", "rapidfuzz")},
        "kernels": kernel_name(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _silent(what: str, done: int, total: int) -> None:
    pass
