"""``robustness``: which metrics lower the score of a degraded summary and keep that of a rewritten one."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import polars as pl

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval._cells import null
from dialgauge.metaeval._draws import bootstrap_weights
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._robustness_cards import CARDS, CardMaker, is_degrading, worst_failures
from dialgauge.metaeval._robustness_doses import dose_response
from dialgauge.metaeval._robustness_matrix import Changes, dose_of, measure_changes
from dialgauge.metaeval._robustness_tests import equivalence_test, mean_change, sign_test
from dialgauge.metaeval._settings import Effect, RobustnessSettings
from dialgauge.metaeval._tests import adjust_p_values
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

EFFECTS = get_args(Effect)
#: The name of all dimensions taken together.
ANY_DIMENSION = "overall"

#: One row of :attr:`Robustness.changes`.
CHANGES = pl.Schema(
    {
        "metric": pl.String,
        "perturbation": pl.String,
        "series": pl.String,
        "level": pl.Int64,
        "direction": pl.String,
        "items": pl.Int64,
        "dialogues": pl.Int64,
        "raw_change": pl.Float64,
        "unit": pl.Float64,
        "unit_of": pl.String,
        "change": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "lowered": pl.Float64,
        "raised": pl.Float64,
        "kept": pl.Float64,
        "p_sign": pl.Float64,
        "p_sign_corrected": pl.Float64,
        "p_equivalence": pl.Float64,
        "p_equivalence_corrected": pl.Float64,
        "reason": pl.String,
    }
)
#: One row of :attr:`Robustness.verdicts`.
VERDICTS = pl.Schema(dict.fromkeys(("metric", "perturbation", "dimension", "expected", "verdict"), pl.String))


@dataclass(frozen=True, slots=True)
class Robustness:
    """How each metric reacts to perturbed summaries.

    ``changes`` has a row per metric and perturbation: how many ``items`` (summaries) of how many ``dialogues``; the
    mean ``raw_change`` in the metric's own numbers (variant minus original); the same in units (``unit``: the standard
    deviation between ``unit_of``, systems or summaries) and signed so that negative means worse (``change`` with its
    interval); the shares of items whose score was ``lowered``, ``raised``, or ``kept`` within the margin; and the
    p-values of the sign test and of the equivalence test, also corrected for the number of cells.

    ``verdicts`` compares that with what each dimension expects. Where the perturbation degrades: ``noticed`` (the score
    falls), ``faint`` (it falls, but by less than the margin), ``blind`` (shown to stay within the margin without
    falling), ``wrong`` (it rises). Where it preserves: ``stable`` (shown to stay within the margin), ``lowered`` or
    ``raised``. ``unclear`` where neither test is decided. Null for a metric without direction.

    ``doses`` says whether a metric falls further the stronger the perturbation, ``cards`` sums up each metric per
    dimension and for all together (``overall``), ``failures`` are the variants it got most wrong. ``unpaired`` lists
    variants without the original of their summary; they are ignored.
    """

    changes: pl.DataFrame
    verdicts: pl.DataFrame
    doses: pl.DataFrame
    cards: pl.DataFrame
    failures: pl.DataFrame
    unpaired: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by name."""
        names = ("changes", "verdicts", "doses", "cards", "failures", "unpaired")
        return {name: getattr(self, name) for name in names}


@with_bar
@takes(RobustnessSettings)
def robustness(
    scores: pl.DataFrame,
    effects: Mapping[str, Mapping[str, str]],
    directions: Mapping[str, str],
    settings: RobustnessSettings | None = None,
    *,
    metrics: Sequence[str] | None = None,
    references: Collection[str] = (),
    progress: Progress | None = None,
    **changes: Any,
) -> Robustness:
    """Compare the scores of perturbed summaries with the expected effects of the perturbations.

    ``scores`` is a frame with the key columns (``variant`` is ``"original"`` or a label such as ``typos`` or
    ``change_perturbation_2``; ``typos#2`` is a second variant of the same kind) and a column per metric. ``effects``
    says of each label what it does to each dimension: ``preserves``, ``degrades`` or ``degrades-mildly``; labels that
    the scores do not have are ignored. ``directions`` says which metrics are better ``higher`` or ``lower``; any
    other metric is descriptive and gets no verdict. ``dimensions`` restricts the expected effects to some of them;
    taken together, a label degrades if it degrades one.

    Changes are measured in the metric's own spread: the standard deviation of the systems' means over the originals
    (``spread="systems"``), or of the single summaries; ``auto`` takes systems from three on. ``references`` do not
    count as systems there. ``margin``, in these units, is what counts as no change. Intervals and tests take dialogues
    as the independent cases; ``resamples`` is for the cards and doses, 0 for no interval there.
    """
    asked = RobustnessSettings.chosen(settings, changes, "robustness")
    margin, confidence = asked.margin, asked.confidence
    effects = {**effects, **asked.effects}
    chosen = _dimensions(effects, asked.dimensions)
    found = measure_changes(scores, effects, directions, metrics=metrics, references=references, spread=asked.spread)
    expected = {name: [effects[label].get(name) for label in found.labels] for name in chosen}
    together = {label: strongest([effects[label].get(name) for name in chosen]) for label in found.labels}
    step, steps = 0, len(chosen) + 3

    def advance(what: str) -> None:
        nonlocal step
        if progress:
            progress(what, step, steps)
        step += 1

    advance("changes")
    changed = _change_rows(found, directions, margin, confidence)
    drawn = bootstrap_weights(1, found.dialogues, asked.resamples, "inputs", asked.seed).dialogues
    draws = np.concatenate([np.ones((1, found.dialogues)), drawn])
    maker = CardMaker(found, directions, margin, draws, confidence)
    cards: list[dict[str, Any]] = []
    for dimension, wanted in {ANY_DIMENSION: [together[label] for label in found.labels], **expected}.items():
        advance(f"trust cards: {dimension}")
        cards += maker.cards(dimension, wanted)
    advance("dose response")
    known = {label: effect for label, effect in together.items() if effect is not None}
    doses = dose_response(found, directions, known, draws, confidence)
    by_label = {name: dict(zip(found.labels, wanted, strict=True)) for name, wanted in expected.items()}
    verdicts = _verdicts(changed, {ANY_DIMENSION: together} | by_label, 1 - confidence)
    done_with = asked.model_dump(mode="json", include={"seed", "margin", "resamples", "confidence"}) | {
        "dimensions": list(chosen),
        "spread": found.unit_kind,
        "dialogues": found.dialogues,
        "items": found.items.height,
        "references": sorted(references),
    }
    return Robustness(
        changes=changed,
        verdicts=verdicts,
        doses=doses,
        cards=pl.DataFrame(cards, schema=CARDS),
        failures=worst_failures(found, directions, known, margin, asked.failures),
        unpaired=found.unpaired,
        settings=done_with,
    )


def strongest(effects: Sequence[str | None]) -> str | None:
    """Dimensions taken together: a summary is degraded if it is in one of them. None if no effect is declared."""
    said = [effect for effect in effects if effect is not None]
    return max(said, key=EFFECTS.index) if said else None


def _dimensions(effects: Mapping[str, Mapping[str, str]], wanted: Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(dict.fromkeys(name for label in effects.values() for name in label))
    for label, said in effects.items():
        for name, effect in said.items():
            if effect not in EFFECTS:
                raise UnknownNameError(f"effect of {label!r} on {name!r}", effect, EFFECTS)
    if ANY_DIMENSION in known:
        raise ParameterError("robustness", "effects", f"for dimensions not called {ANY_DIMENSION!r}", ANY_DIMENSION)
    if wanted is None:
        return known
    for name in wanted:
        if name not in known:
            raise UnknownNameError("dimension of these effects", name, known)
    return tuple(dict.fromkeys(wanted))


def _change_rows(found: Changes, directions: Mapping[str, str], margin: float, confidence: float) -> pl.DataFrame:
    rows = [
        _change_row(found, m, k, margin, confidence) | {"direction": directions.get(metric, "none")}
        for m, metric in enumerate(found.metrics)
        for k in range(len(found.labels))
    ]
    for name in ("p_sign", "p_equivalence"):
        p_values = [math.nan if row[name] is None else row[name] for row in rows]
        for row, corrected in zip(rows, adjust_p_values(p_values, "benjamini-hochberg"), strict=True):
            row[f"{name}_corrected"] = null(float(corrected))
    return pl.DataFrame(rows, schema=CHANGES)


def _change_row(found: Changes, m: int, k: int, margin: float, confidence: float) -> dict[str, Any]:
    metric, label, values = found.metrics[m], found.labels[k], found.values[m, k]
    known = values[~np.isnan(values)]
    change = mean_change(values, found.dialogue)
    low, high = change.interval(confidence)
    reason = found.reasons.get(metric, "")
    if not reason and not len(known):
        reason = "no value for any pair of a variant and its original"
    elif not reason and change.dialogues < 2:
        reason = "one dialogue: no interval, no test"
    series, level = dose_of(label)
    return {
        "metric": metric,
        "perturbation": label,
        "series": series,
        "level": level,
        "items": len(known),
        "dialogues": change.dialogues,
        "raw_change": null(change.mean * float(found.units[m]) * float(found.signs[m])),
        "unit": null(float(found.units[m])),
        "unit_of": found.unit_kind,
        "change": null(change.mean),
        "low": null(low),
        "high": null(high),
        "lowered": _share(known < 0),
        "raised": _share(known > 0),
        "kept": _share(np.abs(known) <= margin),
        "p_sign": null(sign_test(values, found.dialogue)) if change.dialogues > 1 else None,
        "p_equivalence": null(equivalence_test(change, margin)),
        "reason": reason or None,
    }


def _share(hits: FloatArray) -> float | None:
    return float(np.mean(hits)) if len(hits) else None


def _verdicts(changes: pl.DataFrame, expected: Mapping[str, Mapping[str, str | None]], alpha: float) -> pl.DataFrame:
    rows = [
        (row["metric"], row["perturbation"], dimension, effect, _verdict(row, effect, alpha))
        for dimension, effects in expected.items()
        for row in changes.iter_rows(named=True)
        if (effect := effects[row["perturbation"]]) is not None
    ]
    return pl.DataFrame(rows, schema=VERDICTS, orient="row")


def _verdict(row: Mapping[str, Any], effect: str, alpha: float) -> str | None:
    if row["direction"] == "none" or row["change"] is None:
        return None
    moved = row["p_sign_corrected"] is not None and row["p_sign_corrected"] < alpha
    same = row["p_equivalence_corrected"] is not None and row["p_equivalence_corrected"] < alpha
    # Most items and the mean must agree: a few large changes against many small ones decide nothing.
    down = moved and row["lowered"] > row["raised"] and row["change"] < 0
    up = moved and row["raised"] > row["lowered"] and row["change"] > 0
    if is_degrading(effect):
        if down:
            return "faint" if same else "noticed"
        return "blind" if same else "wrong" if up else "unclear"
    if same:
        return "stable"
    return "lowered" if down else "raised" if up else "unclear"
