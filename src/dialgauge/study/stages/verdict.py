"""The verdict: which metrics can be trusted for which dimension, how far, and why. Everything else only shows it."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dialgauge.files import write_text
from dialgauge.metaeval import (
    CorrelationSettings,
    Robustness,
    TrustSettings,
    dimension_directions,
    find_items,
    trust,
)
from dialgauge.ratings import JudgementSettings, RatingPolicy
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._robustness import TABLES
from dialgauge.study._stage import Section, Stage, TableKind
from dialgauge.study._verdicts import VERDICT, needed_verdicts, verdicts_of
from dialgauge.study.stages.scores import MetricsSection

if TYPE_CHECKING:
    from dialgauge.tables import Table

_TABLES = ("verdict", "verdict-reasons")


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import verdict_table

    return verdict_table(needed_verdicts(run), **options)


class VerdictStage(Stage):
    """Decides for each metric and dimension: use, with care, or do not use."""

    name = "verdict"
    sections = (Section("verdict", TrustSettings),)
    inputs = ("corpus", "scores", "robustness")
    outputs = (*(f"{name}.parquet" for name in _TABLES), VERDICT)
    tables = (TableKind("verdict", _table, ("metrics", "digits")),)
    needs_judgements = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "verdict": _asked(context).model_dump(mode="json"),
            "severities": context.section(JudgementSettings).severities,
        }

    def files(self, context: Context) -> list[str]:
        return [] if _why_not(context) else list(self.outputs)

    def make(self, context: Context) -> Mapping[str, Any]:
        if why := _why_not(context):
            return {"no_verdict": why}
        context.progress("which metric can be trusted", 0, 1)
        policy = context.policy
        found = trust(
            context.judged,
            context.scores,
            _asked(context),
            policy,
            robustness=_robustness(context),
            progress=context.progress,
        )
        tables = found.tables()
        for name in _TABLES:
            context.write(f"{name}.parquet", tables[name])
        write_text(context.folder / VERDICT, found.to_json())
        return {"named": int(found.dimensions["named"].sum()), "null_runs": found.null_runs}

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {"verdicts": verdicts_of(run), "no_verdict": run.stage("verdict").get("no_verdict", "")}


def _asked(context: Context) -> TrustSettings:
    """The number of shuffles is the verdict's own; the role and the references are those of the correlations."""
    section, shared = context.section(TrustSettings), context.section(CorrelationSettings)
    values: dict[str, Any] = {"resamples": section.resamples}
    if section.role is None:
        values["role"] = shared.role
    if "with_references" not in section.model_fields_set:
        scored = context.section(MetricsSection).include_references
        values["with_references"] = shared.with_references if "with_references" in shared.model_fields_set else scored
    if section.metrics is None and shared.metrics is not None:
        values["metrics"] = tuple(name for name in shared.metrics if name in context.scores.judging) or None
    return context.asked(TrustSettings, section, **values)


def _why_not(context: Context) -> str:
    """Why there is no verdict; empty where there is one."""
    if not set(context.scores.judging) & set(context.scores.metrics):
        return "no metric has a value per summary and says which summary is better"
    if find_items(context.judged.ratings, context.corpus.references["system"].unique().to_list()) is not None:
        return "the rated summaries are variants of one system, so there are no systems to choose metrics for"
    judged = context.judged
    ways = dimension_directions(judged, context.section(RatingPolicy), judged.dimensions)
    if all(one.better == "none" for one in ways.values()):
        return "on no dimension is higher or lower better"
    return ""


def _robustness(context: Context) -> Robustness | None:
    """What the study found out about perturbed summaries; None where it did not ask."""
    if "robustness" not in context.done:
        return None
    tables = {name: context.read(f"{file}.parquet") for file, name in TABLES.items() if name != "correlations"}
    facts = json.loads((context.folder / "robustness.json").read_text("utf-8"))
    return Robustness(**tables, settings=facts)
