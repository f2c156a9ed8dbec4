"""A pytest plugin: statsmodels' tests of corrections and of agreement measure dialgauge."""

from typing import Any

import numpy as np
import pytest

from dialgauge.metaeval import adjust_p_values
from dialgauge.ratings import fleiss_kappa as our_fleiss_kappa

_CORRECTIONS = {"holm": "holm", "h": "holm", "fdr_bh": "benjamini-hochberg", "fdr_i": "benjamini-hochberg"}


def multipletests(p_values: Any, alpha: float = 0.05, method: str = "hs", **_: Any) -> tuple[Any, ...]:
    if method not in _CORRECTIONS:
        pytest.skip(f"no correction {method}")
    adjusted = np.asarray(adjust_p_values(p_values, _CORRECTIONS[method]))
    return adjusted <= alpha, adjusted, None, None


def fdrcorrection(p_values: Any, alpha: float = 0.05, method: str = "indep", **_: Any) -> tuple[Any, ...]:
    if method not in ("i", "indep", "p", "poscorr"):
        pytest.skip(f"no correction {method}")
    return multipletests(p_values, alpha, "fdr_bh")[:2]


def fleiss_kappa(table: Any, method: str = "fleiss") -> float:
    """From counts of each value per unit."""
    counts = np.asarray(table)
    if method != "fleiss" or not np.array_equal(counts, np.round(counts)):
        pytest.skip("Randolph's kappa, or parts of votes")
    votes = [np.repeat(np.arange(counts.shape[1]), row.astype(int)) for row in counts]
    return float(our_fleiss_kappa(np.array(votes, dtype=float)).value)


def pytest_configure() -> None:
    from statsmodels.stats import inter_rater, multitest

    multitest.multipletests = multipletests
    multitest.fdrcorrection = fdrcorrection
    inter_rater.fleiss_kappa = fleiss_kappa
