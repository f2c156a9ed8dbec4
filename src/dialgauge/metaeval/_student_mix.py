"""Cochran's quantiles: those of two of Student's distributions, weighted by the variances that they belong to."""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import FloatArray, IntArray

#: The logarithm of the smallest tail that is told from zero.
_LEAST = -700.0
#: Enough for any start; five or six are usual.
_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class StudentMix:
    """Two degrees of freedom with their weights, an entry each."""

    one: IntArray
    other: IntArray
    weight: FloatArray
    other_weight: FloatArray

    def quantile(self, tail: FloatArray | float) -> FloatArray:
        """How far from zero ``tail`` is left on one side; NaN without weight."""
        from scipy.special import stdtrit

        with np.errstate(invalid="ignore", divide="ignore"):
            mixed = self.weight * stdtrit(self.one, tail) + self.other_weight * stdtrit(self.other, tail)
            return np.asarray(-mixed / (self.weight + self.other_weight))

    def tail(self, distance: FloatArray) -> FloatArray:
        """The tail whose quantile is ``distance``: the inverse of :meth:`quantile`, by Newton's method on logarithms.

        It lies between the tails of both distributions, which bound every step. Logarithms of quantiles are nearly
        linear in those of tails, so a few steps are enough.
        """
        from scipy.special import stdtr

        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            ends = [np.maximum(np.log(stdtr(degrees, -distance)), _LEAST) for degrees in (self.one, self.other)]
            low, high = np.minimum(*ends), np.maximum(*ends)
            at = high
            for _ in range(_STEPS):
                reached = self.quantile(np.exp(at))
                reached = np.where(np.isfinite(reached), reached, np.inf)  # what is too far out to be computed
                low, high = np.where(reached > distance, at, low), np.where(reached > distance, high, at)
                near = np.abs(reached / distance - 1) < 1e-9
                step = np.log(reached / distance) * reached / self._falls(np.exp(at))
                inside = (at + step >= low) & (at + step <= high) & (near | (step != 0))
                following = np.where(inside, at + step, (low + high) / 2)
                moved, limit = np.abs(following - at), 1e-15 * np.abs(at)
                at = following
                if not ((moved > limit) | ~(near | (high - low <= limit))).any(where=distance > 0):
                    break
        return np.asarray(np.where(distance > 0, np.exp(at), 0.5))

    def _falls(self, tail: FloatArray) -> FloatArray:
        """How much the quantile falls as the logarithm of the tail grows."""
        from scipy.special import stdtrit

        parts = [weight * tail / _density(degrees, stdtrit(degrees, tail)) for degrees, weight in self._parts()]
        return np.asarray(sum(parts) / (self.weight + self.other_weight))

    def _parts(self) -> tuple[tuple[IntArray, FloatArray], tuple[IntArray, FloatArray]]:
        return (self.one, self.weight), (self.other, self.other_weight)


def _density(degrees: IntArray, place: FloatArray) -> FloatArray:
    from scipy.special import gammaln

    scale = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees * np.pi)
    return np.asarray(np.exp(scale - (degrees + 1) / 2 * np.log1p(place**2 / degrees)))
