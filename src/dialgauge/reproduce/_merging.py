"""Settings: how a study's results change when the ratings of shared items are merged in other ways.

Many studies let all annotators rate a few items (to measure agreement) and divide the rest among them. Then the
shared items must be merged, by one annotator, the mean or the median, and this is a choice. A sweep makes its effect
visible.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings import Scale
from dialgauge.reproduce._studies import StudyResults, agreement_of, rated_results

_UNIT = (*KEY, "sentence", "dimension")


def shared_annotators(ratings: pl.DataFrame) -> list[str]:
    """The annotators who rated every unit that more than one of them rated; empty where nothing is shared."""
    shared = _shared(ratings)
    units = shared.select(_UNIT).unique().height
    if not units:
        return []
    counts = shared.group_by("annotator").len().filter(pl.col("len") == units)
    return sorted(counts["annotator"])


def sweep_settings(
    ratings: pl.DataFrame,
    name: str,
    *,
    settings: Sequence[str] | None = None,
    normalised: bool = False,
    scales: Iterable[Scale] = (),
) -> tuple[StudyResults, ...]:
    """The results of one study under every way to merge its shared items, ready for :func:`compare`.

    A setting is ``"annotator:NAME"`` (that one's ratings stand for the shared items; everything else keeps the rating
    it has), ``"mean"`` or ``"median"``; by default all annotators who rated every shared unit, then mean and median.
    Merging is done per unit: per sentence where sentences were rated. The results are called ``NAME:setting``.
    """
    scales = tuple(scales)
    known = shared_annotators(ratings)
    if not known:
        raise InputError(
            f"study {name!r}: nothing to merge: no unit has two annotators, or no annotator rated all units that have"
        )
    wanted = [*(f"annotator:{who}" for who in known), "mean", "median"] if settings is None else list(settings)
    agreed = agreement_of(ratings, scales)
    results = []
    for setting in wanted:
        chosen = ratings
        if setting.startswith("annotator:"):
            who = setting.removeprefix("annotator:")
            if who not in known:
                raise UnknownNameError("annotator of all shared units", who, known)
            others = _shared(ratings).filter(pl.col("annotator") != who)
            chosen = ratings.join(others, on=[*_UNIT, "annotator"], how="anti", nulls_equal=True)
        elif setting not in ("mean", "median"):
            raise UnknownNameError("setting", setting, ["mean", "median", *(f"annotator:{who}" for who in known)])
        method = "median" if setting == "median" else "mean"
        called = f"{name}:{setting.removeprefix('annotator:')}"
        merged = rated_results(chosen, called, aggregate=method, normalised=normalised, scales=scales)
        # Agreement is a property of the study, not of the way its ratings are merged.
        results.append(replace(merged, ratings=ratings, agreement=agreed, setting_of=name))
    return tuple(results)


def _shared(ratings: pl.DataFrame) -> pl.DataFrame:
    return ratings.drop_nulls("value").filter(pl.len().over(_UNIT) > 1)
