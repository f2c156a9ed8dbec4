"""Why a metric is not simply to be used: each reason is a rule over the evidence, with its numbers and a sentence."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from dialgauge.metaeval._decide import ORDER_NEEDS, SYSTEMS_NEED, Decision
from dialgauge.metaeval._matrix import ScoreMatrix
from dialgauge.metaeval._names import BoolArray, FloatArray
from dialgauge.metaeval._robust_enough import Reaction
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._trust_raters import Ceilings, Raters
from dialgauge.metaeval._trust_values import TrustValues
from dialgauge.metaeval._verdict import TRUST, Reason, Trust

#: Reliability of the mean rating below which conclusions are tentative (Krippendorff 2004).
RELIABLE = 0.667
#: Without a human ceiling, a coefficient below this is weak; with one, below this share of it.
_WEAK, _WEAK_SHARE = 0.3, 0.5
#: A dimension rated on a smaller share of the summaries than this does not stand as equal beside the others.
_RATED_SHARE = 0.5
#: Fewer dialogues than these in common, and two systems cannot change places.
SHARED_DIALOGUES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything that a verdict rests on. Arrays are metrics × dimensions."""

    matrix: ScoreMatrix
    asked: TrustSettings
    decision: Decision
    values: TrustValues
    wrong_order: BoolArray
    rated: FloatArray
    shared_dialogues: FloatArray
    raters: list[Raters]
    ceiling: Ceilings
    without_length: Decision | None = None
    length: FloatArray | None = None
    better_than_length: BoolArray | None = None
    reactions: dict[tuple[str, str], Reaction] = field(default_factory=dict)

    @property
    def alpha(self) -> float:
        """The familywise error."""
        return 1 - self.asked.confidence

    def shown_by(self, k: int, d: int) -> tuple[str, ...]:
        """What a metric was shown to do."""
        order, cells = self.decision.shown(self.alpha)
        return tuple(name for name, shown in (("order", order), ("cells", cells)) if shown[k, d])

    def headline(self, k: int, d: int) -> float:
        """The number that is shown; that of the cells where two systems have no coefficient."""
        value = float(self.values.r.value[k, d])
        return float(self.values.cells.value[k, d]) if isnan(value) else value


Rule = Callable[[Evidence, int, int], Reason | None]


def reasons_for(evidence: Evidence, k: int, d: int) -> tuple[Reason, ...]:
    """The reasons that hold for a metric and a dimension, those that weigh most first."""
    found = [reason for rule in _RULES if (reason := rule(evidence, k, d)) is not None]
    return tuple(sorted(found, key=lambda reason: -TRUST.index(reason.caps)))


def number(value: float) -> str:
    """A coefficient or p-value in words: .31, −.07, 1.00."""
    text = f"{abs(value):.2f}" if abs(value) >= 0.005 or value == 0 else f"{abs(value):.3f}"
    return ("−" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)


def _undefined(evidence: Evidence, k: int, d: int) -> Reason | None:
    matrix = evidence.matrix
    why = matrix.refused.get(matrix.metrics[k]) or matrix.refused.get(matrix.dimensions[d])
    if not why and isnan(evidence.decision.p_cells[k, d]) and isnan(evidence.decision.p_order[k, d]):
        if len(matrix.systems) < 2:
            return None
        why = "the scores or the ratings do not vary within dialogues"
    return Reason("undefined", "do-not-use", f"No verdict: {why}.", {"why": why}) if why else None


def _too_few_systems(evidence: Evidence, k: int, d: int) -> Reason | None:
    m, decision = len(evidence.matrix.systems), evidence.decision
    numbers = {"systems": m, "floor": decision.floor, "needed": ORDER_NEEDS}
    if m < 2:
        sentence = "One system: nothing can be compared."
        return Reason("too-few-systems", "do-not-use", sentence, numbers)
    if decision.floor > evidence.alpha + 1e-10:
        sentence = (
            f"{m} systems: no p-value can be below {number(decision.floor)}, so nothing can be shown at "
            f"{evidence.asked.confidence:.0%} confidence."
        )
        return Reason("too-few-systems", "do-not-use", sentence, numbers)
    if m < ORDER_NEEDS:
        return Reason("too-few-systems", "care", _few_systems(m, bool(evidence.shown_by(k, d))), numbers)
    return None


def _few_systems(m: int, shown: bool) -> str:
    if shown:
        return f"Follows which summary of these {m} systems is better; whether it orders systems takes {ORDER_NEEDS}."
    return f"With {m} systems nothing can be said about their order; {ORDER_NEEDS} are needed."


def _not_crossed(evidence: Evidence, k: int, d: int) -> Reason | None:
    shared = int(evidence.shared_dialogues[d])
    if len(evidence.matrix.systems) < 2 or shared >= SHARED_DIALOGUES:
        return None
    sentence = f"Not crossed: some two systems share {shared} rated dialogues, and {SHARED_DIALOGUES} are needed."
    return Reason("not-crossed", "do-not-use", sentence, {"shared": shared, "needed": SHARED_DIALOGUES})


def _no_agreement(evidence: Evidence, k: int, d: int) -> Reason | None:
    raters = evidence.raters[d]
    if isnan(raters.alpha):
        sentence = "One rating per summary: how far raters agree is not known."
        return Reason("unknown-agreement", "care", sentence, {"raters": raters.per_summary})
    numbers = {
        "alpha": raters.alpha,
        "low": raters.low,
        "high": raters.high,
        "raters": raters.per_summary,
        "reliability": raters.reliability,
    }
    interval = "" if isnan(raters.low) else f" [{number(raters.low)} {number(raters.high)}]"
    if raters.by_chance:
        sentence = (
            f"Do not use these ratings: raters agree no better than by chance (α {number(raters.alpha)}{interval})."
        )
        return Reason("no-agreement", "do-not-use", sentence, numbers)
    if raters.reliability < RELIABLE:
        sentence = (
            f"Raters agree too little: the mean of {raters.per_summary:.3g} has a reliability of "
            f"{number(raters.reliability)}, and {number(RELIABLE)} is needed (α {number(raters.alpha)}{interval})."
        )
        return Reason("low-agreement", "care", sentence, numbers)
    return None


def _outlying_raters(evidence: Evidence, k: int, d: int) -> Reason | None:
    apart = evidence.raters[d].outliers
    if not apart:
        return None
    few = ", ".join(apart[:3]) + (f" and {len(apart) - 3} more" if len(apart) > 3 else "")
    sentence = f"Some raters differ from the others ({few}): without them, raters would agree clearly better."
    return Reason("outlying-raters", "use", sentence, {"raters": few, "outliers": len(apart)})


def _few_ratings(evidence: Evidence, k: int, d: int) -> Reason | None:
    rated, most = int(evidence.rated[d]), int(evidence.rated.max())
    if rated >= _RATED_SHARE * most:
        return None
    sentence = f"Rated on {rated} summaries, other dimensions on up to {most}."
    return Reason("few-ratings", "care", sentence, {"rated": rated, "summaries": most})


def _not_shown(evidence: Evidence, k: int, d: int) -> Reason | None:
    decision = evidence.decision
    p_values = [p for p in (decision.p_order[k, d], decision.p_cells[k, d]) if not isnan(p)]
    if evidence.shown_by(k, d) or not p_values:
        return None
    r, c = evidence.values.r.value[k, d], evidence.values.cells.value[k, d]
    numbers = {
        "p": min(p_values),
        "r": float(r),
        "bar": float(decision.order_bar[k, d]),
        "c": float(c),
        "c_bar": float(decision.cells_bar[k, d]),
    }
    value, bar, name = (
        (r, decision.order_bar[k, d], "r")
        if not isnan(decision.order_bar[k, d])
        else (
            c,
            decision.cells_bar[k, d],
            "c",
        )
    )
    needed = "" if isnan(bar) or isnan(value) else f": {name} is {number(value)}, and {number(bar)} would be needed"
    sentence = f"Not shown to follow the ratings{needed} (p {number(min(p_values))})."
    return Reason("not-shown", "do-not-use", sentence, numbers)


def _one_family(evidence: Evidence, k: int, d: int) -> Reason | None:
    shown, decision = evidence.shown_by(k, d), evidence.decision
    numbers = {"p_order": float(decision.p_order[k, d]), "p_cells": float(decision.p_cells[k, d])}
    if shown == ("order",):
        sentence = "Shown to order systems, not shown to distinguish single summaries beyond who wrote them."
        return Reason("orders-systems-only", "use", sentence, numbers)
    if shown == ("cells",) and len(evidence.matrix.systems) >= ORDER_NEEDS and not evidence.wrong_order[k, d]:
        sentence = "Shown to distinguish single summaries of these systems, not shown to order systems."
        return Reason("cells-only", "care", sentence, numbers)
    return None


def _these_systems(evidence: Evidence, k: int, d: int) -> Reason | None:
    m, n = len(evidence.matrix.systems), len(evidence.matrix.dialogues)
    if m >= SYSTEMS_NEED or not evidence.shown_by(k, d):
        return None
    sentence = f"Decided by {n} dialogues: it holds for these {m} systems and says nothing about others."
    return Reason("these-systems-only", "care", sentence, {"dialogues": n, "systems": m})


def _wrong_order(evidence: Evidence, k: int, d: int) -> Reason | None:
    if evidence.shown_by(k, d) != ("cells",) or not evidence.wrong_order[k, d]:
        return None
    r, c = float(evidence.values.r.value[k, d]), float(evidence.values.cells.value[k, d])
    sentence = (
        f"Orders the systems the wrong way round (r {number(r)}), though it follows differences between single "
        f"summaries (c {number(c)})."
    )
    return Reason("wrong-order", "do-not-use", sentence, {"r": r, "c": c})


def _weak(evidence: Evidence, k: int, d: int) -> Reason | None:
    value, ceiling = evidence.headline(k, d), float(evidence.ceiling.one[d])
    if not evidence.shown_by(k, d) or evidence.asked.coefficient == "pairwise_accuracy":
        return None
    name = "c" if isnan(evidence.values.r.value[k, d]) else "r"
    if isnan(ceiling) or name == "c":
        if value >= _WEAK:
            return None
        sentence = f"Weak: {name} is {number(value)}, below {number(_WEAK)}."
        return Reason("weak", "care", sentence, {"r": value, "limit": _WEAK})
    if value >= _WEAK_SHARE * ceiling:
        return None
    sentence = f"Weak: r is {number(value)}, less than half of what one rater reaches ({number(ceiling)})."
    return Reason("weak", "care", sentence, {"r": value, "ceiling": ceiling})


def _explained_by_length(evidence: Evidence, k: int, d: int) -> Reason | None:
    shown, without = evidence.shown_by(k, d), evidence.without_length
    if not shown or without is None:
        return None
    # Shown by order and left only in the cells is explained as far as the order goes.
    kept = dict(zip(("order", "cells"), without.shown(evidence.alpha), strict=True))
    if any(kept[name][k, d] for name in shown):
        return None
    raw, left = (
        float(np.nanmin([each.p_order[k, d], each.p_cells[k, d], 1.0])) for each in (evidence.decision, without)
    )
    sentence = (
        "Explained by length: not shown once the length of the summaries is taken out "
        f"(p {number(raw)} with it, {number(left)} without)."
    )
    return Reason("explained-by-length", "care", sentence, {"p": raw, "p_without_length": left})


def _no_better_than_length(evidence: Evidence, k: int, d: int) -> Reason | None:
    if evidence.length is None or evidence.better_than_length is None or not evidence.shown_by(k, d):
        return None
    length, value = float(evidence.length[d]), float(evidence.values.r.value[k, d])
    if isnan(length) or length <= 0 or evidence.better_than_length[k, d]:
        return None
    sentence = f"Not shown to be better than the bare length of the summary (r {number(value)} and {number(length)})."
    caps: Trust = "care" if length >= value else "use"
    return Reason("no-better-than-length", caps, sentence, {"r": value, "length": length})


def _hangs_on_one_system(evidence: Evidence, k: int, d: int) -> Reason | None:
    r, without = float(evidence.values.r.value[k, d]), evidence.values.without_system[:, k, d]
    known = ~np.isnan(without)
    if not evidence.shown_by(k, d) or isnan(r) or r <= 0 or known.sum() < 4:
        return None
    which = int(np.nanargmin(np.where(known, without, np.inf)))
    left = float(without[which])
    if left >= r / 2:
        return None
    system = evidence.matrix.systems[which]
    sentence = f"Rests on the system {system!r}: r is {number(r)} with it and {number(left)} without."
    return Reason("hangs-on-one-system", "care", sentence, {"system": system, "r": r, "r_without": left})


def _fails_when_broken(evidence: Evidence, k: int, d: int) -> Reason | None:
    reaction = evidence.reactions.get((evidence.matrix.metrics[k], evidence.matrix.dimensions[d]))
    if reaction is None and any(dimension == evidence.matrix.dimensions[d] for _, dimension in evidence.reactions):
        return Reason("not-perturbed", "use", "Robustness is not judged: no score for perturbed summaries.", {})
    if reaction is None or not (problem := reaction.problem):
        return None
    if not reaction.enough:
        return Reason("too-few-perturbations", "use", problem, reaction.numbers)
    return Reason("fails-when-broken", "care", problem, reaction.numbers)


_RULES: tuple[Rule, ...] = (
    _undefined,
    _not_crossed,
    _no_agreement,
    _too_few_systems,
    _not_shown,
    _wrong_order,
    _explained_by_length,
    _no_better_than_length,
    _fails_when_broken,
    _hangs_on_one_system,
    _weak,
    _few_ratings,
    _outlying_raters,
    _these_systems,
    _one_family,
)
