"""Score a corpus in parts on an engine, with the same numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.engine import Engine, EngineSettings, engine
from dialgauge.errors import counted
from dialgauge.metrics._metric import Metric, MetricRequest
from dialgauge.metrics._plan import no_target, scored_items
from dialgauge.metrics._registry import parse_requests, register
from dialgauge.metrics._scores import FAILURES, NOTES, Scores
from dialgauge.metrics._settings import ScoringSettings
from dialgauge.progress import Progress
from dialgauge.registry import defining_module
from dialgauge.settings import takes

T = TypeVar("T")

#: Number of parts per worker, so that none waits long for the last one …
_PARTS_PER_WORKER = 4
#: … but no part is smaller than this: sending a smaller part costs more than scoring it.
_LEAST = 500
#: Number of values of metrics without a model that justifies starting processes: a value takes 4 µs, a start 1 s.
_WORTH_PROCESSES = 500_000


@takes(EngineSettings)
def suitable_engine(
    summaries: int, metrics: Iterable[str], settings: EngineSettings | None = None, **changes: Any
) -> Engine | None:
    """The engine that is asked for. ``auto`` takes processes where their number is given or the work is long enough.

    None means this process. Models already use all cores: with a model, ``auto`` uses this process.
    """
    asked = EngineSettings.chosen(settings, changes, "suitable_engine")
    if asked.name != "auto":
        return engine(asked.name, asked)
    requests = parse_requests(metrics)
    long = summaries * len(requests) >= _WORTH_PROCESSES and not any(request.metric.models for request in requests)
    return engine("processes", asked) if asked.workers is not None or long else None


def itemwise(corpus: Corpus, requests: Sequence[MetricRequest]) -> list[MetricRequest]:
    """The requests that give the same for a part of the corpus as for the whole."""
    if not scored_items(corpus, True).height or (
        corpus.references.is_empty() and any(map(_reads_references, requests))
    ):
        return []  # the plan of the whole corpus says what is wrong
    return [request for request in requests if request.itemwise]


def shareable(corpus: Corpus, requests: Sequence[MetricRequest]) -> list[MetricRequest]:
    """The requests that workers can compute; one that may turn out to lack a package stays here, to be left out."""
    return [r for r in itemwise(corpus, requests) if not (r.optional and r.metric.extra)]


@dataclass(frozen=True, slots=True)
class PartScorer:
    """Scores parts of a corpus. ``own`` are metrics that a worker would not find by itself."""

    columns: tuple[str, ...]
    own: tuple[Metric, ...]
    settings: ScoringSettings

    @classmethod
    def of(cls, requests: Sequence[MetricRequest], settings: ScoringSettings) -> "PartScorer":
        """For these requests, as :func:`score` would compute them."""
        own = [r.metric for r in requests if not defining_module(r.metric.compute).startswith("dialgauge.")]
        return cls(tuple(r.column for r in requests), tuple(own), settings)

    def setup(self) -> None:
        """Load the families. Models are loaded with the first part that needs them, and then stay."""
        register(*self.own)
        parse_requests(self.columns)

    def __call__(self, corpus: Corpus) -> Scores:
        """The scores of a part. Where it has no reference at all, values are null, while a whole corpus is refused."""
        from dialgauge.metrics._scoring import able, score_here

        requests = parse_requests(self.columns)
        blind = [r for r in requests if _reads_references(r)] if corpus.references.is_empty() else []
        seeing, left_out = able([r for r in requests if r not in blind])
        items = scored_items(corpus, self.settings.include_references)
        scored = Scores(items.select(KEY), {}, {})
        if seeing:
            scored = score_here(corpus, seeing, left_out, self.settings)
        nulls = {r.column: pl.lit(None, dtype=pl.Float64) for r in blind}
        failures = [
            items.select(*KEY, pl.lit(r.column).alias("metric"), pl.lit(no_target(r)).alias("reason")) for r in blind
        ]
        return Scores(
            frame=scored.frame.with_columns(**nulls).select(*KEY, *self.columns),
            signatures={r.column: r.signature for r in requests},
            directions={r.column: r.metric.direction for r in requests},
            failures=pl.concat([scored.failures, *failures]),
            seconds=scored.seconds,
            notes=scored.notes,
        )


def score_in_parts(corpus: Corpus, scorer: PartScorer, engine: Engine, progress: Progress | None) -> Scores:
    """The scores of the metrics of the scorer, part by part. ``seconds`` adds up what all workers took."""
    items = scored_items(corpus, scorer.settings.include_references)
    parts = _parts(corpus, items, engine.workers)
    found: list[Scores] = []
    label = f"{counted(len(scorer.columns), 'metric')} on {counted(engine.workers, 'worker')}"
    if progress:
        progress(label, 0, items.height)
    for scores in engine.run(scorer, parts):
        found.append(scores)
        if progress:
            done = sum(part.frame.height for part in found)
            progress(label, done, items.height)
    values = pl.concat([part.frame for part in found])
    order = items.select(KEY).with_row_index("_item")
    columns = pl.DataFrame({"metric": scorer.columns}).with_row_index("_metric")
    return Scores(
        frame=items.select(KEY).join(values, on=list(KEY), how="left", maintain_order="left"),
        signatures=found[0].signatures,
        directions=found[0].directions,
        failures=_in_order([part.failures for part in found], order, columns, FAILURES),
        seconds={column: sum(part.seconds.get(column, 0.0) for part in found) for column in scorer.columns},
        notes=_in_order([part.notes for part in found], order, columns, NOTES),
    )


def merged(here: Scores, elsewhere: Scores, requests: Sequence[MetricRequest]) -> Scores:
    """Merge the scores of the same summaries by different metrics, in the order of the requests."""
    columns = [request.column for request in requests]
    order = here.frame.select(KEY).with_row_index("_item")
    ranks = pl.DataFrame({"metric": columns}).with_row_index("_metric")
    frame = here.frame.join(elsewhere.frame, on=list(KEY), how="left", maintain_order="left")
    parts = (here, elsewhere)
    return Scores(
        frame=frame.select(*KEY, *(column for column in columns if column in frame.columns)),
        signatures=_ordered({**here.signatures, **elsewhere.signatures}, columns),
        directions=_ordered({**here.directions, **elsewhere.directions}, columns),
        systems=here.systems,
        failures=_in_order([part.failures for part in parts], order, ranks, FAILURES),
        seconds=_ordered({**here.seconds, **elsewhere.seconds}, columns),
        notes=_in_order([part.notes for part in parts], order, ranks, NOTES),
    )


def _ordered(values: Mapping[str, T], columns: Sequence[str]) -> dict[str, T]:
    return {column: values[column] for column in columns if column in values}


def _reads_references(request: MetricRequest) -> bool:
    return request.target in ("reference", "both")


def _parts(corpus: Corpus, items: pl.DataFrame, workers: int) -> list[Corpus]:
    """Parts of whole dialogues with about as many summaries each: what shares texts stays together."""
    counts = items.group_by("dialogue_id", maintain_order=True).len("count")
    size = max(_LEAST, -(-items.height // (workers * _PARTS_PER_WORKER)))
    numbered = counts.with_columns(part=(pl.col("count").cum_sum() - pl.col("count")) // size)
    dialogues = corpus.dialogues.join(numbered.select("dialogue_id", "part"), on="dialogue_id", maintain_order="left")
    by_dialogue = dialogues.partition_by("part", include_key=False, maintain_order=True, as_dict=True)
    with_part = corpus.summaries.join(numbered.select("dialogue_id", "part"), on="dialogue_id", maintain_order="left")
    by_summary = with_part.partition_by("part", include_key=False, maintain_order=True, as_dict=True)
    return [Corpus(by_dialogue[part], by_summary[part], info=corpus.info) for part in sorted(by_dialogue)]


def _in_order(
    frames: Sequence[pl.DataFrame], order: pl.DataFrame, columns: pl.DataFrame, schema: pl.Schema
) -> pl.DataFrame:
    """As one run gives them: by metric, and within it by the order of the summaries."""
    together = pl.concat([pl.DataFrame(schema=schema), *frames])
    placed = together.join(order, on=list(KEY), how="left", maintain_order="left")
    placed = placed.join(columns, on="metric", how="left", maintain_order="left")
    return placed.sort("_metric", "_item", nulls_last=True, maintain_order=True).select(list(schema))
