"""Charts of results and of every figure of a report, made with Altair (extra ``plots``)."""

from dialgauge.lazy import lazy_room

__all__, __getattr__, __dir__ = lazy_room(__name__)
