"""``Study``: a study file made to run. It ties the rooms together and computes nothing itself."""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge import __version__
from dialgauge.corpus import Corpus, embedded_corpus, read_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.files import atomic_path, write_text
from dialgauge.metaeval import correlate, human_ceiling
from dialgauge.metrics import Scores, kernel_name, score
from dialgauge.ratings import aggregate, majority_noise_removal, validate
from dialgauge.report import ReportData, render_report
from dialgauge.study._file import StudyFile, read_study_file
from dialgauge.study._stages import Ledger, file_digest

EMBEDDED = "embedded"
_RESAMPLED = {"inputs": "dialogues", "systems": "systems", "both": "dialogues and systems"}
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


def run_study(
    study: Study | Path | str, *, output: Path | str | None = None, progress: Progress | None = None
) -> StudyRun:
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
            outputs = ["correlations.parquet", "ratings.parquet", "ceiling.parquet"]
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

    def _make_correlations(self) -> dict[str, Any]:
        corpus, scores, wanted = self._load_corpus(), self._load_scores(), self.settings.ratings
        # Off-scale values go first: a 0 that nobody meant must not win a majority.
        checked = validate(corpus.ratings, on_invalid=wanted.on_invalid)
        ratings, removed = checked.ratings, 0
        if wanted.clean == "majority-noise-removal":
            cleaned = majority_noise_removal(ratings)
            ratings, removed = cleaned.ratings, cleaned.removed.height
        options: dict[str, Any] = {"dimensions": wanted.dimensions, "on_invalid": wanted.on_invalid}
        aggregated = aggregate(ratings, wanted.aggregate, **options)
        shared: dict[str, Any] = self.settings.correlation.model_dump() | {
            "seed": self.settings.study.seed,
            "references": corpus.references["system"].unique().to_list(),
            "with_references": self.settings.metrics.include_references,
        }
        found = correlate(
            scores.frame,
            aggregated.wide(),
            directions=scores.directions,
            oriented=True,
            progress=self.progress,
            **shared,
        )
        ceiling = human_ceiling(ratings, **options, **shared)
        self._write("ratings.parquet", aggregated.wide())
        self._write("ceiling.parquet", ceiling.frame)
        self._write("correlations.parquet", found.frame)
        return {
            "pairing": str(found.pairing),
            "ratings_removed_as_noise": removed,
            "ratings_off_their_scale": checked.invalid.height,
        }

    def _make_report(self) -> None:
        self.progress("writing the report", 0, 1)
        settings = self.settings
        rated = "correlations" in self.ledger.done
        data = ReportData(
            title=settings.report.title or f"Study {settings.study.name}",
            corpus=self._load_corpus(),
            scores=self._load_scores(),
            correlations=self._read("correlations.parquet") if rated else None,
            ceiling=self._read("ceiling.parquet") if rated else None,
            ratings=self._read("ratings.parquet") if rated else None,
            problems=self.ledger.entries["corpus"]["problems"],
            settings=_shown_settings(settings, rated),
        )
        write_text(self.folder / "report.html", render_report(data))

    def _write(self, name: str, frame: pl.DataFrame) -> None:
        with atomic_path(self.folder / name) as temporary:
            frame.write_parquet(temporary)

    def _read(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.folder / name)

    def _load_corpus(self) -> Corpus:
        if self._corpus is None:
            self._corpus = read_corpus(self.folder / "corpus")
        return self._corpus

    def _load_scores(self) -> Scores:
        if self._scores is None:
            self._scores = Scores.load(self.folder / "scores.parquet")
        return self._scores


def _shown_settings(settings: StudyFile, rated: bool) -> dict[str, object]:
    """The settings that a reader needs to judge the numbers."""
    shown: dict[str, object] = {
        "study": settings.study.name,
        "seed": settings.study.seed,
        "corpus": settings.corpus.source,
        "references scored like systems": "yes" if settings.metrics.include_references else "no",
    }
    if rated:
        ratings, correlation = settings.ratings, settings.correlation
        shown |= {
            "ratings of a summary": f"{ratings.aggregate}; cleaning: {ratings.clean}; off scale: {ratings.on_invalid}",
            "interval": f"{correlation.confidence:.0%}, bootstrap over {_RESAMPLED[correlation.resample]}, "
            f"{correlation.resamples} resamples",
        }
    return shown


def _head(study: Study) -> dict[str, Any]:
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
