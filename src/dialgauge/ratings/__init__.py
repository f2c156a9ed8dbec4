"""Human ratings: scales, cleaning, aggregation, the agreement of annotators, and what is wrong with the data.

Every function takes the ratings frame of a corpus (``corpus.ratings``) and gives a frozen result around Polars frames.
"""

from dialgauge.ratings._aggregate import METHODS, Aggregated, TieRule, aggregate
from dialgauge.ratings._agreement import Agreement, Scope, agreement
from dialgauge.ratings._alpha import Level
from dialgauge.ratings._checks import check_ratings, check_row_order
from dialgauge.ratings._clean import Cleaned, majority_noise_removal
from dialgauge.ratings._drift import Drift, drift
from dialgauge.ratings._findings import Finding, Findings, Severity
from dialgauge.ratings._kappa import Weights
from dialgauge.ratings._measures import (
    MEASURES,
    Coefficient,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
    verdict,
)
from dialgauge.ratings._outliers import Outliers, outliers
from dialgauge.ratings._scales import (
    SCALES,
    OnInvalid,
    Scale,
    ScaleKind,
    Validated,
    find_scale,
    normalise,
    validate,
)

__all__ = [
    "MEASURES",
    "METHODS",
    "SCALES",
    "Aggregated",
    "Agreement",
    "Cleaned",
    "Coefficient",
    "Drift",
    "Finding",
    "Findings",
    "Level",
    "OnInvalid",
    "Outliers",
    "Scale",
    "ScaleKind",
    "Scope",
    "Severity",
    "TieRule",
    "Validated",
    "Weights",
    "aggregate",
    "agreement",
    "check_ratings",
    "check_row_order",
    "cohen_kappa",
    "drift",
    "find_scale",
    "fleiss_kappa",
    "krippendorff_alpha",
    "majority_noise_removal",
    "normalise",
    "outliers",
    "percent_agreement",
    "validate",
    "verdict",
]
