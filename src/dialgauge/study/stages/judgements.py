"""Labels, preferences, best-worst choices and marked errors: do people agree, and which metric agrees with them?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dialgauge.metaeval import LabelSettings, evaluate_judgements, summary_labels
from dialgauge.ratings import (
    JudgementSettings,
    RatingPolicy,
    best_worst_results,
    class_shares,
    preference_results,
    span_results,
)
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind
from dialgauge.study._verdicts import judged_in, told_in

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.report import Panel
    from dialgauge.tables import Table

#: The files of each kind of judgement.
_LABELS = ("label-measures.parquet",)
_PREFERENCES = ("preference-accuracy.parquet", "preferred-systems.parquet", "preference-facts.parquet")
_CHOICES = ("best-worst.parquet", "best-worst-reliability.parquet")
_SPANS = ("span-agreement.parquet", "span-labels.parquet", "span-systems.parquet")


def _labels_table(run: FinishedRun) -> "Table":
    from dialgauge.report import labels_table

    return labels_table(_found(run, _LABELS[0], "labels such as yes and no"))


def _thresholds_table(run: FinishedRun) -> "Table":
    from dialgauge.report import thresholds_table

    return thresholds_table(_found(run, _LABELS[0], "labels such as yes and no"))


def _preferences_table(run: FinishedRun) -> "Table":
    from dialgauge.report import preferred_table

    return preferred_table(_found(run, _PREFERENCES[1], "preferences"), _found(run, _PREFERENCES[2], "preferences"))


def _accuracy_table(run: FinishedRun) -> "Table":
    from dialgauge.report import accuracy_table

    return accuracy_table(_found(run, _PREFERENCES[0], "preferences"))


def _best_worst_table(run: FinishedRun) -> "Table":
    from dialgauge.report import best_worst_table

    return best_worst_table(*(_found(run, name, "best-worst choices") for name in _CHOICES))


def _spans_table(run: FinishedRun) -> "Table":
    from dialgauge.report import span_tables

    return span_tables(*(_found(run, name, "marked errors") for name in _SPANS[:2]))[0]


def _span_labels_table(run: FinishedRun) -> "Table":
    from dialgauge.report import span_tables

    return span_tables(*(_found(run, name, "marked errors") for name in _SPANS[:2]))[-1]


def _span_systems_table(run: FinishedRun) -> "Table":
    from dialgauge.report import span_systems_table

    return span_systems_table(_found(run, _SPANS[2], "marked errors"))


def _found(run: FinishedRun, file: str, what: str) -> "pl.DataFrame":
    return run.needed_table(file.removesuffix(".parquet"), f"a corpus with {what}")


#: The kinds of table for papers.
_KINDS = {
    "labels": _labels_table,
    "label-thresholds": _thresholds_table,
    "preferences": _preferences_table,
    "preference-accuracy": _accuracy_table,
    "best-worst": _best_worst_table,
    "spans": _spans_table,
    "span-labels": _span_labels_table,
    "span-systems": _span_systems_table,
}


class JudgementsStage(Stage):
    """Analyses judgements that are not ratings on a scale, and asks the metrics about them."""

    name = "judgements"
    sections = (Section("judgements", JudgementSettings),)
    inputs = ("corpus", "scores")
    outputs = (*_LABELS, *_PREFERENCES, *_CHOICES, *_SPANS)
    tables = tuple(TableKind(name, make, ()) for name, make in _KINDS.items())

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "judgements": _asked(context).model_dump(mode="json"),
        }

    def files(self, context: Context) -> list[str]:
        corpus, policy = context.corpus.without_models(), context.section(RatingPolicy)
        compared = set(corpus.preferences["dimension"])
        wanted = (
            (summary_labels(corpus, policy) is not None, _LABELS),
            # Metrics are asked about the dimensions of [ratings] alone.
            (
                bool(compared if policy.dimensions is None else compared.intersection(policy.dimensions)),
                _PREFERENCES[:1],
            ),
            (bool(compared), _PREFERENCES[1:]),
            (corpus.choices.height > 0, _CHOICES),
            (corpus.spans.height > 0, _SPANS),
        )
        return [name for there, names in wanted if there for name in names]

    def make(self, context: Context) -> Mapping[str, Any]:
        files, corpus, asked = self.files(context), context.corpus.without_models(), _asked(context)
        if not files:
            return {"sentences": []}
        policy = context.section(RatingPolicy)
        found = evaluate_judgements(corpus, context.scores, asked.subset(LabelSettings), policy)
        if _LABELS[0] in files and found.labels is not None:
            context.write(_LABELS[0], found.labels.frame)
        if corpus.preferences.height:
            preferred = preference_results(corpus.preferences, asked)
            accuracy = found.preferences
            if accuracy is not None:
                context.write(_PREFERENCES[0], accuracy.frame)
            context.write(_PREFERENCES[1], preferred.systems)
            context.write(_PREFERENCES[2], preferred.facts)
        if corpus.choices.height:
            chosen = best_worst_results(corpus.choices, asked)
            context.write(_CHOICES[0], chosen.systems)
            context.write(_CHOICES[1], chosen.reliability)
        if corpus.spans.height:
            marked = span_results(corpus.spans, corpus.summaries, asked)
            context.write(_SPANS[0], marked.agreement)
            context.write(_SPANS[1], marked.labels)
            context.write(_SPANS[2], marked.systems)
        classes = [] if found.labels is None else found.labels.sentences(of_classes=True)
        return {"sentences": found.sentences(), "classes": classes}

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {"judged": judged_in(run), "classes": judged_in(run, of_classes=True), "told": told_in(run)}

    def panel(self, run: FinishedRun) -> "Panel | None":
        from dialgauge.report import judgements_panel

        tables = _tables(run)
        # Edited summaries are not ranked; what is said about them is.
        notes = [text for table in tables if not table.rows for text in table.notes]
        filled = [table for table in tables if table.rows]
        return judgements_panel([*run.stage("judgements")["sentences"], *notes], filled) if tables else None


def _asked(context: Context) -> JudgementSettings:
    return context.asked(JudgementSettings, context.section(JudgementSettings))


def _tables(run: FinishedRun) -> "list[Table]":
    from dialgauge.report import (
        accuracy_table,
        best_worst_table,
        class_tables,
        labels_table,
        preferred_table,
        span_systems_table,
        span_tables,
        thresholds_table,
    )

    def found(name: str) -> Any:
        return run.table(name.removesuffix(".parquet"))

    tables: list[Table] = []
    if (labels := found(_LABELS[0])) is not None:
        tables += [
            labels_table(labels),
            thresholds_table(labels),
            *class_tables(class_shares(run.corpus.without_models())),
        ]
    if (systems := found(_PREFERENCES[1])) is not None:
        tables.append(preferred_table(systems, found(_PREFERENCES[2])))
    if (accuracy := found(_PREFERENCES[0])) is not None:
        tables.append(accuracy_table(accuracy))
    if (chosen := found(_CHOICES[0])) is not None:
        tables.append(best_worst_table(chosen, found(_CHOICES[1])))
    if (agreed := found(_SPANS[0])) is not None:
        tables += [span_systems_table(found(_SPANS[2])), *span_tables(agreed, found(_SPANS[1]))]
    return tables
