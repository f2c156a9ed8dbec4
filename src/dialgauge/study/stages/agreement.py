"""Whether the annotators agree, whether they drift, and what is wrong with their ratings."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dialgauge.ratings import AgreementSettings, RatingPolicy
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind, check_dimensions

if TYPE_CHECKING:
    from dialgauge.tables import Table

_FINDINGS = "findings.json"


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import agreement_table

    return agreement_table(
        run.needed_table("agreement", "a corpus with ratings"),
        removed=int(run.stage("correlations").get("ratings_removed_as_noise", 0)),
        cleaning=run.setting("correlations", "ratings", "clean") or "none",
        **options,
    )


class AgreementStage(Stage):
    """Measures how far the annotators agree, and checks their ratings."""

    name = "agreement"
    sections = (Section("ratings", RatingPolicy),)
    outputs = ("agreement.parquet", "drift.parquet", "outliers.parquet", _FINDINGS)
    tables = (TableKind("agreement", _table),)
    needs_ratings = True

    def check(self, context: Context) -> None:
        wanted = context.section(RatingPolicy)
        check_dimensions("ratings.dimensions", wanted.dimensions or (), context.corpus.dimensions_of())

    def settings(self, context: Context) -> Mapping[str, Any]:
        intervals = context.asked(AgreementSettings).model_dump(
            mode="json", include={"seed", "resamples", "confidence"}
        )
        return intervals | {"ratings": context.section(RatingPolicy).model_dump(mode="json")}

    def files(self, context: Context) -> list[str]:
        return [_FINDINGS] if _policy(context).dimensions == () else list(self.outputs)

    def make(self, context: Context) -> None:
        from dialgauge.ratings import OutlierSettings, agreement, check_ratings, drift, outliers, treat_ratings

        context.write_json(_FINDINGS, [asdict(finding) for finding in check_ratings(context.corpus)])
        if self.files(context) == [_FINDINGS]:
            return
        context.progress("inter-annotator agreement", 0, 1)
        policy, asked = _policy(context), context.asked(AgreementSettings, measures="krippendorff-alpha")
        corpus = context.corpus.without_models()
        checked, nominal = treat_ratings(corpus.ratings, policy).checked, corpus.dimensions_of("nominal")
        agreed = agreement(checked, settings=asked, policy=policy, nominal=nominal)
        context.write("agreement.parquet", agreed.frame)
        drifting = drift(checked, policy=policy, nominal=nominal, confidence=asked.confidence)
        context.write("drift.parquet", drifting.trends)
        standing = asked.subset(OutlierSettings, level=asked.level or "interval")
        context.write("outliers.parquet", outliers(checked, standing, policy, nominal=nominal).frame)

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {
            "agreement": run.table("agreement"),
            "drift": run.table("drift"),
            "outliers": run.table("outliers"),
            "findings": run.document(_FINDINGS),
        }


def _policy(context: Context) -> RatingPolicy:
    """The rating policy for the dimensions that were rated; wanted ones may be those of other judgements."""
    policy = context.section(RatingPolicy)
    if policy.dimensions is None:
        return policy
    rated = context.corpus.dimensions
    return policy.model_copy(update={"dimensions": tuple(name for name in policy.dimensions if name in rated)})
