"""The page that people open: results as words, pictures and tables. It shows; it does not compute."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
