"""What may be said of a learned metric: sentences that its numbers on held-out summaries support, and a verdict."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from dialgauge.learn._validation_scores import DIFFERENCE, LEARNED, LEVELS, SINGLE
from dialgauge.metaeval import Trust
from dialgauge.tables import number

_AT = {"summary": "within dialogues", "system": "of systems"}


def follows(scores: pl.DataFrame, level: str, alpha: float) -> bool:
    """Whether the learned metric is shown to follow the ratings: its interval is above zero, and shuffles are below."""
    row = _row(scores, LEARNED, level)
    return row["low"] is not None and row["low"] > 0 and not _reached_by_shuffles(row, alpha)


def better_than_single(scores: pl.DataFrame, level: str, alpha: float) -> bool:
    """Whether it is shown to be better than the best single metric: the difference and its own interval above zero.

    A difference can also be above zero because the single metric did badly.
    """
    low = _row(scores, DIFFERENCE, level)["low"]
    return low is not None and low > 0 and follows(scores, level, alpha)


def claims(scores: pl.DataFrame, alpha: float) -> tuple[str, ...]:
    """A sentence per level on whether it follows the ratings, and one on whether it beats the best single metric."""
    said = []
    for level in LEVELS:
        row = _row(scores, LEARNED, level)
        if row["value"] is None:
            said.append(f"Nothing is said of the order {_AT[level]}: {row['reason'].removeprefix('withheld: ')}.")
            continue
        interval = "" if row["low"] is None else f" [{number(row['low'])}, {number(row['high'])}]"
        shown = "Shown to follow" if follows(scores, level, alpha) else "Not shown to follow"
        why = _reached_by_shuffles(row, alpha) if (row["low"] or 0.0) > 0 else ""
        said.append(f"{shown} the order {_AT[level]} on held-out summaries: r {number(row['value'])}{interval}{why}.")
        single = _row(scores, SINGLE, level)
        if single["value"] is not None:
            better = "Better than" if better_than_single(scores, level, alpha) else "Not shown to be better than"
            said.append(f"{better} the best single metric there ({single['name']}, r {number(single['value'])}).")
    return tuple(said)


def learned_verdict(scores: pl.DataFrame, alpha: float) -> Trust:
    """``use``: it follows ratings of held-out systems and beats the best single metric; ``care``: only the former."""
    if not follows(scores, "summary", alpha):
        return "do-not-use"
    judged_on_new_systems = _row(scores, LEARNED, "system")["value"] is not None
    return "use" if judged_on_new_systems and better_than_single(scores, "summary", alpha) else "care"


def _reached_by_shuffles(row: Mapping[str, Any], alpha: float) -> str:
    """Why an interval above zero is not enough; empty where too few shuffles reach the value."""
    if row["p"] is None or row["p"] <= alpha + 1e-9:
        return ""
    return f", which shuffled ratings reach too often (p = {row['p']:.2f})"


def _row(scores: pl.DataFrame, by: str, level: str) -> Mapping[str, Any]:
    rows = scores.filter(pl.col("by") == by, pl.col("measure") == "pearson", pl.col("level") == level)
    nothing = {"value": None, "low": None, "high": None, "p": None, "reason": "not measured", "name": ""}
    return rows.row(0, named=True) if rows.height else nothing
