"""The transport problem (earth mover's distance) for many pairs of weighted sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels._native import call, kernel_name

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Transport:
    """Two sets of masses, and what it costs to move a unit from each of the first (rows) to each of the second."""

    supply: FloatArray
    demand: FloatArray
    cost: FloatArray


def transport_costs(problems: Sequence[Transport]) -> FloatArray:
    """The cost of the cheapest plan of each problem. If the masses differ, the smaller one is moved entirely.

    Exact, without padding: a problem of n and m masses takes n × m cells.
    """
    ordered = [_prepared(problem) for problem in problems]
    if kernel_name() == "python":
        return np.array([_linear_program(problem) for problem in ordered], dtype=np.float64)
    result = np.zeros(len(ordered))
    if ordered:
        call(
            "dg_transport",
            np.array([len(problem.supply) for problem in ordered], dtype=np.int64),
            np.array([len(problem.demand) for problem in ordered], dtype=np.int64),
            len(ordered),
            np.concatenate([problem.supply for problem in ordered]),
            np.concatenate([problem.demand for problem in ordered]),
            np.concatenate([problem.cost.ravel() for problem in ordered]),
            result,
        )
    return result


def _prepared(problem: Transport) -> Transport:
    """Without empty masses, and so that the smaller side sends."""
    supply, demand, cost = (
        np.asarray(part, dtype=np.float64) for part in (problem.supply, problem.demand, problem.cost)
    )
    if cost.shape != (len(supply), len(demand)):
        raise ValueError(f"{len(supply)} and {len(demand)} masses but costs of shape {cost.shape}")
    sends, takes = supply > 0, demand > 0
    if not (sends.all() and takes.all()):
        supply, demand, cost = supply[sends], demand[takes], cost[np.ix_(sends, takes)]
    if supply.sum() > demand.sum():
        return Transport(demand, supply, cost.T)
    return Transport(supply, demand, cost)


def _linear_program(problem: Transport) -> float:
    rows, columns = problem.cost.shape
    if rows == 0 or columns == 0:
        return 0.0
    from scipy.optimize import linprog
    from scipy.sparse import identity, kron

    sends = kron(identity(rows), np.ones((1, columns)))
    takes = kron(np.ones((1, rows)), identity(columns))
    # Rounding may leave the receiving side a hair short of equal masses: scaled to the sum, the problem stays feasible.
    room = problem.demand * max(1.0, problem.supply.sum() / problem.demand.sum())
    solved = linprog(
        problem.cost.ravel(), A_ub=takes.tocsr(), b_ub=room, A_eq=sends.tocsr(), b_eq=problem.supply, method="highs"
    )
    if solved.fun is None:
        raise ArithmeticError(f"no transport plan was found: {solved.message}")
    return float(solved.fun)
