"""Perturbations: summaries broken (or merely rewritten) on purpose, to see which metric notices."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
