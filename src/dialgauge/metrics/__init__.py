"""Automatic metrics of summaries: what there is, what each declares, and how a corpus is scored with them."""

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Derived, Direction, Metric, MetricRequest, Parameter, Target, Values
from dialgauge.metrics._registry import (
    all_metrics,
    find_metric,
    metric,
    parse_request,
    parse_requests,
    register,
)
from dialgauge.metrics._scores import SYSTEM_KEY, Scores
from dialgauge.metrics._scoring import score, score_pairs
from dialgauge.metrics._sharded import suitable_engine
from dialgauge.metrics._stream import StreamReport, score_stream
from dialgauge.metrics._texts import TextTable
from dialgauge.metrics._words import split_sentences, split_words
from dialgauge.metrics.kernels import kernel_name, use_kernels
from dialgauge.progress import Progress
from dialgauge.registry import parse_parameters, quoted

__all__ = [
    "SYSTEM_KEY",
    "Derived",
    "Direction",
    "Job",
    "Metric",
    "MetricRequest",
    "Parameter",
    "Progress",
    "Scores",
    "StreamReport",
    "Target",
    "TextTable",
    "Values",
    "all_metrics",
    "find_metric",
    "kernel_name",
    "metric",
    "parse_parameters",
    "parse_request",
    "parse_requests",
    "quoted",
    "register",
    "score",
    "score_pairs",
    "score_stream",
    "split_sentences",
    "split_words",
    "suitable_engine",
    "use_kernels",
]
