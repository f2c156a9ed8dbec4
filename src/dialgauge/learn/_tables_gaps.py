"""Classifiers and features of Tables 5 and 6 of "Tweak to Trust", and the effect of training on variants."""

from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL

#: The features of the paper that need no model, in the order of its Table 4: compared with the transcript and with the
#: reference.
PAPER_FEATURES = (
    "bleu-4@source",
    "bleu-4",
    "chrf@source",
    "ter@source",
    "chrf",
    "ter",
    "rouge-l@source",
    "rouge-lsum@source",
    "rouge-l",
    "rouge-lsum",
)
#: Baseline next to the classifiers: always predicts the most frequent class of its training rows.
MOST_FREQUENT = "most frequent"

_GAPS = pl.Schema(
    {
        "condition": pl.String(),
        "dimension": pl.String(),
        "comparisons": pl.Int64(),
        "before": pl.Float64(),
        "after": pl.Float64(),
        "narrower": pl.Int64(),
        "higher": pl.Int64(),
    }
)


def gaps(frame: pl.DataFrame) -> pl.DataFrame:
    """The effect of augmentation: a row per condition (other than ``original``) and dimension.

    A comparison is a classifier on a family of variants. ``before`` and ``after`` are the mean change of accuracy from
    the originals to the variants, trained on originals alone and with variants; ``narrower`` counts the comparisons
    where that change came nearer to 0, ``higher`` those where the accuracy on the variants rose. The former can happen
    because a classifier got worse on originals; the latter cannot.
    """
    family = frame.filter(
        pl.col("set") != ORIGINAL, pl.col("classifier") != MOST_FREQUENT, pl.col("difference").is_not_null()
    )
    cells = ["dimension", "classifier", "set"]
    before = family.filter(pl.col("condition") == ORIGINAL).select(
        *cells, accuracy_before="accuracy", difference_before="difference"
    )
    rows: list[dict[str, Any]] = []
    for condition in dict.fromkeys(family["condition"]):
        if condition == ORIGINAL:
            continue
        pairs = family.filter(pl.col("condition") == condition).join(before, on=cells, maintain_order="left")
        for dimension in dict.fromkeys(pairs["dimension"]):
            part = pairs.filter(pl.col("dimension") == dimension)
            rows.append(
                {
                    "condition": condition,
                    "dimension": dimension,
                    "comparisons": part.height,
                    "before": part["difference_before"].mean(),
                    "after": part["difference"].mean(),
                    "narrower": int((part["difference"].abs() < part["difference_before"].abs()).sum()),
                    "higher": int((part["accuracy"] > part["accuracy_before"]).sum()),
                }
            )
    return pl.DataFrame(rows, schema=_GAPS)
