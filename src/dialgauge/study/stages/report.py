"""The report of a run, from what lies in its folder: nothing is computed, and the same folder gives the same bytes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError
from dialgauge.files import write_text
from dialgauge.report import ReportData, TimesData, render_report, report_figures
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._graph import all_stages
from dialgauge.study._shown import shown_settings
from dialgauge.study._stage import ALL, Section, Stage
from dialgauge.study._study_file import SectionModel
from dialgauge.web import Figure


class ReportSection(SectionModel):
    """``[report]``: what stands on top of the page."""

    title: str | None = None


class ReportStage(Stage):
    """Composes the page from what each stage has to show."""

    name = "report"
    sections = (Section("report", ReportSection),)
    inputs = (ALL,)
    outputs = ("report.html",)

    def settings(self, context: Context) -> Mapping[str, Any]:
        # What the manifest keeps of this is all that 'dialgauge report' needs to make the page again.
        stages = list(context.done)
        return {
            "title": context.section(ReportSection).title or f"Study {context.study.name}",
            "settings": shown_settings(context.settings, "correlations" in stages),
            "stages": stages,
            "versions": context.manifest["versions"],
        }

    def modules(self, context: Context) -> Iterable[str]:
        return {type(stage).__module__ for stage in all_stages()}

    def make(self, context: Context) -> None:
        context.progress("writing the report", 0, 1)
        data = report_data(FinishedRun(context.folder, context.manifest), self.settings(context))
        write_text(context.folder / "report.html", render_report(data))


def report_of_run(folder: Path | str, *, with_times: bool = False) -> str:
    """The report of a finished run as HTML.

    With ``with_times`` it has a section on what each metric cost and on which machine, which is in the manifest and
    differs from run to run; without, the bytes are those of the ``report.html`` that the run wrote.
    """
    run = FinishedRun.open(folder)
    return render_report(report_data(run, _asked(run), times=_times(run) if with_times else None))


def figures_of_run(folder: Path | str) -> list[Figure]:
    """Every figure of the report of a finished run, with the data behind it."""
    run = FinishedRun.open(folder)
    return report_figures(report_data(run, _asked(run)))


def _asked(run: FinishedRun) -> Mapping[str, Any]:
    """What the report was asked for, from the manifest."""
    asked: Mapping[str, Any] = run.stage("report").get("settings", {})
    if not {"title", "settings", "stages", "versions"} <= set(asked):
        raise InputError(
            f"{run.folder}: the run has no report that can be rebuilt; resume the run with 'dialgauge run'"
        )
    return asked


def report_data(run: FinishedRun, asked: Mapping[str, Any], times: TimesData | None = None) -> ReportData:
    """What the report shows. ``asked`` is what the manifest keeps: ``title``, ``settings``, ``stages``, versions."""
    declared = all_stages()
    unknown = set(asked["stages"]) - {stage.name for stage in declared}
    if unknown:
        names = ", ".join(sorted(unknown))
        raise InputError(f"{run.folder}: no installed package provides these stages of the run: {names}")
    stages = [stage for stage in declared if stage.name in asked["stages"]]
    found: dict[str, Any] = {}
    for stage in stages:
        found |= stage.results(run)
    return ReportData(
        title=asked["title"],
        settings=asked["settings"],
        versions=asked["versions"],
        panels=[panel for stage in stages if (panel := stage.panel(run)) is not None],
        times=times,
        **found,
    )


def _times(run: FinishedRun) -> TimesData:
    manifest = run.manifest
    stages = {name: entry["seconds"] for name, entry in manifest["stages"].items() if "seconds" in entry}
    facts = {name: str(manifest[name]) for name in ("started", "machine", "kernels") if name in manifest}
    return TimesData(run.stage("scores").get("seconds_per_metric", {}), stages, facts)
