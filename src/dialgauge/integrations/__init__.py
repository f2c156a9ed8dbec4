"""dialgauge inside other tools: the interface of `evaluate`, experiment trackers, Inspect AI and DeepEval."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
