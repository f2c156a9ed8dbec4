"""The work on one part of a stream as a function from Arrow table to Arrow table, for engines that we do not run."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.errors import InputError, counted
from dialgauge.metrics._scoring import able, refuse_nothing, requested
from dialgauge.metrics._settings import ScoringSettings
from dialgauge.metrics._sharded import PartScorer
from dialgauge.metrics._stream_files import ParquetTable
from dialgauge.metrics._stream_source import Chunk, PairsSource, check_references

_WHOLE = "needs all summaries at once; score_arrow sees some of them"


@dataclass(frozen=True, slots=True)
class _HeldTable(ParquetTable):
    """Rows in memory: there are no files that could change."""

    frame: pl.DataFrame

    def read(self, start: int, stop: int, keep: pl.Expr | None = None) -> pl.DataFrame:
        """The rows from ``start`` to before ``stop``."""
        rows = self.frame.slice(start, stop - start)
        return rows if keep is None else rows.filter(keep)


def score_arrow(table: Any, metrics: Iterable[str], *, mapping: Mapping[str, str | Sequence[str]] | None = None) -> Any:
    """Score a ``pyarrow`` table or batch with a summary and its references in each row; gives a ``pyarrow`` table.

    It has the keys of the summaries (dialogue, system, variant, role) and a column for each metric: what
    :func:`score_stream` writes for the same rows. Nothing else is read or written, so that Spark, Dask or Daft can map
    it over partitions. Which column is which is told by ``mapping`` as in :func:`dialgauge.read_corpus`, or by their
    names. A key that is there twice in a table counts once, which is warned of. Metrics that need all summaries at
    once raise an error, or are left out where a family has them.
    """
    requests = []
    possible, left_out = able(requested(metrics))
    for request in possible:
        if request.itemwise:
            requests.append(request)
        elif request.optional:
            left_out[request.column] = _WHOLE
        else:
            raise InputError(f"metric {request.column!r} {_WHOLE}")
    refuse_nothing(requests, left_out)
    frame = pl.DataFrame(table)
    held = _HeldTable((), (frame.height,), (), tuple(frame.columns), (), frame)
    with_sources = any(request.target in ("source", "both") for request in requests)
    source = PairsSource.of(held, "the table", mapping or {}, with_sources)
    check_references("the table", source, requests)
    loaded = source.load(Chunk(0, 0, frame.height))
    for reason, count in loaded.problems.items():
        warnings.warn(f"skipped {counted(count, 'row')}: {reason}", stacklevel=2)
    return loaded.keyed(PartScorer.of(requests, ScoringSettings())(loaded.corpus).frame).to_arrow()
