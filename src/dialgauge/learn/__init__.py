"""Metrics trained on ratings: features, validation on held-out summaries, and trained metrics saved as folders.

scikit-learn and skops (the extra ``learn``) are imported when something is fitted or loaded.
"""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
