"""Metrics behind the interface that people know from ``evaluate``: ``compute``, ``add`` and ``add_batch``."""

from collections.abc import Sequence

import polars as pl

from dialgauge.errors import InputError
from dialgauge.metrics import MetricRequest, parse_requests, score_pairs

#: What a metric can be compared with: one text, or several references.
Target = str | Sequence[str]


class MetricModule:
    """Metrics that are fed with predictions and asked for their means. Made by :func:`load_metrics`."""

    def __init__(self, requests: Sequence[MetricRequest]) -> None:
        self._requests = tuple(requests)
        self._predictions: list[str] = []
        self._references: list[Target | None] = []
        self._sources: list[str | None] = []

    @property
    def metrics(self) -> list[str]:
        """The metrics by name, as in the results."""
        return [request.column for request in self._requests]

    def add(self, *, prediction: str, reference: Target | None = None, source: str | None = None) -> None:
        """Add one prediction, with what it is compared with."""
        self._predictions.append(prediction)
        self._references.append(reference)
        self._sources.append(source)

    def add_batch(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[Target] | None = None,
        sources: Sequence[str] | None = None,
    ) -> None:
        """Add several predictions, with what they are compared with."""
        for name, given in (("references", references), ("sources", sources)):
            if given is not None and len(given) != len(predictions):
                raise InputError(f"{len(predictions)} predictions and {len(given)} {name}: give one for each")
        self._predictions += predictions
        self._references += [None] * len(predictions) if references is None else references
        self._sources += [None] * len(predictions) if sources is None else sources

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[Target] | None = None,
        sources: Sequence[str] | None = None,
    ) -> dict[str, float | None]:
        """The mean of each metric over these predictions and those added before; forgets them.

        A metric that could score none of them is None; ``unscored`` counts the predictions that some metric could not
        score and is there only where there are such.
        """
        frame = self.per_summary(predictions=predictions, references=references, sources=sources)
        found: dict[str, float | None] = {name: _mean(frame[name]) for name in frame.columns}
        unscored = frame.height - frame.drop_nulls().height
        return found | ({"unscored": unscored} if unscored else {})

    def per_summary(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[Target] | None = None,
        sources: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """The values behind :meth:`compute`: a column per metric, a row per prediction, in their order."""
        self.add_batch(predictions=predictions or [], references=references, sources=sources)
        if not self._predictions:
            raise InputError("nothing to compute: give predictions, or add some first")
        by_target: dict[str, list[MetricRequest]] = {}
        for request in self._requests:
            by_target.setdefault(request.target, []).append(request)
        # Metrics with the same target share the work on its texts.
        frames = [
            score_pairs(self._predictions, self._targets(requests[0]), [request.column for request in requests])
            for requests in by_target.values()
        ]
        self._predictions, self._references, self._sources = [], [], []
        return pl.concat(frames, how="horizontal").select(self.metrics)

    def _targets(self, request: MetricRequest) -> list[Target] | None:
        if request.target == "none":
            return None
        needed = {"reference": ("references",), "source": ("sources",)}.get(request.target, ("sources", "references"))
        for name in needed:
            given = self._references if name == "references" else self._sources
            if any(one is None for one in given):
                lacking = sum(one is None for one in given)
                raise InputError(
                    f"{request.column} needs {name}; {lacking} of {len(given)} predictions have none: give {name}=[…]"
                )
        references = [one for one in self._references if one is not None]
        sources = [one for one in self._sources if one is not None]
        if needed == ("references",):
            return references
        if needed == ("sources",):
            return list(sources)
        several = [[one] if isinstance(one, str) else list(one) for one in references]
        return [[source, *texts] for source, texts in zip(sources, several, strict=True)]


def load_metrics(*metrics: str) -> MetricModule:
    """Metrics behind the interface of ``evaluate``: ``load_metrics("rouge-1", "chrf@source").compute(…)``."""
    requests = parse_requests(metrics)
    if not requests:
        raise InputError("no metric was given: load_metrics('rouge-1')")
    return MetricModule(requests)


def _mean(values: pl.Series) -> float | None:
    mean = values.mean()
    return float(mean) if isinstance(mean, int | float) else None
