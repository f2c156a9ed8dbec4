"""How many more dialogues, systems or raters would settle what is open, and the one next action for a dimension."""

from math import atanh, ceil, isnan
from typing import Any

from dialgauge.metaeval._decide import ORDER_NEEDS
from dialgauge.metaeval._reasons import RELIABLE, Evidence
from dialgauge.metaeval._verdict import Verdict

#: Normal quantile of the power that is planned for: four out of five studies show it.
_POWER = 0.84
#: Plans beyond these are no plans.
_MOST_DIALOGUES, _MOST_SYSTEMS, _MOST_RATERS = 1000, 30, 30


def needed_rows(evidence: Evidence, d: int, rows: list[Verdict]) -> list[dict[str, Any]]:
    """For the most promising metric of a dimension: what is there, and what would be enough for a better verdict."""
    found = [_raters(evidence, d)]
    candidate = _candidate(rows)
    if candidate is not None and candidate.verdict != "use":
        k = evidence.matrix.metrics.index(candidate.metric)
        found += [_dialogues(evidence, k, d), _systems(evidence, k, d)]
    head = {"dimension": evidence.matrix.dimensions[d]}
    return [head | row for row in found if row is not None]


def _candidate(rows: list[Verdict]) -> Verdict | None:
    """The first verdict whose metric points the right way."""
    return next((row for row in rows if row.named or max(row.r or 0.0, row.c or 0.0) > 0), None)


def _dialogues(evidence: Evidence, k: int, d: int) -> dict[str, Any] | None:
    c, critical = float(evidence.values.cells.value[k, d]), evidence.decision.critical.get("cells", float("nan"))
    m, n = len(evidence.matrix.systems), len(evidence.matrix.dialogues)
    if isnan(c) or isnan(critical) or not 0 < c < 1 or "cells" in evidence.shown_by(k, d):
        return None
    need = ceil((((critical + _POWER) / atanh(c)) ** 2 + 3) / (m - 1)) + 1
    if need <= n or need > _MOST_DIALOGUES:
        return None
    metric = evidence.matrix.metrics[k]
    sentence = f"About {need} dialogues ({n} now) would show in four of five studies that {metric} follows the ratings."
    return _row(metric, "dialogues", n, need, c, sentence)


def _systems(evidence: Evidence, k: int, d: int) -> dict[str, Any] | None:
    m, metric = len(evidence.matrix.systems), evidence.matrix.metrics[k]
    r = evidence.headline(k, d)
    if m < ORDER_NEEDS:
        sentence = f"{ORDER_NEEDS} systems ({m} now) are the fewest whose order can be tested."
        return _row(metric, "systems", m, ORDER_NEEDS, r, sentence)
    bar, order = float(evidence.decision.order_bar[k, d]), float(evidence.decision.order[k, d])
    critical, above = evidence.decision.critical.get("order", float("nan")), order - evidence.decision.expected[k, d]
    if "order" in evidence.shown_by(k, d) or isnan(bar) or above <= 0:
        return None
    # A statistic of this coefficient grows with the root of the systems.
    statistic = above / (bar - evidence.decision.expected[k, d]) * critical
    need = ceil((m - 1) * ((critical + _POWER) / statistic) ** 2) + 1
    if need <= m or need > _MOST_SYSTEMS:
        return None
    sentence = (
        f"About {need} systems ({m} now) would show in four of five studies that {metric} orders them; "
        "fewer metrics in the comparison need fewer."
    )
    return _row(metric, "systems", m, need, r, sentence)


def _raters(evidence: Evidence, d: int) -> dict[str, Any] | None:
    raters = evidence.raters[d]
    if isnan(raters.alpha):
        sentence = "Two raters per summary are the fewest whose agreement can be measured."
        return _row(None, "raters", raters.per_summary, 2, float("nan"), sentence)
    if raters.by_chance or raters.reliability >= RELIABLE:
        return None
    need = ceil(RELIABLE * (1 - raters.alpha) / (raters.alpha * (1 - RELIABLE)))
    if need > _MOST_RATERS:
        return None
    sentence = f"{need} raters per summary ({raters.per_summary:.3g} now) would make their mean reliable enough."
    return _row(None, "raters", raters.per_summary, need, float("nan"), sentence)


def _row(metric: str | None, what: str, have: float, need: float, r: float, sentence: str) -> dict[str, Any]:
    return {
        "metric": metric,
        "what": what,
        "have": float(have),
        "need": float(need),
        "for_r": None if isnan(r) else r,
        "sentence": sentence,
    }


def next_action(rows: list[Verdict], needed: list[dict[str, Any]]) -> tuple[str, str]:
    """A code and a sentence: what to do next for this dimension."""
    best = rows[0] if rows else None
    if best is None:
        return "add-metrics", "Score a metric that says which summary is better."
    codes = {reason.code for reason in best.reasons}
    if "no-agreement" in codes:
        return (
            "rate-again",
            "Clarify the guideline and have the summaries rated again; no metric can be judged by this.",
        )
    if "not-crossed" in codes:
        return "cross-systems", "Rate the summaries of all systems for the same dialogues."
    if best.verdict == "use":
        return "use", f"Use {best.metric}."
    unreliable = bool(codes & {"low-agreement", "unknown-agreement"})
    with_care = f"Use {best.metric} to find summaries to look at, not to decide between systems."
    if best.named and "too-few-systems" in codes and not unreliable:
        return "use-with-care", with_care  # more systems are rarely to be had
    plans = {row["what"]: row["sentence"] for row in needed}
    order = ("raters", "systems", "dialogues") if best.named else ("dialogues", "systems", "raters")
    if best.named and not unreliable:
        order = ("systems", "dialogues", "raters")
    for what in order:
        if what in plans:
            return f"more-{what}", plans[what]
    if best.named:
        return "use-with-care", with_care
    return "try-others", "None of these metrics follows the ratings; try metrics of another kind."
