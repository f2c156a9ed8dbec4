"""Metrics that are trained on ratings: features, honest validation, and a folder that is a metric.

scikit-learn and skops (the extra ``learn``) are imported when something is fitted or loaded.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
