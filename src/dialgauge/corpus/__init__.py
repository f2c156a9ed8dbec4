"""Dialogues, summaries and ratings: the corpus, its readers and writers, and the catalogue of public data sets."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
