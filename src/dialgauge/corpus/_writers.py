"""Which columns say who wrote the texts beside them: ``Model A`` and ``Model B``, ``A is from`` and ``B is from``."""

from collections.abc import Collection, Mapping

import polars as pl

from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._values import is_answer

#: A longer text is no name of a system.
_LONGEST = 60


def writers_of(frame: pl.DataFrame, sides: Mapping[str, str], without: Collection[str] = ()) -> dict[str, str]:
    """For each text the column of its writers; empty where not all texts have one. ``sides`` has the side of each.

    The headings must be the same but for the side. If they do not speak of systems, the cells must tell: the same few
    names on all sides, in another order from row to row.
    """
    told: dict[str, dict[str, str]] = {}
    for column in frame.columns:
        words = normalised(column).split("_")
        for text, side in sides.items():
            if side in words and column not in without:
                told.setdefault("_".join(word for word in words if word != side), {})[text] = column
    complete = [(called, columns) for called, columns in told.items() if set(columns) == set(sides)]
    named = [columns for called, columns in complete if called in USES["system"]]
    return next(iter(named or [columns for _, columns in complete if _are_shuffled(frame, columns.values())]), {})


def _are_shuffled(frame: pl.DataFrame, columns: Collection[str]) -> bool:
    values = [set(frame[column].drop_nulls().cast(pl.String, strict=False)) for column in columns]
    short = all(len(name) <= _LONGEST and not is_answer(name) for name in values[0])
    return short and 1 < len(values[0]) < frame.height and all(one == values[0] for one in values)
