"""How intervals and tests are made by resampling: how often, what, at which confidence, from which seed."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from dialgauge.settings import Settings, setting

#: What intervals and tests are made with where nothing else is asked.
DRAWS, CONFIDENCE = 1000, 0.95
#: What another study would have instead: other systems, other inputs (dialogues), or both.
Resample = Literal["systems", "inputs", "both"]


def _enough(resamples: int) -> int:
    if 0 < resamples < 20:
        raise ValueError("must be 0 (no interval) or at least 20")
    return resamples


class Intervals(Settings):
    """How intervals are made: how many resamples, at which confidence, from which seed."""

    resamples: Annotated[int, AfterValidator(_enough)] = setting(
        DRAWS, "Number of bootstrap resamples; 0 for no intervals.", ge=0, le=1_000_000
    )
    confidence: float = setting(CONFIDENCE, "Confidence level of the intervals.", gt=0, lt=1)
    seed: int = setting(0, "Random seed: the same seed gives the same numbers.", ge=0)


class Resampling(Intervals):
    """What is resampled for intervals and tests, how often, at which confidence, from which seed."""

    resample: Resample = setting("both", "What is resampled: the systems, the inputs (dialogues), or both.")
