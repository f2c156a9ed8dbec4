"""Perturbations: degraded or merely rewritten summaries, to test which metrics react."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
