"""Models: where their weights come from, what kinds there are, and how texts go through them in batches."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
