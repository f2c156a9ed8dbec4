"""Summarizers by name: extracts of the dialogue, sequence-to-sequence models, chat models."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
