"""Is a summary right? A checker that reads the dialogue once and marks the words that it does not support."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
