"""Models: where their weights come from, what kinds there are, and batched inference."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
