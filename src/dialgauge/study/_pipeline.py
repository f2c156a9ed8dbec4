"""The stages of a study, one method each. They call the rooms and write what those give; they compute nothing."""

import json
import platform
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dialgauge import __version__
from dialgauge.corpus import count_by_reason, source_folder, write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.files import write_text
from dialgauge.metaeval import correlate, human_ceiling, leaders
from dialgauge.metrics import kernel_name, parse_requests
from dialgauge.progress import Progress
from dialgauge.ratings import aggregate, agreement, check_ratings, drift
from dialgauge.report import render_report
from dialgauge.study._affect import AffectStage
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._learn import LearnStage
from dialgauge.study._relations import RelationStage
from dialgauge.study._report import report_data
from dialgauge.study._reproduction import ReproductionStage
from dialgauge.study._scoring import score_as_asked
from dialgauge.study._sections import StudyFile
from dialgauge.study._shown import shown_settings, versions
from dialgauge.study._sifted_ratings import sift
from dialgauge.study._stages import Ledger, file_digest
from dialgauge.study._summarize import SummarizeStage
from dialgauge.study._variants import VariantStages


class Pipeline:
    """One run of a study into one folder. ``home`` is where the paths of the study file start."""

    def __init__(self, settings: StudyFile, home: Path, folder: Path, progress: Progress | None) -> None:
        self.settings = settings
        self.ledger = Ledger.open(folder, _head(settings))
        self.context = Context(settings, home.absolute(), folder, self.ledger, progress or _silent)

    def run(self) -> Ledger:
        """Run every stage that is not done yet; gives the ledger, which says what was done."""
        settings, stage, context = self.settings, self.ledger.run, self.context
        corpus = settings.corpus.model_dump() | {"content": self._source_digest()}
        summaries = SummarizeStage(context, settings.summarize, corpus) if settings.summarize else None
        shown = summaries.run() if summaries else []
        stage("corpus", corpus, list(shown), ["corpus"], lambda: self._make_corpus(summaries))
        self._check_dimensions()
        # The comparison comes before the long work: it needs no score.
        compared = ReproductionStage(context, settings.reproduction).run() if settings.reproduction else []
        # Signatures hold the fingerprints of models: scores of other weights under the same name are other scores.
        signatures = [context.metrics.text(request.signature) for request in parse_requests(context.metrics.full)]
        scored = settings.metrics.model_dump() | {
            "signatures": signatures,
            "time_limit": settings.engine.time_limit,  # where it is done changes nothing; when it is given up does
        }
        stage("scores", scored, ["corpus"], ["scores.parquet"], self._make_scores)
        shown += ["corpus", "scores"]
        if not context.corpus.ratings.is_empty():
            rated = {"seed": settings.study.seed, "ratings": settings.ratings.model_dump()}
            outputs = ["agreement.parquet", "drift.parquet", "findings.json"]
            stage("agreement", rated, ["corpus"], outputs, self._make_agreement)
            rated |= {"correlation": settings.correlation.model_dump()}
            outputs = ["correlations.parquet", "leaders.parquet", "ratings.parquet", "ceiling.parquet"]
            stage("correlations", rated, ["corpus", "scores"], outputs, self._make_correlations)
            shown += ["agreement", "correlations", *RelationStage(context).run()]
            if settings.learn:
                shown += LearnStage(context, settings.learn).run()
        if settings.perturbations.use:
            shown += VariantStages(context).run()
        if settings.affect:
            shown += AffectStage(context, settings.affect).run()
        shown += compared
        # What the manifest keeps of this is all that 'dialgauge report' needs to make the page again.
        page = {
            "title": settings.report.title or f"Study {settings.study.name}",
            "settings": shown_settings(settings, "correlations" in shown),
            "stages": shown,
            "versions": self.ledger.head["versions"],
        }
        stage("report", page, shown, ["report.html"], lambda: self._make_report(page))
        return self.ledger

    def _source_digest(self) -> str:
        source = self.settings.corpus.source
        folder = source_folder(source, self.context.home)
        if folder is None:  # the embedded corpus is part of the code, which is in every fingerprint
            return __version__
        if not folder.exists():
            raise InputError(f"corpus.source: {folder} does not exist (paths are relative to the study file)")
        return file_digest(folder)

    def _make_corpus(self, summaries: SummarizeStage | None) -> dict[str, Any]:
        corpus = self.context.source
        if summaries:
            corpus = summaries.complete(corpus)
        if corpus.summaries.is_empty():
            raise InputError(
                f"corpus.source: {self.settings.corpus.source} holds no summary"
                + (", and none could be written" if summaries else "; a table [summarize] has systems write some")
            )
        write_corpus(corpus, self.context.folder / "corpus")
        self.context.corpus = replace(corpus, problems=())
        return {
            "notes": list(corpus.notes),
            "left_out": count_by_reason(corpus.problems),
            "problems": [str(replace(problem, file=self._as_named(problem.file))) for problem in corpus.problems],
        }

    def _as_named(self, file: str) -> str:
        """A file of the source as the study file names it: the folder it lies in is nobody's business."""
        source = self.settings.corpus.source
        folder = source_folder(source, self.context.home)
        below = folder is not None and file.startswith(str(folder))
        return source + file.removeprefix(str(folder)) if below else file

    def _check_dimensions(self) -> None:
        """Before the long work: a dimension that nobody rated is a mistake in the study file."""
        known = self.context.corpus.dimensions
        learned = self.settings.learn.targets if self.settings.learn else ()
        for key, names in (("ratings.dimensions", self.settings.ratings.dimensions), ("learn.targets", learned)):
            for name in names or ():
                if name not in known:
                    raise UnknownNameError(f"dimension in {key}", name, known)

    def _make_scores(self) -> dict[str, Any]:
        context, with_references = self.context, self.settings.metrics.include_references
        scores = context.scores = score_as_asked(context, context.corpus, include_references=with_references)
        scores.save(context.folder / "scores.parquet", with_seconds=False)
        return {"signatures": dict(scores.signatures), "seconds_per_metric": dict(scores.seconds)}

    def _make_agreement(self) -> None:
        self.context.progress("agreement of the annotators", 0, 1)
        corpus, wanted = self.context.corpus, self.settings.ratings
        options: dict[str, Any] = {"dimensions": wanted.dimensions, "on_invalid": wanted.on_invalid}
        agreed = agreement(corpus.ratings, ["krippendorff-alpha"], seed=self.settings.study.seed, **options)
        self.context.write("agreement.parquet", agreed.frame)
        self.context.write("drift.parquet", drift(corpus.ratings, **options).trends)
        findings = [asdict(finding) for finding in check_ratings(corpus)]
        write_text(self.context.folder / "findings.json", json.dumps(findings, indent=2, ensure_ascii=False) + "\n")

    def _make_correlations(self) -> dict[str, Any]:
        corpus, scores, wanted = self.context.corpus, self.context.scores, self.settings.ratings
        sifted = sift(corpus.ratings, wanted.on_invalid, wanted.clean)
        options: dict[str, Any] = {"dimensions": wanted.dimensions, "on_invalid": wanted.on_invalid}
        aggregated = aggregate(sifted.counted, wanted.aggregate, **options)
        shared: dict[str, Any] = self.settings.correlation.model_dump() | {
            "seed": self.settings.study.seed,
            "references": corpus.references["system"].unique().to_list(),
            "with_references": self.settings.metrics.include_references,
        }
        found = correlate(
            scores.frame,
            aggregated.wide(),
            systems=None if scores.systems.is_empty() else scores.systems,
            directions=scores.directions,
            oriented=True,
            progress=self.context.progress,
            **shared,
        )
        shared["role"] = found.settings["role"]
        judging = [name for name in scores.metrics if scores.directions[name] != "none"]
        tested = {key: value for key, value in shared.items() if key not in ("levels", "coefficients")}
        best = leaders(
            found.frame,
            scores.frame,
            aggregated.wide(),
            directions=scores.directions,
            metrics=judging,
            progress=self.context.progress,
            **tested,
        )
        # People are measured as they rated: cleaning takes out their disagreement, and would flatter them. One
        # annotator against a chosen one is no ceiling, so there the others count by their mean.
        how = "mean" if wanted.aggregate.startswith("annotator:") else wanted.aggregate
        ceiling = human_ceiling(sifted.checked, aggregate=how, **options, **shared)
        self.context.write("ratings.parquet", aggregated.wide())
        self.context.write("leaders.parquet", best)
        self.context.write("ceiling.parquet", ceiling.frame)
        self.context.write("correlations.parquet", found.frame)
        return {
            "pairing": str(found.pairing),
            "ratings_removed_as_noise": sifted.noise.height,
            "ratings_off_their_scale": sifted.invalid.height,
        }

    def _make_report(self, page: dict[str, Any]) -> None:
        self.context.progress("writing the report", 0, 1)
        run = FinishedRun(self.context.folder, {**self.ledger.head, "stages": self.ledger.entries})
        write_text(self.context.folder / "report.html", render_report(report_data(run, page)))


def _head(settings: StudyFile) -> dict[str, Any]:
    return {
        "study": settings.study.name,
        "seed": settings.study.seed,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(settings),
        "kernels": kernel_name(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _silent(what: str, done: int, total: int) -> None:
    pass
