"""The appendix: what every metric is and reads, what signed it, and by what formulas the numbers were made."""

from dataclasses import dataclass

from dialgauge.metrics import all_metrics
from dialgauge.report._content import ReportData
from dialgauge.report._overview import reads, registered


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric in the appendix; the description and citation are empty for one that this dialgauge does not know."""

    name: str
    better: str
    reads: str
    description: str
    citation: str
    signature: str


#: Name, formula or rule, and source of what a report can show.
FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "summary level",
        "For each dialogue the correlation of metric and rating over its systems; then the mean over dialogues. "
        "Dialogues where either is constant have no correlation and are left out.",
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
        "Permutation test of the difference of two correlations: standardised scores of whole systems change sides. "
        "Corrected after Benjamini and Hochberg (1995), the comparisons of all metrics with the best by themselves, "
        "the other pairs by themselves.",
        "Deutsch, Dror and Roth 2021",
    ),
    (
        "which metric to trust",
        "The highest correlation whose interval lies above zero. It fails on summaries broken on purpose where the "
        "interval of its robustness reaches down to one half, or where it notices no kind of them.",
        "",
    ),
    ("one rater", "Each annotator's ratings correlated with the aggregate of the others, then averaged.", ""),
    (
        "Krippendorff's α",
        "1 − observed / expected disagreement, with the difference that fits the scale.",
        "Krippendorff 2011",
    ),
    (
        "metrics with metrics",
        "Correlation at the level of the verdict; order and clusters by average linkage over 1 − |r|, cut at 0.3.",
        "Sokal and Michener 1958",
    ),
)
#: The same for what only some studies have.
_ROBUSTNESS: tuple[tuple[str, str, str], ...] = (
    (
        "change",
        "Mean of variant minus original, turned so that negative means worse, divided by the standard deviation "
        "between systems (between summaries, where there are fewer than three). Interval: Student's t over dialogues.",
        "",
    ),
    (
        "noticed, blind …",
        "Sign test over dialogues (does the score move?) and two one-sided t tests (is the mean change surely within "
        "the margin?), both corrected after Benjamini and Hochberg over all cells. Broken: moves down, noticed, or "
        "faint if surely within the margin; else surely within it, blind; moves up, wrong. Rewritten: surely within "
        "it, stable; else moves down, lowered; moves up, raised. Otherwise unclear.",
        "Schuirmann 1987",
    ),
    (
        "robustness",
        "The share of pairs (broken variant, rewritten variant of the same summary) in which the broken one scores "
        "worse; ties count half. One half is chance.",
        "",
    ),
    ("sensitivity", "The share of broken summaries that score worse than their original.", ""),
    ("stability", "The share of rewritten summaries whose score stays within the margin.", ""),
    (
        "trust cards",
        "Each share is the mean over perturbations; levels of one perturbation count as one. Bootstrap over dialogues.",
        "",
    ),
)
_AFFECT: tuple[tuple[str, str, str], ...] = (
    ("PSent", "Affective words of a text / its words, by the tagger named above.", "Zhou et al. 2024"),
    (
        "PSentScore",
        "Spearman's correlation, over dialogues whose PSent is above zero, of PSent of the dialogue and of its "
        "summary. CCC: 2 · cov(x, y) / (var x + var y + (x̄ − ȳ)²). MAE: mean of |x − y|. Bootstrap over dialogues.",
        "Zhou et al. 2024; Lin 1989",
    ),
    (
        "adjusted",
        "Partial Spearman correlation of PSent of the dialogue with the summary's affective words that nobody said in "
        "the dialogue, per word, given the lengths of both. 0 where no summary has such a word: it copies.",
        "",
    ),
)
_LEARNED: tuple[tuple[str, str, str], ...] = (
    (
        "learned metrics",
        "A learner from metric scores to the rating, its settings searched in the training folds alone. All numbers "
        "are of predictions for folds that were held out; systems and dialogues are drawn anew for the intervals.",
        "",
    ),
    (
        "importance",
        "By how much the held-out predictions get worse when one feature is shuffled.",
        "Breiman 2001",
    ),
)


def formulas(data: ReportData) -> tuple[tuple[str, str, str], ...]:
    """Those of the numbers that this report has."""
    parts = ((data.robustness, _ROBUSTNESS), (data.affect, _AFFECT), (data.learned, _LEARNED))
    return FORMULAS + tuple(row for present, rows in parts if present is not None for row in rows)


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
