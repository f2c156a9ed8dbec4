"""The appendix: what every metric is and reads, its signature, and the formulas of all numbers."""

from dataclasses import dataclass

from dialgauge.metrics import all_metrics
from dialgauge.report._content import ReportData
from dialgauge.report._overview import reads, registered


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric in the appendix; description and citation are empty for metrics that this version does not know."""

    name: str
    better: str
    reads: str
    description: str
    citation: str
    signature: str


#: Name, formula or rule, and source of what every report can show.
FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "summary level",
        "For each dialogue the correlation of metric and rating over its systems; then the mean over dialogues. "
        "Dialogues where either is constant have no correlation and are skipped.",
        "Bhandari et al. 2020",
    ),
    ("system level", "One correlation over systems, of the mean score with the mean rating.", "Louis and Nenkova 2013"),
    ("global level", "One correlation over all summaries.", ""),
    ("Pearson", "r = Σ(x − x̄)(y − ȳ) / √(Σ(x − x̄)² · Σ(y − ȳ)²)", "Pearson 1895"),
    ("Spearman", "Pearson's r of the ranks; ties share their mean rank.", "Spearman 1904"),
    ("Kendall", "τ-b = (C − D) / √((C + D + Tx)(C + D + Ty)) over pairs", "Kendall 1945"),
    (
        "intervals",
        "Percentiles of the bootstrap: dialogues, systems or both are drawn with replacement.",
        "Deutsch, Dror and Roth 2021",
    ),
    (
        "leading metrics and pairs",
        "What each system adds to the difference of two correlations changes its sign, in all ways where these are "
        "few, the same for all pairs. A difference is significant if the largest of all pairs rarely reaches it.",
        "Romano and Wolf 2005",
    ),
    (
        "which metric can be trusted",
        "Which system's ratings stand beside which system's scores is shuffled, in all ways where these are few. A "
        "metric is shown to follow the ratings if its agreement, or what is left of it without the means of systems "
        "and dialogues, is rarely reached by the best of all metrics in the shuffles: at most one study in twenty of "
        "noise names any. Reasons such as low agreement of raters or length then lower the level.",
        "Westfall and Young 1993",
    ),
    ("one rater", "Each annotator's ratings correlated with the aggregate of the others, then averaged.", ""),
    (
        "perfect metric",
        "√(kρ / (1 + (k − 1)ρ)) for k ratings per summary; ρ: what raters' values share of their variance.",
        "Spearman 1904",
    ),
    (
        "Krippendorff's α",
        "1 − observed / expected disagreement, with the difference function of the scale.",
        "Krippendorff 2011",
    ),
    (
        "metrics with metrics",
        "Correlation at the level of the verdict; order and clusters by average linkage over 1 − |r|, cut at 0.3.",
        "Sokal and Michener 1958",
    ),
)


def formulas(data: ReportData) -> tuple[tuple[str, str, str], ...]:
    """The formulas of the numbers in this report."""
    return FORMULAS + tuple(row for panel in data.panels for row in panel.formulas)


def metric_rows(data: ReportData) -> list[MetricRow]:
    """A row per metric of the run, in its order."""
    known = all_metrics()
    rows = []
    for name, signature in data.scores.signatures.items():
        metric = registered(signature, known)
        rows.append(
            MetricRow(
                name,
                data.scores.directions.get(name, "none"),
                reads(signature),
                metric.description if metric else "",
                metric.citation if metric else "",
                signature,
            )
        )
    return rows
