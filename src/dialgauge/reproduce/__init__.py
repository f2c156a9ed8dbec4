"""Comparison of original and reproduction, and the tables of published papers recomputed from their raw data."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
