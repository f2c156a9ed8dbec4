"""Rated variants of one system as items: a corpus of edited summaries has no systems to compare."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.metaeval._settings import CorrelationSettings

#: What a reader must know about correlations over variants.
NOTE = (
    "the rated summaries are variants of one system: they are correlated within each dialogue and all together, "
    "and no systems are compared"
)


@dataclass(frozen=True, slots=True)
class Items:
    """The number of each rated variant within its dialogue, which takes the place of a system."""

    numbers: pl.DataFrame

    def renamed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of rated variants, each as the original of an item of its own."""
        columns = frame.columns
        joined = frame.join(self.numbers, on=list(KEY), how="inner", maintain_order="left")
        return joined.with_columns(pl.col("item").alias("system"), pl.lit(ORIGINAL).alias("variant")).select(columns)

    @staticmethod
    def asked(settings: CorrelationSettings) -> CorrelationSettings:
        """The settings without the level of systems, drawing dialogues only."""
        levels = tuple(level for level in settings.levels if level != "system")
        if "global" not in levels:
            levels = (*levels, "global")
        return settings.model_copy(update={"levels": levels, "resample": "inputs"})


def find_items(ratings: pl.DataFrame, references: Collection[str]) -> Items | None:
    """The items, if the rated summaries are several variants of one system; None where there are systems to compare."""
    rated = ratings.filter(~pl.col("system").is_in(list(references))).select(KEY).unique().sort(KEY)
    several = rated.group_by("dialogue_id", "role").len().filter(pl.col("len") > 1)
    if rated["system"].n_unique() != 1 or several.is_empty() or rated["variant"].n_unique() < 2:
        return None
    # The original first, then the others by name.
    ordered = rated.sort("dialogue_id", "role", pl.col("variant") != ORIGINAL, "variant")
    place = pl.int_range(1, pl.len() + 1).over("dialogue_id", "role")
    return Items(ordered.with_columns(pl.format("item {}", place).alias("item")))
