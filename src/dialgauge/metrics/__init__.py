"""Automatic metrics of summaries: what there is, what each declares, and how a corpus is scored with them."""

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Direction, Metric, MetricRequest, Parameter, Target, Values
from dialgauge.metrics._registry import all_metrics, find_metric, metric, parse_request, parse_requests, register
from dialgauge.metrics._scores import SYSTEM_KEY, Scores
from dialgauge.metrics._scoring import score, score_pairs
from dialgauge.metrics._texts import TextTable
from dialgauge.metrics.kernels import kernel_name, use_kernels
from dialgauge.progress import Progress

__all__ = [
    "SYSTEM_KEY",
    "Direction",
    "Job",
    "Metric",
    "MetricRequest",
    "Parameter",
    "Progress",
    "Scores",
    "Target",
    "TextTable",
    "Values",
    "all_metrics",
    "find_metric",
    "kernel_name",
    "metric",
    "parse_request",
    "parse_requests",
    "register",
    "score",
    "score_pairs",
    "use_kernels",
]
