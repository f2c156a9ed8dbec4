"""Affect: which words of a text carry feeling, and whether the share of them survives the summary."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
