"""Strengths of systems from comparisons of pairs: Bradley and Terry (1952) with the ties of Davidson (1970).

P(i beats j) ∝ exp((θi − θj)/2), P(j beats i) ∝ exp((θj − θi)/2), P(tie) ∝ ν. Unlike Elo ratings, which depend on the
order in which comparisons happen to be listed, the fit has one answer.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray

_STEPS, _ENOUGH = 100, 1e-10
#: Keeps strengths finite where a system wins or loses everything.
RIDGE = 0.1


@dataclass(frozen=True, slots=True)
class Fitted:
    """``strength`` of each system (their sum is 0), ``tie`` (ν), and whether a ridge was needed.

    Without ties ν is 0; where every comparison is a tie it is infinite, and all strengths are 0.
    """

    strength: FloatArray
    tie: float
    ridge: bool


def fit_strengths(wins: FloatArray, ties: FloatArray, *, ridge: float | None = None) -> Fitted:
    """Fit strengths to ``wins`` (how often the row's system beat the column's) and ``ties`` (symmetric counts).

    Where some system never loses to the others, or never wins, the strengths would be infinite: then (or with
    ``ridge``) their squares are added to the loss, weighted by the ridge.
    """
    penalty = ridge if ridge is not None else (0.0 if is_connected(wins, ties) else RIDGE)
    theta, tie = _newton(wins[None], ties[None], penalty)
    return Fitted(theta[0], float(tie[0]), penalty > 0)


def fit_many(wins: FloatArray, ties: FloatArray, ridge: float) -> FloatArray:
    """The strengths for many tables of counts at once (resamples × systems)."""
    return _newton(wins, ties, ridge)[0]


def is_connected(wins: FloatArray, ties: FloatArray) -> bool:
    """Whether every system is reachable from every other by "did not always win against"; a tie leads both ways."""
    reach: BoolArray = (wins + ties > 0) | np.eye(len(wins), dtype=bool)
    for _ in range(len(wins).bit_length()):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())


def _newton(wins: FloatArray, ties: FloatArray, ridge: float) -> tuple[FloatArray, FloatArray]:
    """Newton's method on θ and log ν for all tables together (tables × systems × systems)."""
    tables, n, _ = wins.shape
    total = wins + wins.transpose(0, 2, 1) + ties
    tied = ties.sum(axis=(1, 2)) / 2
    has_ties = tied > 0
    # Where every comparison is a tie, log ν has no maximum: it stays where it is, and with it θ stays 0.
    moves = has_ties & (wins.sum(axis=(1, 2)) > 0)
    theta, log_tie = np.zeros((tables, n)), np.where(has_ties, 0.0, -np.inf)
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(wins, ties, total, tied, theta, log_tie, ridge)
        # The sum of θ is free: pin it by a weight on its square. A log ν that does not move needs one, too.
        hessian[:, :n, :n] += 1.0 / n
        hessian[:, n, n] += ~moves
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        step = np.clip(step, -2.0, 2.0)
        step[:, n] *= moves
        theta = theta + step[:, :n]
        theta -= theta.mean(axis=1, keepdims=True)
        log_tie = log_tie + step[:, n]
        if np.abs(step).max() < _ENOUGH:
            break
    return theta, np.exp(np.where(has_ties & ~moves, np.inf, log_tie))


def _derivatives(
    wins: FloatArray,
    ties: FloatArray,
    total: FloatArray,
    tied: FloatArray,
    theta: FloatArray,
    log_tie: FloatArray,
    ridge: float,
) -> tuple[FloatArray, FloatArray]:
    """Gradient of the log-likelihood and its negative second derivatives, for θ and log ν."""
    tables, n = theta.shape
    gap = (theta[:, :, None] - theta[:, None, :]) / 2
    up, down, even = np.exp(gap), np.exp(-gap), np.exp(log_tie)[:, None, None]
    whole = up + down + even
    p_up, p_down, p_even = up / whole, down / whole, even / whole
    difference = p_up - p_down
    gradient = np.zeros((tables, n + 1))
    gradient[:, :n] = ((wins - wins.transpose(0, 2, 1)) / 2 - total * difference / 2).sum(axis=2) - ridge * theta
    gradient[:, n] = tied - (total * p_even).sum(axis=(1, 2)) / 2
    spread = total * (p_up + p_down - difference**2) / 4
    hessian = np.zeros((tables, n + 1, n + 1))
    hessian[:, :n, :n] = -spread
    hessian[:, np.arange(n), np.arange(n)] = spread.sum(axis=2) - spread[:, np.arange(n), np.arange(n)] + ridge
    mixed = -(total * difference * p_even).sum(axis=2) / 2
    hessian[:, :n, n] = hessian[:, n, :n] = mixed
    hessian[:, n, n] = (total * p_even * (1 - p_even)).sum(axis=(1, 2)) / 2
    return gradient, hessian
