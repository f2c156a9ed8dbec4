"""The first screen: one line per dimension, the cards of the metrics it names, and problems in the data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.errors import counted
from dialgauge.metaeval import Verdicts
from dialgauge.metrics import Metric, all_metrics
from dialgauge.report._content import Estimate, ReportData, drifting, listed, rated_systems, standing_apart
from dialgauge.report._verdict import (
    answers,
    level_words,
    measured_by,
    measured_in,
    null_sentence,
    rater_sentences,
    shown_number,
)
from dialgauge.tables import number

#: Most findings on the first screen; the rest is further down.
_LISTED = 3
_READS = {
    "reference": "the reference",
    "source": "the dialogue",
    "both": "the dialogue and the reference",
    "none": "the summary alone",
}
#: The reasons of a verdict that are about the agreement of raters.
_AGREEMENT_REASONS = ("low-agreement", "no-agreement")


@dataclass(frozen=True, slots=True)
class LeadingCard:
    """A metric of the first screen: what it is, facts about it, and its correlation with each dimension.

    ``trusted_for`` are the dimensions for which the verdict names it; each dimension has its level in words.
    """

    metric: str
    trusted_for: str
    description: str
    facts: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, Estimate, str], ...]


def registered(signature: str, known: Mapping[str, Metric] | None = None) -> Metric | None:
    """The metric that a signature names, if this version of dialgauge knows it."""
    return (all_metrics() if known is None else known).get(signature.partition("|")[0])


def reads(signature: str) -> str:
    """What a metric compares the summary with, from its signature."""
    parts = dict(part.partition(":")[::2] for part in signature.split("|")[1:])
    return _READS.get(parts.get("target", ""), "")


def leading_cards(data: ReportData) -> list[LeadingCard]:
    """The metrics that the verdict names for a dimension, each with its numbers for all dimensions."""
    if data.verdicts is None:
        return []
    named: dict[str, list[str]] = {}
    for answer in answers(data.verdicts):
        if answer.metric:
            named.setdefault(answer.metric, []).append(answer.dimension)
    return [_card(data, data.verdicts, metric, listed(dimensions)) for metric, dimensions in named.items()]


def _card(data: ReportData, verdicts: Verdicts, metric: str, trusted_for: str) -> LeadingCard:
    signature = data.scores.signatures.get(metric, "")
    known = registered(signature)
    facts = [("reads", reads(signature)), ("cost", known.cost if known else "")]
    facts += [panel.facts[metric] for panel in data.panels if metric in panel.facts]
    rows = [row for row in verdicts.rows if row.metric == metric]
    found = tuple((row.dimension, shown_number(row), level_words(row)) for row in rows)
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
    if data.verdicts is not None:
        said += rater_sentences(data.verdicts)
    for found, many in ((standing_apart(data), "Annotators are outliers"), (drifting(data), "Annotators drift")):
        said += [f"{many} in {len(found)} cases (listed below)."] if len(found) > 1 else found
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
    """The dimensions whose verdict is limited by how little raters agree."""
    if data.verdicts is None:
        return []
    limited = {
        row.dimension for row in data.verdicts.rows for reason in row.reasons if reason.code in _AGREEMENT_REASONS
    }
    rows = data.verdicts.dimensions.filter(pl.col("dimension").is_in(list(limited)), pl.col("alpha").is_not_null())
    if rows.is_empty():
        return []
    named = [f"{row['dimension']} {number(row['alpha'])}" for row in rows.sort("alpha").iter_rows(named=True)]
    return [f"Raters agree too little for firm conclusions (Krippendorff's α): {listed(named)}."]


def _unrated(data: ReportData) -> str:
    """How many of the systems are rated, if some but not all are."""
    rated = set(rated_systems(data)["system"]) & set(data.corpus.systems)
    return f", {len(rated)} of them rated" if 0 < len(rated) < len(data.corpus.systems) else ""


def overview(data: ReportData) -> dict[str, Any]:
    """What the template of the first screen needs."""
    verdicts = data.verdicts
    found = answers(verdicts, data.told) if verdicts else []
    return {
        "answers": found,
        "answers_measured_by": measured_in(found, verdicts) if verdicts else "",
        "null_sentence": null_sentence(verdicts) if verdicts else "",
        "measured_by": measured_by(verdicts) if verdicts else "",
        "unrated": _unrated(data),
        "leading_cards": leading_cards(data),
        "data_problems": data_problems(data),
    }
