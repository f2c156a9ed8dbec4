"""The report of a run, from what lies in its folder: nothing is computed, and the same folder gives the same bytes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dialgauge.errors import InputError
from dialgauge.report import ReportData, TimesData, render_report
from dialgauge.study._affect import affect_results
from dialgauge.study._finished import FinishedRun
from dialgauge.study._learn import learned_results
from dialgauge.study._reproduction import reproduction_results
from dialgauge.study._sifted_ratings import counted_ratings
from dialgauge.study._summarize import written_results
from dialgauge.study._variants import variant_results


def report_of_run(folder: Path | str, *, with_times: bool = False) -> str:
    """The report of a finished run as HTML.

    With ``with_times`` it has a section on what each metric cost and on which machine, which is in the manifest and
    differs from run to run; without, the bytes are those of the ``report.html`` that the run wrote.
    """
    run = FinishedRun.open(folder)
    asked = run.stage("report").get("settings", {})
    if not {"title", "settings", "stages", "versions"} <= set(asked):
        raise InputError(f"{folder}: the run has no report that can be made again; 'dialgauge run' goes on with it")
    data = report_data(run, asked, times=_times(run) if with_times else None)
    return render_report(data)


def report_data(run: FinishedRun, asked: Mapping[str, Any], times: TimesData | None = None) -> ReportData:
    """What the report shows. ``asked`` is what the manifest keeps: ``title``, ``settings``, ``stages``, versions."""
    stages, corpus, folder = asked["stages"], run.corpus, run.folder
    found = {
        name: run.table(file) if stage in stages else None
        for name, (stage, file) in {
            "correlations": ("correlations", "correlations"),
            "leaders": ("correlations", "leaders"),
            "ceiling": ("correlations", "ceiling"),
            "ratings": ("correlations", "ratings"),
            "agreement": ("agreement", "agreement"),
            "drift": ("agreement", "drift"),
            "between": ("relations", "metric-correlations"),
            "comparisons": ("relations", "comparisons"),
            "cleaning": ("relations", "cleaning"),
        }.items()
    }
    return ReportData(
        title=asked["title"],
        corpus=corpus,
        scores=run.scores,
        **found,
        counted=counted_ratings(run) if "correlations" in stages else None,
        confidence=run.setting("correlations", "correlation", "confidence") or 0.95,
        findings=json.loads((folder / "findings.json").read_text("utf-8")) if "agreement" in stages else [],
        problems=run.stage("corpus")["problems"],
        settings=asked["settings"],
        versions=asked["versions"],
        robustness=variant_results(folder, corpus) if "robustness" in stages else None,
        affect=affect_results(folder) if "affect" in stages else None,
        learned=learned_results(folder) if "learn" in stages else None,
        reproduction=reproduction_results(run) if "reproduction" in stages else None,
        written=written_results(run) if "summaries" in stages else None,
        times=times,
    )


def _times(run: FinishedRun) -> TimesData:
    manifest = run.manifest
    stages = {name: entry["seconds"] for name, entry in manifest["stages"].items() if "seconds" in entry}
    facts = {name: str(manifest[name]) for name in ("started", "machine", "kernels") if name in manifest}
    return TimesData(run.stage("scores").get("seconds_per_metric", {}), stages, facts)
