"""The section of the report on perturbed summaries."""

from typing import Any

import polars as pl

from dialgauge.metaeval import count_kinds, too_few_kinds
from dialgauge.report._content import Estimate
from dialgauge.report._dose_figures import dose_figures
from dialgauge.report._panel import Panel
from dialgauge.report._robustness import (
    OVERALL,
    RobustnessData,
    breakable,
    by_dimension,
    correlation_rows,
    doses,
    metrics_shown,
    observed,
    profiles,
    trust_cards,
)
from dialgauge.report._robustness_passed import passed_kinds, passed_sentence

#: Number of trust cards that are open; the rest is collapsed.
_OPEN = 6
#: With more columns than this, their names are upright, so that the columns can be narrow.
_UPRIGHT = 7
#: For the appendix.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
    (
        "change",
        "Mean of variant minus original, oriented so that negative means worse, divided by the standard deviation "
        "between systems (between summaries, if there are fewer than three). Interval: Student's t over dialogues.",
        "",
    ),
    (
        "noticed, blind …",
        "Sign test over dialogues (does the score change?) and two one-sided t tests (is the mean change significantly "
        "within the margin?), both corrected by Benjamini and Hochberg over all cells. Degraded: goes down, noticed, "
        "or faint if within the margin; else within it, blind; goes up, wrong. Rewritten: within it, stable; else goes "
        "down, lowered; goes up, raised. Otherwise unclear.",
        "Schuirmann 1987",
    ),
    (
        "robustness",
        "The share of pairs (degraded variant, rewritten variant of the same summary) in which the damage lowers the "
        "score by more than the rewrite moves it, up or down; ties count half. A metric that never changes has .5.",
        "",
    ),
    ("sensitivity", "The share of degraded summaries that score worse than their original.", ""),
    ("stability", "The share of rewritten summaries whose score stays within the margin.", ""),
    (
        "trust cards",
        "Each share is the mean over perturbations; levels of one perturbation count as one. Bootstrap over dialogues.",
        "",
    ),
)


def robustness_panel(data: RobustnessData) -> Panel:
    """The section on perturbed summaries."""
    shown = robustness_context(data)
    figures = [*shown["dose_figures"], *(card.figure for card in shown["robust_cards"])]
    return Panel(
        (("robustness", "Robustness"),),
        "robustness.html",
        50,
        shown,
        figures,
        formulas=_FORMULAS,
        facts=_facts(data),
    )


def _facts(data: RobustnessData) -> dict[str, tuple[str, str]]:
    """The robustness of each metric, for its card on the first screen."""
    rows = data.tables["cards"].filter(pl.col("dimension") == OVERALL, pl.col("robustness").is_not_null())
    return {
        row["metric"]: (
            "robustness",
            str(Estimate(row["metric"], row["robustness"], row["robustness_low"], row["robustness_high"])),
        )
        for row in rows.iter_rows(named=True)
    }


def robustness_context(data: RobustnessData) -> dict[str, Any]:
    """What the template of this section needs."""
    columns, rows = correlation_rows(data)
    metrics, groups = metrics_shown(data), observed(data)
    by_metric, kinds = profiles(groups, metrics), passed_kinds(data)
    across = len(by_metric[0][1]) if by_metric else len(metrics)
    return {
        "robust": data,
        "robust_metrics": metrics,
        "robust_groups": groups,
        "robust_profiles": by_metric,
        "robust_upright": across > _UPRIGHT,
        "robust_cards": trust_cards(data),
        "robust_too_few": too_few_kinds(*count_kinds(data.tables["verdicts"], OVERALL)),
        "robust_dimensions": by_dimension(data),
        "robust_doses": doses(data),
        "robust_correlation_columns": columns,
        "robust_correlation_rows": rows,
        "robust_kinds": kinds,
        "robust_passed": passed_sentence(data, kinds),
        "priors": data.correlations is not None and data.correlations["ratings"].str.contains("priors").any(),
        "robust_open": _OPEN,
        "dose_figures": dose_figures(data),
        "breakable": breakable,
    }
