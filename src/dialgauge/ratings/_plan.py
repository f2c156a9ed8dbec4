"""A plan for a study: how many systems, dialogues and raters distinguish two systems, and what that costs."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._design import Design, Precision, dialogues_needed, precision
from dialgauge.ratings._settings import PlanSettings
from dialgauge.ratings._variance import SOURCES, VarianceComponents
from dialgauge.settings import takes
from dialgauge.tables import FrameResult

#: Variance components that can be assumed where there is no pilot: those of the reproduction of DialSummEval
#: (14 systems, 100 dialogues, 3 raters, points from 1 to 5).
ASSUMED: Mapping[str, Mapping[str, float]] = {
    "coherence": {"s": 0.812, "d": 0.017, "r": 0.021, "sd": 0.138, "sr": 0.197, "dr": 0.038, "e": 0.316},
    "consistency": {"s": 0.905, "d": 0.281, "r": 0.002, "sd": 0.577, "sr": 0.004, "dr": 0.045, "e": 0.370},
    "fluency": {"s": 0.432, "d": 0.007, "r": 0.000, "sd": 0.132, "sr": 0.209, "dr": 0.016, "e": 0.259},
    "relevance": {"s": 0.431, "d": 0.216, "r": 0.068, "sd": 0.333, "sr": 0.262, "dr": 0.109, "e": 0.410},
}
DESIGNS = pl.Schema(
    {
        "systems": pl.Int64,
        "dialogues": pl.Int64,
        "raters": pl.Int64,
        "pool": pl.Int64,
        "ratings": pl.Int64,
        "ratings_per_rater": pl.Float64,
        "hours": pl.Float64,
        "cost": pl.Float64,
        "half_width": pl.Float64,
        "power": pl.Float64,
        "careful_power": pl.Float64,
        "metric_r": pl.Float64,
        "metric_low": pl.Float64,
        "metric_high": pl.Float64,
    }
)
NEEDED = pl.Schema(
    {
        "systems": pl.Int64,
        "raters": pl.Int64,
        "pool": pl.Int64,
        "dialogues": pl.Int64,
        "careful_dialogues": pl.Int64,
        "ratings": pl.Int64,
        "hours": pl.Float64,
        "cost": pl.Float64,
    }
)
PAIRS = pl.Schema(
    {
        "system": pl.String,
        "other": pl.String,
        "difference": pl.Float64,
        "half_width": pl.Float64,
        "dialogues": pl.Int64,
        "more": pl.Int64,
    }
)


@dataclass(frozen=True, slots=True)
class Plan(FrameResult):
    """What each design can tell.

    ``frame`` has a row per number of systems, dialogues and raters per summary: ``ratings``, ``hours`` and ``cost``;
    ``half_width`` of the interval of a difference between two systems and ``power`` to find the one that was asked for;
    with a pilot, ``careful_power`` allows for the pilot's own uncertainty (the upper quartile of the variance).
    ``metric_r`` with its interval is what would be found of the metric that was asked for, at system level. ``needed``
    has the smallest number of dialogues for the power; null where none is enough. ``pairs`` has, for each two systems
    of the pilot, their difference with the ``half_width`` of its interval in the pilot, how many dialogues would
    distinguish them if they differ as they did, and how many ``more`` that is.
    """

    frame: pl.DataFrame
    needed: pl.DataFrame
    pairs: pl.DataFrame
    settings: PlanSettings
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """The answer in a sentence."""
        asked = self.settings
        found = self.needed.drop_nulls("dialogues").sort("ratings", "dialogues")
        aim = f"a difference of {asked.difference:g} with power {asked.power:g}"
        if found.is_empty():
            return f"No number of dialogues finds {aim} with these numbers of raters."
        best = found.row(0, named=True)
        people = f"{best['raters']} rater{'s' if best['raters'] > 1 else ''} per summary"
        return f"Fewest ratings for {aim}: {best['dialogues']} dialogues with {people} ({best['ratings']:,} ratings)."


@takes(PlanSettings)
def plan(
    components: VarianceComponents | Mapping[str, float] | str, settings: PlanSettings | None = None, **changes: Any
) -> Plan:
    """Plan a study from the variance components of a pilot, from assumed ones, or from a name in ``ASSUMED``.

    Assumed components are variances by source (s, d, r, sd, sr, dr, e); those not given are zero, sd and e must be.
    """
    asked = PlanSettings.chosen(settings, changes, "plan")
    pilot = components if isinstance(components, VarianceComponents) else None
    v = _variances(components)
    rows, needed = [], []
    for systems, raters in product(asked.systems, asked.raters):
        pool = max(asked.pool or raters, raters)
        for dialogues in asked.dialogues:
            rows.append(_row(v, pilot, asked, systems, Design(dialogues, raters, pool, asked.sharing)))
        needed.append(_needed(v, pilot, asked, systems, raters, pool))
    pairs = [] if pilot is None else list(_pairs(pilot, v, asked))
    return Plan(
        pl.DataFrame(rows, schema=DESIGNS),
        pl.DataFrame(needed, schema=NEEDED),
        pl.DataFrame(pairs, schema=PAIRS, orient="row"),
        asked,
        tuple(_notes(v, pilot, asked)),
    )


def _variances(components: VarianceComponents | Mapping[str, float] | str) -> dict[str, float]:
    if isinstance(components, VarianceComponents):
        return components.values
    if isinstance(components, str):
        if components not in ASSUMED:
            raise UnknownNameError("assumed variance components", components, ASSUMED)
        return dict(ASSUMED[components])
    for name, value in components.items():
        if name not in SOURCES:
            raise UnknownNameError("source of variance", name, SOURCES)
        if not (math.isfinite(value) and value >= 0):
            raise InputError(f"plan: the variance {name!r} must be 0 or more; got {value:g}")
    absent = [name for name in ("sd", "e") if name not in components]
    if absent:
        raise InputError(
            f"plan: the variance {absent[0]!r} ({SOURCES[absent[0]]}) must be given, as in {absent[0]}=0.3"
        )
    return dict.fromkeys(SOURCES, 0.0) | dict(components)


def _row(
    v: Mapping[str, float], pilot: VarianceComponents | None, asked: PlanSettings, systems: int, design: Design
) -> dict[str, Any]:
    found = precision(v, design, asked.difference, asked.claim, asked.confidence)
    careful = None if pilot is None else _careful(pilot, design, asked)
    r, low, high = _metric(v, asked, systems, design)
    return {
        **_cost(asked, systems, design.dialogues, design.raters, design.pool),
        "half_width": None if found is None else found.half_width,
        "power": None if found is None else found.power,
        "careful_power": None if careful is None else careful.power,
        "metric_r": r,
        "metric_low": low,
        "metric_high": high,
    }


def _cost(asked: PlanSettings, systems: int, dialogues: int, raters: int, pool: int) -> dict[str, Any]:
    ratings = systems * dialogues * raters
    hours = None if asked.minutes is None else ratings * asked.minutes / 60
    return {
        "systems": systems,
        "dialogues": dialogues,
        "raters": raters,
        "pool": pool,
        "ratings": ratings,
        "ratings_per_rater": ratings / pool,
        "hours": hours,
        "cost": None if hours is None or asked.wage is None else hours * asked.wage,
    }


def _careful_variances(pilot: VarianceComponents, design: Design, asked: PlanSettings) -> dict[str, float]:
    """The resampled components whose half-width is the upper quartile."""
    drawn = [dict(zip(SOURCES, row, strict=True)) for row in pilot.drawn.tolist()]
    known = [(precision(v, design, asked.difference, asked.claim, asked.confidence), v) for v in drawn]
    ranked = sorted(((each.half_width, place) for place, (each, _) in enumerate(known) if each is not None))
    return drawn[ranked[math.ceil(0.75 * len(ranked)) - 1][1]] if ranked else pilot.values


def _careful(pilot: VarianceComponents, design: Design, asked: PlanSettings) -> Precision | None:
    if not len(pilot.drawn):
        return None
    return precision(_careful_variances(pilot, design, asked), design, asked.difference, asked.claim, asked.confidence)


def _search(v: Mapping[str, float], asked: PlanSettings, raters: int, pool: int, difference: float) -> int | None:
    return dialogues_needed(
        v,
        raters,
        pool,
        asked.sharing,
        difference=difference,
        power=asked.power,
        claim=asked.claim,
        confidence=asked.confidence,
    )


def _needed(
    v: Mapping[str, float], pilot: VarianceComponents | None, asked: PlanSettings, systems: int, raters: int, pool: int
) -> dict[str, Any]:
    dialogues = _search(v, asked, raters, pool, asked.difference)
    careful = None
    if pilot is not None and len(pilot.drawn) and dialogues is not None:
        upper = _careful_variances(pilot, Design(dialogues, raters, pool, asked.sharing), asked)
        careful = _search(upper, asked, raters, pool, asked.difference)
    if dialogues is None:
        return {"systems": systems, "raters": raters, "pool": pool}
    cost = _cost(asked, systems, dialogues, raters, pool)
    return {name: cost[name] for name in NEEDED if name in cost} | {"careful_dialogues": careful}


def _metric(
    v: Mapping[str, float], asked: PlanSettings, systems: int, design: Design
) -> tuple[float | None, float | None, float | None]:
    """What would be found of a metric over systems' means: attenuated by their reliability, with Fisher's interval."""
    if asked.metric_correlation is None or v["s"] <= 0 or systems < 4:
        return None, None, None
    from scipy.special import ndtri

    n, k = design.dialogues, design.raters
    error = v["sd"] / n + v["sr"] / max(k, design.pool) + v["e"] / (n * k)
    r = asked.metric_correlation * math.sqrt(v["s"] / (v["s"] + error))
    half = float(ndtri((1 + asked.confidence) / 2)) / math.sqrt(systems - 3)
    return r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _pairs(
    pilot: VarianceComponents, v: Mapping[str, float], asked: PlanSettings
) -> Iterable[tuple[str, str, float, float | None, int | None, int | None]]:
    """For each two systems of the pilot: how far apart, give or take; rated by as many, how many dialogues it takes."""
    means = list(pilot.systems.select("system", "mean").iter_rows())
    per_summary = pilot.systems["ratings"].sum() / (len(means) * pilot.dialogues)
    raters = max(1, round(per_summary))
    pool = max(raters, pilot.raters)
    own = precision(v, Design(pilot.dialogues, raters, pool, asked.sharing), 0.0, asked.claim, asked.confidence)
    half_width = None if own is None else own.half_width
    known: dict[float, int | None] = {}
    for (system, mean), (other, second) in combinations(means, 2):
        difference = round(abs(mean - second), 6)
        if difference not in known:
            known[difference] = _search(v, asked, raters, pool, difference) if difference > 0 else None
        dialogues = known[difference]
        more = None if dialogues is None else max(0, dialogues - pilot.dialogues)
        yield system, other, mean - second, half_width, dialogues, more


def _notes(v: Mapping[str, float], pilot: VarianceComponents | None, asked: PlanSettings) -> Iterable[str]:
    if pilot is not None:
        yield from pilot.notes
        yield "Differences of the pilot's systems that are smaller than their ± may be none, or larger."
    if asked.claim == "these-raters":
        yield (
            "The claim is about these raters. Read as one about people in general it is too sure of itself wherever "
            "raters differ in how they see systems: ask for new-raters."
        )
    else:
        ceiling = [raters for raters in asked.raters if max(asked.pool or raters, raters) < 2]
        if ceiling:
            yield "One rater says nothing about other raters: no power is given."
        if v["sr"] > 0:
            yield (
                f"Raters differ in how they see systems (variance {v['sr']:.2g}): that shrinks with the number of "
                "people, not with dialogues."
            )
    if asked.metric_correlation is not None:
        yield "A metric's interval hardly depends on dialogues: more systems narrow it."
        if min(asked.systems) < 4:
            yield "A metric's interval needs four systems at least."
    if np.isclose(v["e"], 0) and np.isclose(v["sd"], 0):
        yield "Without variance of summaries and ratings every difference is found."
