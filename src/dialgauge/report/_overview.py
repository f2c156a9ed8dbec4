"""The first screen: the verdict in one sentence, the cards of the leading metrics, and problems in the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import factorial
from typing import Any

import polars as pl

from dialgauge.errors import counted
from dialgauge.metrics import Metric, all_metrics
from dialgauge.report._content import (
    Estimate,
    Ranking,
    ReportData,
    drifting,
    listed,
    rated_systems,
    surest,
    unranked,
)
from dialgauge.tables import number

#: How many metrics get a card on the first screen, at least.
_LEADING = 3
#: Most findings on the first screen; the rest is further down.
_LISTED = 3
_READS = {
    "reference": "the reference",
    "source": "the dialogue",
    "both": "the dialogue and the reference",
    "none": "the summary alone",
}
#: Below this, Krippendorff's own bound, conclusions from ratings are tentative at best.
_TENTATIVE = 0.667
#: A correlation needs the first number of points; fewer systems than the second are easily ordered right by chance.
_FEWEST, _FEW = 3, 5


@dataclass(frozen=True, slots=True)
class LeadingCard:
    """A metric of the first screen: what it is, facts about it, and its correlation with each dimension.

    ``trusted_for`` are the dimensions for which the verdict names it. A dimension is marked True where its interval is
    above zero and no metric is significantly better.
    """

    metric: str
    trusted_for: str
    description: str
    facts: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, Estimate, bool], ...]


def registered(signature: str, known: Mapping[str, Metric] | None = None) -> Metric | None:
    """The metric that a signature names, if this version of dialgauge knows it."""
    return (all_metrics() if known is None else known).get(signature.partition("|")[0])


def reads(signature: str) -> str:
    """What a metric compares the summary with, from its signature."""
    parts = dict(part.partition(":")[::2] for part in signature.split("|")[1:])
    return _READS.get(parts.get("target", ""), "")


def summing_up(rankings: Sequence[Ranking]) -> list[tuple[str, str]]:
    """The verdict: pairs of metric and dimensions; the metric is empty if none correlates significantly."""
    by_metric: dict[str, list[str]] = {}
    for ranking in rankings:
        sure = surest(ranking)
        by_metric.setdefault(sure.metric if sure else "", []).append(ranking.dimension)
    return [(metric, listed(dimensions)) for metric, dimensions in by_metric.items()]


def too_few(data: ReportData, rankings: Sequence[Ranking]) -> str:
    """If nothing could be correlated because too little was rated: this fact, and what is needed."""
    if any(entry.value is not None for ranking in rankings for entry in ranking.estimates):
        return ""
    rated = rated_systems(data)
    count = rated["system"].n_unique()
    if count < _FEWEST:
        rated_so_far = ("No system is rated", "Only one system is rated", "Only two systems are rated")[count]
        return (
            f"{rated_so_far}, so metrics cannot be validated: a correlation needs at least three. Have summaries of "
            "more systems rated."
        )
    together = (rated.group_by("dialogue_id").len()["len"] >= _FEWEST).any()
    if not together and all(ranking.level == "summary" for ranking in rankings):
        return (
            "No dialogue has rated summaries of three systems, so correlations within dialogues are undefined. Have "
            "three or more systems rated on the same dialogues, or correlate across systems (the level system)."
        )
    return ""


def few_systems(data: ReportData, rankings: Sequence[Ranking]) -> str:
    """A warning if there are so few systems that a correlation may be due to chance."""
    count = rated_systems(data)["system"].n_unique()
    if not rankings or not _FEWEST <= count < _FEW:
        return ""
    chance = f"by chance alone, one metric in {factorial(count)} orders them correctly"
    return f"Only {count} systems are rated: {chance}."


def cautions(data: ReportData) -> dict[str, str]:
    """Objections to metrics, by name, from all panels; they follow the name in the verdict."""
    return {metric: said for panel in data.panels for metric, said in panel.cautions.items()}


def instead(rankings: Sequence[Ranking], failing: Mapping[str, str]) -> dict[str, str]:
    """Alternatives to metrics that the verdict names although they fail.

    An alternative is not significantly different from the best of a dimension, has an interval above zero and does
    not fail.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for ranking in rankings:
        sure = surest(ranking)
        if sure is None or sure.metric not in failing or sure.metric not in ranking.leaders:
            continue
        for entry in ranking.estimates:
            if entry.metric in ranking.leaders and entry.metric not in failing and (entry.low or 0.0) > 0:
                found.setdefault(sure.metric, {}).setdefault(entry.metric, []).append(ranking.dimension)
                break
    named = dict(summing_up(rankings))
    return {
        metric: listed(
            [
                other if listed(where) == named[metric] else f"{other} for {listed(where)}"
                for other, where in use.items()
            ]
        )
        for metric, use in found.items()
    }


def brief(ranking: Ranking, failing: Mapping[str, str] | None = None) -> str:
    """The ranking of one dimension in two short sentences, for a narrow column; ``failing`` are :func:`cautions`."""
    scored = [entry for entry in ranking.estimates if entry.value is not None]
    if not scored:
        return unranked(ranking)
    best, sure = scored[0], surest(ranking)
    others = [metric for metric in ranking.leaders if metric != best.metric]
    if sure is None:
        said = f"Trust none: even the interval of {best.metric} ({best}) includes zero."
    elif sure is not best:
        said = f"{sure.metric}, {sure}{_caution(sure.metric, failing)}. Higher, but includes zero: {best.metric}."
    else:
        also = ""
        if ranking.leaders:
            also = f" Not significantly different: {len(others)} more." if others else " It leads alone."
        said = f"{best.metric}, {best}{_caution(best.metric, failing)}.{also}"
    if ranking.ceiling is not None and ranking.ceiling > 0:
        said += f" One rater reaches {number(ranking.ceiling)}."
    return said


def _caution(metric: str, failing: Mapping[str, str] | None) -> str:
    return ", but fails on perturbed summaries" if failing and metric in failing else ""


def leading_cards(data: ReportData, rankings: Sequence[Ranking]) -> list[LeadingCard]:
    """The metrics that the verdict names; if these are few, also those with the highest mean correlation above zero.

    Metrics with the same numbers (such as variants of one metric) share a card, which names them.
    """
    values: dict[str, list[float]] = {}
    for ranking in rankings:
        for entry in ranking.estimates:
            if entry.value is not None:
                values.setdefault(entry.metric, []).append(entry.value)
    complete = {metric: sum(found) / len(found) for metric, found in values.items() if len(found) == len(rankings)}
    ranked = sorted((name for name in complete if complete[name] > 0), key=lambda name: (-complete[name], name))
    named = {metric: dimensions for metric, dimensions in summing_up(rankings) if metric}
    cards = [_card(data, rankings, metric, dimensions) for metric, dimensions in named.items()]
    twins: dict[tuple[str, ...], list[str]] = {_numbers(card): [] for card in cards}
    for metric in ranked:
        if metric in named:
            continue
        card = _card(data, rankings, metric, "")
        if _numbers(card) in twins:
            twins[_numbers(card)].append(metric)
        elif len(cards) < _LEADING:
            cards.append(card)
            twins[_numbers(card)] = []
    return [_with_twins(card, twins[_numbers(card)]) for card in cards]


def _numbers(card: LeadingCard) -> tuple[str, ...]:
    return tuple(str(estimate) for _, estimate, _ in card.values)


def _with_twins(card: LeadingCard, twins: Sequence[str]) -> LeadingCard:
    """The card with the names of other metrics with the same numbers."""
    if not twins:
        return card
    more = len(twins) - _LISTED
    named = [*twins[:_LISTED], f"{more} more"] if more > 0 else twins
    return replace(card, facts=(*card.facts, ("same numbers", listed(named))))


def _card(data: ReportData, rankings: Sequence[Ranking], metric: str, trusted_for: str) -> LeadingCard:
    signature = data.scores.signatures.get(metric, "")
    known = registered(signature)
    facts = [("reads", reads(signature)), ("cost", known.cost if known else "")]
    facts += [panel.facts[metric] for panel in data.panels if metric in panel.facts]
    shares = [
        (ranking.ceiling, entry.value)
        for ranking in rankings
        for entry in ranking.estimates
        if entry.metric == metric and entry.value is not None
    ]
    if shares and all(ceiling is not None and ceiling > 0 for ceiling, _ in shares):
        reached = sum(value / ceiling for ceiling, value in shares if ceiling) / len(shares)
        facts.append(("of one rater", f"{max(0.0, reached):.0%}"))
    found = tuple(
        (ranking.dimension, entry, metric in ranking.leaders and (entry.low or 0.0) > 0)
        for ranking in rankings
        for entry in ranking.estimates
        if entry.metric == metric
    )
    description = known.description if known else ""
    return LeadingCard(metric, trusted_for, description, tuple(f for f in facts if f[1]), found)


def data_problems(data: ReportData) -> list[str]:
    """Problems in the data, the worst first, each in a sentence; empty if none were found."""
    said = []
    if data.problems:
        said.append(f"{counted(len(data.problems), 'row')} of the input skipped as invalid.")
    if data.counted:
        said += data.counted.sentences()
    serious = [finding for finding in data.findings if finding["severity"] != "note" and not _reported(data, finding)]
    said += [f"{finding['where']}: {finding['message']}" for finding in serious[:_LISTED]]
    if len(serious) > _LISTED:
        more = len(serious) - _LISTED
        said.append(f"{counted(more, 'more finding')} about the ratings {'is' if more == 1 else 'are'} listed below.")
    said += _weak_agreement(data)
    drifts = drifting(data)
    if len(drifts) > 1:
        said.append(f"Annotators drift in {len(drifts)} cases (listed below).")
    else:
        said += drifts
    if left_out := data.scores.left_out:
        named = ", ".join(sorted(left_out)[:3]) + (" …" if len(left_out) > 3 else "")
        said.append(f"{counted(len(left_out), 'metric')} could not run here: {named}.")
    single = data.scores.failures.filter(pl.col("dialogue_id").is_not_null()).height
    if single:
        said.append(f"{counted(single, 'value')} of metrics missing; the reasons are listed below.")
    return said


def _reported(data: ReportData, finding: Mapping[str, Any]) -> bool:
    """Whether the sentences about dropped ratings already report a finding."""
    return finding.get("check") in (data.counted.invalid if data.counted else ())


def _weak_agreement(data: ReportData) -> list[str]:
    if data.agreement is None:
        return []
    weak = data.agreement.filter(
        pl.col("measure") == "krippendorff-alpha", pl.col("dimension").is_not_null(), pl.col("value") < _TENTATIVE
    ).sort("value")
    if weak.is_empty():
        return []
    named = listed([f"{row['dimension']} {number(row['value'])}" for row in weak.iter_rows(named=True)])
    return [f"Annotators agree too little for firm conclusions (α below {_TENTATIVE:g}): {named}."]


def _unrated(data: ReportData) -> str:
    """How many of the systems are rated, if some but not all are."""
    rated = set(rated_systems(data)["system"]) & set(data.corpus.systems)
    return f", {len(rated)} of them rated" if 0 < len(rated) < len(data.corpus.systems) else ""


def overview(data: ReportData, rankings: Sequence[Ranking]) -> dict[str, Any]:
    """What the template of the first screen needs."""
    failing = cautions(data)
    return {
        "cautions": failing,
        "instead": instead(rankings, failing),
        "summing_up": summing_up(rankings),
        "too_few": too_few(data, rankings),
        "few_systems": few_systems(data, rankings),
        "unrated": _unrated(data),
        "leading_cards": leading_cards(data, rankings),
        "data_problems": data_problems(data),
        "brief": partial(brief, failing=failing),
    }
