"""Rater models for labels: Dawid and Skene's confusion tables, and MACE's share of guesses.

Both are fitted by expectation maximisation on the engine of the rater models, with the labels as the states of an item.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._rater_grid import ItemBlocks

_ROUNDS, _FIRST_ROUNDS, _RESTARTS = 100, 10, 10
_CHANGE = 1e-5
#: The share of spammers that is expected before any rating is seen.
_EXPECTED = 0.1


@dataclass(frozen=True, slots=True)
class LabelFit:
    """The fitted model: what the engine takes, how often each rater is right, and log odds of being a spammer."""

    table: FloatArray
    prior: FloatArray
    reliability: FloatArray
    spammer: FloatArray
    converged: bool


def fit_dawid_skene(blocks: ItemBlocks) -> LabelFit:
    """A table of confusions per rater (Dawid and Skene, 1979), started at the shares of the votes.

    Each rater begins with one right answer per label and 1/K of each confusion, so that few ratings say little.
    """
    size = len(blocks.coded.points)
    counts, states = blocks.start(_votes(blocks)), np.ones(size)
    before, converged = np.inf, False
    for _ in range(_ROUNDS):
        table, prior = _confusions(counts, size), np.log((states + 1) / (states + 1).sum())
        counts, states, likelihood = blocks.counts(table, prior)
        if abs(likelihood - before) < _CHANGE * len(blocks.coded.item):
            converged = True
            break
        before = likelihood
    return LabelFit(table, prior, _right(table, prior, size), _spammer_odds(blocks, table, prior), converged)


def fit_mace(blocks: ItemBlocks, seed: int = 0) -> LabelFit:
    """Each rater knows the label or guesses from a distribution of their own (MACE; Hovy et al., 2013).

    The best of ten random starts, by likelihood.
    """
    size, raters = len(blocks.coded.points), blocks.coded.raters
    generator = np.random.default_rng(seed)
    prior = np.full(size, -np.log(size))
    best: tuple[float, FloatArray, FloatArray] | None = None
    for start in range(_RESTARTS):
        knows = np.full(raters, 0.8) if start == 0 else generator.uniform(0.2, 0.95, raters)
        guesses = np.full((raters, size), 1 / size) if start == 0 else generator.dirichlet(np.full(size, 5.0), raters)
        likelihood, knows, guesses, _ = _mace_rounds(blocks, prior, knows, guesses, _FIRST_ROUNDS)
        if best is None or likelihood > best[0]:
            best = likelihood, knows, guesses
    assert best is not None
    _, knows, guesses, converged = _mace_rounds(blocks, prior, best[1], best[2], _ROUNDS)
    table = _guessing(knows, guesses)
    return LabelFit(table, prior, knows, _spammer_odds(blocks, table, prior), converged)


def _votes(blocks: ItemBlocks) -> FloatArray:
    coded = blocks.coded
    votes = np.zeros((coded.items, len(coded.points)))
    np.add.at(votes, (coded.item, coded.code), 1.0)
    return np.asarray(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1))


def _confusions(counts: FloatArray, size: int) -> FloatArray:
    tables = counts.reshape(-1, size, size) + 1 / size + np.eye(size)
    return np.asarray(np.log(tables / tables.sum(axis=1, keepdims=True)).reshape(counts.shape))


def _right(table: FloatArray, prior: FloatArray, size: int) -> FloatArray:
    """How often each rater gives the right label, over the labels as they occur."""
    return np.asarray(np.exp(table.reshape(-1, size, size)[:, range(size), range(size)]) @ np.exp(prior))


def _guessing(knows: FloatArray, guesses: FloatArray) -> FloatArray:
    size = guesses.shape[1]
    table = (1 - knows)[:, None, None] * guesses[:, :, None] + knows[:, None, None] * np.eye(size)
    return np.asarray(np.log(table).reshape(-1, size))


def _mace_rounds(
    blocks: ItemBlocks, prior: FloatArray, knows: FloatArray, guesses: FloatArray, rounds: int
) -> tuple[float, FloatArray, FloatArray, bool]:
    size, before = guesses.shape[1], -np.inf
    for _ in range(rounds):
        counts, _, likelihood = blocks.counts(_guessing(knows, guesses), prior)
        tables = counts.reshape(-1, size, size)
        given = tables.sum(axis=2)
        right = tables[:, range(size), range(size)]
        guessed = (1 - knows)[:, None] * guesses
        known = right * knows[:, None] / (knows[:, None] + guessed)
        knows = (known.sum(axis=1) + 1) / (given.sum(axis=1) + 2)
        guesses = given - known + 0.5
        guesses = guesses / guesses.sum(axis=1, keepdims=True)
        if abs(likelihood - before) < _CHANGE * len(blocks.coded.item):
            return likelihood, knows, guesses, True
        before = likelihood
    return before, knows, guesses, False


def _spammer_odds(blocks: ItemBlocks, table: FloatArray, prior: FloatArray) -> FloatArray:
    """Log of how much better one distribution for all labels explains a rater than one for each (Bayes factor)."""
    size = len(prior)
    tables = blocks.counts_by_others(table, prior).reshape(-1, size, size)
    each = np.full((size, size), 1 / size) + np.eye(size)
    apart = _evidence(np.moveaxis(tables, 2, 1), each.T).sum(axis=1)
    return np.asarray(_evidence(tables.sum(axis=2), np.ones(size)) - apart)


def _evidence(counts: FloatArray, smoothing: FloatArray) -> FloatArray:
    """The log probability of counts under a distribution that is itself drawn (Dirichlet), over the last axis."""
    from scipy.special import gammaln

    total = gammaln(smoothing.sum(axis=-1)) - gammaln((counts + smoothing).sum(axis=-1))
    return np.asarray(total + (gammaln(counts + smoothing) - gammaln(smoothing)).sum(axis=-1))


def prior_log_odds() -> float:
    """Of a rater being a spammer, before any rating is seen."""
    return float(np.log(_EXPECTED / (1 - _EXPECTED)))
