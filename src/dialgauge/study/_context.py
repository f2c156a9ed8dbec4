"""A run of a study while it is under way: what every stage needs of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from pydantic import BaseModel

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.files import atomic_file, write_text
from dialgauge.metaeval import CorrelationSettings
from dialgauge.metrics import Scores
from dialgauge.progress import Progress
from dialgauge.ratings import (
    JudgementSettings,
    RatingPolicy,
    ordered_dimensions,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.settings import Settings
from dialgauge.study._study_file import Model, StudyFile, StudySection

Asked = TypeVar("Asked", bound=Settings)


@dataclass
class Context:
    """The settings of a study and the folder of a run of it. ``home`` is where the paths of the study file start.

    ``manifest`` is that of the run as far as it has come, ``done`` says of each stage so far whether it ran or was
    unchanged. The corpus and the scores of the run are read when a stage first asks for them; ``source`` is the corpus
    that the study file names, once a stage has read it.
    """

    settings: StudyFile
    home: Path
    folder: Path
    progress: Progress
    manifest: Mapping[str, Any]
    done: Mapping[str, str]
    source: Corpus | None = None

    def section(self, model: type[Model]) -> Model:
        """A section of the study file, by its type."""
        return self.settings.section(model)

    def asked(self, kind: type[Asked], *sections: BaseModel, **values: Any) -> Asked:
        """The settings of a question: what these sections say of it, and ``values``.

        What they do not say of intervals is as in ``[correlation]``, and the seed is that of ``[study]``.
        """
        shared = self.section(CorrelationSettings)
        given = {"seed": self.study.seed, "resamples": shared.resamples, "confidence": shared.confidence}
        for section in sections:
            given |= {name: getattr(section, name) for name in section.model_fields_set}
        return kind(**{name: value for name, value in given.items() if name in kind.model_fields} | values)

    @property
    def study(self) -> StudySection:
        """``[study]``, with the seed."""
        return self.settings.study

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of the run."""
        return read_corpus(self.folder / "corpus")

    @cached_property
    def judged(self) -> Corpus:
        """The corpus with each judgement of people that has an order as a rating, weighted as ``[judgements]`` says."""
        rated = with_judgements_as_ratings(self.corpus.without_models(), self.section(JudgementSettings))
        return with_ordered_ratings(rated, self.section(RatingPolicy))

    @cached_property
    def policy(self) -> RatingPolicy:
        """``[ratings]`` for what has an order: without the classes that its ``dimensions`` name, which have labels."""
        return ordered_dimensions(self.corpus, self.section(RatingPolicy))

    @cached_property
    def scores(self) -> Scores:
        """The scores of the run."""
        return Scores.load(self.folder / "scores.parquet")

    def read(self, name: str) -> pl.DataFrame:
        """A table of results that an earlier stage wrote."""
        return pl.read_parquet(self.folder / name)

    def write(self, name: str, frame: pl.DataFrame) -> None:
        """Write a table of results into the folder of the run."""
        with atomic_file(self.folder / name) as temporary:
            frame.write_parquet(temporary)

    def write_json(self, name: str, document: Any) -> None:
        """Write a JSON file into the folder of the run."""
        write_text(self.folder / name, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
