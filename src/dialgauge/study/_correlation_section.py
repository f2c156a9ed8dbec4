"""``[correlation]``, which every stage reads that draws anew for intervals."""

from typing import Annotated, Literal

from pydantic import Field

from dialgauge.study._study_file import SectionModel


class CorrelationSection(SectionModel):
    """``[correlation]``: levels, coefficients and how uncertainty is measured."""

    levels: list[Literal["system", "summary", "global"]] = Field(default=["system", "summary"])
    coefficients: list[Literal["pearson", "spearman", "kendall"]] = Field(default=["pearson", "spearman", "kendall"])
    resample: Literal["inputs", "systems", "both"] = "both"
    resamples: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    confidence: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    role: str | None = None
