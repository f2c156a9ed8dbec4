"""How ratings are treated before anything is computed from them: the same for every analysis."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ValidationInfo, field_validator

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.resampling import CONFIDENCE, Intervals
from dialgauge.settings import Settings, Several, refusing, setting

OnInvalid = Literal["keep", "drop", "error"]
TieRule = Literal["lowest", "highest", "mean", "null"]
Cleaning = Literal["none", "majority-noise-removal"]
#: The methods of aggregation by name; a chosen annotator is named in full, as in "annotator:expert".
METHODS = ("mean", "median", "majority", "majority-or-mean", "model", "dawid-skene", "mace", "annotator:NAME")
#: The methods that weigh annotators by what their ratings say about them.
MODEL_METHODS = ("model", "dawid-skene", "mace")

#: Level of measurement of Krippendorff's α.
Level = Literal["nominal", "ordinal", "interval", "ratio"]
#: Weights of Cohen's κ.
Weights = Literal["none", "linear", "quadratic"]
Measure = Literal[
    "krippendorff-alpha",
    "cohen-kappa",
    "fleiss-kappa",
    "percent-agreement",
    "pearson",
    "spearman",
    "icc-1",
    "icc-a1",
    "icc-c1",
    "icc-1k",
    "icc-ak",
    "icc-ck",
    "gwet-ac1",
    "gwet-ac2",
]
Scope = Literal["overall", "dimension", "pair", "system"]
#: Models of the raters: of points in order, or of labels.
RaterModelKind = Literal["ordinal", "dawid-skene", "mace"]
#: The measures of agreement by name.
MEASURES: tuple[Measure, ...] = get_args(Measure)
#: Those that are shown unless others are asked for.
_SHOWN: tuple[Measure, ...] = MEASURES[:6]
#: Whether a new study would have the same raters, or others like them.
RatersDrawn = Literal["fixed", "random"]

#: What a rater of a pool gets at once; whom a result is about.
Sharing = Literal["dialogue", "summary"]
Claim = Literal["these-raters", "new-raters"]
#: The largest number of systems, dialogues or raters of a plan.
LARGEST = 100_000

_PANEL = "Ratings"


class RatingPolicy(Settings):
    """How ratings are treated: which count, how they are cleaned, and how several annotators become one value.

    The mean is the default because it uses every rating, keeps their order under all our coefficients and needs no
    majority; ``majority-or-mean`` is what DialSummEval did. Ratings off their scale (a saved but unset 0, for example)
    are dropped and counted, because one of them can dominate a mean.
    """

    aggregate: str = setting(
        "mean",
        "How several annotators become one value: mean, median, majority, majority-or-mean, model (of the raters), "
        "dawid-skene, mace or annotator:NAME.",
        panel=_PANEL,
    )
    ties: TieRule = setting("null", "Value of a tied vote, for majority.", panel=_PANEL)
    clean: Cleaning = setting("none", "Remove ratings that contradict the majority, or none.", panel=_PANEL)
    on_invalid: OnInvalid = setting("drop", "What to do with ratings off their scale.", panel=_PANEL)
    dimensions: Several[str] | None = setting(
        None, "Dimension to use (default: all).", flag="--dimension", short="-d", panel=_PANEL
    )
    scale: str | None = setting(None, "Scale of ratings that do not name one, as in 1-5.", panel=_PANEL)
    lower_is_better: Several[str] = setting(
        (), "Dimension whose lower values are better, such as a rank or an error count.", panel=_PANEL
    )
    higher_is_better: Several[str] = setting(
        (), "Dimension whose higher values are better, where its name suggests the opposite.", panel=_PANEL
    )

    @field_validator("aggregate")
    @classmethod
    def _known_method(cls, method: str) -> str:
        with refusing():
            if method not in METHODS[:-1] and not method.startswith("annotator:"):
                raise UnknownNameError("method of aggregation", method, METHODS)
        return method

    @field_validator("scale")
    @classmethod
    def _known_scale(cls, name: str | None) -> str | None:
        from dialgauge.ratings._scales import find_scale

        with refusing():
            return None if name is None else find_scale(name).name


class AgreementSettings(Intervals):
    """How the agreement of annotators is measured."""

    measures: Several[Measure] = setting(_SHOWN, "Measure of agreement.", flag="--measure", min_length=1)
    by: Several[Scope] = setting(("overall", "dimension"), "What to report agreement for.", min_length=1)
    level: Level | None = setting(None, "Level of measurement of Krippendorff's α (default: by the scale).")
    weights: Weights | None = setting(None, "Weights of Cohen's κ (default: by the scale).")
    resample: Literal["summary", "dialogue"] = setting("dialogue", "What the bootstrap resamples.")
    raters: RatersDrawn = setting(
        "fixed",
        "Whether the interval of Krippendorff's α is for these raters (fixed) or for others like them (random).",
    )
    minimum_shared: int = setting(
        20, "Minimum number of units that two annotators share for Cohen's κ and correlations between annotators.", ge=1
    )


class RaterModelSettings(Settings):
    """Which model of the raters is fitted."""

    kind: RaterModelKind | None = setting(None, "Kind of model (default: by the scale).")
    confidence: float = setting(0.95, "Confidence level of the intervals.", gt=0, lt=1)
    seed: int = setting(0, "Random seed: the same seed gives the same numbers.", ge=0)


class PlanSettings(Settings):
    """The study that is planned: what is to be distinguished, by which designs, and what a rating costs."""

    difference: float = setting(0.3, "Difference of two systems' means to be found, in points of the scale.", gt=0)
    power: float = setting(0.8, "Probability of finding it.", gt=0, lt=1)
    confidence: float = setting(0.95, "Confidence level of the intervals; one minus it is the error.", gt=0, lt=1)
    systems: Several[int] = setting((2,), "Number of systems that are rated.", min_length=1)
    dialogues: Several[int] = setting((25, 50, 100, 200), "Number of dialogues.", min_length=1)
    raters: Several[int] = setting((1, 2, 3, 5), "Number of raters of each summary.", min_length=1)
    pool: int | None = setting(None, "Number of raters who share the work (default: all rate everything).", ge=1)
    sharing: Sharing = setting(
        "dialogue", "What a rater of the pool gets at once: a dialogue with all its systems, or one summary."
    )
    claim: Claim = setting("these-raters", "Whom the result is about: these raters, or other raters like them too.")
    minutes: float | None = setting(None, "Minutes that one rating takes.", gt=0)
    wage: float | None = setting(None, "Cost of an hour of rating.", ge=0)
    metric_correlation: float | None = setting(
        None, "True correlation of a metric with systems' quality, to see what would be found of it.", gt=0, lt=1
    )

    @field_validator("systems", "dialogues", "raters")
    @classmethod
    def _enough(cls, sizes: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        least = 1 if info.field_name == "raters" else 2
        if any(not least <= size <= LARGEST for size in sizes):
            raise ValueError(f"must be between {least} and {LARGEST:,}")
        return sizes


class OutlierSettings(Intervals):
    """When an annotator is an outlier."""

    level: Level = setting("interval", "Level of measurement of Krippendorff's α.")
    minimum_rise: float = setting(0.1, "Minimum rise of α without an annotator for an outlier.", ge=0)


def _as_listed(order: Any) -> Any:
    return tuple(order) if isinstance(order, list) else order


class DriftSettings(Settings):
    """When an annotator is said to drift."""

    order: Annotated[Literal["time", "frame"] | tuple[str, ...] | None, BeforeValidator(_as_listed)] = setting(
        None, "Order of the ratings for drift: their times, or the frame, which is the order of the file."
    )
    blocks: int = setting(4, "Number of equal parts of the work to compare.", ge=2)
    confidence: float = setting(CONFIDENCE, "Confidence level of the intervals.", gt=0, lt=1)
    significance: float = setting(0.05, "Maximum corrected p-value of a drift.", gt=0, lt=1)
    minimum_change: float = setting(0.05, "Minimum change of a drift, as a share of the scale.", ge=0)


def _parse_weights(given: Sequence[str]) -> dict[str, float]:
    weights = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            weights[name] = float(value)
        except ValueError:
            equals = ""
        if not (name and equals):
            raise InputError(f"--severity: write NAME=WEIGHT, as in major=5; got {text!r}")
    return weights


#: Weights of severities as in MQM for translations (Lommel et al., 2014; Freitag et al., 2021).
SEVERITIES = {"minor": 1.0, "major": 5.0, "critical": 25.0}


class JudgementSettings(Intervals):
    """How preferences, best-worst choices and marked spans are analysed."""

    severities: dict[str, float] = setting(
        dict(SEVERITIES),
        "Weight of a severity of marked errors, as in major=5; others count 1.",
        flag="--severity",
        parse=_parse_weights,
    )
    splits: int = setting(100, "Number of random halves for the reliability of best-worst scores.", ge=1, le=10_000)

    @field_validator("severities")
    @classmethod
    def _with_defaults(cls, weights: dict[str, float]) -> dict[str, float]:
        """Weights that are not given keep their default."""
        return {**SEVERITIES, **{name.lower(): weight for name, weight in weights.items()}}
