"""Automatic metrics of summaries: their declarations, their registry and the scoring of a corpus."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
