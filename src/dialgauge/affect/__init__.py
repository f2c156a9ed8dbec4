"""Affect: the affective words of a text, and whether summaries preserve their share."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
