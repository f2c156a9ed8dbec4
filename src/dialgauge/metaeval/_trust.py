"""``trust``: which metrics can be trusted, for which dimension, how far, and why."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.metaeval._best import best_floor, undominated
from dialgauge.metaeval._ceiling import HumanCeiling
from dialgauge.metaeval._cells import null
from dialgauge.metaeval._coefficient_parts import coefficient_parts
from dialgauge.metaeval._control_rows import control_rows
from dialgauge.metaeval._controls import dialogue_covariates
from dialgauge.metaeval._decide import SYSTEMS_NEED
from dialgauge.metaeval._directions import DimensionDirection, dimension_directions, oriented_ratings
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._needed import needed_rows, next_action
from dialgauge.metaeval._null_runs import count_named
from dialgauge.metaeval._perfect import disattenuated
from dialgauge.metaeval._reasons import Evidence, reasons_for
from dialgauge.metaeval._robust_enough import reactions_to_damage
from dialgauge.metaeval._robustness import Robustness
from dialgauge.metaeval._score_table import ScoreTable
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._trust_raters import measure_raters, rater_ceiling
from dialgauge.metaeval._trust_study import TrustStudy, gather_evidence
from dialgauge.metaeval._verdict import CONTROLS, DIMENSIONS, NEEDED, TRUST, Verdict, Verdicts, worst
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import Agreement, RatingPolicy, treat_ratings, with_judgements_as_ratings
from dialgauge.settings import chosen_pair, takes

#: Reasons that concern a whole dimension: nothing is named there, on shuffled ratings either.
_REFUSED = ("no-agreement", "not-crossed")


@with_bar
@takes(TrustSettings, RatingPolicy)
def trust(
    corpus: Corpus,
    scores: ScoreTable,
    settings: TrustSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    robustness: Robustness | None = None,
    agreement: Agreement | None = None,
    ceiling: HumanCeiling | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Verdicts:
    """Say of each metric and dimension whether the metric can be used, with care or not, and why.

    This is what ``dialgauge verdict`` and the study ask. A metric must be shown to follow the ratings, at one error
    (1 − ``confidence``) for all metrics and dimensions together. ``robustness``, ``agreement`` and ``ceiling`` are used
    where they were computed already; agreement and ceiling are computed where they are not given.
    """
    asked, policy = chosen_pair("trust", changes, (TrustSettings, settings), (RatingPolicy, policy))
    corpus = with_judgements_as_ratings(corpus.without_models())
    if not corpus.ratings["value"].count():
        raise InputError("the corpus has no ratings, so no metric can be judged")
    treated = treat_ratings(corpus.ratings, policy)
    wide = treated.aggregate().wide()
    directions = dimension_directions(corpus, policy, [name for name in wide.columns if name not in KEY])
    judged = [name for name, each in directions.items() if each.better != "none"]
    if not judged:
        raise InputError("on no dimension is higher or lower better, so no metric can be judged")
    study = TrustStudy(corpus, scores, asked, oriented_ratings(wide, directions).select(*KEY, *judged))
    matrix, controls = study.metrics(), study.controls()
    covariates = dialogue_covariates(corpus, matrix.dialogues) if len(matrix.systems) < SYSTEMS_NEED else None
    evidence = gather_evidence(matrix, controls, asked, covariates)
    evidence = replace(
        evidence,
        raters=measure_raters(treated, agreement, matrix, asked, corpus.dimensions_of("nominal")),
        ceiling=rater_ceiling(treated, ceiling, policy, asked, matrix, study.references),
        reactions={} if robustness is None else reactions_to_damage(robustness, matrix.metrics, matrix.dimensions),
    )
    rows = _verdicts(evidence)
    needed = [row for d, part in enumerate(rows) for row in needed_rows(evidence, d, part)]
    usable = np.array([[not any(each.code in _REFUSED for each in part[0].reasons) for part in rows]])
    named = count_named(matrix.scores, matrix.ratings, asked, covariates, usable, progress)
    summed_up = [_summed_up(evidence, d, part, directions, needed) for d, part in enumerate(rows)]
    return Verdicts(
        tuple(row for part in rows for row in part),
        pl.DataFrame(summed_up, schema=DIMENSIONS),
        pl.DataFrame(control_rows(controls, asked) if controls else [], schema=CONTROLS),
        pl.DataFrame(needed, schema=NEEDED),
        asked.null_runs,
        named,
        _done_with(evidence, policy, study.references),
        _notes(directions),
    )


def _verdicts(evidence: Evidence) -> list[list[Verdict]]:
    """For each dimension its verdicts, best first."""
    parts = coefficient_parts(
        evidence.matrix.scores, evidence.matrix.ratings, evidence.asked.level, evidence.asked.coefficient
    )
    result = []
    for d in range(len(evidence.matrix.dimensions)):
        rows = [_verdict(evidence, k, d) for k in range(len(evidence.matrix.metrics))]
        named = [k for k, row in enumerate(rows) if row.named]
        if named:
            kept = undominated(
                [part[named, d] for part in parts], evidence.alpha, evidence.asked.resamples, evidence.asked.seed
            )
            for k, among in zip(named, kept, strict=True):
                rows[k] = replace(rows[k], among_best=bool(among))
        result.append(sorted(rows, key=_rank))
    return result


def _rank(row: Verdict) -> tuple[int, bool, float, str]:
    """Best first: by level, then those shown, then the coefficient."""
    value = row.r if row.r is not None else row.c
    return TRUST.index(row.verdict), not row.named, -(value if value is not None else -2.0), row.metric


def _verdict(evidence: Evidence, k: int, d: int) -> Verdict:
    matrix, values, decision = evidence.matrix, evidence.values, evidence.decision
    reasons = reasons_for(evidence, k, d)
    shown = evidence.shown_by(k, d)
    present = ~(np.isnan(matrix.scores[k]) | np.isnan(matrix.ratings[d]))
    reached = evidence.ceiling
    true = disattenuated(
        (values.r.value[k, d], values.r.low[k, d], values.r.high[k, d]),
        (reached.perfect[d], reached.perfect_low[d], reached.perfect_high[d]),
    )

    def at(array: FloatArray) -> float | None:
        return null(float(array[k, d]))

    return Verdict(
        matrix.metrics[k],
        matrix.dimensions[d],
        worst([reason.caps for reason in reasons]) if shown else "do-not-use",
        r=at(values.r.value),
        low=at(values.r.low),
        high=at(values.r.high),
        c=at(values.cells.value),
        c_low=at(values.cells.low),
        c_high=at(values.cells.high),
        r_system=at(values.r_system),
        r_global=at(values.r_global.value),
        global_low=at(values.r_global.low),
        global_high=at(values.r_global.high),
        accuracy=at(values.accuracy.value),
        accuracy_low=at(values.accuracy.low),
        accuracy_high=at(values.accuracy.high),
        p_accuracy=at(values.p_accuracy),
        bar=at(decision.order_bar),
        c_bar=at(decision.cells_bar),
        p_order=at(decision.p_order),
        p_cells=at(decision.p_cells),
        r_true=null(float(true.value)),
        r_true_low=null(float(true.low)),
        r_true_high=null(float(true.high)),
        shown_by=shown,  # type: ignore[arg-type]
        scope="new systems" if len(matrix.systems) >= SYSTEMS_NEED else "these systems",
        systems=int(present.any(axis=1).sum()),
        dialogues=int(present.any(axis=0).sum()),
        rated=int(present.sum()),
        reasons=reasons,
    )


def _summed_up(
    evidence: Evidence,
    d: int,
    rows: list[Verdict],
    directions: dict[str, DimensionDirection],
    needed: list[dict[str, Any]],
) -> dict[str, Any]:
    matrix, raters, name = evidence.matrix, evidence.raters[d], evidence.matrix.dimensions[d]
    best = rows[0]
    action, sentence = next_action(rows, [row for row in needed if row["dimension"] == name])
    bars = evidence.decision.order_bar[:, d]
    return {
        "dimension": name,
        "verdict": best.verdict,
        "metric": best.metric if best.named else None,
        "named": sum(row.named for row in rows),
        "among_best": sum(bool(row.among_best) for row in rows),
        "better": directions[name].better,
        "better_said_by": directions[name].said_by,
        "systems": len(matrix.systems),
        "dialogues": len(matrix.dialogues),
        "rated": int(evidence.rated[d]),
        "summaries": matrix.pairing.paired,
        "raters": raters.per_summary,
        "alpha": null(raters.alpha),
        "alpha_low": null(raters.low),
        "alpha_high": null(raters.high),
        "reliability": null(raters.reliability),
        "ceiling": null(float(evidence.ceiling.one[d])),
        "perfect": null(float(evidence.ceiling.perfect[d])),
        "new_rater": null(float(evidence.ceiling.new_rater[d])),
        "bar": None if np.isnan(bars).all() else float(np.nanmedian(bars)),
        "floor": evidence.decision.floor,
        "best_floor": best_floor(len(matrix.systems)),
        "action": action,
        "action_sentence": sentence,
    }


def _done_with(evidence: Evidence, policy: RatingPolicy, references: list[str]) -> dict[str, Any]:
    matrix, decision = evidence.matrix, evidence.decision
    return evidence.asked.model_dump(mode="json", exclude={"metrics"}) | {
        "role": matrix.pairing.role,
        "metrics": list(matrix.metrics),
        "systems": list(matrix.systems),
        "dialogues": len(matrix.dialogues),
        "shuffles": decision.shuffles,
        "shuffled": decision.shuffled,
        "enumerated": decision.enumerated,
        "floor": decision.floor,
        "best_floor": best_floor(len(matrix.systems)),
        "families": sorted(decision.critical),
        "critical": {name: null(value) for name, value in decision.critical.items()},
        "references": [] if evidence.asked.with_references else references,
        "ratings": policy.model_dump(mode="json"),
        "pairing": str(matrix.pairing),
    }


def _notes(directions: dict[str, DimensionDirection]) -> tuple[str, ...]:
    guessed = ", ".join(sorted(name for name, each in directions.items() if each.said_by == "name"))
    neither = ", ".join(sorted(name for name, each in directions.items() if each.better == "none"))
    notes = []
    if guessed:
        notes.append(f"lower is taken to be better for {guessed}, by the name; set higher_is_better to change that")
    if neither:
        notes.append(f"not judged, because neither higher nor lower is better: {neither}")
    return tuple(notes)
