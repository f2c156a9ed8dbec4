"""The section of the report on summaries that were broken on purpose, and what it says against metrics."""

from typing import Any

import polars as pl

from dialgauge.report._content import Estimate
from dialgauge.report._dose_figures import dose_figures
from dialgauge.report._panel import Panel
from dialgauge.report._robustness import (
    OVERALL,
    RobustnessData,
    breakable,
    by_dimension,
    correlation_rows,
    declined_rows,
    doses,
    metrics_shown,
    observed,
    profiles,
    trust_cards,
)
from dialgauge.tables import number

#: So many trust cards are open; the rest is folded up.
_OPEN = 6
#: From more columns than these on, their names stand upright, so that the columns can be narrow.
_UPRIGHT = 7
#: How often a broken version scores worse than a rewrite by chance.
_CHANCE = 0.5
#: For the appendix.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
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


def robustness_panel(data: RobustnessData) -> Panel:
    """The section on summaries that were broken on purpose."""
    shown = robustness_context(data)
    figures = [*shown["dose_figures"], *(card.figure for card in shown["robust_cards"])]
    return Panel(
        (("robustness", "Robustness"),),
        "robustness.html",
        50,
        shown,
        figures,
        formulas=_FORMULAS,
        cautions=robustness_cautions(data),
        facts=_facts(data),
    )


def robustness_cautions(data: RobustnessData) -> dict[str, str]:
    """The metrics that fail when summaries are broken on purpose: their robustness is not shown to be above chance, or
    it is, but only because they score rewrites better, as they notice nothing that is broken.

    What is said of each follows its name in the verdict, in the same sentence.
    """
    overall = pl.col("dimension") == OVERALL
    cards = data.tables["cards"].filter(overall, pl.col("robustness").is_not_null())
    verdicts = data.tables["verdicts"].filter(overall, pl.col("expected").str.starts_with("degrades"))
    # What is not decided speaks for nobody and against nobody.
    blind = set(verdicts["metric"]) - set(verdicts.filter(~pl.col("verdict").is_in(["blind", "wrong"]))["metric"])
    said = {}
    for row in cards.iter_rows(named=True):
        low = row["robustness"] if row["robustness_low"] is None else row["robustness_low"]
        if low <= _CHANCE:
            shown = f"robustness {number(row['robustness'])}, chance {number(_CHANCE)}"
            said[row["metric"]] = f"fails on summaries broken on purpose ({shown})"
        elif row["metric"] in blind:
            said[row["metric"]] = "fails on summaries broken on purpose (notices no kind of them)"
    return said


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
    by_metric = profiles(groups, metrics)
    across = len(by_metric[0][1]) if by_metric else len(metrics)
    return {
        "robust": data,
        "robust_metrics": metrics,
        "robust_groups": groups,
        "robust_profiles": by_metric,
        "robust_upright": across > _UPRIGHT,
        "robust_cards": trust_cards(data),
        "robust_dimensions": by_dimension(data),
        "robust_doses": doses(data),
        "robust_correlation_columns": columns,
        "robust_correlation_rows": rows,
        "robust_declined": declined_rows(data),
        "priors": data.correlations is not None and data.correlations["ratings"].str.contains("priors").any(),
        "robust_open": _OPEN,
        "dose_figures": dose_figures(data),
        "breakable": breakable,
    }
