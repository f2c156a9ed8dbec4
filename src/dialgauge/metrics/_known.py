"""Values that were computed before, such as on a cluster: taken where computing them again would give the same."""

from collections.abc import Sequence

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, counted
from dialgauge.metrics._metric import MetricRequest
from dialgauge.metrics._scores import Scores

_NO_REASON = "no value among those that were computed before"


def known_values(known: Scores, items: pl.DataFrame, requests: Sequence[MetricRequest]) -> Scores | None:
    """The columns of ``known`` that these requests ask for, for the summaries in ``items``; None if there are none.

    A column of the same name that was computed in another way is refused, and so is one that lacks summaries.
    """
    columns = [request.column for request in requests if request.column in known.metrics]
    if not columns:
        return None
    wanted = {request.column: request for request in requests}
    for column in columns:
        if known.signatures[column] != wanted[column].signature:
            raise InputError(
                f"the known values of {column} were computed as {known.signatures[column]}, and would be computed as "
                f"{wanted[column].signature} now: leave {column} out of them, or score again"
            )
    keys = items.select(KEY)
    lacking = keys.join(known.frame, on=list(KEY), how="anti", maintain_order="left")
    if lacking.height:
        first = ", ".join(filter(None, lacking.row(0)))
        raise InputError(
            f"{counted(lacking.height, 'summary', 'summaries')} of {keys.height} have no known values (first: {first})"
        )
    frame = keys.join(known.frame.select(*KEY, *columns), on=list(KEY), how="left", maintain_order="left")
    return Scores(
        frame=frame,
        signatures={column: known.signatures[column] for column in columns},
        directions={column: wanted[column].metric.direction for column in columns},
        failures=_reasons(known, frame, columns),
        seconds=dict.fromkeys(columns, 0.0),
        notes=known.notes.filter(pl.col("metric").is_in(columns)).join(keys, on=list(KEY), how="semi"),
    )


def _reasons(known: Scores, frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Why values are missing; the reasons of a stream are only in its parts."""
    missing = pl.concat(
        frame.filter(pl.col(column).is_null()).select(*KEY, pl.lit(column).alias("metric")) for column in columns
    )
    said = missing.join(known.failures, on=[*KEY, "metric"], how="left", maintain_order="left", nulls_equal=True)
    return said.with_columns(pl.col("reason").fill_null(_NO_REASON))
