"""The base of all tables of the study file."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of the study file: unknown keys are refused, values are never silently converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
