"""Importing this loads every family of metrics: for workers, before the time of their work is taken."""

from dialgauge.metrics._registry import all_metrics

all_metrics()
