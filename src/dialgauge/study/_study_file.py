"""The study file as an object: its sections, which stages find by their type."""

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Model = TypeVar("Model", bound=BaseModel)


class SectionModel(BaseModel):
    """The base of sections: unknown keys are refused, values are never silently converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class StudySection(SectionModel):
    """``[study]``: what it is called, where its results go, and the seed of everything random in it.

    Paths in the file (the corpus, the output, folders of models) stay below the folder of the file, unless ``outside``
    is true.
    """

    name: Annotated[str, Field(min_length=1, pattern=r"^[\w.-]+$")]
    seed: Annotated[int, Field(ge=0)] = 0
    output: str | None = None
    outside: bool = False


class StudyFile(SectionModel):
    """A whole study file. Stages declare its other sections (:func:`dialgauge.study.read_study_file`)."""

    study: StudySection

    def find(self, model: type[Model]) -> Model | None:
        """The section of this type; None where the file does not have it."""
        return next((value for _, value in self if isinstance(value, model)), None)

    def section(self, model: type[Model]) -> Model:
        """The section of this type, for a stage that is asked for only where the file has it."""
        found = self.find(model)
        if found is None:
            raise KeyError(f"the study file has no section of type {model.__name__}")
        return found
