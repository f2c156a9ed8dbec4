"""A run of a study while it is under way: what every stage needs of it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from dialgauge.corpus import Corpus, open_corpus, read_corpus
from dialgauge.files import atomic_file
from dialgauge.metrics import Scores
from dialgauge.progress import Progress
from dialgauge.study._sections import StudyFile
from dialgauge.study._specs import Specs, metric_specs
from dialgauge.study._stages import Ledger


@dataclass
class Context:
    """The settings of a study and the folder of a run of it. ``home`` is where the paths of the study file start.

    The corpora and the scores are read when a stage asks for them first, unless the stage that makes them left them.
    """

    settings: StudyFile
    home: Path
    folder: Path
    ledger: Ledger
    progress: Progress

    @cached_property
    def source(self) -> Corpus:
        """The corpus that the study file names, before anything is added to it."""
        self.progress("reading the corpus", 0, 1)
        wanted = self.settings.corpus
        return open_corpus(
            wanted.source, home=self.home, format=wanted.format, mapping=wanted.map, strict=wanted.strict
        )

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of the run."""
        return read_corpus(self.folder / "corpus")

    @cached_property
    def scores(self) -> Scores:
        """The scores of the run."""
        return Scores.load(self.folder / "scores.parquet")

    @cached_property
    def metrics(self) -> Specs:
        """The metrics of the study file."""
        return metric_specs(self.settings.metrics.use, self.home)

    def write(self, name: str, frame: pl.DataFrame) -> None:
        """Write a table of results into the folder of the run."""
        with atomic_file(self.folder / name) as temporary:
            frame.write_parquet(temporary)
