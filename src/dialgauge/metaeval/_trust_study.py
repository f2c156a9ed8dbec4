"""From a corpus and its scores to the evidence of a verdict."""

from dataclasses import replace

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.metaeval._best import best_floor, undominated
from dialgauge.metaeval._coefficient_parts import coefficient_parts
from dialgauge.metaeval._controls import LENGTH, PREFIX, control_frame
from dialgauge.metaeval._correlate import orient
from dialgauge.metaeval._decide import ORDER_NEEDS, decide
from dialgauge.metaeval._matrix import ScoreMatrix, align
from dialgauge.metaeval._names import BoolArray, FloatArray
from dialgauge.metaeval._null_runs import wrong_order
from dialgauge.metaeval._reasons import Evidence
from dialgauge.metaeval._score_table import ScoreTable
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._standardised import without_line
from dialgauge.metaeval._system_metrics import split_metrics, system_matrix
from dialgauge.metaeval._trust_raters import Ceilings, Raters
from dialgauge.metaeval._trust_values import trust_values


class TrustStudy:
    """Scores, controls and ratings of a corpus, aligned by key."""

    def __init__(self, corpus: Corpus, scores: ScoreTable, asked: TrustSettings, ratings: pl.DataFrame) -> None:
        self.corpus, self.scores, self.asked, self.ratings = corpus, scores, asked, ratings
        self.references = sorted(corpus.references["system"].unique())
        self.matrix: ScoreMatrix | None = None

    def metrics(self) -> ScoreMatrix:
        """The metrics that say which summary is better, oriented."""
        asked, directions = self.asked, self.scores.directions
        _, per_system = split_metrics(self.scores.frame, self.scores.systems, None)
        judging = [*self.scores.judging, *(name for name in per_system if directions.get(name, "none") != "none")]
        chosen = judging if asked.metrics is None else list(asked.metrics)
        if not chosen:
            raise InputError("no metric says which summary is better: score one, or name those to judge (metrics=…)")
        wanted, per_system = split_metrics(self.scores.frame, self.scores.systems, chosen)
        self.matrix = align(
            self.scores.frame,
            self.ratings,
            metrics=wanted,
            without_systems=() if asked.with_references else self.references,
            role=asked.role,
            variant=asked.variant,
            no_metrics=bool(per_system),
        )
        if per_system:
            self.matrix = _with_system_metrics(self.matrix, self.scores.systems, per_system)
        return orient(self.matrix, directions)

    def controls(self) -> ScoreMatrix | None:
        """The controls beside the same ratings, of the same systems and dialogues."""
        if not self.asked.controls or self.matrix is None:
            return None
        matrix = self.matrix
        made = control_frame(self.corpus, list(matrix.systems), matrix.pairing.role, matrix.pairing.variant)
        keys = self.scores.frame.select(KEY) if set(KEY) <= set(self.scores.frame.columns) else made.select(KEY)
        placed = align(
            made.join(keys, on=list(KEY), how="semi"),
            self.ratings,
            without_systems=() if self.asked.with_references else self.references,
            role=matrix.pairing.role,
            variant=matrix.pairing.variant,
        )
        if (placed.systems, placed.dialogues) != (matrix.systems, matrix.dialogues):
            return None
        return placed


def _with_system_metrics(matrix: ScoreMatrix, systems: pl.DataFrame, names: list[str]) -> ScoreMatrix:
    """The matrix and metrics that have one value per system (corpus BLEU): they can order systems and nothing else."""
    beside = system_matrix(matrix, systems, names)
    values, refused = beside.scores, matrix.refused | beside.refused
    if len(matrix.systems) < ORDER_NEEDS:
        why = f"it has one value per system, and it takes {ORDER_NEEDS} systems to show that it orders them"
        values, refused = np.full_like(values, np.nan), refused | dict.fromkeys(names, why)
    cube = np.concatenate([matrix.scores, values])
    return replace(matrix, metrics=(*matrix.metrics, *names), scores=cube, refused=refused)


def gather_evidence(
    matrix: ScoreMatrix, controls: ScoreMatrix | None, asked: TrustSettings, covariates: FloatArray | None
) -> Evidence:
    """The decision and everything that reasons are made from, except what comes from raters and perturbations."""
    decision = decide(matrix.scores, matrix.ratings, asked, covariates)
    values = trust_values(matrix, asked, covariates)
    present = ~np.isnan(matrix.ratings)
    together = np.einsum("dij,dkj->dik", present.astype(int), present.astype(int))
    rated = present.sum(axis=(1, 2))
    evidence = Evidence(
        matrix,
        asked,
        decision,
        values,
        wrong_order(matrix.scores, matrix.ratings, asked, decision),
        rated,
        together.min(axis=(1, 2)),
        [Raters() for _ in matrix.dimensions],
        Ceilings.unknown(len(matrix.dimensions)),
    )
    if controls is None:
        return evidence
    length = controls.scores[controls.metrics.index(f"{PREFIX}{LENGTH}")]
    left = decide(without_line(matrix.scores, length), without_line(matrix.ratings, length), asked, covariates)
    alone = replace(controls, metrics=(LENGTH,), scores=length[None])
    of_length = trust_values(alone, asked.model_copy(update={"resamples": 0}), covariates)
    return replace(
        evidence,
        without_length=left,
        length=of_length.r.value[0],
        better_than_length=_better_than(matrix, length, asked),
    )


def _better_than(matrix: ScoreMatrix, control: FloatArray, asked: TrustSettings) -> BoolArray:
    """Metrics × dimensions: is the metric shown to be better than a control, over all metrics of the dimension?"""
    m = len(matrix.systems)
    result = np.zeros((len(matrix.metrics), len(matrix.dimensions)), dtype=bool)
    if best_floor(m) > 1 - asked.confidence or m < ORDER_NEEDS:
        return result
    own = coefficient_parts(matrix.scores, matrix.ratings, asked.level, asked.coefficient)
    base = coefficient_parts(control[None], matrix.ratings, asked.level, asked.coefficient)
    for d in range(len(matrix.dimensions)):
        for k in range(len(matrix.metrics)):
            pair = [np.stack([mine[k, d], other[0, d]]) for mine, other in zip(own, base, strict=True)]
            kept = undominated(pair, 1 - asked.confidence, asked.resamples, asked.seed)
            result[k, d] = kept[0] and not kept[1]
    return result
