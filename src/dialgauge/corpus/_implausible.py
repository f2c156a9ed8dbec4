"""What was read that people do not give: by the judgements and texts alone, however the file was read.

Each check asks for something that would not be seen if the values were those of people who judge one summary after the
other: one judgement for all systems, numbers of summaries, means of the others, one summary under many dialogues.
"""

import math
from collections.abc import Callable
from typing import Any

import polars as pl

from dialgauge.errors import counted

#: Chance agreement below this is none. People who judge several systems of a dialogue alike are far above it.
_BY_CHANCE = 1e-8
_SUMMARY = ("dialogue_id", "system", "variant", "role")
#: Fewer summaries than this prove nothing.
_FEWEST = 8
_MOSTLY = 0.9
#: Half of the last place of a mean that was rounded to one or two places.
_ROUNDED = 0.051


def implausible(parts: Any, known: bool = False) -> list[str]:
    """Why judgements or texts were read wrongly, each as a sentence. A ``known`` layout says which texts recur."""
    ratings = parts.ratings.filter(pl.col("value").is_not_null())
    checks: tuple[Callable[[pl.DataFrame], list[str]], ...] = (_copied, _numbered, _means)
    found = [sentence for check in checks for sentence in check(ratings)]
    return found if known else [*found, *_same_texts(parts)]


def _copied(ratings: pl.DataFrame) -> list[str]:
    """The dimensions whose every value is that of all systems of its dialogue."""
    groups = (
        ratings.group_by("dimension", "dialogue_id", "role", "annotator", "sentence")
        .agg(pl.struct("system", "variant").n_unique().alias("systems"), pl.col("value").n_unique().alias("values"))
        .filter(pl.col("systems") > 1)
        .group_by("dimension")
        .agg(pl.col("values").max(), (pl.col("systems") - 1).sum().alias("again"))
        .filter(pl.col("values") == 1)
    )
    chances = dict(ratings.group_by("dimension").agg(_same_by_chance()).iter_rows())
    found = [name for name, _, again in groups.iter_rows() if again * math.log(chances[name]) < math.log(_BY_CHANCE)]
    return [
        f"{name!r} has the same value for every system of a dialogue: one judgement was given to all of them. Give "
        f"each system a column of its own, or leave it out (--map ignore={name})"
        for name in sorted(found)
    ]


def _same_by_chance() -> pl.Expr:
    """The probability that two values of a dimension are the same."""
    counts = pl.col("value").value_counts().struct.field("count")
    return ((counts / counts.sum()) ** 2).sum()


def _numbered(ratings: pl.DataFrame) -> list[str]:
    """The dimensions whose values count up: a number of its own for every summary, or for every judgement."""
    found = []
    for (name,), given in ratings.group_by("dimension", maintain_order=True):
        numbers = given["value"].unique().sort()
        counting = (
            len(numbers) >= _FEWEST and numbers.round().equals(numbers) and numbers[-1] - numbers[0] < len(numbers)
        )
        each = len(numbers) in (given.height, given.select(_SUMMARY).n_unique())
        if counting and each and given["dialogue_id"].n_unique() > 1:
            found.append(
                f"{name!r} counts up from {numbers[0]:g} to {numbers[-1]:g}, which numbers rows and judges nothing: "
                f"leave it out (--map ignore={name})"
            )
    return found


def _means(ratings: pl.DataFrame) -> list[str]:
    """The annotators whose values are the means of all others."""
    item = ("dimension", *_SUMMARY, "sentence")
    others = (
        ratings.with_columns(pl.len().over(item).alias("people"), pl.col("value").sum().over(item).alias("sum"))
        .filter(pl.col("people") > 2)
        .with_columns(((pl.col("sum") - pl.col("value")) / (pl.col("people") - 1)).alias("mean"))
        .group_by("annotator")
        .agg(
            pl.len().alias("items"),
            ((pl.col("value") - pl.col("mean")).abs() <= _ROUNDED).mean().alias("same"),
            (pl.col("value") % 1 > 0).any().alias("parts"),
        )
    )
    found = others.filter((pl.col("items") >= _FEWEST) & (pl.col("same") >= _MOSTLY) & pl.col("parts"))
    return [
        f"the judgements of {name!r} are the means of the others': leave the column out (--map ignore={name})"
        for name in sorted(map(str, found["annotator"]))
    ]


def _same_texts(parts: Any) -> list[str]:
    """Whether most summaries occur word for word under several dialogues, of which nothing was said."""
    texts = getattr(parts, "summaries", None)
    if texts is None or parts.dialogues["turns"].list.len().fill_null(0).sum():
        return []
    texts = texts.filter(pl.col("text").str.len_chars() > 0)
    different = texts.select("system", "text").n_unique() if texts.height else 0
    if texts.height < _FEWEST or different * 2 > texts.height or texts["dialogue_id"].n_unique() * 2 < texts.height:
        return []
    return [
        f"{counted(texts.height, 'summary', 'summaries')}, of which only {different:,} are different: name the column "
        "that says which dialogue each is of (--map dialogue_id=COLUMN)"
    ]
