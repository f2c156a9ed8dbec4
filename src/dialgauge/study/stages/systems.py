"""Which system is better: every two systems, compared by each metric and each rated dimension."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import OVERALL
from dialgauge.metaeval import CorrelationSettings, SystemComparisonSettings, compare_systems
from dialgauge.ratings import JudgementSettings, RatingPolicy
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind
from dialgauge.study.stages.scores import MetricsSection

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

COMPARED, SAME = "system-comparisons.parquet", "same-winner.parquet"
_NEEDS = "two systems that summarised the same dialogues"


def _table(run: FinishedRun, *, metrics: tuple[str, ...] = (), digits: int = 2) -> "Table":
    """The comparisons of one metric or dimension; all of them where there are two systems."""
    from dialgauge.report import paired_systems_table

    frame = run.needed_table("system-comparisons", _NEEDS)
    return paired_systems_table(frame, run.stage("systems")["settings"]["systems"], metrics=metrics, digits=digits)


class SystemsStage(Stage):
    """Compares every two systems."""

    name = "systems"
    sections = (Section("systems", SystemComparisonSettings),)
    inputs = ("corpus", "scores")
    outputs = (COMPARED, SAME)
    tables = (TableKind("paired-systems", _table, ("metrics", "digits")),)

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "systems": _asked(context).model_dump(mode="json"),
            "severities": context.section(JudgementSettings).severities,
        }

    def files(self, context: Context) -> list[str]:
        return [] if _why_not(context) else list(self.outputs)

    def make(self, context: Context) -> Mapping[str, Any]:
        if why := _why_not(context):
            return {"not_compared": why}
        policy = context.policy
        found = compare_systems(context.judged, context.scores, _asked(context), policy, progress=context.progress)
        context.write(COMPARED, found.frame)
        context.write(SAME, found.agreement)
        return {"pairs": found.settings["pairs"]}

    def panel(self, run: FinishedRun) -> "Panel | None":
        from dialgauge.report import system_pairs_panel

        frame = run.table("system-comparisons")
        if frame is None:
            return None
        return system_pairs_panel(
            frame, run.needed_table("same-winner", _NEEDS), run.stage("systems")["settings"]["systems"]
        )


def _asked(context: Context) -> SystemComparisonSettings:
    """References count as systems where they are scored like systems, unless the file says otherwise."""
    section = context.section(SystemComparisonSettings)
    values: dict[str, Any] = {"resamples": section.resamples}
    if section.role is None:
        values["role"] = context.section(CorrelationSettings).role
    if "with_references" not in section.model_fields_set:
        values["with_references"] = context.section(MetricsSection).include_references
    return context.asked(SystemComparisonSettings, section, **values)


def _why_not(context: Context) -> str:
    """Why systems cannot be compared; empty where they can. Not an error: nobody asked for this section by name."""
    asked, frame = _asked(context), context.scores.frame
    here = frame.filter(pl.col("variant") == asked.variant)
    roles = sorted(set(here["role"]))
    if asked.role is None and OVERALL not in roles and len(roles) > 1:
        return f"several roles have summaries ({', '.join(roles)}); name one as role in [systems]"
    role = asked.role or (OVERALL if OVERALL in roles or not roles else roles[0])
    references = set() if asked.with_references else set(context.corpus.references["system"])
    if len(set(here.filter(pl.col("role") == role)["system"]) - references) < 2:
        return "fewer than two systems have scores"
    return ""
