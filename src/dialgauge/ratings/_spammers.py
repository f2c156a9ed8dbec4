"""How likely each rater is a spammer: someone whose ratings do not depend on what is rated.

Discriminations are a mixture: those of spammers lie around zero, those of others around a mean of their own. What a
rater's ratings alone say of his discrimination is an estimate with a standard error, so few ratings decide nothing.
"""

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._rater_ordinal import _DISCRIMINATION, OrdinalFit

#: How far from zero spammers' discriminations lie, as a share of the mean of the others; the share of spammers that is
#: expected before any rating is seen, and how many raters that expectation counts for.
_NEAR_ZERO, _EXPECTED, _COUNTS_FOR = 0.1, 0.1, 5.0
_ROUNDS = 200


def spammer_log_odds(fit: OrdinalFit) -> tuple[FloatArray, float]:
    """What the ratings say (log of the ratio of the densities) for each rater being a spammer, and the prior log odds.

    The ratios of several dimensions can be added.
    """
    error = fit.errors[:, 2]
    # The model drew discriminations towards their mean; without that, this is what the ratings say.
    information = np.maximum(1 / error**2 - _DISCRIMINATION**-2, 1e-3)
    own = (fit.discrimination / error**2 - fit.average / _DISCRIMINATION**2) / information
    variance = 1 / information
    middle, spread, share = max(fit.average, 0.1), 0.3, _EXPECTED
    weights = np.ones(len(own))
    for _ in range(_ROUNDS):
        middle_before = middle
        spam = _density(own, 0.0, (_NEAR_ZERO * middle) ** 2 + variance)
        honest = _density(own, middle, spread**2 + variance)
        odds = np.clip(spam - honest + np.log(share / (1 - share)), -500, 500)
        weights = 1 / (1 + np.exp(odds))
        share = ((1 - weights).sum() + _EXPECTED * _COUNTS_FOR) / (len(own) + _COUNTS_FOR)
        certain = weights / (spread**2 + variance)
        middle = max(float((certain * own).sum() / max(certain.sum(), 1e-9)), 0.1)
        excess = float((weights * ((own - middle) ** 2 - variance)).sum() / max(weights.sum(), 1e-9))
        # Were the others spread to zero and beyond, nobody could be told to be a spammer.
        spread = float(np.clip(np.sqrt(max(excess, 0.0)), 0.1 * middle, 0.4 * middle))
        if abs(middle - middle_before) < 1e-9:
            break
    spam = _density(own, 0.0, (_NEAR_ZERO * middle) ** 2 + variance)
    return spam - _density(own, middle, spread**2 + variance), float(np.log(share / (1 - share)))


def _density(values: FloatArray, mean: float, variance: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * (values - mean) ** 2 / variance - 0.5 * np.log(variance))
