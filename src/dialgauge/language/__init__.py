"""Languages: how each splits words and sentences, its stems and stop words, and the scripts written without spaces."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
