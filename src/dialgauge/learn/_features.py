"""Features: the columns of metric scores, and cheap text features, which are metrics as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.learn._copies import text_marks
from dialgauge.metrics import Scores, score

#: Prefix of the signature of a column that dialgauge did not compute.
UNSIGNED = "unsigned|"


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Features of summaries: ``frame`` has the key and a column per feature, sorted by key.

    ``signatures`` says how each was computed, ``seconds`` how long it took (for all summaries; absent if not measured),
    ``missing`` how many summaries have no value, ``directions`` which direction is better (absent: unknown).
    ``marks`` has the same mark for equal texts of a dialogue (None: the texts are not known).
    """

    frame: pl.DataFrame
    signatures: Mapping[str, str]
    seconds: Mapping[str, float]
    directions: Mapping[str, str] = field(default_factory=dict)
    marks: pl.DataFrame | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns."""
        return tuple(column for column in self.frame.columns if column not in KEY)

    @property
    def missing(self) -> dict[str, int]:
        """How many summaries lack each feature."""
        return {name: self.frame[name].null_count() for name in self.names}

    def matrix(self) -> FloatArray:
        """A row per summary, a column per feature; NaN where there is no value."""
        return self.frame.select(pl.col(self.names).cast(pl.Float64)).to_numpy()

    def select(self, names: Sequence[str]) -> "FeatureTable":
        """These features only."""
        for name in names:
            if name not in self.names:
                raise UnknownNameError("feature", name, self.names)
        return replace(self, frame=self.frame.select(*KEY, *names))

    def rows(self, keys: pl.DataFrame) -> "FeatureTable":
        """The features of these summaries, in their order."""
        return replace(self, frame=keys.select(KEY).join(self.frame, on=list(KEY), how="left", maintain_order="left"))


def build_features(
    corpus: Corpus,
    scores: Scores,
    *,
    metrics: Sequence[str] | None = None,
    texts: Sequence[str] = (),
) -> FeatureTable:
    """Features of every summary that has scores.

    ``metrics`` are columns of ``scores`` (default: all). ``texts`` are specifications of further metrics
    that are computed here, such as :data:`TEXT_FEATURES`; one that is a column of the scores already is not computed
    again. A feature without any value raises an error; single missing values are kept, counted, and filled when a
    learner is fitted, from its training rows.
    """
    chosen = list(scores.metrics if metrics is None else metrics)
    for name in chosen:
        if name not in scores.metrics:
            raise UnknownNameError("metric in these scores", name, scores.metrics)
    frame = scores.frame.select(*KEY, *chosen)
    signatures = {name: scores.signatures.get(name, f"{UNSIGNED}scores") for name in chosen}
    seconds = {name: scores.seconds[name] for name in chosen if name in scores.seconds}
    directions = {name: scores.directions.get(name, "none") for name in chosen}
    wanted = [spec for spec in texts if spec not in chosen]
    if wanted:
        made = score(corpus, wanted, include_references=True)
        computed = made.metrics
        frame = frame.join(made.frame, on=list(KEY), how="left", maintain_order="left")
        signatures |= {name: made.signatures[name] for name in computed}
        seconds |= {name: made.seconds[name] for name in computed}
        directions |= {name: made.directions[name] for name in computed}
        chosen += computed
    if not chosen:
        raise InputError("no features: give scores with at least one metric, or select text features")
    table = FeatureTable(frame.sort(KEY), signatures, seconds, directions, text_marks(corpus))
    _check(table)
    return table


def _check(table: FeatureTable) -> None:
    keys = table.frame.select(KEY).rows()
    for first, second in pairwise(keys):
        if first == second:
            raise InputError(f"scores: [{' / '.join(first)}] occurs twice")
    for name in table.names:
        column = table.frame[name]
        if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
            raise InputError(f"feature {name!r} must contain numbers, not {column.dtype}")
        if column.null_count() == len(column):
            raise InputError(f"feature {name!r} has no value for any summary; remove it")
        if not np.isfinite(column.drop_nulls().cast(pl.Float64).to_numpy()).all():
            raise InputError(f"feature {name!r} contains an infinite value or NaN; missing values must be null")
