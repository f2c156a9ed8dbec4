"""The accuracies that Patel, Agrawal and Kumar 2024 print in Tables 5 and 6, and what is summed up from such tables."""

from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL

#: The five classifiers of the paper, by our names, in its order.
CLASSIFIERS = ("decision-tree", "logistic", "neighbours", "ordinal", "svm")
#: The features of the paper that need no model: its Table 4 has each against the reference and against the transcript.
#: TER against a transcript is not among our metrics.
PAPER_FEATURES = (
    "bleu-4",
    "bleu-4@source",
    "chrf",
    "chrf@source",
    "ter",
    "rouge-l",
    "rouge-l@source",
    "rouge-lsum",
    "rouge-lsum@source",
)
#: Beside the classifiers: what says the most frequent class of its training rows, whatever it is shown.
MOST_FREQUENT = "most frequent"

#: Dimension and condition → original, domain and baseline of each classifier, in per cent as printed.
_PRINTED = {
    ("consistency", "original"): (
        (73.16, 61.14, 42.02),
        (64.45, 60.47, 39.13),
        (72.55, 60.47, 30.43),
        (50.73, 57.09, 30.43),
        (69.85, 57.43, 27.53),
    ),
    ("relevance", "original"): (
        (91.21, 77.36, 69.56),
        (87.28, 72.30, 71.01),
        (78.18, 69.26, 68.11),
        (71.01, 57.77, 52.12),
        (74.81, 65.22, 59.82),
    ),
    ("consistency", "original+domain"): (
        (70.93, 66.66, 25.25),
        (63.71, 62.21, 57.94),
        (70.31, 63.28, 66.98),
        (51.91, 51.12, 47.58),
        (67.55, 62.53, 55.25),
    ),
    ("relevance", "original+domain"): (
        (88.64, 85.31, 70.12),
        (84.50, 69.42, 53.17),
        (76.52, 56.18, 69.55),
        (57.06, 44.63, 53.17),
        (73.04, 73.56, 65.28),
    ),
}
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


def published_tables() -> pl.DataFrame:
    """Accuracies from 0 to 1: condition, dimension, classifier, set, accuracy, difference (to the originals)."""
    rows = [
        {
            "condition": condition,
            "dimension": dimension,
            "classifier": classifier,
            "set": name,
            "accuracy": value / 100,
            "difference": None if name == ORIGINAL else (value - values[0]) / 100,
        }
        for (dimension, condition), lines in _PRINTED.items()
        for classifier, values in zip(CLASSIFIERS, lines, strict=True)
        for name, value in zip((ORIGINAL, "domain", "baseline"), values, strict=True)
    ]
    return pl.DataFrame(rows)


def gaps(frame: pl.DataFrame) -> pl.DataFrame:
    """What augmentation changes: a row per condition (other than ``original``) and dimension.

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
