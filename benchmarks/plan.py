"""Does the planner's power come true? Studies are drawn from known variance components and tested as dialgauge does.

``python -m benchmarks.plan`` prints predicted and simulated power and half-widths for crossed designs and pools.
"""

import sys
from collections.abc import Mapping

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._rater_interval import over_dialogues, over_raters
from dialgauge.ratings._design import Design, precision
from dialgauge.ratings._plan import ASSUMED

#: Designs with the claim that is made and the difference that is true.
CASES = (
    ("these-raters", Design(25, 3, 3), 0.3),
    ("these-raters", Design(45, 3, 3), 0.3),
    ("these-raters", Design(80, 2, 2), 0.3),
    ("these-raters", Design(150, 1, 1), 0.2),
    ("these-raters", Design(400, 2, 2), 0.1),
    ("new-raters", Design(100, 3, 3), 0.5),
    ("new-raters", Design(100, 5, 5), 0.5),
    ("new-raters", Design(100, 10, 10), 0.5),
    ("new-raters", Design(50, 10, 10), 0.5),
    ("new-raters", Design(30, 20, 20), 0.5),
    ("these-raters", Design(60, 2, 10), 0.3),
    ("these-raters", Design(60, 3, 6, "summary"), 0.3),
    ("new-raters", Design(60, 3, 12), 0.5),
    ("new-raters", Design(100, 2, 20), 0.5),
    ("new-raters", Design(100, 2, 20, "summary"), 0.5),
    ("new-raters", Design(200, 1, 30), 0.4),
)


def draw(
    generator: np.random.Generator, v: Mapping[str, float], design: Design, difference: float, fixed: bool
) -> FloatArray:
    """Ratings of two systems (systems × raters × dialogues), NaN where somebody did not rate.

    With ``fixed`` raters the difference is true of them; otherwise of all raters they are drawn from.
    """
    size, n = max(design.pool, design.raters), design.dialogues

    def effect(name: str, *shape: int) -> FloatArray:
        return np.asarray(np.sqrt(v[name]) * generator.standard_normal(shape))

    liking = effect("sr", 2, size, 1)
    if fixed:
        liking = liking - liking.mean(axis=1, keepdims=True)
    ratings = effect("d", 1, 1, n) + effect("r", 1, size, 1) + effect("dr", 1, size, n) + effect("sd", 2, 1, n)
    ratings = ratings + liking + effect("e", 2, size, n)
    ratings[1] += difference
    if not design.crossed:
        ratings[~_taken(generator, design, size)] = np.nan
    return ratings


def _taken(
    generator: np.random.Generator, design: Design, size: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Who rates what: the first few of a random order, the same for both systems unless summaries are shared out."""
    order = generator.random((2, size, design.dialogues)).argsort(axis=1).argsort(axis=1)
    if design.sharing == "dialogue":
        order[1] = order[0]
    return np.asarray(order < design.raters)


def simulate(
    v: Mapping[str, float], claim: str, design: Design, difference: float, studies: int, seed: int = 0
) -> tuple[float, float]:
    """The share of studies in which the difference is found, and the mean half-width of its interval."""
    generator = np.random.default_rng(seed)
    found, widths = 0, []
    for _ in range(studies):
        first, second = draw(generator, v, design, difference, claim == "these-raters")
        if claim == "these-raters":
            result = over_dialogues(np.nanmean(second, axis=0) - np.nanmean(first, axis=0), 0.95)
        else:
            result = over_raters(second, first, 0.95)
        found += bool(result.p_value < 0.05)
        widths.append((result.high - result.low) / 2)
    return found / studies, float(np.mean(widths))


def compare(studies: int = 1000, dimension: str = "coherence") -> None:
    """Print the table of the documentation."""
    v = ASSUMED[dimension]
    for claim, design, difference in CASES:
        expected = precision(v, design, difference, claim, 0.95)  # type: ignore[arg-type]
        power, width = simulate(v, claim, design, difference, studies)
        assert expected is not None
        kind = "crossed" if design.crossed else f"pool of {design.pool}, by {design.sharing}"
        shown = f"{claim}, {design.dialogues} × {design.raters}, {kind}, difference {difference}"
        off, half = expected.power - power, expected.half_width
        print(
            f"{shown}: power {expected.power:.3f}/{power:.3f} ({off:+.3f}), half-width {half:.3f}/{width:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
