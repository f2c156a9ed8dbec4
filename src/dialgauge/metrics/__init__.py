"""Automatic metrics of summaries: what there is, what each declares, and how a corpus is scored with them."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
